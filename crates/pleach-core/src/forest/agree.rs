//! Whether the trees of a forest agree on what they share: group and global keys (SEMANTICS 8.9),
//! events (8.27) and tokens (8.36).

use std::hash::Hash;

use indexmap::IndexMap;

use super::{Forest, TreeId};
use crate::blackboard::TokenConflict;
use crate::blackboard::token_decl::TokenDecl;
use crate::blackboard::{Difference, EventConflict, EventDecl, KeyDecl, Schema, Scope, SharedKeyError};
use crate::{Host, Tree};

/// What two trees declare differently.
pub(super) enum Disagreement {
    Key(SharedKeyError),
    Event(EventConflict),
    Token(TokenConflict),
}

impl<H: Host> Forest<H> {
    /// Whether all trees agree when these are added, each in place of a tree or beside all others.
    pub(super) fn agree(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), Disagreement> {
        self.agree_on_keys(coming).map_err(Disagreement::Key)?;
        self.agree_on_events(coming).map_err(Disagreement::Event)?;
        self.agree_on_tokens(coming).map_err(Disagreement::Token)
    }

    /// Looks at all trees, if a new one has a token.
    fn agree_on_tokens(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), TokenConflict> {
        for (at, &(_, tree)) in coming.iter().enumerate() {
            for token in &tree.tokens {
                let others = coming[..at].iter().map(|it| it.1).chain(self.staying(coming));
                let alike = |it: &&TokenDecl| it.name == token.name && it.terms != token.terms;
                let differs = |it: &'_ Tree<H>| Some((it.name().to_owned(), it.tokens.iter().find(alike)?.terms));
                if let Some((other, terms)) = others.into_iter().find_map(differs) {
                    let trees = [tree.name().to_owned(), other];
                    let token_name = (*token.name).to_owned();
                    return Err(TokenConflict { token: token_name, trees, terms: [token.terms, terms] });
                }
            }
        }
        Ok(())
    }

    fn agree_on_keys(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), SharedKeyError> {
        let mut seen = IndexMap::new();
        let going = self.going(coming, |it| shared_keys(it).map(named));
        for &(_, tree) in coming {
            for decl in shared_keys(&tree.schema) {
                let error = |other: &Tree<H>, difference| {
                    let trees = [tree.name().into(), other.name().into()];
                    Err(SharedKeyError {
                        name: decl.name().into(),
                        scope: decl.scope(),
                        trees,
                        difference,
                        board: false,
                    })
                };
                let &mut (first, with) = seen.entry(named(decl)).or_insert((decl, tree));
                if let Some(difference) = Difference::of(decl, first.default(), first.symbols()) {
                    return error(with, difference);
                }
                let gone = going.get(&named(decl)).copied().unwrap_or_default();
                if let Some(difference) = self.shared.difference(decl, gone) {
                    // Only an error names the first tree that declares it.
                    let declares = |it: &&Tree<H>| shared_keys(&it.schema).any(|it| named(it) == named(decl));
                    let mut stay = self.staying(coming).filter(declares);
                    return error(stay.next().unwrap_or(tree), difference);
                }
            }
        }
        Ok(())
    }

    fn agree_on_events(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> Result<(), EventConflict> {
        let mut seen = IndexMap::new();
        let going = self.going(coming, |it| it.events().map(EventDecl::name));
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
            let gone = |it: &EventDecl| going.get(it.name()).copied().unwrap_or_default();
            let Some(decl) = self.events.conflict(tree.schema.known_events(), gone) else { continue };
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

    /// For each name that replaced trees declare, how many of them do.
    fn going<'s, N: Hash + Eq, I: Iterator<Item = N>>(
        &'s self,
        coming: &[(Option<TreeId>, &Tree<H>)],
        names: impl Fn(&'s Schema) -> I,
    ) -> IndexMap<N, usize> {
        let mut going = IndexMap::new();
        let old = coming.iter().filter_map(|it| self.trees.get(it.0?));
        old.flat_map(|it| names(&it.shape.tree.schema)).for_each(|it| *going.entry(it).or_default() += 1);
        going
    }

    /// The trees that are not replaced, in their order.
    fn staying(&self, coming: &[(Option<TreeId>, &Tree<H>)]) -> impl Iterator<Item = &Tree<H>> {
        let going = |id: &TreeId| coming.iter().any(|it| it.0 == Some(*id));
        self.trees.ids().filter(move |it| !going(it)).filter_map(|it| self.trees.get(it)).map(|it| &*it.shape.tree)
    }
}

/// The group and global keys of a tree.
fn shared_keys(schema: &Schema) -> impl Iterator<Item = &KeyDecl> {
    schema.keys().filter(|it| matches!(it.scope(), Scope::Group | Scope::Global))
}

/// What identifies a key in all trees.
fn named(decl: &KeyDecl) -> (Scope, &str) {
    (decl.scope(), decl.name())
}
