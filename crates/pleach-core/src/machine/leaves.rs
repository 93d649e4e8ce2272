//! Updates leaf after leaf, along the continuations that are computed at load.

use super::Machine;
use crate::clock::Moment;
use crate::index::NodeId;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{Hooks, Record, Then};
use crate::{Host, Outcome, Status};

/// Why a run of leaves stopped.
pub(super) enum Stopped {
    /// The leaf gave Running.
    Running,
    /// The stack's bottom ended.
    Done(Outcome),
    /// The leaf ended, and its parent has to be told. The leaf's own end is still to come.
    Climb(Outcome),
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Updates leaves one after the other, as long as continuations lead from one to the next.
    #[inline]
    pub(super) fn run_leaves(&mut self, mut at: NodeId) -> (NodeId, Stopped) {
        let records = self.records;
        loop {
            let mut record = &records[at.index()];
            let status = if !T::ENABLED && record.streak > 0 {
                let (last, status) = self.streak(at, record);
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
                Status::Running => return (at, Stopped::Running),
                Status::Success => Outcome::Success,
                Status::Failure => Outcome::Failure,
            };
            match self.follow(at, record, outcome) {
                Ok(next) => at = next,
                Err(stopped) => return (at, stopped),
            }
        }
    }

    /// Updates a streak of leaves, up to the first that does not succeed or the last of the streak.
    #[inline]
    fn streak(&mut self, from: NodeId, record: &Record) -> (NodeId, Status) {
        let first = record.leaf.index();
        self.cx.agent.node = from;
        for leaf in &self.leaves[first..first + usize::from(record.streak)] {
            self.cx.agent.sleep = Moment::START;
            let status = leaf.update(&mut self.states, &mut self.cx);
            if status != Status::Success {
                return (self.cx.agent.node, status);
            }
            self.cx.agent.node = self.cx.agent.node.next();
        }
        self.cx.agent.sleep = Moment::START;
        let last = self.leaves[first + usize::from(record.streak)].update(&mut self.states, &mut self.cx);
        (self.cx.agent.node, last)
    }

    /// What follows a leaf that ended: the next leaf, which has been started, or why the run
    /// stops.
    #[inline(always)]
    pub(super) fn follow(&mut self, at: NodeId, record: &Record, outcome: Outcome) -> Result<NodeId, Stopped> {
        if T::ENABLED {
            return Err(Stopped::Climb(outcome));
        }
        let then = record.then[outcome as usize];
        // The likely case comes first, as a test: a jump table is an indirect jump, which costs
        // more.
        if then == Then::Next {
            self.end_leaf(at, record, outcome);
            self.start_leaf(at.next(), &self.records[at.next().index()]);
            return Ok(at.next());
        }
        self.follow_far(at, record, then, outcome)
    }

    #[inline(always)]
    fn follow_far(&mut self, at: NodeId, record: &Record, then: Then, outcome: Outcome) -> Result<NodeId, Stopped> {
        if let Then::Leaf { to, clear } = then {
            self.end_leaf(at, record, outcome);
            self.columns.clear_monitors(self.cx.agent.at, clear);
            self.start_leaf(to, &self.records[to.index()]);
            Ok(to)
        } else if let Then::Done(of_bottom) = then {
            self.end_leaf(at, record, outcome);
            Err(Stopped::Done(of_bottom))
        } else {
            Err(Stopped::Climb(outcome))
        }
    }

    /// Updates one leaf.
    pub(super) fn run_leaf(&mut self, at: NodeId) -> Stopped {
        let status = self.update_leaf(at, &self.records[at.index()]);
        self.trace(TraceEvent::Update(at, status));
        status.outcome().map_or(Stopped::Running, Stopped::Climb)
    }
}
