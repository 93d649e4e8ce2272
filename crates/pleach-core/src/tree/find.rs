//! Nodes by their names, ids and paths.

use std::fmt;

use super::{NodeRef, Tree};
use crate::names::{self, Help};
use crate::text::plain;
use crate::{Host, NodeId};

/// Why there is no such one node: see [`Tree::find_one`].
#[derive(Clone, PartialEq, Eq)]
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

impl fmt::Debug for FindError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FindError {}

impl<H: Host> Tree<H> {
    /// Every node of that name, in pre-order. Walks all nodes.
    pub fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeRef<'a, H>> {
        self.nodes().filter(move |it| it.name() == Some(name))
    }

    /// The node of that id. Walks all nodes.
    #[must_use]
    pub fn find_id(&self, id: &str) -> Option<NodeRef<'_, H>> {
        self.nodes().find(|it| it.id_text() == Some(id))
    }

    /// The one node of that id, or else of that name. Walks all nodes.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, sequence};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let tree = Tree::<Game>::builder("guard").build(sequence([idle().named("look around")]))?;
    /// assert_eq!(tree.find_one("look around").unwrap().id().index(), 1);
    /// let error = tree.find_one("lok around").unwrap_err();
    /// assert_eq!(error.to_string(), "no node of `guard` is called `lok around`: did you mean `look around`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No node has this id or name, or several have the name.
    pub fn find_one(&self, name: &str) -> Result<NodeRef<'_, H>, FindError> {
        if let Some(node) = self.find_id(name) {
            return Ok(node);
        }
        let mut named = self.nodes().filter(|it| it.name() == Some(name));
        match (named.next(), named.next()) {
            (Some(node), None) => Ok(node),
            (Some(one), Some(other)) => {
                Err(FindError::Several { tree: self.name().into(), name: name.into(), nodes: [one.id(), other.id()] })
            }
            (None, _) => {
                let names = self.nodes().flat_map(|it| [it.name(), it.id_text()]).flatten();
                let help = names::nearest(name, names).map(Help::meant);
                Err(FindError::Unknown { tree: self.name().into(), name: name.into(), help })
            }
        }
    }

    /// The node of a path as [`NodeRef::path`] prints it. Walks down from the root.
    #[must_use]
    pub fn find_path(&self, path: &str) -> Option<NodeRef<'_, H>> {
        let mut at = self.root();
        let mut rest = path.strip_prefix(&*at.step())?;
        while !rest.is_empty() {
            // By the labels, not by the slashes: a name may hold one.
            (at, rest) = at.children().enumerate().find_map(|(place, child)| {
                let after =
                    rest.strip_prefix('/')?.strip_prefix(&*child.step())?.strip_prefix(&format!("[{place}]"))?;
                (after.is_empty() || after.starts_with('/')).then_some((child, after))
            })?;
        }
        Some(at)
    }
}
