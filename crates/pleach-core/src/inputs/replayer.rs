//! Feeds inputs from outside to agents, as they were recorded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pleach_expr::Value;
use pleach_expr::expr::KeyIndex;
use rand_core::Rng as _;
use rustc_hash::FxHashMap;

use super::asked::{Question, QuestionCounts};
use super::edit::{Edit, Edited};
use super::facts::TreeInputs;
use super::log::Input;
use super::{KeyAccess, Taker, same};
use crate::event::Event;
use crate::index::ExprId;
use crate::rng::Stream;
use crate::turns::rate::Rate;
use crate::{AgentId, NodeId, Status};

/// What is known about an agent while it is replayed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The values that its expressions last read.
    pub(crate) keys: Vec<Value>,
    pub(crate) answers: FxHashMap<NodeId, Status>,
    /// The inputs for this frame.
    pub(crate) coming: VecDeque<(Option<NodeId>, u32, Input)>,
    /// When it has turns, if not in each frame.
    pub(crate) turns: Option<RecordedTurns>,
    /// It has no turn in this frame.
    pub(crate) misses: bool,
    /// Its tree is an edited one.
    pub(crate) edit: Option<Arc<Edit>>,
    /// The last noted values of recorded keys, if keys are noted.
    pub(crate) noted: BTreeMap<KeyIndex, Value>,
    /// The keys of an edited tree that change next.
    pub(crate) changes: Vec<(KeyIndex, Value)>,
    /// The new nodes of an edited tree that it has asked.
    asked_new: Vec<NodeId>,
}

/// When an agent has turns: by its rate, and by its place in its chunk (SEMANTICS 8.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedTurns {
    pub(crate) rate: Rate,
    pub(crate) row: u64,
    pub(crate) due: bool,
}

impl Known {
    /// The last noted values of keys, in the tree that is played.
    pub(crate) fn values_noted(&self) -> Vec<(KeyIndex, Value)> {
        let here = |key: KeyIndex| self.edit.as_ref().map_or(Some(key), |it| it.edited_key(key));
        self.noted.iter().filter_map(|it| Some((here(*it.0)?, *it.1))).collect()
    }

    /// A frame of this number begins, in which the agent missed its turn or not.
    pub(crate) fn begin_frame(&mut self, frame: u64, missed: bool) {
        self.misses = missed;
        if let Some(turns) = &mut self.turns {
            turns.due |= turns.rate.frames().is_some_and(|it| frame % u64::from(it) == turns.row % u64::from(it));
            self.misses |= !turns.due;
            turns.due &= missed;
        }
    }
}

/// An input that a recorded agent did not ask for, or got from another source.
#[derive(Clone, Debug)]
pub(crate) struct Unasked {
    pub(crate) agent: AgentId,
    pub(crate) input: Input,
}

/// Something that an agent was given in a frame of a replay, as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "save"), expect(unreachable_pub, reason = "replays, which show it, need `save`"))]
pub enum Given {
    /// A key held another value than before when an expression read it.
    Key(KeyIndex, Value),
    /// It received an event.
    Event(Event),
    /// Its leaves had drawn this many numbers from its random stream since the runtime last did.
    Drawn(u32),
    /// A key held another value after the frame than the replay knew: see
    /// [`Recording::keys_every`](crate::record::Recording::keys_every).
    Noted(KeyIndex, Value),
}

/// That a leaf panicked when this was recorded.
pub(crate) struct RecordedPanic;

/// Feeds agents their recorded inputs.
#[derive(Debug, Default)]
pub(crate) struct Replayer {
    pub(crate) agents: FxHashMap<AgentId, Known>,
    /// The agents that have inputs in this frame.
    pub(crate) called: Vec<AgentId>,
    /// What agents were given in this frame.
    pub(crate) given: Vec<(AgentId, Given)>,
    /// Some agent does not have a turn in each frame.
    pub(crate) rated: bool,
    /// Some agent has no turn in this frame.
    pub(crate) misses: bool,
    /// The nodes that agents asked for the first time, and for which nothing was recorded.
    pub(crate) unknown: Vec<(AgentId, NodeId)>,
    pub(super) asked: QuestionCounts,
    facts: Option<Arc<TreeInputs>>,
}

impl Replayer {
    pub(crate) fn begin_chunk(&mut self, facts: Arc<TreeInputs>) {
        self.facts = Some(facts);
        self.asked.set_observer(None);
    }

    /// The edit of an agent's tree, if there is one.
    pub(crate) fn edit(&self, agent: AgentId) -> Option<&Arc<Edit>> {
        self.agents.get(&agent)?.edit.as_ref()
    }

    /// Takes the next input of an agent, if it `is` what the agent asks for, and due now: when the
    /// agent has asked for it as often as then. Under an edited tree an agent may ask in another
    /// order.
    fn next<T>(&mut self, agent: AgentId, nth: u32, is: impl Fn(&Input) -> Option<T>) -> Option<T> {
        let now = self.asked.observer();
        let known = self.agents.get_mut(&agent)?;
        let (at, taken) = if known.edit.is_some() {
            known.coming.iter().enumerate().find_map(|(at, it)| Some((at, is(&it.2)?)))?
        } else {
            let (when, time, input) = known.coming.front()?;
            if (*when, *time) != (now, nth) {
                return None;
            }
            (0, is(input)?)
        };
        known.coming.remove(at);
        Some(taken)
    }

