//! The tokens of RON: what stands where, and what strings and characters mean. Numbers are in
//! [`literal`](crate::literal).
//!
//! A token is found without a look at what is in it, so that each place in a source belongs to one,
//! however wrong the source is. A test has the `ron` crate as the judge.

use std::borrow::Cow;

use pleach_core::limits::MAX_DEPTH;
use unicode_ident::{is_xid_continue, is_xid_start};

use crate::report::Finding;
use crate::span::Span;

/// How deep brackets of any kind may stand inside each other. A composite with its list of children
/// takes two of them, a decorator one: enough for as many nodes inside each other as a tree can
/// have, and for the parameters of the innermost.
pub const MAX_NESTING: usize = 2 * MAX_DEPTH + MAX_PARAMETER_NESTING;

/// How deep brackets may stand inside each other in the parameters of a host's leaf, its own
/// parentheses included. Its type is read by recursion.
pub const MAX_PARAMETER_NESTING: usize = 128;

/// The longest source, in bytes.
pub const MAX_SOURCE: usize = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The end of the source.
    End,
    /// A bracket, a comma, a colon; or any other character that begins nothing.
    Sign(char),
    /// An identifier, raw or not.
    Word,
    /// What begins as a number does.
    Number,
    /// A string, raw or not.
    Text,
    /// A character or a byte.
    Letter,
    /// A byte string, raw or not.
    Bytes,
    /// The beginning of a string or comment that does not end: which of both.
    Unclosed(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start..self.end]
    }
}

/// The first token at or after `at`, behind white space and comments.
pub(crate) fn token(source: &str, at: usize) -> Token {
    let start = skip(source, at);
    let rest = &source[start..];
    let bytes = rest.as_bytes();
    let token = |kind, length| Token { kind, start, end: start + length };
    let Some(&first) = bytes.first() else { return token(Kind::End, 0) };
    if matches!(first, b'"' | b'\'' | b'b' | b'r')
        && let Some((kind, length)) = quoted(rest)
    {
        return token(kind, length);
    }
    if rest.starts_with("/*") {
        return token(Kind::Unclosed("comment"), 2);
    }
    if first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.') {
        let part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '+' | '-' | '.' | '=');
        return token(Kind::Number, rest.find(|it| !part(it)).unwrap_or(rest.len()));
    }
    match word(rest) {
        0 => {
            let sign = rest.chars().next().unwrap_or_default();
            token(Kind::Sign(sign), sign.len_utf8())
        }
        length => token(Kind::Word, length),
    }
}

