//! Maikire's configuration text: one edge a line, `SelectorNode[0]->FilterNode[1]`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pleach::tools::file_stem;

use crate::item::{Data, Given, Item, Sort, Tree};
use crate::place::{Place, Text};
use crate::profile::Profile;
use crate::report::{Line, Notes};

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("maikire.profile.ron", include_str!("maikire/maikire.profile.ron")).expect("a test reads it")
});

/// The most nodes of a tree: one with two parents occurs twice, and so do those below it.
const MAX_NODES: usize = 100_000;
/// The deepest nesting.
const MAX_DEPTH: usize = 256;

/// How its nodes map to pleach.
pub(crate) fn profile() -> &'static Profile {
    &PROFILE
}

/// Whether the first line that is not empty is of this format.
pub(crate) fn is_one(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    let token = first.split_once("->").map_or(first, |it| it.0);
    Token::read(token).is_some()
}

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    files.iter().filter_map(|(file, text)| Reader::default().tree(*file, text, notes)).collect()
}

/// `Name[0]` or `Name[0]{5}`.
struct Token<'t> {
    /// With its index, which identifies the node.
    id: &'t str,
    name: &'t str,
    value: Option<&'t str>,
}

impl<'t> Token<'t> {
    fn read(text: &'t str) -> Option<Token<'t>> {
        let (name, rest) = text.split_once('[')?;
        let (index, rest) = rest.split_once(']')?;
        let is_name = !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphabetic());
        let is_index = !index.is_empty() && index.bytes().all(|it| it.is_ascii_digit());
        let value = match rest {
            "" => None,
            _ => Some(rest.strip_prefix('{')?.strip_suffix('}')?),
        };
        let is_number = |it: &str| it.parse::<f64>().is_ok() && it.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        (is_name && is_index && value.is_none_or(is_number)).then(|| Token {
            id: &text[..text.len() - rest.len()],
            name,
            value,
        })
    }
}

#[derive(Default)]
struct Reader {
    /// Nodes without their children.
    nodes: BTreeMap<String, Item>,
    edges: BTreeMap<String, Vec<String>>,
    /// How many nodes have been made.
    count: usize,
    /// Nodes that have been made, and those that were made again.
    made: BTreeSet<String>,
    shared: BTreeSet<String>,
}

impl Reader {
    fn tree(mut self, file: usize, text: &Text, notes: &mut Notes) -> Option<Tree> {
        let (mut root, mut priority, mut at) = (None, None::<String>, 0);
        for line in text.text.split_inclusive('\n') {
            let place = Place { file, at: at + line.len() - line.trim_start().len() };
            at += line.len();
            let line = line.trim();
            let done = match line.split_once("->") {
                None if line.is_empty() => Ok(()),
                None if root.is_some() => Err("a second root: a line without an arrow is the root".into()),
                None => self.node(line, place).map(|it| root = Some((it, place))),
                Some((from, to)) => self.edge(from, to, place).and_then(|from| {
                    if from.starts_with("PriorityNode[") && priority.get_or_insert_with(|| from.clone()) != &from {
                        return Err("a second PriorityNode: a tree has one".into());
                    }
                    Ok(())
                }),
            };
            if let Err(why) = done {
                notes.add(place, Line::Error(why));
                return None;
            }
        }
        let Some((root, at)) = root else {
            notes.add(Place { file, at: 0 }, Line::Error("there is no root: a line without an arrow".into()));
            return None;
        };
        let made = self.item(&root, &mut Vec::new()).and_then(|root| {
            let pairs = priority.iter().flat_map(|it| self.edges.remove(it)).flatten();
            let pairs: Vec<String> = pairs.collect();
            let mut interrupts = Vec::new();
            for pair in pairs.chunks(2) {
                interrupts.push((self.item(&pair[0], &mut Vec::new())?, self.item(&pair[1], &mut Vec::new())?));
            }
            Ok((root, interrupts))
        });
        let (root, interrupts) = match made {
            Ok(it) => it,
            Err((at, why)) => {
                notes.add(at, Line::Error(why));
                return None;
            }
        };
        for id in &self.shared {
            let why = format!("`{id}` has several parents: each has one of its own here");
            notes.add(self.nodes[id].at, Line::Warning(why));
        }
        let id = file_stem(&text.name).to_owned();
        Some(Tree { id, root, interrupts, is_main: true, at, ..Tree::default() })
    }

    /// The node of a token, which is made if it is new.
    fn node(&mut self, text: &str, at: Place) -> Result<String, String> {
        let token =
            Token::read(text).ok_or_else(|| format!("`{text}` is not a node: write `Name[0]`, or `Name[0]{{5}}`"))?;
        let kind = token.name;
        let sort = match kind {
            _ if kind.ends_with("Condition") => Sort::Condition,
            _ if kind.ends_with("Behavior") => Sort::Action,
            _ => Sort::Inner,
        };
        let item = self.nodes.entry(token.id.into()).or_insert_with(|| Item {
            kind: kind.into(),
            sort,
            at,
            ..Item::default()
        });
        if let (Some(value), None) = (token.value, item.get("value")) {
            item.given.push(Given { name: "value".into(), value: Data::Text(value.into()), how: None, at });
        }
        Ok(token.id.into())
    }

    /// An edge, or for a filter the two to its condition and its node. Returns its source.
    fn edge(&mut self, from: &str, to: &str, at: Place) -> Result<String, String> {
        let from = self.node(from, at)?;
        let targets = match to.strip_prefix('{') {
            Some(rest) => {
                let pair = rest.strip_suffix('}').and_then(|it| it.split_once(','));
                let (condition, node) =
                    pair.ok_or_else(|| format!("`{to}` is not a filter: write `{{Condition[0],Node[0]}}`"))?;
                if !condition.split('[').next().is_some_and(|it| it.ends_with("Condition")) {
                    return Err(format!("`{condition}` is not a condition: the names of those end in `Condition`"));
                }
                vec![condition, node]
            }
            None if from.starts_with("PriorityNode[") => {
                return Err(format!("`{to}` is not a pair: write `{{Condition[0],Node[0]}}`"));
            }
            None => vec![to],
        };
        for target in targets {
            if target.starts_with("PriorityNode[") {
                return Err("a PriorityNode cannot be a child".into());
            }
            if !matches!(self.nodes[&from].sort, Sort::Inner) {
                return Err(format!("`{from}` is a leaf: it has no child"));
            }
            let target = self.node(target, at)?;
            self.edges.entry(from.clone()).or_default().push(target);
        }
        Ok(from)
    }

    /// A node with everything below it.
    fn item(&mut self, id: &str, above: &mut Vec<String>) -> Result<Item, (Place, String)> {
        let mut item = self.nodes[id].clone();
        let wrong = |why: &str| (item.at, why.to_owned());
        if above.iter().any(|it| it == id) {
            return Err(wrong(&format!("`{id}` would contain itself")));
        }
        self.count += 1;
        if above.len() >= MAX_DEPTH || self.count > MAX_NODES {
            return Err(wrong("the tree is too deep, or has too many nodes"));
        }
        above.push(id.into());
        if !self.made.insert(id.into()) {
            self.shared.insert(id.into());
        }
        for child in self.edges.get(id).cloned().unwrap_or_default() {
            item.children.push(self.item(&child, above)?);
        }
        above.pop();
        Ok(item)
    }
}
