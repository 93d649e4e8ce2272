//! Words and values as RON has them: for drawings of leaves, for assets and for manifests.

use std::borrow::Cow;
use std::fmt::Write;

use crate::syntax::{Args, Data, Value};

/// Writes items one behind the other.
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

/// An identifier as RON takes it: with `r#` if it may be one that is otherwise not allowed. That is
/// right for all of them, so letters of which Unicode has two opinions (whether they can stand
/// first, or be a part) need not be told apart.
pub(crate) fn ident(text: &str) -> Cow<'_, str> {
    let plain = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && (text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
            || text.chars().all(|it| it.is_alphanumeric() || it == '_'));
    if plain { text.into() } else { format!("r#{text}").into() }
}

/// A string as RON has it.
#[cfg(feature = "tools")]
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
