//! One agent, for hosts that keep it inside a struct of their own.

use std::fmt;
use std::sync::Arc;

use crate::blackboard::SharedKeyError;
use crate::clock::DtError;
use crate::forest::{AgentView, Forest, Phase, SpawnError};
use crate::trace::{NoTracer, Tracer};
use crate::{AccessError, AgentId, BlackboardType, Completion, Event, Host, Key, NodeId, Outcome, Spawn, Tree, Value};

/// One agent with its own tree, clock and blackboard: a [`Forest`] of one. It is for a few agents
/// that live inside other structs. A crowd is faster in one forest.
///
/// Group and global keys belong to this brain alone. If a leaf despawns the agent, the brain is
/// [`Phase::Off`] for good, and calls that would change the agent do nothing.
#[derive(Debug)]
pub struct Brain<H: Host, T: Tracer = NoTracer> {
    forest: Forest<H, T>,
    agent: AgentId,
}

/// Why a brain cannot be made.
#[derive(Clone, Debug, PartialEq)]
enum Never {
    Shared(SharedKeyError),
    Spawn(SpawnError),
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Never::Shared(it) => it.fmt(f),
            Never::Spawn(it) => it.fmt(f),
        }
    }
}

impl std::error::Error for Never {}

impl From<SharedKeyError> for Never {
    fn from(it: SharedKeyError) -> Self {
        Never::Shared(it)
    }
}

impl From<SpawnError> for Never {
    fn from(it: SpawnError) -> Self {
        Never::Spawn(it)
    }
}

impl<H: Host> Brain<H> {
    /// A brain that runs `tree`, enabled.
    #[must_use]
    pub fn new(cx: &mut H::Cx<'_>, tree: impl Into<Arc<Tree<H>>>, seed: u64) -> Self {
        Brain::with_tracer(cx, tree, seed, Completion::Restart, NoTracer)
    }
}

impl<H: Host, T: Tracer> Brain<H, T> {
    /// A brain with choices.
    #[must_use]
    pub fn with_tracer(
        cx: &mut H::Cx<'_>,
        tree: impl Into<Arc<Tree<H>>>,
        seed: u64,
        completion: Completion,
        tracer: T,
    ) -> Self {
        let mut forest = Forest::with_tracer(seed, tracer);
        let spawn = Spawn { completion, ..Spawn::default() };
        let agent = forest.add_tree(tree).map_err(Never::from).and_then(|it| Ok(forest.spawn_with(cx, it, spawn)?));
        // An empty forest has no other tree with other keys, and room for an agent.
        let agent = agent.expect("one agent fits into an empty forest");
        Brain { forest, agent }
    }

    /// Lets `dt` seconds pass and ticks the agent. Returns how its root ended, if it ended in this
    /// tick.
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or too long.
    ///
    /// # Panics
    /// If a leaf does.
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<Option<Outcome>, DtError> {
        self.forest.tick_watching(cx, dt, self.agent)
    }

    /// The agent's id, as its leaves see it.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.agent
    }

    /// What it is doing, in one word.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.forest.phase(self.agent).unwrap_or(Phase::Off)
    }

    /// Everything about the agent; `None` if a leaf despawned it.
    #[must_use]
    pub fn inspect(&self) -> Option<AgentView<H>> {
        self.forest.inspect(self.agent).ok()
    }

    /// The top of its first run stack.
    #[must_use]
    pub fn current(&self) -> Option<NodeId> {
        self.forest.current(self.agent).ok().flatten()
    }

    /// What a key holds.
    ///
    /// # Errors
    /// If the key is of another tree.
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> Result<V, AccessError> {
        self.forest.get(self.agent, key)
    }

    /// Writes a key, and tells whether that changed its value.
    ///
    /// # Errors
    /// If the key is of another tree, or the value is a symbol that is not one of the key's words.
    pub fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.forest.set(self.agent, key, value)
    }

    /// What the key of a name holds, of whatever type; see [`Forest::value`].
    ///
    /// # Errors
    /// If the tree has no such key, or a leaf despawned the agent.
    pub fn value(&self, name: &str) -> Result<Value, AccessError> {
        self.forest.value(self.agent, name)
    }

    /// Writes the key of a name, and tells whether that changed its value; see
    /// [`Forest::set_value`].
    ///
    /// # Errors
    /// If the tree has no such key, the key cannot hold that value, or a leaf despawned the agent.
    pub fn set_value(&mut self, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.forest.set_value(self.agent, name, value)
    }

    /// Enables it, if it is off: from scratch, with its blackboard as it is.
    pub fn enable(&mut self, cx: &mut H::Cx<'_>) {
        let _gone = self.forest.enable(cx, self.agent);
    }

    /// Ends all that is active. The agent stays off until it is enabled.
    pub fn disable(&mut self, cx: &mut H::Cx<'_>) {
        let _gone = self.forest.disable(cx, self.agent);
    }

    /// Disables and enables it.
    pub fn restart(&mut self, cx: &mut H::Cx<'_>) {
        let _gone = self.forest.restart(cx, self.agent);
    }

    /// Pauses it (`true`) or lets it go on (`false`).
    pub fn set_paused(&mut self, cx: &mut H::Cx<'_>, paused: bool) {
        let _gone = if paused { self.forest.pause(cx, self.agent) } else { self.forest.unpause(cx, self.agent) };
    }

    /// Sends it an event, for its next tick.
    pub fn send(&mut self, event: Event) {
        // An error means that a leaf despawned the agent, so no agent is left to hear the event.
        let _gone = self.forest.send(self.agent, event);
    }

    /// The forest of one, for everything else.
    pub fn forest_mut(&mut self) -> &mut Forest<H, T> {
        &mut self.forest
    }
}
