//! Beehave: nodes of a scene, whose scripts are their kinds.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{self, Section, Value};
use super::{Scripts, connect, ends_with, left_out};
use crate::item::{Conditions, Data, Given, Item, Sort, Tree};
use crate::map::Mapper;
use crate::place::{Place, Text};
use crate::profile::Skip;
use crate::report::{Fate, Line, Notes};
use crate::ron::Node;
use pleach::tools::file_stem;

/// The folder of Beehave's scripts.
const ADDON: &str = "addons/beehave/";
/// The most nodes above a node.
const MAX_DEPTH: usize = 200;

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    // Scripts say what leaves are: `extends ConditionLeaf`.
    let scripts: BTreeMap<&str, Sort> =
        files.iter().filter(|it| it.1.name.ends_with(".gd")).map(|it| (&*it.1.name, sort(&it.1.text))).collect();
    let mut scenes = Vec::new();
    for (file, text) in files.iter().filter(|it| !it.1.name.ends_with(".gd")) {
        match read::read(&text.text) {
            Ok(sections) => scenes.push((*file, *text, sections)),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    // Scenes that are instanced in others may be parts of trees.
    let instanced: BTreeSet<&str> = scenes.iter().flat_map(|it| instanced(&it.2)).collect();
    let (mut trees, mut leaves) = (Vec::new(), Scripts::default());
    for (file, text, sections) in &scenes {
        let is_part = instanced.iter().any(|it| ends_with(it, &text.name));
        scene(*file, text, sections, (&scripts, &mut leaves), is_part, &mut trees, notes);
    }
    connect(&mut trees, files);
    trees
}

/// A scene in a tree shares its keys.
pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, _: Skip) -> Option<(Node, Fate)> {
    (item.sort == Sort::Tree).then(|| mapper.shared_subtree(item))
}

/// The paths of resources, by their ids.
fn paths(sections: &[Section]) -> BTreeMap<&str, &str> {
    let all = sections.iter().filter(|it| it.tag == "ext_resource");
    all.filter_map(|it| Some((it.head("id")?, it.head("path")?))).collect()
}

/// The scene that a node is an instance of.
fn instance<'s>(node: &Section, paths: &BTreeMap<&str, &'s str>) -> Option<&'s str> {
    let value = &node.head.iter().find(|it| it.0 == "instance")?.1;
    value.resource().and_then(|id| paths.get(id)).copied()
}

fn instanced(sections: &[Section]) -> Vec<&str> {
    let paths = paths(sections);
    sections.iter().filter_map(|it| instance(it, &paths)).collect()
}

fn sort(script: &str) -> Sort {
    if script.contains("extends ConditionLeaf") {
        Sort::Condition
    } else if script.contains("extends ActionLeaf") {
        Sort::Action
    } else {
        Sort::Unknown
    }
}

