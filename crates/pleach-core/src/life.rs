//! What is kept of an agent beside its run state: its flags, its times, its last abort.

use bitflags::bitflags;
use rand_xoshiro::SplitMix64;

use crate::clock::{Moment, Span};
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
    pub(crate) time: OwnTime,
    /// In the agent's own time, where `ASLEEP` is set.
    pub(crate) wake: Moment,
    pub(crate) rng: SplitMix64,
    pub(crate) last_abort: LastAbort,
}

impl Life {
    /// The forest's time at which a sleeper wakes.
    pub(crate) fn wakes(&self) -> Moment {
        self.time.forest_time(self.wake)
    }
}

/// An agent's own time, which goes on or stands still: the payload of two variants, whose tag the
/// flags are ([`stands`]), kept apart to save eight bytes per agent. While it goes on, this is the
/// forest's time at which it was zero; while it stands still, where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnTime(u64);

impl OwnTime {
    /// Stands still at its start.
    pub(crate) const NEW: OwnTime = OwnTime(0);

    /// What it is while it goes on.
    #[inline]
    pub(crate) fn now(self, forest_now: Moment) -> Moment {
        Moment((forest_now - Moment(self.0)).0)
    }

    /// What it is while it stands still.
    pub(crate) fn standing(self) -> Moment {
        Moment(self.0)
    }

    /// The forest's time at a moment of its own, while it goes on.
    #[inline]
    fn forest_time(self, own: Moment) -> Moment {
        Moment(self.0) + Span(own.0)
    }

    /// Lets it go on, or stand still: what it is stays the same.
    pub(crate) fn turn(&mut self, forest_now: Moment) {
        self.0 = (forest_now - Moment(self.0)).0;
    }

    /// Something of it, so that it comes in from memory.
    pub(crate) fn prefetch(self) -> u64 {
        self.0
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
    /// From the lowest bit: what the condition's status had been, [`SCALE`] bits of an exponent, and
    /// so many milliseconds of the agent's own time, times two to that exponent.
    when: u32,
}

/// Bits of the exponent of a [`LastAbort`]'s time.
const SCALE: u32 = 5;
/// Bits of its milliseconds.
const MILLIS: u32 = u32::BITS - SCALE - 1;
const PER_MILLI: u64 = 1_000_000;

impl LastAbort {
    /// There was none yet.
    pub(crate) const NONE: LastAbort = LastAbort { ended: NodeId::NONE, by: NodeId::NONE, when: 0 };

    /// `at` is in the agent's own time.
    pub(crate) fn new(ended: NodeId, by: NodeId, was: bool, at: Moment) -> Self {
        let millis = at.0 / PER_MILLI + u64::from(at.0 % PER_MILLI >= PER_MILLI / 2);
        let scale = (u64::BITS - millis.leading_zeros()).saturating_sub(MILLIS).min((1 << SCALE) - 1);
        let millis = u32::try_from(millis >> scale).unwrap_or(u32::MAX).min((1 << MILLIS) - 1);
        LastAbort { ended, by, when: millis << (SCALE + 1) | scale << 1 | u32::from(was) }
    }

    /// Whether the condition had succeeded before.
    pub(crate) fn was(self) -> bool {
        self.when & 1 != 0
    }

    /// To the millisecond for 18 hours, then to a part in 2^25.
    pub(crate) fn at(self) -> Moment {
        let scale = self.when >> 1 & ((1 << SCALE) - 1);
        Moment((u64::from(self.when >> (SCALE + 1)) << scale).saturating_mul(PER_MILLI))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_abort_is_never_far_off() {
        let at = |nanos| LastAbort::new(NodeId::ROOT, NodeId::ROOT, true, Moment(nanos));
        for bit in 0..64 {
            for nanos in [1_u64 << bit, (1 << bit) + (1 << bit) / 3, (1 << bit) - 1] {
                let (found, was) = (at(nanos).at().0, at(nanos).was());
                assert!(was && found.abs_diff(nanos) <= PER_MILLI / 2 + (nanos >> 25), "{nanos} {found}");
            }
        }
        assert_eq!(at(1_234_567_890).at(), Moment(1_235_000_000));
        assert!(at(u64::MAX).at() > Moment(u64::MAX - (u64::MAX >> 25)));
    }
}
