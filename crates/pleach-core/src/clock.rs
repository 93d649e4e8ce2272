//! Time without a clock: whole nanoseconds, summed from the host's `dt` (SEMANTICS 8.1).
//!
//! Integers make time associative: an agent's own time is the forest's time minus an offset, bit
//! for bit, whenever the agent was spawned or paused. So nothing drifts, not even after many hours.

use std::fmt;
use std::ops::{Add, Sub};

use pleach_expr::runtime::{nanoseconds, whole};

use crate::Time;
use crate::limits::{MAX_DT, MAX_SECONDS};

/// A point on a time line: the forest's, or an agent's own (SEMANTICS 8.1). In nanoseconds since
/// the line's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub(crate) struct Moment(pub(crate) u64);

/// A length of time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub(crate) struct Span(pub(crate) u64);

impl Moment {
    /// Where every time line starts.
    pub(crate) const START: Moment = Moment(0);
    /// The end of time, after 292 years: no clock goes further. The difference of two moments fits
    /// into 64 bits with a sign, so that one may lie before the start of a time line.
    pub(crate) const END: Moment = Moment(u64::MAX / 2);
    /// Later than any clock shows: a deadline that never comes.
    pub(crate) const NEVER: Moment = Moment(Moment::END.0 + 1);

    /// In seconds, for people and leaves.
    pub(crate) fn seconds(self) -> f64 {
        Span(self.0).seconds()
    }

    /// As keys and expressions have it.
    #[inline]
    pub(crate) const fn time(self) -> Time {
        Time::from_nanos(self.0)
    }

    /// The moment `span` earlier, or the start.
    pub(crate) fn before(self, span: Span) -> Moment {
        Moment(self.0.saturating_sub(span.0))
    }

    /// The moment `span` earlier. One before the start is represented after the end of time; only
    /// [`since`](Moment::since) handles it.
    pub(crate) fn back(self, span: Span) -> Moment {
        Moment(self.0.wrapping_sub(span.0))
    }

    /// The span since an earlier moment, which may be one before the start.
    #[inline]
    pub(crate) fn since(self, earlier: Moment) -> Span {
        Span(self.0.wrapping_sub(earlier.0))
    }
}

impl Span {
    pub(crate) const ZERO: Span = Span(0);

    /// In seconds, for people and leaves.
    pub(crate) fn seconds(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "exact up to 104 days, and to a microsecond for ever")]
        let nanos = self.0 as f64;
        nanos / PER_SECOND
    }
}

/// A deadline after the end of time never comes.
impl Add<Span> for Moment {
    type Output = Moment;
    #[inline]
    fn add(self, span: Span) -> Moment {
        Moment(self.0.saturating_add(span.0)).min(Moment::NEVER)
    }
}

/// The span since an earlier moment of the same time line.
impl Sub for Moment {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Moment) -> Span {
        Span(self.0 - earlier.0)
    }
}

const PER_SECOND: f64 = 1e9;

/// Why a `dt` was refused.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DtError {
    /// NaN or infinite.
    NotFinite(f32),
    /// Below zero.
    Negative(f32),
    /// Longer than [`MAX_DT`].
    TooLong(f32),
}

impl fmt::Display for DtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DtError::NotFinite(it) => write!(f, "dt is {it}: it must be a finite number of seconds"),
            DtError::Negative(it) => write!(f, "dt is {it} s: time cannot go backwards"),
            DtError::TooLong(it) => write!(f, "dt is {it} s, the most is {MAX_DT} s: was it given in milliseconds?"),
        }
    }
}

impl fmt::Debug for DtError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for DtError {}

/// The span of a tick in whole nanoseconds, as [`nanoseconds`] has them (SEMANTICS 8.1).
pub(crate) fn dt(seconds: f32) -> Result<Span, DtError> {
    if !seconds.is_finite() {
        Err(DtError::NotFinite(seconds))
    } else if seconds < 0.0 {
        Err(DtError::Negative(seconds))
    } else if seconds > MAX_DT {
        Err(DtError::TooLong(seconds))
    } else {
        Ok(Span(nanoseconds(seconds)))
    }
}

/// The last `dt` with its span, as games usually pass the same one again: working the span out
/// costs as much as a small tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    dt: f32,
    span: Span,
}

impl Step {
    /// The span of a tick; see [`dt`].
    #[inline]
    pub(crate) fn of(&mut self, seconds: f32) -> Result<Span, DtError> {
        // The span of zero is zero: so is that of a new `Step`.
        if seconds.to_bits() != self.dt.to_bits() {
            *self = Step { span: dt(seconds)?, dt: seconds };
        }
        Ok(self.span)
    }
}

/// The span of a duration; `None` unless it is finite and at most [`MAX_SECONDS`]. A duration below
/// zero counts as zero.
pub(crate) fn span(seconds: f64) -> Option<Span> {
    (seconds.is_finite() && seconds <= MAX_SECONDS).then(|| Span(whole((seconds * PER_SECOND).round())))
}

