//! The files that make up the tree of a scenario, as written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Call, Events, Interrupt, Key, Keys, LeafKind, Node, Scenario, Shape, Value};
use crate::keys::SLOT;

/// A scenario with files before it is expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The files that a subtree can name.
    pub files: BTreeMap<String, File>,
    /// The keys of the scenario itself.
    pub keys: Keys,
    /// Its events.
    pub events: Option<Events>,
    /// The versions of its tree, with subtrees.
    pub trees: Vec<Node>,
    /// Its interrupts, with subtrees.
    pub interrupts: Vec<Interrupt>,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its ports by their names.
    pub ports: BTreeMap<String, Port>,
    /// Its keys: those of an agent are each instance's own.
    pub keys: Keys,
    /// Its events.
    pub events: Events,
    /// Its holes by their names.
    pub holes: BTreeMap<String, Hole>,
    /// Its tree, without the interrupts.
    pub tree: Node,
    /// The branches before its tree.
    pub interrupts: Vec<Interrupt>,
}

/// A parameter of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// What the file does with it.
    pub direction: Direction,
    /// Its type, and the default if it has one.
    pub key: Key,
    /// Whether it must be connected.
    pub needed: bool,
}

/// A place in a file that the including file fills.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// How many nodes it takes.
    pub takes: Takes,
    /// The nodes there if none are given.
    pub default: Option<Vec<Node>>,
}

/// How many nodes a hole takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// One.
    One,
    /// Any number.
    Many,
}

/// What a file does with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It reads it.
    In,
    /// It writes it.
    Out,
    /// Both.
    InOut,
}

/// A node that the root of a file replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Subtree {
    /// The file.
    pub file: String,
    /// What its ports are connected to.
    pub with: BTreeMap<String, Given>,
    /// What its holes are given.
    pub fillings: Vec<Filling>,
    /// The nodes of all fillings, in order.
    pub nodes: Vec<Node>,
}

/// What a hole is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Filling {
    /// The hole.
    pub hole: String,
    /// Whether a node is written, or a list.
    pub takes: Takes,
    /// How many nodes it is.
    pub count: usize,
}

/// A node that a switch replaces, over its own key, with files as cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// The files, which are its words except [`Slot::EMPTY`].
    pub files: Vec<String>,
    /// The word of its key at first; `None`: it is empty.
    pub initial: Option<String>,
    /// What the ports of all of them are connected to.
    pub with: BTreeMap<String, Given>,
}

/// What a port is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A key, as the including file names it.
    Key(String),
    /// A constant.
    Literal(Value),
}

impl Subtree {
    /// What a hole is given.
    #[must_use]
    pub fn given_for(&self, hole: &str) -> Option<(Takes, &[Node])> {
        let at = self.fillings.iter().position(|it| it.hole == hole)?;
        let from = self.fillings[..at].iter().map(|it| it.count).sum::<usize>();
        let Filling { takes, count, .. } = self.fillings[at];
        Some((takes, &self.nodes[from..from + count]))
    }
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 3] = [Direction::In, Direction::Out, Direction::InOut];

    /// The field of a port that has its value.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

impl Slot {
    /// The word of a slot with no file in it.
    pub const EMPTY: &'static str = "empty";

    /// The key of the slot: its first word, and all of them.
    #[must_use]
    pub fn key(&self) -> Key {
        let initial = self.initial.as_deref().unwrap_or(Slot::EMPTY);
        let words = self.files.iter().map(String::as_str).chain([Slot::EMPTY]);
        Key { default: Value::Symbol(initial.to_owned()), words: words.map(str::to_owned).collect() }
    }

    /// The name of a slot's key; the slot's name may follow the names of instances.
    #[must_use]
    pub fn key_of(slot: &str) -> String {
        match slot.rsplit_once('.') {
            Some((around, name)) => format!("{around}.{SLOT}{name}"),
            None => format!("{SLOT}{slot}"),
        }
    }
}

impl Node {
    /// The file in its place, if any.
    #[must_use]
    pub fn subtree(&self) -> Option<&Subtree> {
        if let Shape::Leaf(LeafKind::Subtree(it)) = &self.shape { Some(it) } else { None }
    }

    /// The slot in its place, if any.
    #[must_use]
    pub fn slot(&self) -> Option<&Slot> {
        if let Shape::Leaf(LeafKind::Slot(it)) = &self.shape { Some(it) } else { None }
    }

    /// The hole, if it is one, and how many nodes that takes.
    #[must_use]
    pub fn hole(&self) -> Option<(&str, Takes)> {
        if let Shape::Leaf(LeafKind::Hole(hole, takes)) = &self.shape { Some((hole, *takes)) } else { None }
    }

    /// What the ports of the files in its place are connected to, by port name.
    pub fn given(&self) -> impl Iterator<Item = &Given> {
        let with = self.subtree().map(|it| &it.with).or(self.slot().map(|it| &it.with));
        with.into_iter().flat_map(|it| it.values())
    }
}

impl File {
    /// Its root: with the interrupts before its tree.
    #[must_use]
    pub fn root(&self) -> Node {
        super::rooted(&self.tree, &self.interrupts)
    }

    /// The nodes written in it: of its interrupts, of its tree, and the defaults of its holes.
    #[must_use]
    pub fn trees(&self) -> Vec<&Node> {
        let defaults = self.holes.values().flat_map(|it| it.default.iter().flatten());
        self.interrupts.iter().map(|it| &it.run).chain([&self.tree]).chain(defaults).collect()
    }

    /// Whether even a constant of this port is a key of the instance: for symbols, as their words
    /// are those of a key, and for ports that are passed on to another file.
    #[must_use]
    pub fn needs_key(&self, port: &str) -> bool {
        let is_it = |it: &Given| matches!(it, Given::Key(path) if path.strip_prefix("agent.").unwrap_or(path) == port);
        let is_symbol = |it: &Port| matches!(it.key.default, Value::Symbol(_));
        let mut left = self.trees();
        while let Some(node) = left.pop() {
            if node.given().any(is_it) {
                return true;
            }
            left.extend(node.children());
        }
        self.ports.get(port).is_some_and(is_symbol)
    }
}

impl Scenario {
    /// The scenario with its trees as written: with subtrees, and without the keys and events of
    /// files. Without files it is the scenario itself.
    #[must_use]
    pub fn as_written(&self) -> Cow<'_, Scenario> {
        let Some(written) = &self.written else { return Cow::Borrowed(self) };
        let mut scenario = self.clone();
        scenario.keys.clone_from(&written.keys);
        scenario.events.clone_from(&written.events);
        scenario.interrupts.clone_from(&written.interrupts);
        let mut trees = written.trees.iter().cloned();
        for (place, tree) in scenario.versions_mut().zip(&mut trees) {
            *place = tree;
        }
        Cow::Owned(scenario)
    }

    /// See [`Scenario::versions`].
    pub(super) fn versions_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        let later = self.ops.iter_mut().filter_map(|it| match &mut it.call {
            Call::Replace { tree, .. } => Some(&mut **tree),
            Call::Restore { tree } => tree.as_deref_mut(),
            _ => None,
        });
        std::iter::once(&mut self.tree).chain(later)
    }
}
