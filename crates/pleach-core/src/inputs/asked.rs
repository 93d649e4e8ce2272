//! How often the same was asked: a noted input belongs to one of these times.

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

/// How often an agent has asked each question so far: for an observer in the pass, or outside of
/// the pass. A replay asks for more observers than the recorded agent did, as it evaluates all of
/// them in every tick; so an input noted for one is not given to another.
#[derive(Debug, Default)]
pub(super) struct QuestionCounts {
    agent: Option<Taker>,
    observer: Option<NodeId>,
    times: Vec<(Question, u32)>,
    /// The nodes that were asked for many agents together, in this tick of theirs.
    batches: Vec<(NodeId, Bits)>,
}

impl QuestionCounts {
    /// From here on, questions are for this observer, or outside of the pass.
    pub(super) fn set_observer(&mut self, observer: Option<NodeId>) {
        self.observer = observer;
        self.times.clear();
        self.agent = None;
    }

    pub(super) fn observer(&self) -> Option<NodeId> {
        self.observer
    }

    /// An agent asks. Returns how often it did so before.
    pub(super) fn ask(&mut self, agent: Taker, question: Question) -> u32 {
        if self.agent != Some(agent) {
            self.agent = Some(agent);
            self.times.clear();
            if self.observer.is_none() {
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

    /// A node was asked for these agents, outside of their passes.
    pub(super) fn ask_all(&mut self, node: NodeId, agents: &Bits) {
        self.batches.push((node, *agents));
        self.agent = None;
    }

    /// The agents of a chunk are about to have their turns.
    pub(super) fn begin_chunk(&mut self) {
        self.batches.clear();
        self.set_observer(None);
    }

    /// The next agent's tick begins.
    pub(super) fn begin(&mut self) {
        self.agent = None;
    }
}
