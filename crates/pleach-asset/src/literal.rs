//! Numbers as RON writes them.

use std::ops::RangeInclusive;

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
    // Rust's own parser is faster and knows all but underscores, suffixes and other bases.
    text.parse().ok().or_else(|| number(text).map(|it| it.double)).filter(|_| is_number(text))
}

/// As [`float`], without the detour over 64 bits, which could round twice.
pub(crate) fn float32(value: &Value) -> Option<f32> {
    match &value.data {
        Data::Literal(text) => {
            text.parse().ok().or_else(|| number(text).map(|it| it.single)).filter(|_| is_number(text))
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
#[derive(Clone, Copy)]
pub(crate) enum Int {
    Signed(i64),
    Unsigned(u64),
}

pub(crate) fn int(value: &Value) -> Option<Int> {
    match &value.data {
        Data::Literal(text) if is_number(text) => {
            text.parse().ok().map(Int::Signed).or_else(|| number(text).and_then(|it| it.int))
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

/// What a number can be read as.
struct Number {
    /// Those with the suffix of another type are none.
    int: Option<Int>,
    double: f64,
    single: f32,
}

/// Whether it is a number, or a range of them.
pub(crate) fn is_valid(text: &str) -> bool {
    let is = |it: &str| number(it).is_some();
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    if digits(text) || text.split_once('.').is_some_and(|(whole, part)| digits(whole) && digits(part)) {
        return true;
    }
    let range = |(from, to): (&str, &str)| {
        (from.is_empty() || is(from)) && (to.is_empty() || is(to.strip_prefix('=').unwrap_or(to)))
    };
    is(text) || text.split_once("..").is_some_and(range)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let based = [("0b", 2), ("0o", 8), ("0x", 16)];
    match based.iter().find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, *base))) {
        Some((digits, base)) => whole(text.starts_with('-'), digits, base),
        None => whole(text.starts_with('-'), digits, 10).or_else(|| fraction(text, digits)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "the nearest is what is meant")]
fn whole(negative: bool, digits: &str, base: u32) -> Option<Number> {
    let (digits, suffix) = digits.split_at(digits.find(['i', 'u']).unwrap_or(digits.len()));
    let range: RangeInclusive<i128> = match suffix {
        "" => i64::MIN.into()..=u64::MAX.into(),
        "i8" => i8::MIN.into()..=i8::MAX.into(),
        "i16" => i16::MIN.into()..=i16::MAX.into(),
        "i32" => i32::MIN.into()..=i32::MAX.into(),
        "i64" => i64::MIN.into()..=i64::MAX.into(),
        "u8" => 0..=u8::MAX.into(),
        "u16" => 0..=u16::MAX.into(),
        "u32" => 0..=u32::MAX.into(),
        "u64" => 0..=u64::MAX.into(),
        _ => return None,
    };
    if digits.starts_with(['_', '+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(&digits.replace('_', ""), base).ok()?;
    let value = Some(if negative { -value } else { value }).filter(|it| range.contains(it))?;
    let int = i64::try_from(value).map(Int::Signed).or_else(|_| u64::try_from(value).map(Int::Unsigned)).ok();
    let int = int.filter(|_| matches!(suffix, "" | "i64" | "u64"));
    Some(Number { int, double: value as f64, single: value as f32 })
}

/// `text` with its sign, `digits` without.
fn fraction(text: &str, digits: &str) -> Option<Number> {
    let suffix = ["f32", "f64"].into_iter().find(|it| digits.ends_with(it)).unwrap_or_default();
    let digits = &digits[..digits.len() - suffix.len()];
    let part = |it: u8| it.is_ascii_digit() || b"eE.+-_".contains(&it);
    let odd = digits.starts_with('_') || digits.contains("._") || !digits.bytes().all(part);
    if odd && !matches!(digits, "inf" | "NaN") {
        return None;
    }
    let text = text[..text.len() - suffix.len()].replace('_', "");
    let (double, single) = (text.parse().ok()?, text.parse().ok()?);
    Some(match suffix {
        "f32" => Number { int: None, double: f64::from(single), single },
        "f64" => Number { int: None, double, single: narrow(double) },
        _ => Number { int: None, double, single },
    })
}
