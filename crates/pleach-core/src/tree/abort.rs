//! Where a condition is watched, and what its change aborts (SEMANTICS 5).

use super::Tree;
use super::node::Abort;
use super::record::Record;
use crate::host::Host;
use crate::index::NodeId;

/// The chain rule: the composites at which a condition is watched if they are active, lowest first,
/// each with the abort types that allow it. `lowest` is the condition's nearest composite ancestor.
///
/// `Self` has to be on every composite from the lowest up to the one that watches, `LowerPriority`
/// on every one below that.
pub(super) fn chain(
    lowest: Option<NodeId>,
    nearest_composite: impl Fn(NodeId) -> Option<NodeId>,
    abort: impl Fn(NodeId) -> Abort,
) -> impl Iterator<Item = (NodeId, Abort)> {
    // Which types all composites so far have.
    let mut so_far = Abort::BOTH;
    let mut next = lowest;
    std::iter::from_fn(move || {
        while let Some(at) = next {
            let own = abort(at);
            let by_self = so_far & own & Abort::SELF;
            let by_priority = if next == lowest { Abort::NONE } else { so_far & Abort::LOWER_PRIORITY };
            so_far = so_far & own;
            next = nearest_composite(at).filter(|_| !so_far.is_none());
            if !(by_self | by_priority).is_none() {
                return Some((at, by_self | by_priority));
            }
        }
        None
    })
}

/// The same for a tree as it is, without the composites at which nothing is ever watched.
pub(super) fn watching(records: &[Record], lowest: Option<NodeId>) -> impl Iterator<Item = NodeId> {
    let nearest = |it: NodeId| records[it.index()].nearest_composite.some();
    chain(lowest, nearest, |it| records[it.index()].abort)
        .map(|(at, _)| at)
        .filter(|it| records[it.index()].watches_conditions())
}

impl<H: Host> Tree<H> {
    /// The child of `above` that is `node` or holds it.
    pub(crate) fn child_towards(&self, above: NodeId, node: NodeId) -> NodeId {
        let mut at = node;
        while self.rec(at).parent != above {
            at = self.rec(at).parent;
        }
        at
    }

    /// The composite at which a condition is watched while these are the tops of the stacks, with
    /// its running child, which a change of the condition ends; `None` if it is not watched.
    ///
    /// The composite is the lowest one above the condition that is active: the lowest common
    /// ancestor of the condition and the top of its stack. If that stack is empty, the top of the
    /// stack of the parallel above counts, and so on.
    pub(crate) fn scope(&self, condition: NodeId, tops: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let mut stack = self.rec(condition).stack;
        let top = loop {
            match tops[stack.index()].some() {
                Some(top) => break top,
                None => stack = self.rec(self.rec(self.bottoms[stack]).parent.some()?).stack,
            }
        };
        let scope = self.lowest_common_ancestor(condition, top);
        if scope == top {
            // What is on top has no running child.
            return None;
        }
        let watched = watching(&self.records, self.rec(condition).nearest_composite.some()).any(|it| it == scope);
        watched.then(|| (scope, self.child_towards(scope, top)))
    }
}
