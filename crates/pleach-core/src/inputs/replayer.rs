//! Gives what came from outside, as it was recorded.

use std::collections::VecDeque;
use std::sync::Arc;

use pleach_expr::Value;
use rand_core::Rng as _;
use rustc_hash::FxHashMap;

use super::facts::TreeInputs;
use super::log::Input;
use super::{KeyAccess, same};
use crate::event::Event;
use crate::index::ExprId;
use crate::rng::Stream;
use crate::{AgentId, NodeId, Status};

/// What is known of an agent while it is replayed.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The values that its expressions last read.
    pub(crate) keys: Vec<Value>,
    answers: FxHashMap<NodeId, Status>,
    /// What comes in this frame.
    pub(crate) coming: VecDeque<(bool, Input)>,
    /// It has no turn in this frame.
    pub(crate) misses: bool,
}

/// What a recorded agent did not ask for, or asked for and another one gave.
#[derive(Clone, Debug)]
pub(crate) struct Unasked {
    pub(crate) agent: AgentId,
    pub(crate) input: Input,
}

/// Gives agents what was recorded of them.
#[derive(Debug, Default)]
pub(crate) struct Replayer {
    pub(crate) agents: FxHashMap<AgentId, Known>,
    pub(crate) pass: bool,
    facts: Option<Arc<TreeInputs>>,
    /// Inputs that no agent asked for.
    pub(crate) unasked: Vec<Unasked>,
}

impl Replayer {
    pub(crate) fn begin_chunk(&mut self, facts: Arc<TreeInputs>) {
        self.facts = Some(facts);
        self.pass = false;
    }

    /// The next input of an agent, if it is such a one, and comes now.
    fn next(&mut self, agent: AgentId, is: impl FnOnce(&Input) -> bool) -> Option<Input> {
        let pass = self.pass;
        let coming = &mut self.agents.get_mut(&agent)?.coming;
        let (when, input) = coming.front()?;
        if *when == pass && is(input) { coming.pop_front().map(|it| it.1) } else { None }
    }

    /// What a leaf of the host answers at a node.
    pub(super) fn answer(&mut self, agent: AgentId, node: NodeId) -> Status {
        if let Some(Input::Panic) = self.agents.get(&agent).and_then(|it| it.coming.front()).map(|it| &it.1) {
            std::panic::resume_unwind(Box::new("a leaf panicked when this was recorded"));
        }
        let of_node = |it: &Input| match it {
            Input::Success(at) | Input::Failure(at) | Input::Running(at) => *at == node,
            _ => false,
        };
        let given = self.next(agent, of_node).map(|it| match it {
            Input::Success(_) => Status::Success,
            Input::Failure(_) => Status::Failure,
            _ => Status::Running,
        });
        let is_question = self.facts.as_ref().is_some_and(|it| it.question(node).is_some());
        if !is_question {
            return given.unwrap_or(Status::Running);
        }
        let Some(known) = self.agents.get_mut(&agent) else { return Status::Failure };
        let last = known.answers.entry(node).or_insert(Status::Failure);
        *last = given.unwrap_or(*last);
        *last
    }

    /// An expression is about to be evaluated: puts what it read into its keys.
    pub(super) fn read(&mut self, agent: AgentId, keys: &mut impl KeyAccess, expr: ExprId) {
        let Some(facts) = self.facts.clone() else { return };
        for &place in facts.of_expr(expr) {
            let key = facts.keys[usize::from(place)];
            let given = self.next(agent, |it| matches!(it, Input::Key(at, _) if *at == u32::from(place)));
            let Some(known) = self.agents.get_mut(&agent) else { continue };
            let Some(last) = known.keys.get_mut(usize::from(place)) else { continue };
            if let Some(Input::Key(_, value)) = given {
                *last = value;
            }
            let last = *last;
            if !same(keys.value(key), last) {
                keys.put(key, last);
            }
        }
    }

    /// The runtime is about to draw a number of the agent's stream.
    pub(super) fn draws(&mut self, agent: AgentId, stream: &mut Stream) {
        if let Some(Input::Drawn(count)) = self.next(agent, |it| matches!(it, Input::Drawn(_))) {
            (0..count).for_each(|_| {
                stream.next_u64();
            });
        }
    }

    /// The events of which an agent is told in this frame.
    pub(super) fn told(&mut self, agent: AgentId) -> Vec<Event> {
        self.pass = true;
        let mut events = Vec::new();
        while let Some(Input::Event(event)) = self.next(agent, |it| matches!(it, Input::Event(_))) {
            events.push(event);
        }
        self.pass = false;
        events
    }

    /// Whether an agent has no turn in this frame, though it is due.
    pub(super) fn misses(&self, agent: AgentId) -> bool {
        self.agents.get(&agent).is_some_and(|it| it.misses)
    }

    /// A frame is over: what comes and was not asked for.
    pub(crate) fn end_frame(&mut self) {
        for (agent, known) in &mut self.agents {
            known.misses = false;
            self.unasked.extend(known.coming.drain(..).map(|(_, input)| Unasked { agent: *agent, input }));
        }
        self.unasked.sort_by_key(|it| it.agent);
    }
}
