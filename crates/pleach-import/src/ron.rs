//! Nodes of pleach, and their text.

use std::fmt::Write;

use crate::place::Place;

/// A node as it will be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) kind: String,
    pub(crate) fields: Vec<(String, Value)>,
    /// Where the node stands that this one is written for.
    pub(crate) at: Option<Place>,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// RON as it stands: a number, a word.
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

/// Fields that need no name where they stand alone.
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

pub(crate) fn push_node(out: &mut String, node: &Node) {
    out.push_str(&node.kind);
    if let [(field, value)] = &*node.fields
        && (field == "children" || field == "child" || ALONE.contains(&(&*node.kind, &**field)))
    {
        out.push('(');
        push_value(out, value);
        out.push(')');
    } else if !node.fields.is_empty() {
        push_fields(out, &node.fields);
    }
}

fn push_fields(out: &mut String, fields: &[(String, Value)]) {
    out.push('(');
    for (at, (field, value)) in fields.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(field);
        out.push_str(": ");
        push_value(out, value);
    }
    out.push(')');
}

pub(crate) fn push_value(out: &mut String, value: &Value) {
    match value {
        Value::Raw(it) => out.push_str(it),
        Value::Text(it) => push_quoted(out, it),
        Value::Node(it) => push_node(out, it),
        Value::List(items) => {
            out.push('[');
            for (at, it) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                push_value(out, it);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (key, it)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { " " });
                out.push_str(key);
                out.push_str(": ");
                push_value(out, it);
            }
            out.push_str(if entries.is_empty() { "}" } else { " }" });
        }
        Value::Group(fields) => push_fields(out, fields),
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
