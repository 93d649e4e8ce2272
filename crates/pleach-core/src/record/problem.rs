//! What can be wrong with a recording, and with its replay.

use std::fmt;

use pleach_expr::text::plain;

use crate::inputs::log::Input;
use crate::{AgentId, NodeId};

/// Why a recording cannot be played.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The bytes are none of a recording, or of another version.
    NotARecording(String),
    /// A tree is not here.
    MissingTree(String),
    /// A tree is not the one that was recorded.
    OtherTree(String),
    /// The bytes are damaged from this frame of the recording on.
    Damaged {
        /// How many frames come before it.
        frame: u64,
        /// What cannot be read.
        what: String,
    },
    /// A tree has other nodes or keys than the one that was recorded.
    OtherNodes {
        /// The tree's name.
        tree: String,
        /// The first difference, in words.
        what: String,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NotARecording(why) => f.write_str(why),
            ReplayError::MissingTree(name) => {
                write!(f, "the recording has agents of the tree `{name}`, which is not given")
            }
            ReplayError::OtherTree(name) => write!(
                f,
                "the tree `{name}` is not the one that was recorded: its nodes, parameters or keys are others"
            ),
            ReplayError::Damaged { frame, what } => {
                write!(f, "the recording is damaged behind {frame} frames: {what}")
            }
            ReplayError::OtherNodes { tree, what } => {
                write!(f, "the tree `{}` does not fit the recording: {what}", plain(tree))
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Where an agent did not ask for what was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The number of the frame.
    pub frame: u64,
    /// The agent.
    pub agent: AgentId,
    /// The node that was recorded, if it was one.
    pub node: Option<NodeId>,
    /// What was recorded, in words.
    pub recorded: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "diverged at frame {}, agent {:?}", self.frame, self.agent)?;
        if let Some(node) = self.node {
            write!(f, ", {node}")?;
        }
        write!(f, ": {}, but the replay did not come to it", self.recorded)
    }
}

/// An input in words, and its node.
pub(super) fn words(input: &Input) -> (Option<NodeId>, String) {
    match input {
        Input::Success(node) => (Some(*node), "a success was recorded".to_owned()),
        Input::Failure(node) => (Some(*node), "a failure was recorded".to_owned()),
        Input::Running(node) => (Some(*node), "an answer was recorded that is neither".to_owned()),
        Input::Key(_, _, value) => (None, format!("an expression read {value:?}")),
        Input::Drawn(count) => (None, format!("leaves had drawn {count} numbers")),
        Input::Event(event) => (None, format!("the event {:?} was recorded", event.name())),
        Input::Panic => (None, "a leaf panicked".to_owned()),
        Input::State(_) | Input::Gone | Input::Missed(_) | Input::Rewind => (None, "a change was recorded".to_owned()),
    }
}