/// The span of an expression's value, bounded (SEMANTICS 8.25). It is rounded as a `dt` is, so that
/// a key with 0.7 waits as long as the literal 0.7.
pub(crate) fn evaluated(seconds: f32) -> Span {
    if seconds.is_nan() || seconds <= 0.0 {
        Span::ZERO
    } else if f64::from(seconds) >= MAX_SECONDS {
        Span(whole(MAX_SECONDS * PER_SECOND))
    } else {
        Span(nanoseconds(seconds))
    }
}

/// A span with a jitter in seconds, for a random number from 0 to 1 (SEMANTICS 8.26).
pub(crate) fn jittered(span: Span, jitter: f64, unit: f64) -> Span {
    #[expect(clippy::cast_precision_loss, reason = "exact up to 104 days, and to a microsecond for ever")]
    let nanos = span.0 as f64 + jitter * PER_SECOND * (2.0 * unit - 1.0);
    Span(whole(nanos.ceil().min(MAX_SECONDS * PER_SECOND)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_ticks_of_a_nth_are_a_second() {
        for n in 1..=1000_u16 {
            assert!(dt(1.0 / f32::from(n)).unwrap().0 * u64::from(n) >= 1_000_000_000, "1/{n}");
        }
    }

    #[test]
    fn a_decimal_is_what_it_says() {
        for tenths in 1..=100_000_u32 {
            let seconds = format!("{}.{}", tenths / 10, tenths % 10);
            let span = u64::from(tenths) * 100_000_000;
            assert_eq!(dt(seconds.parse().unwrap()), Ok(Span(span)), "{seconds}");
        }
        assert_eq!(dt(0.016), Ok(Span(16_000_000)));
        assert_eq!(dt(1.4), Ok(Span(1_400_000_000)));
    }

    #[test]
    fn what_is_rounded_up_is_not_carried() {
        let steps: u64 = (0..1000).map(|_| dt(1e-12).unwrap().0).sum();
        assert_eq!(steps, 1_000);
        assert_eq!((dt(f32::MIN_POSITIVE), dt(1.5e-9), dt(1e-9)), (Ok(Span(1)), Ok(Span(2)), Ok(Span(1))));
    }

    #[test]
    fn a_step_remembers_nothing_wrong() {
        let mut step = Step::default();
        for seconds in [0.0, 0.1, 0.1, -0.0, 0.7, -1.0, 0.7, f32::NAN, f32::NAN, 1.0 / 60.0, 0.0] {
            // NaN differs from itself.
            assert_eq!(step.of(seconds).map_err(|it| it.to_string()), dt(seconds).map_err(|it| it.to_string()));
        }
    }

    #[test]
    fn bad_dt_is_refused() {
        assert!(matches!(dt(f32::NAN), Err(DtError::NotFinite(_))));
        assert!(matches!(dt(f32::INFINITY), Err(DtError::NotFinite(_))));
        assert!(matches!(dt(-0.1), Err(DtError::Negative(_))));
        assert!(matches!(dt(1e7), Err(DtError::TooLong(_))));
        assert_eq!(dt(0.0), Ok(Span(0)));
        assert_eq!(dt(MAX_DT), Ok(Span(1_000_000_000_000_000)));
    }

    #[test]
    fn spans_are_bounded() {
        assert_eq!(span(-1.0), Some(Span::ZERO));
        assert_eq!(span(f64::NAN), None);
        assert_eq!(span(MAX_SECONDS * 2.0), None);
    }

    #[test]
    fn evaluated_spans_are_bounded_and_mean_what_they_say() {
        let most = span(MAX_SECONDS).unwrap();
        for (seconds, expected) in [
            (-1.0, Span::ZERO),
            (-0.0, Span::ZERO),
            (f32::NAN, Span::ZERO),
            (f32::NEG_INFINITY, Span::ZERO),
            (f32::INFINITY, most),
            (f32::MAX, most),
            (1e-12, Span(1)),
            (0.7, Span(700_000_000)),
            (1.0 / 60.0, Span(16_666_667)),
            (2.0, Span(2_000_000_000)),
        ] {
            assert_eq!(evaluated(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn jitter_moves_a_span_both_ways() {
        let two = Span(2_000_000_000);
        for (unit, expected) in [(0.0, 1_500_000_000), (0.5, 2_000_000_000), (0.75, 2_250_000_000)] {
            assert_eq!(jittered(two, 0.5, unit), Span(expected), "{unit}");
        }
        assert_eq!(jittered(two, 3.0, 0.0), Span::ZERO);
        let most = span(MAX_SECONDS).unwrap();
        assert_eq!(jittered(most, MAX_SECONDS, 0.75), most);
    }
}
