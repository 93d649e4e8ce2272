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
        /// How many rows at most.
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
    /// What all agents did in the nodes of a tree: a `HeatView`.
    Heat {
        /// The tree, by its place among the trees of the overview.
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
    /// Asks something of a game: nothing if it was done, else a `Problem`.
    Steer(Steer),
    /// About files of trees that are edited.
    Edit(EditQuestion),
}

/// What is asked of a game that runs.
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
        /// How many.
        frames: u32,
    },
    /// Its clock runs so much faster.
    Speed {
        /// 1 is as usual.
        times: f32,
    },
    /// An agent's key gets a value.
    Set {
        /// The agent's number.
        agent: u32,
        /// The name of the key, or of a slot.
        key: String,
        /// The value, as an expression over the agent's keys; of a slot the name of a tree.
        value: String,
    },
    /// An agent hears an event.
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
        /// The result; its own again if there is none.
        result: Option<NodeResult>,
        /// For how many seconds of the game.
        seconds: f32,
    },
    /// A breakpoint is set: its clock stops when that happens.
    Break {
        /// What.
        find: FindQuestion,
        /// From which time on it stops the game: 1 is the first one.
        nth: u32,
    },
    /// A breakpoint is removed.
    Unbreak {
        /// Its number.
        id: u32,
    },
}

/// What is searched for. One of `node`, `event` and `where` is needed.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(TS), ts(optional_fields))]
pub struct FindQuestion {
    /// Only in trees of this name.
    pub tree: Option<String>,
    /// Where this node started, by its name, number or path.
    pub node: Option<String>,
    /// Where the node ended so instead.
    pub ended: Option<Ended>,
    /// Where this condition aborted it, by its name, number or path.
    pub by: Option<String>,
    /// Where agents were told of this event.
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
    /// How many hits at most, half of them the first ones and half the last ones; 1 000 if it is
    /// not given.
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

/// What a node gives in a tick.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum NodeResult {
    /// It goes on.
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
