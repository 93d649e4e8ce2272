//! The lexical part of RON, as far as we have to know it ourselves: white space, comments, where
//! literals end, and whether brackets match. What words and literals are is left to the `ron`
//! crate. What is read is written, compared and dropped by recursion, so nesting is bounded before.

use pleach_core::limits::MAX_DEPTH;

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

fn is_white(it: char) -> bool {
    matches!(
        it,
        ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C' | '\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_word(it: u8) -> bool {
    it.is_ascii_alphanumeric() || it == b'_' || it >= 0x80
}

/// The end of the comment that begins at `at`; `None` if none does, and the end of the source if it
/// is not closed.
fn comment(source: &str, at: usize) -> Option<usize> {
    let rest = source.get(at..)?;
    if rest.starts_with("//") {
        return Some(rest.find('\n').map_or(source.len(), |it| at + it + 1));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let bytes = rest.as_bytes();
    let (mut level, mut here) = (0, 0);
    while here < bytes.len() {
        match &bytes[here..bytes.len().min(here + 2)] {
            b"/*" => {
                level += 1;
                here += 2;
            }
            b"*/" => {
                level -= 1;
                here += 2;
                if level == 0 {
                    return Some(at + here);
                }
            }
            _ => here += 1,
        }
    }
    Some(source.len())
}

/// The first place at or after `at` that is neither white space, nor in a comment, nor one of
/// `also`.
pub(crate) fn skip(source: &str, mut at: usize, also: &[char]) -> usize {
    loop {
        let Some(rest) = source.get(at..) else { return source.len() };
        at += rest.len() - rest.trim_start_matches(|it| is_white(it) || also.contains(&it)).len();
        match comment(source, at) {
            Some(end) => at = end,
            None => return at,
        }
    }
}

/// Whether a named field stands at `at`: an identifier and a colon.
pub(crate) fn named(source: &str, at: usize) -> bool {
    let rest = source.get(at..).unwrap_or_default();
    let raw = rest.strip_prefix("r#");
    let bare = raw.unwrap_or(rest);
    // Of other alphabets RON takes more than letters and digits: combining marks, for one.
    let part = |it: char| match it {
        '.' | '+' | '-' => raw.is_some(),
        it => it.is_ascii_alphanumeric() || it == '_' || (!it.is_ascii() && !is_white(it)),
    };
    let end = bare.find(|it| !part(it)).unwrap_or(bare.len());
    end > 0 && source[skip(source, at + rest.len() - bare.len() + end, &[])..].starts_with(':')
}

/// The end of a string, character or raw string that begins at `at`: `None` if it is none, `Err` if
/// it does not end.
fn quoted(source: &str, at: usize) -> Option<Result<usize, ()>> {
    let bytes = source.as_bytes();
    let rest = &bytes[at..];
    let prefix = rest.iter().take_while(|it| matches!(it, b'b' | b'r')).count();
    let raw = match &rest[..prefix] {
        b"" | b"b" => false,
        b"r" | b"br" => true,
        _ => return None,
    };
    let hashes = rest[prefix..].iter().take_while(|it| **it == b'#').count();
    match rest.get(prefix + hashes) {
        Some(b'"') if raw => {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = at + prefix + hashes + 1;
            Some(source[body..].find(&close).map(|it| body + it + close.len()).ok_or(()))
        }
        Some(b'"') if hashes == 0 => {
            let mut here = at + prefix + 1;
            loop {
                match bytes.get(here) {
                    None => return Some(Err(())),
                    Some(b'\\') => here += 2,
                    Some(b'"') => return Some(Ok(here + 1)),
                    Some(_) => here += 1,
                }
            }
        }
        Some(b'\'') if hashes == 0 && !raw => {
            // A character may itself be a quote or a bracket; anything longer is left to the parser
            // to complain about.
            let body = &source[at + prefix + 1..];
            let length = if body.starts_with('\\') {
                2 + body.get(2..)?.find('\'')? + 1
            } else {
                let first = body.chars().next()?.len_utf8();
                if !body[first..].starts_with('\'') {
                    return None;
                }
                first + 1
            };
            (length <= 16).then_some(Ok(at + prefix + 1 + length))
        }
        _ => None,
    }
}

/// The end of the literal that begins at `at`.
pub(crate) fn literal_end(source: &str, at: usize) -> usize {
    if at >= source.len() || !source.is_char_boundary(at) {
        return source.len();
    }
    match quoted(source, at) {
        Some(end) => end.unwrap_or(source.len()),
        None => {
            let rest = &source[at..];
            let ends = |it: char| is_white(it) || matches!(it, ',' | ':' | '/' | '(' | ')' | '[' | ']' | '{' | '}');
            at + rest.find(ends).unwrap_or(rest.len())
        }
    }
}

/// Checks that brackets match and are not nested too deep, in one pass over the source.
pub(crate) fn brackets(source: &str) -> Result<(), Finding> {
    let bytes = source.as_bytes();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'/' => match comment(source, at) {
                Some(end) => {
                    if end == source.len() && bytes[at + 1] == b'*' && !source.ends_with("*/") {
                        return Err(Finding::error(Span::new(at, at + 2), "this comment is never closed"));
                    }
                    at = end;
                    continue;
                }
                None => at += 1,
            },
            b'"' | b'\'' | b'r' | b'b' => match quoted(source, at) {
                Some(Ok(end)) => {
                    at = end;
                    continue;
                }
                Some(Err(())) => {
                    return Err(Finding::error(Span::new(at, at + 1), "this string is never closed"));
                }
                None => at += 1,
            },
            b'(' | b'[' | b'{' => {
                open.push(at);
                if open.len() > MAX_NESTING {
                    let message = format!("nested too deep: more than {MAX_NESTING} brackets inside each other");
                    return Err(Finding::error(Span::new(at, at + 1), message)
                        .help("a node and its list of children are two of them"));
                }
                at += 1;
            }
            b')' | b']' | b'}' => {
                let Some(opener) = open.pop() else {
                    let message = format!("this `{}` closes nothing", byte as char);
                    return Err(Finding::error(Span::new(at, at + 1), message));
                };
                let wanted = match bytes[opener] {
                    b'(' => ')',
                    b'[' => ']',
                    _ => '}',
                };
                if wanted != byte as char {
                    let message = format!("expected `{wanted}`, found `{}`", byte as char);
                    let also = (Span::new(opener, opener + 1), "opened here".to_owned());
                    return Err(Finding::error(Span::new(at, at + 1), message).also(also.0, also.1));
                }
                at += 1;
            }
            _ => {}
        }
        // Identifiers as a whole, so that the `r` or `b` at the end of one does not begin a string.
        if is_word(byte) {
            while bytes.get(at).is_some_and(|it| is_word(*it)) {
                at += 1;
            }
        } else if !matches!(byte, b'/' | b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}') {
            at += 1;
        }
    }
    match open.last() {
        Some(&at) => {
            let message = format!("this `{}` is never closed", bytes[at] as char);
            Err(Finding::error(Span::new(at, at + 1), message))
        }
        None => Ok(()),
    }
}

/// The place in the source of a byte of a string's text. `literal` is the string as it is written,
/// at `at`.
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
        assert_eq!(literal_end("1.5, 2", 0), 3);
        assert_eq!(literal_end(r#""a\"b" ,"#, 0), 6);
        assert_eq!(literal_end("')',", 0), 3);
        assert_eq!(literal_end(r##"r#"a"b"#, 1"##, 0), 8);
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
