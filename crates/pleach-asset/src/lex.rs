//! The tokens of RON: what stands where. The insides of strings and numbers are not checked, so
//! that each place in a source belongs to one token, however wrong the source is.

mod indentation;
mod quotes;

use crate::code::Code;
use crate::finding::Finding;
use crate::limits::MAX_NESTING;
use crate::span::Span;
use crate::suggest::{Advice, Edit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The end of the source.
    End,
    /// A bracket, a comma, a colon; or any other character that begins nothing.
    Sign(char),
    /// An identifier, raw or not.
    Word,
    /// Something that begins like a number.
    Number,
    /// A string, raw or not.
    Text,
    /// A character or a byte.
    Letter,
    /// A byte string, raw or not.
    Bytes,
    /// The beginning of a string or comment that does not end.
    Unclosed,
}

/// Small enough to be handed around in two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// Whether it is known to be an ordinary word, number or string: right, and meaning exactly
    /// what is written. Others have to be checked.
    pub(crate) plain: bool,
}

impl Token {
    fn new(kind: Kind, start: usize, end: usize, plain: bool) -> Self {
        Token { kind, span: Span::new(start, end), plain }
    }

    pub(crate) fn start(self) -> usize {
        self.span.start()
    }

    pub(crate) fn end(self) -> usize {
        self.span.end()
    }

    pub(crate) fn text(self, source: &str) -> &str {
        &source[self.start()..self.end()]
    }
}

/// What an ASCII character can be a part of, one bit each.
const WHITE: u8 = 1;
const SIGN: u8 = 2;
const WORD: u8 = 4;
const DIGIT: u8 = 8;

