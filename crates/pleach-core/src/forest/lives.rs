//! The life of an agent, whether it is a row of a chunk or a brain: it is enabled and disabled, it
//! pauses and resumes, and hears events.

use super::panics::Panics;
use super::parts::{ForestParts, Shape};
#[cfg(feature = "save")]
use crate::NodeId;
use crate::clock::Moment;
use crate::event::News;
use crate::index::LeafId;
use crate::life::{Flags, Life, stands};
use crate::machine::Machine;
use crate::machine::carry::{Carry, Cuts};
use crate::request::Request;
use crate::row::Row;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Event, Host, Reason};

/// Agents, and everything that a life changes in them.
pub(crate) trait Lives<H: Host> {
    fn flags(&mut self, row: Row) -> &mut Flags;
    fn life(&mut self, row: Row) -> &mut Life;
    /// Set if any agent had no turn in some frame.
    fn turns_kept(&mut self) -> Option<&mut Turns>;
    /// The next tick looks at this agent.
    fn mark(&mut self, row: Row);
    /// Clears the stacks, the monitors and the node memory of an agent, without a callback.
    fn wipe(&mut self, row: Row);
    /// Notes whether any key that an observer of the agent reads has changed.
    fn refresh_dirty(&mut self, row: Row);
    /// Adds an event to an agent's mail.
    fn put_mail(&mut self, to: Row, news: News);
    /// Throws an agent's mail away.
    fn forget_mail(&mut self, row: Row);
    /// A machine set to one agent.
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        row: Row,
    ) -> Machine<'m, 'h, H, T>;

    /// Puts an event into an agent's mail. An agent that is off hears nothing (SEMANTICS 8.20).
    fn deliver(&mut self, to: Row, event: Event) {
        self.hand(to, News::Event(event));
    }

    /// The same for any news for an agent.
    fn hand(&mut self, to: Row, news: News) {
        if self.flags(to).contains(Flags::ENABLED) {
            self.put_mail(to, news);
            *self.flags(to) |= Flags::MAIL;
            self.mark(to);
        }
    }

    /// Throws an agent's mail away, if it has any.
    fn clear_mail(&mut self, row: Row) {
        if self.flags(row).contains(Flags::MAIL) {
            *self.flags(row) -= Flags::MAIL;
            self.forget_mail(row);
        }
    }

    /// Calls leaves of an agent outside of its turn. During the call the agent counts as panicked.
    /// If a leaf panics, it stays so, and what waits for it is thrown away (SEMANTICS 8.6).
    fn call<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        call: impl FnOnce(&mut Machine<'_, '_, H, T>),
    ) -> Panics {
        let kept = *self.flags(row) & Flags::KEPT;
        *self.flags(row) = kept | Flags::PANICKED;
        let mut panics = Panics::default();
        if panics.catch(|| call(&mut self.machine(shape, host, parts, row))) {
            if !shape.tree.tokens.is_empty() {
                self.machine(shape, host, parts, row).lose_tokens();
            }
            self.clear_mail(row);
        }
        panics
    }

    /// Enables an agent that is not enabled: it starts from the beginning, also as to Cooldown and
    /// Limit (SEMANTICS 8.1). Nothing runs before the next tick.
    fn enable<T: Tracer>(&mut self, shape: &Shape<H>, host: &mut H::Cx<'_>, parts: &mut ForestParts<'_, T>, row: Row) {
        if self.flags(row).contains(Flags::ENABLED) {
            return;
        }
        self.go_on(row, parts.call.now);
        let kept = *self.flags(row) & Flags::KEPT;
        self.wipe(row);
        if !shape.tree.lifecycle.is_empty() {
            let before = parts.call.requests.len();
            let panics = self.call(shape, host, parts, row, |machine| machine.awake(&shape.tree.lifecycle));
            // A restart that an `awake` requests, even of its own agent only, would request the
            // next one, for ever (SEMANTICS 8.8).
            parts.call.requests.retain_from(before, |it| !matches!(it, Request::Restart(_)));
            panics.go_on();
        }
        *self.flags(row) = kept | Flags::ENABLED | Flags::FRESH;
        self.turn_on(row, parts.call.now);
        self.mark(row);
    }

    /// Ends everything that is active, and disables the agent.
    fn disable<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        reason: Reason,
    ) {
        if !self.flags(row).contains(Flags::ENABLED) {
            return;
        }
        self.go_on(row, parts.call.now);
        self.turn_off(row, parts.call.now);
        let kept = *self.flags(row) & Flags::KEPT;
        parts.scratch.reset(shape.tree.bottoms.len());
        self.call(shape, host, parts, row, |machine| machine.stop(reason)).go_on();
        self.stand(row, parts.call.now);
        *self.flags(row) = kept;
    }

    /// Pauses or resumes an enabled agent.
    fn pause<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        paused: bool,
    ) {
        let flags = *self.flags(row);
        if !flags.contains(Flags::ENABLED) || flags.contains(Flags::PAUSED) == paused {
            return;
        }
        self.go_on(row, parts.call.now);
        self.turn_off(row, parts.call.now);
        self.call(shape, host, parts, row, |machine| machine.pause(paused)).go_on();
        if paused {
            self.stand(row, parts.call.now);
        } else {
            self.turn_on(row, parts.call.now);
            if shape.tree.observers.timed_by_now {
                // The forest's time has moved on during the pause.
                self.life(row).wake = Moment::START;
            }
        }
        *self.flags(row) = flags ^ Flags::PAUSED;
        // Observers of the agent may not know about changes during the callbacks above.
        self.refresh_dirty(row);
        self.mark(row);
    }

    /// Ends everything that is active in an agent, before its tree is replaced. An agent that was
    /// enabled stays marked as [`FRESH`](Flags::FRESH), and one that was paused as
    /// [`PAUSED`](Flags::PAUSED), until it is [resumed](Lives::resume).
    fn suspend<T: Tracer>(&mut self, shape: &Shape<H>, host: &mut H::Cx<'_>, parts: &mut ForestParts<'_, T>, row: Row) {
        let before = *self.flags(row);
        if before.contains(Flags::ENABLED) {
            self.disable(shape, host, parts, row, Reason::Replaced);
            *self.flags(row) |= Flags::FRESH | before & Flags::PAUSED;
        }
    }

    /// Enables an agent that was [suspended](Lives::suspend), and pauses it if it was paused.
    fn resume<T: Tracer>(&mut self, shape: &Shape<H>, host: &mut H::Cx<'_>, parts: &mut ForestParts<'_, T>, row: Row) {
        let marks = *self.flags(row);
        if marks.contains(Flags::FRESH) {
            self.enable(shape, host, parts, row);
            if marks.contains(Flags::PAUSED) {
                // Nothing is active, so this calls no leaf.
                self.pause(shape, host, parts, row, true);
            }
        }
    }

    /// Ends what does not carry on under another tree (SEMANTICS 10.2). An agent that starts from
    /// the beginning is [`FRESH`](Flags::FRESH) then. It wakes.
    fn part<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        carry: &Carry,
        parted: &mut Cuts,
    ) {
        let flags = *self.flags(row);
        if !flags.contains(Flags::ENABLED) || flags.contains(Flags::FRESH) {
            parted.starts.clear();
            return;
        }
        let now = parts.call.now;
        self.go_on(row, now);
        let panics = self.call(shape, host, parts, row, |machine| machine.part(carry, parted));
        if panics.any() {
            self.turn_off(row, now);
            panics.go_on();
        }
        if flags.contains(Flags::PAUSED) {
            self.stand(row, now);
        }
        let fresh = if parted.anew { Flags::FRESH } else { Flags::empty() };
        *self.flags(row) = (flags - Flags::ASLEEP) | fresh;
    }

    /// Calls `awake` of leaves that are new to an enabled agent.
    fn awake_new<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        leaves: &[LeafId],
    ) {
        if self.flags(row).contains(Flags::ENABLED) {
            self.between(shape, host, parts, row, |machine| machine.awake(leaves));
            self.refresh_dirty(row);
            self.mark(row);
        }
    }

    /// Calls leaves of an agent between two ticks, if it is enabled. If one panics, the agent is
    /// off.
    fn between<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        call: impl FnOnce(&mut Machine<'_, '_, H, T>),
    ) {
        let flags = *self.flags(row);
        if !flags.contains(Flags::ENABLED) {
            return;
        }
        let now = parts.call.now;
        self.go_on(row, now);
        let before = parts.call.requests.len();
        let panics = self.call(shape, host, parts, row, call);
        // As when it is enabled (SEMANTICS 8.8).
        parts.call.requests.retain_from(before, |it| !matches!(it, Request::Restart(_)));
        if panics.any() {
            self.turn_off(row, now);
            panics.go_on();
        }
        if flags.contains(Flags::PAUSED) {
            self.stand(row, now);
        }
        *self.flags(row) = flags;
    }

    /// Notifies a restored agent's leaves, these and the new ones; lets Cooldowns begin.
    #[cfg(feature = "save")]
    fn tell_restored<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        (cools, kept, new): (&[NodeId], &[LeafId], &[LeafId]),
    ) {
        self.between(shape, host, parts, row, |machine| {
            machine.restored(cools, kept);
            machine.awake(new);
        });
    }

    /// If an agent is asleep, its next tick wakes it, whatever it waits for.
    fn wake(&mut self, row: Row) {
        self.life(row).wake = Moment::START;
        self.refresh_dirty(row);
        self.mark(row);
    }

    /// Starts an agent's own time, if it stands still.
    fn go_on(&mut self, row: Row, now: Moment) {
        if stands(*self.flags(row)) {
            self.life(row).time.turn(now);
        }
    }

    /// Stops an agent's own time, which runs until now.
    fn stand(&mut self, row: Row, now: Moment) {
        self.life(row).time.turn(now);
    }

    /// From now on the agent has turns.
    fn turn_on(&mut self, row: Row, now: Moment) {
        if let Some(turns) = self.turns_kept() {
            turns.go_on(row, now);
        }
    }

    /// From now on the agent has no turns. Call it before a callback: if that panics, the time
    /// since the agent's last turn is kept.
    fn turn_off(&mut self, row: Row, now: Moment) {
        if let Some(turns) = self.turns_kept() {
            turns.stand(row, now);
        }
    }
}
