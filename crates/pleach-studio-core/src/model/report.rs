//! A stretch of one agent with all answers.

use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

use super::recorded::Overview;
use super::track::TrackView;
use super::{ConditionView, KeyText, LastAbort, Line, NodeNote};

/// Why a node does not run: frames, each with the indices of the lines that are the answer from
/// then on; nothing while the node is active.
pub type Reasons = Vec<(u64, Option<Vec<usize>>)>;

/// A stretch of one agent with all answers, for one file. Equal lines are held once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Report {
    /// The version of this form: 1.
    pub version: u32,
    /// What is recorded, with the trees that the agent had.
    pub overview: Overview,
    /// What the agent did.
    pub track: TrackView,
    /// All lines of explanations.
    pub lines: Vec<Line>,
    /// Everything that nodes remember.
    pub notes: Vec<NodeNote>,
    /// The moments at which something changed. A missing field is as in the moment before. A frame
    /// between two moments is as the moment before it.
    pub moments: Vec<MomentChange>,
    /// Why nodes do not run, by the index of their tree and by node. For a tree with more than
    /// 2 000 nodes there are no reasons, and the overview says so.
    pub why_not: Vec<Vec<Reasons>>,
}

/// What differs from the moment before. The first one has every field.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct MomentChange {
    /// The frame.
    pub frame: u64,
    /// As in a moment; `null` if there is none now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Option<String>>,
    /// As in a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<usize>,
    /// As in a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// As in a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Vec<usize>>,
    /// As in a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<Vec<usize>>,
    /// The indices of the notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<usize>>,
    /// As in a moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<ConditionView>>,
    /// The indices of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<usize>>,
    /// As in a moment; `null` if there is none now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_abort: Option<Option<LastAbort>>,
    /// The keys whose values changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<KeyText>>,
}
