//! What differs between two versions of a tree, and what a reload keeps.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use pleach::asset::Described;
use pleach::inspect::{Comparison, RestartCause};
use pleach::schema::{Schema, Scope};
use pleach::tools::text::plain;
use pleach::{Host, NodeId, Tree};

use pleach_view::words::{plural, value};

/// Where a node is.
#[derive(Debug)]
pub struct Place {
    /// In its version.
    pub node: NodeId,
    /// The names of the nodes above it, and its own.
    pub path: String,
    /// The file in which it is written, as the library shows it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

/// A value before and after; missing where there was none.
#[derive(Debug)]
pub struct Change {
    /// A field, a key, an event.
    pub what: String,
    /// Before.
    pub old: Option<String>,
    /// After.
    pub new: Option<String>,
}

impl Change {
    /// What differs, and the value before and after.
    #[must_use]
    pub fn in_words(&self) -> [String; 3] {
        let value =
            |it: &Option<String>| it.as_deref().map_or_else(|| "nothing".to_owned(), |it| plain(it).into_owned());
        [plain(&self.what).into_owned(), value(&self.old), value(&self.new)]
    }
}

/// What happened to a node.
#[derive(Debug)]
pub enum Node {
    /// And how many nodes below it are new too.
    Added(Place, usize),
    /// It is gone.
    Removed {
        /// Where it was.
        place: Place,
        /// How many nodes below it are gone too.
        below: usize,
        /// Its parent in the new version, unless it was the root.
        parent: Option<NodeId>,
    },
    /// It has other fields, or another place.
    Changed {
        /// Where it was.
        old: Place,
        /// Where it is.
        new: Place,
        /// Whether it has moved, not only the nodes around it.
        moved: bool,
        /// The fields that differ.
        fields: Vec<Change>,
    },
}

impl Node {
    /// Where it is in the new version, or was if it is removed.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            Node::Added(it, _) | Node::Removed { place: it, .. } | Node::Changed { new: it, .. } => it,
        }
    }

    /// `+` for an added node, `-` for a removed one, `>` for a moved one, `~` for a changed one.
    #[must_use]
    pub fn sign(&self) -> char {
        match self {
            Node::Added(..) => '+',
            Node::Removed { .. } => '-',
            Node::Changed { moved: true, .. } => '>',
            Node::Changed { moved: false, .. } => '~',
        }
    }

    /// What happened besides, to follow its path: ` and 2 nodes below it`, ` moved, was a/b`.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Node::Added(_, 0) | Node::Removed { below: 0, .. } => String::new(),
            Node::Added(_, below) | Node::Removed { below, .. } => {
                format!(" and {} below it", plural(*below, "node"))
            }
            Node::Changed { old, new, moved, .. } => {
                let was = format!(", was {}", plain(&old.path));
                let from = if old.path == new.path { "" } else { &was };
                if *moved { format!(" moved{from}") } else { from.to_owned() }
            }
        }
    }
}

/// What restarts if one of some nodes runs.
#[derive(Debug)]
pub struct Restart {
    /// The node that begins again, in the old tree.
    pub at: String,
    /// Why.
    pub cause: RestartCause,
    /// The first of these nodes.
    pub because_of: String,
    /// How many there are.
    pub nodes: usize,
}

impl fmt::Display for Restart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.nodes {
            1 if self.because_of == self.at => "it".to_owned(),
            1 => plain(&self.because_of).into_owned(),
            nodes => format!("{} or one of {} more", plain(&self.because_of), nodes - 1),
        };
        write!(f, "{} restarts if {what} runs: {}", plain(&self.at), self.cause)
    }
}

/// What differs between two versions of a tree.
#[derive(Debug)]
pub struct TreeChanges {
    /// In the order of the new version; removed nodes come after their parent.
    pub nodes: Vec<Node>,
    /// Keys, events and the name of the tree.
    pub declared: Vec<Change>,
    /// What restarts.
    pub restarts: Vec<Restart>,
    /// How many nodes the old tree has.
    pub all: usize,
    /// How many of them keep running.
    pub kept: usize,
}

impl TreeChanges {
    /// Whether nothing differs.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.nodes.is_empty() && self.declared.is_empty()
    }

    /// How many nodes a reload keeps: `13 nodes`, `12 of 13 nodes`.
    #[must_use]
    pub fn kept(&self) -> String {
        let all = plural(self.all, "node");
        if self.kept == self.all { all } else { format!("{} of {all}", self.kept) }
    }
}

/// Compares two versions.
///
/// # Panics
/// If the `can_resume` of a leaf does.
#[must_use]
pub fn of<H: Host>(old: &Described<H>, new: &Described<H>) -> TreeChanges {
    let (was, is) = (old.tree(), new.tree());
    let compared = was.compare(is);
    let mut old_of = BTreeMap::new();
    for node in was.nodes() {
        old_of.extend(compared.new_of(node.id()).map(|it| (it, node.id())));
    }
    let moved = moved(was, is, &compared, &old_of);
    let gone = |it: NodeId| compared.new_of(it).is_none();
    let fresh = |it: NodeId| !old_of.contains_key(&it);
    let mut nodes = Vec::new();
    let removed = |node: NodeId, parent| {
        let (place, below) = (place(old, node), below(was, node, &gone));
        Node::Removed { place, below, parent }
    };
    if gone(was.root().id()) {
        nodes.push(removed(was.root().id(), None));
    }
    for node in is.nodes() {
        let id = node.id();
        let Some(&before) = old_of.get(&id) else {
            if node.parent().is_none_or(|it| !fresh(it.id())) {
                nodes.push(Node::Added(place(new, id), below(is, id, &fresh)));
            }
            continue;
        };
        let fields = changes(&old.node(before).fields, &new.node(id).fields);
        let moved = moved.contains(&id);
        if moved || !fields.is_empty() {
            nodes.push(Node::Changed { old: place(old, before), new: place(new, id), moved, fields });
        }
        let children = was.node(before).into_iter().flat_map(|it| it.children());
        nodes.extend(children.map(|it| it.id()).filter(|it| gone(*it)).map(|it| removed(it, Some(id))));
    }
    let (restarts, kept) = restarts(was, &compared);
    TreeChanges { nodes, declared: declared(was, is, &compared), restarts, all: was.len(), kept }
}

