//! The output files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::item::{Kept, Tree, file_name};
use crate::keys::{Declared, Keys, Kind};
use crate::map::Own;
use crate::place::path;
use crate::report::{Line, Notes};
use crate::ron::{Marked, Node, Value, quoted};

/// The file of the templates that trees of an import use.
pub(crate) const TEMPLATES: &str = "templates";
/// The file of the manifest that an import writes.
pub const LEAVES: &str = "game.leaves";

/// Gives each tree a file of its own.
pub(crate) fn name_files(trees: &mut [Tree], stems: impl Fn(&Tree) -> String, taken: &mut BTreeMap<String, usize>) {
    let mut counts = BTreeMap::<String, usize>::new();
    let own = |tree: &Tree| match tree.kept.as_ref().and_then(|it| it.file.as_ref()) {
        Some(file) => file.trim_end_matches(".ron").to_owned(),
        None => file_name(&tree.id),
    };
    for tree in &*trees {
        *counts.entry(own(tree).to_lowercase()).or_default() += 1;
    }
    for tree in trees {
        let own = own(tree);
        // If each file has its `MainTree`, the names of the files tell them apart.
        let mut name = if counts[&own.to_lowercase()] > 1 && tree.kept.as_ref().is_none_or(|it| it.file.is_none()) {
            file_name(&format!("{} {}", stems(tree), tree.id))
        } else {
            own
        };
        // Only an exported file may have the name of the templates' file.
        if name == TEMPLATES && !tree.is_rootless {
            taken.entry(name.clone()).or_insert(1);
        }
        if let Some(count) = taken.get_mut(&name.to_lowercase()) {
            *count += 1;
            let numbered = format!("{name}_{count}");
            name = numbered;
        }
        taken.entry(name.to_lowercase()).or_insert(1);
        tree.file = name;
    }
}

/// The nodes of a tree.
#[derive(Debug, Default)]
pub(crate) struct Mapped {
    pub(crate) root: Node,
    pub(crate) interrupts: Vec<(Node, Node)>,
    pub(crate) has_template: bool,
    /// Keys that only nodes declare.
    pub(crate) scoped: BTreeSet<String>,
}

/// The text of a tree.
pub(crate) fn tree(
    tree: &Tree,
    mapped: &Mapped,
    number: usize,
    templates: &str,
    keys: &Keys,
    notes: &mut Notes,
) -> Marked {
    values(tree, notes);
    let mut out = Marked::default();
    _ = write!(out.text, "Tree(version: 1, name: {}, ", quoted(&tree.id));
    if let Some(note) = &tree.note {
        _ = write!(out.text, "note: {}, ", quoted(note));
    }
    let new = || keys.of(number).filter(|it| !tree.keeps(it.name) && !mapped.scoped.contains(it.name));
    new().for_each(|it| ask(&it, notes));
    let known: BTreeMap<&str, Declared<'_>> = match &tree.kept {
        Some(_) => keys.of(number).map(|it| (it.name, it)).collect(),
        None => BTreeMap::new(),
    };
    let none = Kept::default();
    let kept = tree.kept.as_ref().unwrap_or(&none);
    for (field, is_port, own) in [("ports", true, &kept.ports), ("blackboard", false, &kept.blackboard)] {
        let mut others = new().filter(|it| it.is_port == is_port).peekable();
        if others.peek().is_none() && own.is_empty() {
            continue;
        }
        _ = write!(out.text, "{field}: {{");
        for (name, declared) in own {
            // Its first value, or its words, may have been changed there.
            let changed = known.get(&**name).filter(|it| !is_port && it.differs_from(declared));
            let declared = changed.map_or(declared.clone(), |it| it.declaration());
            _ = write!(out.text, "{}: {declared}, ", quoted(name));
        }
        for key in others {
            let (from, name) = (out.text.len(), quoted(key.name));
            _ = match key.is_port {
                true => write!(out.text, "{name}: {}({}), ", key.direction, key.port_type()),
                false => write!(out.text, "{name}: {}, ", key.declaration()),
            };
            out.mark(from, key.at);
        }
        out.text.push_str("}, ");
    }
    let own = mapped.has_template.then(|| path(&tree.file, templates));
    let from: Vec<String> = kept.templates_from.iter().chain(&own).map(|it| quoted(it)).collect();
    if !from.is_empty() {
        _ = write!(out.text, "templates_from: [{}], ", from.join(", "));
    }
    for (field, text) in kept.fields.iter().filter(|it| it.0 != "templates_from") {
        _ = write!(out.text, "{field}: {text}, ");
    }
    if !mapped.interrupts.is_empty() {
        out.text.push_str("interrupts: [");
        for (when, run) in &mapped.interrupts {
            out.text.push_str("(when: ");
            out.node(when);
            out.text.push_str(", run: ");
            out.node(run);
            out.text.push_str("), ");
        }
        out.text.push_str("], ");
    }
    if !tree.is_rootless {
        out.text.push_str("root: ");
        out.node(&mapped.root);
    }
    out.text.push(')');
    out.mark(0, tree.at);
    out
}

/// Reports keys whose first values an export wrote but the file lacks, or that are not keys of the
/// blackboard.
fn values(tree: &Tree, notes: &mut Notes) {
    let Some(kept) = &tree.kept else { return };
    let is_set = |name: &str| tree.keys.iter().any(|it| it.name == name);
    for (name, declared) in &kept.blackboard {
        let is_said = ["Bool(", "Int(", "Float(", "Symbol("].iter().any(|it| declared.starts_with(it));
        if is_said && !is_set(name) {
            let why = format!(
                "the script at the start does not set `{name}`, which begins as before: take it out of \
                               `Metadata`, if it is to go"
            );
            notes.add(kept.at, Line::Warning(why));
        }
    }
    for key in &tree.keys {
        if kept.declares(&key.name) && kept.blackboard.iter().all(|it| it.0 != key.name) {
            let why = format!("the first value of `{}` is not taken: it is no key of the blackboard", key.name);
            notes.add(tree.at, Line::Warning(why));
        }
    }
}

/// What only the game knows about a key.
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

/// The text of the templates: those of profiles, and those that the user has to write.
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
        let mut written = Marked::default();
        written.node(&root);
        _ = writeln!(out, "{}),", written.text);
    }
    out + "})"
}
