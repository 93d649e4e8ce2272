//! What can be wrong with keys that the game relies on.

use std::fmt;

use pleach_expr::names::Help;

use super::KeyNeed;
use crate::Type;
use crate::blackboard::Scope;
use crate::ids::StaleError;

/// A key that the game relies on, and its problem in a tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeyProblem {
    /// What the game needs.
    pub need: KeyNeed,
    /// What is wrong.
    pub kind: KeyProblemKind,
}

/// What is wrong with a key that the game relies on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum KeyProblemKind {
    /// The tree does not declare it. With the key that was probably meant, or those that exist.
    Missing(Option<Help>),
    /// The tree declares it in this scope.
    Scope(Scope),
    /// The tree declares it with this type.
    Type(Type),
    /// The tree does not list this word.
    WordMissing(String),
    /// The tree lists this word, which the game's enum does not have.
    WordUnknown(String),
    /// The tree has this key with the same hash: a typed key cannot tell them apart.
    SameHash(String),
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeyNeed { name, scope, ty, .. } = &self.need;
        match &self.kind {
            KeyProblemKind::Missing(help) => {
                write!(
                    f,
                    "the game relies on the {scope} key `{name}` of type {ty}, which this tree does not declare"
                )?;
                help.iter().try_for_each(|it| write!(f, "; {it}"))
            }
            KeyProblemKind::Scope(found) => {
                let found = found.with_article();
                write!(f, "the game relies on the {scope} key `{name}`, which is {found} key in this tree")
            }
            KeyProblemKind::Type(found) => {
                write!(f, "the game relies on the {scope} key `{name}` of type {ty}, which is {found} in this tree")
            }
            KeyProblemKind::WordMissing(word) => {
                write!(
                    f,
                    "the game relies on the word `{word}` of the {scope} key `{name}`, a word that this tree lacks"
                )
            }
            KeyProblemKind::WordUnknown(word) => {
                write!(f, "the {scope} key `{name}` has the word `{word}`, which the game does not know")
            }
            KeyProblemKind::SameHash(other) => write!(
                f,
                "the game relies on the {scope} key `{name}`, which has the same hash as the key `{other}`: rename one of them"
            ),
        }
    }
}

impl std::error::Error for KeyProblem {}

impl KeyProblem {
    /// Takes out what to do about it, for callers that show that in another place.
    pub fn take_help(&mut self) -> Option<Help> {
        match &mut self.kind {
            KeyProblemKind::Missing(help) => help.take(),
            _ => None,
        }
    }
}

/// A tree that does not have the keys that the game relies on.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct KeysError {
    /// The name of the tree.
    pub tree: String,
    /// Every problem. Empty if [`KeySet::find`](crate::KeySet::find) returned `None` though the
    /// tree has every key that it asked for.
    pub problems: Vec<KeyProblem>,
}

impl fmt::Display for KeysError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KeysError { tree, problems } = self;
        match &problems[..] {
            [] => {
                write!(f, "`KeySet::find` returned `None`, though the tree `{tree}` has every key that it asked for")
            }
            [one] => write!(f, "the tree `{tree}`: {one}"),
            all => {
                write!(f, "the tree `{tree}` does not have the keys that the game relies on:")?;
                all.iter().try_for_each(|it| write!(f, "\n  {it}"))
            }
        }
    }
}

impl fmt::Debug for KeysError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for KeysError {}

/// Why keys cannot be bound to a tree of a forest.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum BindError {
    /// The tree does not exist.
    Stale(StaleError),
    /// The tree does not have the keys.
    Keys(KeysError),
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BindError::Stale(it) => it.fmt(f),
            BindError::Keys(it) => it.fmt(f),
        }
    }
}

impl fmt::Debug for BindError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BindError {}

impl From<StaleError> for BindError {
    fn from(it: StaleError) -> Self {
        BindError::Stale(it)
    }
}

impl From<KeysError> for BindError {
    fn from(it: KeysError) -> Self {
        BindError::Keys(it)
    }
}
