//! [`Library::describe`]: a tree, and where its nodes are written.

use pleach_core::{Host, NodeId, Tree};

use super::{Copies, Library, Read};
use crate::build::{self, Warn, WrittenNode};
use crate::report::Report;
use crate::{Registry, Source};

/// A tree, and the text of each node in its files: see [`Library::describe`].
#[derive(Debug)]
pub struct Described<H: Host> {
    tree: Tree<H>,
    nodes: Vec<WrittenNode>,
}

impl<H: Host> Described<H> {
    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree<H> {
        &self.tree
    }

    /// The text of a node.
    ///
    /// # Panics
    /// If the tree has no such node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> &WrittenNode {
        &self.nodes[node.index()]
    }
}

impl<S: Source> Library<S> {
    /// Makes the tree of a file with everything it includes, as [`load`](Library::load) does, and
    /// returns for each node where it is written and with which fields. For tools: the library does
    /// not follow the tree.
    ///
    /// # Errors
    /// As [`load`](Library::load).
    pub fn describe<H: Host>(&self, name: &str, registry: &Registry<H>) -> Result<Described<H>, Report> {
        let read = Read::new(&mut Copies::new(&self.source, None), &[name.to_owned()]);
        let mut described = None;
        let shown = self.source.shown(name);
        let (_, report) = read.check(&shown, Some(&[0]), registry, Warn::Never, &mut |files, at| {
            let (tree, nodes) = build::described(files, at, registry)?;
            described = Some(Described { tree, nodes });
            Ok(())
        });
        described.ok_or(report)
    }
}
