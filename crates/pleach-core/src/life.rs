//! What is stored about an agent besides its run state: its flags, its own time, its last abort.

use crate::clock::Moment;
use crate::index::NodeId;
use crate::rng::Stream;
use crate::status::Outcome;
use bitflags::bitflags;

bitflags! {
    /// The state of an agent, in one byte.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Flags: u8 {
        /// Enabled: neither finished nor disabled.
        const ENABLED = 1;
        /// Its root will be started in its next tick.
        const FRESH = 2;
        const PAUSED = 4;
        /// Finished for good when the root ends.
        const STOPS = 8;
        /// Asleep: not ticked before its wake-up time, a change of a watched key, or an event.
        const ASLEEP = 16;
        /// Events wait for it.
        const MAIL = 32;
        /// One of its leaves panicked; the agent begins from scratch when it is enabled again.
        const PANICKED = 64;
        /// `last` holds how the root ended.
        const ENDED = 128;
        /// Not for an agent, but for how a root last ended: with success.
        const SUCCEEDED = 1;
        /// What enabling, disabling and a panic do not change.
        const KEPT = Self::STOPS.bits() | Self::MAIL.bits() | Self::ENDED.bits();
    }
}

/// Data about an agent that most ticks do not need. These fields are adjacent, as code that needs
/// one of them needs others too.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) time: OwnTime,
    /// When it wakes, in the agent's own time; holds where `ASLEEP` is set. During a fast tick,
    /// also the wish of the leaf that was updated, until a machine notes it.
    pub(crate) wake: Moment,
    pub(crate) rng: Stream,
    pub(crate) last_abort: LastAbort,
}

impl Life {
    /// For an agent before its first tick.
    pub(crate) fn new(rng: Stream) -> Self {
        Life { time: OwnTime::NEW, wake: Moment::START, rng, last_abort: LastAbort::NONE }
    }

    /// The forest's time at which a sleeper wakes.
    pub(crate) fn wakes(&self) -> Moment {
        self.time.forest_time(self.wake)
    }
}

/// An agent's own time, which runs or stands still. It is the payload of two variants; the agent's
/// flags are their tag ([`stands`]), kept apart to save eight bytes per agent. While the own time
/// runs, this is the forest's time at which it was zero. While it stands still, this is the own
/// time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnTime(u64);

impl OwnTime {
    /// An own time that stands still at zero.
    pub(crate) const NEW: OwnTime = OwnTime(0);

    /// An own time with this present value, by the agent's flags.
    #[cfg(feature = "save")]
    pub(crate) fn of(own: Moment, flags: Flags, forest_now: Moment) -> Self {
        if stands(flags) { OwnTime(own.0) } else { OwnTime(forest_now.0.wrapping_sub(own.0)) }
    }

    /// The own time, while it runs. A restored agent may be older than its forest; its own time
    /// ends first.
    #[inline]
    pub(crate) fn now(self, forest_now: Moment) -> Moment {
        Moment(forest_now.0.wrapping_sub(self.0)).min(Moment::END)
    }

    /// The own time, by the agent's flags.
    pub(crate) fn at(self, flags: Flags, forest_now: Moment) -> Moment {
        if stands(flags) { Moment(self.0).min(Moment::END) } else { self.now(forest_now) }
    }

    /// The forest's time at a moment of the own time, while it runs.
    #[inline]
    fn forest_time(self, own: Moment) -> Moment {
        if own == Moment::NEVER {
            return Moment::NEVER;
        }
        let at = Moment(self.0.wrapping_add(own.0));
        // It was zero before the forest began, and so was this.
        let before = self.0 > Moment::END.0 && at > Moment::END;
        if before { Moment::START } else { at.min(Moment::NEVER) }
    }

    /// Starts the own time if it stands still, and stops it if it runs. Its value stays.
    pub(crate) fn turn(&mut self, forest_now: Moment) {
        self.0 = forest_now.0.wrapping_sub(self.0);
    }

    /// Reads the value, so that it is loaded from memory.
    pub(crate) fn prefetch(self) -> u64 {
        self.0
    }
}

impl Flags {
    /// How a root last ended, as stored in a column of flags.
    #[inline]
    pub(crate) fn of_end(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Failure => Flags::empty(),
            Outcome::Success => Flags::SUCCEEDED,
        }
    }

    /// A leaf of the agent panicked.
    pub(crate) fn panicked(&mut self) {
        *self = *self & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED;
    }

    /// How a root last ended.
    pub(crate) fn end(self) -> Outcome {
        if self.contains(Flags::SUCCEEDED) { Outcome::Success } else { Outcome::Failure }
    }
}

