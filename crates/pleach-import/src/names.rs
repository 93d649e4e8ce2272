//! Names of keys that change here, and keys that a node hides.

use std::collections::{BTreeMap, BTreeSet};

use pleach::tools::ron::{Document, Shape};

use crate::item::{Data, Item, Tree};
use crate::keys::{Keys, key_name};
use crate::place::Place;
use crate::report::{Line, Notes, shortened};
use crate::ron::{Node, Value};

/// Reports names that are not valid here, and names of which two become one.
pub(crate) fn tell(trees: &[Tree], notes: &mut Notes) {
    for tree in trees {
        let mut names = BTreeMap::<String, BTreeMap<&str, Place>>::new();
        collect(&tree.root, &mut names);
        for (when, run) in &tree.interrupts {
            collect(when, &mut names);
            collect(run, &mut names);
        }
        for (name, there) in names {
            let (first, _) = there.iter().next().unwrap_or((&"", &Place::default()));
            for (at, (foreign, place)) in there.iter().enumerate() {
                if at > 0 {
                    let [a, b] = [first, foreign].map(|it| shortened(it));
                    let why = format!("`{a}` and `{b}` would be one key here, `{name}`: rename one of them there");
                    notes.add(*place, Line::Error(why));
                } else if **foreign != *name {
                    notes.add(*place, Line::Warning(format!("the key `{}` is `{name}` here", shortened(foreign))));
                }
            }
        }
    }
}

fn collect<'i>(item: &'i Item, names: &mut BTreeMap<String, BTreeMap<&'i str, Place>>) {
    for given in &item.given {
        // `@key` is a key of the outermost tree.
        if let Data::Key(key) = &given.value
            && !key.starts_with('@')
        {
            names.entry(key_name(key)).or_default().entry(key).or_insert(given.at);
        }
    }
    item.children.iter().for_each(|it| collect(it, names));
}

/// Reports keys of the tree that a node hides: what is written for the node may declare a key of
/// its own. `own` are keys that nodes of the tree itself declare.
pub(crate) fn hidden(node: &Node, at: Place, tree: usize, own: &BTreeSet<String>, keys: &Keys, notes: &mut Notes) {
    let at = node.at.unwrap_or(at);
    for (field, value) in &node.fields {
        if matches!(&**field, "blackboard" | "locals") {
            for name in declared(value).into_iter().filter(|it| !own.contains(it) && keys.has(tree, it)) {
                let why = format!(
                    "what is written for it has a key `{name}` of its own, which hides that of the tree: \
                                   rename the one of the tree there"
                );
                notes.add(at, Line::Error(why));
            }
        }
        hidden_in(value, at, tree, own, keys, notes);
    }
}

fn hidden_in(value: &Value, at: Place, tree: usize, own: &BTreeSet<String>, keys: &Keys, notes: &mut Notes) {
    match value {
        Value::Raw(_) | Value::Text(_) => {}
        Value::Node(node) => hidden(node, at, tree, own, keys, notes),
        Value::List(items) => items.iter().for_each(|it| hidden_in(it, at, tree, own, keys, notes)),
        Value::Map(entries) | Value::Group(entries) => {
            entries.iter().for_each(|it| hidden_in(&it.1, at, tree, own, keys, notes));
        }
    }
}

/// The keys that a field of a node declares.
pub(crate) fn declared(map: &Value) -> Vec<String> {
    let text = match map {
        Value::Map(entries) => return entries.iter().map(|it| it.0.trim_matches('"').to_owned()).collect(),
        Value::Raw(text) => text,
        _ => return Vec::new(),
    };
    let Ok(document) = Document::read("", text, "") else { return Vec::new() };
    let Shape::Map(entries) = &document.root().shape else { return Vec::new() };
    let name = |it: &Shape| match it {
        Shape::Text(it) => Some(it.clone()),
        _ => None,
    };
    entries.iter().filter_map(|it| name(&it.0.shape)).collect()
}
