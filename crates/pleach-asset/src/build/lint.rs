//! What is not wrong but probably not meant.

mod aborts;
mod flow;
mod keys;
mod watch;

use pleach_core::{Host, NodeRef, Tree};

use super::place::Place;
use crate::asset::{AssetTree, Subtree};
use crate::finding::Finding;
use crate::span::Span;
use flow::Flow;
use watch::Watch;

/// All warnings, in no order.
pub(super) fn warnings<H: Host>(asset: &AssetTree<'_>, tree: &Tree<H>, places: &[Place<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let written = Written { tree, places };
    let flow = Flow::of(&written);
    flow.unreachable(&written, &mut findings);
    let watch = Watch::of(&written, &flow);
    aborts::lint(&written, &flow, &watch, &mut findings);
    keys::unused(asset, &mut findings);
    findings
}

/// A tree, and what stands in the file for its nodes.
struct Written<'a, H: Host> {
    tree: &'a Tree<H>,
    places: &'a [Place<'a>],
}

impl<'a, H: Host> Written<'a, H> {
    fn place(&self, node: NodeRef<'_, H>) -> Option<&Place<'a>> {
        node.origin().and_then(|it| self.places.get(it as usize))
    }

    /// It as it stands in the file, if it is a built-in.
    fn built_in(&self, node: NodeRef<'_, H>) -> Option<Subtree<'a>> {
        match self.place(node)? {
            Place::Node(it) => Some(*it).filter(|it| it.built_in().is_some()),
            Place::Interrupt(_) | Place::Whole => None,
        }
    }

    /// Its name in the file.
    fn span(&self, node: NodeRef<'_, H>) -> Option<Span> {
        match self.place(node)? {
            Place::Node(it) => Some(it.kind.span),
            Place::Interrupt(it) => Some(it.when.span),
            Place::Whole => None,
        }
    }
}
