//! Moments in expressions (SEMANTICS 8.38): whole nanoseconds from 0 to 2^63 - 1.

use crate::keys::Value;

/// The clocks that an expression reads, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The agent's own time.
    pub time: u64,
    /// The forest's time.
    pub now: u64,
}

impl Clock {
    /// Both at whole seconds.
    #[must_use]
    pub fn at(time: u64, now: u64) -> Clock {
        let nanos = |it: u64| in_range(i128::from(it) * SECOND);
        Clock { time: nanos(time), now: nanos(now) }
    }
}

const SECOND: i128 = 1_000_000_000;

/// Into the range of moments.
pub(super) fn in_range(nanos: i128) -> u64 {
    u64::try_from(nanos.clamp(0, i64::MAX.into())).expect("clamped")
}

/// The seconds from one moment to a later one, or below zero to an earlier one.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the rule says")]
pub(super) fn seconds(from: u64, to: u64) -> f32 {
    (((i128::from(to) - i128::from(from)) as f64) / 1e9) as f32
}

/// A moment, or a number of seconds since 0, in nanoseconds. `None` for a NaN.
pub(super) fn nanos(value: &Value) -> Option<i128> {
    match value {
        Value::Time(it) => Some(i128::from(*it)),
        Value::Int(n) => Some(i128::from(*n) * SECOND),
        Value::Float(x) if x.is_nan() => None,
        Value::Float(x) if *x < 0.0 => Some(-of_seconds(-*x)),
        Value::Float(x) => Some(of_seconds(*x)),
        other => panic!("a time was asked of {other}, which checking should have refused"),
    }
}

/// What 8.1 makes of a number of seconds of at least 0.
fn of_seconds(x: f32) -> i128 {
    if x >= 1e10 {
        // Beyond the last moment.
        return 10_000_000_000 * SECOND;
    }
    let n = (1.0 / f64::from(x)).round();
    #[expect(clippy::cast_possible_truncation, clippy::float_cmp, reason = "the float nearest to 1/n is asked for")]
    if n >= 1.0 && (1.0 / n) as f32 == x {
        // A smaller part of a second than a nanosecond is one.
        return if n >= 1e9 { i128::from(x > 0.0) } else { (SECOND + n as i128 - 1) / n as i128 };
    }
    // In digits, as a person would write it.
    let written = (1..=7).map(|places| format!("{:.places$}", f64::from(x)));
    #[expect(clippy::float_cmp, reason = "the nearest float is asked for")]
    let decimal = written.into_iter().find(|text| text.parse::<f32>().is_ok_and(|it| it == x));
    if let Some((whole, places)) = decimal.as_deref().and_then(|it| it.split_once('.')) {
        let digits: i128 = format!("{whole}{places:0<9}").parse().expect("digits");
        return digits;
    }
    // A float has few digits, so that the product is exact.
    #[expect(clippy::cast_possible_truncation, reason = "less than 10^19")]
    let nanos = (f64::from(x) * 1e9).ceil() as i128;
    nanos
}