fn place<H: Host>(of: &Described<H>, node: NodeId) -> Place {
    let written = of.node(node);
    let path = of.tree().node(node).map_or_else(String::new, |it| it.path());
    Place { node, path, file: written.file.clone(), line: written.line, column: written.column }
}

/// How many nodes below one are like it.
fn below<H: Host>(tree: &Tree<H>, node: NodeId, like: &impl Fn(NodeId) -> bool) -> usize {
    tree.node(node).map_or(0, |it| it.subtree().skip(1).filter(|it| like(it.id())).count())
}

/// The matched nodes of the new tree with another parent, or another order among those that stayed.
fn moved<H: Host>(
    was: &Tree<H>,
    is: &Tree<H>,
    compared: &Comparison,
    old_of: &BTreeMap<NodeId, NodeId>,
) -> BTreeSet<NodeId> {
    let mut moved = BTreeSet::new();
    for node in is.nodes() {
        let mut stayed = Vec::new();
        for child in node.children().map(|it| it.id()) {
            let Some(before) = old_of.get(&child) else { continue };
            let parent = was.node(*before).and_then(|it| it.parent()).map(|it| it.id());
            match parent.and_then(|it| compared.new_of(it)) {
                Some(it) if it == node.id() => stayed.push((before.index(), child)),
                _ => _ = moved.insert(child),
            }
        }
        moved.extend(out_of_order(&stayed));
    }
    moved
}

/// The fewest items whose removal leaves the others in order.
fn out_of_order(items: &[(usize, NodeId)]) -> Vec<NodeId> {
    // For each length, the end of the ordered list of that length with the least last item; for
    // each item, the one before it in its list.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = Vec::with_capacity(items.len());
    for (at, (place, _)) in items.iter().enumerate() {
        let length = ends.partition_point(|it| items[*it].0 < *place);
        before.push(length.checked_sub(1).map(|it| ends[it]));
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let kept: BTreeSet<usize> = std::iter::successors(ends.last().copied(), |it| before[*it]).collect();
    items.iter().enumerate().filter(|it| !kept.contains(&it.0)).map(|it| it.1.1).collect()
}

/// The fields that differ, in the order of the new version; removed ones come last.
fn changes(old: &[(String, String)], new: &[(String, String)]) -> Vec<Change> {
    let find = |of: &[(String, String)], field: &str| of.iter().find(|it| it.0 == field).map(|it| it.1.clone());
    let mut all = Vec::new();
    for (field, value) in new {
        let before = find(old, field);
        if before.as_ref() != Some(value) {
            all.push(Change { what: field.clone(), old: before, new: Some(value.clone()) });
        }
    }
    let lost = old.iter().filter(|it| find(new, &it.0).is_none());
    all.extend(lost.map(|(field, value)| Change { what: field.clone(), old: Some(value.clone()), new: None }));
    all
}

/// The differences of the name, the keys and the events.
fn declared<H: Host>(was: &Tree<H>, is: &Tree<H>, compared: &Comparison) -> Vec<Change> {
    let mut all = Vec::new();
    if was.name() != is.name() {
        all.push(Change { what: "name".into(), old: Some(was.name().into()), new: Some(is.name().into()) });
    }
    for key in compared.keys() {
        let of = |schema: &Schema| key_text(schema, key.scope, &key.name);
        all.push(Change {
            what: format!("{} key {}", key.scope, key.name),
            old: of(was.schema()),
            new: of(is.schema()),
        });
    }
    let events = |tree: &Tree<H>| -> Vec<(String, String)> {
        let own = tree.schema().events().filter(|it| !it.is_of_host());
        let payload = |it: Option<pleach::Type>| it.map_or_else(|| "()".to_owned(), |it| it.to_string());
        own.map(|it| (format!("event {}", it.name()), payload(it.payload()))).collect()
    };
    all.extend(changes(&events(was), &events(is)));
    all
}

/// The type and the default of a key; those of all keys of that name, if nodes have several.
fn key_text(schema: &Schema, scope: Scope, name: &str) -> Option<String> {
    let keys = schema.keys().filter(|it| it.scope() == scope && it.name() == name);
    let all: Vec<String> = keys
        .map(|it| {
            let words: Vec<&str> = it.words().collect();
            let words = if words.is_empty() { String::new() } else { format!(" of {}", words.join(", ")) };
            format!("{} {}{words}", it.ty(), value(schema, it.default()))
        })
        .collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What restarts, and how many nodes keep running.
fn restarts<H: Host>(was: &Tree<H>, compared: &Comparison) -> (Vec<Restart>, usize) {
    let mut all: Vec<Restart> = Vec::new();
    let mut places = HashMap::new();
    let path = |it: NodeId| was.node(it).map_or_else(String::new, |it| it.path());
    let mut kept = 0;
    for node in was.nodes() {
        let Some(it) = compared.would_restart(node.id()) else {
            kept += 1;
            continue;
        };
        let place = *places.entry((it.at, it.cause)).or_insert_with(|| {
            all.push(Restart { at: path(it.at), cause: it.cause, because_of: path(it.because_of), nodes: 0 });
            all.len() - 1
        });
        all[place].nodes += 1;
    }
    (all, kept)
}
