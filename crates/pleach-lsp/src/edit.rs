//! Edits of a tree's text: a node is inserted, moved or deleted, a field is set. Comments, order
//! and style stay, and the result is formatted.
//!
//! Each operation is a function of the text alone. It finds the bytes to replace in `Syntax`
//! (`units` says which comments belong to what), splices, and formats. The operations are here,
//! beside the reader of half-written documents, which knows the role of each value: the studio and
//! code editors share it.

mod apply;
mod change;
mod extract;
mod fields;
mod insert;
mod nodes;
mod patch;
mod remove;
mod units;
mod values;

pub use apply::{Edited, edit};
pub use extract::extract;
pub use fields::{FieldText, fields};
pub(crate) use fields::{of_doc as fields_of, with_value};
pub(crate) use nodes::of_doc;
pub use nodes::{Written, written};
pub(crate) use values::made;

use std::fmt;

/// An operation on a node. Nodes are numbered in the order of the text: see [`written`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sets a field to a value, as a person types it: strings need no quotes. Without a value,
    /// removes the field.
    Set {
        /// The node.
        node: usize,
        /// The name of the field.
        field: String,
        /// The typed value.
        value: Option<String>,
    },
    /// Puts a new node beside a node or into it.
    Insert {
        /// The node.
        node: usize,
        /// Where.
        side: Side,
        /// The new node, as a file has it.
        text: String,
    },
    /// Moves a node, with its comments, beside another node or into it.
    Move {
        /// The node.
        node: usize,
        /// The other node.
        to: usize,
        /// Where.
        side: Side,
    },
    /// Deletes a node with everything below it, and its comments.
    Delete {
        /// The node.
        node: usize,
    },
    /// Puts a node into a new one.
    Wrap {
        /// The node.
        node: usize,
        /// The kind of the new one: a composite or a decorator.
        kind: String,
    },
    /// Replaces a node with its children.
    Unwrap {
        /// The node.
        node: usize,
    },
    /// Puts a copy of a node after it. The copy has no ids.
    Duplicate {
        /// The node.
        node: usize,
    },
    /// Changes the kind of a node. Its fields stay.
    Become {
        /// The node.
        node: usize,
        /// The other kind.
        kind: String,
    },
    /// Moves a node to a template, and puts a use of it in its place.
    Template {
        /// The node.
        node: usize,
        /// The name of the template.
        name: String,
    },
}

/// Where something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before a node, under the same parent.
    Before,
    /// After it.
    After,
    /// Below it, as its last child.
    Into,
}

/// Why an edit is not possible: in a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError(pub(crate) String);

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EditError {}

pub(crate) fn refused<T>(why: impl Into<String>) -> Result<T, EditError> {
    Err(EditError(why.into()))
}

#[cfg(test)]
mod tests;
