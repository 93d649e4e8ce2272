//! What all agents do, and where something happened.

use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// All agents after a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct AgentsView {
    /// The frame.
    pub frame: u64,
    /// How many agents there are.
    pub count: usize,
    /// For how many of them the condition holds.
    pub matching: usize,
    /// The first of these.
    pub rows: Vec<AgentRow>,
    /// What all agents do, the most frequent first. An agent in a parallel counts for each of its
    /// behaviours.
    pub crowd: Vec<Share>,
}

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct AgentRow {
    /// Its number.
    pub number: u32,
    /// Its tree, as an index into the trees of the overview.
    pub tree: usize,
    /// What it does.
    pub running: String,
    /// What the game calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// How many agents do something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Share {
    /// The nearest named node at or above one that runs, the root aside; else the node that runs.
    pub behaviour: String,
    /// How many agents run it.
    pub count: usize,
}

/// What all agents did over a recording, sampled at intervals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct CrowdTrack {
    /// The frames after which the agents were counted.
    pub frames: Vec<u64>,
    /// How many agents there were after each of them.
    pub agents: Vec<u32>,
    /// What they did, the most frequent first.
    pub behaviours: Vec<BehaviourTrack>,
}

/// How many agents did something over a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct BehaviourTrack {
    /// What the agents do, as in a [`Share`]. Without a name: the sum of the rare ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<String>,
    /// How many agents, after each of the frames.
    pub counts: Vec<u32>,
}

/// What all agents did in the nodes of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct HeatView {
    /// The tree, as an index into the trees of the overview.
    pub tree: usize,
    /// How many agents had this tree.
    pub agents: usize,
    /// The last frame that is counted: later ones may follow.
    pub last: u64,
    /// For each node, how often it started, succeeded, failed and was aborted. What happens to an
    /// agent in the frame in which it is removed is not counted.
    pub nodes: Vec<[u64; 4]>,
}

/// Where something happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct FoundView {
    /// How often it happened.
    pub count: usize,
    /// To how many agents it happened.
    pub agents: usize,
    /// The places, in the order of their frames: the first half and the last half, if there are
    /// more than requested.
    pub hits: Vec<Hit>,
    /// Why the search ended early, or why nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A place where something happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct Hit {
    /// The frame.
    pub frame: u64,
    /// The time of the game after it.
    pub seconds: f64,
    /// The agent.
    pub agent: u32,
    /// The node to which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// What happened.
    pub text: String,
}
