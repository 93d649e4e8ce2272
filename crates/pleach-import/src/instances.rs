//! Names for instances of trees and templates: those of one parent must differ.

use std::collections::BTreeSet;

use pleach::tools::file_stem;

use crate::place::Place;
use crate::report::{Line, Notes};
use crate::ron::{Node, Value};

/// Renames instances that would have the name of an earlier one in the same parent, and reports
/// that.
pub(crate) fn name(root: &mut Node, at: Place, notes: &mut Notes) {
    in_node(root, &mut BTreeSet::new(), at, notes);
}

fn in_node(node: &mut Node, taken: &mut BTreeSet<String>, at: Place, notes: &mut Notes) {
    let at = node.at.unwrap_or(at);
    let text = |field: &str| {
        node.fields.iter().find(|it| it.0 == field).and_then(|it| match &it.1 {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        })
    };
    let other = match &*node.kind {
        "Subtree" => text("asset").map(|it| file_stem(&it).to_owned()),
        "Use" => text("template"),
        _ => None,
    };
    let Some(other) = other else { return node.fields.iter_mut().for_each(|it| in_value(&mut it.1, taken, at, notes)) };
    let name = text("name").unwrap_or(other);
    let mut new = name.clone();
    for number in 2.. {
        if taken.insert(new.clone()) {
            break;
        }
        new = format!("{name}_{number}");
    }
    if new != name {
        let why = format!("`{name}` stands in this parent already: this one is called `{new}`");
        notes.add(at, Line::Warning(why));
        node.fields.retain(|it| it.0 != "name");
        node.fields.insert(0, ("name".into(), Value::Text(new)));
    }
    // The nodes given to an instance are inside it.
    let mut inner = BTreeSet::new();
    node.fields.iter_mut().for_each(|it| in_value(&mut it.1, &mut inner, at, notes));
}

fn in_value(value: &mut Value, taken: &mut BTreeSet<String>, at: Place, notes: &mut Notes) {
    match value {
        Value::Raw(_) | Value::Text(_) => {}
        Value::Node(node) => in_node(node, taken, at, notes),
        Value::List(items) => items.iter_mut().for_each(|it| in_value(it, taken, at, notes)),
        Value::Map(entries) | Value::Group(entries) => {
            entries.iter_mut().for_each(|it| in_value(&mut it.1, taken, at, notes))
        }
    }
}
