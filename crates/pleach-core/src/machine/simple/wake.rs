//! The ticks of sleepers whose `Wait` is over. Most of them reach another `Wait`, after a few
//! actions: then only the time of their next wake-up has to be noted.

use super::Simple;
use crate::clock::Moment;
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::record::{Hooks, Op, Record};
use crate::{Host, Outcome, Status};

/// How the tick of a sleeper that woke ended.
pub(crate) enum WakeResult {
    /// The agent waits again, until this moment of its own time, and has nothing else to do.
    Waits(Moment),
    /// The tick ended in another way. If the root ended, this says how.
    Other(Option<Outcome>),
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Whether the tick of a sleeper begins with the end of the `Wait` on top. The sleeper's flags
    /// only say that it sleeps.
    ///
    /// A sleeper wakes at the deadline of its `Wait`, earlier if the pass has something to do, or
    /// because it was woken from outside, which its life records. So in the first case, and if the
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
    pub(crate) fn tick_woken(&mut self) -> WakeResult {
        let (records, agent) = (self.machine.records, self.machine.cx.agent.at);
        let mut at = self.machine.columns.only_top(agent);
        let (mut old, mut outcome) = (at, Outcome::Success);
        self.machine.wake = Moment::NEVER;
        loop {
            let machine = &mut *self.machine;
            at = match machine.follow(at, &records[at.index()], outcome, &mut old) {
                Ok(next) => next,
                Err(stop) => return WakeResult::Other(self.finish_leaves(stop, old)),
            };
            let record = &records[at.index()];
            if let Op::Wait { seconds, slot } = record.op
                && !record.resets
            {
                let now = machine.cx.agent.moment();
                let until = now + machine.span(seconds);
                machine.columns.put_moment(agent, slot, until);
                if until > now && self.can_sleep(record, agent) {
                    self.machine.columns.put_only_top(agent, at);
                    return WakeResult::Waits(until);
                }
                return WakeResult::Other(self.run_from(at, old));
            }
            machine.start_leaf(at, record);
            if !record.hooks.contains(Hooks::HOST) {
                return WakeResult::Other(self.run_from(at, old));
            }
            let machine = &mut *self.machine;
            outcome = match machine.update_host(record.leaf, at) {
                Status::Success => Outcome::Success,
                Status::Failure => Outcome::Failure,
                Status::Running => return WakeResult::Other(self.finish_leaves((at, None), old)),
            };
        }
    }
}
