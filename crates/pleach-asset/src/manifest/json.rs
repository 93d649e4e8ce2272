//! As much of JSON as a schema needs, and values of assets in it.

use std::fmt::Write;

use crate::literal;
use crate::syntax::{self, Args, Data, Value};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl From<&str> for Json {
    fn from(it: &str) -> Self {
        Json::Text(it.into())
    }
}

impl From<String> for Json {
    fn from(it: String) -> Self {
        Json::Text(it)
    }
}

impl From<bool> for Json {
    fn from(it: bool) -> Self {
        Json::Bool(it)
    }
}

impl From<u64> for Json {
    fn from(it: u64) -> Self {
        Json::Number(it.to_string())
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

/// An object of these fields.
pub(super) fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.map(|(name, value)| (name.to_owned(), value)).into())
}

impl Json {
    /// An object with one more field.
    pub(super) fn with(mut self, name: &str, value: impl Into<Json>) -> Json {
        if let Json::Object(fields) = &mut self {
            fields.push((name.to_owned(), value.into()));
        }
        self
    }

    /// Over several lines.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, level: usize) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(it) => _ = write!(out, "{it}"),
            Json::Number(it) => out.push_str(it),
            Json::Text(it) => quoted(out, it),
            Json::List(items) => {
                let plain = items.iter().all(|it| !matches!(it, Json::List(_) | Json::Object(_)));
                brackets(out, level, ['[', ']'], items, plain, |out, it, level| it.write(out, level));
            }
            Json::Object(fields) => brackets(out, level, ['{', '}'], fields, false, |out, (name, value), level| {
                quoted(out, name);
                out.push_str(": ");
                value.write(out, level);
            }),
        }
    }
}

/// The content of brackets, on a line each unless it is `plain`.
fn brackets<T>(
    out: &mut String,
    level: usize,
    [open, close]: [char; 2],
    items: &[T],
    plain: bool,
    write: impl Fn(&mut String, &T, usize),
) {
    let line = |out: &mut String, level: usize| {
        if !plain {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", level));
        }
    };
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(if plain { ", " } else { "," });
        }
        line(out, level + 1);
        write(out, item, level + 1);
    }
    if !items.is_empty() {
        line(out, level);
    }
    out.push(close);
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for it in text.chars() {
        match it {
            '"' | '\\' => out.extend(['\\', it]),
            '\n' => out.push_str("\\n"),
            it if it.is_control() => _ = write!(out, "\\u{:04x}", u32::from(it)),
            it => out.push(it),
        }
    }
    out.push('"');
}

/// What an asset would write, as JSON, if that is possible.
pub(super) fn of_ron(text: &str) -> Option<Json> {
    of_value(syntax::read(&text.into()).ok()?.root())
}

fn of_value(value: Value<'_>) -> Option<Json> {
    match value.data() {
        Data::Text(it) => Some(it.into()),
        Data::Literal(it) if it.starts_with('\'') => syntax::character(it).map(|it| it.to_string().into()),
        data @ Data::Literal(_) => number(data),
        Data::List(items) => items.map(of_value).collect::<Option<Vec<Json>>>().map(Json::List),
        Data::Call(Some(name), Args::None) => match name.text {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            "None" => Some(Json::Null),
            "inf" | "NaN" => None,
            it => Some(it.into()),
        },
        Data::Call(..) | Data::Map(_) => None,
    }
}

fn number(data: Data<'_>) -> Option<Json> {
    if let Some(it) = literal::signed(data) {
        return Some(Json::Number(it.to_string()));
    }
    let it = literal::float(data).filter(|it| it.is_finite())?;
    Some(Json::Number(format!("{it:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_json() {
        let json = |text: &str| of_ron(text).map(|it| it.text().trim_end().to_owned());
        for (ron, expected) in [
            ("2.0", "2.0"),
            ("0x10", "16"),
            ("1e300", "1e300"),
            ("true", "true"),
            ("None", "null"),
            ("'a'", "\"a\""),
            (r#""a \"b\"""#, r#""a \"b\"""#),
            ("[1, 2]", "[1, 2]"),
            ("All", "\"All\""),
        ] {
            assert_eq!(json(ron).as_deref(), Some(expected), "{ron}");
        }
        for other in ["NaN", "Walk(2)", "{}", "", "("] {
            assert_eq!(json(other), None, "{other}");
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(Json::from("a\n\u{1b}\"").text(), "\"a\\n\\u001b\\\"\"\n");
    }
}
