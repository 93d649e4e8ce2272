//! What a page asks.

use pleach::Status;
use serde::{Deserialize, Serialize};
#[cfg(test)]
use ts_rs::TS;

use super::EditQuestion;

/// What a page asks.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub enum Question {
    /// What is recorded: an `Overview`.
    Overview,
    /// All agents after a frame: an `AgentsView`.
    Agents {
        /// The frame.
        frame: u64,
        /// Only agents for which this holds: names of nodes that are active and expressions over
        /// keys, with `&` between them.
        find: Option<String>,
        /// The maximum number of rows.
        limit: usize,
    },
    /// What an agent did from one frame to another: a `TrackView`.
    Track {
        /// Its number.
        agent: u32,
        /// The first frame.
        from: u64,
        /// The last frame.
        to: u64,
    },
    /// An agent after a frame: a `MomentView`.
    Moment {
        /// Its number.
        agent: u32,
        /// The frame.
        frame: u64,
    },
    /// What happened to an agent within a frame: a `StepView` for each event.
    Steps {
        /// Its number.
        agent: u32,
        /// The frame.
        frame: u64,
    },
    /// Why an agent does not run a node after a frame: a `WhyNotView`.
    WhyNot {
        /// Its number.
        agent: u32,
        /// The frame.
        frame: u64,
        /// The number of the node.
        node: usize,
    },
    /// Where something happened: a `FoundView`.
    Find(FindQuestion),
    /// What all agents did in the nodes of a tree: a `HeatView`. A program that serves the page
    /// answers while it still counts: as long as `last` grows, the page asks again.
    Heat {
        /// The tree, as an index into the trees of the overview.
        tree: usize,
    },
    /// What all agents did over the recording: a `CrowdTrack`.
    Crowd,
    /// What has happened in a game since a frame: a `LiveView`. The answer waits up to a second for
    /// something to happen.
    Live {
        /// The last frame that the page knows.
        after: u64,
        /// What the page knows of the game: `GameView::state`.
        state: u32,
    },
    /// Sends a request to a game: the answer is nothing if it was carried out, otherwise a
    /// `Problem`.
    Steer(Steer),
    /// A stretch of an agent as one HTML file: its bytes.
    Report {
        /// The agent's number.
        agent: u32,
        /// The first frame.
        from: u64,
        /// The last frame.
        to: u64,
    },
    /// The recording as a file: its bytes.
    Recording,
    /// About files of trees that are edited.
    Edit(EditQuestion),
}

/// A request to a running game.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(TS))]
pub enum Steer {
    /// Its clock stops.
    Pause,
    /// Its clock runs.
    Go,
    /// Its clock stops after this number of frames.
    Step {
        /// How many frames.
        frames: u32,
    },
    /// The speed of its clock changes.
    Speed {
        /// 1 is the normal speed.
        times: f32,
    },
    /// An agent's key gets a value.
    Set {
        /// The agent's number.
        agent: u32,
        /// The name of the key, or of a slot.
        key: String,
        /// The value, as an expression over the agent's keys; for a slot, the name of a tree.
        value: String,
    },
    /// An agent receives an event.
    Send {
        /// The agent's number.
        agent: u32,
        /// The name of the event.
        event: String,
        /// The payload, as an expression; empty for none.
        payload: String,
    },
    /// An action or a condition of the game gives a result for a time, without being updated.
    Force {
        /// The agent's number.
        agent: u32,
        /// The number of the node.
        node: u32,
        /// The result; without one, the node gives its own results again.
        result: Option<NodeResult>,
        /// For how many seconds of the game.
        seconds: f32,
    },
    /// A breakpoint is set: its clock stops when that happens.
    Break {
        /// What it waits for.
        find: FindQuestion,
        /// The occurrence from which on it stops the game: 1 is the first one.
        nth: u32,
    },
    /// A breakpoint is removed.
    Unbreak {
        /// Its number.
        id: u32,
    },
}

/// What to search for. One of `node`, `event` and `where` is needed.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct FindQuestion {
    /// Only in trees of this name.
    pub tree: Option<String>,
    /// Where this node started, by its name, number or path.
    pub node: Option<String>,
    /// Where the node ended in this way instead.
    pub ended: Option<Ended>,
    /// Where this condition aborted it, by its name, number or path.
    pub by: Option<String>,
    /// Where agents received this event.
    pub event: Option<String>,
    /// Only where this expression over keys is true; alone, where it became true.
    #[serde(rename = "where")]
    pub condition: Option<String>,
    /// Only this agent.
    pub agent: Option<u32>,
    /// The first frame.
    pub from: Option<u64>,
    /// The last frame.
    pub to: Option<u64>,
    /// The maximum number of hits, half of them the first ones and half the last ones; the default
    /// is 1 000.
    pub limit: Option<usize>,
}

/// How a node ended.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum Ended {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
    /// It was ended from outside.
    Aborted,
}

/// The result of a node in a tick.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum NodeResult {
    /// It keeps running.
    Running,
    /// It succeeds.
    Success,
    /// It fails.
    Failure,
}

impl From<NodeResult> for Status {
    fn from(it: NodeResult) -> Self {
        match it {
            NodeResult::Running => Status::Running,
            NodeResult::Success => Status::Success,
            NodeResult::Failure => Status::Failure,
        }
    }
}

impl From<Status> for NodeResult {
    fn from(it: Status) -> Self {
        match it {
            Status::Running => NodeResult::Running,
            Status::Success => NodeResult::Success,
            Status::Failure => NodeResult::Failure,
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Problem {
    /// What is wrong, and what to do.
    pub error: String,
}
