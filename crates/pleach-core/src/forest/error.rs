//! Errors of the calls of a forest.

use std::fmt;

use pleach_expr::text::plain;

use super::agree::Disagreement;
#[cfg(feature = "save")]
use super::damage::Damage;
#[cfg(feature = "save")]
use crate::AgentId;
use crate::blackboard::TokenConflict;
use crate::blackboard::{EventConflict, KeysError, SharedKeyError};
use crate::ids::{StaleError, TreeId};
use crate::limits::MAX_AGENTS;

/// A spawn that is not possible.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnError {
    /// The tree or the group does not exist.
    Stale(StaleError),
    /// The forest is full: of agents, or of chunks, of which there can be about four million.
    Full,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpawnError::Stale(it) => it.fmt(f),
            SpawnError::Full => {
                write!(f, "the forest is full: it has {MAX_AGENTS} agents, or the maximum number of chunks")
            }
        }
    }
}

impl fmt::Debug for SpawnError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SpawnError {}

impl From<StaleError> for SpawnError {
    fn from(it: StaleError) -> Self {
        SpawnError::Stale(it)
    }
}

/// A tree that cannot be added. The forest is unchanged.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum AddTreeError {
    /// Another tree of this forest declares a group or global key, and declares it differently.
    Shared(SharedKeyError),
    /// Another tree of this forest declares an event, and declares it differently.
    Event(EventConflict),
    /// Another tree of this forest has a Token of the same name that differs.
    Token(TokenConflict),
}

impl fmt::Display for AddTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddTreeError::Shared(it) => it.fmt(f),
            AddTreeError::Event(it) => it.fmt(f),
            AddTreeError::Token(it) => it.fmt(f),
        }
    }
}

impl fmt::Debug for AddTreeError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for AddTreeError {}

impl From<Disagreement> for AddTreeError {
    fn from(it: Disagreement) -> Self {
        match it {
            Disagreement::Key(it) => AddTreeError::Shared(it),
            Disagreement::Event(it) => AddTreeError::Event(it),
            Disagreement::Token(it) => AddTreeError::Token(it),
        }
    }
}

/// Trees that cannot be replaced by others. All old trees keep running.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ReplaceTreeError {
    /// A tree does not exist.
    Stale(StaleError),
    /// A tree is named twice in one call.
    Doubled(TreeId),
    /// Another tree that stays, or is added in the same call, declares a group or global key, and
    /// declares it differently.
    Shared(SharedKeyError),
    /// Another tree that stays, or is added in the same call, declares an event, and declares it
    /// differently.
    Event(EventConflict),
    /// Another tree that stays, or is added in the same call, has a Token of the same name that
    /// differs.
    Token(TokenConflict),
    /// New trees do not have the keys that the game relies on: see
    /// [`Forest::bind`](crate::Forest::bind).
    Keys(Vec<KeysError>),
}

/// What to do if a tree cannot be replaced alone.
const TOGETHER: &str = "to change it in several trees together, replace them in one call of `replace_trees`";

impl fmt::Display for ReplaceTreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplaceTreeError::Stale(it) => it.fmt(f),
            ReplaceTreeError::Doubled(tree) => {
                write!(f, "{tree:?} is named twice in one call: name each tree once")
            }
            ReplaceTreeError::Shared(it) => write!(f, "{it}; {TOGETHER}"),
            ReplaceTreeError::Event(it) => write!(f, "{it}; {TOGETHER}"),
            ReplaceTreeError::Token(it) => write!(f, "{it}; {TOGETHER}"),
            ReplaceTreeError::Keys(all) => all.iter().enumerate().try_for_each(|(at, it)| {
                let line = if at == 0 { "" } else { "\n" };
                write!(f, "{line}{it}")
            }),
        }
    }
}

impl fmt::Debug for ReplaceTreeError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
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
            Disagreement::Token(it) => ReplaceTreeError::Token(it),
        }
    }
}

/// A snapshot that is not possible: leaves remember something that is not copied.
#[derive(Clone, PartialEq, Eq)]
pub struct SnapshotError {
    /// The types of these leaves, each with the name of a tree that has it.
    pub leaves: Vec<(&'static str, String)>,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot take a snapshot, because the states of some leaves cannot be copied: ")?;
        for (index, (leaf, tree)) in self.leaves.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{leaf} in the tree \"{}\"", plain(tree))?;
        }
        f.write_str(
            "; let their states derive `Clone`, and put `#[leaf]` on their `impl` (without `#[leaf]` write \
             `const KEEP: Keep<Self::State> = Keep::cloned();` there)",
        )
    }
}

impl fmt::Debug for SnapshotError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SnapshotError {}

/// What happened to a tree since a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeChange {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// Another one replaced it.
    Replaced,
}

impl fmt::Display for TreeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TreeChange::Added => "added",
            TreeChange::Removed => "removed",
            TreeChange::Replaced => "replaced",
        })
    }
}

/// A snapshot that a forest or a brain cannot go back to. The forest or brain is unchanged.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RollbackError {
    /// It belongs to another forest, or to this one before a save of a whole forest was restored;
    /// or to a brain whose agent has another id.
    Foreign,
    /// The trees are not those of the snapshot.
    Trees {
        /// The name of the first tree that differs.
        tree: String,
        /// What happened to it.
        change: TreeChange,
    },
}

