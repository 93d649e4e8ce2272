//! Turns source text into tokens, one at a time.

use std::ops::Range;

use super::code::{Arith, Cmp};
use super::error::{ExprError, ExprErrorKind};
use crate::limits::MAX_NAME;
use crate::names::Help;

/// The words of the language that no key and no word of a key can have as its name: two literals
/// and three operators.
pub const RESERVED: [&str; 5] = ["true", "false", "not", "and", "or"];

/// Whether this text can be the name of a key or a symbol in an expression: a letter or `_`, then
/// letters, digits and `_`, of any alphabet. [`RESERVED`] are never names.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.starts_with(starts_name) && name.chars().all(continues_name) && !RESERVED.contains(&name)
}

/// Whether a symbol key can declare this word: a name ([`is_name`]) of at most [`MAX_NAME`] bytes,
/// so that an expression can write it.
#[must_use]
pub fn is_word(word: &str) -> bool {
    word.len() <= MAX_NAME && is_name(word)
}

/// What the name of the key of a slot begins with: no expression can write it (SEMANTICS 9.4).
pub(crate) const SLOT: &str = "slot:";

/// Whether a key can have this name: one that expressions can write, or that of a slot.
pub(crate) fn is_key_name(name: &str) -> bool {
    is_name(name.strip_prefix(SLOT).unwrap_or(name))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    Name,
    /// Without a sign: the parser sees the sign, and -2^63 is an int while 2^63 is not.
    Int(u64),
    Float(f32),
    Operator(Operator),
    Not,
    Open,
    Close,
    Comma,
    Dot,
    End,
}

/// A token that can stand between two operands. A minus may also stand before one operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Or,
    And,
    Compare(Cmp),
    Arith(Arith),
}

impl Operator {
    /// A higher precedence binds tighter.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Compare(_) => 3,
            Operator::Arith(Arith::Add | Arith::Sub) => 4,
            Operator::Arith(Arith::Mul | Arith::Div | Arith::Rem | Arith::Min | Arith::Max) => 5,
        }
    }
}

#[derive(Debug)]
pub(super) struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Lexer { source, at: 0 }
    }

    /// The next token. After the end of the source always [`Token::End`].
    pub(super) fn next(&mut self) -> Result<(Token, Range<usize>), ExprError> {
        self.at += self.count(char::is_whitespace);
        let start = self.at;
        let mut chars = self.source[start..].chars();
        let Some(first) = chars.next() else { return Ok((Token::End, start..start)) };
        if first.is_ascii_digit() {
            return self.number();
        }
        if starts_name(first) {
            self.at += self.count(continues_name);
            let token = match &self.source[start..self.at] {
                "or" => Token::Operator(Operator::Or),
                "and" => Token::Operator(Operator::And),
                "not" => Token::Not,
                _ => Token::Name,
            };
            return Ok((token, start..self.at));
        }
        let second = chars.next();
        let compare = |cmp| Token::Operator(Operator::Compare(cmp));
        let arith = |op| Token::Operator(Operator::Arith(op));
        let (token, len) = match (first, second) {
            ('|', Some('|')) => (Token::Operator(Operator::Or), 2),
            ('&', Some('&')) => (Token::Operator(Operator::And), 2),
            ('=', Some('=')) => (compare(Cmp::Eq), 2),
            ('!', Some('=')) => (compare(Cmp::Ne), 2),
            ('<', Some('=')) => (compare(Cmp::Le), 2),
            ('>', Some('=')) => (compare(Cmp::Ge), 2),
            ('<', _) => (compare(Cmp::Lt), 1),
            ('>', _) => (compare(Cmp::Gt), 1),
            ('!', _) => (Token::Not, 1),
            ('+', _) => (arith(Arith::Add), 1),
            ('-', _) => (arith(Arith::Sub), 1),
            ('*', _) => (arith(Arith::Mul), 1),
            ('/', _) => (arith(Arith::Div), 1),
            ('%', _) => (arith(Arith::Rem), 1),
            ('(', _) => (Token::Open, 1),
            (')', _) => (Token::Close, 1),
            (',', _) => (Token::Comma, 1),
            ('.', _) => (Token::Dot, 1),
            ('"' | '\'', _) => {
                let kind = ExprErrorKind::Quote { found: first, help: Some(Help::Unquoted) };
                return Err(ExprError { span: start..start + 1, kind });
            }
            _ => {
                let instead = match first {
                    '&' => Some("&&"),
                    '|' => Some("||"),
                    '=' => Some("=="),
                    _ => None,
                };
                let kind = ExprErrorKind::UnexpectedChar { found: first, instead };
                return Err(ExprError { span: start..start + first.len_utf8(), kind });
            }
        };
        self.at += len;
        Ok((token, start..self.at))
    }

    fn number(&mut self) -> Result<(Token, Range<usize>), ExprError> {
        let start = self.at;
        self.at += self.count(|c| c.is_ascii_digit());
        let (mut whole, mut well_formed) = (true, true);
        if self.source[self.at..].starts_with('.') {
            whole = false;
            self.at += 1;
            well_formed &= self.digits();
        }
        if self.source[self.at..].starts_with(['e', 'E']) {
            whole = false;
            self.at += 1;
            self.at += usize::from(self.source[self.at..].starts_with(['+', '-']));
            well_formed &= self.digits();
        }
        let rest = self.count(continues_name);
        self.at += rest;
        let span = start..self.at;
        let text = &self.source[span.clone()];
        if rest > 0 || !well_formed {
            return Err(ExprError { span, kind: ExprErrorKind::MalformedNumber { text: text.to_owned() } });
        }
        let token = if whole {
            text.parse().ok().map(Token::Int)
        } else {
            text.parse().ok().filter(|x: &f32| x.is_finite()).map(Token::Float)
        };
        let out_of_range = || ExprErrorKind::NumberOutOfRange { text: text.to_owned() };
        token.map(|token| (token, span.clone())).ok_or_else(|| ExprError { span, kind: out_of_range() })
    }

    /// Skips digits. Tells whether there was one.
    fn digits(&mut self) -> bool {
        let count = self.count(|c| c.is_ascii_digit());
        self.at += count;
        count > 0
    }

    /// The length in bytes of the characters of that kind that come next.
    #[inline]
    fn count(&self, kind: impl Fn(char) -> bool) -> usize {
        let rest = &self.source[self.at..];
        // Most are ASCII, which need not be decoded.
        let ascii = rest.bytes().position(|it| !it.is_ascii() || !kind(char::from(it))).unwrap_or(rest.len());
        match rest.as_bytes().get(ascii) {
            Some(it) if !it.is_ascii() => rest[ascii..].find(|c| !kind(c)).map_or(rest.len(), |it| ascii + it),
            _ => ascii,
        }
    }
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
