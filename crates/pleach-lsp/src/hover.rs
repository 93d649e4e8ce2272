//! Hover texts: documentation, types and defaults.

use std::fmt::Write as _;

use pleach::asset::{LeafInfo, LeafKind};
use pleach::schema::{Access, KeyNeed};
use pleach::tools::kinds::{FieldShape, NodeKind};
use pleach::tools::{functions, included_name};
use serde_json::{Value as Json, json};

use crate::doc::{Doc, Form};
use crate::fields::{Field, Need, Role, Sort, built_in, fields, include};
use crate::names::{ExprKind, Key, Name, entries, expr_words, name_at};
use crate::syntax::{At, Shape};
use crate::targets;
use crate::workspace::Workspace;

pub(crate) fn hover(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Option<Json> {
    let (span, text) = about(workspace, doc, byte)?;
    let range = doc.lines.range(&doc.text, &span);
    Some(json!({ "contents": { "kind": "markdown", "value": text.trim_end() }, "range": range }))
}

fn about(workspace: &Workspace<'_>, doc: &Doc<'_>, byte: usize) -> Option<(std::ops::Range<usize>, String)> {
    if let Some(name) = name_at(doc, byte)
        && let Some(text) = of_name(workspace, doc, &name)
    {
        return Some((name.span, text));
    }
    let at = doc.syntax.innermost(byte)?;
    let span = doc.syntax.word_span(&doc.text, at);
    // Inside brackets, but outside their content, there is nothing to show.
    if byte < span.start || byte > span.end {
        return None;
    }
    let text = match doc.role(at) {
        Role::Expr => {
            let words = expr_words(&doc.text[span.clone()], span.start);
            let word = words.into_iter().find(|it| it.span.start <= byte && byte <= it.span.end)?;
            let written = &doc.text[word.span.clone()];
            let function = functions().find(|it| it.name == written && word.kind == ExprKind::Function);
            let text = match (function, written) {
                (Some(it), _) => format!("`{}`\n\n{}", it.usage, it.doc),
                (None, "time") => "`time`: the time of the agent, as a Time".to_owned(),
                (None, "now") => "`now`: the time of the forest, as a Time".to_owned(),
                (None, "none") => "`none`: no entity".to_owned(),
                _ => return None,
            };
            return Some((word.span, text));
        }
        Role::Node(_) if doc.syntax.get(at).shape != Shape::Text => node(workspace, doc.word(at))?,
        Role::Words(words) if words == FieldShape::Abort.words() => abort(doc.word(at))?.to_owned(),
        Role::Field => {
            let owner = doc.syntax.get(at).parent?;
            let known = fields(workspace.manifest, doc.role(owner), doc.word(owner));
            field(known.iter().find(|it| it.name == doc.word(at))?)
        }
        _ => return None,
    };
    Some((span, text))
}

/// The text for a name that is declared somewhere.
fn of_name(workspace: &Workspace<'_>, doc: &Doc<'_>, name: &Name) -> Option<String> {
    let text = &doc.text[name.span.clone()];
    Some(match name.sort {
        Sort::Key => {
            let (key, there) = targets::key_of(workspace, doc, name)?;
            self::key(there, &key)
        }
        Sort::Port => {
            let port = targets::port(workspace, doc, name.at)?;
            let key = Key { name: port.name, value: port.value, scope: "agent", what: "port" };
            self::key(port.doc, &key)
        }
        Sort::Event => {
            let events = targets::events(workspace, doc);
            let (_, carries) = events.into_iter().find(|it| it.0 == text)?;
            let carries = if carries == "()" { "nothing".to_owned() } else { format!("a {carries}") };
            format!("event `{text}`, which carries {carries}")
        }
        Sort::Template => {
            let it = targets::template(workspace, doc, text)?;
            format!("template `{text}`\n\n{}", part(it.doc, it.value?))
        }
        Sort::File => {
            let it = workspace.get(&included_name(&doc.name, text)?).filter(|it| it.form() == Form::Tree)?;
            format!("tree `{text}`\n\n{}", part(it, it.syntax.root()?))
        }
        Sort::Hole | Sort::Token | Sort::SlotWord => return None,
    })
}

/// A key as it is declared, with the comment above.
pub(crate) fn key(doc: &Doc<'_>, key: &Key) -> String {
    let declared = key.value.map_or("", |it| &doc.text[doc.syntax.get(it).span.clone()]);
    let mut text = format!("```ron\n\"{}\": {declared}\n```\n{}", doc.word(key.name), key.what);
    if let Some(comment) = comment_above(doc, key.name) {
        write!(text, "\n\n{comment}").unwrap_or_default();
    }
    text
}

/// A key that the game relies on.
pub(crate) fn need(it: &KeyNeed) -> String {
    let does = match it.access {
        Some(Access::Read) => "reads",
        Some(Access::Write) => "writes",
        Some(Access::ReadWrite) => "reads and writes",
        None => "uses",
    };
    let optional = if it.optional { " if the tree has it" } else { "" };
    format!("{}\n\nThe game {does} it{optional}.", it.doc).trim_start().to_owned()
}

/// The comments in the lines above a value.
fn comment_above(doc: &Doc<'_>, at: At) -> Option<String> {
    let before = &doc.text[..doc.syntax.get(at).span.start];
    let above = before.rsplit('\n').skip(1).map(str::trim);
    // The name has to be the first of its line.
    before.rsplit('\n').next().filter(|it| it.trim().is_empty())?;
    let mut lines: Vec<&str> = above.map_while(|it| it.strip_prefix("//")).map(str::trim).collect();
    lines.reverse();
    Some(lines.join("\n")).filter(|it| !it.is_empty())
}

/// A file or a template as its users see it.
fn part(doc: &Doc<'_>, owner: At) -> String {
    let mut text = String::new();
    if let Some(note) = doc.field(owner, "note") {
        write!(text, "{}\n\n", doc.word(note)).unwrap_or_default();
    }
    for (field, title) in [("ports", "ports"), ("nodes", "holes")] {
        let declared = entries(doc, owner, field);
        if declared.is_empty() {
            continue;
        }
        writeln!(text, "{title}:").unwrap_or_default();
        for (name, value) in declared {
            let value = value.map_or("", |it| &doc.text[doc.syntax.get(it).span.clone()]);
            writeln!(text, "- `\"{}\": {value}`", doc.word(name)).unwrap_or_default();
        }
        text.push('\n');
    }
    text
}

/// A node, an include or a leaf, by its name.
pub(crate) fn node(workspace: &Workspace<'_>, name: &str) -> Option<String> {
    let mut text = String::new();
    if let Some(kind) = built_in(name) {
        write!(text, "```ron\n{}\n```\n{}: {}\n\n", kind.example(), kind.class().name(), kind.doc())
            .unwrap_or_default();
    } else if let Some(it) = include(name) {
        write!(text, "```ron\n{}\n```\n{}\n\n", it.example, it.doc).unwrap_or_default();
    } else {
        let leaf = workspace.manifest.leaf(name)?;
        write!(text, "`{name}`: {} of the game\n\n", leaf_kind(leaf)).unwrap_or_default();
        write!(text, "{}\n\n", leaf.doc.trim()).unwrap_or_default();
        if leaf.parameters.is_none() {
            text.push_str("Its parameters are not known.\n");
        }
    }
    let of = fields(workspace.manifest, Role::Node(crate::fields::Stands::Any), name);
    for it in of.iter().filter(|it| !it.is_common) {
        writeln!(text, "- {}", field(it).replace('\n', " ").replace("  ", " ")).unwrap_or_default();
    }
    Some(text)
}

/// What a change of a condition below a composite aborts.
fn abort(word: &str) -> Option<&'static str> {
    Some(match word {
        "None" => "`None`: a change of a condition in this composite aborts nothing",
        "Self" => "`Self`: a change of a condition in this composite aborts what runs behind it in the composite",
        "LowerPriority" => {
            "`LowerPriority`: a change of a condition in this composite aborts what runs behind the composite, in the \
             one around it, and the composite starts"
        }
        "Both" => "`Both`: as `Self` and `LowerPriority` together",
        _ => return None,
    })
}

