//! The files that are written.

use std::collections::BTreeMap;
use std::fmt::Write;

use pleach::asset::format_str;

use crate::item::{Tree, file_name};
use crate::keys::{Declared, Keys, Kind};
use crate::map::Own;
use crate::place::Place;
use crate::report::{Line, Notes};
use crate::ron::{Node, Value, push_node, quoted};

/// The file of the templates that trees of an import use.
pub(crate) const TEMPLATES: &str = "templates";
/// The file of the manifest that an import writes.
pub const LEAVES: &str = "game.leaves";

/// Gives each tree a file of its own.
pub(crate) fn name_files(trees: &mut [Tree], stems: impl Fn(&Tree) -> String, taken: &mut BTreeMap<String, usize>) {
    taken.entry(TEMPLATES.into()).or_insert(1);
    let mut counts = BTreeMap::<String, usize>::new();
    for tree in &*trees {
        *counts.entry(file_name(&tree.id)).or_default() += 1;
    }
    for tree in trees {
        let own = file_name(&tree.id);
        // Where each file has its `MainTree`, the files tell them apart.
        let mut name = if counts[&own] > 1 { file_name(&format!("{} {}", stems(tree), tree.id)) } else { own };
        if let Some(count) = taken.get_mut(&name) {
            *count += 1;
            let numbered = format!("{name}_{count}");
            name = numbered;
        }
        taken.entry(name.clone()).or_insert(1);
        tree.file = name;
    }
}

/// The nodes of a tree.
#[derive(Debug)]
pub(crate) struct Mapped {
    pub(crate) root: Node,
    pub(crate) interrupts: Vec<(Node, Node)>,
    pub(crate) has_template: bool,
}

/// The text of a tree.
pub(crate) fn tree(tree: &Tree, mapped: &Mapped, number: usize, keys: &Keys, notes: &mut Notes) -> String {
    let (mut ports, mut blackboard) = (String::new(), String::new());
    for key in keys.of(number) {
        ask(&key, notes);
        let name = quoted(key.name);
        _ = match key.is_port {
            true => write!(ports, "{name}: {}({}), ", key.direction, key.port_type()),
            false => write!(blackboard, "{name}: {}, ", key.declaration()),
        };
    }
    let mut out = format!("Tree(version: 1, name: {}, ", quoted(&tree.id));
    if let Some(note) = &tree.note {
        _ = write!(out, "note: {}, ", quoted(note));
    }
    for (field, entries) in [("ports", ports), ("blackboard", blackboard)] {
        if !entries.is_empty() {
            _ = write!(out, "{field}: {{ {} }}, ", entries.trim_end_matches(", "));
        }
    }
    if mapped.has_template {
        _ = write!(out, "templates_from: [\"{TEMPLATES}.ron\"], ");
    }
    if !mapped.interrupts.is_empty() {
        out.push_str("interrupts: [");
        for (when, run) in &mapped.interrupts {
            out.push_str("(when: ");
            push_node(&mut out, when);
            out.push_str(", run: ");
            push_node(&mut out, run);
            out.push_str("), ");
        }
        out.push_str("], ");
    }
    out.push_str("root: ");
    push_node(&mut out, &mapped.root);
    out.push(')');
    out
}

/// What nobody but the game knows about a key.
fn ask(key: &Declared<'_>, notes: &mut Notes) {
    let name = key.name;
    let mut add = |question: String| notes.add(key.at, Line::Question(question));
    match (key.clash, key.kind) {
        (Some(other), kind) => {
            add(format!("key `{name}` is {} here and {} there: which is right?", kind.name(), other.name()));
        }
        (None, Kind::Unknown) => {
            add(format!("of which type is the key `{name}`? Nothing tells it: it is declared as an Entity"));
        }
        (None, Kind::Object) => {
            add(format!("the key `{name}` holds a thing of the game: it is declared as an Entity, a handle to it"));
        }
        (None, Kind::Word) if key.words.is_empty() => {
            add(format!("which words can the key `{name}` hold? No text says one: declare them"));
        }
        (None, Kind::Word) => {}
        _ => {}
    }
}

/// The text of the templates: those of profiles, and those that somebody has to write.
pub(crate) fn templates(used: &BTreeMap<String, String>, owns: &BTreeMap<String, Own>) -> String {
    let mut out = String::from("Tree(version: 1, templates: {");
    for (name, template) in used {
        _ = writeln!(out, "{}: {template},", quoted(name));
    }
    for (name, own) in owns {
        let (least, most) = own.children;
        let (hole, root) = match (least, most) {
            (_, 0) => (String::new(), Node::new("Fail")),
            (least, _) => {
                let default = if least == 0 { "Many(default: [Succeed])" } else { "Many" };
                let children = Value::List(vec![Value::Raw("Nodes(\"children\")".into())]);
                (format!("nodes: {{ \"children\": {default} }}, "), Node::new("Sequence").with("children", children))
            }
        };
        _ = write!(out, "{}: (note: {}, {hole}root: ", quoted(name), quoted(&own.why));
        push_node(&mut out, &root);
        out.push_str("),\n");
    }
    out + "})"
}

/// In the style of `pleach fmt`. What is too deep for the reader of pleach is told, and not
/// written.
pub(crate) fn formatted(file: &str, text: &str, at: Place, notes: &mut Notes) -> Option<String> {
    match format_str(file, text) {
        Ok(text) => Some(text),
        Err(report) => {
            notes.add(at, Line::Error(format!("`{file}` cannot be written: {}", report.plain())));
            None
        }
    }
}
