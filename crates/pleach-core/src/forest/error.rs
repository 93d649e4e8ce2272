//! Errors of the calls of a forest.

use crate::blackboard::SharedKeyError;
use crate::ids::StaleError;
use crate::limits::MAX_AGENTS;

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

/// A tree that cannot be replaced by another. The old tree goes on as before.
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
