//! The nodes of a text as written, as far as it can be read.

use pleach::tools::kinds::NodeClass;

use super::units::{seat, unit};
use crate::doc::{Doc, Form};
use crate::fields::{Role, built_in, include};
use crate::syntax::{At, Shape};

/// A node as written: a node of the tree, the file itself, a template, a service, an interrupt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of its parent.
    pub parent: Option<usize>,
    /// How many nodes are around it.
    pub depth: usize,
    /// Its kind, as written: `Tree`, `Sequence`, `template`, `service`, `interrupt`.
    pub kind: String,
    /// Its class; `None` if it is not a node.
    pub class: Option<NodeClass>,
    /// Its name, or that of the file, template or hole in its place.
    pub name: Option<String>,
    /// Its fields in short.
    pub detail: Vec<String>,
    /// Its fields in its parent: `case calm`, `score hunger`, `when`.
    pub edge: Option<String>,
    /// Whether it is left out of the tree.
    pub disabled: bool,
    /// The bytes of the text that it takes.
    pub span: std::ops::Range<usize>,
}

/// A node's value, and the number of its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) parent: Option<usize>,
    pub(crate) depth: usize,
}

/// The nodes of a text, in its order. A node comes before its children.
pub(crate) fn nodes(doc: &Doc<'_>) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    if doc.form() != Form::Tree {
        return nodes;
    }
    // The node that each value is, or belongs to.
    let mut owners: Vec<Option<usize>> = Vec::new();
    for (at, role) in doc.all() {
        let value = doc.syntax.get(at);
        let outer = value.parent.and_then(|it| owners[it.index()]);
        let is_node = match role {
            Role::Node(_) => matches!(value.shape, Shape::Call | Shape::Word) && value.name.is_some(),
            Role::File | Role::Template | Role::Service | Role::Interrupt => value.shape == Shape::Call,
            _ => false,
        };
        if !is_node {
            owners.push(outer);
            continue;
        }
        owners.push(Some(nodes.len()));
        let depth = outer.map_or(0, |it| nodes[it].depth + 1);
        nodes.push(Node { at, parent: outer, depth });
    }
    nodes
}

/// The nodes of a text, for people.
#[must_use]
pub fn written(manifest: &pleach::asset::Manifest, name: &str, text: &str) -> Vec<Written> {
    let doc = Doc::new(manifest, name, text);
    of_doc(&doc)
}

pub(crate) fn of_doc(doc: &Doc<'_>) -> Vec<Written> {
    let told = |it: &Node| {
        let (kind, class) = kind(doc, it.at);
        Written {
            parent: it.parent,
            depth: it.depth,
            class,
            name: name(doc, it.at),
            detail: detail(doc, it.at),
            edge: edge(doc, it.at),
            disabled: doc.field(it.at, "disabled").is_some_and(|it| doc.word(it) == "true"),
            span: doc.syntax.get(it.at).span.clone(),
            kind,
        }
    };
    nodes(doc).iter().map(told).collect()
}

fn kind(doc: &Doc<'_>, at: At) -> (String, Option<NodeClass>) {
    let word = match doc.role(at) {
        Role::Template => "template",
        Role::Service => "service",
        Role::Interrupt => "interrupt",
        _ => doc.word(at),
    };
    let class = match built_in(word) {
        Some(kind) => Some(kind.class()),
        None if !matches!(doc.role(at), Role::Node(_)) => None,
        None if include(word).is_some() => Some(NodeClass::Decorator),
        None => Some(NodeClass::Action),
    };
    (word.to_owned(), class)
}

fn name(doc: &Doc<'_>, at: At) -> Option<String> {
    let named = match doc.role(at) {
        Role::Template => {
            let seat = seat(doc, at)?;
            doc.syntax.get(seat.within).items[seat.item].key
        }
        role => {
            let is_include = matches!(role, Role::Node(_)) && include(doc.word(at)).is_some();
            let first = || doc.field_or_first(at, "asset").filter(|_| is_include);
            ["name", "asset", "template", "hole"].into_iter().find_map(|it| doc.field(at, it)).or_else(first)
        }
    };
    named.map(|it| doc.word(it)).filter(|it| !it.is_empty()).map(str::to_owned)
}

/// The written fields that hold no nodes.
fn detail(doc: &Doc<'_>, at: At) -> Vec<String> {
    const LONGEST: usize = 60;
    if doc.role(at) == Role::File {
        return Vec::new();
    }
    let mut all = Vec::new();
    for item in &doc.syntax.get(at).items {
        let Some(value) = item.value.filter(|it| !holds_nodes(doc, *it)) else { continue };
        let key = item.key.map(|it| doc.word(it));
        if matches!(key, Some("name" | "asset" | "template" | "hole" | "note" | "disabled")) {
            continue;
        }
        let text = doc.text.get(doc.syntax.get(value).span.clone()).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_cut = text.chars().count() > LONGEST;
        let text: String = text.chars().take(LONGEST).chain(is_cut.then_some('…')).collect();
        all.push(match key {
            // As in the trees of recordings.
            Some("abort") => match &*text {
                "Self" => "aborts self".to_owned(),
                "LowerPriority" => "aborts lower priority".to_owned(),
                "Both" => "aborts both".to_owned(),
                _ => continue,
            },
            Some(key) => format!("{key}: {text}"),
            None => text,
        });
    }
    all
}

/// Whether a value is a node, or brackets that can hold nodes.
pub(super) fn holds_nodes(doc: &Doc<'_>, at: At) -> bool {
    use crate::fields::{Entries, Items};
    match doc.role(at) {
        Role::Node(_) => doc.syntax.get(at).name.is_some() || doc.syntax.get(at).shape == Shape::List,
        Role::ListOf(it) => !matches!(it, Items::Files),
        Role::MapOf(it) => matches!(it, Entries::Switch | Entries::Fillings | Entries::Templates),
        _ => false,
    }
}

fn edge(doc: &Doc<'_>, at: At) -> Option<String> {
    let outer = unit(doc, at);
    if outer != at {
        let item = doc.syntax.get(outer).items.iter().find(|it| it.value != Some(at))?;
        return Some(format!("{} {}", doc.word(item.key?), doc.word(item.value?)));
    }
    let within = doc.syntax.get(at).parent?;
    if doc.syntax.get(within).shape == Shape::List {
        // The `do` of a Finally is beside its child. Long lists of siblings are not searched.
        return key(doc, within).filter(|it| *it == "do").map(str::to_owned);
    }
    match (doc.syntax.get(within).shape, key(doc, at)) {
        (Shape::Map, Some(key)) if doc.role(at) != Role::Template => Some(format!("case {key}")),
        (Shape::Call, Some(key @ ("when" | "default"))) => Some(key.to_owned()),
        _ => None,
    }
}

/// The key of a value.
fn key<'d>(doc: &'d Doc<'_>, at: At) -> Option<&'d str> {
    let seat = seat(doc, at)?;
    doc.syntax.get(seat.within).items[seat.item].key.map(|it| doc.word(it))
}
