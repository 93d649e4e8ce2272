//! Single tokens that can mean more than they say: escapes, suffixes, other alphabets and the like.
//!
//! Correct tokens are read here, the same in every build. The `ron` crate words the errors, if the
//! feature `reports` enables it. Its ranges, which no asset has, are wrong.

use unicode_ident::{is_xid_continue, is_xid_start};

use super::{number, quoted};
use crate::code::Code;
use crate::finding::Finding;
use crate::lex::{self, Kind, Token};
use crate::span::Span;
use crate::suggest::{Advice, Edit, list};

/// The attributes before the value: which extensions are on. None of them changes what is read.
const EXTENSIONS: [&str; 4] = ["unwrap_newtypes", "implicit_some", "unwrap_variant_newtypes", "explicit_struct_names"];

/// Where the attributes that begin at a `#` end.
pub(super) fn attributes(source: &str, start: usize) -> Result<usize, Finding> {
    attributes_end(source, start).ok_or_else(|| wrong::attributes(source, start))
}

/// The text of a string.
pub(super) fn text(source: &str, token: Token) -> Result<String, Finding> {
    quoted::text(token.text(source)).or_else(|at| wrong::text(source, token, at))
}

/// Whether a word, number, character or byte string is one.
pub(super) fn check(source: &str, token: Token) -> Result<(), Finding> {
    let text = token.text(source);
    let right = match token.kind {
        Kind::Word => is_word(text),
        Kind::Number => number::number(text).is_some(),
        Kind::Letter => quoted::character(text).is_some() || quoted::is_byte(text),
        Kind::Bytes => quoted::is_bytes(text),
        Kind::Text | Kind::End | Kind::Sign(_) | Kind::Unclosed => false,
    };
    // Two in a row are a range in RON.
    let points = token.kind == Kind::Number && text.matches('.').count() > 1 && !text.contains("..");
    if right {
        return Ok(());
    }
    if points {
        return Err(no_token(source, token));
    }
    wrong::token(source, token).map_err(|it| it.maybe_help(lex::foreign(text)))
}

fn is_word(text: &str) -> bool {
    if let Some(raw) = text.strip_prefix("r#") {
        return !raw.is_empty() && raw.chars().all(|it| matches!(it, '.' | '+' | '-') || is_xid_continue(it));
    }
    text.starts_with(|it| it == '_' || is_xid_start(it)) && text.chars().all(is_xid_continue)
}

fn attributes_end(source: &str, start: usize) -> Option<usize> {
    let mut end = start;
    let mut next = lex::token(source, start);
    while next.kind == Kind::Sign('#') {
        let mut take = || {
            let token = next;
            next = lex::token(source, token.end());
            end = token.end();
            token
        };
        for sign in ['#', '!', '['] {
            (take().kind == Kind::Sign(sign)).then_some(())?;
        }
        match take().text(source) {
            "enable" => {
                (take().kind == Kind::Sign('(')).then_some(())?;
                let is_known = |it: Token| {
                    let text = it.text(source);
                    EXTENSIONS.contains(&text.strip_prefix("r#").unwrap_or(text))
                };
                let (mut token, mut count) = (take(), 0);
                while is_known(token) {
                    count += 1;
                    token = take();
                    if token.kind != Kind::Sign(',') {
                        break;
                    }
                    // The last may have one, too.
                    token = take();
                }
                (count > 0 && token.kind == Kind::Sign(')')).then_some(())?;
            }
            "type" | "schema" => {
                (take().kind == Kind::Sign('=')).then_some(())?;
                let value = take();
                (value.kind == Kind::Text && quoted::text(value.text(source)).is_ok()).then_some(())?;
            }
            _ => return None,
        }
        (take().kind == Kind::Sign(']')).then_some(())?;
    }
    Some(end)
}

/// For messages.
pub(super) fn quote(text: &str) -> String {
    if text.contains(char::is_control) { format!("`{}`", text.escape_debug()) } else { format!("`{text}`") }
}

fn no_attribute(start: usize) -> Finding {
    let finding = Finding::new(Code::Syntax, Span::new(start, start + 1), "unknown attribute");
    finding.help(format!("use `#![enable(..)]` with {}", list(&EXTENSIONS)))
}

fn no_token(source: &str, token: Token) -> Finding {
    let text = token.text(source);
    let finding = Finding::new(Code::Token, token.span, format!("{} is neither a name nor a number", quote(text)));
    // A number with its unit.
    let number = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let Some(value) = number.parse::<f64>().ok().filter(|_| number.len() < text.len()) else {
        let is_number = text.starts_with(|it: char| it.is_ascii_digit()) && text.matches('.').count() > 1;
        return if is_number { finding.help("a number has at most one point") } else { finding };
    };
    let seconds = match &text[number.len()..] {
        "s" | "f" => number.to_owned(),
        "ms" => format!("{:?}", value / 1000.0),
        // Only the author knows what it means in seconds.
        _ => {
            return finding.help(format!(
                "write only the number, as in `{number}`: a number has no unit, and times are in seconds"
            ));
        }
    };
    finding.help(Advice::from(format!("write `{seconds}`: a number has no unit")).edit(Edit::Instead(seconds)))
}

