//! `xtask nodes`: the documents that list the kinds of nodes, written from the table of the core.

mod book;
mod examples;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;
use pleach_core::kinds::{Arity, ChildOrder, FieldDefault, FieldShape, NodeClass, NodeField, NodeKind};
use thiserror::Error;

/// Where to write, or to look.
#[derive(Args)]
pub(crate) struct NodesArgs {
    /// Writes nothing: exit code 1 if a document is not what would be written.
    #[arg(long)]
    check: bool,
    /// The folder of the repository.
    #[arg(long, default_value = ".")]
    root: PathBuf,
}

/// A document of nodes, by its path in the repository, and its text.
type Document = (&'static str, fn() -> String);

/// The page for people, the table in the documentation of the crate `pleach`, and three chapters of
/// the book.
const DOCUMENTS: [Document; 5] = [
    ("docs/nodes.md", page),
    ("crates/pleach/src/nodes.md", table),
    ("docs/guide/src/nodes.md", book::chapter),
    ("docs/guide/src/semantics.md", book::contract),
    ("docs/guide/src/codes.md", book::codes),
];

/// Why a document could not be written or looked at.
#[derive(Debug, Error)]
#[error("{}: {error}", path.display())]
struct NodesError {
    path: PathBuf,
    error: io::Error,
}

pub(crate) fn nodes(args: &NodesArgs) -> ExitCode {
    match run(args) {
        Ok(stale) if stale.is_empty() => ExitCode::SUCCESS,
        Ok(stale) => {
            for path in stale {
                println!("{} is not what the table says: run `cargo run -p xtask -- nodes`", path.display());
            }
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Writes the documents, or finds those that are out of date.
fn run(args: &NodesArgs) -> Result<Vec<PathBuf>, NodesError> {
    let mut stale = Vec::new();
    for (path, text) in DOCUMENTS {
        let path = args.root.join(path);
        if !args.check {
            put(&path, &text())?;
        } else if get(&path)? != text() {
            stale.push(path);
        }
    }
    Ok(stale)
}

fn put(path: &Path, text: &str) -> Result<(), NodesError> {
    fs::write(path, text).map_err(|error| NodesError { path: path.into(), error })
}

fn get(path: &Path) -> Result<String, NodesError> {
    fs::read_to_string(path).map_err(|error| NodesError { path: path.into(), error })
}

const CLASSES: [(NodeClass, &str, &str); 4] = [
    (NodeClass::Composite, "Composites", "They have one or more children."),
    (NodeClass::Decorator, "Decorators", "They have exactly one child."),
    (NodeClass::Condition, "Conditions", "Leaves that answer a question. They have no children."),
    (NodeClass::Action, "Actions", "Leaves that do something. They have no children."),
];

fn of_class(class: NodeClass) -> impl Iterator<Item = NodeKind> {
    NodeKind::ALL.into_iter().filter(move |it| it.class() == class)
}

/// Every kind with everything in the table.
fn page() -> String {
    let mut out = String::from(
        "# Nodes\n\n`cargo run -p xtask -- nodes` writes this page from the table in \
         `crates/pleach-core/src/tree/kind.rs`.\n[SEMANTICS.md](../SEMANTICS.md) says exactly \
         what each node does.\n\n## Fields of every node\n\n",
    );
    whole(&mut out, |out, kind| {
        let _ = write!(out, "\n### {}\n\n{}\n", kind.name(), kind.doc());
        if let Some(order) = kind.order() {
            let _ = writeln!(out, "It tries {}.", in_order(order));
        }
        if kind.is_built_in() {
            let _ = write!(out, "\n```ron\n{}\n```\n", kind.example());
        }
        let own = || kind.fields().iter().chain(kind.child_fields());
        if own().next().is_some() {
            out.push('\n');
            fields(out, own());
        }
    });
    out
}

/// All kinds by class, each as `one` writes it, and the fields that belong to no kind.
fn whole(out: &mut String, one: impl Fn(&mut String, NodeKind)) {
    fields(out, NodeKind::COMMON_FIELDS.iter());
    for (class, title, sentence) in CLASSES {
        let _ = write!(out, "\n## {title}\n\n{sentence}");
        if class.fields().is_empty() {
            out.push('\n');
        } else {
            out.push_str(" All of them have these fields:\n\n");
            fields(out, class.fields().iter());
        }
        of_class(class).for_each(|it| one(out, it));
    }
    out.push_str("\n## Services\n\nThe fields of each entry of `services`:\n\n");
    fields(out, NodeKind::SERVICE_FIELDS.iter());
    out.push_str("\n## Interrupts\n\nThe fields of each entry of a tree's `interrupts`:\n\n");
    fields(out, NodeKind::INTERRUPT_FIELDS.iter());
}

fn in_order(order: ChildOrder) -> &'static str {
    match order {
        ChildOrder::Written => "its children in the order in which they are written, each once",
        ChildOrder::Reactive => {
            "its children in the order in which they are written, and reruns those before the running one every tick"
        }
        ChildOrder::Selected => "only the child that is selected",
        ChildOrder::Found => "its children in an order that is determined at runtime",
        ChildOrder::Together => "all its children side by side",
    }
}

fn fields(out: &mut String, fields: impl Iterator<Item = &'static NodeField>) {
    out.push_str("| field | value | default | meaning |\n|---|---|---|---|\n");
    for field in fields {
        let default = match field.default {
            FieldDefault::Required => "required".into(),
            FieldDefault::Absent => "nothing".into(),
            FieldDefault::Value(value) => format!("`{value}`"),
        };
        let _ = writeln!(out, "| `{}` | {} | {default} | {} |", field.name, what(field.shape), field.doc);
    }
}

/// What can be written, distinguishing strings as messages do not.
fn what(shape: FieldShape) -> &'static str {
    match shape {
        FieldShape::Key => "a string with the name of a key",
        FieldShape::Event => "a string with the name of an event",
        _ => shape.what(),
    }
}

/// One line for each kind.
fn table() -> String {
    let mut out = String::from("| node | meaning |\n|---|---|\n");
    for (arity, title) in [(Arity::Composite, "composites"), (Arity::Decorator, "decorators"), (Arity::Leaf, "leaves")]
    {
        let also = match arity {
            Arity::Composite => also(NodeClass::Composite),
            Arity::Decorator => also(NodeClass::Decorator),
            Arity::Leaf => "*and yours, under the names that you register*".into(),
        };
        let _ = writeln!(out, "| **{title}** | {also} |");
        for kind in NodeKind::ALL.into_iter().filter(|it| it.arity() == arity && it.is_built_in()) {
            let _ = writeln!(out, "| `{}` | {} |", kind.example(), sentences(kind));
        }
    }
    out
}

/// The fields of a class.
fn also(class: NodeClass) -> String {
    let samples = class.fields().iter().map(|it| match it.shape {
        FieldShape::Services => format!("`{}: [(every: 0.5, run: Leaf)]`", it.name),
        FieldShape::Keys => format!("`{}: {{..}}`", it.name),
        shape => format!("`{}: {}`", it.name, shape.words().join("` `")),
    });
    format!("*also* {}", samples.collect::<Vec<_>>().join(", "))
}

/// What a kind does, and what the example does not show of its fields.
fn sentences(kind: NodeKind) -> String {
    let mut out = kind.doc().to_owned();
    let example = kind.example();
    let shown = |it: &&NodeField| example.contains(&format!("{}: ", it.name));
    let optional = kind.fields().iter().filter(shown).filter(|it| !it.is_required());
    let optional: Vec<String> = optional.map(|it| format!("`{}`", it.name)).collect();
    if !optional.is_empty() {
        let verb = if optional.len() == 1 { "is" } else { "are" };
        let _ = write!(out, " {} {verb} optional.", optional.join(" and "));
    }
    for field in kind.fields().iter().filter(|it| !shown(it)) {
        let _ = write!(out, " There is also `{}`: {}", field.name, lowered(field.doc));
    }
    out
}

fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|it| it.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
