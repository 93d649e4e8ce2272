//! What an asset says of other files, and of what it is given when others include it.

use pleach_core::{nodes::Direction, schema::KeyDefault};

use super::Nodes;
use crate::span::{Span, Word};
use crate::syntax::Value;

/// A port's declaration.
#[derive(Debug, PartialEq)]
pub(crate) struct PortEntry<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) direction: Direction,
    /// Its type with a symbol's words, and its default if it has one.
    pub(crate) default: KeyDefault,
    pub(crate) has_default: bool,
    /// Where each of a symbol's words stands.
    pub(crate) words: Vec<Span>,
}

/// A part that is written elsewhere, once.
#[derive(Debug, PartialEq)]
pub(crate) struct Template<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) ports: Vec<PortEntry<'a>>,
    pub(crate) root: Nodes<'a>,
}

/// What stands in place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Another file.
    Subtree,
    /// A template of this one.
    Use,
    /// One of several files.
    Slot,
}

/// Something written elsewhere in place of a node.
#[derive(Debug, PartialEq)]
pub(crate) struct Include<'a> {
    pub(crate) sort: Sort,
    /// The file or the template, as it is written.
    pub(crate) asset: Option<Word<'a>>,
    /// Of a slot its files, and the one that it begins with.
    pub(crate) trees: Vec<Word<'a>>,
    pub(crate) initial: Option<Word<'a>>,
    pub(crate) with: Vec<With<'a>>,
    /// Whether that is lost.
    pub(crate) lost_with: bool,
}

impl<'a> Include<'a> {
    /// The template that it stands for.
    pub(crate) fn template(&self) -> Option<Word<'a>> {
        self.asset.filter(|_| self.sort == Sort::Use)
    }

    /// The files that it needs.
    pub(crate) fn files(&self) -> impl Iterator<Item = Word<'a>> {
        let one = self.asset.filter(|_| self.sort == Sort::Subtree);
        one.into_iter().chain(self.trees.iter().copied())
    }
}

/// What a port is given.
#[derive(Debug, PartialEq)]
pub(crate) struct With<'a> {
    pub(crate) port: Word<'a>,
    pub(crate) value: Given<'a>,
    pub(crate) span: Span,
}

/// A key by its name, or a literal.
#[derive(Debug, PartialEq)]
pub(crate) enum Given<'a> {
    Key(&'a str),
    Literal(Value<'a>),
}
