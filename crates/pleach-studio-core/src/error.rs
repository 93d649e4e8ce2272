//! Why questions have no answers.

use pleach::record::ReplayError;
use thiserror::Error;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// The recording cannot be opened.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The question cannot be read.
    #[error("the question cannot be read: {0}")]
    Question(serde_json::Error),
    /// An answer could not be written.
    #[error("the answer cannot be written: {0}")]
    Answer(serde_json::Error),
    /// There is no such agent.
    #[error("agent {number} does not exist: {there}")]
    NoAgent {
        /// Its number.
        number: u32,
        /// Which there are.
        there: String,
    },
    /// The agent is not there in that frame.
    #[error("agent {number} is not there after frame {frame}: it is there from frame {first} to {last}")]
    NotThere {
        /// Its number.
        number: u32,
        /// The frame.
        frame: u64,
        /// The first frame after which it is there.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// The first frame comes after the last.
    #[error("there is nothing from frame {from} to {to}: the first frame comes after the last")]
    Backwards {
        /// The first frame.
        from: u64,
        /// The last one.
        to: u64,
    },
    /// The recording is damaged in its first frame.
    #[error("no frame can be played: {0}")]
    Nothing(String),
    /// The agent's tree has no such node.
    #[error("the tree of agent {number} has no node n{node}: its nodes are n0 to n{last}")]
    NoNode {
        /// The agent.
        number: u32,
        /// The node.
        node: usize,
        /// The last node.
        last: usize,
    },
    /// Nothing can be asked of a game: this is a recording, or the game has ended.
    #[error("no game is connected: this is a recording of one")]
    NoGame,
    /// There is no such tree.
    #[error("tree {tree} does not exist: the trees have the numbers 0 to {}", trees.saturating_sub(1))]
    NoTree {
        /// Its place.
        tree: usize,
        /// How many there are.
        trees: usize,
    },
    /// What is looked for is in no tree.
    #[error("{0}")]
    Sought(String),
    /// An edit cannot be made.
    #[error("{0}")]
    Edit(String),
}