fn skip(source: &str, mut at: usize) -> usize {
    let white = |it| {
        matches!(it, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C' | '\u{85}' | '\u{200E}' | '\u{200F}')
            || matches!(it, '\u{2028}' | '\u{2029}')
    };
    loop {
        let rest = source[at..].trim_start_matches(white);
        at = source.len() - rest.len();
        match comment(rest) {
            0 => return at,
            length => at += length,
        }
    }
}

/// The length of the comment that `rest` begins with; 0 if it begins with none that ends.
fn comment(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if !rest.starts_with("/*") {
        return 0;
    }
    let (mut level, mut here) = (0, 0);
    while let Some(pair) = rest.as_bytes().get(here..here + 2) {
        match pair {
            b"/*" => level += 1,
            b"*/" => level -= 1,
            _ => {
                here += 1;
                continue;
            }
        }
        here += 2;
        if level == 0 {
            return here;
        }
    }
    0
}

/// The length of the identifier that `rest` begins with.
fn word(rest: &str) -> usize {
    let end =
        |from: usize, part: fn(char) -> bool| rest[from..].find(|it| !part(it)).map_or(rest.len(), |it| from + it);
    if rest.starts_with("r#") && end(2, is_raw) > 2 {
        return end(2, is_raw);
    }
    // Most are ASCII.
    let ascii = rest.bytes().position(|it| !it.is_ascii_alphanumeric() && it != b'_').unwrap_or(rest.len());
    if rest.starts_with(|it| it == '_' || is_xid_start(it)) { end(ascii, is_xid_continue) } else { 0 }
}

/// Whether it may be in an identifier behind `r#`.
pub(crate) fn is_raw(it: char) -> bool {
    matches!(it, '.' | '+' | '-') || is_xid_continue(it)
}

/// The string, character or byte string that `rest` begins with, and its length.
fn quoted(rest: &str) -> Option<(Kind, usize)> {
    let bytes = rest.as_bytes();
    let prefix = rest.len() - rest.trim_start_matches(['b', 'r']).len();
    let (raw, binary) = match &rest[..prefix] {
        "" => (false, false),
        "b" => (false, true),
        "r" => (true, false),
        "br" => (true, true),
        _ => return None,
    };
    let hashes = if raw { bytes[prefix..].iter().take_while(|it| **it == b'#').count() } else { 0 };
    let body = prefix + hashes + 1;
    match bytes.get(body - 1)? {
        b'"' => {}
        b'\'' if !raw => {
            // It may itself be a quote or a bracket. The longest is an escape of six digits.
            let letter = rest[body..].chars().next()?.len_utf8();
            let first = if bytes[body] == b'\\' { body + 2 } else { body + letter };
            let last = if bytes[body] == b'\\' { body + 10 } else { first };
            let end = (first..=last).find(|it| bytes.get(*it) == Some(&b'\''))?;
            return Some((Kind::Letter, end + 1));
        }
        _ => return None,
    }
    let end = if raw {
        let ending = format!("\"{}", "#".repeat(hashes));
        rest[body..].find(&ending).map(|it| body + it + ending.len())
    } else {
        let mut here = body;
        loop {
            match bytes.get(here) {
                None => break None,
                Some(b'\\') => here += 2,
                Some(b'"') => break Some(here + 1),
                Some(_) => here += 1,
            }
        }
    };
    let kind = if binary { Kind::Bytes } else { Kind::Text };
    Some(end.map_or((Kind::Unclosed("string"), 1), |it| (kind, it)))
}

/// What stands between the quotes of a string or byte string, and where that begins.
fn body(literal: &str) -> (usize, &str) {
    let quote = |it: Option<usize>| it.unwrap_or_default();
    let (start, end) = (quote(literal.find('"')) + 1, quote(literal.rfind('"')));
    (start, literal.get(start..end).unwrap_or_default())
}

/// What a string or byte string stands for. An error is about the character at that place of the
/// literal.
pub(crate) fn text(literal: &str) -> Result<Cow<'_, str>, (usize, &'static str)> {
    let (start, body) = body(literal);
    if literal.starts_with('r') || literal.starts_with("br") || !body.contains('\\') {
        return Ok(body.into());
    }
    let text = decode(body, usize::MAX, literal.starts_with('b'));
    text.map(|it| it.0.into()).map_err(|(at, message)| (start + at, message))
}

/// The place in the source of a byte of a string's text. `literal` is the string as it is written,
/// at `at`.
pub(crate) fn inside(literal: &str, at: usize, offset: usize) -> usize {
    let (start, body) = body(literal);
    let offset = if literal.starts_with('r') { Ok(offset) } else { decode(body, offset, false).map(|it| it.1) };
    at + start + offset.unwrap_or_default()
}

/// Decodes the body of a string until it has so many bytes; and where that ends. An error is about
/// the character at that place.
fn decode(body: &str, enough: usize, binary: bool) -> Result<(String, usize), (usize, &'static str)> {
    let (mut text, mut here) = (String::new(), 0);
    while let (true, Some(first)) = (text.len() < enough, body[here..].chars().next()) {
        if first == '\\' {
            let (length, letter) = escape(&body[here..], binary).map_err(|it| (here + 1, it))?;
            text.extend(letter);
            here += length;
        } else {
            text.push(first);
            here += first.len_utf8();
        }
    }
    Ok((text, here))
}

/// What a character stands for, or a byte.
pub(crate) fn letter(literal: &str) -> Result<char, (usize, &'static str)> {
    let (prefix, body) = literal.split_once('\'').unwrap_or_default();
    let body = body.strip_suffix('\'').unwrap_or(body);
    let binary = prefix == "b";
    let (length, letter) = match body.chars().next() {
        Some('\\') => escape(body, binary).map_err(|it| (prefix.len() + 2, it))?,
        first => (first.map_or(0, char::len_utf8), first),
    };
    // What several bytes stand for is allowed in strings alone, and other alphabets not in bytes.
    let narrow = body.starts_with("\\x") && length > 4 || binary && (body.starts_with("\\u") || !body.is_ascii());
    match letter {
        Some(it) if length == body.len() && !narrow => Ok(it),
        _ => Err((prefix.len() + 1, "this is not a character")),
    }
}

