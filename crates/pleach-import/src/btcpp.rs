//! BehaviorTree.CPP: XML of its versions 3 and 4.

mod begin;
mod kept;
mod lift;
mod nodes;
mod own;
mod read;
mod subtree;

use std::sync::LazyLock;

use crate::item::Tree;
use crate::leaves::Leaves;
use crate::place::Text;
use crate::profile::Profile;
use crate::report::Notes;

pub(crate) use begin::NAME as BEGIN;
pub(crate) use kept::NAME as KEPT;
pub(crate) use nodes::special;
pub(crate) use own::{ALONE, PREFIX, VARIANT};

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    let source = include_str!("btcpp/btcpp.profile.ron");
    Profile::read("btcpp.profile.ron", source).expect("a test reads it")
});

/// How its nodes map to pleach.
pub(crate) fn profile() -> &'static Profile {
    &PROFILE
}

/// Reads all files of the format, with their models.
pub(crate) fn read(files: &[(usize, &Text)], leaves: &mut Leaves, notes: &mut Notes) -> Vec<Tree> {
    let mut trees = read::read(files, leaves, notes);
    trees.iter_mut().for_each(|it| lift::lift(&mut it.root));
    trees
}