/// Notes how an agent's root ended: in `last`, and in the flags that it starts again in its next
/// tick, or stops. Returns whether it stops.
#[inline(always)]
pub(crate) fn root_ended(flags: &mut Flags, last: &mut Flags, outcome: Outcome) -> bool {
    *last = Flags::of_end(outcome);
    let stops = flags.contains(Flags::STOPS);
    let after = if stops { Flags::empty() } else { Flags::ENABLED | Flags::FRESH };
    *flags = *flags & Flags::STOPS | Flags::ENDED | after;
    stops
}

/// Whether an agent is asleep, and has nothing to wake for: no deadline that has come, no mail and
/// no changed key. `marked`: whether a key that it watches may have changed.
#[inline(always)]
pub(crate) fn sleeps_on(flags: Flags, life: &Life, marked: bool, now: Moment) -> bool {
    is_plain_sleeper(flags) && !marked && now < life.wakes()
}

/// Whether the agent is enabled, and a tick need not know anything else.
#[inline]
pub(crate) fn is_plain(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED
}

/// Whether the agent is asleep, and a tick need not know anything else.
#[inline]
pub(crate) fn is_plain_sleeper(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED | Flags::ASLEEP
}

/// Whether the agent is enabled and about to begin, and a tick need not know anything else.
pub(crate) fn is_fresh(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED | Flags::FRESH
}

/// Whether an agent's own time stands still.
pub(crate) fn stands(flags: Flags) -> bool {
    flags.contains(Flags::PAUSED) || !flags.intersects(Flags::ENABLED | Flags::PANICKED)
}

/// Whether the agent is enabled, not paused, and asleep.
#[inline]
pub(crate) fn is_asleep(flags: Flags) -> bool {
    flags & (Flags::ENABLED | Flags::PAUSED | Flags::ASLEEP) == Flags::ENABLED | Flags::ASLEEP
}

/// The last conditional abort of an agent, in eight bytes, as every agent has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastAbort {
    /// The child that was ended. Its parent is the composite that carried on.
    pub(crate) ended: NodeId,
    pub(crate) by: NodeId,
    /// From the lowest bit up: the status that the condition had, [`SCALE`] bits of an exponent,
    /// and a number. That number times two to the exponent is the agent's own time in milliseconds.
    when: u32,
}

/// Bits of the exponent in `when`.
const SCALE: u32 = 5;
/// Bits of the number in `when`.
const MILLIS: u32 = u32::BITS - SCALE - 1;
const PER_MILLI: u64 = 1_000_000;

impl LastAbort {
    /// There was no abort yet.
    pub(crate) const NONE: LastAbort = LastAbort { ended: NodeId::NONE, by: NodeId::NONE, when: 0 };

    /// `at` is in the agent's own time.
    pub(crate) fn new(ended: NodeId, by: NodeId, was: bool, at: Moment) -> Self {
        let millis = at.0 / PER_MILLI + u64::from(at.0 % PER_MILLI >= PER_MILLI / 2);
        let scale = (u64::BITS - millis.leading_zeros()).saturating_sub(MILLIS).min((1 << SCALE) - 1);
        let millis = u32::try_from(millis >> scale).unwrap_or(u32::MAX).min((1 << MILLIS) - 1);
        LastAbort { ended, by, when: millis << (SCALE + 1) | scale << 1 | u32::from(was) }
    }

    /// The same with other nodes, those of another version of the tree.
    pub(crate) fn of(self, ended: NodeId, by: NodeId) -> Self {
        LastAbort { ended, by, ..self }
    }

    /// All of it, to save it.
    #[cfg(feature = "save")]
    pub(crate) fn raw(self) -> Option<(u16, u16, u32)> {
        let node = |it: NodeId| it.some().map(|it| crate::index::narrow(it.index()));
        Some((node(self.ended)?, node(self.by)?, self.when))
    }

    /// Made from a saved one.
    #[cfg(feature = "save")]
    pub(crate) fn of_raw((ended, by, when): (u16, u16, u32)) -> Option<Self> {
        Some(LastAbort { ended: NodeId::new(ended.into())?, by: NodeId::new(by.into())?, when })
    }

    /// Whether the condition had succeeded before.
    pub(crate) fn was(self) -> bool {
        self.when & 1 != 0
    }

    /// The agent's own time at the abort: exact to the millisecond for 18 hours, then to one part
    /// in 2^25.
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
