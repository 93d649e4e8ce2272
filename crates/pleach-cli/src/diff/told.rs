//! What changed, as text and as JSON.

use clap::builder::styling::Style;
use pleach::tools::text::plain;
use serde_json::{Value, json};

use super::changes::{Change, Node, Place, TreeChanges};
use super::{Compared, Outcome};
use crate::paint::{BAD, DOUBTFUL, FAINT, GOOD, RESET, STRONG};
use crate::words::plural;

/// Lines for people.
pub(super) fn text(trees: &[Compared]) -> String {
    let mut out = String::new();
    for tree in trees.iter().filter(|it| !it.is_equal()) {
        out += &format!("{STRONG}{}{RESET}", name(tree));
        match &tree.outcome {
            Outcome::Added(nodes) => out += &format!("  {GOOD}added{RESET}, {}\n", plural(*nodes, "node")),
            Outcome::Removed(nodes) => out += &format!("  {BAD}removed{RESET}, {}\n", plural(*nodes, "node")),
            Outcome::Broken(_) => out += &format!("  {BAD}not compared{RESET}: it has errors\n"),
            Outcome::Both(changes) => {
                out.push('\n');
                of_tree(&mut out, changes);
            }
        }
        out.push('\n');
    }
    let equal = trees.iter().filter(|it| it.is_equal()).count();
    let broken = trees.iter().filter(|it| it.is_broken()).count();
    let differ = trees.len() - equal - broken;
    let s = if differ == 1 { "s" } else { "" };
    let rest = if broken > 0 { format!(", {broken} not compared") } else { String::new() };
    out += &format!("{} differ{s}, {equal} equal{rest}\n", plural(differ, "tree"));
    out
}

/// The name of a tree: with both of its files, if they have different names.
pub(super) fn name(tree: &Compared) -> String {
    match (&tree.old, &tree.new) {
        (Some(old), Some(new)) if old != new => format!("{old} -> {new}"),
        (old, new) => new.as_ref().or(old.as_ref()).cloned().unwrap_or_default(),
    }
}

fn of_tree(out: &mut String, changes: &TreeChanges) {
    changes.declared.iter().for_each(|it| change(out, "  ", it));
    for node in &changes.nodes {
        match node {
            Node::Added(place, below) => line(out, GOOD, "+", place, &more(*below)),
            Node::Removed(place, below) => line(out, BAD, "-", place, &more(*below)),
            Node::Changed { old, new, moved, fields } => {
                let was = format!(", was {}", plain(&old.path));
                let from = if old.path == new.path { "" } else { &was };
                let (sign, what) = if *moved { (">", format!(" moved{from}")) } else { ("~", from.to_owned()) };
                line(out, DOUBTFUL, sign, new, &what);
                fields.iter().for_each(|it| change(out, "      ", it));
            }
        }
    }
    *out += &format!("  {FAINT}reload:{RESET} {}\n", kept(changes));
    for it in &changes.restarts {
        let what = match it.nodes {
            1 if it.because_of == it.at => "it".to_owned(),
            1 => plain(&it.because_of).into_owned(),
            nodes => format!("{} or one of {} more", plain(&it.because_of), nodes - 1),
        };
        *out += &format!("    {} restarts if {what} runs: {}\n", plain(&it.at), it.cause);
    }
}

/// How many nodes a reload keeps.
pub(super) fn kept(TreeChanges { all, kept, .. }: &TreeChanges) -> String {
    let how_many = if kept == all { plural(*all, "node") } else { format!("{kept} of {}", plural(*all, "node")) };
    format!("{how_many} carried on")
}

fn more(below: usize) -> String {
    if below == 0 { String::new() } else { format!(" and {} below it", plural(below, "node")) }
}

fn line(out: &mut String, style: Style, sign: &str, place: &Place, what: &str) {
    let Place { path, file, line, column, .. } = place;
    *out += &format!("  {style}{sign} {}{RESET}{what}  {FAINT}{}:{line}:{column}{RESET}\n", plain(path), plain(file));
}

fn change(out: &mut String, indent: &str, it: &Change) {
    let [what, old, new] = in_words(it);
    *out += &format!("{indent}{what}: {BAD}{old}{RESET} -> {GOOD}{new}{RESET}\n");
}

/// What differs, and the value before and after.
pub(super) fn in_words(Change { what, old, new }: &Change) -> [String; 3] {
    let value = |it: &Option<String>| it.as_deref().map_or_else(|| "nothing".to_owned(), |it| plain(it).into_owned());
    [plain(what).into_owned(), value(old), value(new)]
}

/// One object for programs.
pub(super) fn json(trees: &[Compared]) -> String {
    let listed: Vec<Value> = trees.iter().filter(|it| !it.is_equal()).map(tree_json).collect();
    let equal = trees.len() - listed.len();
    format!("{:#}\n", json!({ "equal": equal, "trees": listed }))
}

fn tree_json(tree: &Compared) -> Value {
    let Compared { old, new, outcome, picture: _ } = tree;
    match outcome {
        Outcome::Added(nodes) => json!({ "change": "added", "new": new, "nodes": nodes }),
        Outcome::Removed(nodes) => json!({ "change": "removed", "old": old, "nodes": nodes }),
        Outcome::Broken(reports) => {
            let errors = reports.iter().flatten().map(|it| it.plain()).collect::<Vec<_>>();
            json!({ "change": "not compared", "old": old, "new": new, "errors": errors })
        }
        Outcome::Both(it) => json!({
            "change": "changed",
            "old": old,
            "new": new,
            "declared": it.declared.iter().map(change_json).collect::<Vec<_>>(),
            "nodes": it.nodes.iter().map(node_json).collect::<Vec<_>>(),
            "reload": {
                "nodes": it.all,
                "kept": it.kept,
                "restarts": it.restarts.iter().map(|it| json!({
                    "at": it.at,
                    "because_of": it.because_of,
                    "nodes": it.nodes,
                    "cause": it.cause.to_string(),
                })).collect::<Vec<_>>(),
            },
        }),
    }
}

fn node_json(node: &Node) -> Value {
    match node {
        Node::Added(place, below) => json!({ "change": "added", "new": place_json(place), "below": below }),
        Node::Removed(place, below) => json!({ "change": "removed", "old": place_json(place), "below": below }),
        Node::Changed { old, new, moved, fields } => json!({
            "change": if *moved { "moved" } else { "changed" },
            "old": place_json(old),
            "new": place_json(new),
            "fields": fields.iter().map(change_json).collect::<Vec<_>>(),
        }),
    }
}

fn place_json(it: &Place) -> Value {
    json!({ "path": it.path, "file": it.file, "line": it.line, "column": it.column })
}

fn change_json(it: &Change) -> Value {
    json!({ "what": it.what, "old": it.old, "new": it.new })
}
