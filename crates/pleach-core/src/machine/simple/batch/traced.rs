//! Batches with a tracer. The same leaves are called in the same order as without one. If the
//! tracer wants an agent of a batch, the batch's leaf is called for one agent after the other, and
//! each line of a trace comes right after the event. An agent's lines are the same as when it is
//! ticked alone.
//!
//! Without a tracer none of this is compiled.

use std::ops::Range;

use super::super::Simple;
use super::{Batch, Notes, Sweep};
use crate::bits::{self, Bits, each, has, pop, within};
use crate::clock::Moment;
use crate::host::leaf::Answers;
use crate::index::{LeafId, ObserverId};
use crate::row::Row;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::Op;
use crate::{Host, NodeId, Outcome, Status};

/// What a sweep knows about its agents for their traces.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The agents that the tracer wants.
    wanted: Bits,
    /// Those of them whose `Tick` has not been traced yet.
    silent: Bits,
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Notes which of the due agents of a range the tracer wants.
    #[inline(always)]
    pub(super) fn note_wanted(&mut self, range: &Range<Row>, due: &Bits) {
        if T::ENABLED {
            let mut wanted = std::array::from_fn(|word| due[word] & within(word, range));
            for at in each(&wanted.clone()) {
                bits::put(&mut wanted, at, self.machine.tracer.wants(self.machine.cx.agent.ids[at.index()]));
            }
            self.machine.scratch.batches().traced = Wanted { wanted, silent: wanted };
        }
    }

    /// Whether the tracer wants one of these agents.
    #[inline(always)]
    pub(super) fn wants_any(&mut self, agents: &Bits) -> bool {
        T::ENABLED && {
            let wanted = &self.machine.scratch.batches().traced.wanted;
            wanted.iter().zip(agents).any(|(wanted, agents)| wanted & agents != 0)
        }
    }

    /// Traces the beginning of the machine's agent's tick, unless that has been done. Returns
    /// whether it did.
    #[inline(always)]
    pub(super) fn trace_tick(&mut self) -> bool {
        if !T::ENABLED {
            return false;
        }
        let at = self.machine.cx.agent.at;
        let silent = &mut self.machine.scratch.batches().traced.silent;
        if !has(silent, at) {
            return false;
        }
        bits::remove(silent, at);
        self.machine.trace(TraceEvent::Tick);
        true
    }

    /// As [`TreeLeaf::update_batch`], for a leaf at this node.
    ///
    /// [`TreeLeaf::update_batch`]: crate::host::leaf::TreeLeaf::update_batch
    pub(super) fn update_each(&mut self, leaf: LeafId, node: NodeId) -> Option<Status> {
        for word in 0..Bits::default().len() {
            while let Some(at) = pop(word, &mut self.machine.scratch.batches().current.to_do[word]) {
                self.machine.cx.agent.at = at;
                self.trace_before_update(node);
                let machine = &mut *self.machine;
                let status = machine.leaves[leaf.index()].update(&mut machine.states, &mut machine.cx);
                machine.trace(TraceEvent::Update(node, status));
                if machine.cx.agent.sleep > Moment::START {
                    return Some(status);
                }
                if status == Status::Running {
                    machine.trace(TraceEvent::TickEnd);
                }
                let Batch { succeeded, failed, .. } = &mut machine.scratch.batches().current;
                match status {
                    Status::Running => {}
                    Status::Success => bits::add(succeeded, at),
                    Status::Failure => bits::add(failed, at),
                }
            }
        }
        None
    }

    /// Traces what comes before the first update of the machine's agent: the starts of a fresh
    /// agent, or the rechecks that were left out.
    fn trace_before_update(&mut self, node: NodeId) {
        if !self.trace_tick() {
            return;
        }
        let at = self.machine.cx.agent.at;
        if has(&self.machine.scratch.batches().moved, at) {
            self.trace_starts(NodeId::ROOT, node);
            return;
        }
        let record = &self.machine.records[node.index()];
        if record.mask & self.machine.watch.polled == 0 {
            return;
        }
        let mut observers = self.watched(record, at) & self.machine.watch.polled;
        while observers != 0 {
            self.trace_failing(ObserverId::lowest(0, observers));
            observers &= observers - 1;
        }
    }

    /// A condition that asks for an event is not asked if there is none and was none before. Its
    /// recheck is traced nevertheless.
    fn trace_failing(&mut self, observer: ObserverId) {
        debug_assert!(self.machine.watch.events & observer.bit() != 0, "the others are asked");
        let node = self.machine.tree.observers.nodes[observer.index()];
        self.machine.trace(TraceEvent::Recheck(node, Status::Failure));
    }

    /// The same for the agents of a batch that are not asked.
    #[inline(always)]
    pub(super) fn trace_unasked(&mut self, observer: ObserverId, batch: &Bits, asked: &Bits) {
        if T::ENABLED && self.machine.watch.events & observer.bit() != 0 {
            let wanted = &self.machine.scratch.batches().traced.wanted;
            let unasked: Bits = std::array::from_fn(|word| batch[word] & !asked[word] & wanted[word]);
            for at in each(&unasked) {
                self.machine.cx.agent.at = at;
                self.trace_tick();
                self.trace_failing(observer);
            }
        }
    }

    /// As [`TreeLeaf::ask_batch`], for a leaf at this node.
    ///
    /// [`TreeLeaf::ask_batch`]: crate::host::leaf::TreeLeaf::ask_batch
    pub(super) fn ask_each(&mut self, leaf: LeafId, node: NodeId, batch: &Bits) -> Answers {
        let mut answers = Answers::default();
        for at in each(batch) {
            self.machine.cx.agent.at = at;
            self.trace_tick();
            let machine = &mut *self.machine;
            let status = machine.leaves[leaf.index()].update(&mut machine.states, &mut machine.cx);
            machine.trace(TraceEvent::Recheck(node, status));
            bits::put(&mut answers.yes, at, status == Status::Success);
            bits::put(&mut answers.neither, at, status == Status::Running);
        }
        answers
    }

    /// Traces the starts of the nodes from one down to a leaf, each the first child of the one
    /// before.
    fn trace_starts(&mut self, from: NodeId, to: NodeId) {
        let mut at = from;
        self.machine.trace(TraceEvent::Start(at));
        while at < to {
            at = at.next();
            self.machine.trace(TraceEvent::Start(at));
        }
    }

    /// Traces the ends and starts between a leaf and the one that follows it at once, according to
    /// [`Then`](crate::tree::record::Then).
    fn trace_way(&mut self, leaf: NodeId, mut outcome: Outcome, to: NodeId) {
        let records = self.machine.records;
        let mut at = leaf;
        loop {
            self.machine.trace(TraceEvent::End(at, outcome));
            let record = &records[at.index()];
            let parent = &records[record.parent.index()];
            if to < parent.end {
                self.trace_starts(record.end, to);
                return;
            }
            outcome = match parent.op {
                Op::Inverter => outcome.inverted(),
                Op::ForceSuccess => Outcome::Success,
                Op::ForceFailure => Outcome::Failure,
                // No other node without memory changes it.
                _ => outcome,
            };
            at = record.parent;
        }
    }
}

impl<H: Host, T: Tracer, S: Notes> Sweep<'_, '_, '_, H, T, S> {
    /// The agents that are done go on to the next action, each after its trace of that.
    pub(super) fn trace_together(&mut self, node: NodeId, outcome: Outcome, next: LeafId) {
        let to = self.simple.machine.tree.leaf_nodes[next.index()];
        for word in 0..Bits::default().len() {
            while let Some(at) = pop(word, &mut self.done(outcome)[word]) {
                self.simple.machine.cx.agent.at = at;
                self.simple.trace_way(node, outcome, to);
                let batches = self.simple.machine.scratch.batches();
                bits::add(&mut batches.moved, at);
                batches.put(next, word, at.bit());
            }
        }
    }
}
