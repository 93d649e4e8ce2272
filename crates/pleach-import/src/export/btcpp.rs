//! XML of BehaviorTree.CPP 4. A node that it lacks is a Control, a Decorator or an Action named
//! `Pleach..`, with its fields as ports. Groot2 edits it, an import reads it again, and a game that
//! plays the file there must implement it.

use std::collections::{BTreeMap, BTreeSet};

use pleach::asset::{LeafKind, Manifest, ValueType};
use pleach::tools::ron::{Arguments, Datum, Document, Shape};
use pleach::tools::{file_stem, included_name};

use super::begin;
use super::expr::script;
use super::kept::Kept;
use super::model::Model;
use super::written::{Written, entries, items, text, tree, tree_name};
use crate::btcpp::{PREFIX, profile};
use crate::profile::Skip;
use crate::report::{Fate, Line};
use crate::xml::{Attribute, Element};

/// Writes a file, unless it has no tree. Also returns the names of the files whose templates it
/// uses.
pub(super) fn document(
    name: &str,
    document: &Document,
    manifest: &Manifest,
    ids: &BTreeMap<String, String>,
    note: &mut dyn FnMut(usize, Line),
) -> Option<(String, Vec<String>)> {
    let fields = tree(document);
    let field = |name: &str| fields.iter().find(|it| it.0 == name).map(|it| it.1);
    let root = field("root")?;
    let mut keys = BTreeSet::new();
    collect(document.root(), &mut keys);
    for (name, value) in &fields {
        let why = match *name {
            "group" | "global" => "agents share no keys there: these are keys of the tree",
            "locals" => "they do not get their defaults back there when the tree starts",
            "interrupts" => "it has no counterpart there",
            _ => continue,
        };
        note(value.span.start, Line::Node((*name).into(), Fate::Lost(why.into())));
    }
    for (port, declared) in field("ports").map_or(&[][..], entries) {
        if let (Some(port), Shape::Call(_, Arguments::Tuple(it))) = (text(port), &declared.shape)
            && it.len() > 1
        {
            let why = "ports of trees have no default there: give it a value wherever the tree stands".to_owned();
            note(declared.span.start, Line::Node(format!("port `{port}`"), Fate::Lost(why)));
        }
    }
    let mut writer = Writer {
        name,
        manifest,
        document,
        ids,
        keys,
        model: Model::default(),
        includes: BTreeSet::new(),
        has_template: false,
        note,
    };
    let mut root = writer.element(root, Skip::Success);
    let kept = Kept::of(&fields, document, writer.has_template);
    if let Some(blackboard) = field("blackboard") {
        root = begin::around(root, blackboard, document, writer.note);
    }
    let id = ids.get(name).cloned().unwrap_or_else(|| tree_name(name, document));
    let mut file = new("root").with("BTCPP_format", "4").with("main_tree_to_execute", &id);
    file.children.extend(writer.includes.iter().map(|it| new("include").with("path", it)));
    let mut behaviour = new("BehaviorTree").with("ID", &id);
    behaviour.note = field("note").and_then(text).map(Into::into);
    behaviour.children.push(root);
    file.children.push(behaviour);
    let mut model = writer.model.element(manifest);
    let from = field("templates_from").filter(|_| kept.has_template).map_or(&[][..], items);
    let from = from.iter().filter_map(|it| included_name(name, text(it)?)).collect();
    model.children.push(kept.element(name, &id, document));
    file.children.push(model);
    Some((written(&file), from))
}

/// Writes a file of templates, which only an import reads.
pub(super) fn templates(name: &str, document: &Document) -> String {
    let kept = Kept::of(&tree(document), document, true);
    let mut model = new("TreeNodesModel");
    model.children.push(kept.element(name, &tree_name(name, document), document));
    let mut file = new("root").with("BTCPP_format", "4");
    file.children.push(model);
    written(&file)
}

fn written(file: &Element) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    push(&mut out, file, 0);
    out
}

/// The keys that are declared, by the file and by nodes.
fn collect(datum: &Datum, keys: &mut BTreeSet<String>) {
    match &datum.shape {
        Shape::Call(_, Arguments::Named(fields)) => {
            for (name, value) in fields {
                if matches!(&*name.text, "blackboard" | "ports" | "locals" | "group" | "global") {
                    keys.extend(entries(value).iter().filter_map(|it| text(&it.0)).map(str::to_owned));
                }
                collect(value, keys);
            }
        }
        Shape::Call(_, Arguments::Tuple(items)) | Shape::List(items) => items.iter().for_each(|it| collect(it, keys)),
        Shape::Map(entries) => entries.iter().for_each(|it| collect(&it.1, keys)),
        Shape::Call(_, Arguments::None) | Shape::Text(_) | Shape::Literal(_) => {}
    }
}

