//! What changed, as text and as JSON.

use pleach::tools::text::plain;
use pleach_studio_core::changes::{Change, Node, Place, TreeChanges};
use serde_json::{Value, json};

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
        let (sign, what) = (node.sign(), node.what());
        let style = match node {
            Node::Added(..) => GOOD,
            Node::Removed { .. } => BAD,
            Node::Changed { .. } => DOUBTFUL,
        };
        let Place { path, file, line, column, .. } = node.place();
        let (path, file) = (plain(path), plain(file));
        *out += &format!("  {style}{sign} {path}{RESET}{what}  {FAINT}{file}:{line}:{column}{RESET}\n");
        if let Node::Changed { fields, .. } = node {
            fields.iter().for_each(|it| change(out, "      ", it));
        }
    }
    *out += &format!("  {FAINT}reload:{RESET} {} carried on\n", changes.kept());
    changes.restarts.iter().for_each(|it| *out += &format!("    {it}\n"));
}

fn change(out: &mut String, indent: &str, it: &Change) {
    let [what, old, new] = it.in_words();
    *out += &format!("{indent}{what}: {BAD}{old}{RESET} -> {GOOD}{new}{RESET}\n");
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
        Node::Removed { place, below, .. } => json!({ "change": "removed", "old": place_json(place), "below": below }),
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
