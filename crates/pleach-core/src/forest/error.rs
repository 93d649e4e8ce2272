//! What can be wrong with a call of a forest.

use super::{AgentId, TreeId};
use crate::blackboard::Refused;
use crate::blackboard::shared::{GroupId, SharedKeyError};
use crate::limits::MAX_AGENTS;
use crate::names::Help;
use crate::{Key, Schema, SchemaError, Symbol, Type, Value};

/// A call about an agent, tree or group that is not in this forest, or not any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StaleError {
    /// The agent was despawned, or is of another forest.
    #[error("{0:?} is not in this forest (any more): it was despawned, or belongs to another forest")]
    Agent(AgentId),
    /// The tree is of another forest.
    #[error("{0:?} is not in this forest")]
    Tree(TreeId),
    /// The group was removed, or is of another forest.
    #[error("{0:?} is not in this forest (any more)")]
    Group(GroupId),
}

/// A spawn that is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The tree or the group is not here.
    #[error(transparent)]
    Stale(#[from] StaleError),
    /// The forest is full.
    #[error("the forest is full: {MAX_AGENTS} agents")]
    Full,
}

/// A tree that cannot be replaced by another. The old one goes on as if nobody had asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceTreeError {
    /// The tree is not here.
    #[error(transparent)]
    Stale(#[from] StaleError),
    /// Another tree of this forest declares a group or global key, and declares it differently.
    #[error(transparent)]
    Shared(#[from] SharedKeyError),
}

/// A blackboard access that is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The agent, tree or group is not here.
    #[error(transparent)]
    Stale(#[from] StaleError),
    /// The key is of another tree.
    #[error("the key belongs to another tree than the agent")]
    ForeignKey,
    /// The key cannot be used in this call.
    #[error(transparent)]
    Key(#[from] SchemaError),
    /// The symbol is none of the words that the key declares, so that nothing would ever be equal
    /// to it.
    #[error("that symbol is none of the words of `{key}`")]
    NotAWord {
        /// The key.
        key: String,
    },
    /// No tree of this forest declares such a group key.
    #[error("no tree of this forest declares the group key `{name}`{}", and(.help))]
    UnknownGroupKey {
        /// What was asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
    /// No tree of this forest declares such a global key.
    #[error("no tree of this forest declares the global key `{name}`{}", and(.help))]
    UnknownGlobal {
        /// What was asked for.
        name: String,
        /// Which was meant.
        help: Option<Help>,
    },
}

impl AccessError {
    /// What a refused write through a typed key is to its caller.
    #[cold]
    pub(crate) fn of<T>(refused: Refused, schema: &Schema, key: Key<T>) -> Self {
        match (refused, schema.own(key)) {
            (Refused::NotAWord, Some(decl)) => AccessError::NotAWord { key: decl.name().into() },
            (Refused::NotAWord | Refused::Foreign, _) => AccessError::ForeignKey,
        }
    }

    /// Whether a key of that type, with those words, can hold a value.
    pub(crate) fn check(name: &str, found: Type, words: &[Symbol], value: Value) -> Result<(), Self> {
        let wanted = value.ty();
        match value {
            _ if found != wanted => Err(SchemaError::WrongType { name: name.into(), found, wanted }.into()),
            Value::Symbol(symbol) if !words.contains(&symbol) => Err(AccessError::NotAWord { key: name.into() }),
            _ => Ok(()),
        }
    }
}

fn and(help: &Option<Help>) -> String {
    help.as_ref().map(|it| format!("; {it}")).unwrap_or_default()
}
