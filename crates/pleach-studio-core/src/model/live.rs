//! What is new in a game that runs.

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
    /// How many agents were ever there.
    pub agents: usize,
    /// How many trees there are, with all versions. If the page knows fewer, it asks for the
    /// overview anew.
    pub trees: usize,
    /// What a reader has to know, as in an `Overview`.
    pub notes: Vec<String>,
    /// What became of agents that got another version of their tree last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload: Option<ReloadView>,
    /// How the game stands.
    pub game: GameView,
    /// The breakpoints.
    pub breaks: Vec<BreakView>,
}

/// What became of agents that got another version of their tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ReloadView {
    /// The frame in which they did.
    pub frame: u64,
    /// How many went on and how many restarted, in words.
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
    /// From which time on it stops the game: 1 is the first one.
    pub nth: u32,
    /// Where that happened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Hit>,
    /// Why it waits for nothing: no tree has what it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

/// How a game stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct GameView {
    /// A number that is another one whenever anything else here has changed.
    pub state: u32,
    /// How often it has begun: with each begin all that was known before is another game's.
    pub begun: u32,
    /// Whether its clock stands.
    pub paused: bool,
    /// How fast its clock runs: 1 is as usual.
    pub speed: f32,
    /// The leaves whose results are forced.
    pub forced: Vec<ForcedView>,
    /// Why nothing more comes, if the game has ended.
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
    /// What it gives.
    pub result: NodeResult,
}
