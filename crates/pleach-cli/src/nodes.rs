//! `pleach nodes`: what trees can be made of.

use std::io::Write;

use pleach::asset::{Access, LeafInfo, LeafKind, ParameterInfo, Presence, ValueType};
use pleach::tools::kinds::{FieldDefault, NodeClass, NodeField, NodeKind};
use pleach::tools::text::plain;
use pleach::tools::{INCLUDES, Include, StandardTemplate, TREE_FIELDS, functions, standard_templates};
use pleach::{Host, Registry};

use crate::args::NodesArgs;
use crate::failure::Failure;
use crate::leaves;
use crate::paint::{FAINT, RESET, STRONG, VALUE};
use crate::words::{columns, first_sentence, padded, widest, wrapped};

const CLASSES: [(NodeClass, &str); 4] = [
    (NodeClass::Composite, "composites"),
    (NodeClass::Decorator, "decorators"),
    (NodeClass::Condition, "conditions"),
    (NodeClass::Action, "actions"),
];

pub(crate) fn nodes<H: Host>(own: &Registry<H>, game: &str, args: &NodesArgs) -> Result<(), Failure> {
    let file = args.leaves.as_deref();
    let known = leaves::known(file, own)?;
    // The manifest may be of any game.
    let game = if file.is_some() { "the manifest" } else { game };
    if args.manifest || args.schema {
        let text = if args.manifest { known.to_ron() } else { known.to_json_schema() };
        return Ok(std::io::stdout().lock().write_all(text.as_bytes())?);
    }
    let out = match &args.name {
        None => all(&known.leaves, game),
        Some(name) => one(name, &known.leaves, game)?,
    };
    Ok(anstream::stdout().lock().write_all(out.as_bytes())?)
}

/// A line for each, grouped by kind.
fn all(leaves: &[LeafInfo], game: &str) -> String {
    let mut out = String::new();
    let mut part = |title: &str, rows: Vec<(String, &str)>| {
        let width = widest(rows.iter().map(|it| &*it.0));
        out.push_str(&format!("{}{STRONG}{title}{RESET}\n", if out.is_empty() { "" } else { "\n" }));
        for (name, doc) in rows {
            // The description gets a minimum width, even on a narrow terminal.
            let lines = wrapped(doc, columns().saturating_sub(width + 4).max(20));
            for (at, line) in lines.iter().enumerate() {
                let name = if at == 0 { &*name } else { "" };
                let line = if line.is_empty() { String::new() } else { format!("  {FAINT}{}{RESET}", plain(line)) };
                out.push_str(&if line.is_empty() {
                    format!("  {name}\n")
                } else {
                    format!("  {}{line}\n", padded(name, width))
                });
            }
        }
    };
    for (class, title) in CLASSES {
        let kinds = NodeKind::ALL.into_iter().filter(|it| it.class() == class && it.is_built_in());
        part(title, kinds.map(|it| (it.name().to_owned(), it.doc())).collect());
    }
    part("other files, templates and holes", INCLUDES.iter().map(|it| (it.name.to_owned(), it.doc)).collect());
    part("standard templates", standard_templates().iter().map(|it| (it.name.to_owned(), it.note)).collect());
    let docs: Vec<String> = leaves.iter().map(|it| first_sentence(&it.doc)).collect();
    let of_game = leaves.iter().zip(&docs).map(|(it, doc)| (plain(&it.name).into_owned(), &**doc));
    part(&format!("leaves of {game}"), of_game.collect());
    part("functions for expressions", functions().map(|it| (it.usage.to_owned(), it.doc)).collect());
    out
}

