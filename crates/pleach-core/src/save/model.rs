//! The contents of a save. Ids of agents and groups are without the salt of their forest, and the
//! nodes of a tree are numbers in pre-order.

use serde::{Deserialize, Serialize};

pub(crate) use super::number::SavedValue;
use super::packed::Packed;
use crate::Outcome;
use crate::clock::{Moment, Span};
use crate::ids::salted::Vacant;
use crate::index::NodeId;
use crate::rng::Stream;
/// The whole save.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Body {
    /// The forest's seed, on which ids and random streams depend.
    pub(crate) seed: u64,
    /// The forest's time.
    pub(crate) time: Moment,
    /// How many tickets leaves were given.
    pub(crate) tickets: u64,
    /// What only a save of a whole forest has.
    pub(crate) whole: Option<Whole>,
    /// The trees that have agents, in the order of the forest.
    pub(crate) trees: Vec<SavedTree>,
    pub(crate) group_keys: Vec<SavedKey>,
    pub(crate) groups: Vec<SavedGroup>,
    /// What the agents of each tree wait for. A save of version 1 has none of it.
    #[serde(skip)]
    pub(crate) waiting: Vec<SavedWaiting>,
    /// Which places of tokens rest, and which agents wait for them. Since version 3.
    #[serde(skip)]
    pub(crate) tokens: Vec<SavedToken>,
}

/// The places of a token of a group, or of the forest, except the held ones: these follow from what
/// the nodes of agents remember. Since version 3; it is written after everything else.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedToken {
    pub(crate) group: Option<u64>,
    pub(crate) token: String,
    /// How much longer each resting place rests.
    pub(crate) rests: Vec<Span>,
    /// Who waits, in order.
    pub(crate) queue: Vec<u64>,
}

/// What the agents of a tree wait for. Since version 2; it is written after everything else.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedWaiting {
    /// It is valid for this tree only.
    pub(crate) fingerprint: u64,
    pub(crate) agents: Vec<SavedWait>,
}

/// What an agent waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedWait {
    /// It is asleep until this moment of its own time.
    pub(crate) wake: Option<Moment>,
    /// The nodes that have a changed key to look at.
    pub(crate) dirty: Vec<NodeId>,
    /// The next tick looks at it, even if it then has nothing to do.
    pub(crate) awake: bool,
    /// No tick has looked at it since a key changed.
    pub(crate) changed: bool,
}

/// What a forest has besides its agents and groups.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Whole {
    pub(crate) frame: u64,
    /// Every chunk tracks the turns of its agents.
    pub(crate) paced: bool,
    pub(crate) spawned: u64,
    /// Where a budget carries on: the index of the tree, the chunk and the row.
    pub(crate) cursor: (u32, u32, u16),
    pub(crate) global_keys: Vec<SavedKey>,
    pub(crate) globals: Vec<(u32, SavedValue)>,
    pub(crate) agents: Vacant,
    pub(crate) groups: Vacant,
}

/// A tree, as much of it as is needed to find its nodes and keys again.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedTree {
    pub(crate) name: String,
    /// How many trees of this name come before it.
    pub(crate) place: u32,
    pub(crate) nodes: Vec<SavedNode>,
    /// The leaves of the host, by their names, each with whether it has a state.
    pub(crate) leaves: Vec<(String, bool)>,
    pub(crate) keys: Vec<SavedKey>,
    /// How many agents each chunk has, if the whole forest is saved.
    pub(crate) chunks: Vec<u16>,
    pub(crate) agents: Vec<SavedAgent>,
}

/// A node of a tree.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedNode {
    /// As it is written.
    pub(crate) kind: String,
    /// Its built-in kind, if that differs from its kind as written.
    pub(crate) built_in: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) parent: Option<u16>,
    /// Its step of a path, if that is neither its name nor its kind.
    pub(crate) step: Option<String>,
    pub(crate) counted: bool,
    pub(crate) asks: Option<String>,
    pub(crate) leaf: Option<u16>,
    pub(crate) services: Vec<u16>,
}

/// What is declared of a key.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedKey {
    pub(crate) name: String,
    /// For a node's key, the node's id or else its path.
    pub(crate) node: Option<Owner>,
    pub(crate) default: SavedValue,
    pub(crate) words: Vec<String>,
}

/// A node, as it is identified in any version of its tree.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Owner {
    Id(String),
    Path(String),
}

/// A group.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedGroup {
    pub(crate) id: u64,
    /// It is the own group of its only member.
    pub(crate) own: bool,
    /// In the order of their seats.
    pub(crate) members: Vec<u64>,
    /// The values that are not the defaults, by their keys.
    pub(crate) values: Vec<(u32, SavedValue)>,
}

/// Whether an agent lives.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SavedPhase {
    Active,
    Paused,
    Off,
    Panicked,
}

/// An agent.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct SavedAgent {
    pub(crate) id: u64,
    pub(crate) phase: SavedPhase,
    /// Its root has to be started.
    pub(crate) fresh: bool,
    /// It stops when its root ends.
    pub(crate) stops: bool,
    /// How its root ended last.
    pub(crate) last: Option<Outcome>,
    /// Its own time.
    pub(crate) time: Moment,
    pub(crate) rng: Stream,
    /// Its last abort: what was ended, by which condition, and when.
    pub(crate) abort: Option<(u16, u16, u32)>,
    pub(crate) entity: u64,
    pub(crate) turn: Option<SavedTurn>,
    /// The top of each run stack that is not empty.
    pub(crate) tops: Vec<NodeId>,
    /// The nodes to start when their stacks have their turns.
    pub(crate) starts: Vec<NodeId>,
    pub(crate) monitors: Vec<(NodeId, bool)>,
    /// What its active nodes remember, in pre-order; a node's services after the node itself.
    pub(crate) memory: Vec<(NodeId, Vec<u32>)>,
    /// What nodes remember for as long as it is enabled, in pre-order.
    pub(crate) kept: Vec<(NodeId, Vec<u32>)>,
    /// The values that are not the defaults, by their keys.
    pub(crate) keys: Vec<(u32, SavedValue)>,
    pub(crate) mail: Vec<SavedNews>,
    /// The states of its leaves, if they have any.
    pub(crate) states: Packed,
}

/// Which turns an agent has.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct SavedTurn {
    /// Every this many frames, or never.
    pub(crate) rate: u8,
    /// The time since its last turn.
    pub(crate) passed: Span,
    pub(crate) due: bool,
}

/// News for an agent in its next tick.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum SavedNews {
    Event(u64, Option<SavedValue>),
    Spawned(u64, u64),
}
