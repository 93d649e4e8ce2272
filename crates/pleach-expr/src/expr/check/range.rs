//! The bounds of the numbers in an expression, for all values of its keys.

use std::fmt;

use crate::expr::code::{Arith, Cmp};

/// The bounds of a number, both included. A float may also be a NaN, which compares as true with
/// nothing but `!=`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    low: f64,
    high: f64,
    /// It is written as a literal, so that it is not a NaN.
    literal: bool,
    whole: bool,
}

/// Ints beyond this wrap, or are not exact here.
const LARGEST: f64 = 9_007_199_254_740_992.0;

impl Interval {
    pub(super) const ANY: Interval = Interval::between(f64::NEG_INFINITY, f64::INFINITY);

    pub(super) const fn between(low: f64, high: f64) -> Self {
        Interval { low, high, literal: false, whole: false }
    }

    pub(super) fn literal(it: f64) -> Self {
        Interval { literal: true, ..Interval::between(it, it) }
    }

    pub(super) fn is_literal(self) -> bool {
        self.literal
    }

    /// As an int. One that may wrap may be anything.
    pub(super) fn whole(self) -> Self {
        let wraps = |it: f64| it.is_finite() && it.abs() >= LARGEST;
        if wraps(self.low) || wraps(self.high) {
            return Interval { whole: true, ..Interval::ANY };
        }
        Interval { whole: true, ..self }
    }

    /// As a 32-bit float.
    #[allow(clippy::cast_possible_truncation, reason = "it is rounded")]
    pub(super) fn rounded(self) -> Self {
        let round = |it: f64| f64::from(it as f32);
        Interval { low: round(self.low), high: round(self.high), ..self }
    }

    pub(super) fn negate(self) -> Self {
        Interval { low: -self.high, high: -self.low, ..self }
    }

    pub(super) fn abs(self) -> Self {
        let (low, high) = (self.low.abs(), self.high.abs());
        let least = if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { low.min(high) };
        Interval::between(least, low.max(high))
    }

    pub(super) fn floor(self) -> Self {
        // For a NaN it is 0.
        let zero = if self.literal { self } else { self.or(Interval::between(0.0, 0.0)) };
        Interval::between(zero.low.floor(), zero.high.floor())
    }

    /// One of the two.
    pub(super) fn or(self, other: Self) -> Self {
        Interval::between(self.low.min(other.low), self.high.max(other.high))
    }

    /// `clamp(self, low, high)`. A bound that is a NaN has no effect.
    pub(super) fn clamp(self, low: Self, high: Self) -> Self {
        if !low.literal || !high.literal {
            return Interval::ANY;
        }
        let clamp = |it: f64| it.max(low.low).min(high.high);
        Interval::between(clamp(self.low), clamp(self.high))
    }

    /// The result of an operation, before it is rounded.
    pub(super) fn apply(self, op: Arith, other: Self) -> Self {
        let (a, b) = (self, other);
        let wraps = a.whole && b.whole && ![a.low, a.high, b.low, b.high].iter().all(|it| it.is_finite());
        let (low, high) = match op {
            Arith::Add | Arith::Sub | Arith::Mul if wraps => return Interval::ANY,
            Arith::Add => (a.low + b.low, a.high + b.high),
            Arith::Sub => (a.low - b.high, a.high - b.low),
            Arith::Mul => {
                let all = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
                if all.iter().any(|it| it.is_nan()) {
                    return Interval::ANY;
                }
                (
                    all.iter().copied().fold(f64::INFINITY, f64::min),
                    all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                )
            }
            Arith::Rem if b.literal && b.low != 0.0 => {
                // It has the sign of the dividend. Only ints are sure to stay below the divisor.
                let most = if a.whole && b.whole { b.low.abs() - 1.0 } else { b.low.abs() };
                (if a.low >= 0.0 { 0.0 } else { -most }, if a.high <= 0.0 { 0.0 } else { most })
            }
            Arith::Div | Arith::Rem => return Interval::ANY,
            // A NaN loses, and then the other operand counts.
            Arith::Min => {
                let high = a.high.min(b.high);
                let high = if a.can_be_nan() { high.max(b.high) } else { high };
                (a.low.min(b.low), if b.can_be_nan() { high.max(a.high) } else { high })
            }
            Arith::Max => {
                let low = a.low.max(b.low);
                let low = if a.can_be_nan() { low.min(b.low) } else { low };
                (if b.can_be_nan() { low.min(a.low) } else { low }, a.high.max(b.high))
            }
        };
        if low.is_nan() || high.is_nan() {
            return Interval::ANY;
        }
        Interval { literal: a.literal && b.literal, ..Interval::between(low, high) }
    }

