//! What a name leads to, in its file or in another.

use std::ops::Range;

use pleach::tools::included_name;

use crate::doc::{Doc, Form};
use crate::fields::{Role, Sort};
use crate::names::{self, Key, Name, entries, key_at};
use crate::syntax::At;
use crate::workspace::Workspace;

/// What a name is the name of. Names with equal targets are names of the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// What is declared there, in that file.
    Declared(String, Range<usize>),
    /// What all files share by its name: an event, a token, a key of the group or of all agents.
    Shared(Sort, &'static str, String),
    /// A file.
    File(String),
}

/// A declaration: its file, its name there, and what is behind its colon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declaration<'w, 'g> {
    pub(crate) doc: &'w Doc<'g>,
    pub(crate) name: At,
    pub(crate) value: Option<At>,
}

impl Declaration<'_, '_> {
    pub(crate) fn target(&self) -> Target {
        Target::Declared(self.doc.name.clone(), self.doc.syntax.word_span(&self.doc.text, self.name))
    }
}

/// What a name leads to, if that is there.
pub(crate) fn target(workspace: &Workspace<'_>, doc: &Doc<'_>, name: &Name) -> Option<Target> {
    let text = &doc.text[name.span.clone()];
    let shared = |scope| Some(Target::Shared(name.sort, scope, text.to_owned()));
    match name.sort {
        Sort::Event => shared("event"),
        Sort::Token => shared("token"),
        Sort::File => included_name(&doc.name, text).map(Target::File),
        Sort::Key => {
            let (key, doc) = key_of(workspace, doc, name)?;
            match key.scope {
                scope @ ("group" | "global") => shared(scope),
                _ => Some(Declaration { doc, name: key.name, value: key.value }.target()),
            }
        }
        Sort::Template | Sort::Hole if name.is_declared => {
            Some(Declaration { doc, name: name.at, value: None }.target())
        }
        Sort::Template => template(workspace, doc, text).map(|it| it.target()),
        Sort::Hole => hole(workspace, doc, name.at).map(|it| it.target()),
        Sort::Port => port(workspace, doc, name.at).map(|it| it.target()),
        Sort::SlotWord => None,
    }
}

/// The key that a name is, and the file that declares it.
pub(crate) fn key_of<'w, 'g>(
    workspace: &'w Workspace<'g>,
    doc: &'w Doc<'g>,
    name: &Name,
) -> Option<(Key, &'w Doc<'g>)> {
    let text = &doc.text[name.span.clone()];
    if doc.form() == Form::Tests {
        let tree = workspace.tested(doc, name.at)?;
        let mut keys = Vec::new();
        names::file_keys(tree, &mut keys);
        return Some((keys.into_iter().find(|it| tree.word(it.name) == text)?, tree));
    }
    if name.is_declared {
        let key = names::keys_at(doc, name.at).into_iter().find(|it| it.name == name.at)?;
        return Some((key, doc));
    }
    Some((key_at(doc, name.at, text, name.scope)?, doc))
}

/// The template of that name that a file can use.
pub(crate) fn template<'w, 'g>(
    workspace: &'w Workspace<'g>,
    doc: &'w Doc<'g>,
    name: &str,
) -> Option<Declaration<'w, 'g>> {
    let found = templates(workspace, doc);
    found.into_iter().find(|it| it.doc.word(it.name) == name)
}

/// All templates that a file can use, its own first.
pub(crate) fn templates<'w, 'g>(workspace: &'w Workspace<'g>, doc: &'w Doc<'g>) -> Vec<Declaration<'w, 'g>> {
    let mut docs = vec![doc];
    let root = doc.syntax.root();
    let lenders = root.and_then(|it| doc.field(it, "templates_from")).map(|it| &doc.syntax.get(it).items);
    for file in lenders.into_iter().flatten().filter_map(|it| it.value) {
        docs.extend(included_name(&doc.name, doc.word(file)).and_then(|it| workspace.get(&it)));
    }
    docs.push(&workspace.standard);
    let of = |doc: &'w Doc<'g>| {
        let root = doc.syntax.root().into_iter();
        let all = root.flat_map(|it| entries(doc, it, "templates"));
        all.map(move |(name, value)| Declaration { doc, name, value })
    };
    docs.into_iter().flat_map(of).collect()
}

