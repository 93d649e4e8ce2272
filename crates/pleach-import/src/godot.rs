//! Godot's text resources: sections with values. LimboAI keeps trees in them (`.tres`), and
//! Beehave in scenes (`.tscn`).

mod beehave;
mod limbo;
mod read;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::item::{Item, Sort, Tree};
use crate::place::Text;
use crate::profile::Profile;

pub(crate) use beehave::{read as beehave, special as beehave_special};
pub(crate) use limbo::{read as limbo, special as limbo_special};

static LIMBO: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("limboai.profile.ron", include_str!("godot/limboai.profile.ron")).expect("a test reads it")
});
static BEEHAVE: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("beehave.profile.ron", include_str!("godot/beehave.profile.ron")).expect("a test reads it")
});

/// How the tasks of LimboAI map to pleach.
pub(crate) fn limbo_profile() -> &'static Profile {
    &LIMBO
}

/// How the nodes of Beehave map to pleach.
pub(crate) fn beehave_profile() -> &'static Profile {
    &BEEHAVE
}

/// Finds trees by the ends of their paths: `res://` is a directory above all input files.
fn connect(trees: &mut [Tree], files: &[(usize, &Text)]) {
    let name = |tree: &Tree| files.iter().find(|it| it.0 == tree.at.file).map(|it| it.1.name.clone());
    let places: Vec<(String, usize)> =
        trees.iter().enumerate().filter_map(|(at, tree)| Some((name(tree)?, at))).collect();
    trees.iter_mut().for_each(|it| connect_in(&mut it.root, &places));
}

fn connect_in(item: &mut Item, places: &[(String, usize)]) {
    if item.sort == Sort::Tree {
        item.tree = places.iter().find(|it| ends_with(&item.kind, &it.0)).map(|it| it.1);
    }
    item.children.iter_mut().for_each(|it| connect_in(it, places));
}

/// Whether a path of Godot and the name of a file mean one file: the shorter is an ending of the
/// other, at the border of a directory: `hunt.tscn` is not `man_hunt.tscn`.
fn ends_with(path: &str, name: &str) -> bool {
    let path = path.trim_start_matches("res://");
    let ends = |long: &str, end: &str| long.strip_suffix(end).is_some_and(|it| it.is_empty() || it.ends_with('/'));
    ends(path, name) || ends(name, path)
}

/// Why a value is lost.
fn left_out(name: &str) -> String {
    format!("its `{name}` is left out: it is a list, a resource or an object")
}

/// Scripts by the names of their leaves.
#[derive(Debug, Default)]
struct Scripts(BTreeMap<String, String>);

impl Scripts {
    /// The name of a leaf by its script. The second script of a name gets those of its folders,
    /// too.
    fn leaf(&mut self, path: &str) -> String {
        let mut names = path.trim_start_matches("res://").trim_end_matches(".gd").rsplit('/');
        let mut name = names.next().unwrap_or_default().to_owned();
        loop {
            let leaf = leaf_name(&name);
            match (self.0.get(&leaf), names.next()) {
                (Some(other), Some(folder)) if other != path => name = format!("{folder}_{name}"),
                _ => {
                    self.0.entry(leaf.clone()).or_insert_with(|| path.into());
                    return leaf;
                }
            }
        }
    }
}

/// The name of a leaf by its script: `res://ai/arrive_pos.gd` is `ArrivePos`.
fn leaf_name(path: &str) -> String {
    let stem = pleach::tools::file_stem(path);
    let word = |it: &str| {
        let mut chars = it.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect::<String>()
    };
    stem.split(['_', '-']).map(word).collect()
}
