//! The turn of an agent, in a chunk's columns or in a brain: what is checked before its tick, and
//! what is noted after it in columns that no machine knows.

use super::Machine;
use super::simple::fast_tick::Progress;
use crate::clock::Moment;
use crate::event::Mail;
use crate::life::{Flags, root_ended};
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Host, Outcome};

/// What ticks count.
#[derive(Clone, Copy)]
pub(crate) enum Counted {
    Ticked,
    Ended,
    /// It was asleep, and is ticked.
    Woken,
    /// It is looked at and left alone.
    PassedOver,
}

/// What ticks read and write about agents beside the machine. Implementors say where it is.
pub(crate) trait Notes {
    /// An agent's flags; and how its root ended last, as flags.
    fn flags_and_last(&mut self, at: Row) -> (&mut Flags, &mut Flags);
    /// Whether agents may fall asleep.
    fn may_sleep(&self) -> bool;
    /// Ticks need not look at an agent before this time of the forest, if there is one.
    fn look_away(&mut self, at: Row, until: Option<Moment>, now: Moment);
    /// Hands over an agent's waiting mail.
    fn open(&mut self, at: Row, opened: &mut Mail);
    /// Counts agents.
    fn count(&mut self, what: Counted, agents: u32);

    #[inline(always)]
    fn flags(&mut self, at: Row) -> &mut Flags {
        self.flags_and_last(at).0
    }

    /// The turn of a single agent, whose fast tick got this far. Returns how its root ended, if it
    /// ended.
    #[inline(always)]
    fn tick_alone<H: Host, T: Tracer>(
        &mut self,
        machine: &mut Machine<'_, '_, H, T>,
        at: Row,
        progress: Progress,
    ) -> Option<Outcome> {
        if !self.prepare(machine, at) {
            return None;
        }
        let fresh = self.flags(at).contains(Flags::FRESH);
        let ended = match machine.simple() {
            Some(mut simple) if progress != Progress::NotStarted => simple.tick_from(progress),
            _ => machine.tick(fresh),
        };
        machine.cx.agent.call.opened.clear();
        self.store(machine, ended);
        ended
    }

    /// Makes an agent ready for its tick, and returns whether to tick it at all.
    #[inline(always)]
    fn prepare<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>, at: Row) -> bool {
        let before = *self.flags(at);
        let now = machine.cx.agent.call.now;
        if !before.contains(Flags::ENABLED) || before.contains(Flags::PAUSED) {
            self.look_away(at, None, now);
            // Without this, every tick would look at the agent. An agent that resumes starts from
            // the beginning, or looks at everything.
            machine.cx.agent.changes_mut().clear_agent(at);
            self.count(Counted::PassedOver, 1);
            return false;
        }
        if before.contains(Flags::ASLEEP) {
            let agent = &machine.cx.agent;
            let wakes = agent.rows().lives[at.index()].wakes();
            if now < wakes
                && !before.contains(Flags::MAIL)
                && (agent.dirty(at).iter().all(|&it| it == 0) || !machine.is_due(at))
            {
                self.look_away(at, Some(wakes), now);
                machine.cx.agent.changes_mut().clear_agent(at);
                self.count(Counted::PassedOver, 1);
                return false;
            }
            self.count(Counted::Woken, 1);
        }
        if before.contains(Flags::MAIL) {
            self.open(at, &mut machine.cx.agent.call.opened);
            machine.load_starts(before);
        }
        machine.note_told(at);
        machine.cx.agent.at = at;
        true
    }

    /// The tick of the machine's agent is over. `ended` says how its root ended, if it ended.
    #[inline(always)]
    fn store<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>, ended: Option<Outcome>) {
        let (at, forest_now) = (machine.cx.agent.at, machine.cx.agent.call.now);
        *self.flags(at) -= Flags::FRESH | Flags::ASLEEP | Flags::MAIL;
        if let Some(outcome) = ended {
            if self.note_end(at, outcome) {
                if !machine.tree.tokens.is_empty() {
                    machine.stop_waiting();
                }
                let rows = machine.cx.agent.rows_mut();
                rows.lives[at.index()].time.turn(forest_now);
                if let Some(turns) = &mut rows.turns {
                    turns.stand_in_turn(at);
                }
                self.look_away(at, None, forest_now);
            }
        } else if self.may_sleep() && machine.wake > Moment::START {
            // Only the agents that need it read their `Life`, as it may have to come from memory.
            let now = machine.cx.agent.moment();
            let next = if machine.wake > now { machine.wake.min(machine.next_due()) } else { Moment::START };
            if next > now {
                *self.flags(at) |= Flags::ASLEEP;
                self.sleep_until(machine, next);
            }
        }
        machine.cx.agent.refresh_dirty_agent(at);
        self.count(Counted::Ticked, 1);
    }

    /// Notes how an agent's root ended. Returns whether the agent stops.
    #[inline(always)]
    fn note_end(&mut self, at: Row, outcome: Outcome) -> bool {
        let (flags, last) = self.flags_and_last(at);
        let stops = root_ended(flags, last, outcome);
        self.count(Counted::Ended, 1);
        stops
    }

    /// The machine's agent, whose flags say that it is asleep, sleeps until this moment of its own
    /// time.
    #[inline(always)]
    fn sleep_until<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>, until: Moment) {
        let (at, now) = (machine.cx.agent.at, machine.cx.agent.call.now);
        let life = &mut machine.cx.agent.rows_mut().lives[at.index()];
        life.wake = until;
        self.look_away(at, Some(life.wakes()), now);
    }

    /// A leaf of the machine's agent panicked, and may have left something for the next agent.
    fn mark_panicked<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>) {
        let agent = &mut machine.cx.agent;
        let at = agent.at;
        if T::INPUTS
            && let Some(inputs) = machine.tracer.inputs()
        {
            inputs.panicked(at);
        }
        self.flags(at).panicked();
        if let Some(turns) = &mut agent.rows_mut().turns {
            turns.stand_in_turn(at);
        }
        agent.call.opened.clear();
        agent.sleep = Moment::START;
        machine.scratch.reset(machine.tree.bottoms.len());
        if !machine.tree.tokens.is_empty() {
            machine.lose_tokens();
        }
    }
}
