//! What an editor shows between the lines: port declarations, and how to run a test.

use pleach::tools::{included_name, relative};
use serde_json::{Value as Json, json};

use crate::doc::{Doc, Form};
use crate::fields::{Entries, Role, Sort};
use crate::names::{entries, names};
use crate::syntax::At;
use crate::workspace::Workspace;
use crate::{covered, targets, uri};

/// After each connected port its declaration; after the last of them the defaults of those that are
/// not connected.
pub(crate) fn hints(workspace: &Workspace<'_>, doc: &Doc<'_>, range: &Json) -> Json {
    let (from, to) = (doc.byte(&range["start"]).unwrap_or(0), doc.byte(&range["end"]).unwrap_or(doc.text.len()));
    let mut hints = Vec::new();
    let hint = |at: usize, label: String| {
        let position = doc.lines.position(&doc.text, at);
        json!({ "position": position, "label": label, "paddingLeft": true })
    };
    for (map, role) in doc.all() {
        let value = doc.syntax.get(map);
        let is_shown = value.span.start <= to && from <= value.span.end;
        let Some(inside) = value.inside.clone().filter(|_| is_shown && role == Role::MapOf(Entries::Connected)) else {
            continue;
        };
        let keys: Vec<At> = value.items.iter().filter_map(|it| it.key).collect();
        for key in &keys {
            let Some(port) = targets::port(workspace, doc, *key) else { continue };
            let Some(declared) = port.value.and_then(|it| port.doc.text.get(port.doc.syntax.get(it).span.clone()))
            else {
                continue;
            };
            hints.push(hint(doc.syntax.get(*key).span.end, declared.to_owned()));
        }
        let include = value.parent;
        let parts = include.map(|it| targets::included(workspace, doc, it)).unwrap_or_default();
        let mut defaults = Vec::new();
        for (there, owner) in parts.into_iter().take(1) {
            for (name, declared) in entries(there, owner, "ports") {
                let default = declared.and_then(|it| there.syntax.get(it).items.get(1)?.value);
                let is_given = keys.iter().any(|it| doc.word(*it) == there.word(name));
                let Some(default) = default.filter(|_| !is_given) else { continue };
                defaults.push(format!("{}: {}", there.word(name), &there.text[there.syntax.get(default).span.clone()]));
            }
        }
        if !defaults.is_empty() {
            let end = inside.start + doc.text[inside].trim_end().len();
            hints.push(hint(end, format!("default {}", defaults.join(", "))));
        }
    }
    Json::Array(hints)
}

/// Above each case of a test file, and above a tree that has tests: run them. Above a tree also how
/// many of its nodes tests have started, if a file of coverage says so.
pub(crate) fn lenses(workspace: &Workspace<'_>, doc: &Doc<'_>) -> Json {
    let lens = |at: At, title: &str, arguments: Json| {
        let command = json!({ "title": title, "command": "pleach.test", "arguments": arguments });
        json!({ "range": doc.range(at), "command": command })
    };
    let Some(root) = doc.syntax.root() else { return json!([]) };
    match doc.form() {
        Form::Tests => {
            let all = lens(root, "Run all tests", json!([uri::of(&doc.name)]));
            let cases = entries(doc, root, "cases").into_iter();
            let cases = cases.map(|it| lens(it.0, "Run test", json!([uri::of(&doc.name), doc.word(it.0)])));
            Json::Array([all].into_iter().chain(cases).collect())
        }
        Form::Tree => {
            let plays = |it: &&Doc<'_>| {
                let of = names(it).into_iter().filter(|it| it.sort == Sort::File);
                of.filter_map(|name| included_name(&it.name, &it.text[name.span])).any(|it| it == doc.name)
            };
            let tests: Vec<_> = workspace.all().filter(|it| it.form() == Form::Tests).filter(plays).collect();
            let title = |it: &Doc<'_>| match tests.len() {
                1 => "Run tests".to_owned(),
                _ => format!("Run {}", relative(&doc.name, &it.name)),
            };
            let mut lenses: Vec<Json> =
                tests.iter().map(|it| lens(root, &title(it), json!([uri::of(&it.name)]))).collect();
            if let Some((started, all)) = covered::nodes(&doc.name) {
                // Nothing to run: editors show it as text.
                let told = json!({ "title": format!("{started} of {all} nodes tested"), "command": "" });
                lenses.push(json!({ "range": doc.range(root), "command": told }));
            }
            Json::Array(lenses)
        }
        Form::Manifest | Form::Begun | Form::Foreign => json!([]),
    }
}
