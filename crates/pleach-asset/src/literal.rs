//! Numbers as RON writes them.

use crate::syntax::{self, Args, Data, Number};

/// A number, if it is one; `inf` and `NaN` too, which RON writes as names.
pub(crate) fn float(data: Data<'_>) -> Option<f64> {
    match data {
        Data::Literal(text) => parse_float(text),
        Data::Call(Some(name), Args::None) if matches!(name.text, "inf" | "NaN") => Some(f64::NAN),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | '.'))
}

pub(crate) fn parse_float(text: &str) -> Option<f64> {
    // Rust's own parser is faster and knows all but underscores, suffixes and other bases.
    let other = || match syntax::number(text)? {
        Number::Int(it) => Some(wide(it)),
        Number::Float(it) => Some(it),
    };
    text.parse().ok().or_else(other).filter(|_| is_number(text))
}

/// The nearest 64-bit number.
#[allow(clippy::cast_precision_loss, reason = "rounding is what is wanted")]
fn wide(it: i128) -> f64 {
    it as f64
}

/// As [`float`], without the detour over 64 bits, which could round twice.
pub(crate) fn float32(data: Data<'_>) -> Option<f32> {
    match data {
        Data::Literal(text) => parse_float32(text),
        _ => float(data).map(|_| f32::NAN),
    }
}

fn parse_float32(text: &str) -> Option<f32> {
    let other = || syntax::float32(text).or_else(|| parse_float(text).map(narrow));
    text.parse().ok().or_else(other).filter(|_| is_number(text))
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

pub(crate) fn int(data: Data<'_>) -> Option<Int> {
    match data {
        Data::Literal(text) => parse_int(text),
        _ => None,
    }
}

fn parse_int(text: &str) -> Option<Int> {
    if !is_number(text) {
        return None;
    }
    if let Ok(it) = text.parse() {
        return Some(Int::Signed(it));
    }
    let (it, suffix) = syntax::integer(text)?;
    let signed = i64::try_from(it).ok().filter(|_| matches!(suffix, "" | "i64")).map(Int::Signed);
    signed.or_else(|| u64::try_from(it).ok().filter(|_| matches!(suffix, "" | "u64")).map(Int::Unsigned))
}

/// A whole number that is written as one.
pub(crate) fn whole(text: &str) -> Option<i64> {
    match parse_int(text)? {
        Int::Signed(it) => Some(it),
        Int::Unsigned(it) => i64::try_from(it).ok(),
    }
}

pub(crate) fn unsigned(data: Data<'_>) -> Option<u64> {
    match int(data)? {
        Int::Signed(it) => u64::try_from(it).ok(),
        Int::Unsigned(it) => Some(it),
    }
}

pub(crate) fn signed(data: Data<'_>) -> Option<i64> {
    match data {
        Data::Literal(text) => whole(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the numbers of `ron`, as each of the types that parameters have.
    fn judge(text: &str) -> bool {
        let same = |here: f64, there: f64| here.to_bits() == there.to_bits() || (here.is_nan() && there.is_nan());
        let any = match ron::from_str(text) {
            Ok(ron::Value::Number(it)) => Some(it.into_f64()),
            _ => None,
        };
        let plain: Option<f64> = text.parse().ok();
        match (parse_float(text), plain.or(any).filter(|_| is_number(text))) {
            (None, None) => {}
            (Some(here), Some(there)) if same(here, there) => {}
            it => panic!("{text}: {it:?}"),
        }
        let plain: Option<f32> = text.parse().ok();
        let there = plain.or_else(|| ron::from_str(text).ok()).or_else(|| any.map(narrow)).filter(|_| is_number(text));
        match (parse_float32(text), there) {
            (None, None) => {}
            (Some(here), Some(there)) if same(here.into(), there.into()) => {}
            it => panic!("{text}: {it:?}"),
        }
        let number = is_number(text);
        let plain: Option<i64> = text.parse().ok();
        let there: Option<i64> = plain.or_else(|| ron::from_str(text).ok()).filter(|_| number);
        let unsigned: Option<u64> = ron::from_str(text).ok().filter(|_| number);
        match (parse_int(text), there, unsigned) {
            (Some(Int::Signed(here)), Some(there), _) if here == there => {}
            (Some(Int::Unsigned(here)), None, Some(there)) if here == there => {}
            (None, None, None) => {}
            (_, signed, unsigned) => panic!("{text}: {signed:?} {unsigned:?}"),
        }
        any.is_some() && number
    }

    /// Tries all texts of `count` of these parts; returns how many are right.
    fn judge_all(parts: &[&str], count: u32, judge: impl Fn(&str) -> bool) -> usize {
        let one = |number: usize| {
            let mut rest = number;
            let text: String = (0..count).map(|_| (parts[rest % parts.len()], rest /= parts.len()).0).collect();
            usize::from(judge(&text))
        };
        (0..parts.len().pow(count)).map(one).sum()
    }

    #[test]
    fn numbers_mean_what_they_mean_in_ron() {
        let parts = ["0x", "0b", "0o", "0", "1", "7", "_", "-", "+", ".", "e", "a", "inf", "NaN", "255", "128"];
        let large = ["12345678901234567890", "9223372036854775808", "0.1", "1e300", "1e39", "16777217"];
        let suffixes = ["i8", "u8", "i16", "u32", "i64", "u64", "f32", "f64", ".."];
        let parts = [&parts[..], &large, &suffixes].concat();
        let right: usize = (1..=4).map(|count| judge_all(&parts, count, judge)).sum();
        assert!(right > 10_000, "{right}");
    }

    #[test]
    fn characters_mean_what_they_mean_in_ron() {
        let judge = |text: &str| {
            let here = syntax::character(text);
            assert_eq!(here, ron::from_str(text).ok(), "{text}");
            here.is_some()
        };
        let parts = ["\\", "x", "4", "f", "u{", "}", "n", "0", "\n", " ", "\"", "'", "é", "1f333", "d800"];
        let mut right = 0;
        for (before, after) in [("'", "'"), ("'\\", "'"), ("'\\x", "'"), ("'\\u{", "}'")] {
            let whole = |text: &str| judge(&format!("{before}{text}{after}"));
            right += (0..=3).map(|count| judge_all(&parts, count, whole)).sum::<usize>();
        }
        assert!(right > 50, "{right}");
    }
}
