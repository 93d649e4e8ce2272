//! Nodes of pleach, and their text.

use std::fmt::Write;
use std::ops::Range;

use crate::place::Place;

/// A node as it will be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: String,
    pub(crate) fields: Vec<(String, Value)>,
    /// The place of the original node.
    pub(crate) at: Option<Place>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Verbatim RON: a number, a word.
    Raw(String),
    Text(String),
    Node(Node),
    List(Vec<Value>),
    /// Keys are RON, too: `"body"`, `true`.
    Map(Vec<(String, Value)>),
    /// `(weight: 2.0, child: ..)`
    Group(Vec<(String, Value)>),
}

impl Node {
    pub(crate) fn new(kind: &str) -> Node {
        Node { kind: kind.into(), ..Node::default() }
    }

    pub(crate) fn with(mut self, field: &str, value: Value) -> Node {
        self.fields.push((field.into(), value));
        self
    }

    pub(crate) fn text(self, field: &str, text: impl Into<String>) -> Node {
        self.with(field, Value::Text(text.into()))
    }

    pub(crate) fn raw(self, field: &str, raw: impl Into<String>) -> Node {
        self.with(field, Value::Raw(raw.into()))
    }

    pub(crate) fn child(self, child: Node) -> Node {
        self.with("child", Value::Node(child))
    }

    pub(crate) fn children(self, children: impl IntoIterator<Item = Node>) -> Node {
        self.with("children", Value::List(children.into_iter().map(Value::Node).collect()))
    }

    pub(crate) fn check(expr: impl Into<String>) -> Node {
        Node::new("Check").text("expr", expr)
    }

    pub(crate) fn set(key: &str, to: impl Into<String>) -> Node {
        Node::new("Set").text("key", key).text("to", to)
    }

    pub(crate) fn sequence(children: impl IntoIterator<Item = Node>) -> Node {
        Node::new("Sequence").children(children)
    }

    pub(crate) fn selector(children: impl IntoIterator<Item = Node>) -> Node {
        Node::new("Selector").children(children)
    }

    /// Puts a field before the others, unless there is one.
    pub(crate) fn first(mut self, field: &str, value: Value) -> Node {
        if !self.fields.iter().any(|it| it.0 == field) {
            self.fields.insert(0, (field.into(), value));
        }
        self
    }
}

/// Fields that need no name if they are the only one.
const ALONE: [(&str, &str); 9] = [
    ("Check", "expr"),
    ("WaitUntil", "expr"),
    ("Wait", "seconds"),
    ("WaitTicks", "ticks"),
    ("Log", "text"),
    ("Emit", "event"),
    ("OnEvent", "event"),
    ("Node", "hole"),
    ("Nodes", "hole"),
];

/// A text, and the original places of its parts.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    pub(crate) text: String,
    marks: Vec<(Range<usize>, Place)>,
}

impl From<String> for Marked {
    fn from(text: String) -> Marked {
        Marked { text, marks: Vec::new() }
    }
}

impl Marked {
    /// Records that the text from this byte on was written for the place.
    pub(crate) fn mark(&mut self, from: usize, at: Place) {
        self.marks.push((from..self.text.len(), at));
    }

    /// The original place of the innermost part around a byte.
    pub(crate) fn place(&self, byte: usize) -> Option<Place> {
        let around = self.marks.iter().filter(|it| it.0.contains(&byte));
        around.min_by_key(|it| it.0.len()).map(|it| it.1)
    }

    pub(crate) fn node(&mut self, node: &Node) {
        let from = self.text.len();
        self.text.push_str(&node.kind);
        if let [(field, value)] = &*node.fields
            && (field == "children" || field == "child" || ALONE.contains(&(&*node.kind, &**field)))
        {
            self.text.push('(');
            self.value(value);
            self.text.push(')');
        } else if !node.fields.is_empty() {
            self.fields(&node.fields);
        }
        if let Some(at) = node.at {
            self.mark(from, at);
        }
    }

    fn fields(&mut self, fields: &[(String, Value)]) {
        self.text.push('(');
        for (at, (field, value)) in fields.iter().enumerate() {
            self.text.push_str(if at > 0 { ", " } else { "" });
            self.text.push_str(field);
            self.text.push_str(": ");
            self.value(value);
        }
        self.text.push(')');
    }

    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Raw(it) => self.text.push_str(it),
            Value::Text(it) => push_quoted(&mut self.text, it),
            Value::Node(it) => self.node(it),
            Value::List(items) => {
                self.text.push('[');
                for (at, it) in items.iter().enumerate() {
                    self.text.push_str(if at > 0 { ", " } else { "" });
                    self.value(it);
                }
                self.text.push(']');
            }
            Value::Map(entries) => {
                self.text.push('{');
                for (at, (key, it)) in entries.iter().enumerate() {
                    self.text.push_str(if at > 0 { ", " } else { " " });
                    self.text.push_str(key);
                    self.text.push_str(": ");
                    self.value(it);
                }
                self.text.push_str(if entries.is_empty() { "}" } else { " }" });
            }
            Value::Group(fields) => self.fields(fields),
        }
    }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            it if it.is_control() => _ = write!(out, "\\u{{{:x}}}", u32::from(it)),
            it => out.push(it),
        }
    }
    out.push('"');
}

/// A number as RON and expressions write it.
pub(crate) fn number(text: &str) -> String {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return whole.to_string();
    }
    match text.parse::<f64>() {
        // Never with an exponent.
        Ok(it) if it.is_finite() => {
            let text = it.to_string();
            if text.contains('.') { text } else { text + ".0" }
        }
        _ => "0".into(),
    }
}

/// A number with a point.
pub(crate) fn float(text: &str) -> String {
    let number = number(text);
    if number.contains('.') { number } else { number + ".0" }
}

/// Milliseconds as seconds.
pub(crate) fn seconds(millis: &str) -> Option<String> {
    let millis: f64 = millis.trim().parse().ok()?;
    millis.is_finite().then(|| float(&(millis / 1000.0).to_string()))
}
