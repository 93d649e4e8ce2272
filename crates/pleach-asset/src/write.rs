//! From an [`Asset`] to RON, always in the same form: one node per line, and every parameter with
//! its name, except the only parameter of a leaf.

mod fields;

use std::fmt::Write;

use pleach_core::{
    Entity, Outcome, Value as CoreValue,
    kinds::{Arity, NodeKind},
    nodes::{Abort, Case, Policy},
    schema::{KeyDefault, Scope},
};

use crate::FORMAT_VERSION;
use crate::asset::{
    Argument, Arguments, AssetNode, AssetTree, Body, BuiltIn, Children, EventEntry, Filling, Given, HoleEntry,
    KeyEntry, Nodes, Param, PortEntry, Rest, Sort, Subtree, Takes, Template, With,
};
use crate::read::payload_name;
use crate::span::Word;
use crate::syntax::{Args, HostCall};
use crate::written::{args, ident, push_quoted, push_value, quote};

pub(crate) use fields::{fields, of_child, of_instance, when};

/// Writes the whole file.
pub(crate) fn asset(asset: &AssetTree<'_>) -> String {
    let AssetTree {
        name, note, allow, keys, events, ports, holes, templates, templates_from, interrupts, root, ..
    } = asset;
    let mut out = Out { text: String::new(), depth: 1 };
    out.text.push_str("Tree(\n");
    out.line(&format!("version: {FORMAT_VERSION}"));
    for (field, word) in [("name", name), ("note", note)] {
        if let Some(word) = word {
            out.line(&format!("{field}: {}", quote(word.text)));
        }
    }
    if !allow.is_empty() {
        out.line(&format!("allow: {}", words(allow)));
    }
    out.ports(ports);
    out.holes(holes);
    let scopes =
        [("blackboard", Scope::Agent), ("locals", Scope::Node), ("group", Scope::Group), ("global", Scope::Global)];
    for (field, scope) in scopes {
        let keys: Vec<&KeyEntry<'_>> = keys.iter().filter(|it| it.scope == scope).collect();
        out.keys(field, &keys);
    }
    out.events(events);
    if !templates_from.is_empty() {
        out.line(&format!("templates_from: {}", words(templates_from)));
    }
    out.templates(templates);
    out.list("interrupts", interrupts.iter(), |out, it| {
        out.text.push_str(&format!("(when: {}, run: ", param(&it.when.value)));
        out.node(it.run.whole());
        out.text.push(')');
    });
    if asset.has_root {
        out.entry("root", root.whole());
    }
    out.text.push_str(")\n");
    out.text
}

struct Out {
    text: String,
    depth: usize,
}