    fn can_be_nan(self) -> bool {
        !self.literal && !self.whole
    }

    /// Whether a comparison can be true.
    pub(super) fn can(self, cmp: Cmp, other: Self) -> bool {
        let (a, b) = (self, other);
        match cmp {
            Cmp::Lt => a.low < b.high,
            Cmp::Le => a.low <= b.high,
            Cmp::Gt => a.high > b.low,
            Cmp::Ge => a.high >= b.low,
            Cmp::Eq => a.low <= b.high && b.low <= a.high && !a.is_between_wholes_of(b) && !b.is_between_wholes_of(a),
            Cmp::Ne => true,
        }
    }

    /// Whether it is one fractional number, and the other one is whole.
    fn is_between_wholes_of(self, other: Self) -> bool {
        self.literal && other.whole && self.low.fract() != 0.0
    }
}

/// `between 0 and 1`, `0 or more`
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not `-0`.
        match (self.low + 0.0, self.high + 0.0) {
            (f64::NEG_INFINITY, f64::INFINITY) if self.whole => f.write_str("a whole number"),
            (f64::NEG_INFINITY, f64::INFINITY) => f.write_str("any number"),
            (f64::NEG_INFINITY, high) => write!(f, "{high} or less"),
            (low, f64::INFINITY) => write!(f, "{low} or more"),
            (low, high) if low == high => write!(f, "{low}"),
            (low, high) => write!(f, "between {low} and {high}"),
        }
    }
}

/// The range of one number that some comparisons with literals leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: f64,
    high: f64,
    /// Whether the bounds themselves are excluded.
    above: bool,
    below: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { low: f64::NEG_INFINITY, high: f64::INFINITY, above: false, below: false }
    }
}

impl Bounds {
    /// Keeps the numbers for which the comparison is true.
    pub(super) fn narrow(&mut self, cmp: Cmp, to: Interval, is_whole: bool) {
        let to = to.low;
        let (at_least, at_most) = match cmp {
            Cmp::Lt => (None, Some((to, true))),
            Cmp::Le => (None, Some((to, false))),
            Cmp::Gt => (Some((to, true)), None),
            Cmp::Ge => (Some((to, false)), None),
            Cmp::Eq => (Some((to, false)), Some((to, false))),
            Cmp::Ne => return,
        };
        // For whole numbers, `> 2` is `>= 3`.
        let whole_low = |(it, open): (f64, bool)| {
            if is_whole { (if open { it.floor() + 1.0 } else { it.ceil() }, false) } else { (it, open) }
        };
        let whole_high = |(it, open): (f64, bool)| {
            if is_whole { (if open { it.ceil() - 1.0 } else { it.floor() }, false) } else { (it, open) }
        };
        if let Some((low, open)) = at_least.map(whole_low)
            && (low > self.low || (low == self.low && open))
        {
            (self.low, self.above) = (low, open);
        }
        if let Some((high, open)) = at_most.map(whole_high)
            && (high < self.high || (high == self.high && open))
        {
            (self.high, self.below) = (high, open);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.low > self.high || (self.low == self.high && (self.above || self.below))
    }
}
