//! Reactive composites (SEMANTICS 7, 8.12, 8.37): the rerun of their earlier children, and when it
//! is left out. The composite's word of memory names the running child for which the last rerun was
//! quiet.

use super::Machine;
use crate::clock::Moment;
use crate::index::{MemoryOffset, NodeId, StackId, narrow};
use crate::trace::Tracer;
use crate::tree::record::Op;
use crate::{Host, Outcome, Reason, Tree};

/// The memory of a composite whose last rerun was quiet, while this child ran.
fn quiet_for(running: NodeId) -> u32 {
    u32::from(narrow(running.index())) + 1
}

impl<H: Host> Tree<H> {
    /// The running child of a node, if there is one. `tops` are those of an agent's stacks.
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
        self.observers.nodes.iter().filter_map(|&id| {
            let (Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot }) = self.rec(id).op else { return None };
            Some((self.rec(id).observers.from, slot?, quiet_for(self.running_child(id, tops)?)))
        })
    }
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Until when a rerun of the children left of the running child would do nothing, unless a key
    /// changes or an event comes (SEMANTICS 8.37): the next moment at which one of their cooldowns
    /// is over. [`Moment::START`] if it may do something. `None` if no child runs, and for nodes
    /// that are not reactive composites.
    pub(super) fn quiet_until(&self, id: NodeId) -> Option<Moment> {
        let (Op::ReactiveSequence { slot } | Op::ReactiveSelector { slot }) = self.tree.rec(id).op else { return None };
        let running = self.tree.running_child(id, self.columns.tops(self.cx.agent.at))?;
        Some(match slot {
            Some(slot) if self.is_quiet(id, running, slot) => self.next_cooled(id, running),
            // No child is left of it. Without a word, no key wakes the composite either.
            None if running == id.next() => Moment::NEVER,
            _ => Moment::START,
        })
    }

    /// Whether the last rerun was quiet while this child ran, and no key has changed since.
    #[inline]
    fn is_quiet(&self, id: NodeId, running: NodeId, slot: MemoryOffset) -> bool {
        let agent = self.cx.agent.at;
        self.columns.memory(agent)[slot.index()] == quiet_for(running)
            && !self.tree.rec(id).observers.from.is_in(self.cx.agent.dirty(agent))
    }

    /// When the first cooldown left of the running child is over. One that was over in the last
    /// turn has let its child start, which is not quiet, or was not reached.
    fn next_cooled(&self, id: NodeId, running: NodeId) -> Moment {
        let cooldowns = &self.tree.observers.cooldowns;
        let left = cooldowns.partition_point(|it| *it < id)..cooldowns.partition_point(|it| *it < running);
        let before = self.cx.agent.moment().before(self.cx.agent.span());
        let over = cooldowns[left].iter().map(|it| match self.tree.rec(*it).op {
            Op::Cooldown { slot, .. } => self.columns.moment(self.cx.agent.at, slot),
            _ => Moment::NEVER,
        });
        over.filter(|it| *it > before).min().unwrap_or(Moment::NEVER)
    }

    /// Whether the rerun can be skipped in this tick.
    #[inline]
    fn can_leave_out(&self, id: NodeId, running: NodeId, slot: MemoryOffset) -> bool {
        let call = &self.cx.agent.call;
        self.is_quiet(id, running, slot)
            && !self.asks_all()
            && !call.opened.has_events()
            && self.next_cooled(id, running) > self.cx.agent.moment()
    }

    /// Runs the children left of the running child of a reactive composite again, from the first
    /// one on.
    pub(super) fn react(&mut self, id: NodeId, stack: StackId, slot: Option<MemoryOffset>, decisive: Outcome) {
        let agent = self.cx.agent.at;
        let top = self.columns.top(agent, stack);
        let running = self.tree.child_towards(id, top);
        if let Some(slot) = slot {
            if self.can_leave_out(id, running, slot) {
                return;
            }
            // This comes before the reruns, so that a child that writes a key it reads is rerun
            // again.
            self.cx.agent.clear_dirty(agent, self.tree.rec(id).observers.from);
            *self.columns.word(agent, slot) = 0;
            self.loud = false;
        }
        let own = self.scratch.stack(stack);
        let held = (own.verdict, own.resume);
        let mut child = id.next();
        while child != running {
            let record = self.tree.rec(child);
            let own = self.scratch.stack(stack);
            (own.verdict, own.resume) = (None, NodeId::NONE);
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
        let own = self.scratch.stack(stack);
        (own.verdict, own.resume) = held;
        if let Some(slot) = slot.filter(|_| !self.loud) {
            *self.columns.word(agent, slot) = quiet_for(running);
        }
    }
}