fn leaf_kind(leaf: &LeafInfo) -> &'static str {
    match leaf.kind {
        LeafKind::Action => "action",
        LeafKind::Condition => "condition",
        LeafKind::Unknown => "leaf",
    }
}

/// A field with its possible values, and its default.
pub(crate) fn field(it: &Field<'_>) -> String {
    let need = match it.need {
        Need::Required => " (required)".to_owned(),
        Need::Optional => String::new(),
        Need::Default(it) => format!(" (default `{it}`)"),
    };
    let mut text = format!("`{}`: {}{need}", it.name, it.what);
    if !it.doc.is_empty() {
        write!(text, "\n\n{}", it.doc.trim()).unwrap_or_default();
    }
    text
}

/// A node in a few words, beside its name in a list.
pub(crate) fn detail(workspace: &Workspace<'_>, name: &str) -> String {
    if let Some(kind) = built_in(name) {
        return kind.class().name().to_owned();
    }
    match workspace.manifest.leaf(name) {
        Some(leaf) => format!("{} of the game", leaf_kind(leaf)),
        None => "include".to_owned(),
    }
}

/// The kinds of nodes that are written under their own names.
pub(crate) fn kinds() -> impl Iterator<Item = NodeKind> {
    NodeKind::ALL.into_iter().filter(|it| it.is_built_in())
}
