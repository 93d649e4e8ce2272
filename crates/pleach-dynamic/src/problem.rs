//! [`Problems`]: what went wrong in leaves during a call.

use std::fmt;

use pleach_core::{AgentId, NodeId};

/// How many problems are kept. A broken leaf fails for thousands of agents, frame by frame.
pub const MAX_PROBLEMS: usize = 16;

/// Something that went wrong in a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The leaf.
    pub leaf: String,
    /// The agent.
    pub agent: AgentId,
    /// The node, in the agent's tree.
    pub node: NodeId,
    /// What went wrong, in the words of the leaf.
    pub message: String,
}

impl Problem {
    /// Something went wrong in a leaf of this name.
    #[must_use]
    pub fn new(leaf: &str, agent: AgentId, node: NodeId, message: impl Into<String>) -> Self {
        Problem { leaf: leaf.into(), agent, node, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { leaf, agent, node, message } = self;
        write!(f, "`{leaf}` ({node}) of {agent:?}: {message}")
    }
}

/// What went wrong in leaves during a call of the runtime: the first [`MAX_PROBLEMS`], and how many
/// there were.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    first: Vec<Problem>,
    count: usize,
}

impl Problems {
    /// Notes a problem.
    pub fn add(&mut self, problem: Problem) {
        self.count += 1;
        if self.first.len() < MAX_PROBLEMS {
            self.first.push(problem);
        }
    }

    /// The first [`MAX_PROBLEMS`].
    #[must_use]
    pub fn all(&self) -> &[Problem] {
        &self.first
    }

    /// How many there were.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds those of another call, which came after these.
    pub fn append(&mut self, others: Problems) {
        self.count += others.count;
        let room = MAX_PROBLEMS - self.first.len();
        self.first.extend(others.first.into_iter().take(room));
    }
}
