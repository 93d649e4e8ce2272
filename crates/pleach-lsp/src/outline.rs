//! The outline of a file: its keys, events and templates, and its nested nodes.

use pleach::tools::kinds::NodeClass;
use serde_json::{Value as Json, json};

use crate::doc::Doc;
use crate::fields::{Role, Sort, built_in, include};
use crate::syntax::{At, Shape};

/// How deep an outline goes. Deeper nodes are listed on the last level.
const MOST_LEVELS: usize = 100;

pub(crate) fn outline(doc: &Doc<'_>) -> Json {
    // Each symbol with the index of its parent, which comes before it.
    let mut symbols: Vec<(Json, Option<usize>, usize)> = Vec::new();
    let mut place_of: Vec<Option<usize>> = Vec::new();
    for (at, role) in doc.all() {
        let outer = doc.syntax.get(at).parent.and_then(|it| place_of[it.index()]);
        // The content of a template goes below its name, which is not a bracket.
        let outer = if role == Role::Template { template_before(doc, at, &place_of).or(outer) } else { outer };
        let Some(symbol) = symbol(doc, at, role) else {
            place_of.push(outer);
            continue;
        };
        let level = outer.map_or(0, |it| symbols[it].2 + 1);
        let is_deep = level >= MOST_LEVELS;
        place_of.push(if is_deep { outer } else { Some(symbols.len()) });
        symbols.push((symbol, outer, level));
    }
    let mut roots = Vec::new();
    while let Some((mut symbol, outer, _)) = symbols.pop() {
        if let Some(Json::Array(children)) = symbol.get_mut("children") {
            children.reverse();
        }
        match outer.and_then(|it| symbols[it].0.get_mut("children")) {
            Some(Json::Array(children)) => children.push(symbol),
            _ => roots.push(symbol),
        }
    }
    roots.reverse();
    Json::Array(roots)
}

/// The symbol of the name of a template.
fn template_before(doc: &Doc<'_>, at: At, place_of: &[Option<usize>]) -> Option<usize> {
    let map = doc.syntax.get(at).parent?;
    let item = doc.syntax.get(map).items.iter().find(|it| it.value == Some(at))?;
    place_of[item.key?.index()]
}

fn symbol(doc: &Doc<'_>, at: At, role: Role<'_>) -> Option<Json> {
    let value = doc.syntax.get(at);
    let whole = doc.lines.range(&doc.text, &value.span);
    let (name, detail, kind, range) = match role {
        Role::Node(_) if matches!(value.shape, Shape::Call | Shape::Word) && value.name.is_some() => {
            let kind = doc.word(at);
            let name = ["name", "asset", "template"].into_iter().find_map(|it| doc.field(at, it));
            let is_include = matches!(kind, "Subtree" | "Use" | "Node" | "Nodes");
            let name = name.or_else(|| doc.field_or_first(at, "template").filter(|_| is_include));
            let name = name.map(|it| doc.word(it)).filter(|it| !it.is_empty());
            let (name, detail) = name.map_or((kind, ""), |it| (it, kind));
            (name, detail, kind_of(kind), whole)
        }
        Role::Declares(sort) => {
            let map = doc.syntax.get(value.parent?);
            let declared = map.items.iter().find(|it| it.key == Some(at)).and_then(|it| it.value);
            let detail = declared.filter(|_| sort != Sort::Template).map(|it| doc.syntax.get(it).span.clone());
            let end = declared.map_or(value.span.end, |it| doc.syntax.get(it).span.end);
            let kind = match sort {
                Sort::Event => 24,
                Sort::Template => 3,
                Sort::Hole => 26,
                Sort::Key | Sort::Port | Sort::File | Sort::Token | Sort::SlotWord => 20,
            };
            if sort == Sort::Token {
                return None;
            }
            let detail = detail.and_then(|it| doc.text.get(it)).unwrap_or_default();
            (doc.word(at), detail, kind, doc.lines.range(&doc.text, &(value.span.start..end)))
        }
        _ => return None,
    };
    // Editors refuse a symbol without a name.
    let name = if name.trim().is_empty() { "\"\"" } else { name };
    let selection = doc.range(at);
    Some(json!({
        "name": name, "detail": detail, "kind": kind, "range": range, "selectionRange": selection, "children": [],
    }))
}

/// The kinds of symbols of the protocol that look most alike.
fn kind_of(node: &str) -> u32 {
    match built_in(node).map(|it| it.class()) {
        Some(NodeClass::Composite) => 5,
        Some(NodeClass::Decorator) => 11,
        Some(NodeClass::Condition) => 17,
        Some(NodeClass::Action) => 12,
        None if include(node).is_some() => 2,
        None => 12,
    }
}