/// The trees of a scene: each node with the script of a BeehaveTree has one below it. A scene that
/// is instanced in another is a tree from its root on.
fn scene(
    file: usize,
    text: &Text,
    sections: &[Section],
    (scripts, leaves): (&BTreeMap<&str, Sort>, &mut Scripts),
    is_part: bool,
    trees: &mut Vec<Tree>,
    notes: &mut Notes,
) {
    let of = |tag: &'static str| sections.iter().filter(move |it| it.tag == tag);
    let paths = paths(sections);
    let script = |it: &Section| it.resource("script").and_then(|id| paths.get(id)).copied();
    // Children by the path of their parent, in their order.
    let mut children = BTreeMap::<String, Vec<(String, &Section)>>::new();
    let (mut roots, mut known) = (Vec::new(), BTreeSet::from([".".to_owned()]));
    let (mut instances, mut below) = (BTreeSet::<String>::new(), Vec::new());
    for section in of("node") {
        let name = section.head("name").unwrap_or_default();
        let (parent, path) = match section.head("parent") {
            None => (None, ".".to_owned()),
            Some(".") => (Some("."), name.to_owned()),
            Some(parent) => (Some(parent), format!("{parent}/{name}")),
        };
        let is_below =
            |it: &&String| parent.is_some_and(|parent| parent == *it || parent.starts_with(&format!("{it}/")));
        if let Some(scene) = instances.iter().find(is_below) {
            below.push((scene.clone(), name, section.at));
        } else if let Some(parent) = parent.filter(|it| !known.contains(*it))
            && (script(section).is_some() || instance(section, &paths).is_some())
        {
            let why = format!("the parent `{parent}` of `{name}` is not in this scene: add it, or remove this node");
            notes.add(Place { file, at: section.at }, Line::Error(why));
        }
        if instance(section, &paths).is_some() {
            instances.insert(path.clone());
        }
        known.insert(path.clone());
        if let Some(parent) = parent {
            children.entry(parent.to_owned()).or_default().push((path.clone(), section));
        }
        if script(section).is_some_and(|it| it.contains(ADDON) && it.ends_with("/beehave_tree.gd")) {
            roots.push((path, name, section));
        }
    }
    // Elsewhere in the scene it does not concern trees.
    below.retain(|it| is_part || roots.iter().any(|root| it.0.starts_with(&format!("{}/", root.0))));
    for (scene, name, at) in below {
        let why =
            format!("`{name}` changes the scene that stands at `{scene}`, which is not read: change it in that scene");
        notes.add(Place { file, at }, Line::Error(why));
    }
    let mut reader = Reader { file, children: &children, script: &script, scripts, paths: &paths, leaves };
    let count = roots.len();
    let whole = of("node").find(|it| it.head("parent").is_none() && script(it).is_some());
    if let Some(root) = whole.filter(|_| count == 0 && is_part) {
        match reader.item(".", root, 0) {
            Ok(item) => {
                let (id, at) = (file_stem(&text.name).to_owned(), Place { file, at: root.at });
                trees.push(Tree { id, root: item, at, ..Tree::default() });
            }
            Err((at, why)) => notes.add(Place { file, at }, Line::Error(why)),
        }
        return;
    }
    for (path, name, section) in roots {
        let at = Place { file, at: section.at };
        let made = match children.get(&path).map(|it| &**it) {
            Some([(path, root)]) => reader.item(path, root, 0),
            _ => Err((section.at, format!("the tree `{name}` has not one child, but none or several"))),
        };
        match made {
            Ok(root) => {
                if section.get("enabled").and_then(Value::text) == Some("false") {
                    notes.add(at, Line::Warning(format!("the tree `{name}` is disabled there, and is imported")));
                }
                if section.get("tick_rate").and_then(Value::text).is_some_and(|it| it != "1") {
                    let why = "its `tick_rate` is left out: give its agents an interval";
                    notes.add(at, Line::Warning(why.into()));
                }
                let stem = file_stem(&text.name);
                let id = if count > 1 { format!("{stem} {name}") } else { stem.to_owned() };
                trees.push(Tree { id, root, is_main: true, at, ..Tree::default() });
            }
            Err((at, why)) => notes.add(Place { file, at }, Line::Error(why)),
        }
    }
    if count == 0 {
        notes.add(Place { file, at: 0 }, Line::Warning("this scene has no BeehaveTree".into()));
    }
}

struct Reader<'r> {
    file: usize,
    children: &'r BTreeMap<String, Vec<(String, &'r Section)>>,
    script: &'r dyn Fn(&Section) -> Option<&'r str>,
    scripts: &'r BTreeMap<&'r str, Sort>,
    paths: &'r BTreeMap<&'r str, &'r str>,
    leaves: &'r mut Scripts,
}

impl Reader<'_> {
    fn item(&mut self, path: &str, section: &Section, depth: usize) -> Result<Item, (usize, String)> {
        let name = section.head("name").unwrap_or_default();
        if depth > MAX_DEPTH {
            return Err((section.at, format!("nodes are nested deeper than {MAX_DEPTH}")));
        }
        let at = Place { file: self.file, at: section.at };
        if let Some(scene) = instance(section, self.paths) {
            let given = section.values.iter().filter(|it| it.0 != "script");
            let lost = given.map(|it| format!("its `{}` is left out: set it in the scene", it.0)).collect();
            return Ok(Item {
                kind: scene.to_owned(),
                title: Some(name.to_owned()).filter(|it| !it.is_empty()),
                sort: Sort::Tree,
                conditions: Conditions { lost, ..Conditions::default() },
                at,
                ..Item::default()
            });
        }
        let Some(script) = (self.script)(section) else {
            let why = format!("the node `{name}` has no script, so it is no node of Beehave: take it out of the tree");
            return Err((section.at, why));
        };
        let is_own = !script.contains(ADDON);
        let kind = if is_own { self.leaves.leaf(script) } else { file_stem(script).to_owned() };
        let sort = self.scripts.iter().find(|it| ends_with(script, it.0)).map(|it| *it.1).unwrap_or_default();
        let given = section.values.iter().filter(|it| !matches!(&*it.0, "script" | "editor_description"));
        let mut item = Item {
            title: Some(name.to_owned()).filter(|it| *it != kind && !it.is_empty()),
            kind,
            sort: if is_own { sort } else { Sort::Unknown },
            note: section.get("editor_description").and_then(Value::text).map(Into::into),
            at,
            ..Item::default()
        };
        for (name, value, at) in given {
            let at = Place { file: self.file, at: *at };
            match value.plain() {
                Some(it) => item.given.push(Given { name: name.clone(), value: Data::Text(it), how: None, at }),
                None => item.conditions.lost.push(left_out(name)),
            }
        }
        let children = self.children;
        for (path, child) in children.get(path).into_iter().flatten() {
            item.children.push(self.item(path, child, depth + 1)?);
        }
        Ok(item)
    }
}
