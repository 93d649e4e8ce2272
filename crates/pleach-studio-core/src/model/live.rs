//! What is new in a running game.

use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

use super::{FindQuestion, Hit, NodeResult};

/// What has happened since a frame.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct LiveView {
    /// The first frame.
    pub first: u64,
    /// The last frame.
    pub last: u64,
    /// The times of the frames from that one on, as in an `Overview`.
    pub times: Vec<(u64, f64)>,
    /// How many agents have ever existed.
    pub agents: usize,
    /// How many trees there are, with all versions. If the page knows fewer, it requests the
    /// overview again.
    pub trees: usize,
    /// Messages for the user, as in an `Overview`.
    pub notes: Vec<String>,
    /// After how many frames at most a new value of a key is shown: 0 if only keys that expressions
    /// read are recorded.
    pub keys_every: u32,
    /// What happened to the agents that got a new version of their tree last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload: Option<ReloadView>,
    /// The state of the game.
    pub game: GameView,
    /// The breakpoints.
    pub breaks: Vec<BreakView>,
}

/// What happened to agents that got a new version of their tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ReloadView {
    /// The frame in which they got it.
    pub frame: u64,
    /// How many kept running and how many restarted, in words.
    pub text: String,
}

/// A breakpoint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct BreakView {
    /// Its number.
    pub id: u32,
    /// What it waits for, in words.
    pub text: String,
    /// What it waits for.
    pub find: FindQuestion,
    /// How often that has happened since it was set.
    pub hits: u32,
    /// The occurrence from which on it stops the game: 1 is the first one.
    pub nth: u32,
    /// Where that happened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Hit>,
    /// Why it can never be reached: no tree has what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

/// The state of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct GameView {
    /// A number that changes whenever anything else here changes.
    pub state: u32,
    /// How often it has started: after each start, everything known before belongs to another game.
    pub begun: u32,
    /// Whether its clock is stopped.
    pub paused: bool,
    /// The speed of its clock: 1 is the normal speed.
    pub speed: f32,
    /// By how many seconds, in whole ones, what is shown comes later than the game plays it.
    pub late: u64,
    /// The leaves whose results are forced.
    pub forced: Vec<ForcedView>,
    /// A message of the game: that it has refused a tree, for example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// Why there are no more updates, if the game has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<String>,
}

/// A leaf whose result is forced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ForcedView {
    /// The agent's number.
    pub agent: u32,
    /// The number of the node.
    pub node: usize,
    /// Its forced result.
    pub result: NodeResult,
}
