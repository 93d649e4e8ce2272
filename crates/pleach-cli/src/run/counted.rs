//! How often each node was started in a run, and how it ended.

use std::path::Path;

use pleach::asset::Described;
use pleach::{Host, Tree};

use crate::counts::Counts;
use crate::coverage::{self, NodeCoverage, TreeCoverage};
use crate::paths::shown;
use crate::play::Witness;
use crate::stage;

/// The counts of all agents, by the nodes of their tree.
pub(super) struct Counted {
    nodes: Vec<NodeCoverage>,
    counts: Vec<Counts>,
}

impl Counted {
    /// No counts yet. `described` has the places of the nodes, if known.
    pub(super) fn new<H: Host>(tree: &Tree<H>, described: Option<&Described<H>>) -> Self {
        let mut nodes = coverage::nodes(&stage::paths(tree));
        if let Some(it) = described {
            coverage::place(&mut nodes, it);
        }
        Counted { nodes, counts: vec![Counts::default(); tree.len()] }
    }

    /// Continues under another tree: a node keeps its counts if a reload keeps the node.
    pub(super) fn go_on<H: Host>(self, was: &Tree<H>, is: &Tree<H>, described: Option<&Described<H>>) -> Self {
        let mut next = Counted::new(is, described);
        let compared = was.compare(is);
        for (node, counts) in was.nodes().zip(&self.counts) {
            if let Some(new) = compared.new_of(node.id()) {
                next.counts[new.index()] = *counts;
            }
        }
        next
    }

    /// A witness that counts what it sees.
    pub(super) fn witness(&mut self) -> Witness<'_> {
        Witness::Counts(&mut self.counts)
    }

    pub(super) fn coverage(self, file: &Path) -> TreeCoverage {
        let mut nodes = self.nodes;
        nodes.iter_mut().zip(self.counts).for_each(|(node, counts)| node.counts = counts);
        TreeCoverage { file: shown(file), nodes }
    }
}
