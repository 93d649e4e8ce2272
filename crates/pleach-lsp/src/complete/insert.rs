//! One thing that can be inserted.

use std::fmt::Write as _;

use serde_json::json;

use super::List;
use crate::fields::{Field, Role, Stands};
use crate::syntax::Shape;

/// Its icon in the list: kinds of the protocol.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Node = 7,
    Leaf = 3,
    Field = 5,
    Key = 6,
    Port = 10,
    Value = 12,
    Keyword = 14,
    File = 17,
    Word = 20,
    Event = 23,
}

#[derive(Clone, Debug)]
pub(super) struct Insert {
    label: String,
    kind: Kind,
    /// The inserted text, with the stops `$1` of a snippet.
    text: String,
    is_snippet: bool,
    detail: String,
    docs: String,
    rank: u8,
}

impl Insert {
    pub(super) fn new(label: &str, kind: Kind) -> Self {
        let (label, text) = (label.to_owned(), label.to_owned());
        Insert { label, kind, text, is_snippet: false, detail: String::new(), docs: String::new(), rank: 1 }
    }

    pub(super) fn snippet(mut self, text: &str) -> Self {
        self.is_snippet = text.contains('$');
        self.text = text.to_owned();
        self
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        self.text = text.to_owned();
        self
    }

    /// With more after it.
    pub(super) fn with(mut self, more: &str) -> Self {
        self.text.push_str(more);
        self
    }

    pub(super) fn detail(mut self, it: &str) -> Self {
        self.detail = it.to_owned();
        self
    }

    pub(super) fn docs(mut self, it: String) -> Self {
        self.docs = it;
        self
    }

    /// Lower ranks come first.
    pub(super) fn rank(mut self, it: u8) -> Self {
        self.rank = it;
        self
    }
}

impl List<'_, '_> {
    pub(super) fn push(&mut self, it: Insert) {
        // Replaces what is written there: a word, or the text of a string.
        let replaced = self.cursor.touched.filter(|it| self.doc.syntax.get(*it).shape != Shape::Literal);
        let span = replaced.map(|it| self.doc.syntax.word_span(&self.doc.text, it));
        let span = span.filter(|it| it.start <= self.byte && self.byte <= it.end);
        self.push_at(it, &span.unwrap_or(self.byte..self.byte));
    }

    pub(super) fn push_at(&mut self, it: Insert, span: &std::ops::Range<usize>) {
        let Insert { label, kind, text, is_snippet, detail, docs, rank } = it;
        let text = if is_snippet && !self.has_snippets { without_stops(&text) } else { text };
        let edit = json!({ "range": self.doc.lines.range(&self.doc.text, span), "newText": text });
        let format = if is_snippet && self.has_snippets { 2 } else { 1 };
        let mut item = json!({
            "label": label, "kind": kind as u8, "textEdit": edit, "insertTextFormat": format,
            "sortText": format!("{rank}{label}"),
        });
        // An editor filters by the replaced text, which may contain quotes.
        item["filterText"] = label.into();
        if !detail.is_empty() {
            item["detail"] = detail.into();
        }
        if !docs.is_empty() {
            item["documentation"] = json!({ "kind": "markdown", "value": docs.trim_end() });
        }
        self.items.push(item);
    }
}

/// A value of a role with a stop of that number.
pub(super) fn value_of(role: Role<'_>, stop: usize) -> String {
    match role {
        Role::Expr | Role::Text | Role::NodeName | Role::Names(_) | Role::Declares(_) => format!("\"${stop}\""),
        Role::Node(Stands::Test) => format!("${stop}"),
        Role::ListOf(_) => format!("[${stop}]"),
        Role::MapOf(_) => format!("{{ ${stop} }}"),
        _ => format!("${stop}"),
    }
}

/// A call with these fields: its label in a list, and the inserted text.
pub(super) fn snippet_of<'g>(name: &str, fields: impl Iterator<Item = Field<'g>>) -> (String, String) {
    let (mut label, mut text) = (String::new(), String::new());
    for (at, field) in fields.enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        write!(text, "{comma}{}: {}", field.name, value_of(field.role, at + 1)).unwrap_or_default();
        write!(label, "{comma}{}: ..", field.name).unwrap_or_default();
    }
    if text.is_empty() && !name.is_empty() {
        return (name.to_owned(), name.to_owned());
    }
    (format!("{name}({label})"), format!("{name}({text})"))
}

/// The text of a snippet for an editor without snippets.
fn without_stops(snippet: &str) -> String {
    let mut out = String::new();
    let mut rest = snippet;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some((stop, behind)) => {
                out.push_str(stop.split_once(':').map_or("", |it| it.1));
                rest = behind;
            }
            None => rest = rest.trim_start_matches(|it: char| it.is_ascii_digit()),
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_can_be_left_out() {
        assert_eq!(without_stops("Float(${1:0.0}, $2)$0"), "Float(0.0, )");
    }
}
