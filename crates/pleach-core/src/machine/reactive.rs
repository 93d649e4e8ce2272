//! Reactive composites (SEMANTICS 7, 8.12, 8.37): the rerun of their earlier children, and when it is
//! left out. The composite's word of memory names the running child for which the last rerun was
//! quiet.

use super::Machine;
use crate::clock::Moment;
use crate::index::{MemoryOffset, NodeId, StackId, narrow};
use crate::trace::Tracer;
use crate::tree::record::{Op, Record};
use crate::{Host, Outcome, Reason, Tree};

/// The memory of a composite whose last rerun was quiet, while this child ran.
fn quiet_for(running: NodeId) -> u32 {
    u32::from(narrow(running.index())) + 1
}

/// The word of a reactive composite.
fn word_of(record: &Record) -> Option<MemoryOffset> {
    match record.op {
        Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot } => Some(slot),
        _ => None,
    }
}

impl<H: Host> Tree<H> {
    /// The child of a node that runs, if one does. `tops`: those of the stacks of an agent.
    fn running_child(&self, id: NodeId, tops: &[NodeId]) -> Option<NodeId> {
        let top = tops[self.rec(id).stack.index()];
        (top != NodeId::NONE && top != id && self.contains(id, top)).then(|| self.child_towards(id, top))
    }

    /// The active reactive composites, with what their words hold if their last rerun was quiet.
    #[cfg(feature = "save")]
    pub(crate) fn reactive<'t>(
        &'t self,
        tops: &'t [NodeId],
    ) -> impl Iterator<Item = (crate::index::ObserverId, MemoryOffset, u32)> + 't {
        let reactive = self.observers.nodes.iter().filter_map(|&id| Some((id, word_of(self.rec(id))?)));
        reactive.filter_map(move |(id, slot)| {
            Some((self.rec(id).observers.from, slot, quiet_for(self.running_child(id, tops)?)))
        })
    }
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Until when a rerun of the children left of the running child would do nothing, unless a key
    /// changes or an event comes (SEMANTICS 8.37): the next moment at which one of their cooldowns
    /// is over. [`Moment::START`] if it may do something. `None` if no child runs.
    pub(super) fn quiet_until(&self, id: NodeId) -> Option<Moment> {
        let agent = self.cx.agent.at;
        let record = self.tree.rec(id);
        let slot = word_of(record)?;
        let running = self.tree.running_child(id, self.columns.tops(agent))?;
        let is_quiet = self.columns.memory(agent)[slot.index()] == quiet_for(running);
        if !is_quiet || record.observers.from.is_in(self.cx.agent.dirty(agent)) {
            return Some(Moment::START);
        }
        // A cooldown that was over in the last turn has let its child start, which is not quiet, or
        // was not reached.
        let before = self.cx.agent.moment().before(self.cx.agent.span());
        let cooldowns = &self.tree.observers.cooldowns;
        let left = cooldowns.partition_point(|it| *it < id)..cooldowns.partition_point(|it| *it < running);
        let over = cooldowns[left].iter().map(|it| match self.tree.rec(*it).op {
            Op::Cooldown { slot, .. } => self.columns.moment(agent, slot),
            _ => Moment::NEVER,
        });
        Some(over.filter(|it| *it > before).min().unwrap_or(Moment::NEVER))
    }

    /// Runs the children left of the running child of a reactive composite again, from the first
    /// on.
    pub(super) fn react(&mut self, id: NodeId, stack: StackId, slot: MemoryOffset, decisive: Outcome) {
        let agent = self.cx.agent.at;
        let call = &self.cx.agent.call;
        let may_leave_out = !call.every_tick && !call.opened.has_events();
        if may_leave_out && self.quiet_until(id).is_some_and(|it| it > self.cx.agent.moment()) {
            return;
        }
        let top = self.columns.top(agent, stack);
        let running = self.tree.child_towards(id, top);
        // These come before the reruns, so that what writes a key that it reads is rerun again.
        self.cx.agent.clear_dirty(agent, self.tree.rec(id).observers.from);
        *self.columns.word(agent, slot) = 0;
        self.loud = false;
        let held = (self.scratch.stack(stack).verdict, self.scratch.stack(stack).resume);
        let mut child = id.next();
        while child != running {
            let record = self.tree.rec(child);
            self.scratch.stack(stack).verdict = None;
            self.scratch.stack(stack).resume = NodeId::NONE;
            record.observers.fill(&mut self.scratch.lists_mut().restarted[..self.tree.observers.words]);
            match self.rerun(child) {
                None => {
                    let newcomer = self.columns.top(agent, stack);
                    self.columns.put_top(agent, stack, top);
                    self.end_subtree(running, Reason::Abort);
                    self.columns.put_top(agent, stack, newcomer);
                    self.scratch.stack(stack).done = true;
                    return;
                }
                Some(outcome) => {
                    self.columns.put_top(agent, stack, top);
                    if outcome == decisive {
                        self.end_subtree(running, Reason::Abort);
                        self.scratch.stack(stack).verdict = Some(outcome);
                        return;
                    }
                }
            }
            child = record.end;
        }
        (self.scratch.stack(stack).verdict, self.scratch.stack(stack).resume) = held;
        if !self.loud {
            *self.columns.word(agent, slot) = quiet_for(running);
        }
    }
}
