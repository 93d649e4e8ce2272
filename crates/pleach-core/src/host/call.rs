//! What is the same for all agents of a call.

use crate::clock::{Moment, Span};
use crate::event::Mail;
use crate::request::Requests;

/// What all agents in a call of a forest, or the one of a brain, have in common. The forest or the
/// brain keeps it between calls, so that a call borrows it and makes none.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The forest's time, and its time in the frame before. In a call that is not a frame they are
    /// equal.
    pub(crate) now: Moment,
    pub(crate) before: Moment,
    pub(crate) requests: Requests,
    /// What the agent being ticked receives.
    pub(crate) opened: Mail,
    pub(crate) every_tick: bool,
    pub(crate) sleep: bool,
    pub(crate) batched: bool,
}

impl Default for Call {
    /// For a forest before its first frame.
    fn default() -> Self {
        Call {
            now: Moment::START,
            before: Moment::START,
            requests: Requests::default(),
            opened: Mail::default(),
            every_tick: false,
            sleep: true,
            batched: true,
        }
    }
}

impl Call {
    /// Lets time pass, for a frame.
    #[inline]
    pub(crate) fn pass(&mut self, dt: Span) {
        self.before = self.now;
        self.now = (self.before + dt).min(Moment::END);
    }

    /// A frame begins: gives back room that a flood of events or requests took.
    pub(crate) fn give_back(&mut self) {
        self.opened.begin_frame();
        self.requests.begin_frame();
    }

    /// Becomes the call of another moment; the ways to tick stay. Returns whether agents may have
    /// to look at a difference.
    pub(crate) fn roll_back(&mut self, to: &Call) -> bool {
        let &mut Call { every_tick, sleep, batched, .. } = self;
        let differs = (every_tick, sleep) != (to.every_tick, to.sleep);
        *self = Call { every_tick, sleep, batched, ..to.clone() };
        differs
    }

    /// The same time and ways to tick as in another call.
    #[cfg(feature = "rayon")]
    pub(crate) fn follow(&mut self, other: &Call) {
        let &Call { now, before, every_tick, sleep, batched, .. } = other;
        (self.now, self.before) = (now, before);
        (self.every_tick, self.sleep, self.batched) = (every_tick, sleep, batched);
        self.requests.follow(&other.requests);
    }
}
