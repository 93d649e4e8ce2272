//! Whether the trees of a forest declare what they share alike: group and global keys (SEMANTICS
//! 8.9), and events (8.27).

use indexmap::IndexMap;

use super::{Forest, TreeId};
use crate::blackboard::{Difference, EventConflict, KeyDecl, Schema, Scope, SharedKeyError};
use crate::{Host, Tree};

/// What two trees declare differently.
pub(super) enum Disagreement {
    Key(SharedKeyError),
    Event(EventConflict),
}

impl<H: Host> Forest<H> {
    /// Whether all trees agree when these come, each in place of a tree or beside all others.
    pub(super) fn agree(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), Disagreement> {
        self.agree_on_keys(coming).map_err(Disagreement::Key)?;
        self.agree_on_events(coming).map_err(Disagreement::Event)
    }

    fn agree_on_keys(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), SharedKeyError> {
        let mut seen = IndexMap::new();
        for &(_, tree) in coming {
            for decl in tree.schema.keys().filter(|it| matches!(it.scope(), Scope::Group | Scope::Global)) {
                let error = |other: &Tree<H>, difference| {
                    let trees = [tree.name().into(), other.name().into()];
                    Err(SharedKeyError { name: decl.name().into(), scope: decl.scope(), trees, difference })
                };
                let &mut (first, with) = seen.entry((decl.scope(), decl.name())).or_insert((decl, tree));
                if let Some(difference) = Difference::of(decl, first.default(), first.symbols()) {
                    return error(with, difference);
                }
                let declares = |it: &Schema| it.keys().any(|it| same(it, decl));
                if let Some(difference) = self.shared.difference(decl, || self.going(coming, declares)) {
                    // Looked for only now: the first that declares it.
                    let mut stay = self.staying(coming).filter(|it| declares(&it.schema));
                    return error(stay.next().unwrap_or(tree), difference);
                }
            }
        }
        Ok(())
    }

    fn agree_on_events(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), EventConflict> {
        let mut seen = IndexMap::new();
        for &(_, tree) in coming {
            for decl in tree.schema.events() {
                let &mut (first, with) = seen.entry(decl.name()).or_insert((decl.payload(), tree));
                if first != decl.payload() {
                    return Err(EventConflict {
                        event: decl.name().into(),
                        trees: [tree.name().into(), with.name().into()],
                        payloads: [decl.payload(), first],
                    });
                }
            }
            let going = |name: &str| self.going(coming, |it| it.events().any(|it| it.name() == name));
            let Some(decl) = self.events.conflict(tree.schema.known_events(), |it| going(it.name())) else { continue };
            let declares = |it: &Tree<H>| it.schema.events().find(|it| it.name() == decl.name()).map(|it| it.payload());
            let there = self.staying(coming).find_map(|it| Some((it.name().to_owned(), declares(it)?)));
            let (name, payload) = there.unwrap_or_default();
            return Err(EventConflict {
                event: decl.name().into(),
                trees: [tree.name().into(), name],
                payloads: [decl.payload(), payload],
            });
        }
        Ok(())
    }

    /// How many of the trees that are replaced declare something.
    fn going(&self, coming: &[(Option<TreeId>, &Tree<H>)], declares: impl Fn(&Schema) -> bool) -> usize {
        let old = coming.iter().filter_map(|it| self.trees.get(it.0?));
        old.filter(|it| declares(&it.shape.tree.schema)).count()
    }

    /// The trees here that are not replaced, in their order.
    fn staying(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> impl Iterator<Item = &Tree<H>> {
        let going = |id: &TreeId| coming.iter().any(|it| it.0 == Some(*id));
        self.trees.ids().filter(move |it| !going(it)).filter_map(|it| self.trees.get(it)).map(|it| &*it.shape.tree)
    }
}

fn same(one: &KeyDecl, other: &KeyDecl) -> bool {
    one.scope() == other.scope() && one.name() == other.name()
}
