//! Moments: the type of `time` and `now`, and seconds in whole nanoseconds.

use std::fmt;
use std::str::FromStr;

/// A moment: whole nanoseconds since 0, the start of a time line. The last is 2^63 - 1 nanoseconds,
/// about 292 years (SEMANTICS 8.38).
///
/// It is written as seconds: `3.5`. A decimal of seconds with at most nine places is exact.
///
/// ```
/// # use pleach_expr::Time;
/// let seen = Time::from_secs(3.5);
/// assert_eq!(seen.as_nanos(), 3_500_000_000);
/// assert_eq!((seen.to_string(), "3.5".parse()), ("3.5".to_owned(), Ok(seen)));
/// assert_eq!(Time::from_secs(5.0).seconds_since(seen), 1.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The start, and the default.
    pub const ZERO: Time = Time(0);
    /// The last moment.
    pub const END: Time = Time(u64::MAX / 2);

    /// The moment `nanos` nanoseconds after the start, or the last one.
    #[inline]
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Time {
        if nanos > Time::END.0 { Time::END } else { Time(nanos) }
    }

    /// The nanoseconds since the start.
    #[inline]
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The moment `seconds` after the start, to the nearest nanosecond. For negative numbers and a
    /// NaN it is the start; after the last moment, the last one.
    #[must_use]
    pub fn from_secs(seconds: f64) -> Time {
        Time::from_nanos(whole((seconds * PER_SECOND).round()))
    }

    /// The seconds since the start: its nanoseconds as the nearest 64-bit float, divided by 10^9.
    #[inline]
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.seconds_since(Time::ZERO)
    }

    /// The seconds since another moment, below zero if that is later. The difference is exact
    /// before it becomes a float.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact up to 104 days, and to a microsecond for ever")]
    pub fn seconds_since(self, other: Time) -> f64 {
        (self.0.cast_signed() - other.0.cast_signed()) as f64 / PER_SECOND
    }

    /// The moment `nanos` nanoseconds later, or earlier; not before the start, and not after the
    /// end.
    pub(crate) fn moved(self, nanos: i128) -> Time {
        Time::from_nanos(u64::try_from((i128::from(self.0) + nanos).max(0)).unwrap_or(u64::MAX))
    }
}

/// In seconds, exact.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.0 / NANOS, self.0 % NANOS);
        if rest == 0 {
            return write!(f, "{seconds}");
        }
        write!(f, "{seconds}.{}", format!("{rest:09}").trim_end_matches('0'))
    }
}

/// Why a text is not a [`Time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTime;

impl fmt::Display for NoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a time is a decimal number of seconds from 0 to {}, with at most nine places", Time::END)
    }
}

impl std::error::Error for NoTime {}

/// Digits, perhaps with a point and at most nine digits after it.
impl FromStr for Time {
    type Err = NoTime;

    fn from_str(text: &str) -> Result<Time, NoTime> {
        let (seconds, places) = text.split_once('.').unwrap_or((text, "0"));
        let all_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        // Trailing zeros say nothing.
        let kept = places.trim_end_matches('0');
        if !all_digits(seconds) || !all_digits(places) || kept.len() > 9 {
            return Err(NoTime);
        }
        let seconds: u64 = seconds.parse().map_err(|_| NoTime)?;
        let rest: u64 = format!("{kept:0<9}").parse().map_err(|_| NoTime)?;
        let nanos = seconds.checked_mul(NANOS).and_then(|it| it.checked_add(rest)).ok_or(NoTime)?;
        if nanos > Time::END.0 { Err(NoTime) } else { Ok(Time(nanos)) }
    }
}

/// How many nanoseconds a second has.
pub(crate) const NANOS: u64 = 1_000_000_000;
/// The same as a float.
const PER_SECOND: f64 = 1e9;

/// The meaning of a 32-bit number of seconds of at least 0, in whole nanoseconds (SEMANTICS 8.1):
/// the `f32` nearest to 1/n means 1/n itself, so that n ticks of a frame rate's `dt` are never less
/// than a second. The `f32` nearest to a decimal of at most seven places means that decimal, so
/// that one tick of 0.7 s ends a wait of 0.7 s. Any other is rounded up.
#[must_use]
pub fn nanoseconds(seconds: f32) -> u64 {
    let exact = f64::from(seconds);
    let per_second = (1.0 / exact).round();
    #[expect(clippy::cast_possible_truncation, reason = "narrowing is what made the number out of 1/n")]
    let is_nth = (1.0 / per_second) as f32 == seconds;
    if is_nth {
        return whole((PER_SECOND / per_second).ceil());
    }
    let decimal = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7].into_iter().find_map(|scale| {
        let digits = (exact * scale).round();
        #[allow(clippy::cast_possible_truncation, reason = "narrowing is what made the number of these digits")]
        let is_decimal = (digits / scale) as f32 == seconds;
        is_decimal.then_some(digits * (PER_SECOND / scale))
    });
    whole(decimal.unwrap_or_else(|| (exact * PER_SECOND).ceil()))
}

/// The same for any number, with its sign. `None` for a NaN.
pub(crate) fn signed_nanoseconds(seconds: f32) -> Option<i128> {
    if seconds.is_nan() {
        return None;
    }
    let nanos = i128::from(nanoseconds(seconds.abs()));
    Some(if seconds < 0.0 { -nanos } else { nanos })
}

/// A number of nanoseconds without its fraction, within the range of the type: 0 for a NaN and
/// below 0.
#[must_use]
pub fn whole(nanos: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates and sends NaN to zero")]
    let whole = nanos as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_seconds_and_read_exactly() {
        for (text, nanos) in [("0", 0), ("3.5", 3_500_000_000), ("0.000000001", 1), ("86400", 86_400_000_000_000)] {
            assert_eq!((text.parse(), Time::from_nanos(nanos).to_string()), (Ok(Time(nanos)), text.to_owned()));
        }
        assert_eq!(Time::END.to_string().parse(), Ok(Time::END));
        assert_eq!("1.5000000000".parse(), Ok(Time(1_500_000_000)));
        for text in
            ["", ".", "1.", ".5", "-1", "+1", "1e3", "0.0000000001", "9223372036.854775808", "99999999999999999999"]
        {
            assert_eq!(text.parse::<Time>(), Err(NoTime), "{text}");
        }
    }

    #[test]
    fn seconds_saturate_at_both_ends() {
        let of = |it| Time::from_secs(it);
        assert_eq!(
            [of(-1.0), of(f64::NAN), of(1e300), of(0.1)],
            [Time::ZERO, Time::ZERO, Time::END, Time(100_000_000)]
        );
        assert_eq!([Time(5).moved(-6), Time(5).moved(i128::MAX / 2)], [Time::ZERO, Time::END]);
        assert_eq!(Time::ZERO.seconds_since(Time::from_nanos(1_500_000_000)), -1.5);
        assert_eq!(signed_nanoseconds(-0.7), Some(-700_000_000));
        assert_eq!(signed_nanoseconds(f32::NAN), None);
        assert_eq!(signed_nanoseconds(f32::INFINITY), Some(u64::MAX.into()));
    }
}
