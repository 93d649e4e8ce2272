//! Which keys of a new tree match keys of the old one, and take over their values (SEMANTICS 8.10).

use indexmap::IndexMap;
#[cfg(feature = "save")]
use pleach_expr::expr::KeyIndex;

use crate::blackboard::board::Heir;
use crate::blackboard::{KeyDecl, Scope};
use crate::{Host, Tree};

/// The owner of a key: a node, identified by its id or else by its path, or else its scope.
#[derive(PartialEq, Eq, Hash)]
enum Owner<'a> {
    Scope(Scope),
    Id(&'a str),
    Path(String),
}

/// What identifies a key in any version of its tree.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Owned<'a>(Owner<'a>, &'a str);

/// The node that a key belongs to, if it is a node's.
#[cfg(feature = "save")]
pub(super) fn owner<H: Host>(tree: &Tree<H>, key: &KeyDecl) -> Option<crate::save::model::Owner> {
    let node = tree.node(key.node()?)?;
    Some(match node.id_text() {
        Some(id) => crate::save::model::Owner::Id(id.into()),
        None => crate::save::model::Owner::Path(node.path()),
    })
}

pub(super) fn owned<'a, H: Host>(tree: &'a Tree<H>, key: &'a KeyDecl) -> Owned<'a> {
    let owner = match key.node().and_then(|it| tree.node(it)) {
        None => Owner::Scope(key.scope()),
        Some(node) => node.id_text().map_or_else(|| Owner::Path(node.path()), Owner::Id),
    };
    Owned(owner, key.name())
}

/// For each key of the old tree, the same key of the new tree, if its type is the same.
#[cfg(feature = "save")]
pub(crate) fn same_keys<H: Host>(old: &Tree<H>, new: &Tree<H>) -> Vec<Option<KeyIndex>> {
    let known: IndexMap<_, _> = (0..).zip(new.schema.keys()).map(|(at, it)| (owned(new, it), (at, it))).collect();
    let find = |key: &KeyDecl| {
        let (at, _) = known.get(&owned(old, key)).filter(|it| it.1.ty() == key.ty())?;
        KeyIndex::new(*at)
    };
    old.schema.keys().map(find).collect()
}

/// The node and agent keys of a tree, each with the key of the old tree whose values it takes.
pub(crate) fn heirs<'a, H: Host>(old: &'a Tree<H>, new: &'a Tree<H>) -> Vec<Heir<'a>> {
    let mut known: IndexMap<_, _> = old.schema.columned().map(|it| (owned(old, it), it)).collect();
    // Removes the key, so that none has two heirs.
    let mut find = |it: &'a KeyDecl| known.swap_remove(&owned(new, it));
    new.schema.columned().map(|it| (it, find(it).filter(|old| old.ty() == it.ty()))).collect()
}