impl fmt::Display for RollbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RollbackError::Foreign => f.write_str(
                "the snapshot is of another forest or brain, or was taken before a whole save was restored into this one; take a new one",
            ),
            RollbackError::Trees { tree, change } => {
                write!(f, "the tree \"{}\" was {change} since the snapshot; take a new one", plain(tree))
            }
        }
    }
}

impl fmt::Debug for RollbackError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RollbackError {}

/// Agents that cannot be saved.
#[cfg(feature = "save")]
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveError {
    /// Leaves remember something that is not saved: the types of these leaves, each with the name
    /// of a tree that has it.
    Leaves(Vec<(&'static str, String)>),
    /// What a leaf remembers cannot be written.
    State {
        /// The leaf, as it is written.
        leaf: String,
        /// The name of its tree.
        tree: String,
        /// The agent.
        agent: AgentId,
        /// The message of the state's `Serialize`.
        error: String,
    },
    /// An agent does not exist.
    Stale(StaleError),
    /// Requests of leaves are waiting, because a leaf panicked in the last call.
    Waiting,
}

#[cfg(feature = "save")]
impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveError::Leaves(leaves) => {
                f.write_str("cannot save, because the states of some leaves cannot be saved: ")?;
                for (index, (leaf, tree)) in leaves.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{leaf} in the tree \"{}\"", plain(tree))?;
                }
                f.write_str(
                    "; let their states derive `Clone`, `serde::Serialize` and `serde::Deserialize`, and put `#[leaf]` on \
                     their `impl` (without `#[leaf]` write `const KEEP: Keep<Self::State> = Keep::cloned().saved();` there)",
                )
            }
            SaveError::State { leaf, tree, agent, error } => write!(
                f,
                "the state of the leaf {} of the tree \"{}\" in {agent:?} cannot be saved: {error}",
                plain(leaf),
                plain(tree)
            ),
            SaveError::Stale(it) => it.fmt(f),
            SaveError::Waiting => f.write_str(
                "requests of leaves are still pending, because a leaf panicked in the last call: tick once more, then save",
            ),
        }
    }
}

#[cfg(feature = "save")]
impl fmt::Debug for SaveError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "save")]
impl std::error::Error for SaveError {}

#[cfg(feature = "save")]
impl From<StaleError> for SaveError {
    fn from(it: StaleError) -> Self {
        SaveError::Stale(it)
    }
}

/// A save that cannot be restored. The forest, or the brain, is unchanged.
#[cfg(feature = "save")]
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The save is of a whole forest, and this one has agents or groups.
    NotEmpty,
    /// The save is of some agents of a forest with another seed: their ids do not belong to this
    /// one.
    Seed {
        /// The seed of the save.
        save: u64,
        /// The seed of this forest.
        here: u64,
    },
    /// Trees of the save are missing: their names, and which of those of one name, from 1.
    Trees(Vec<(String, usize)>),
    /// The save is of a brain with a tree of another name.
    Tree {
        /// The name in the save.
        save: String,
        /// The name of the brain's tree.
        here: String,
    },
    /// Agents of the save exist already, or their ids were given to others since.
    Here(Vec<AgentId>),
    /// Groups of the save cannot be put back: their ids were given to others since.
    Groups,
    /// The forest would have more agents than it can have.
    Full,
    /// It was changed since it was written.
    Damaged {
        /// The tree, if it is about one.
        tree: Option<String>,
        /// What is wrong.
        what: Damage,
    },
    /// What a leaf remembers cannot be read.
    State {
        /// The leaf, as it is written.
        leaf: String,
        /// The name of its tree.
        tree: String,
        /// The message of the state's `Deserialize`.
        error: String,
    },
}

#[cfg(feature = "save")]
impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::NotEmpty => f.write_str(
                "the save is of a whole forest, but this one already has agents or groups: restore it into a new forest",
            ),
            RestoreError::Seed { save, here } => write!(
                f,
                "the save is of some agents of a forest with the seed {save}, but this one has the seed {here}: their ids \
                 would not be valid here"
            ),
            RestoreError::Trees(trees) => {
                f.write_str("the forest lacks trees of the save: ")?;
                for (index, (tree, place)) in trees.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}\"{}\"", plain(tree))?;
                    if *place > 1 {
                        write!(f, " (number {place} of that name)")?;
                    }
                }
                f.write_str("; add them first")
            }
            RestoreError::Tree { save, here } => write!(
                f,
                "the save is of a brain with the tree \"{}\", and this one has the tree \"{}\": make a brain of that \
                 tree, and restore the save there",
                plain(save),
                plain(here)
            ),
            RestoreError::Here(agents) => {
                f.write_str("agents of the save are already here, or their ids have been reused: ")?;
                for (index, agent) in agents.iter().take(8).enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{agent:?}")?;
                }
                match agents.len().saturating_sub(8) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            RestoreError::Groups => {
                f.write_str("groups of the save cannot be restored: their ids have been reused")
            }
            RestoreError::Full => write!(f, "the forest would have more than {MAX_AGENTS} agents"),
            RestoreError::Damaged { tree, what } => {
                f.write_str("the save is damaged")?;
                if let Some(tree) = tree {
                    write!(f, ", in the tree \"{}\"", plain(tree))?;
                }
                write!(f, ": {what}")
            }
            RestoreError::State { leaf, tree, error } => write!(
                f,
                "the saved state of the leaf {} of the tree \"{}\" cannot be read: {error}",
                plain(leaf),
                plain(tree)
            ),
        }
    }
}

#[cfg(feature = "save")]
impl fmt::Debug for RestoreError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "save")]
impl std::error::Error for RestoreError {}
