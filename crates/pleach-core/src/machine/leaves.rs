//! Updates leaf after leaf, along the continuations that are computed at load.

use super::Machine;
use crate::clock::Moment;
use crate::host::leaf::TreeLeaf;
use crate::host::leaf::states::LeafStates;
use crate::index::NodeId;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{Hooks, Record, Then};
use crate::{Context, Host, Outcome, Status, Tree};

/// Where a run of leaves stopped: at this node, which returned Running; or at this leaf, which
/// ended and whose parent does not know yet; the leaf's own end is then still to come. If there is
/// no node, the stack's bottom ended. A pair of small values, as the compiler packs an enum of the
/// same contents into one word, bit by bit.
pub(super) type Stop = (NodeId, Option<Outcome>);

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Updates leaves one after the other, as long as continuations lead from one to the next.
    /// `old` is as in [`walk`](Machine::walk).
    #[inline]
    pub(super) fn run_leaves(&mut self, mut at: NodeId, old: &mut NodeId) -> Stop {
        let records = self.records;
        loop {
            let mut record = &records[at.index()];
            let status = if !T::ENABLED && !T::INPUTS && record.streak > 0 {
                let (last, status) = streak(self.leaves, &mut self.states, &mut self.cx, at, record);
                (at, record) = (last, &records[last.index()]);
                status
            } else if record.hooks.contains(Hooks::HOST) {
                self.update_host(record.leaf, at)
            } else {
                self.update_other(at, record)
            };
            self.trace(TraceEvent::Update(at, status));
            let outcome = match status {
                Status::Running => return (at, None),
                Status::Success => Outcome::Success,
                Status::Failure => Outcome::Failure,
            };
            match self.follow(at, record, outcome, old) {
                Ok(next) => {
                    self.start_leaf(next, &records[next.index()]);
                    at = next;
                }
                Err(stop) => return stop,
            }
        }
    }

    /// What follows a leaf that ended: the next leaf, which is to be started; or where the run
    /// stops.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        at: NodeId,
        record: &Record,
        outcome: Outcome,
        old: &mut NodeId,
    ) -> Result<NodeId, Stop> {
        if T::ENABLED {
            return Err((at, Some(outcome)));
        }
        // Tests, the likely ones first: a jump table is an indirect jump, which costs more.
        let then = record.then[outcome as usize];
        if then == Then::Next {
            self.end_leaf(at, record, outcome);
            Ok(at.next())
        } else if let Then::Leaf { to, clear } = then {
            self.end_leaf(at, record, outcome);
            self.columns.clear_monitors(self.cx.agent.at, clear);
            Ok(to)
        } else if let Then::Again { repeat, to } = then {
            self.end_leaf(at, record, outcome);
            if *old <= repeat {
                // The child was started in this visit.
                return Err((repeat, None));
            }
            *old = repeat;
            self.columns.clear_monitors(self.cx.agent.at, self.records[repeat.next().index()].observers);
            Ok(to)
        } else if let Then::Done(of_bottom) = then {
            self.end_leaf(at, record, outcome);
            Err((NodeId::NONE, Some(of_bottom)))
        } else {
            Err((at, Some(outcome)))
        }
    }

    /// Starts the root, and returns the node that is visited next: its first leaf, or itself.
    #[inline(always)]
    pub(super) fn start_root(&mut self) -> NodeId {
        if !T::ENABLED
            && let Then::Leaf { to, .. } = self.tree.entry
        {
            // No monitor has to be deleted, as they are cleared when the root ends.
            self.start_leaf(to, &self.records[to.index()]);
            return to;
        }
        self.start(NodeId::ROOT);
        NodeId::ROOT
    }

    /// Updates one leaf.
    #[inline(always)]
    pub(super) fn run_leaf(&mut self, at: NodeId) -> Option<Outcome> {
        let status = self.update_leaf(at, &self.records[at.index()]);
        self.trace(TraceEvent::Update(at, status));
        status.outcome()
    }
}

/// Updates a streak of leaves, up to the first that does not succeed or the last of the streak.
#[inline(always)]
pub(super) fn streak<H: Host>(
    leaves: &[TreeLeaf<H>],
    states: &mut LeafStates<'_, H>,
    cx: &mut Context<'_, '_, H>,
    from: NodeId,
    record: &Record,
) -> (NodeId, Status) {
    let first = record.leaf.index();
    let (mut at, leaves) = (from, &leaves[first..=first + usize::from(record.streak)]);
    let last = leaves.len() - 1;
    for leaf in &leaves[..last] {
        cx.agent.node = at;
        cx.agent.sleep = Moment::START;
        let status = leaf.update(states, cx);
        if status != Status::Success {
            return (at, status);
        }
        at = at.next();
    }
    cx.agent.node = at;
    cx.agent.sleep = Moment::START;
    (at, leaves[last].update(states, cx))
}

/// What follows a leaf, with nothing to do on the way.
pub(super) enum Follower {
    /// This leaf, which is bare.
    Leaf(NodeId),
    /// Nothing: the root ended.
    End(Outcome),
}

/// What follows a leaf that ended, if there is nothing to do on the way: nothing to call, and no
/// monitors to delete.
#[inline]
pub(super) fn follower(records: &[Record], at: NodeId, outcome: Outcome) -> Option<Follower> {
    let record = &records[at.index()];
    let to = match record.then[outcome as usize] {
        _ if record.hooks.contains(Hooks::END) => return None,
        Then::Next => at.next(),
        Then::Leaf { to, clear } if clear.is_empty() => to,
        Then::Done(of_root) => return Some(Follower::End(of_root)),
        Then::Leaf { .. } | Then::Again { .. } | Then::Climb => return None,
    };
    is_bare(&records[to.index()]).then_some(Follower::Leaf(to))
}

/// The leaf with which an agent begins its root, if it is bare.
pub(crate) fn first_leaf<H: Host>(tree: &Tree<H>) -> Option<NodeId> {
    match tree.entry {
        Then::Leaf { to, .. } if tree.is_simple() && is_bare(&tree.records[to.index()]) => Some(to),
        _ => None,
    }
}

/// Whether a leaf needs no machine to start and to be updated: whether it is *bare*.
#[inline]
fn is_bare(record: &Record) -> bool {
    record.hooks & (Hooks::HOST | Hooks::START) == Hooks::HOST
}