    /// What a leaf of the host answers at a node.
    pub(super) fn answer(&mut self, taker: Taker, node: NodeId) -> Status {
        let agent = taker.0;
        let coming = self.agents.get_mut(&agent).map(|it| &mut it.coming);
        if let Some(coming) = coming.filter(|it| matches!(it.front(), Some((_, _, Input::Panic)))) {
            coming.pop_front();
            std::panic::resume_unwind(Box::new(RecordedPanic));
        }
        if let Some(known) = self.agents.get_mut(&agent)
            && known.edit.as_ref().is_some_and(|it| it.is_new(node))
            && !known.asked_new.contains(&node)
        {
            known.asked_new.push(node);
            self.unknown.push((agent, node));
        }
        let is_question = self.facts.as_ref().is_some_and(|it| it.question(node).is_some());
        let nth = if is_question { self.asked.ask(taker, Question::Node(node)) } else { 0 };
        let given = self.next(agent, nth, |it| it.answer().filter(|it| it.0 == node)).map(|it| it.1);
        if !is_question {
            return given.unwrap_or(Status::Running);
        }
        let Some(known) = self.agents.get_mut(&agent) else { return Status::Failure };
        let last = known.answers.entry(node).or_insert(Status::Failure);
        *last = given.unwrap_or(*last);
        *last
    }

    /// An expression is about to be evaluated: puts the values that it read then into its keys.
    pub(super) fn read(&mut self, taker: Taker, keys: &mut impl KeyAccess, expr: ExprId) {
        let agent = taker.0;
        if let Some(known) = self.agents.get_mut(&agent).filter(|it| it.edit.is_some()) {
            for (key, value) in known.changes.drain(..) {
                self.given.push((agent, Given::Key(key, value)));
                keys.put(key, value);
            }
            return;
        }
        let Some(facts) = self.facts.clone() else { return };
        if facts.of_expr(expr).is_empty() {
            return;
        }
        let nth = self.asked.ask(taker, Question::Expr(expr));
        for (at, &place) in (0..).zip(facts.of_expr(expr)) {
            let key = facts.keys[usize::from(place)];
            let given = self.next(agent, nth, |it| match it {
                Input::Key(of, place, value) if (*of, *place) == (expr.number(), at) => Some(*value),
                _ => None,
            });
            let Some(known) = self.agents.get_mut(&agent) else { continue };
            let Some(last) = known.keys.get_mut(usize::from(place)) else { continue };
            if let Some(value) = given {
                self.given.push((agent, Given::Key(key, value)));
                *last = value;
            }
            let last = *last;
            if !same(keys.value(key), last) {
                keys.put(key, last);
            }
        }
    }

    /// The runtime is about to draw a number from the agent's stream.
    pub(super) fn draws(&mut self, taker: Taker, stream: &mut Stream) {
        let nth = self.asked.ask(taker, Question::Stream);
        let drawn = |it: &Input| if let Input::Drawn(count) = it { Some(*count) } else { None };
        if let Some(count) = self.next(taker.0, nth, drawn) {
            self.given.push((taker.0, Given::Drawn(count)));
            (0..count).for_each(|_| {
                stream.next_u64();
            });
        }
    }

    /// The events that an agent receives in this frame.
    pub(super) fn told(&mut self, agent: AgentId) -> Vec<Event> {
        self.asked.set_observer(None);
        let mut events = Vec::new();
        while let Some(event) = self.next(agent, 0, Input::event) {
            events.push(event);
            self.given.push((agent, Given::Event(event)));
        }
        events
    }

    /// Whether an agent has no turn in this frame, though it is due.
    pub(super) fn misses(&self, agent: AgentId) -> bool {
        self.misses && self.agents.get(&agent).is_some_and(|it| it.misses)
    }

    /// Adds an input of an agent for this frame.
    pub(crate) fn call(&mut self, agent: AgentId, input: (Option<NodeId>, u32, Input)) {
        let Some(known) = self.agents.get_mut(&agent) else { return };
        if known.coming.is_empty() && self.called.last() != Some(&agent) {
            self.called.push(agent);
        }
        let (observer, nth, input) = input;
        let edited = match &known.edit {
            Some(edit) => edit.input(input),
            None => Edited::Input(input),
        };
        match edited {
            Edited::Input(input) => known.coming.push_back((observer, nth, input)),
            Edited::Key(key, value) => {
                known.changes.retain(|it| it.0 != key);
                known.changes.push((key, value));
            }
            Edited::Gone => {}
        }
    }

    /// A frame is over. Returns the inputs that were not asked for.
    pub(crate) fn end_frame(&mut self) -> Vec<Unasked> {
        let mut unasked = Vec::new();
        for agent in self.called.drain(..) {
            let Some(known) = self.agents.get_mut(&agent) else { continue };
            // A leaf may have panicked in another call than its update. Its agent is noted in its
            // state of that moment.
            let left = known.coming.drain(..).map(|it| it.2).filter(|it| *it != Input::Panic);
            if known.edit.is_some() {
                // An answer not asked for is what the leaf would answer from here on.
                known.answers.extend(left.filter_map(|it| it.answer()));
                continue;
            }
            unasked.extend(left.map(|input| Unasked { agent, input }));
        }
        unasked.sort_by_key(|it| it.agent);
        unasked
    }
}
