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

/// The name of a slot's key begins with this: no expression can write it (SEMANTICS 9.4).
pub const SLOT: &str = "slot:";

/// The name of a token's key begins with this: no expression can write it (SEMANTICS 8.36).
pub const TOKEN: &str = "token:";

/// Whether a key can have this name: one that expressions can write, or one of a slot or a token.
#[must_use]
pub fn is_key_name(name: &str) -> bool {
    is_name(name.strip_prefix(SLOT).or_else(|| name.strip_prefix(TOKEN)).unwrap_or(name))
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
        self.at += self.count(|it| matches!(it, b'\t'..=b'\r' | b' '), char::is_whitespace);
        let start = self.at;
        let bytes = &self.source.as_bytes()[start..];
        let Some(&first) = bytes.first() else { return Ok((Token::End, start..start)) };
        if first.is_ascii_digit() {
            return self.number();
        }
        let is_name = match first {
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => true,
            _ => !first.is_ascii() && self.source[start..].starts_with(starts_name),
        };
        if is_name {
            self.at += self.count(continues_name_in_ascii, continues_name);
            let token = match &self.source[start..self.at] {
                "or" => Token::Operator(Operator::Or),
                "and" => Token::Operator(Operator::And),
                "not" => Token::Not,
                _ => Token::Name,
            };
            return Ok((token, start..self.at));
        }
        let compare = |cmp| Token::Operator(Operator::Compare(cmp));
        let arith = |op| Token::Operator(Operator::Arith(op));
        let (token, len) = match (first, bytes.get(1)) {
            (b'|', Some(b'|')) => (Token::Operator(Operator::Or), 2),
            (b'&', Some(b'&')) => (Token::Operator(Operator::And), 2),
            (b'=', Some(b'=')) => (compare(Cmp::Eq), 2),
            (b'!', Some(b'=')) => (compare(Cmp::Ne), 2),
            (b'<', Some(b'=')) => (compare(Cmp::Le), 2),
            (b'>', Some(b'=')) => (compare(Cmp::Ge), 2),
            // Other languages write `!=` this way.
            (b'<', Some(b'>')) => return Err(self.no_token()),
            (b'<', _) => (compare(Cmp::Lt), 1),
            (b'>', _) => (compare(Cmp::Gt), 1),
            (b'!', _) => (Token::Not, 1),
            (b'+', _) => (arith(Arith::Add), 1),
            (b'-', _) => (arith(Arith::Sub), 1),
            (b'*', _) => (arith(Arith::Mul), 1),
            (b'/', _) => (arith(Arith::Div), 1),
            (b'%', _) => (arith(Arith::Rem), 1),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            (b',', _) => (Token::Comma, 1),
            (b'.', _) => (Token::Dot, 1),
            _ => return Err(self.no_token()),
        };
        self.at += len;
        Ok((token, start..self.at))
    }

    /// Reports that no token begins here.
    #[cold]
    fn no_token(&self) -> ExprError {
        let found = self.source[self.at..].chars().next().unwrap_or_default();
        let mut span = self.at..self.at + found.len_utf8();
        let kind = match found {
            '=' if self.source[..self.at].ends_with('=') => ExprErrorKind::UnexpectedChar { found, instead: None },
            '=' => {
                let instead = match self.source.as_bytes().get(self.at + 1) {
                    Some(b'<') => "<=",
                    Some(b'>') => ">=",
                    _ => "==",
                };
                span.end += usize::from(instead != "==");
                ExprErrorKind::UnexpectedChar { found, instead: Some(instead) }
            }
            '<' => {
                span.end += 1;
                ExprErrorKind::UnexpectedChar { found, instead: Some("!=") }
            }
            '"' | '\'' => ExprErrorKind::Quote { found, help: Some(Help::Unquoted) },
            '&' => ExprErrorKind::UnexpectedChar { found, instead: Some("&&") },
            '|' => ExprErrorKind::UnexpectedChar { found, instead: Some("||") },
            _ => ExprErrorKind::UnexpectedChar { found, instead: None },
        };
        ExprError { span, kind }
    }

    fn number(&mut self) -> Result<(Token, Range<usize>), ExprError> {
        let start = self.at;
        let (mut whole, mut well_formed) = (true, self.digits());
        let at = |of: &Self| of.source.as_bytes().get(of.at).copied();
        if at(self) == Some(b'.') {
            whole = false;
            self.at += 1;
            well_formed &= self.digits();
        }
        if let Some(b'e' | b'E') = at(self) {
            whole = false;
            self.at += 1;
            self.at += usize::from(matches!(at(self), Some(b'+' | b'-')));
            well_formed &= self.digits();
        }
        let rest = self.count(continues_name_in_ascii, continues_name);
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

    /// Skips digits. Returns whether there was one.
    fn digits(&mut self) -> bool {
        let count = self.count(u8::is_ascii_digit, |it| it.is_ascii_digit());
        self.at += count;
        count > 0
    }

    /// The length in bytes of the next characters of that kind. Most are ASCII, which need not be
    /// decoded: `ascii` agrees with `kind` for these.
    #[inline]
    fn count(&self, ascii: impl Fn(&u8) -> bool, kind: impl Fn(char) -> bool) -> usize {
        let rest = &self.source.as_bytes()[self.at..];
        let mut here = 0;
        while here < rest.len() && ascii(&rest[here]) {
            here += 1;
        }
        match rest.get(here) {
            Some(it) if !it.is_ascii() => {
                let rest = &self.source[self.at + here..];
                here + rest.find(|c| !kind(c)).unwrap_or(rest.len())
            }
            _ => here,
        }
    }
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn continues_name_in_ascii(it: &u8) -> bool {
    matches!(it, b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')
}