/// The bits of each byte; those of other characters than ASCII have none.
static PARTS: [u8; 256] = {
    let mut parts = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        parts[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => WHITE,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b':' | b',' => SIGN,
            b'0'..=b'9' => WORD | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    parts
};

fn is(byte: u8, parts: u8) -> bool {
    PARTS[usize::from(byte)] & parts != 0
}

/// Where bytes of these parts that begin at `at` end. A hand-written loop takes fewer instructions
/// than an iterator's `position`.
#[inline(always)]
fn end_of(parts: u8, bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is(bytes[at], parts) {
        at += 1;
    }
    at
}

/// Where white space that begins at `at` ends.
#[inline]
fn end_of_white(bytes: &[u8], mut at: usize) -> usize {
    // Lines are indented.
    while let Some(b"    ") = bytes[at..].first_chunk() {
        at += 4;
    }
    end_of(WHITE, bytes, at)
}

/// The first token at or after `at`, skipping white space and comments.
#[inline]
pub(crate) fn token(source: &str, at: usize) -> Token {
    match common(source.as_bytes(), at) {
        Some(token) => token,
        None => any(source, at),
    }
}

/// The token, if it is of a usual form: a sign, an ASCII word without a prefix, digits with at most
/// one dot between them, a string without an escape; and not after a comment.
#[inline]
fn common(bytes: &[u8], at: usize) -> Option<Token> {
    let mut start = at;
    let mut first = *bytes.get(start)?;
    if is(first, WHITE) {
        start = end_of_white(bytes, start + 1);
        first = *bytes.get(start)?;
    }
    let parts = PARTS[usize::from(first)];
    if parts & SIGN != 0 {
        return Some(Token::new(Kind::Sign(char::from(first)), start, start + 1, false));
    }
    let (kind, end) = if parts & DIGIT != 0 {
        let end = end_of(DIGIT, bytes, start + 1);
        match bytes.get(end) {
            Some(b'.') if bytes.get(end + 1).is_some_and(u8::is_ascii_digit) => {
                (Kind::Number, end_of(DIGIT, bytes, end + 2))
            }
            _ => (Kind::Number, end),
        }
    } else if parts & WORD != 0 {
        // These may begin a string, and `r` a raw identifier.
        if matches!(first, b'b' | b'r') && matches!(bytes.get(start + 1), Some(b'b' | b'r' | b'#' | b'"' | b'\'')) {
            return None;
        }
        (Kind::Word, end_of(WORD, bytes, start + 1))
    } else if first == b'"' {
        let mut end = start + 1;
        while !matches!(bytes.get(end)?, b'"' | b'\\') {
            end += 1;
        }
        let whole = bytes[end] == b'"';
        return whole.then(|| Token::new(Kind::Text, start, end + 1, true));
    } else {
        return None;
    };
    // White space, quotes and so on that are not distinguished here take the slow path.
    let is_whole = bytes.get(end).is_none_or(|&it| is(it, WHITE | SIGN));
    is_whole.then(|| Token::new(kind, start, end, true))
}

/// A separate function, to keep its cost off the path of nearly all tokens.
#[cold]
#[inline(never)]
fn any(source: &str, at: usize) -> Token {
    let start = skip(source, at);
    let rest = &source[start..];
    let bytes = rest.as_bytes();
    let token = |kind, length| Token::new(kind, start, start + length, false);
    let Some(&first) = bytes.first() else { return token(Kind::End, 0) };
    if matches!(first, b'"' | b'\'' | b'b' | b'r')
        && let Some((kind, length)) = quoted(rest)
    {
        return token(kind, length);
    }
    if rest.starts_with("/*") {
        return token(Kind::Unclosed, 2);
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

fn is_white(it: char) -> bool {
    matches!(
        it,
        ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C' | '\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}'
    )
}

fn skip(source: &str, mut at: usize) -> usize {
    loop {
        let rest = source[at..].trim_ascii_start().trim_start_matches(is_white);
        at = source.len() - rest.len();
        match comment(rest) {
            0 => return at,
            length => at += length,
        }
    }
}

/// The first comment at or after `at`, if there is only white space before it.
#[cfg(feature = "reports")]
pub(crate) fn next_comment(source: &str, at: usize) -> Option<Span> {
    let rest = source[at..].trim_ascii_start().trim_start_matches(is_white);
    let start = source.len() - rest.len();
    match comment(rest) {
        0 => None,
        length => Some(Span::new(start, start + length)),
    }
}

/// The length of the comment that `rest` begins with; 0 if there is none, or it does not end.
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

/// The length of the identifier that `rest` begins with. In other alphabets, some of it may not be
/// allowed.
fn word(rest: &str) -> usize {
    let raw = rest.strip_prefix("r#").filter(|it| it.starts_with(is_raw));
    match raw {
        Some(it) => rest.len() - it.trim_start_matches(is_raw).len(),
        None => rest.find(|it| !is_part(it)).unwrap_or(rest.len()),
    }
}

fn is_part(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_' || (!it.is_ascii() && !is_white(it))
}

/// Whether it may be in an identifier after `r#`.
pub(crate) fn is_raw(it: char) -> bool {
    matches!(it, '.' | '+' | '-') || is_part(it)
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
    Some(end.map_or((Kind::Unclosed, 1), |it| (kind, it)))
}

/// The place in the source of a byte of a string's text. `literal` is the string as written, at
/// `at`.
pub(crate) fn inside(literal: &str, at: usize, offset: usize) -> usize {
    let start = literal.find('"').map_or(0, |it| it + 1);
    if literal.starts_with('r') {
        return at + start + offset;
    }
    let mut decoded = 0;
    let mut here = start;
    while decoded < offset {
        let rest = &literal[here..];
        let Some(first) = rest.chars().next() else { break };
        if first != '\\' {
            decoded += first.len_utf8();
            here += first.len_utf8();
            continue;
        }
        match rest.as_bytes().get(1) {
            Some(b'x') => {
                // Each of several `\x` of one character stands for one of its bytes.
                decoded += 1;
                here += 4;
            }
            Some(b'u') => {
                let end = rest.find('}').map_or(rest.len(), |it| it + 1);
                let digits = rest.get(3..end.saturating_sub(1)).unwrap_or_default();
                let value = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                decoded += value.map_or(1, char::len_utf8);
                here += end;
            }
            Some(b'\n' | b'\r') => {
                here += 1;
                here += literal[here..].len() - literal[here..].trim_start().len();
            }
            Some(_) => {
                decoded += 1;
                here += 2;
            }
            None => break,
        }
        if !literal.is_char_boundary(here.min(literal.len())) || here > literal.len() {
            return at + literal.len();
        }
    }
    at + here
}

/// Checks that brackets match and are not nested too deep, and that what begins ends.
pub(crate) fn brackets(source: &str) -> Result<(), Finding> {
    // Without the end of a string the next begins where it should end, and so on: the error that is
    // found may be far behind.
    matched(source).map_err(|it| {
        let found = quotes::runaway(source, it.span.start()).or_else(|| indentation::unclosed(source));
        found.unwrap_or(it)
    })
}

fn matched(source: &str) -> Result<(), Finding> {
    let mut open: Vec<(Token, char)> = Vec::new();
    let mut at = 0;
    loop {
        let next = token(source, at);
        at = next.end();
        let closing = match next.kind {
            Kind::End => break,
            Kind::Unclosed => {
                let what = if next.text(source) == "/*" { "comment" } else { "string" };
                return Err(Finding::new(Code::OpenString, next.span, format!("this {what} is never closed")));
            }
            Kind::Sign('(') => ')',
            Kind::Sign('[') => ']',
            Kind::Sign('{') => '}',
            Kind::Sign(it @ (')' | ']' | '}')) => match open.pop() {
                None => return Err(Finding::new(Code::Bracket, next.span, format!("this `{it}` closes nothing"))),
                Some((_, wanted)) if wanted == it => continue,
                Some((opener, wanted)) => {
                    let finding = Finding::new(Code::Bracket, next.span, format!("expected `{wanted}`, found `{it}`"));
                    return Err(finding.also(opener.span, "opened here"));
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
        Some((it, closing)) => {
            let finding = Finding::new(Code::Bracket, it.span, format!("this `{}` is never closed", it.text(source)));
            if open.len() > 1 {
                return Err(finding);
            }
            let end = source.trim_end().len();
            let insert = Edit::At(vec![(Span::new(end, end), format!("\n{closing}"))]);
            let last = indentation::last_of(source, it.end(), end);
            Err(finding
                .also(last, "the file ends here")
                .help(Advice::from(format!("write `{closing}` at the end of the file")).edit(insert)))
        }
        None => Ok(()),
    }
}

/// Help for a sign that means something in other languages, or that word processors write.
pub(crate) fn foreign(sign: &str) -> Option<Advice> {
    let instead = |text: &str, ours: &str| {
        let advice = Advice::from(text);
        if sign.len() == 1 { advice.edit(Edit::Instead(ours.into())) } else { advice }
    };
    Some(match sign.chars().next()? {
        '#' => instead("a comment begins with `//`", "//"),
        '“' | '”' | '„' | '‟' | '«' | '»' | '‘' | '’' | '`' => {
            "a string stands in straight quotes: `\"text\"`".into()
        }
        '\'' => "a string stands in double quotes: `\"text\"`".into(),
        '-' if sign.starts_with("--") => "a comment begins with `//`".into(),
        '<' if sign.starts_with("<!--") => "a comment begins with `//`".into(),
        ';' => instead("items are separated by `,`", ","),
        _ => return None,
    })
}

pub(crate) fn too_deep(bracket: Token) -> Finding {
    let message = format!("nested too deep: more than {MAX_NESTING} brackets inside each other");
    Finding::new(Code::Limit, bracket.span, message).help("a node and its list of children are two of them")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_place_inside_a_string() {
        assert_eq!(inside(r#""abc""#, 10, 1), 12);
        assert_eq!(inside(r#""a\nbc""#, 0, 2), 4);
        assert_eq!(inside(r#""\u{e9}x""#, 0, 2), 7);
        assert_eq!(inside(r##"r#"abc"#"##, 0, 1), 4);
        assert_eq!(inside("\"a\\\n   b\"", 0, 2), 8);
    }

    #[test]
    fn ends_literals() {
        let end = |source| token(source, 0).end();
        assert_eq!(end("1.5, 2"), 3);
        assert_eq!(end(r#""a\"b" ,"#), 6);
        assert_eq!(end("')',"), 3);
        assert_eq!(end(r##"r#"a"b"#, 1"##), 8);
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        assert!(brackets("(a: \"((\", /* [ */ b: '(', // {\n c: r#\"\"(\"#)").is_ok());
        assert!(brackets("(a: bar\"x\")").is_ok());
        assert!(brackets("(\"abc").is_err());
        assert!(brackets("(]").is_err());
        assert!(brackets(")").is_err());
        assert!(brackets("(/* ").is_err());
    }
}
