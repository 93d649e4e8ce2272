//! What an agent did.

use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// What an agent did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct TrackView {
    /// Its number.
    pub agent: u32,
    /// The first requested frame.
    pub from: u64,
    /// The last requested frame.
    pub to: u64,
    /// The first frame after which the agent exists.
    pub first: u64,
    /// The last frame after which it exists.
    pub last: u64,
    /// Its trees.
    pub trees: Vec<TreeSpan>,
    /// When its nodes were active, in the order in which they started.
    pub spans: Vec<Span>,
    /// What else happened.
    pub marks: Vec<Mark>,
    /// What its keys held.
    pub keys: Vec<KeyTrack>,
    /// The frames at which anything that a moment shows changed, except remaining times.
    pub changes: Vec<u64>,
    /// What its nodes did in its whole recorded life, up to the last requested frame. A report has
    /// no counts: its page counts the spans.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Entered>>"))]
    pub life: Vec<Entered>,
}

/// How often a node was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct Entered {
    /// The node.
    pub node: usize,
    /// Its tree, as an index into the trees of the overview.
    pub tree: usize,
    /// How often it started.
    pub times: u64,
    /// How often it succeeded, failed, was aborted, and was ended by the game.
    pub ended: [u64; 4],
    /// When it last ended before the first requested frame, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<(u64, How)>,
}

/// From when on an agent has a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct TreeSpan {
    /// The first frame.
    pub from: u64,
    /// Its index among the trees of the overview.
    pub tree: usize,
}

/// How an activation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum How {
    /// The node succeeded.
    Success,
    /// It failed.
    Failure,
    /// A node above ended it.
    Aborted,
    /// The game ended it: it reloaded the tree, changed the agent or removed it, or a leaf
    /// panicked.
    Outside,
    /// It still runs.
    Running,
}

/// An activation of a node; or several in a row, each within a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct Span {
    /// The node.
    pub node: usize,
    /// Its tree, as an index into the trees of the overview.
    pub tree: usize,
    /// The frame in which it started.
    pub from: u64,
    /// The frame in which it ended, which may be the same; for one that still runs, the last
    /// requested frame.
    pub to: u64,
    /// How it ended.
    pub how: How,
    /// How often the node started and ended, each time within a frame and in this way, with no
    /// frame between. Missing for a single activation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
}

/// What a mark marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum MarkKind {
    /// A node ended what another one did.
    Abort,
    /// The agent received an event.
    Event,
    /// A node emitted an event.
    Emit,
    /// The agent continues with another version of its tree.
    Reload,
    /// A leaf panicked.
    Panic,
    /// The agent was added.
    Came,
    /// The game changed the agent from outside.
    Changed,
    /// The agent was removed.
    Left,
}

/// Something that happened to an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct Mark {
    /// The frame in which it happened.
    pub frame: u64,
    /// What happened.
    pub kind: MarkKind,
    /// The node that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
    /// The cause, in words.
    pub text: String,
}

/// What a key held.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct KeyTrack {
    /// The tree, as an index into the trees of the overview.
    pub tree: usize,
    /// The key, as an index into the keys of the tree.
    pub key: usize,
    /// The frames at which its value changed, with the new value. The first point is what it held
    /// at the first frame.
    pub points: Vec<(u64, KeyValue)>,
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(TS))]
pub enum KeyValue {
    /// A Bool.
    Flag(bool),
    /// An Int, a Float, or a Time in seconds. A Float that is not finite is a text.
    Number(f64),
    /// A word, an entity.
    Text(String),
    /// A Vec2 or Vec3.
    Numbers(Vec<f64>),
}