/// Everything about one.
fn one(name: &str, leaves: &[LeafInfo], game: &str) -> Result<String, Failure> {
    if let Some(kind) = NodeKind::from_name(name).filter(|it| it.is_built_in()) {
        return Ok(kind_in_full(kind));
    }
    if let Some(include) = INCLUDES.iter().find(|it| it.name == name) {
        return Ok(include_in_full(include));
    }
    if let Some(leaf) = leaves.iter().find(|it| it.name == name) {
        return Ok(leaf_in_full(leaf, game));
    }
    if let Some(template) = standard_templates().into_iter().find(|it| it.name == name) {
        return Ok(template_in_full(&template));
    }
    if let Some(function) = functions().find(|it| it.name == name) {
        return Ok(format!("{STRONG}{}{RESET}  {FAINT}function{RESET}\n{}\n", function.usage, function.doc));
    }
    if name == "Tree" {
        return Ok(tree_in_full());
    }
    if let Some(text) = field_in_full(name) {
        return Ok(text);
    }
    let mut known: Vec<String> = leaves.iter().map(|it| it.name.clone()).collect();
    known.extend(NodeKind::ALL.into_iter().filter(|it| it.is_built_in()).map(|it| it.name().to_owned()));
    known.extend(INCLUDES.iter().map(|it| it.name.to_owned()));
    known.extend(standard_templates().iter().map(|it| it.name.to_owned()));
    known.push("Tree".into());
    known.extend(owned_fields().into_iter().map(|it| it.1.name.to_owned()));
    known.extend(INCLUDES.iter().flat_map(|it| it.fields).map(|it| it.name.to_owned()));
    known.extend(TREE_FIELDS.iter().map(|it| it.name.to_owned()));
    known.extend(functions().map(|it| it.name.to_owned()));
    let meant = pleach::tools::names::nearest(name, known.iter().map(String::as_str));
    let meant = meant.map(|it| format!(", did you mean `{it}`?"));
    let name = plain(name);
    Err(Failure::Usage(format!(
        "there is no node, leaf, field or function `{name}`{}; `pleach nodes` lists all",
        meant.unwrap_or_default()
    )))
}

fn kind_in_full(kind: NodeKind) -> String {
    let mut out = format!("{STRONG}{}{RESET}  {FAINT}{}{RESET}\n", kind.name(), kind.class().name());
    paragraph(&mut out, kind.doc());
    out.push_str(&format!("\n  {VALUE}{}{RESET}\n", kind.example()));
    let own: Vec<&NodeField> = kind.fields().iter().chain(kind.child_fields()).collect();
    fields(&mut out, "fields", &own);
    let every: Vec<&NodeField> = kind.class().fields().iter().chain(NodeKind::COMMON_FIELDS).collect();
    fields(&mut out, "fields of every such node", &every);
    out
}

/// The fields of a tree as a whole.
fn tree_in_full() -> String {
    let mut out = format!("{STRONG}Tree{RESET}  {FAINT}a file{RESET}\n");
    out.push_str(&format!("\n  {VALUE}Tree(version: 1, root: Idle){RESET}\n\n{STRONG}fields{RESET}\n"));
    for field in TREE_FIELDS {
        let needed = if field.is_required { " (required)" } else { "" };
        out.push_str(&format!("  {}{FAINT}: {}{needed}{RESET}\n", field.name, field.what));
        described(&mut out, field.doc);
    }
    out
}

/// Every field of built-in nodes, each with its owner.
fn owned_fields() -> Vec<(String, &'static NodeField)> {
    let every = NodeKind::COMMON_FIELDS.iter().map(|it| ("every node".to_owned(), it));
    let classes = CLASSES.iter().map(|it| it.0);
    let of_class = classes.flat_map(|it| it.fields().iter().map(move |field| (format!("every {}", it.name()), field)));
    let kinds = NodeKind::ALL.into_iter().filter(|it| it.is_built_in());
    let own = kinds
        .flat_map(|it| it.fields().iter().chain(it.child_fields()).map(move |field| (it.name().to_owned(), field)));
    every.chain(of_class).chain(own).collect()
}

/// The description of a field, and which nodes or trees have it.
fn field_in_full(name: &str) -> Option<String> {
    let mut said: Vec<(String, &str, Vec<String>)> = Vec::new();
    for (owner, field) in owned_fields().into_iter().filter(|it| it.1.name == name) {
        let head = field_head(field);
        match said.iter_mut().find(|it| it.0 == head && it.1 == field.doc) {
            Some(same) => same.2.push(owner),
            None => said.push((head, field.doc, vec![owner])),
        }
    }
    for include in &INCLUDES {
        for field in include.fields.iter().filter(|it| it.name == name) {
            let needed = if field.is_required { " (required)" } else { "" };
            let head = format!("{name}{FAINT}: {}{needed}{RESET}", field.shape.what());
            said.push((head, field.doc, vec![include.name.to_owned()]));
        }
    }
    for field in TREE_FIELDS.iter().filter(|it| it.name == name) {
        said.push((format!("{name}{FAINT}: {}{RESET}", field.what), field.doc, vec!["Tree".to_owned()]));
    }
    if said.is_empty() {
        return None;
    }
    let mut out = format!("{STRONG}{name}{RESET}  {FAINT}field{RESET}\n");
    for (head, doc, owners) in said {
        out.push_str(&format!("\n{STRONG}of {}{RESET}\n  {head}\n", owners.join(", ")));
        described(&mut out, doc);
    }
    Some(out)
}

/// The description of a field, below it.
fn described(out: &mut String, doc: &str) {
    for line in wrapped(doc, columns().saturating_sub(6).max(20)) {
        out.push_str(&format!("      {line}\n"));
    }
}

