//! Nodes by their ids.

use std::collections::{BTreeMap, BTreeSet};

use super::{classic_profile, give};
use crate::item::{Item, Sort, Tree};
use crate::json::{self, Json};
use crate::place::{Place, Text};
use crate::report::{Line, Notes};

/// The deepest nesting.
const MAX_DEPTH: usize = 200;

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let mut found = Vec::new();
    for (file, text) in files {
        match json::read(&text.text) {
            Ok(json) => found.push((*file, json)),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    // A project has its trees in `data`, an export in `trees`, and a file may be one tree.
    let mut sources: Vec<(usize, &Json)> = Vec::new();
    let mut sorts = BTreeMap::new();
    for (file, json) in &found {
        let data = json.get("data").unwrap_or(json);
        for custom in data.get("custom_nodes").map_or(&[][..], Json::items) {
            if let (Some(name), Some(category)) = (custom.text_of("name"), custom.text_of("category")) {
                sorts.insert(name.to_owned(), sort(category));
            }
        }
        let items = data.get("trees").map_or_else(|| json.items(), Json::items);
        match items {
            [] => sources.push((*file, data)),
            items => sources.extend(items.iter().map(|it| (*file, it))),
        }
    }
    let ids: BTreeMap<&str, usize> =
        sources.iter().enumerate().filter_map(|(place, it)| Some((it.1.text_of("id")?, place))).collect();
    let mut trees = Vec::new();
    let mut places = BTreeMap::new();
    for (place, (file, json)) in sources.iter().enumerate() {
        let mut reader =
            Reader { file: *file, nodes: BTreeMap::new(), ids: &ids, sorts: &sorts, used: BTreeSet::new() };
        match reader.tree(json) {
            Ok(tree) => {
                for (id, node) in reader.nodes.iter().filter(|it| !reader.used.contains(*it.0)) {
                    let name = node.text_of("name").unwrap_or(id);
                    let why = format!("the node `{name}` has no parent, and is left out");
                    notes.add(Place { file: *file, at: node.at }, Line::Warning(why));
                }
                places.insert(place, trees.len());
                trees.push(tree);
            }
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    for tree in &mut trees {
        tree.is_main = true;
        connect(&mut tree.root, &places);
    }
    trees
}

/// Maps indices among all trees to those among the readable ones.
fn connect(item: &mut Item, places: &BTreeMap<usize, usize>) {
    item.tree = item.tree.and_then(|it| places.get(&it).copied());
    item.children.iter_mut().for_each(|it| connect(it, places));
}

fn sort(category: &str) -> Sort {
    match category {
        "condition" => Sort::Condition,
        "action" => Sort::Action,
        "composite" | "decorator" => Sort::Inner,
        _ => Sort::Unknown,
    }
}

struct Reader<'r> {
    file: usize,
    nodes: BTreeMap<&'r str, &'r Json>,
    ids: &'r BTreeMap<&'r str, usize>,
    sorts: &'r BTreeMap<String, Sort>,
    used: BTreeSet<&'r str>,
}

impl<'r> Reader<'r> {
    fn tree(&mut self, json: &'r Json) -> Result<Tree, (usize, String)> {
        let nodes = json.get("nodes").ok_or((json.at, "this is not a tree: it has no `nodes`".to_owned()))?;
        self.nodes = nodes.fields().iter().map(|(id, it)| (&**id, it)).collect();
        let title = json.text_of("title").or(json.text_of("id")).unwrap_or("tree");
        let root = json.text_of("root").ok_or((json.at, format!("the tree `{title}` has no root")))?;
        let root = self.item(root, json.at, 0)?;
        let note = json.text_of("description").map(Into::into);
        Ok(Tree { id: title.into(), root, note, at: Place { file: self.file, at: json.at }, ..Tree::default() })
    }

    fn item(&mut self, id: &str, at: usize, depth: usize) -> Result<Item, (usize, String)> {
        let (id, json) = self.nodes.get_key_value(id).ok_or((at, format!("there is no node of the id `{id}`")))?;
        let (id, json) = (*id, *json);
        if depth > MAX_DEPTH {
            return Err((json.at, format!("nodes are nested deeper than {MAX_DEPTH}")));
        }
        if !self.used.insert(id) {
            return Err((json.at, format!("the node `{id}` has two parents")));
        }
        let name = json.text_of("name").ok_or((json.at, "this node has no `name`".to_owned()))?;
        let tree = self.ids.get(name).copied();
        let title = json.text_of("title").filter(|it| *it != name && !it.contains('<'));
        let mut item = Item {
            kind: if tree.is_some() { title.unwrap_or(name).into() } else { name.into() },
            sort: if tree.is_some() { Sort::Tree } else { self.sorts.get(name).copied().unwrap_or_default() },
            title: title.filter(|_| tree.is_none() || classic_profile().knows(name)).map(Into::into),
            note: json.text_of("description").map(Into::into),
            tree,
            at: Place { file: self.file, at: json.at },
            ..Item::default()
        };
        give(&mut item, json.get("properties"));
        let children = json.get("children").map_or(&[][..], Json::items).iter().chain(json.get("child"));
        for child in children {
            if let Some(id) = child.text() {
                item.children.push(self.item(id, child.at, depth + 1)?);
            }
        }
        Ok(item)
    }
}
