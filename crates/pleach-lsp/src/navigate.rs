//! Definitions, references and renaming of names, through all files.

use std::collections::{BTreeMap, BTreeSet};

use pleach::tools::{RESERVED, is_name, text::plain};
use serde_json::{Value as Json, json};

use crate::doc::{Doc, Form};
use crate::fields::Sort;
use crate::files::MOST_FILES;
use crate::names::{Name, name_at, names};
use crate::syntax::At;
use crate::targets::{self, Target, target, templates};
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

/// Every place that refers to the same thing as this one.
pub(crate) fn references(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize, with_declaration: bool) -> Json {
    let found = name_at(doc, byte).and_then(|it| target(workspace, doc, &it));
    // At the head of a file: the files that include it.
    let root = doc.syntax.root().filter(|it| doc.syntax.word_span(&doc.text, *it).contains(&byte));
    let target = found.or(root.map(|_| Target::File(doc.name.clone())));
    let Some(target) = target else { return Json::Null };
    let all = places(workspace, &target).into_iter().filter(|it| with_declaration || !it.1.is_declared);
    Json::Array(all.map(|(doc, name)| location(doc, &name)).collect())
}

/// The places of this file that refer to the same thing as this one.
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

/// The edits of all files that rename what this place names.
pub(crate) fn rename(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize, new: &str) -> Result<Json, String> {
    if workspace.is_cut() {
        return Err(format!(
            "a folder holds more than {MOST_FILES} `.ron` files: the name may be in those not looked at"
        ));
    }
    let (name, target) = renamed(workspace, doc, byte)?;
    can_be_name(name.sort, new)?;
    let all = places(workspace, &target);
    if doc.text[name.span] != *new {
        is_free(workspace, &target, &all, new)?;
    }
    let mut changes: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (doc, name) in all {
        let edit = json!({ "range": doc.lines.range(&doc.text, &name.span), "newText": new });
        changes.entry(uri::of(&doc.name)).or_default().push(edit);
    }
    Ok(json!({ "changes": changes }))
}

fn can_be_name(sort: Sort, new: &str) -> Result<(), String> {
    let is_free_form = matches!(sort, Sort::Event | Sort::Template | Sort::Hole);
    let why = match new {
        _ if new.trim().is_empty() => return Err("a name cannot be empty".to_owned()),
        _ if is_free_form && new.contains(['"', '\\']) => "it cannot hold `\"` or `\\`",
        _ if is_free_form && new.contains(char::is_control) => "it cannot hold line breaks or control characters",
        _ if is_free_form || is_name(new) => return Ok(()),
        _ if RESERVED.contains(&new) => "expressions have a meaning for it",
        _ if new.starts_with(|it: char| it.is_numeric()) => "it cannot begin with a digit",
        _ => "use letters, digits and `_`",
    };
    Err(format!("`{}` cannot be a name: {why}", plain(new)))
}

/// Refuses a name that is taken by another of its sort at one of these places.
fn is_free(workspace: &Workspace<'_>, target: &Target, all: &[(&Doc<'_>, Name)], new: &str) -> Result<(), String> {
    let taken = |file: &str| match file {
        STANDARD => Err(format!("`{new}` is the name of a standard template already")),
        file => Err(format!("`{new}` is a name in `{file}` already")),
    };
    if let Target::Shared(sort, scope, _) = target {
        if *sort == Sort::Event && workspace.manifest.events.iter().any(|it| &*it.0 == new) {
            return Err(format!("the game declares an event `{new}` already"));
        }
        let others = places(workspace, &Target::Shared(*sort, scope, new.to_owned()));
        if let Some((doc, _)) = others.first() {
            return taken(&doc.name);
        }
    }
    let mut seen = BTreeSet::new();
    for (doc, name) in all {
        // All keys and templates of a file are checked at its first place.
        if !seen.insert((&doc.name, name.sort, name.is_declared)) {
            continue;
        }
        let is_new = |it: &At| doc.word(*it) == new;
        let holder = match name.sort {
            Sort::Key => {
                let is_there = |it: &Name| it.sort == Sort::Key && doc.text[it.span.clone()] == *new;
                names(doc).iter().any(is_there).then_some(&*doc.name)
            }
            Sort::Template => {
                templates(workspace, doc).iter().find(|it| it.doc.word(it.name) == new).map(|it| &*it.doc.name)
            }
            Sort::Hole if name.is_declared => {
                let map = doc.syntax.get(name.at).parent.map(|it| &doc.syntax.get(it).items);
                let mut keys = map.into_iter().flatten().filter_map(|it| it.key.or(it.value));
                keys.any(|it| is_new(&it)).then_some(&*doc.name)
            }
            Sort::Hole | Sort::Event | Sort::Port | Sort::File | Sort::Token | Sort::SlotWord => None,
        };
        if let Some(file) = holder {
            return taken(file);
        }
    }
    Ok(())
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
        _ => match sharers(workspace, &text, &target) {
            Some(files) => Err(format!("several trees of a slot have the port `{text}`: rename it in each of {files}")),
            None => Ok((name, target)),
        },
    }
}

/// The trees of a slot that all declare the port of that name, if it is one of them: a connection
/// of the port goes to each.
fn sharers(workspace: &Workspace<'_>, text: &str, target: &Target) -> Option<String> {
    let Target::Declared(file, _) = target else { return None };
    let is_user = |it: &&Doc<'_>| workspace.included(&it.name).contains(file);
    for doc in workspace.all().filter(is_user) {
        for name in names(doc).iter().filter(|it| it.sort == Sort::Port && doc.text[it.span.clone()] == *text) {
            let ports = targets::ports(workspace, doc, name.at);
            let files: BTreeSet<&str> = ports.iter().map(|it| &*it.doc.name).collect();
            if files.len() > 1 && ports.iter().any(|it| it.target() == *target) {
                let files: Vec<String> = files.iter().map(|it| format!("`{it}`")).collect();
                return Some(files.join(", "));
            }
        }
    }
    None
}

/// Whether the game declares that it reads or writes a key of that name.
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