fn include_in_full(it: &Include) -> String {
    let mut out = format!("{STRONG}{}{RESET}  {FAINT}an include, not a node{RESET}\n", it.name);
    paragraph(&mut out, it.doc);
    out.push_str(&format!("\n  {VALUE}{}{RESET}\n\n{STRONG}fields{RESET}\n", it.example));
    for field in it.fields {
        let needed = if field.is_required { " (required)" } else { "" };
        out.push_str(&format!("  {}{FAINT}: {}{needed}{RESET}\n", field.name, field.shape.what()));
        described(&mut out, field.doc);
    }
    let is_own = |name| it.fields.iter().any(|it| it.name == name);
    if it.has_common_fields {
        let every: Vec<&NodeField> = NodeKind::COMMON_FIELDS.iter().filter(|it| !is_own(it.name)).collect();
        fields(&mut out, "fields of every node", &every);
    }
    out
}

/// A standard template as in its file, except for its indentation.
fn template_in_full(it: &StandardTemplate) -> String {
    let mut out = format!("{STRONG}{}{RESET}  {FAINT}a standard template{RESET}\n", it.name);
    paragraph(&mut out, it.note);
    let indent = it.source.lines().last().map_or(0, |it| it.len() - it.trim_start().len());
    out.push_str(&format!("\n{STRONG}as a template of your own, to change{RESET}\n"));
    for line in it.source.lines() {
        let line = line.get(indent..).filter(|_| line.starts_with(' ')).unwrap_or(line);
        out.push_str(&format!("  {VALUE}{line}{RESET}\n"));
    }
    out
}

fn leaf_in_full(leaf: &LeafInfo, game: &str) -> String {
    let what = match leaf.kind {
        LeafKind::Condition => "condition",
        LeafKind::Action => "action",
        LeafKind::Unknown => "leaf",
    };
    let mut out = format!("{STRONG}{}{RESET}  {FAINT}{what} of {game}{RESET}\n", plain(&leaf.name));
    if !leaf.doc.trim().is_empty() {
        paragraph(&mut out, leaf.doc.trim());
    }
    match leaf.parameters.as_deref() {
        Some([]) => {}
        Some(parameters) => {
            out.push_str(&format!("\n{STRONG}parameters{RESET}\n"));
            parameters.iter().for_each(|it| parameter(&mut out, it));
        }
        None => out.push_str(&format!("\n{FAINT}its parameters are not known{RESET}\n")),
    }
    out
}

fn parameter(out: &mut String, it: &ParameterInfo) {
    let presence = match &it.presence {
        Presence::Required => " (required)".into(),
        // For fields that a struct reads with serde, only the game knows the default.
        Presence::Optional => " (optional)".into(),
        Presence::Default(it) => format!(" (default {it})"),
        Presence::Unknown => String::new(),
    };
    let [reads, writes] = if it.ty == ValueType::Event { ["hears", "sends"] } else { ["reads", "writes"] };
    let access = match it.access {
        // An expression does nothing else.
        Some(Access::Read) if it.ty == ValueType::FloatExpr => String::new(),
        None => String::new(),
        Some(Access::Read) => format!(", which it {reads}"),
        Some(Access::Write) => format!(", which it {writes}"),
        Some(Access::ReadWrite) => format!(", which it {reads} and {writes}"),
    };
    let line = format!(": {}{access}{presence}", it.ty);
    out.push_str(&format!("  {}{FAINT}{}{RESET}\n", plain(&it.name), plain(&line)));
    for line in it.doc.lines().flat_map(|it| wrapped(it, columns().saturating_sub(6).max(20))) {
        out.push_str(&format!("      {}\n", plain(&line)));
    }
}

fn fields(out: &mut String, title: &str, fields: &[&NodeField]) {
    if fields.is_empty() {
        return;
    }
    out.push_str(&format!("\n{STRONG}{title}{RESET}\n"));
    for field in fields {
        out.push_str(&format!("  {}\n", field_head(field)));
        described(out, field.doc);
    }
}

/// A field with its possible values, and its default.
fn field_head(field: &NodeField) -> String {
    let default = match field.default {
        FieldDefault::Required => " (required)".to_owned(),
        FieldDefault::Absent => String::new(),
        FieldDefault::Value(it) => format!(" (default {it})"),
    };
    format!("{}{FAINT}: {}{default}{RESET}", field.name, field.shape.what())
}

fn paragraph(out: &mut String, text: &str) {
    for line in text.lines().flat_map(|it| wrapped(it, columns())) {
        out.push_str(&plain(&line));
        out.push('\n');
    }
}