impl Out {
    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
    }

    fn line(&mut self, text: &str) {
        self.indent();
        self.text.push_str(text);
        self.text.push_str(",\n");
    }

    /// A field with a list, one element per line; nothing if it is empty.
    fn list<T>(&mut self, field: &str, items: impl Iterator<Item = T>, each: impl Fn(&mut Self, T)) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        self.indent();
        self.text.push_str(&format!("{field}: [\n"));
        self.depth += 1;
        for item in items {
            self.indent();
            each(self, item);
            self.text.push_str(",\n");
        }
        self.depth -= 1;
        self.indent();
        self.text.push_str("],\n");
    }

    fn keys(&mut self, field: &str, keys: &[&KeyEntry<'_>]) {
        if keys.is_empty() {
            return;
        }
        self.indent();
        self.text.push_str(&format!("{field}: {{\n"));
        self.depth += 1;
        for key in keys {
            self.line(&format!("{}: {}", quote(key.name.text), default(&key.default)));
        }
        self.depth -= 1;
        self.indent();
        self.text.push_str("},\n");
    }

    fn events(&mut self, events: &[EventEntry<'_>]) {
        if events.is_empty() {
            return;
        }
        self.indent();
        self.text.push_str("events: {\n");
        self.depth += 1;
        for event in events {
            self.line(&format!("{}: {}", quote(event.name.text), payload_name(event.payload)));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn ports(&mut self, ports: &[PortEntry<'_>]) {
        if ports.is_empty() {
            return;
        }
        self.indent();
        self.text.push_str("ports: {\n");
        self.depth += 1;
        for PortEntry { name, direction, default, has_default, words: _ } in ports {
            let (ty, value) = port(default);
            let value = if *has_default { format!(", {value}") } else { String::new() };
            self.line(&format!("{}: {direction}({ty}{value})", quote(name.text)));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn holes(&mut self, holes: &[HoleEntry<'_>]) {
        if holes.is_empty() {
            return;
        }
        self.indent();
        self.text.push_str("nodes: {\n");
        self.depth += 1;
        for HoleEntry { name, takes, default } in holes {
            let takes = takes.unwrap_or(Takes::One);
            let takes_name = if takes == Takes::One { "One" } else { "Many" };
            let Some(default) = default else {
                self.line(&format!("{}: {takes_name}", quote(name.text)));
                continue;
            };
            self.indent();
            self.text.push_str(&format!("{}: {takes_name}(default: ", quote(name.text)));
            self.given(takes, default.iter().map(Nodes::whole));
            self.text.push_str("),\n");
        }
        self.depth -= 1;
        self.line("}");
    }

    /// What is given for a hole: a node, or a list of nodes.
    fn given<'n>(&mut self, takes: Takes, nodes: impl Iterator<Item = Subtree<'n>>) {
        let mut nodes = nodes.peekable();
        if takes == Takes::One {
            nodes.for_each(|it| self.node(it));
            return;
        }
        if nodes.peek().is_none() {
            self.text.push_str("[]");
            return;
        }
        self.text.push_str("[\n");
        self.depth += 1;
        for node in nodes {
            self.indent();
            self.node(node);
            self.text.push_str(",\n");
        }
        self.depth -= 1;
        self.indent();
        self.text.push(']');
    }

    fn templates(&mut self, templates: &[Template<'_>]) {
        if templates.is_empty() {
            return;
        }
        self.indent();
        self.text.push_str("templates: {\n");
        self.depth += 1;
        for Template { name, note, ports, holes, locals, root, span: _ } in templates {
            self.indent();
            self.text.push_str(&format!("{}: (\n", quote(name.text)));
            self.depth += 1;
            if let Some(note) = note {
                self.line(&format!("note: {}", quote(note.text)));
            }
            self.ports(ports);
            self.holes(holes);
            self.keys("locals", &locals.iter().collect::<Vec<_>>());
            self.entry("root", root.whole());
            self.depth -= 1;
            self.line(")");
        }
        self.depth -= 1;
        self.line("}");
    }

    /// The children of a switch.
    fn cases(&mut self, node: Subtree<'_>) {
        self.indent();
        self.text.push_str("cases: {\n");
        self.depth += 1;
        let mut children = node.children();
        for (entry, child) in node.rest().cases.iter().zip(&mut children) {
            self.entry(&case(&entry.value), child);
        }
        self.depth -= 1;
        self.line("}");
        if let Some(child) = children.next() {
            self.entry("default", child);
        }
    }

    /// A field, or an entry of a map, with a node.
    fn entry(&mut self, field: &str, node: Subtree<'_>) {
        self.indent();
        self.text.push_str(field);
        self.text.push_str(": ");
        self.node(node);
        self.text.push_str(",\n");
    }

    fn node(&mut self, node: Subtree<'_>) {
        self.text.push_str(&ident(node.kind.text));
        match &node.node().body {
            Body::Leaf(call) => self.text.push_str(&leaf(node.node(), call)),
            Body::BuiltIn(own) => self.built_in(node, own),
            Body::Include(it) => {
                let asset = match it.sort {
                    Sort::Use => "template",
                    Sort::Subtree | Sort::Slot => "asset",
                    Sort::Hole(_) => "hole",
                };
                let mut parts: Vec<String> = it.asset.iter().map(|it| format!("{asset}: {}", quote(it.text))).collect();
                parts.extend(common(node.node()));
                if it.sort == Sort::Slot {
                    let trees: Vec<String> = it.trees.iter().map(|it| quote(it.text)).collect();
                    parts.push(format!("trees: [{}]", trees.join(", ")));
                }
                parts.extend(it.initial.map(|it| format!("initial: {}", quote(it.text))));
                if !it.with.is_empty() {
                    parts.push(format!("with: {{ {} }}", it.with.iter().map(with).collect::<Vec<_>>().join(", ")));
                }
                if it.fillings.is_empty() {
                    let _ = write!(self.text, "({})", parts.join(", "));
                } else {
                    self.filled(&parts, &it.fillings, node.children());
                }
            }
        }
    }

    /// The fields that give nodes for holes.
    fn filled(&mut self, parts: &[String], fillings: &[Filling<'_>], mut nodes: Children<'_>) {
        self.text.push_str("(\n");
        self.depth += 1;
        parts.iter().for_each(|it| self.line(it));
        self.indent();
        self.text.push_str("nodes: {\n");
        self.depth += 1;
        for it in fillings {
            self.indent();
            self.text.push_str(&format!("{}: ", quote(it.hole.text)));
            self.given(it.takes, nodes.by_ref().take(it.count));
            self.text.push_str(",\n");
        }
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.indent();
        self.text.push(')');
    }

    fn built_in(&mut self, node: Subtree<'_>, own: &BuiltIn<'_>) {
        let BuiltIn { kind, fields } = own;
        let Rest { id: _, note: _, allow: _, whole: _, services, keys, cases: _, default: _ } = node.node().rest();
        let mut children: Children<'_> = node.children();
        let mut parts = common(node.node());
        if kind.arity() == Arity::Leaf {
            let first = kind.fields().first().map(|it| it.name);
            if let (Some(Argument { field, value, span: _ }), true) = (fields.only(), parts.is_empty())
                && Some(field.name) == first
            {
                let _ = write!(self.text, "({})", param(value));
                return;
            }
            parts.extend(fields.iter().map(field));
            if !parts.is_empty() {
                let _ = write!(self.text, "({})", parts.join(", "));
            }
            return;
        }
        parts.extend(fields.iter().filter(|it| !is_of_children(it)).map(field));
        if let Some((abort, _)) = node.abort {
            parts.push(format!("abort: {}", abort_name(abort)));
        }
        self.text.push_str("(\n");
        self.depth += 1;
        for part in parts {
            self.line(&part);
        }
        for (field, local) in [("blackboard", false), ("locals", true)] {
            self.keys(field, &keys.iter().filter(|it| it.local == local).collect::<Vec<_>>());
        }
        self.list("services", services.iter(), |out, it| {
            let jitter = it.jitter.as_ref().map(|it| format!("{}, ", field(it))).unwrap_or_default();
            out.text.push_str(&format!("(every: {}, {jitter}run: ", param(&it.every.value)));
            out.node(it.run.whole());
            out.text.push(')');
        });
        if *kind == NodeKind::Switch {
            self.cases(node);
        } else if kind.arity() == Arity::Composite {
            self.list("children", beside(fields).zip(children), |out, (value, child)| match value {
                None => out.node(child),
                Some(value) => {
                    out.text.push_str(&format!("({value}, child: "));
                    out.node(child);
                    out.text.push(')');
                }
            });
            if children.next().is_none() {
                self.line("children: []");
            }
        } else if let Some(child) = children.next() {
            if *kind == NodeKind::Finally {
                self.list("do", children, Out::node);
                if children.next().is_none() {
                    self.line("do: []");
                }
            }
            self.entry("child", child);
        }
        self.depth -= 1;
        self.indent();
        self.text.push(')');
    }
}

fn with(it: &With<'_>) -> String {
    let mut text = quote(it.port.text);
    text.push_str(": ");
    match it.value {
        Given::Key(key) => push_quoted(&mut text, key),
        Given::Literal(value) => push_value(&mut text, value),
    }
    text
}

/// The type of a port, and its default as ports have it.
fn port(it: &KeyDefault) -> (String, String) {
    let written = default(it);
    match it {
        KeyDefault::Symbol(word, words) => {
            let words: Vec<String> = words.iter().map(|it| quote(it)).collect();
            (format!("Symbol([{}])", words.join(", ")), word.clone())
        }
        KeyDefault::Value(value) => {
            let ty = payload_name(Some(value.ty())).to_owned();
            let inner = &written[ty.len()..];
            let single = !matches!(value, CoreValue::Vec2(_) | CoreValue::Vec3(_));
            let inner = if single { &inner[1..inner.len() - 1] } else { inner };
            (ty, inner.to_owned())
        }
    }
}

fn case(it: &Case) -> String {
    match it {
        Case::Bool(_) | Case::Int(_) => it.to_string(),
        Case::Word(word) => quote(word),
    }
}

/// A list of strings.
fn words(all: &[Word<'_>]) -> String {
    let all: Vec<String> = all.iter().map(|it| quote(it.text)).collect();
    format!("[{}]", all.join(", "))
}

fn common(node: &AssetNode<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    for (field, word) in [("name", &node.name), ("id", &node.rest().id), ("note", &node.rest().note)] {
        if let Some(Word { text, span: _ }) = word {
            parts.push(format!("{field}: {}", quote(text)));
        }
    }
    if !node.rest().allow.is_empty() {
        parts.push(format!("allow: {}", words(&node.rest().allow)));
    }
    if node.disabled {
        parts.push("disabled: true".into());
    }
    parts
}

/// The part after the name of a host's leaf.
fn leaf(node: &AssetNode<'_>, call: &HostCall<'_>) -> String {
    let mut parts = common(node);
    if let args @ (Args::Tuple(_) | Args::Named(_)) = call.args() {
        let mut text = String::new();
        self::args(&mut text, args);
        parts.push(text);
    }
    if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) }
}

fn field(it: &Argument<'_>) -> String {
    format!("{}: {}", it.field.name, param(&it.value))
}

/// Whether it stands in the entries of the children.
fn is_of_children(it: &Argument<'_>) -> bool {
    matches!(it.value, Param::Texts(_) | Param::Numbers(_))
}

/// The values beside each child, without an end.
fn beside(fields: &Arguments<'_>) -> impl Iterator<Item = Option<String>> {
    let it = fields.iter().find(|it| is_of_children(it));
    (0..).map(move |at| {
        let Argument { field, value, .. } = it?;
        let value = match value {
            Param::Texts(items) => quote(items.get(at)?.text),
            Param::Numbers(items) => items.get(at)?.text.to_string(),
            _ => return None,
        };
        Some(format!("{}: {value}", field.name))
    })
}

fn param(it: &Param<'_>) -> String {
    match it {
        Param::Number(it) => it.text.to_string(),
        Param::Count(it) => it.to_string(),
        Param::Bool(it) => it.to_string(),
        Param::Text(it) => quote(it),
        Param::Texts(_) | Param::Numbers(_) => unreachable!("these stand in the entries of children"),
        Param::Outcome(Outcome::Success) => "Success".into(),
        Param::Outcome(Outcome::Failure) => "Failure".into(),
        Param::Policy(Policy::All) => "All".into(),
        Param::Policy(Policy::Any) => "Any".into(),
        Param::Policy(Policy::AtLeast(count)) => format!("AtLeast({count})"),
        Param::Word(it) => (*it).into(),
        Param::Leaf(node) => match &node.whole().node().body {
            Body::Leaf(call) => ident(node.whole().kind.text).into_owned() + &leaf(node.whole().node(), call),
            Body::BuiltIn(_) | Body::Include(_) => unreachable!("the reader refuses built-in nodes here"),
        },
    }
}

fn abort_name(abort: Abort) -> &'static str {
    match (abort.contains(Abort::SELF), abort.contains(Abort::LOWER_PRIORITY)) {
        (false, false) => "None",
        (true, false) => "Self",
        (false, true) => "LowerPriority",
        (true, true) => "Both",
    }
}

fn default(it: &KeyDefault) -> String {
    let floats = |it: &[f32]| it.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ");
    match it {
        KeyDefault::Value(CoreValue::Bool(it)) => format!("Bool({it})"),
        KeyDefault::Value(CoreValue::Int(it)) => format!("Int({it})"),
        KeyDefault::Value(CoreValue::Float(it)) => format!("Float({})", floats(&[*it])),
        KeyDefault::Value(CoreValue::Vec2(it)) => format!("Vec2({})", floats(it)),
        KeyDefault::Value(CoreValue::Vec3(it)) => format!("Vec3({})", floats(it)),
        KeyDefault::Value(CoreValue::Entity(Entity::NONE)) => "Entity(none)".into(),
        KeyDefault::Value(CoreValue::Entity(it)) => format!("Entity({})", it.to_bits()),
        KeyDefault::Value(CoreValue::Time(it)) => format!("Time({it})"),
        KeyDefault::Value(CoreValue::Symbol(_)) => unreachable!("the reader keeps symbols with their words"),
        KeyDefault::Symbol(word, words) => {
            let words: Vec<String> = words.iter().map(|it| quote(it)).collect();
            format!("Symbol({}, [{}])", quote(word), words.join(", "))
        }
    }
}
