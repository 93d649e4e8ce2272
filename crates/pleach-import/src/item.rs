//! Trees of other systems, as all readers return them.

use std::collections::{BTreeMap, BTreeSet};

use pleach::tools::file_stem;

use crate::keys::{Kind, Use};
use crate::place::Place;
use crate::script::Expr;

/// A tree.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// What it is called there.
    pub(crate) id: String,
    /// The name of its file here.
    pub(crate) file: String,
    pub(crate) root: Item,
    /// Checked before the root in every tick: a condition, and what runs while it holds.
    pub(crate) interrupts: Vec<(Item, Item)>,
    /// Nothing includes it.
    pub(crate) is_main: bool,
    pub(crate) note: Option<String>,
    /// Keys that the format declares.
    pub(crate) keys: Vec<Declared>,
    /// What an export kept about it.
    pub(crate) kept: Option<Kept>,
    /// It has only templates.
    pub(crate) is_rootless: bool,
    pub(crate) at: Place,
}

/// What an export kept of a tree that its format cannot express, as RON.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The name of its file, unless that is not safe.
    pub(crate) file: Option<String>,
    pub(crate) is_moved: bool,
    /// Its name, if it was different in the export.
    pub(crate) name: Option<String>,
    /// Its place.
    pub(crate) at: Place,
    /// Fields of the tree, except the next two.
    pub(crate) fields: Vec<(String, String)>,
    /// Ports, and keys of the blackboard, by their names.
    pub(crate) ports: Vec<(String, String)>,
    pub(crate) blackboard: Vec<(String, String)>,
    /// All keys and ports, with what is known about them, and their words.
    pub(crate) keys: BTreeMap<String, (Kind, Vec<String>)>,
    /// Its templates, and the files from which it has others.
    pub(crate) templates: BTreeSet<String>,
    pub(crate) templates_from: Vec<String>,
}

impl Kept {
    /// Whether its file has only templates for others.
    pub(crate) fn is_templates(&self) -> bool {
        let is_one = |it: &String| matches!(&**it, "templates" | "templates_from" | "allow");
        !self.templates.is_empty() && self.keys.is_empty() && self.fields.iter().all(|it| is_one(&it.0))
    }

    pub(crate) fn declares(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }
}

impl Tree {
    /// The name of its file, without directories.
    pub(crate) fn stem(&self) -> &str {
        file_stem(&self.file)
    }

    /// Whether a key of this name is declared in what an export kept.
    pub(crate) fn keeps(&self, key: &str) -> bool {
        self.kept.as_ref().is_some_and(|it| it.declares(key))
    }
}

/// A key that a format declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// Its name here.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) value: Option<String>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    /// Its name there: `Fallback`.
    pub(crate) kind: String,
    pub(crate) sort: Sort,
    /// The name of this node.
    pub(crate) title: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) given: Vec<Given>,
    pub(crate) children: Vec<Item>,
    pub(crate) conditions: Conditions,
    /// How likely a random composite draws it, as it is written.
    pub(crate) weight: Option<String>,
    /// It is left out there, and here.
    pub(crate) is_disabled: bool,
    /// The tree at this place, if there is one and it is known.
    pub(crate) tree: Option<usize>,
    pub(crate) at: Place,
}

/// What is known about a node besides its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    Action,
    Condition,
    /// It has children.
    Inner,
    /// Another tree.
    Tree,
    #[default]
    Unknown,
}

/// A value of a node.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) value: Data,
    /// How a leaf uses the key, if the format says it.
    pub(crate) how: Option<Use>,
    pub(crate) at: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// A value as it is written. The reader of the value knows its type.
    Text(String),
    /// The name of a key in the original.
    Key(String),
}

/// Conditions before a node, and scripts after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) fail_if: Option<Expr>,
    pub(crate) succeed_if: Option<Expr>,
    pub(crate) skip_if: Option<Expr>,
    pub(crate) while_true: Option<Expr>,
    /// When it is skipped because all its children are.
    pub(crate) all_skipped: Option<Expr>,
    /// Scripts, by when they run.
    pub(crate) then: Vec<(When, String)>,
    /// They also run where a condition decides before the node starts.
    pub(crate) is_decided_then: bool,
    /// Notes of the importer about them: conditions that it moved, or could not read.
    pub(crate) notes: Vec<String>,
    pub(crate) lost: Vec<String>,
}

/// When a script after a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Any,
    Success,
    Failure,
    Aborted,
}

impl Conditions {
    /// Whether one of them can skip the node.
    pub(crate) fn may_skip(&self) -> bool {
        self.skip_if.is_some() || self.while_true.is_some() || self.all_skipped.is_some()
    }
}

impl Item {
    pub(crate) fn get(&self, name: &str) -> Option<&Data> {
        self.given.iter().find(|it| it.name == name).map(|it| &it.value)
    }

    /// A value that is not a key.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Data::Text(it) => Some(it),
            Data::Key(_) => None,
        }
    }
}

/// The name of a file: the part of an id that every system accepts.
pub(crate) fn file_name(id: &str) -> String {
    let (mut name, mut was_small) = (String::new(), false);
    for char in id.chars() {
        // `MainTree` is `main_tree`.
        if char.is_uppercase() && was_small {
            name.push('_');
        }
        was_small = char.is_lowercase();
        match char {
            it if it.is_alphanumeric() => name.extend(it.to_lowercase()),
            '_' | '-' | ' ' | '/' | '.' | '\\' | ':' if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
        if name.len() > 80 {
            break;
        }
    }
    let name = name.trim_end_matches('_');
    // Windows has devices of these names.
    let is_device = matches!(name, "con" | "prn" | "aux" | "nul")
        || name.len() == 4 && (name.starts_with("com") || name.starts_with("lpt"));
    match name {
        "" => "tree".into(),
        _ if is_device => format!("{name}_tree"),
        _ => name.into(),
    }
}
