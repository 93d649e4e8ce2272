//! How often the same was asked: an input that is noted belongs to one of these times.

use super::Taker;
use crate::NodeId;
use crate::index::ExprId;

/// What can be asked more than once in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Node(NodeId),
    Expr(ExprId),
    Stream,
}

/// What an agent has asked so far, in the pass or behind it.
#[derive(Debug, Default)]
pub(super) struct Asked {
    agent: Option<Taker>,
    pass: bool,
    times: Vec<(Question, u32)>,
}

impl Asked {
    /// The agents are in the pass from here on, or behind it.
    pub(super) fn set_pass(&mut self, pass: bool) {
        self.pass = pass;
        self.times.clear();
    }

    pub(super) fn pass(&self) -> bool {
        self.pass
    }

    /// An agent asks. Returns how often it did so before.
    pub(super) fn ask(&mut self, agent: Taker, question: Question) -> u32 {
        if self.agent != Some(agent) {
            self.agent = Some(agent);
            self.times.clear();
        }
        match self.times.iter_mut().find(|it| it.0 == question) {
            Some((_, times)) => {
                *times += 1;
                *times
            }
            None => {
                self.times.push((question, 0));
                0
            }
        }
    }

    /// The next agent's tick begins.
    pub(super) fn begin(&mut self) {
        self.agent = None;
    }
}