/// How long an escape is, and what it stands for: nothing if the string goes on in the next line.
/// In byte strings `\x` is any byte; elsewhere as many as a character has.
fn escape(rest: &str, binary: bool) -> Result<(usize, Option<char>), &'static str> {
    let hex = |digits: &str| match digits.bytes().all(|it| it.is_ascii_hexdigit()) {
        true => u32::from_str_radix(digits, 16).map_err(|_| "expected hexadecimal digits"),
        false => Err("non-hex digit found"),
    };
    let letter = match rest.as_bytes().get(1) {
        Some(it @ (b'\'' | b'"' | b'\\')) => char::from(*it),
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'0') => '\0',
        Some(b'x') => {
            let mut bytes = Vec::new();
            while let (..4, Some(digits)) = (bytes.len(), rest[4 * bytes.len()..].strip_prefix("\\x")) {
                bytes.extend(u8::try_from(hex(digits.get(..2).unwrap_or("-"))?));
                let letter = if binary {
                    Some(char::from(bytes[0]))
                } else {
                    str::from_utf8(&bytes).ok().and_then(|it| it.chars().next())
                };
                if letter.is_some() {
                    return Ok((4 * bytes.len(), letter));
                }
            }
            return Err("not a valid byte-escaped Unicode character");
        }
        Some(b'u') => {
            let digits = rest[2..].strip_prefix('{').ok_or("missing { in Unicode escape")?;
            let digits = digits.split_once('}').ok_or("no } at the end of Unicode escape")?.0;
            if !(1..=6).contains(&digits.len()) {
                return Err("expected 1-6 digits in Unicode escape");
            }
            let letter = char::from_u32(hex(digits)?).ok_or("not a valid Unicode-escaped character")?;
            return Ok(("\\u{}".len() + digits.len(), Some(letter)));
        }
        Some(b'\n' | b'\r') if rest[1..].starts_with("\r\n") || rest[1..].starts_with('\n') => {
            let next = rest[1..].trim_start_matches([' ', '\t', '\n', '\r']);
            return Ok((rest.len() - next.len(), None));
        }
        _ => return Err("unknown escape character"),
    };
    Ok((2, Some(letter)))
}

/// Checks that brackets match and are not nested too deep, and that what begins ends.
pub(crate) fn brackets(source: &str) -> Result<(), Finding> {
    let mut open: Vec<(Token, char)> = Vec::new();
    let mut at = 0;
    loop {
        let next = token(source, at);
        at = next.end;
        let closing = match next.kind {
            Kind::End => break,
            Kind::Unclosed(what) => return Err(Finding::error(next.span(), format!("this {what} is never closed"))),
            Kind::Sign('(') => ')',
            Kind::Sign('[') => ']',
            Kind::Sign('{') => '}',
            Kind::Sign(it @ (')' | ']' | '}')) => match open.pop() {
                None => return Err(Finding::error(next.span(), format!("this `{it}` closes nothing"))),
                Some((_, wanted)) if wanted == it => continue,
                Some((opener, wanted)) => {
                    let finding = Finding::error(next.span(), format!("expected `{wanted}`, found `{it}`"));
                    return Err(finding.also(opener.span(), "opened here"));
                }
            },
            _ => continue,
        };
        open.push((next, closing));
        if open.len() > MAX_NESTING {
            return Err(too_deep(next));
        }
    }
    match open.last() {
        Some((it, _)) => Err(Finding::error(it.span(), format!("this `{}` is never closed", it.text(source)))),
        None => Ok(()),
    }
}

pub(crate) fn too_deep(bracket: Token) -> Finding {
    let message = format!("nested too deep: more than {MAX_NESTING} brackets inside each other");
    Finding::error(bracket.span(), message).help("a node and its list of children are two of them")
}
