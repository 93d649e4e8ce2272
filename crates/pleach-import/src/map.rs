//! From items to nodes of pleach, with the fate of each.

mod around;
mod fill;
mod subtree;

use std::collections::{BTreeMap, BTreeSet};

use fill::Children;
use pleach::tools::{included_name, standard_templates};

use crate::item::{Data, Item, Sort, Tree};
use crate::keys::{Keys, Kind, Use, key_name};
use crate::leaves::{Leaves, is_taken};
use crate::place::Place;
use crate::profile::{Profile, Skip};
use crate::report::{Fate, Line, Notes, shortened};
use crate::ron::{Node, Value};
use crate::script::At;

/// The code of a format for nodes that no profile can map.
pub(crate) type Special = fn(&mut Mapper<'_>, &Item, Skip) -> Option<(Node, Fate)>;

/// A template that the user must write: the least and the most children that it gets.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) children: (usize, usize),
    pub(crate) why: String,
}

/// Maps trees.
pub(crate) struct Mapper<'m> {
    /// The profiles, of which the first counts; the last is that of the format.
    pub(crate) own: Vec<&'m Profile>,
    pub(crate) shipped: &'m Profile,
    pub(crate) special: Special,
    pub(crate) trees: &'m [Tree],
    /// Trees with the same number contain each other.
    pub(crate) cycles: &'m [usize],
    pub(crate) keys: &'m mut Keys,
    pub(crate) leaves: &'m mut Leaves,
    pub(crate) notes: Notes,
    /// Inner nodes of the game.
    pub(crate) owns: BTreeMap<String, Own>,
    /// Templates of profiles that are used.
    pub(crate) used: BTreeMap<String, String>,
    /// The tree that is being mapped, and whether it uses a template of this import.
    pub(crate) tree: usize,
    pub(crate) has_template: bool,
    /// Keys that nodes of the tree declare.
    pub(crate) scoped: BTreeSet<String>,
}

