//! What is kept of an agent beside its run state: its flags, its times, its last abort.

use bitflags::bitflags;
use rand_xoshiro::SplitMix64;

use crate::clock::Nanos;
use crate::index::NodeId;

bitflags! {
    /// The state of an agent, in a byte.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Flags: u8 {
        /// Enabled: neither finished nor disabled.
        const ENABLED = 1;
        /// Its root is to be started in its next tick.
        const FRESH = 2;
        const PAUSED = 4;
        /// Finished for good when the root ends.
        const STOPS = 8;
        /// Not to be touched before its wake-up time, a change of a watched key, or an event.
        const ASLEEP = 16;
        /// Letters wait for it.
        const MAIL = 32;
        /// A leaf of it panicked; restarted from scratch when it is enabled again.
        const PANICKED = 64;
        /// `last` holds how the root ended.
        const ENDED = 128;
        /// What enabling, disabling and a panic leave as it is.
        const KEPT = Self::STOPS.bits() | Self::MAIL.bits() | Self::ENDED.bits();
    }
}

/// What is known of an agent that a tick mostly need not know. Side by side, as who needs one of
/// them needs others.
#[derive(Debug)]
pub(crate) struct Life {
    /// The forest's time at which the agent's own time is zero; while that stands still (the agent
    /// is paused or off), the agent's own time.
    pub(crate) birth: Nanos,
    /// In the agent's own time, where `ASLEEP` is set.
    pub(crate) wake: Nanos,
    pub(crate) rng: SplitMix64,
    pub(crate) last_abort: LastAbort,
}

impl Life {
    /// The forest's time at which a sleeper wakes.
    pub(crate) fn wakes(&self) -> Nanos {
        self.birth.saturating_add(self.wake)
    }
}

/// Enabled, and nothing else that a tick has to know.
#[inline]
pub(crate) fn is_plain(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED
}

/// Enabled, about to begin, and nothing else that a tick has to know.
pub(crate) fn is_fresh(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED | Flags::FRESH
}

/// Whether an agent's own time stands still.
pub(crate) fn stands(flags: Flags) -> bool {
    flags.contains(Flags::PAUSED) || !flags.intersects(Flags::ENABLED | Flags::PANICKED)
}

/// Enabled, not paused, and asleep.
#[inline]
pub(crate) fn is_asleep(flags: Flags) -> bool {
    flags & (Flags::ENABLED | Flags::PAUSED | Flags::ASLEEP) == Flags::ENABLED | Flags::ASLEEP
}

/// The last conditional abort of an agent: eight bytes, which every agent pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastAbort {
    /// The child that was ended; its parent is the composite that went on.
    pub(crate) ended: NodeId,
    pub(crate) by: NodeId,
    /// The time in milliseconds, and in the lowest bit what the condition's status had been.
    when: u32,
}

const NANOS_PER_MILLI: Nanos = 1_000_000;

impl LastAbort {
    /// There was none yet.
    pub(crate) const NONE: LastAbort = LastAbort { ended: NodeId::NONE, by: NodeId::NONE, when: 0 };

    /// `at` is in the agent's own time.
    pub(crate) fn new(ended: NodeId, by: NodeId, was: bool, at: Nanos) -> Self {
        let millis = at.saturating_add(NANOS_PER_MILLI / 2) / NANOS_PER_MILLI;
        let millis = u32::try_from(millis).unwrap_or(u32::MAX).min(u32::MAX >> 1);
        LastAbort { ended, by, when: millis << 1 | u32::from(was) }
    }

    /// Whether the condition had succeeded before.
    pub(crate) fn was(self) -> bool {
        self.when & 1 != 0
    }

    /// To the millisecond; the 25th day is the last.
    pub(crate) fn at(self) -> Nanos {
        Nanos::from(self.when >> 1) * NANOS_PER_MILLI
    }
}