pub(super) fn new(name: &str) -> Element {
    Element { name: name.into(), ..Element::default() }
}

impl Element {
    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Element {
        self.attributes.push(Attribute { name: name.into(), value: value.into(), at: 0 });
        self
    }
}

pub(super) struct Writer<'w> {
    name: &'w str,
    pub(super) manifest: &'w Manifest,
    pub(super) document: &'w Document,
    ids: &'w BTreeMap<String, String>,
    keys: BTreeSet<String>,
    pub(super) model: Model,
    includes: BTreeSet<String>,
    /// Whether it uses a template that the target lacks.
    pub(super) has_template: bool,
    pub(super) note: &'w mut dyn FnMut(usize, Line),
}

impl Writer<'_> {
    pub(super) fn element(&mut self, datum: &Datum, within: Skip) -> Element {
        let Some(mut node) = Written::of(datum, self.manifest) else { return new("AlwaysFailure") };
        // It is left out there, too.
        let is_disabled = is_disabled(&node);
        node.fields.retain(|it| it.0 != "disabled");
        let mut element = match self.said(&node, within) {
            Some(element) => element,
            None => self.own(&node),
        };
        if let Some(name) = node.text("name") {
            element = element.with("name", name);
        }
        if let Some(note) = node.text("note") {
            element = element.with("_description", note);
        }
        if is_disabled { element.with("_skipIf", "true") } else { element }
    }

    /// A node that the target can express.
    fn said(&mut self, node: &Written<'_>, within: Skip) -> Option<Element> {
        let millis = |field: &str| {
            let millis = node.word(field)?.parse::<f64>().ok()? * 1000.0;
            // It has no fractions of milliseconds.
            ((millis - millis.round()).abs() < 1e-6).then(|| millis.round().to_string())
        };
        // Other fields have no counterpart.
        let has_only = |fields: &[&str]| {
            let common = ["name", "note", "child", "children"];
            node.fields.iter().all(|it| common.contains(&&*it.0) || fields.contains(&&*it.0))
        };
        let condition = |field: &str| script(node.text(field)?, &self.keys).ok();
        Some(match node.kind {
            "Sequence" if has_only(&[]) => self.composite("Sequence", node, Skip::Success),
            "Selector" if has_only(&[]) => self.composite("Fallback", node, Skip::Failure),
            "ReactiveSequence" if has_only(&[]) => self.composite("ReactiveSequence", node, Skip::Success),
            "ReactiveSelector" if has_only(&[]) => self.composite("ReactiveFallback", node, Skip::Failure),
            "Parallel" if has_only(&["success", "failure"]) => self.parallel(node)?,
            kind @ ("Inverter" | "ForceSuccess" | "ForceFailure") if has_only(&[]) => self.decorator(new(kind), node),
            "Repeat"
                if node.word("end_on_failure") == Some("true") && has_only(&["count", "forever", "end_on_failure"]) =>
            {
                let count = if node.get("forever").is_some() { "-1".into() } else { self.amount(node.get("count")?)? };
                self.decorator(new("Repeat").with("num_cycles", count), node)
            }
            "UntilSuccess" if has_only(&["count"]) => {
                let count = node.get("count").map_or(Some("-1".into()), |it| self.amount(it))?;
                self.decorator(new("RetryUntilSuccessful").with("num_attempts", count), node)
            }
            "UntilFailure" if has_only(&[]) => {
                let child = self.with_pause(node.get("child")?)?;
                let mut element = new("KeepRunningUntilFailure");
                element.children.push(self.element(child, Skip::Success));
                element
            }
            "Timeout" if has_only(&["seconds"]) => {
                // 0 means no timeout there.
                let millis = millis("seconds").filter(|it| it != "0")?;
                self.decorator(new("Timeout").with("msec", millis), node)
            }
            "Delay" if has_only(&["seconds"]) => {
                self.decorator(new("Delay").with("delay_msec", millis("seconds")?), node)
            }
            "Wait" if has_only(&["seconds"]) => new("Sleep").with("msec", millis("seconds")?),
            "Succeed" if has_only(&[]) => new("AlwaysSuccess"),
            "Fail" if has_only(&[]) => new("AlwaysFailure"),
            "Check" if has_only(&["expr"]) => new("ScriptCondition").with("code", condition("expr")?),
            "Set" if has_only(&["key", "to"]) => {
                let (key, to) = (node.text("key")?, condition("to")?);
                new("Script").with("code", format!("{key} := {to}"))
            }
            "Guard" if has_only(&["when", "result"]) => {
                let is_success = node.word("result") == Some("Success");
                if is_success != (within == Skip::Success) {
                    return None;
                }
                let holds = condition("when")?;
                self.element(node.get("child")?, within).with("_while", holds)
            }
            "Finally" if has_only(&["do", "on"]) => self.finally(node, within)?,
            "Switch" if has_only(&["on", "cases", "default"]) => self.switch(node)?,
            "Use" => self.template(node)?,
            "Subtree" if node.get("nodes").is_none() => self.subtree(node)?,
            kind => self.leaf(kind, node)?,
        })
    }

    fn composite(&mut self, name: &str, node: &Written<'_>, within: Skip) -> Element {
        let mut element = new(name);
        let children = node.get("children").map_or(&[][..], items);
        element.children = children.iter().map(|it| self.element(it, within)).collect();
        element
    }

    fn decorator(&mut self, mut element: Element, node: &Written<'_>) -> Element {
        element.children.extend(node.get("child").map(|it| self.element(it, Skip::Success)));
        element
    }

    fn parallel(&mut self, node: &Written<'_>) -> Option<Element> {
        let is_there = |it: &&Datum| !Written::of(it, self.manifest).is_some_and(|it| is_disabled(&it));
        let count = node.get("children").map_or(0, |it| items(it).iter().filter(is_there).count());
        let policy = |field: &str, default: usize| match node.get(field).map(|it| &it.shape) {
            None => Some(default),
            Some(Shape::Call(Some(word), Arguments::None)) => Some(if word.text == "All" { count } else { 1 }),
            Some(Shape::Call(_, Arguments::Tuple(number))) => self.document.text(&number.first()?.span).parse().ok(),
            Some(_) => None,
        };
        let (success, failure) = (policy("success", count)?, policy("failure", 1)?);
        // It also fails as soon as it cannot succeed.
        if success + failure > count + 1 {
            return None;
        }
        let element = self.composite("Parallel", node, Skip::Success);
        let (success, failure) = (success.to_string(), failure.to_string());
        Some(element.with("success_count", success).with("failure_count", failure))
    }

    /// `Sequence([child, WaitTicks(1)])`
    fn with_pause<'d>(&self, datum: &'d Datum) -> Option<&'d Datum> {
        let node = Written::of(datum, self.manifest).filter(|it| it.kind == "Sequence" && it.fields.len() == 1)?;
        let [child, pause] = items(node.get("children")?) else { return None };
        let pause = Written::of(pause, self.manifest)?;
        (pause.kind == "WaitTicks" && pause.word("ticks") == Some("1")).then_some(child)
    }

    fn finally(&mut self, node: &Written<'_>, within: Skip) -> Option<Element> {
        let mut code = Vec::new();
        for it in items(node.get("do")?) {
            let set = Written::of(it, self.manifest).filter(|it| it.kind == "Set")?;
            code.push(format!("{} := {}", set.text("key")?, script(set.text("to")?, &self.keys).ok()?));
        }
        let attributes: &[&str] = match node.word("on") {
            // A halted node has no `_post`.
            None | Some("Any") => &["_post", "_onHalted"],
            Some("Success") => &["_onSuccess"],
            Some("Failure") => &["_onFailure"],
            Some(_) => &["_onHalted"],
        };
        let child = self.element(node.get("child")?, within);
        Some(attributes.iter().fold(child, |child, it| child.with(it, code.join("; "))))
    }

    fn switch(&mut self, node: &Written<'_>) -> Option<Element> {
        let (on, cases) = (node.text("on")?, entries(node.get("cases")?));
        if !self.keys.contains(on) || !(2..=6).contains(&cases.len()) {
            return None;
        }
        let mut element = new(&format!("Switch{}", cases.len())).with("variable", format!("{{{on}}}"));
        for (at, (case, child)) in cases.iter().enumerate() {
            let case = text(case).map_or_else(|| self.document.text(&case.span).to_owned(), Into::into);
            element = element.with(&format!("case_{}", at + 1), case);
            element.children.push(self.element(child, Skip::Success));
        }
        element.children.push(match node.get("default") {
            Some(default) => self.element(default, Skip::Success),
            None => new("AlwaysFailure"),
        });
        Some(element)
    }

    fn template(&mut self, node: &Written<'_>) -> Option<Element> {
        let (name, holes): (_, &[&str]) = match node.text("template")? {
            "IfThenElse" => ("IfThenElse", &["if", "then", "else"]),
            "WhileDoElse" => ("WhileDoElse", &["while", "do", "else"]),
            "RunOnce" => ("RunOnce", &["body"]),
            _ => return None,
        };
        let mut element = new(name);
        if name == "RunOnce" {
            element = element.with("then_skip", "false");
        }
        let given = entries(node.get("nodes")?);
        for hole in holes {
            let child = given.iter().find(|it| text(&it.0) == Some(hole));
            element.children.extend(child.map(|it| self.element(&it.1, Skip::Success)));
        }
        Some(element)
    }

    fn subtree(&mut self, node: &Written<'_>) -> Option<Element> {
        let asset = node.text("asset")?;
        let file = included_name(self.name, asset)?;
        let id = self.ids.get(&file).cloned().unwrap_or_else(|| {
            (self.note)(node.at, Line::Warning(format!("`{file}` was not given: export it, too")));
            file_stem(&file).to_owned()
        });
        self.includes.insert(format!("{}.xml", asset.strip_suffix(".ron").unwrap_or(asset)));
        let mut element = new("SubTree").with("ID", id);
        for (port, value) in node.get("with").map_or(&[][..], entries) {
            let value = match text(value) {
                Some(key) => format!("{{{key}}}"),
                None => self.document.text(&value.span).to_owned(),
            };
            element = element.with(text(port)?, value);
        }
        Some(element)
    }

    /// A leaf of the game.
    fn leaf(&mut self, kind: &str, node: &Written<'_>) -> Option<Element> {
        let leaf = self.manifest.leaf(kind)?;
        let name = if leaf.kind == LeafKind::Condition { "Condition" } else { "Action" };
        if is_taken(kind) {
            let why = "BehaviorTree.CPP has a node of this name: give the leaf another one".to_owned();
            (self.note)(node.at, Line::Node(kind.into(), Fate::Lost(why)));
        }
        let mut element = new(name).with("ID", kind);
        for (field, value) in node.fields.iter().filter(|it| !matches!(&*it.0, "name" | "note")) {
            if leaf.parameters.is_some() && leaf.parameter(field).is_none() {
                let why = format!("leaves have no `{field}` there");
                (self.note)(value.span.start, Line::Node(kind.into(), Fate::Lost(why)));
                continue;
            }
            let is_braced = text(value).is_some_and(|it| it.starts_with('{') && it.ends_with('}'));
            if is_braced || matches!(&**field, "ID" | "name") || field.starts_with('_') {
                let why = format!("its `{field}` would be read as something else there");
                (self.note)(value.span.start, Line::Node(kind.into(), Fate::Lost(why)));
                continue;
            }
            let is_key = |key: &str| match leaf.parameter(field).map(|it| &it.ty) {
                Some(ValueType::Key(_)) => true,
                Some(ValueType::FloatExpr | ValueType::Unknown) => self.keys.contains(key),
                _ => false,
            };
            let value = match text(value) {
                Some(key) if is_key(key) => format!("{{{key}}}"),
                Some(text) => text.to_owned(),
                None => self.document.text(&value.span).to_owned(),
            };
            element = element.with(field, value);
        }
        Some(element)
    }

    /// A number, or the key that holds it.
    fn amount(&self, datum: &Datum) -> Option<String> {
        match text(datum) {
            Some(key) => self.keys.contains(key).then(|| format!("{{{key}}}")),
            None => Some(self.document.text(&datum.span).to_owned()),
        }
    }
}

