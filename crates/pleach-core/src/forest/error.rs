//! Errors of the calls of a forest.

use std::fmt;

use crate::blackboard::{EventConflict, SharedKeyError};
use crate::ids::StaleError;
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

impl From<SharedKeyError> for AddTreeError {
    fn from(it: SharedKeyError) -> Self {
        AddTreeError::Shared(it)
    }
}

impl From<EventConflict> for AddTreeError {
    fn from(it: EventConflict) -> Self {
        AddTreeError::Event(it)
    }
}

/// A tree that cannot be replaced by another. The old tree goes on as before.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplaceTreeError {
    /// The tree is not here.
    Stale(StaleError),
    /// Another tree of this forest declares a group or global key, and declares it differently.
    Shared(SharedKeyError),
    /// Another tree of this forest declares an event, and declares it differently.
    Event(EventConflict),
}

impl fmt::Display for ReplaceTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplaceTreeError::Stale(it) => it.fmt(f),
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

impl From<SharedKeyError> for ReplaceTreeError {
    fn from(it: SharedKeyError) -> Self {
        ReplaceTreeError::Shared(it)
    }
}

impl From<EventConflict> for ReplaceTreeError {
    fn from(it: EventConflict) -> Self {
        ReplaceTreeError::Event(it)
    }
}
