//! Definitions, references and renaming of what has a name, through all files.

use std::collections::BTreeMap;

use pleach::tools::{is_name, text::plain};
use serde_json::{Value as Json, json};

use crate::doc::{Doc, Form};
use crate::fields::Sort;
use crate::names::{Name, name_at, names};
use crate::targets::{Target, target};
use crate::uri;
use crate::workspace::{STANDARD, Workspace};

/// Where the name at a place is declared.
pub(crate) fn definition(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Json {
    let Some(target) = name_at(doc, byte).and_then(|it| target(workspace, doc, &it)) else { return Json::Null };
    match &target {
        Target::File(name) => match workspace.get(name) {
            Some(_) => json!({ "uri": uri::of(name), "range": start() }),
            None => Json::Null,
        },
        Target::Declared(file, _) if file == STANDARD => Json::Null,
        Target::Declared(file, span) => match workspace.get(file) {
            Some(there) => json!({ "uri": uri::of(file), "range": there.lines.range(&there.text, span) }),
            None => Json::Null,
        },
        Target::Shared(..) => {
            let all = places(workspace, &target).into_iter().filter(|it| it.1.is_declared);
            let (own, others): (Vec<_>, Vec<_>) = all.partition(|it| it.0.name == doc.name);
            let all = if own.is_empty() { others } else { own };
            Json::Array(all.iter().map(|(doc, name)| location(doc, name)).collect())
        }
    }
}

/// Every place that names what is named at a place.
pub(crate) fn references(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize, with_declaration: bool) -> Json {
    let found = name_at(doc, byte).and_then(|it| target(workspace, doc, &it));
    // At the head of a file: who includes it.
    let root = doc.syntax.root().filter(|it| doc.syntax.word_span(&doc.text, *it).contains(&byte));
    let target = found.or(root.map(|_| Target::File(doc.name.clone())));
    let Some(target) = target else { return Json::Null };
    let all = places(workspace, &target).into_iter().filter(|it| with_declaration || !it.1.is_declared);
    Json::Array(all.map(|(doc, name)| location(doc, &name)).collect())
}

/// The places of this file that name what is named at a place.
pub(crate) fn highlights(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Json {
    let Some(target) = name_at(doc, byte).and_then(|it| target(workspace, doc, &it)) else { return Json::Null };
    let here = names(doc).into_iter().filter(|it| self::target(workspace, doc, it).as_ref() == Some(&target));
    let shown =
        |it: Name| json!({ "range": doc.lines.range(&doc.text, &it.span), "kind": if it.is_declared { 3 } else { 2 } });
    Json::Array(here.map(shown).collect())
}

/// What would be renamed: its place and its name.
pub(crate) fn prepare(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Result<Json, String> {
    let (name, _) = renamed(workspace, doc, byte)?;
    let range = doc.lines.range(&doc.text, &name.span);
    Ok(json!({ "range": range, "placeholder": doc.text[name.span] }))
}

/// The edits of all files that give what is named at a place another name.
pub(crate) fn rename(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize, new: &str) -> Result<Json, String> {
    let (name, target) = renamed(workspace, doc, byte)?;
    let old = &doc.text[name.span.clone()];
    let is_free_form = matches!(name.sort, Sort::Event | Sort::Template | Sort::Hole);
    let is_right = if is_free_form { !new.trim().is_empty() && !new.contains(['"', '\\', '\n']) } else { is_name(new) };
    if !is_right {
        return Err(format!("`{}` cannot be a name: use letters, digits and `_`", plain(new)));
    }
    let all = places(workspace, &target);
    if name.sort == Sort::Key || name.sort == Sort::Port {
        for (doc, at) in &all {
            let is_there = |it: &Name| it.sort == Sort::Key && doc.text[it.span.clone()] == *new;
            if new != old && at.sort == Sort::Key && names(doc).iter().any(is_there) {
                return Err(format!("`{new}` is a name in `{}` already", doc.name));
            }
        }
    }
    let mut changes: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (doc, name) in all {
        let edit = json!({ "range": doc.lines.range(&doc.text, &name.span), "newText": new });
        changes.entry(uri::of(&doc.name)).or_default().push(edit);
    }
    Ok(json!({ "changes": changes }))
}

fn renamed(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Result<(Name, Target), String> {
    let name = name_at(doc, byte).ok_or("there is no name here that can be changed")?;
    let text = doc.text[name.span.clone()].to_owned();
    let target = target(workspace, doc, &name).ok_or_else(|| format!("nothing declares `{text}`"))?;
    match &target {
        Target::File(_) => Err("files are renamed on the disk".to_owned()),
        Target::Declared(file, _) if file == STANDARD => {
            Err(format!("`{text}` belongs to a standard template, which every file can use"))
        }
        Target::Shared(Sort::Event, ..) if workspace.manifest.events.iter().any(|it| it.0 == text) => {
            Err(format!("the game declares the event `{text}`: rename it there"))
        }
        _ if relied_on(workspace, &text, &target) => {
            Err(format!("the game relies on the key `{text}`: rename it there, too, and write its manifest again"))
        }
        _ => Ok((name, target)),
    }
}

/// Whether the game says that it reads or writes a key of that name.
fn relied_on(workspace: &Workspace<'_>, text: &str, target: &Target) -> bool {
    let is_key = matches!(target, Target::Declared(..) | Target::Shared(Sort::Key, ..));
    is_key && workspace.manifest.keys.iter().any(|(_, key)| key.name == text)
}

/// All names with that target.
fn places<'w, 'g>(workspace: &'w Workspace<'g>, target: &Target) -> Vec<(&'w Doc<'g>, Name)> {
    let mut found = Vec::new();
    for doc in workspace.all().filter(|it| it.form() != Form::Foreign) {
        let here = names(doc).into_iter().filter(|it| self::target(workspace, doc, it).as_ref() == Some(target));
        found.extend(here.map(|it| (doc, it)));
    }
    found
}

fn location(doc: &Doc<'_>, name: &Name) -> Json {
    json!({ "uri": uri::of(&doc.name), "range": doc.lines.range(&doc.text, &name.span) })
}

fn start() -> Json {
    let start = json!({ "line": 0, "character": 0 });
    json!({ "start": start, "end": start })
}