/// What an include includes: a file, or a template; of a slot all of its files.
pub(crate) fn included<'w, 'g>(workspace: &'w Workspace<'g>, doc: &'w Doc<'g>, include: At) -> Vec<(&'w Doc<'g>, At)> {
    let file = |it: At| {
        let doc = workspace.get(&included_name(&doc.name, doc.word(it))?)?;
        Some((doc, doc.syntax.root()?))
    };
    match doc.word(include) {
        "Subtree" => doc.field_or_first(include, "asset").and_then(file).into_iter().collect(),
        "Use" => {
            let name = doc.field_or_first(include, "template");
            let found = name.and_then(|it| template(workspace, doc, doc.word(it)));
            found.and_then(|it| Some((it.doc, it.value?))).into_iter().collect()
        }
        "Slot" => {
            let second = || doc.syntax.get(include).items.get(1).filter(|it| it.key.is_none())?.value;
            let Some(trees) = doc.field(include, "trees").or_else(second) else { return Vec::new() };
            doc.syntax.get(trees).items.iter().filter_map(|it| it.value).filter_map(file).collect()
        }
        _ => Vec::new(),
    }
}

/// The include that a map of ports or of nodes belongs to, of which `at` is a key or value.
pub(crate) fn include_around(doc: &Doc<'_>, at: At) -> Option<At> {
    let map = doc.syntax.get(at).parent?;
    let include = doc.syntax.get(map).parent?;
    matches!(doc.role(include), Role::Node(_)).then_some(include)
}

/// The port that a key of `with` is.
pub(crate) fn port<'w, 'g>(workspace: &'w Workspace<'g>, doc: &'w Doc<'g>, at: At) -> Option<Declaration<'w, 'g>> {
    ports(workspace, doc, at).into_iter().next()
}

/// The same of a slot whose trees may each declare it.
pub(crate) fn ports<'w, 'g>(workspace: &'w Workspace<'g>, doc: &'w Doc<'g>, at: At) -> Vec<Declaration<'w, 'g>> {
    let Some(include) = include_around(doc, at) else { return Vec::new() };
    let of = |(there, owner): (&'w Doc<'g>, At)| declared(there, owner, "ports", doc.word(at));
    included(workspace, doc, include).into_iter().filter_map(of).collect()
}

fn hole<'w, 'g>(workspace: &'w Workspace<'g>, doc: &'w Doc<'g>, at: At) -> Option<Declaration<'w, 'g>> {
    let name = doc.word(at);
    let around = doc.syntax.get(at).parent?;
    if doc.role(around) == Role::MapOf(crate::fields::Entries::Fillings) {
        let of = |(there, owner): (&'w Doc<'g>, At)| declared(there, owner, "nodes", name);
        return included(workspace, doc, include_around(doc, at)?).into_iter().find_map(of);
    }
    let owners = doc.syntax.chain(at).filter(|it| matches!(doc.role(*it), Role::Template | Role::File));
    owners.into_iter().find_map(|it| declared(doc, it, "nodes", name))
}

fn declared<'w, 'g>(doc: &'w Doc<'g>, owner: At, field: &str, name: &str) -> Option<Declaration<'w, 'g>> {
    let (name, value) = entries(doc, owner, field).into_iter().find(|it| doc.word(it.0) == name)?;
    Some(Declaration { doc, name, value })
}

/// The events that a file can name: its own, with what they carry.
pub(crate) fn events<'d>(workspace: &'d Workspace<'_>, doc: &'d Doc<'_>) -> Vec<(&'d str, String)> {
    let root = doc.syntax.root().into_iter();
    let own = root.flat_map(|it| entries(doc, it, "events")).map(|(name, value)| {
        let carries = value.map_or("()", |it| &doc.text[doc.syntax.get(it).span.clone()]);
        (doc.word(name), carries.to_owned())
    });
    let host = workspace.manifest.events.iter();
    let of_host = host.map(|(name, ty)| (&**name, ty.map_or("()".to_owned(), |it| it.to_string())));
    own.chain(of_host).collect()
}
