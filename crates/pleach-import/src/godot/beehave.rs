//! Beehave: nodes of a scene, whose scripts are their kinds.

use std::collections::BTreeMap;

use super::read::{self, Section, Value};
use super::{leaf_name, left_out};
use crate::item::{Data, Given, Item, Sort, Tree};
use crate::place::{Place, Text};
use crate::report::{Line, Notes};
use pleach::tools::file_stem;

/// Where the scripts of Beehave lie.
const ADDON: &str = "addons/beehave/";
/// The most nodes above a node.
const MAX_DEPTH: usize = 200;

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    // Scripts say what leaves are: `extends ConditionLeaf`.
    let scripts: BTreeMap<&str, Sort> = files
        .iter()
        .filter(|it| it.1.name.ends_with(".gd"))
        .filter_map(|it| Some((it.1.name.rsplit('/').next()?, sort(&it.1.text))))
        .collect();
    let mut trees = Vec::new();
    for (file, text) in files.iter().filter(|it| !it.1.name.ends_with(".gd")) {
        match read::read(&text.text) {
            Ok(sections) => scene(*file, text, &sections, &scripts, &mut trees, notes),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    trees
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

/// The trees of a scene: each node with the script of a BeehaveTree has one below it.
fn scene(
    file: usize,
    text: &Text,
    sections: &[Section],
    scripts: &BTreeMap<&str, Sort>,
    trees: &mut Vec<Tree>,
    notes: &mut Notes,
) {
    let of = |tag: &'static str| sections.iter().filter(move |it| it.tag == tag);
    let paths: BTreeMap<&str, &str> =
        of("ext_resource").filter_map(|it| Some((it.head("id")?, it.head("path")?))).collect();
    let script = |it: &Section| it.resource("script").and_then(|id| paths.get(id)).copied();
    // Children by the path of their parent, in their order.
    let mut children = BTreeMap::<String, Vec<(String, &Section)>>::new();
    let mut roots = Vec::new();
    for section in of("node") {
        let name = section.head("name").unwrap_or_default();
        let (parent, path) = match section.head("parent") {
            None => (None, ".".to_owned()),
            Some(".") => (Some("."), name.to_owned()),
            Some(parent) => (Some(parent), format!("{parent}/{name}")),
        };
        if let Some(parent) = parent {
            children.entry(parent.to_owned()).or_default().push((path.clone(), section));
        }
        if script(section).is_some_and(|it| it.contains(ADDON) && it.ends_with("/beehave_tree.gd")) {
            roots.push((path, name, section));
        }
    }
    let reader = Reader { file, children: &children, script: &script, scripts };
    let count = roots.len();
    for (path, name, section) in roots {
        let at = Place { file, at: section.at };
        let made = match children.get(&path).map(|it| &**it) {
            Some([(path, root)]) => reader.item(path, root, 0),
            _ => Err((section.at, format!("the tree `{name}` has not one child, but none or several"))),
        };
        match made {
            Ok(root) => {
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
}

impl Reader<'_> {
    fn item(&self, path: &str, section: &Section, depth: usize) -> Result<Item, (usize, String)> {
        let name = section.head("name").unwrap_or_default();
        if depth > MAX_DEPTH {
            return Err((section.at, format!("nodes are nested deeper than {MAX_DEPTH}")));
        }
        let script = (self.script)(section).ok_or((section.at, format!("the node `{name}` has no script")))?;
        let is_own = !script.contains(ADDON);
        let kind = if is_own { leaf_name(script) } else { file_stem(script).to_owned() };
        let sort = self.scripts.get(script.rsplit('/').next().unwrap_or(script)).copied().unwrap_or_default();
        let given = section.values.iter().filter(|it| !matches!(&*it.0, "script" | "editor_description"));
        let mut item = Item {
            title: Some(name.to_owned()).filter(|it| *it != kind && !it.is_empty()),
            kind,
            sort: if is_own { sort } else { Sort::Unknown },
            note: section.get("editor_description").and_then(Value::text).map(Into::into),
            at: Place { file: self.file, at: section.at },
            ..Item::default()
        };
        for (name, value, at) in given {
            let at = Place { file: self.file, at: *at };
            match value.plain() {
                Some(it) => item.given.push(Given { name: name.clone(), value: Data::Text(it), how: None, at }),
                None => item.conditions.lost.push(left_out(name)),
            }
        }
        for (path, child) in self.children.get(path).into_iter().flatten() {
            item.children.push(self.item(path, child, depth + 1)?);
        }
        Ok(item)
    }
}
