//! Time without a clock: whole nanoseconds, summed from the host's `dt`.
//!
//! Integers make time associative: an agent's own time is the forest's time less an offset,
//! whenever it was spawned or paused, bit for bit. Nothing drifts in the hundredth hour.

use crate::limits::{MAX_DT, MAX_SECONDS};

/// A moment or a span, in nanoseconds.
pub(crate) type Nanos = u64;

const PER_SECOND: f64 = 1e9;

/// Why a `dt` was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DtError {
    /// NaN or infinite.
    #[error("dt is {0}: it must be a finite number of seconds")]
    NotFinite(f32),
    /// Below zero.
    #[error("dt is {0} s: time cannot go backwards")]
    Negative(f32),
    /// Longer than [`MAX_DT`].
    #[error("dt is {0} s, the most is {MAX_DT} s: was it given in milliseconds?")]
    TooLong(f32),
}

/// The span of a tick, rounded up to whole nanoseconds. The `f32` nearest to 1/n is taken for 1/n
/// itself, so that n ticks of a frame rate's `dt` are never less than a second; the one nearest to
/// a decimal of at most seven places for that decimal, so that one tick of 0.7 s ends a wait of 0.7
/// s.
pub(crate) fn dt(seconds: f32) -> Result<Nanos, DtError> {
    if !seconds.is_finite() {
        Err(DtError::NotFinite(seconds))
    } else if seconds < 0.0 {
        Err(DtError::Negative(seconds))
    } else if seconds > MAX_DT {
        Err(DtError::TooLong(seconds))
    } else {
        let exact = f64::from(seconds);
        let per_second = (1.0 / exact).round();
        #[expect(clippy::cast_possible_truncation, reason = "narrowing is what made the caller's `dt` out of 1/n")]
        let is_nth = (1.0 / per_second) as f32 == seconds;
        if is_nth {
            return Ok(whole((PER_SECOND / per_second).ceil()));
        }
        let decimal = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7].into_iter().find_map(|scale| {
            let digits = (exact * scale).round();
            #[allow(
                clippy::cast_possible_truncation,
                reason = "narrowing is what made the caller's `dt` of these digits"
            )]
            let is_decimal = (digits / scale) as f32 == seconds;
            is_decimal.then_some(digits * (PER_SECOND / scale))
        });
        Ok(whole(decimal.unwrap_or_else(|| (exact * PER_SECOND).ceil())))
    }
}

/// The span of a duration; `None` unless it is finite and at most [`MAX_SECONDS`]. Below zero
/// counts as zero.
pub(crate) fn span(seconds: f64) -> Option<Nanos> {
    (seconds.is_finite() && seconds <= MAX_SECONDS).then(|| whole((seconds * PER_SECOND).round()))
}

/// In seconds, for people and leaves.
pub(crate) fn seconds(nanos: Nanos) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "exact up to 104 days, and to a microsecond for ever")]
    let nanos = nanos as f64;
    nanos / PER_SECOND
}

fn whole(nanos: f64) -> Nanos {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates and sends NaN to zero; the callers have bounded it anyway"
    )]
    let whole = nanos as Nanos;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_ticks_of_a_nth_are_a_second() {
        for n in 1..=1000_u16 {
            assert!(dt(1.0 / f32::from(n)).unwrap() * u64::from(n) >= 1_000_000_000, "1/{n}");
        }
    }

    #[test]
    fn a_decimal_is_what_it_says() {
        for tenths in 1..=100_000_u32 {
            let seconds = format!("{}.{}", tenths / 10, tenths % 10);
            let span = u64::from(tenths) * 100_000_000;
            assert_eq!(dt(seconds.parse().unwrap()), Ok(span), "{seconds}");
        }
        assert_eq!(dt(0.016), Ok(16_000_000));
        assert_eq!(dt(1.4), Ok(1_400_000_000));
    }

    #[test]
    fn what_is_rounded_up_is_not_carried() {
        let steps: Nanos = (0..1000).map(|_| dt(1e-12).unwrap()).sum();
        assert_eq!(steps, 1_000);
        assert_eq!((dt(f32::MIN_POSITIVE), dt(1.5e-9), dt(1e-9)), (Ok(1), Ok(2), Ok(1)));
    }

    #[test]
    fn bad_dt_is_refused() {
        assert!(matches!(dt(f32::NAN), Err(DtError::NotFinite(_))));
        assert!(matches!(dt(f32::INFINITY), Err(DtError::NotFinite(_))));
        assert!(matches!(dt(-0.1), Err(DtError::Negative(_))));
        assert!(matches!(dt(1e7), Err(DtError::TooLong(_))));
        assert_eq!(dt(0.0), Ok(0));
        assert_eq!(dt(MAX_DT), Ok(1_000_000_000_000_000));
    }

    #[test]
    fn spans_are_bounded() {
        assert_eq!(span(-1.0), Some(0));
        assert_eq!(span(f64::NAN), None);
        assert_eq!(span(MAX_SECONDS * 2.0), None);
    }
}
