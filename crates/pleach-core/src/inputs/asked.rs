//! How often the same was asked: an input that is noted belongs to one of these times.

use super::Taker;
use crate::NodeId;
use crate::bits::{Bits, has};
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
    /// The nodes that were asked for many agents together, in this tick of theirs.
    batches: Vec<(NodeId, Bits)>,
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
            if !self.pass {
                let before = self.batches.iter().filter(|it| has(&it.1, agent.1));
                self.times.extend(before.map(|it| (Question::Node(it.0), 0)));
            }
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

    /// A node was asked for these agents, behind their passes.
    pub(super) fn ask_all(&mut self, node: NodeId, agents: &Bits) {
        self.batches.push((node, *agents));
        self.agent = None;
    }

    /// The agents of a chunk are about to have their turns.
    pub(super) fn begin_chunk(&mut self) {
        self.batches.clear();
        self.set_pass(false);
        self.agent = None;
    }

    /// The next agent's tick begins.
    pub(super) fn begin(&mut self) {
        self.agent = None;
    }
}
