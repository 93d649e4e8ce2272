//! [`tokens`]: the tokens of a RON file, however wrong the file is, for editors.

use std::ops::Range;

use crate::lex::{self, Kind};
use crate::span;

/// What a token of a RON file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A bracket, a comma, a colon; or any other character that begins nothing.
    Sign(char),
    /// An identifier.
    Word,
    /// A number.
    Number,
    /// A string with its quotes. One that is not closed in its line ends with the line.
    Text,
    /// A comment.
    Comment,
    /// A character, a byte string, or a comment that does not end.
    Other,
}

/// A token and the bytes of the source that it takes.
pub type PlacedToken = (TokenKind, Range<usize>);

/// The tokens and comments of a source, in order. Takes any text: text that is not RON has tokens
/// too.
pub fn tokens(source: &str) -> impl Iterator<Item = PlacedToken> + '_ {
    let mut at = span::start(source);
    std::iter::from_fn(move || {
        if let Some(comment) = lex::next_comment(source, at) {
            at = comment.end();
            return Some((TokenKind::Comment, comment.start()..comment.end()));
        }
        let token = lex::token(source, at);
        let mut end = token.end();
        let kind = match token.kind {
            Kind::End => return None,
            Kind::Sign(it) => TokenKind::Sign(it),
            Kind::Word => TokenKind::Word,
            Kind::Number => TokenKind::Number,
            Kind::Text => {
                end = end_of_text(source, token.start(), end);
                TokenKind::Text
            }
            Kind::Unclosed if source[token.start()..].starts_with('"') => {
                end = end_of_line(source, token.start());
                TokenKind::Text
            }
            Kind::Letter | Kind::Bytes | Kind::Unclosed => TokenKind::Other,
        };
        at = end;
        Some((kind, token.start()..end))
    })
}

/// Where a string ends. One that runs on over its line, and is followed by something that cannot
/// stand there, lost its quote.
fn end_of_text(source: &str, start: usize, end: usize) -> usize {
    if !source[start..end].starts_with('"') || !source[start..end].contains('\n') {
        return end;
    }
    let next = lex::token(source, end);
    let is_whole = matches!(next.kind, Kind::Sign(',' | ':' | ')' | ']' | '}') | Kind::End);
    if is_whole { end } else { end_of_line(source, start) }
}

/// The end of a string that ends with its line: without trailing commas and brackets, though
/// parentheses may be its own.
fn end_of_line(source: &str, start: usize) -> usize {
    let line = source[start..].lines().next().unwrap_or_default();
    let mut text = line;
    let opened = line.matches('(').count();
    // How many of them stand in `text`.
    let mut closed = line.matches(')').count();
    loop {
        let shown = text.trim_end();
        let is_own = |sign: char| sign == ')' && closed <= opened;
        text = match shown.chars().next_back() {
            Some(sign @ (',' | ']' | '}' | ')')) if !is_own(sign) => {
                closed -= usize::from(sign == ')');
                &shown[..shown.len() - 1]
            }
            _ if text.len() == line.len() => return start + line.len().max(1),
            _ => return start + shown.len().max(1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).map(|it| &source[it.1]).collect()
    }

    #[test]
    fn every_text_has_tokens() {
        assert_eq!(texts("A(b: 1, // c\n \"d\")"), ["A", "(", "b", ":", "1", ",", "// c", "\"d\"", ")"]);
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("; é /* a"), [";", "é", "/*", "a"]);
    }

    #[test]
    fn a_string_that_is_not_closed_ends_with_its_line() {
        assert_eq!(texts("[A(\"min(a, b)),\n B(\"c\")]")[3..6], ["\"min(a, b)", ")", ","]);
        assert_eq!(texts("[A(\"b < \n"), ["[", "A", "(", "\"b < "]);
        assert_eq!(texts("[\"a\n b\", 1]"), ["[", "\"a\n b\"", ",", "1", "]"]);
        assert_eq!(texts("(\""), ["(", "\""]);
    }
}
