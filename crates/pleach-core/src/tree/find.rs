//! One node by its id or name.

use std::fmt;

use super::{NodeRef, Tree};
use crate::names::{self, Help};
use crate::text::plain;
use crate::{Host, NodeId};

/// Why there is no such one node: see [`Tree::find_one`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// No node has this id or name.
    Unknown {
        /// The name of the tree.
        tree: String,
        /// What was looked for.
        name: String,
        /// What was probably meant.
        help: Option<Help>,
    },
    /// Several nodes have this name. An id tells one from the others.
    Several {
        /// The name of the tree.
        tree: String,
        /// The name.
        name: String,
        /// The first two of them.
        nodes: [NodeId; 2],
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Unknown { tree, name, help } => {
                write!(f, "no node of `{}` is called `{}`", plain(tree), plain(name))?;
                help.as_ref().map_or(Ok(()), |it| write!(f, ": {it}"))
            }
            FindError::Several { tree, name, nodes: [one, other] } => {
                let (tree, name) = (plain(tree), plain(name));
                write!(
                    f,
                    "several nodes of `{tree}` are called `{name}`, {one} and {other} among them: give one an `id`"
                )
            }
        }
    }
}

impl std::error::Error for FindError {}

pub(super) fn one<'a, H: Host>(tree: &'a Tree<H>, name: &str) -> Result<NodeRef<'a, H>, FindError> {
    if let Some(node) = tree.find_id(name) {
        return Ok(node);
    }
    let mut named = tree.nodes().filter(|it| it.name() == Some(name));
    match (named.next(), named.next()) {
        (Some(node), None) => Ok(node),
        (Some(one), Some(other)) => {
            Err(FindError::Several { tree: tree.name().into(), name: name.into(), nodes: [one.id(), other.id()] })
        }
        (None, _) => {
            let names = tree.nodes().flat_map(|it| [it.name(), it.id_text()]).flatten();
            let help = names::nearest(name, names).map(Help::meant);
            Err(FindError::Unknown { tree: tree.name().into(), name: name.into(), help })
        }
    }
}
