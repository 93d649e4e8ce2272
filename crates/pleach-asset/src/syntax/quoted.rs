//! Strings, characters and byte strings as RON writes them.

/// A string without its quotes and escapes. The error is the place in it of an escape that does not
/// exist.
pub(super) fn text(literal: &str) -> Result<String, usize> {
    if let Some(hashes) = literal.strip_prefix('r') {
        return raw(hashes).map(str::to_owned).ok_or(0);
    }
    let inner = literal.strip_prefix('"').and_then(|it| it.strip_suffix('"')).ok_or(0_usize)?;
    let mut out = String::with_capacity(inner.len());
    escaped(inner, false, &mut |it| match it {
        Escape::Char(it) => out.push(it),
        Escape::Byte(it) => out.push(it.into()),
    })
    .map_err(|left| literal.len() - 1 - left)?;
    Ok(out)
}

/// Whether it is a byte string.
pub(super) fn is_bytes(literal: &str) -> bool {
    let Some(rest) = literal.strip_prefix('b') else { return false };
    if let Some(hashes) = rest.strip_prefix('r') {
        return raw(hashes).is_some();
    }
    let inner = rest.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inner.is_some_and(|it| escaped(it, true, &mut |_| {}).is_ok())
}

/// The character that is meant.
pub(crate) fn character(literal: &str) -> Option<char> {
    match inner_letter(literal)? {
        (Escape::Char(it), "'") => Some(it),
        (Escape::Byte(it), "'") if it.is_ascii() => Some(it.into()),
        _ => None,
    }
}

fn inner_letter(literal: &str) -> Option<(Escape, &str)> {
    let inner = literal.strip_prefix('\'')?;
    match inner.strip_prefix('\\') {
        Some(rest) => escape(rest),
        None => first(inner).map(|(it, rest)| (Escape::Char(it), rest)),
    }
}

/// Whether it is a byte, such as `b'a'`.
pub(super) fn is_byte(literal: &str) -> bool {
    let Some(letter) = literal.strip_prefix('b') else { return false };
    // An escape of a character with `\u` is not one of a byte.
    match inner_letter(letter) {
        Some((Escape::Byte(_), "'")) => true,
        Some((Escape::Char(it), "'")) => it.is_ascii() && !letter.starts_with("'\\"),
        _ => false,
    }
}

/// The text between the quotes of a raw string, without its `r`.
fn raw(hashes: &str) -> Option<&str> {
    let quoted = hashes.trim_start_matches('#');
    let ending = &hashes[..hashes.len() - quoted.len()];
    quoted.strip_prefix('"')?.strip_suffix(ending)?.strip_suffix('"')
}

/// One character, or one byte that need not be one.
enum Escape {
    Char(char),
    Byte(u8),
}

/// All characters of a string. The error is how much of it remains where a wrong escape begins.
fn escaped(inner: &str, binary: bool, take: &mut dyn FnMut(Escape)) -> Result<(), usize> {
    let mut rest = inner;
    while let Some((it, behind)) = first(rest) {
        let wrong = rest.len();
        rest = behind;
        if it == '"' {
            return Err(wrong);
        }
        if it != '\\' {
            take(Escape::Char(it));
            continue;
        }
        // A line that continues on the next.
        if let Some(next) = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')) {
            rest = next.trim_start_matches([' ', '\t', '\n', '\r']);
            continue;
        }
        let (it, behind) = escape(rest).ok_or(wrong)?;
        rest = behind;
        match it {
            Escape::Byte(first) if !binary && !first.is_ascii() => {
                let (it, behind) = utf8(first, rest).ok_or(wrong)?;
                rest = behind;
                take(Escape::Char(it));
            }
            it => take(it),
        }
    }
    Ok(())
}

/// A character of several bytes, each of which is an escape; the first has been read.
fn utf8(first: u8, mut rest: &str) -> Option<(char, &str)> {
    let mut bytes = vec![first];
    while bytes.len() < 4 {
        let (byte, behind) = hex(rest.strip_prefix("\\x")?, 2)?;
        bytes.push(u8::try_from(byte).ok()?);
        rest = behind;
        if let Ok(text) = str::from_utf8(&bytes) {
            return text.chars().next().map(|it| (it, rest));
        }
    }
    None
}

/// What a backslash before this means, and what follows.
fn escape(rest: &str) -> Option<(Escape, &str)> {
    let (it, behind) = first(rest)?;
    let byte = match it {
        '\'' | '"' | '\\' => it,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'x' => {
            let (value, behind) = hex(behind, 2)?;
            return Some((Escape::Byte(u8::try_from(value).ok()?), behind));
        }
        'u' => {
            let digits = behind.strip_prefix('{')?;
            let count = digits.find('}').filter(|it| (1..=6).contains(it))?;
            let (value, behind) = hex(digits, count)?;
            return Some((Escape::Char(char::from_u32(value)?), behind.strip_prefix('}')?));
        }
        _ => return None,
    };
    Some((Escape::Byte(u8::try_from(byte).ok()?), behind))
}

/// Reads `count` hexadecimal digits.
fn hex(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let valid = digits.bytes().all(|it| it.is_ascii_hexdigit());
    valid.then(|| u32::from_str_radix(digits, 16).ok()).flatten().map(|it| (it, rest))
}

fn first(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|it| (it, chars.as_str()))
}