/// Whether BehaviorTree.CPP has a node of this name.
fn is_taken(name: &str) -> bool {
    const OTHERS: [&str; 10] = [
        "Action",
        "Condition",
        "Control",
        "Decorator",
        "Parallel",
        "ParallelAll",
        "Script",
        "SequenceWithMemory",
        "SetBlackboard",
        "SubTree",
    ];
    profile().knows(name) || OTHERS.contains(&name) || name.starts_with("Switch") || name.starts_with(PREFIX)
}

fn is_disabled(node: &Written<'_>) -> bool {
    node.word("disabled") == Some("true")
}

/// Writes an element with everything in it.
pub(super) fn push(out: &mut String, element: &Element, depth: usize) {
    let indent = "  ".repeat(depth);
    if let Some(note) = &element.note {
        *out += &format!("{indent}<!-- {} -->\n", note.replace("--", "- -"));
    }
    *out += &format!("{indent}<{}", element.name);
    for it in &element.attributes {
        *out += &format!(" {}=\"{}\"", it.name, escaped(&it.value));
    }
    if element.children.is_empty() && element.text.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push('>');
    out.push_str(&escaped(&element.text));
    if !element.children.is_empty() {
        out.push('\n');
        element.children.iter().for_each(|it| push(out, it, depth + 1));
        out.push_str(&indent);
    }
    *out += &format!("</{}>\n", element.name);
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\n', "&#10;")
}
