//! What ticks note of agents in the columns that no machine knows.

use super::super::TickReport;
use super::super::awake::Awake;
use super::super::mail::Inbox;
use crate::clock::Moment;
use crate::life::Flags;
use crate::machine::Machine;
use crate::machine::simple::batch::Store;
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Host, Outcome};

/// What a tick reads and writes of a chunk's agents beside the machine.
pub(super) struct Notes<'m> {
    pub(super) flags: &'m mut [Flags],
    /// How roots ended last, as flags.
    pub(super) last: &'m mut [Flags],
    pub(super) awake: Awake<'m>,
    pub(super) inbox: Option<&'m mut Inbox>,
    pub(super) report: &'m mut TickReport,
    /// Counts the agents that are looked at and not ticked.
    pub(super) passed_over: &'m mut u64,
    /// Agents may fall asleep.
    pub(super) sleeps: bool,
}

impl Notes<'_> {
    /// Makes an agent ready for its tick, and tells whether it is to be ticked at all.
    #[inline(always)]
    pub(super) fn prepare<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>, at: Row) -> bool {
        let before = self.flags[at.index()];
        if !before.contains(Flags::ENABLED) || before.contains(Flags::PAUSED) {
            self.awake.clear(at);
            // Without this, every tick would look at the agent. An agent that goes on begins anew,
            // or looks at everything.
            machine.cx.agent.changes_mut().clear_agent(at);
            *self.passed_over += 1;
            return false;
        }
        if before.contains(Flags::ASLEEP) {
            let agent = &machine.cx.agent;
            let (now, wakes) = (agent.call.now, agent.rows().lives[at.index()].wakes());
            if now < wakes
                && !before.contains(Flags::MAIL)
                && (agent.dirty(at).iter().all(|&it| it == 0) || !machine.is_due(at))
            {
                self.awake.sleep(at, wakes, now);
                machine.cx.agent.changes_mut().clear_agent(at);
                *self.passed_over += 1;
                return false;
            }
            self.report.asleep -= 1;
        }
        if before.contains(Flags::MAIL)
            && let Some(inbox) = &mut self.inbox
        {
            inbox.open(at, &mut machine.cx.agent.call.opened);
            machine.load_starts(before);
        }
        machine.cx.agent.at = at;
        true
    }
}

impl<H: Host, T: Tracer> Store<H, T> for Notes<'_> {
    fn flags(&mut self) -> &mut [Flags] {
        self.flags
    }

    fn add_updated(&mut self, agents: u32) {
        self.report.ticked += u64::from(agents);
    }

    #[inline(always)]
    fn begin_anew(&mut self, at: Row, ended: Outcome) {
        let after = self.flags[at.index()] - (Flags::ASLEEP | Flags::MAIL);
        self.flags[at.index()] = after | Flags::ENDED | Flags::FRESH;
        self.last[at.index()] = Flags::of_end(ended);
        self.report.ended += 1;
        self.report.ticked += 1;
    }

    #[inline(always)]
    fn store(&mut self, machine: &mut Machine<'_, '_, H, T>, ended: Option<Outcome>) {
        let awake = &mut self.awake;
        let at = machine.cx.agent.at;
        let mut after = self.flags[at.index()] - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
        let forest_now = machine.cx.agent.call.now;
        // Only the agents that need it read their `Life`, as it may have to come from memory.
        let life = &mut machine.cx.agent.rows_mut().lives[at.index()];
        if let Some(outcome) = ended {
            self.last[at.index()] = Flags::of_end(outcome);
            self.report.ended += 1;
            let stops = after.contains(Flags::STOPS);
            after |= Flags::ENDED;
            after.set(Flags::FRESH, !stops);
            after.set(Flags::ENABLED, !stops);
            if stops {
                life.time.turn(forest_now);
                if let Some(turns) = &mut machine.cx.agent.rows_mut().turns {
                    turns.stand_in_turn(at);
                }
                awake.clear(at);
            }
        } else if self.sleeps && machine.wake > Moment::START {
            let now = life.time.now(forest_now);
            let next = if machine.wake > now { machine.wake.min(machine.next_due()) } else { Moment::START };
            if next > now {
                after |= Flags::ASLEEP;
                let life = &mut machine.cx.agent.rows_mut().lives[at.index()];
                life.wake = next;
                awake.sleep(at, life.wakes(), forest_now);
            }
        }
        machine.cx.agent.refresh_dirty_agent(at);
        self.flags[at.index()] = after;
        self.report.ticked += 1;
    }
}
