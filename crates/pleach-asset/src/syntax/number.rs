//! Numbers as RON writes them: with underscores, in four bases, and with type suffixes.

/// A number of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

/// The whole text as a number of any type; one that does not fit into 64 bits is a float.
pub(crate) fn number(text: &str) -> Option<Number> {
    let (floating, whole) = (run(text, is_float), run(text, is_int));
    let int = if floating > whole { None } else { integer(text) };
    int.map(|it| Number::Int(it.0)).or_else(|| float(text).map(Number::Float))
}

/// How many of these follow the sign.
fn run(text: &str, of: fn(char) -> bool) -> usize {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    unsigned.find(|it| !of(it)).unwrap_or(unsigned.len())
}

/// The whole text as an integer, and its type suffix. Without a suffix it fits into an `i64` if it
/// is negative, and into a `u64` otherwise.
pub(crate) fn integer(text: &str) -> Option<(i128, &str)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(it) => (true, it),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes = [("0b", 2), ("0o", 8), ("0x", 16)];
    let based = prefixes.iter().find_map(|(prefix, base)| Some((rest.strip_prefix(prefix)?, *base)));
    let (rest, base) = based.unwrap_or((rest, 10));
    let (digits, suffix) = rest.split_at(rest.find(|it| !is_int(it)).unwrap_or(rest.len()));
    if digits.is_empty() || digits.starts_with('_') {
        return None;
    }
    let mut value = 0_i128;
    for it in digits.chars().filter(|it| *it != '_') {
        value = value * i128::from(base) + i128::from(it.to_digit(base)?);
        if value > u64::MAX.into() {
            return None;
        }
    }
    let value = if negative { -value } else { value };
    let (least, most): (i128, i128) = match suffix {
        "" if negative => (i64::MIN.into(), 0),
        "" => (0, u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" => (i64::MIN.into(), i64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        _ => return None,
    };
    (least..=most).contains(&value).then_some((value, suffix))
}

/// The whole text as a float, rounded once to its suffix.
fn float(text: &str) -> Option<f64> {
    let (digits, suffix) = float_parts(text)?;
    if suffix == "f32" { digits.parse::<f32>().ok().map(f64::from) } else { digits.parse().ok() }
}

/// The whole text as a 32-bit float, unless its suffix says 64.
pub(crate) fn float32(text: &str) -> Option<f32> {
    let (digits, suffix) = float_parts(text)?;
    if suffix == "f64" { None } else { digits.parse().ok() }
}

/// A float as Rust reads it, and its suffix.
fn float_parts(text: &str) -> Option<(String, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(suffix) = unsigned.strip_prefix("inf").or(unsigned.strip_prefix("NaN")) {
        let digits = text[..text.len() - suffix.len()].to_owned();
        return matches!(suffix, "" | "f32" | "f64").then_some((digits, suffix));
    }
    let (written, suffix) = text.split_at(text.find(|it| !is_float(it)).unwrap_or(text.len()));
    if !matches!(suffix, "" | "f32" | "f64") || written.contains("..") {
        return None;
    }
    // Underscores may follow digits.
    let (mut digits, mut after_digit) = (String::with_capacity(written.len()), false);
    for it in written.chars() {
        match it {
            '_' if after_digit => continue,
            '_' => return None,
            '.' => after_digit = false,
            '+' | '-' => {}
            _ => after_digit = true,
        }
        digits.push(it);
    }
    Some((digits, suffix))
}

fn is_int(it: char) -> bool {
    it.is_ascii_hexdigit() || it == '_'
}

fn is_float(it: char) -> bool {
    it.is_ascii_digit() || matches!(it, 'e' | 'E' | '.' | '+' | '-' | '_')
}
