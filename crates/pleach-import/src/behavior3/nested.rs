//! Nodes inside each other.

use pleach::tools::file_stem;

use super::{give, keys};
use crate::item::{Item, Sort, Tree};
use crate::json::{self, Data, Json};
use crate::keys::Use;
use crate::place::{Place, Text};
use crate::report::{Line, Notes};

/// The deepest nesting.
const MAX_DEPTH: usize = 200;

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let mut trees: Vec<Tree> = files.iter().filter_map(|(file, text)| tree(*file, text, notes)).collect();
    let names: Vec<String> = files.iter().map(|it| it.1.name.clone()).collect();
    let places: Vec<usize> = trees.iter().map(|it| it.at.file).collect();
    let place = |path: &str| {
        // Paths begin at a directory of the editor: the file has the same ending.
        let found = files.iter().zip(&names).find(|(_, name)| name.ends_with(path)).map(|it| it.0.0)?;
        places.iter().position(|it| *it == found)
    };
    for tree in &mut trees {
        tree.is_main = true;
        connect(&mut tree.root, &place);
    }
    trees
}

fn connect(item: &mut Item, place: &dyn Fn(&str) -> Option<usize>) {
    if item.sort == Sort::Tree {
        item.tree = place(&item.kind);
    }
    item.children.iter_mut().for_each(|it| connect(it, place));
}

fn tree(file: usize, text: &Text, notes: &mut Notes) -> Option<Tree> {
    let json = match json::read(&text.text) {
        Ok(json) => json,
        Err((at, why)) => {
            notes.add(Place { file, at }, Line::Error(why));
            return None;
        }
    };
    let Some(root) = json.get("root") else {
        notes.add(Place { file, at: json.at }, Line::Error("there is no `root`".into()));
        return None;
    };
    match item(root, file, 0) {
        Ok(root) => {
            let id = json.text_of("name").map_or_else(|| file_stem(&text.name).to_owned(), Into::into);
            let note = json.text_of("desc").map(Into::into);
            Some(Tree { id, root, note, at: Place { file, at: json.at }, ..Tree::default() })
        }
        Err((at, why)) => {
            notes.add(Place { file, at }, Line::Error(why));
            None
        }
    }
}

fn item(json: &Json, file: usize, depth: usize) -> Result<Item, (usize, String)> {
    if depth > MAX_DEPTH {
        return Err((json.at, format!("nodes are nested deeper than {MAX_DEPTH}")));
    }
    let path = json.text_of("path");
    let name = json.text_of("name").or(path).ok_or((json.at, "this node has no `name`".to_owned()))?;
    let mut item = Item {
        kind: path.unwrap_or(name).into(),
        sort: if path.is_some() { Sort::Tree } else { Sort::Unknown },
        note: json.text_of("desc").map(Into::into),
        is_disabled: matches!(json.get("disabled").map(|it| &it.data), Some(Data::Bool(true))),
        at: Place { file, at: json.at },
        ..Item::default()
    };
    give(&mut item, json.get("args"));
    item.given.extend(keys(json, "input", "in", Use::Read, file));
    item.given.extend(keys(json, "output", "out", Use::Write, file));
    for child in json.get("children").map_or(&[][..], Json::items) {
        item.children.push(self::item(child, file, depth + 1)?);
    }
    Ok(item)
}
