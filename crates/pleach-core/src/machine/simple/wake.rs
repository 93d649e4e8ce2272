//! The ticks of sleepers whose `Wait` is over. Most of them come to another `Wait`, behind a few
//! actions: then all that has to be noted of them is when they wake again.

use super::Simple;
use crate::clock::Moment;
use crate::index::{MemoryOffset, NodeId};
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::amount::NodeSpan;
use crate::tree::record::{Hooks, Op, Record, Then};
use crate::{Host, Outcome, Status};

/// How a tick ended.
pub(crate) enum Woken {
    /// The agent waits again, until this moment of its own time, and has nothing else to do.
    Waits(Moment),
    /// The tick ended in another way. If the root ended, this says how.
    Other(Option<Outcome>),
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Whether the tick of a sleeper begins with the end of the `Wait` on top. The sleeper's flags
    /// say nothing else than that it sleeps.
    ///
    /// A sleeper wakes at the deadline of its `Wait`, before that if the pass has something to do,
    /// or because it was woken from outside, which its life says. So in the first case, and if the
    /// pass has nothing to do, the `Wait` is over.
    #[inline(always)]
    pub(crate) fn wait_is_over(&self, at: Row) -> bool {
        let machine = &*self.machine;
        let top = &machine.records[machine.columns.only_top(at).index()];
        let life = &machine.cx.agent.rows().lives[at.index()];
        matches!(top.op, Op::Wait { .. })
            && life.wake > Moment::START
            && life.wake <= life.time.now(machine.cx.agent.call.now)
            && (top.mask == 0 || self.is_silent(top, at))
    }

    /// Whether no observer that could act while this node is on top may have anything to do. The
    /// agent has no mail.
    #[inline]
    fn is_silent(&self, top: &Record, at: Row) -> bool {
        top.mask & self.changed(at) == 0 && self.can_sleep(top, at)
    }

    /// Whether an agent with this node on top needs no pass before a key changes or an event comes.
    #[inline(always)]
    pub(super) fn can_sleep(&self, top: &Record, at: Row) -> bool {
        top.mask == 0 || self.watched(top, at) & self.polled_without_mail(at) == 0
    }

    /// The tick of the machine's agent, whose `Wait` is over.
    #[inline]
    pub(crate) fn tick_woken(&mut self) -> Woken {
        let machine = &mut *self.machine;
        let records = machine.records;
        let agent = machine.cx.agent.at;
        let mut at = machine.columns.only_top(agent);
        let (mut old, mut outcome) = (at, Outcome::Success);
        machine.wake = Moment::NEVER;
        loop {
            let record = &records[at.index()];
            let (to, clear) = match record.then[outcome as usize] {
                Then::Next => (at.next(), None),
                Then::Leaf { to, clear } => (to, Some(clear)),
                Then::Again { repeat, to } if old > repeat => {
                    old = repeat;
                    (to, Some(records[repeat.next().index()].observers))
                }
                Then::Again { .. } | Then::Done(_) | Then::Climb => {
                    return Woken::Other(self.tick_after_end_of(at, old, outcome));
                }
            };
            machine.end_leaf(at, record, outcome);
            if let Some(clear) = clear {
                machine.columns.clear_monitors(agent, clear);
            }
            at = to;
            let record = &records[at.index()];
            if let Op::Wait { seconds, slot } = record.op {
                let NodeSpan::Fixed(span) = seconds else { return self.wait_anew(at, old, slot, seconds) };
                let now = machine.cx.agent.now();
                let until = now + span;
                machine.columns.put_moment(agent, slot, until);
                if until <= now {
                    return Woken::Other(self.run_from(at, old));
                }
                machine.columns.put_only_top(agent, at);
                machine.wake = until;
                if self.can_sleep(record, agent) {
                    return Woken::Waits(until);
                }
                return Woken::Other(None);
            }
            machine.start_leaf(at, record);
            if !record.hooks.contains(Hooks::HOST) {
                return Woken::Other(self.run_from(at, old));
            }
            machine.cx.agent.node = at;
            machine.cx.agent.sleep = Moment::START;
            outcome = match machine.leaves[record.leaf.index()].update(&mut machine.states, &mut machine.cx) {
                Status::Success => Outcome::Success,
                Status::Failure => Outcome::Failure,
                Status::Running => return Woken::Other(self.finish_leaves((at, None), old)),
            };
        }
    }

    /// Begins a `Wait` at `at` whose span has to be found. A function of its own, so that a literal
    /// pays nothing for it.
    #[inline(never)]
    fn wait_anew(&mut self, at: NodeId, old: NodeId, slot: MemoryOffset, seconds: NodeSpan) -> Woken {
        let machine = &mut *self.machine;
        let agent = machine.cx.agent.at;
        let now = machine.cx.agent.now();
        let until = now + machine.span(seconds);
        machine.columns.put_moment(agent, slot, until);
        if until <= now {
            return Woken::Other(self.run_from(at, old));
        }
        machine.columns.put_only_top(agent, at);
        machine.wake = until;
        if self.can_sleep(self.machine.tree.rec(at), agent) { Woken::Waits(until) } else { Woken::Other(None) }
    }
}