impl Mapper<'_> {
    pub(crate) fn at(&self, place: Place) -> At {
        At { tree: self.tree, place }
    }

    /// A node with everything around it.
    pub(crate) fn node(&mut self, item: &Item, within: Skip) -> Node {
        let (mut node, fate) = self.bare(item, within);
        node.at.get_or_insert(item.at);
        if let Some(note) = &item.note {
            node = node.first("note", Value::Text(note.clone()));
        }
        if let Some(title) = &item.title {
            node = node.first("name", Value::Text(title.clone()));
        }
        if item.is_disabled {
            node = node.first("disabled", Value::Raw("true".into()));
        }
        let (mut node, around) = self.around(item, node, within);
        node.at.get_or_insert(item.at);
        let title = item.title.as_ref().filter(|it| **it != item.kind);
        let kind = if item.sort == Sort::Tree { format!("SubTree {}", item.kind) } else { item.kind.clone() };
        let kind = shortened(&kind);
        let label = title.map_or_else(|| kind.clone(), |it| format!("{kind} \"{}\"", shortened(it)));
        self.notes.add(item.at, Line::Node(label, fate.and(around)));
        node
    }

    fn bare(&mut self, item: &Item, within: Skip) -> (Node, Fate) {
        for profile in self.own.clone() {
            if let Some(found) = self.by_profile(profile, item, within) {
                return found;
            }
        }
        if let Some(found) = (self.special)(self, item, within) {
            return found;
        }
        if let Some(found) = self.shipped(item, within) {
            return found;
        }
        if !item.children.is_empty() || item.sort == Sort::Inner {
            let why = "an inner node of the game; its template only runs its children: write it".to_owned();
            let node = self.own_template(item, &why);
            let given = item.given.iter().map(|it| match &it.value {
                Data::Text(text) => format!("{}=\"{}\"", it.name, shortened(text)),
                Data::Key(key) => format!("{}=\"{{{}}}\"", it.name, shortened(key)),
            });
            let given: Vec<String> = given.collect();
            let given = if given.is_empty() { String::new() } else { format!(" (there with {})", given.join(", ")) };
            return (node, Fate::Stub(why + &given));
        }
        self.leaf(item)
    }

    /// As the profile of the format maps it.
    pub(crate) fn shipped(&mut self, item: &Item, within: Skip) -> Option<(Node, Fate)> {
        self.by_profile(self.shipped, item, within)
    }

    fn by_profile(&mut self, profile: &Profile, item: &Item, within: Skip) -> Option<(Node, Fate)> {
        let entry = profile.entry(item, within)?;
        // Once, regardless of what happens to the node.
        let children = Children::new(item.children.iter().map(|it| self.node(it, entry.skipped(within))).collect());
        let filled = entry.is.as_ref().map(|is| self.fill(is, item, &children));
        let (node, why) = match (filled, &entry.lost) {
            (Some(Ok(node)), None) => {
                self.use_template(profile, &node);
                let fate = entry.differs.clone().map_or(Fate::Exact, Fate::Rewritten);
                let unread = item.given.iter().filter(|it| !profile.reads(&item.kind, &it.name));
                let unread = unread.map(|it| Fate::Rewritten(format!("its `{}` is left out", shortened(&it.name))));
                return Some((node, unread.fold(fate, Fate::and)));
            }
            (Some(Ok(node)), Some(why)) => (node, why.clone()),
            (None, why) if item.children.is_empty() => (Node::new("Fail"), why.clone().unwrap_or_default()),
            (Some(Err(why)), _) if item.children.is_empty() => (Node::new("Fail"), why),
            (None, why) => {
                let why = why.clone().unwrap_or_default();
                (self.use_own(item, &why, children.nodes), why)
            }
            (Some(Err(why)), _) => (self.use_own(item, &why, children.nodes), why),
        };
        Some((node, Fate::Lost(why)))
    }

    /// Notes that a template of a profile is used.
    fn use_template(&mut self, profile: &Profile, node: &Node) {
        if node.kind == "Use"
            && let Some((_, Value::Text(name))) = node.fields.iter().find(|it| it.0 == "template")
            && let Some(template) = profile.templates.get(name)
            && !self.has_kept_template(name)
        {
            self.used.insert(name.clone(), template.clone());
            self.has_template = true;
        }
    }

    /// Whether a template of this name came along with the tree.
    fn has_kept_template(&self, name: &str) -> bool {
        let tree = &self.trees[self.tree];
        let Some(kept) = &tree.kept else { return false };
        let file = format!("{}.ron", tree.file);
        let from = kept.templates_from.iter().filter_map(|it| included_name(&file, it));
        let from: Vec<String> = from.collect();
        let has = |it: &Tree| it.kept.as_ref().is_some_and(|it| it.templates.contains(name));
        has(tree) || self.trees.iter().any(|it| from.contains(&format!("{}.ron", it.file)) && has(it))
    }

    /// A use of a template that only runs its children until the user writes it.
    pub(crate) fn own_template(&mut self, item: &Item, why: &str) -> Node {
        let children = item.children.iter().map(|it| self.node(it, Skip::Success)).collect();
        self.use_own(item, why, children)
    }

    fn use_own(&mut self, item: &Item, why: &str, children: Vec<Node>) -> Node {
        let mut name = key_name(&item.kind);
        if standard_templates().iter().any(|it| it.name == name) {
            name.insert_str(0, "Own");
        }
        let count = children.len();
        let own = self.owns.entry(name.clone()).or_insert(Own { children: (count, count), why: why.into() });
        if !own.why.contains(why) && own.why.len() + why.len() < 500 {
            own.why = format!("{}; {why}", own.why);
        }
        own.children = (own.children.0.min(count), own.children.1.max(count));
        self.has_template = true;
        let node = Node::new("Use").text("template", name);
        if children.is_empty() {
            return node;
        }
        let children = Value::List(children.into_iter().map(Value::Node).collect());
        node.with("nodes", Value::Map(vec![("\"children\"".into(), children)]))
    }

    /// A leaf of the game.
    pub(crate) fn leaf(&mut self, item: &Item) -> (Node, Fate) {
        let foreign = item.kind.clone();
        let leaf = self.leaves.leaf(&foreign, item.sort);
        leaf.used();
        let mut node = Node::new(&leaf.name);
        let mut fate = Fate::Exact;
        if leaf.name != foreign {
            let why = if is_taken(&foreign) { "a node of pleach has its name" } else { "its name is not one here" };
            fate = Fate::Rewritten(format!("{why}, so the leaf is called `{}`", leaf.name));
        }
        for given in &item.given {
            let leaf = self.leaves.leaf(&foreign, item.sort);
            let kind = match &given.value {
                Data::Key(key) => {
                    let how = leaf.direction(&given.name, given.how);
                    let wanted = leaf.wanted(&given.name);
                    let key = key_name(key);
                    self.keys.used(self.tree, &key, given.at, how, wanted)
                }
                Data::Text(_) => Kind::Unknown,
            };
            let leaf = self.leaves.leaf(&foreign, item.sort);
            let (name, value) = leaf.given(&given.name, &given.value, kind);
            node = node.with(&name, value);
        }
        (node, fate)
    }

    /// A key that a node reads, by its name here.
    pub(crate) fn reads(&mut self, key: &str, at: Place, kind: Kind) -> (String, Kind) {
        let name = key_name(key);
        let kind = self.keys.used(self.tree, &name, at, Use::Read, kind);
        (name, kind)
    }
}
