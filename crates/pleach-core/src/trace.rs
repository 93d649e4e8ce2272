//! Watching agents run.
//!
//! A tracer is a type parameter of the forest. With [`NoTracer`] the calls compile to nothing. In a
//! forest with a tracer, an agent that the tracer does not want runs the same code as without one,
//! unless it is ticked in batches with one that the tracer wants.
//!
//! A tracer changes nothing of what agents do: the same leaves are called in the same order. In
//! batches the lines of different agents are interleaved (SEMANTICS 8.11, see
//! [`Forest::set_batched`](crate::Forest::set_batched)). The lines of each agent are those that it
//! has when it is ticked alone, in the same order.

use crate::{AgentId, Event, NodeId, Outcome, Reason, Status};

/// One event of one agent, in the order of SEMANTICS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceEvent {
    /// The agent's tick begins.
    Tick,
    /// A node started.
    Start(NodeId),
    /// A leaf was updated in normal running.
    Update(NodeId, Status),
    /// The reevaluation pass updated a watched condition.
    Recheck(NodeId, Status),
    /// A guard's `when` was checked.
    Check(NodeId, bool),
    /// The n-th service of a composite ran.
    Service(NodeId, usize),
    /// A utility selector left its running child for a better one, or a switch left its own for
    /// that of another case.
    Switch(NodeId),
    /// An emit node handed an event to the host.
    Emit(NodeId, Event),
    /// A node ended by itself.
    End(NodeId, Outcome),
    /// A node was aborted: ended from outside.
    Aborted(NodeId, Reason),
    /// All that an abort ends has ended. `scope` goes on at its child that contains `by`.
    Abort {
        /// The composite that goes on.
        scope: NodeId,
        /// The condition whose status changed.
        by: NodeId,
    },
    /// A leaf was told that its agent pauses.
    Pause(NodeId),
    /// A leaf was told that its agent goes on.
    Unpause(NodeId),
    /// The agent's tick is over.
    TickEnd,
}

/// Sees what agents do.
pub trait Tracer {
    /// Whether anything is traced at all. `false` removes every call at compile time.
    const ENABLED: bool;
    /// Whether to trace this agent. Called before each event and before each tick of the agent. In
    /// batches the ticks of up to 1 024 agents begin together.
    fn wants(&self, agent: AgentId) -> bool;
    /// Something happened.
    fn record(&mut self, agent: AgentId, event: TraceEvent);
}

/// Traces nothing, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTracer;

impl Tracer for NoTracer {
    const ENABLED: bool = false;
    fn wants(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, _: AgentId, _: TraceEvent) {}
}

/// Keeps the events of one agent, or of all.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    only: Option<AgentId>,
    events: Vec<(AgentId, TraceEvent)>,
}

impl Recorder {
    /// Records every agent.
    #[must_use]
    pub fn all() -> Self {
        Recorder::default()
    }

    /// Records one agent.
    #[must_use]
    pub fn of(agent: AgentId) -> Self {
        Recorder { only: Some(agent), events: Vec::new() }
    }

    /// What happened since the last call, oldest first.
    pub fn take(&mut self) -> Vec<(AgentId, TraceEvent)> {
        std::mem::take(&mut self.events)
    }
}

impl Tracer for Recorder {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        self.only.is_none_or(|it| it == agent)
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        self.events.push((agent, event));
    }
}
