//! Updates leaf after leaf, along the continuations that are computed at load.

use super::Machine;
use crate::clock::Moment;
use crate::host::leaf::TreeLeaf;
use crate::host::leaf::states::LeafStates;
use crate::index::NodeId;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{Hooks, Record, Then};
use crate::{Context, Host, Outcome, Status};

/// Where a run of leaves stopped: at this leaf, which gave Running, or which ended and whose parent
/// has to be told; the leaf's own end is then still to come. If there is no leaf, the stack's
/// bottom ended. A pair of small values, as the compiler packs an enum with as much in it into one
/// word, bit by bit.
pub(super) type Stop = (NodeId, Option<Outcome>);

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Updates leaves one after the other, as long as continuations lead from one to the next.
    #[inline]
    pub(super) fn run_leaves(&mut self, mut at: NodeId) -> Stop {
        let records = self.records;
        loop {
            let mut record = &records[at.index()];
            let status = if !T::ENABLED && record.streak > 0 {
                let (last, status) = streak(self.leaves, &mut self.states, &mut self.cx, at, record);
                (at, record) = (last, &records[last.index()]);
                status
            } else if record.hooks.contains(Hooks::HOST) {
                self.cx.agent.node = at;
                self.cx.agent.sleep = Moment::START;
                self.leaves[record.leaf.index()].update(&mut self.states, &mut self.cx)
            } else {
                self.update_other(at, record)
            };
            self.trace(TraceEvent::Update(at, status));
            let outcome = match status {
                Status::Running => return (at, None),
                Status::Success => Outcome::Success,
                Status::Failure => Outcome::Failure,
            };
            let ended;
            (at, ended) = self.follow(at, record, outcome);
            if ended.is_some() {
                return (at, ended);
            }
        }
    }

    /// What follows a leaf that ended: the next leaf, which has been started; or, with an outcome,
    /// where the run stops.
    #[inline(always)]
    pub(super) fn follow(&mut self, at: NodeId, record: &Record, outcome: Outcome) -> Stop {
        if T::ENABLED {
            return (at, Some(outcome));
        }
        // Tests, the likely ones first: a jump table is an indirect jump, which costs more.
        let then = record.then[outcome as usize];
        if then == Then::Next {
            self.end_leaf(at, record, outcome);
            self.start_leaf(at.next(), &self.records[at.next().index()]);
            (at.next(), None)
        } else if let Then::Leaf { to, clear } = then {
            self.end_leaf(at, record, outcome);
            self.columns.clear_monitors(self.cx.agent.at, clear);
            self.start_leaf(to, &self.records[to.index()]);
            (to, None)
        } else if let Then::Done(of_bottom) = then {
            self.end_leaf(at, record, outcome);
            (NodeId::NONE, Some(of_bottom))
        } else {
            (at, Some(outcome))
        }
    }

    /// Updates one leaf.
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
