//! Where a chunk keeps what ticks note about its agents.

use super::super::TickReport;
use super::super::awake::Awake;
use super::super::mail::Inbox;
use crate::clock::Moment;
use crate::event::Mail;
use crate::life::Flags;
use crate::machine::notes::{Counted, Notes};
use crate::row::Row;

/// What a tick reads and writes about a chunk's agents beside the machine.
pub(super) struct ChunkNotes<'m> {
    pub(super) flags: &'m mut [Flags],
    /// How roots last ended, as flags.
    pub(super) last: &'m mut [Flags],
    pub(super) awake: Awake<'m>,
    pub(super) inbox: Option<&'m mut Inbox>,
    pub(super) report: &'m mut TickReport,
    /// Counts the agents that are looked at and not ticked.
    pub(super) passed_over: &'m mut u64,
    /// Agents may fall asleep.
    pub(super) sleeps: bool,
}

impl Notes for ChunkNotes<'_> {
    #[inline(always)]
    fn flags_and_last(&mut self, at: Row) -> (&mut Flags, &mut Flags) {
        (&mut self.flags[at.index()], &mut self.last[at.index()])
    }

    #[inline(always)]
    fn flags(&mut self, at: Row) -> &mut Flags {
        &mut self.flags[at.index()]
    }

    #[inline(always)]
    fn may_sleep(&self) -> bool {
        self.sleeps
    }

    #[inline(always)]
    fn look_away(&mut self, at: Row, until: Option<Moment>, now: Moment) {
        match until {
            Some(until) => self.awake.sleep(at, until, now),
            None => self.awake.clear(at),
        }
    }

    fn open(&mut self, at: Row, opened: &mut Mail) {
        if let Some(inbox) = &mut self.inbox {
            inbox.open(at, opened);
        }
    }

    #[inline(always)]
    fn count(&mut self, what: Counted, agents: u32) {
        let agents = u64::from(agents);
        match what {
            Counted::Ticked => self.report.ticked += agents,
            Counted::Ended => self.report.ended += agents,
            Counted::Woken => self.report.asleep -= agents,
            Counted::PassedOver => *self.passed_over += agents,
        }
    }
}
