//! Errors of the calls of a forest.

use std::fmt;

use super::agree::Disagreement;
use crate::blackboard::{EventConflict, SharedKeyError};
use crate::ids::{StaleError, TreeId};
use crate::limits::MAX_AGENTS;

/// A spawn that is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnError {
    /// The tree or the group is not here.
    Stale(StaleError),
    /// The forest is full: of agents, or of chunks, of which there can be some four million.
    Full,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpawnError::Stale(it) => it.fmt(f),
            SpawnError::Full => {
                write!(f, "the forest is full: it has {MAX_AGENTS} agents, or as many chunks as there can be")
            }
        }
    }
}

impl std::error::Error for SpawnError {}

impl From<StaleError> for SpawnError {
    fn from(it: StaleError) -> Self {
        SpawnError::Stale(it)
    }
}

/// A tree that cannot be added. The forest is as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AddTreeError {
    /// Another tree of this forest declares a group or global key, and declares it differently.
    Shared(SharedKeyError),
    /// Another tree of this forest declares an event, and declares it differently.
    Event(EventConflict),
}

impl fmt::Display for AddTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddTreeError::Shared(it) => it.fmt(f),
            AddTreeError::Event(it) => it.fmt(f),
        }
    }
}

impl std::error::Error for AddTreeError {}

impl From<Disagreement> for AddTreeError {
    fn from(it: Disagreement) -> Self {
        match it {
            Disagreement::Key(it) => AddTreeError::Shared(it),
            Disagreement::Event(it) => AddTreeError::Event(it),
        }
    }
}

/// Trees that cannot be replaced by others. All old trees go on as before.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplaceTreeError {
    /// A tree is not here.
    Stale(StaleError),
    /// A tree is named twice in one call.
    Doubled(TreeId),
    /// Another tree that stays, or comes in the same call, declares a group or global key, and
    /// declares it differently.
    Shared(SharedKeyError),
    /// Another tree that stays, or comes in the same call, declares an event, and declares it
    /// differently.
    Event(EventConflict),
}

impl fmt::Display for ReplaceTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplaceTreeError::Stale(it) => it.fmt(f),
            ReplaceTreeError::Doubled(tree) => {
                write!(f, "{tree:?} is to be replaced twice in one call: name each tree once")
            }
            ReplaceTreeError::Shared(it) => it.fmt(f),
            ReplaceTreeError::Event(it) => it.fmt(f),
        }
    }
}

impl std::error::Error for ReplaceTreeError {}

impl From<StaleError> for ReplaceTreeError {
    fn from(it: StaleError) -> Self {
        ReplaceTreeError::Stale(it)
    }
}

impl From<Disagreement> for ReplaceTreeError {
    fn from(it: Disagreement) -> Self {
        match it {
            Disagreement::Key(it) => ReplaceTreeError::Shared(it),
            Disagreement::Event(it) => ReplaceTreeError::Event(it),
        }
    }
}
