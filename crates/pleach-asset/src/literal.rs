//! Numbers as RON writes them.

use crate::syntax::{Args, Data, Value};

/// A number, if it is one; `inf` and `NaN` too, which RON writes as names.
pub(crate) fn float(value: &Value) -> Option<f64> {
    match &value.data {
        Data::Literal(text) => parse_float(text),
        Data::Call(Some(name), Args::None) if matches!(&*name.text, "inf" | "NaN") => Some(f64::NAN),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | '.'))
}

pub(crate) fn parse_float(text: &str) -> Option<f64> {
    // Rust's own parser is much faster and knows all but underscores, suffixes and other bases.
    let other = || match ron::from_str(text) {
        Ok(ron::Value::Number(it)) => Some(it.into_f64()),
        _ => None,
    };
    text.parse().ok().or_else(other).filter(|_| is_number(text))
}

/// As [`float`], without the detour over 64 bits, which could round twice.
pub(crate) fn float32(value: &Value) -> Option<f32> {
    match &value.data {
        Data::Literal(text) => {
            let other = || ron::from_str(text).ok().or_else(|| parse_float(text).map(narrow));
            text.parse().ok().or_else(other).filter(|_| is_number(text))
        }
        _ => float(value).map(|_| f32::NAN),
    }
}

/// The nearest 32-bit number.
#[allow(
    clippy::cast_possible_truncation,
    reason = "rounding is what is wanted, and what does not fit becomes infinite"
)]
fn narrow(it: f64) -> f32 {
    it as f32
}

/// A whole number that fits into an `i64` or a `u64`.
pub(crate) enum Int {
    Signed(i64),
    Unsigned(u64),
}

pub(crate) fn int(value: &Value) -> Option<Int> {
    match &value.data {
        Data::Literal(text) if is_number(text) => {
            let signed = text.parse().ok().or_else(|| ron::from_str(text).ok()).map(Int::Signed);
            signed.or_else(|| ron::from_str(text).ok().map(Int::Unsigned))
        }
        _ => None,
    }
}

pub(crate) fn unsigned(value: &Value) -> Option<u64> {
    match int(value)? {
        Int::Signed(it) => u64::try_from(it).ok(),
        Int::Unsigned(it) => Some(it),
    }
}

pub(crate) fn signed(value: &Value) -> Option<i64> {
    match int(value)? {
        Int::Signed(it) => Some(it),
        Int::Unsigned(it) => i64::try_from(it).ok(),
    }
}
