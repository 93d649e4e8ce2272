//! The ids that a forest gives out: of agents, trees and groups.

pub(crate) mod salted;

use std::fmt;

use slotmap::new_key_type;

new_key_type! {
    /// An agent of a forest. The id of a despawned agent stays stale for ever.
    ///
    /// The id of an agent of another forest is stale as well, if the seeds of the two forests are
    /// below 2^20 and differ. Larger seeds do not fit into an id whole: one pair of them in a
    /// million shares its ids. The same seed and calls give the same ids.
    ///
    /// It is a key of the `slotmap` crate: what the game keeps of agents beside their
    /// [`Entity`](crate::Entity) fits into a `slotmap::SecondaryMap<AgentId, T>`, which finds it by
    /// an index, without a hash.
    pub struct AgentId;
    /// A tree in a forest.
    pub struct TreeId;
    /// A group of agents (a squad) with keys of its own.
    pub struct GroupId;
}

/// What [`Context::spawn`](crate::Context::spawn) gives for an agent that will be spawned at the
/// end of the call: [`Context::spawned`](crate::Context::spawned) tells the agent's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub struct Ticket(pub(crate) u64);

/// A call about an agent, tree or group that is not in this forest, or no longer.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StaleError {
    /// The agent was despawned, or is of another forest.
    Agent(AgentId),
    /// The tree was removed, or is of another forest.
    Tree(TreeId),
    /// The group was removed, or is of another forest. Or it was to be joined, and is an agent's
    /// own: one that an agent has because it joined none.
    Group(GroupId),
}

impl fmt::Display for StaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StaleError::Agent(it) => {
                write!(f, "{it:?} is not in this forest (any more): it was despawned, or belongs to another forest")
            }
            StaleError::Tree(it) => {
                write!(f, "{it:?} is not in this forest (any more): it was removed, or belongs to another forest")
            }
            StaleError::Group(it) => write!(
                f,
                "{it:?} was removed, belongs to another forest, or is the private group of an agent that has joined none, \
                 which no other agent can join"
            ),
        }
    }
}

impl fmt::Debug for StaleError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StaleError {}
