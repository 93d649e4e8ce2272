//! Godot's text resources: sections with values. LimboAI keeps trees in them (`.tres`), and
//! Beehave in scenes (`.tscn`).

mod beehave;
mod limbo;
mod read;

use std::sync::LazyLock;

use crate::profile::Profile;

pub(crate) use beehave::read as beehave;
pub(crate) use limbo::{read as limbo, special as limbo_special};

static LIMBO: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("limboai.profile.ron", include_str!("godot/limboai.profile.ron")).expect("a test reads it")
});
static BEEHAVE: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("beehave.profile.ron", include_str!("godot/beehave.profile.ron")).expect("a test reads it")
});

/// How the tasks of LimboAI are said here.
pub(crate) fn limbo_profile() -> &'static Profile {
    &LIMBO
}

/// How the nodes of Beehave are said here.
pub(crate) fn beehave_profile() -> &'static Profile {
    &BEEHAVE
}

/// Why a value is lost.
fn left_out(name: &str) -> String {
    format!("its `{name}` is left out: it is a list, a resource or an object")
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
