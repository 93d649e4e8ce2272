//! What a tree declares about a token (SEMANTICS 8.36).

use std::fmt;

use pleach_expr::expr::KeyIndex;

use super::Scope;
use super::place::KeyPlace;
use crate::NodeId;
use crate::clock::Span;

/// A token of a tree.
#[derive(Clone, Debug)]
pub(crate) struct TokenDecl {
    pub(crate) name: Box<str>,
    /// [`Scope::Group`] or [`Scope::Global`].
    pub(crate) scope: Scope,
    /// Its key, which says where its places are.
    pub(crate) key: KeyPlace,
    /// Its index among all keys of the tree.
    pub(crate) index: KeyIndex,
    pub(crate) terms: TokenTerms,
    /// The Tokens that ask for it.
    pub(crate) nodes: Vec<NodeId>,
}

impl TokenDecl {
    /// Whether the same agents share the places of the same token.
    pub(crate) fn is_same(&self, other: &TokenDecl) -> bool {
        self.name == other.name && self.scope == other.scope
    }
}

/// What all trees must agree on about a token: how many places it has, how long one that is given
/// back rests, and who shares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenTerms {
    /// How many places there are.
    pub count: u32,
    /// How long a place rests, in nanoseconds.
    pub rest: u64,
    /// Whether all agents of the forest share the places, and not only those of a group.
    pub global: bool,
}

impl TokenTerms {
    pub(crate) fn span(self) -> Span {
        Span(self.rest)
    }
}

impl fmt::Display for TokenTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TokenTerms { count, rest: _, global } = self;
        let of = if *global { "Global" } else { "Group" };
        write!(f, "count {count}, rest {} s, of {of}", self.span().seconds())
    }
}

/// Two trees of a forest declare a token differently.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenConflict {
    /// The token.
    pub token: String,
    /// The names of the trees: the new one, and one that is in the forest or is added with it.
    pub trees: [String; 2],
    /// What each of them declares.
    pub terms: [TokenTerms; 2],
}

impl fmt::Display for TokenConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TokenConflict { token, trees: [one, other], terms: [new, old] } = self;
        write!(
            f,
            "the trees `{one}` and `{other}` have different Tokens `{token}`: {new} in the first, and {old} in the \
             second; all trees of a forest must have the same"
        )
    }
}

impl fmt::Debug for TokenConflict {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for TokenConflict {}
