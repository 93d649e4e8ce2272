//! Words and values as RON has them: for drawings of leaves, for assets and for manifests.

use std::borrow::Cow;
use std::fmt::Write;

use crate::syntax::{Args, Data, Value};

/// Writes items one after the other.
fn push_list<T>(text: &mut String, items: impl Iterator<Item = T>, push: impl Fn(&mut String, T)) {
    for (place, item) in items.enumerate() {
        if place > 0 {
            text.push_str(", ");
        }
        push(text, item);
    }
}

/// Writes the parameters of a host's leaf, on one line.
pub(crate) fn args(text: &mut String, args: Args<'_>) {
    match args {
        Args::None => {}
        Args::Tuple(values) => push_list(text, values, push_value),
        Args::Named(fields) => push_list(text, fields, |text, (name, value)| match value.written_with(name) {
            Some(written) => text.push_str(written),
            None => {
                text.push_str(&ident(name.text));
                text.push_str(": ");
                push_value(text, value);
            }
        }),
    }
}

pub(crate) fn push_value(text: &mut String, it: Value<'_>) {
    match it.data() {
        Data::Text(it) => push_quoted(text, it),
        Data::Literal(it) => text.push_str(it),
        Data::List(items) => {
            text.push('[');
            push_list(text, items, push_value);
            text.push(']');
        }
        Data::Map(entries) => {
            text.push('{');
            push_list(text, entries.entries(), |text, (key, value)| {
                push_value(text, key);
                text.push_str(": ");
                push_value(text, value);
            });
            text.push('}');
        }
        Data::Call(name, args) => {
            if let Some(name) = name {
                text.push_str(&ident(name.text));
            }
            if let Args::Tuple(_) | Args::Named(_) = args {
                text.push('(');
                self::args(text, args);
                text.push(')');
            }
        }
    }
}

/// An identifier as RON takes it: with `r#` before it only if RON would not read it otherwise
/// (`r#3d`, `r#a-b`). Words of any alphabet are identifiers as they are: `сила`.
pub(crate) fn ident(text: &str) -> Cow<'_, str> {
    let plain = text.starts_with(|it| it == '_' || begins(it)) && text.chars().all(continues);
    if plain { text.into() } else { format!("r#{text}").into() }
}

/// What an identifier can begin with.
#[cfg(feature = "text")]
fn begins(it: char) -> bool {
    unicode_ident::is_xid_start(it)
}

/// What can follow in an identifier.
#[cfg(feature = "text")]
fn continues(it: char) -> bool {
    unicode_ident::is_xid_continue(it)
}

/// What an identifier can begin with. This build reads no text, so nothing has to read it back: the
/// letters that the standard library knows will do.
#[cfg(not(feature = "text"))]
fn begins(it: char) -> bool {
    it.is_alphabetic()
}

/// What can follow in an identifier: the characters of a raw one, except its signs.
#[cfg(not(feature = "text"))]
fn continues(it: char) -> bool {
    !matches!(it, '.' | '+' | '-')
}

/// A string as RON has it.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    quoted
}

pub(crate) fn push_quoted(quoted: &mut String, text: &str) {
    quoted.push('"');
    // Most are ASCII without anything to escape.
    if text.bytes().all(|it| matches!(it, b' '..=b'~') && it != b'"' && it != b'\\') {
        quoted.push_str(text);
        quoted.push('"');
        return;
    }
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            it if it.is_control() => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(it));
            }
            it => quoted.push(it),
        }
    }
    quoted.push('"');
}