/// The error in the words of `ron`. What `ron` accepts all the same is right.
#[cfg(feature = "reports")]
mod wrong {
    use ron::value::RawValue;
    use serde_core::Deserialize;

    use super::{Code, Finding, Span, Token, no_attribute, no_token};

    pub(super) fn attributes(source: &str, start: usize) -> Finding {
        match ron::Deserializer::from_str(&source[start..]) {
            Err(it) => Finding::new(Code::Syntax, Span::new(start, start + 1), lower(&it.code)),
            Ok(_) => no_attribute(start),
        }
    }

    pub(super) fn text(source: &str, token: Token, _: usize) -> Result<String, Finding> {
        read(source, token)
    }

    pub(super) fn token(source: &str, token: Token) -> Result<(), Finding> {
        read::<&RawValue>(source, token).map(|_| ())
    }

    fn read<'s, T: Deserialize<'s>>(source: &'s str, token: Token) -> Result<T, Finding> {
        let text = token.text(source);
        let mut at = token.start();
        let read = ron::Deserializer::from_str(text).map_err(|it| it.code).and_then(|mut ron| {
            let result = T::deserialize(&mut ron);
            at = token.end() - ron.remainder().len();
            result
        });
        match read {
            Ok(it) if at == token.end() => {
                // A range: the caller that takes it reports it.
                #[cfg(test)]
                assert!(text.contains(".."), "{text} is read by `ron` alone");
                Ok(it)
            }
            Ok(_) | Err(ron::Error::UnexpectedChar(_)) => Err(no_token(source, token)),
            Err(error) if at == token.start() => Err(Finding::new(Code::Token, token.span, lower(&error))),
            Err(error) => {
                // It stops within or after what it is about: show the character before.
                let before = source[..at].chars().next_back().map_or(0, char::len_utf8);
                Err(Finding::new(Code::Token, Span::new(at - before, at), lower(&error)))
            }
        }
    }

    fn lower(error: &ron::Error) -> String {
        let text = error.to_string();
        let mut chars = text.chars();
        chars.next().map(|it| it.to_lowercase().chain(chars).collect()).unwrap_or_default()
    }
}

/// The error in words of our own.
#[cfg(any(test, not(feature = "reports")))]
#[cfg_attr(feature = "reports", allow(dead_code, reason = "the tests of every build look at it"))]
mod own {
    use super::{Code, Finding, Kind, Span, Token, no_attribute, no_token};

    pub(super) fn attributes(_: &str, start: usize) -> Finding {
        no_attribute(start)
    }

    pub(super) fn text(source: &str, token: Token, at: usize) -> Result<String, Finding> {
        let start = token.start() + at;
        let shown = source[start..token.end()].chars().take(2).map(char::len_utf8).sum::<usize>();
        let finding = Finding::new(Code::Token, Span::new(start, start + shown), "unknown escape in a string");
        Err(finding.help("use `\\n`, `\\t`, `\\\"`, `\\\\`, `\\x41` or `\\u{e9}`; a backslash itself is `\\\\`"))
    }

    pub(super) fn token(source: &str, token: Token) -> Result<(), Finding> {
        let finding = match token.kind {
            Kind::Letter => Finding::new(Code::Token, token.span, "this is not one character"),
            Kind::Bytes => Finding::new(Code::Token, token.span, "this is not a byte string"),
            _ => no_token(source, token),
        };
        Err(finding)
    }
}

#[cfg(not(feature = "reports"))]
use own as wrong;

#[cfg(test)]
mod tests {
    use super::*;

    /// The error in a build without `ron`.
    fn told(source: &str) -> (String, String) {
        let token = lex::token(source, 0);
        let finding = match (token.kind, quoted::text(source)) {
            (Kind::Text, Err(at)) => own::text(source, token, at).expect_err("it is wrong"),
            (Kind::Sign('#'), _) => own::attributes(source, 0),
            _ => own::token(source, token).expect_err("it is wrong"),
        };
        (source[finding.span.start()..finding.span.end()].to_owned(), finding.message)
    }

    #[test]
    fn what_is_wrong_is_told_without_ron_too() {
        let told = |source| {
            let (shown, message) = told(source);
            format!("{shown}: {message}")
        };
        assert_eq!(told("12x"), "12x: `12x` is neither a name nor a number");
        assert_eq!(told("×a"), "×a: `×a` is neither a name nor a number");
        assert_eq!(told("\"é\\qé\""), "\\q: unknown escape in a string");
        assert_eq!(told("\"é\\u{110000}\""), "\\u: unknown escape in a string");
        assert_eq!(told("'\\q'"), "'\\q': this is not one character");
        assert_eq!(told("b\"\\q\""), "b\"\\q\": this is not a byte string");
        assert_eq!(told("#![enable(all)]"), "#: unknown attribute");
    }
}
