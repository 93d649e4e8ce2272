//! Watching agents run.
//!
//! A tracer is lent to a forest or a brain for some calls: see [`Traced`]. Calls without one are
//! compiled without any of this. In a forest with a tracer, an agent that the tracer does not want
//! runs the same code as without one, unless it is ticked in batches with one that the tracer
//! wants.
//!
//! A tracer does not change what agents do: the same leaves are called in the same order. In
//! batches the lines of different agents are interleaved (SEMANTICS 8.11, see
//! [`Settings::batched`](crate::Settings::batched)). The lines of each agent are the same as when
//! it is ticked alone, in the same order.

mod names;
mod recorder;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::inputs::Inputs;
use crate::twin::with_twin;
use crate::{AgentId, Event, NodeId, Outcome, Reason, Status};
pub use names::TraceNames;
pub use recorder::{Recorder, TraceEntry, TraceKinds};

with_twin! {
    /// One event of one agent, in the order of SEMANTICS.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum TraceEvent, EveryTraceEvent {
        /// The agent's tick begins.
        Tick,
        /// A node started.
        Start(node: NodeId),
        /// A leaf was updated in normal running.
        Update(node: NodeId, status: Status),
        /// The reevaluation pass updated a watched condition.
        Recheck(node: NodeId, status: Status),
        /// A guard's `when` was checked.
        Check(node: NodeId, holds: bool),
        /// The n-th service of a composite ran.
        Service(node: NodeId, at: usize),
        /// A utility selector left its running child for a better one, or a switch left its own for
        /// that of another case.
        Switch(node: NodeId),
        /// An emit node handed an event to the host, or sent it to the agent's group.
        Emit(node: NodeId, event: Event),
        /// A node ended by itself.
        End(node: NodeId, outcome: Outcome),
        /// A node was aborted: ended from outside.
        Aborted(node: NodeId, reason: Reason),
        /// Everything that an abort ends has ended. `scope` carries on at its child that contains
        /// `by`.
        Abort {
            /// The composite that carries on.
            scope: NodeId,
            /// The condition whose status changed.
            by: NodeId,
        },
        /// A leaf heard that its agent pauses.
        Pause(node: NodeId),
        /// A leaf heard that its agent resumes.
        Unpause(node: NodeId),
        /// The agent's tick is over.
        TickEnd,
    }
}

/// Sees what agents do. [`Recorder`] is one.
pub trait Tracer {
    /// Whether anything is traced at all. `false` removes every call at compile time.
    const ENABLED: bool;
    /// Whether inputs are noted, or supplied, as `record` does.
    #[doc(hidden)]
    const INPUTS: bool = Self::REPLAYS;
    /// Whether inputs are supplied: then no leaf is called.
    #[doc(hidden)]
    const REPLAYS: bool = false;
    /// The object that notes inputs, or supplies them.
    #[doc(hidden)]
    fn inputs(&mut self) -> Option<&mut Inputs> {
        None
    }
    /// Whether to trace this agent. Called before each event and before each tick of the agent. In
    /// batches the ticks of up to 1 024 agents begin together.
    fn wants(&self, agent: AgentId) -> bool;
    /// Whether to trace the answers of its leaves in each tick, too. A replay then does not let it
    /// sleep.
    #[doc(hidden)]
    fn wants_updates(&self, agent: AgentId) -> bool {
        self.wants(agent)
    }
    /// From here on, records belong to this frame, at this time of the forest or the brain, in
    /// seconds. Called at the start of each traced call.
    fn frame(&mut self, frame: u64, time: f64) {
        let _ = (frame, time);
    }
    /// Something happened.
    fn record(&mut self, agent: AgentId, event: TraceEvent);
    /// The same, with the present names of the nodes of the agent's tree, for tracers that keep
    /// them; `names` costs a line of text for each node when it is first called for a tree. The
    /// runtime calls this; the default forwards to [`record`](Tracer::record).
    #[inline]
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        let _ = names;
        self.record(agent, event);
    }
}

/// Traces nothing, at no cost: calls through [`Traced`] are then the same as without it.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTracer;

impl Tracer for NoTracer {
    const ENABLED: bool = false;
    fn wants(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, _: AgentId, _: TraceEvent) {}
}

/// Two tracers as one: each gets what it wants. If both are recordings, only the first records.
///
/// ```
/// # use pleach_core::{Forest, Host, Tree, nodes, trace::{Recorder, TraceKinds}};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// # let mut forest = Forest::<Game>::new(7);
/// # let tree = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
/// # let guard = forest.spawn(&mut (), tree)?;
/// let mut all = Recorder::of([guard]);
/// let mut aborts = Recorder::all().only(TraceKinds::ABORTS);
/// forest.traced(&mut (&mut all, &mut aborts)).tick(&mut (), 0.1)?;
/// assert_eq!((all.entries().len(), aborts.entries().len()), (4, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl<A: Tracer, B: Tracer> Tracer for (A, B) {
    const ENABLED: bool = A::ENABLED || B::ENABLED;
    const INPUTS: bool = A::INPUTS || B::INPUTS;
    const REPLAYS: bool = A::REPLAYS || B::REPLAYS;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        if A::INPUTS { self.0.inputs() } else { self.1.inputs() }
    }
    fn wants(&self, agent: AgentId) -> bool {
        self.0.wants(agent) || self.1.wants(agent)
    }
    fn wants_updates(&self, agent: AgentId) -> bool {
        self.0.wants_updates(agent) || self.1.wants_updates(agent)
    }
    fn frame(&mut self, frame: u64, time: f64) {
        self.0.frame(frame, time);
        self.1.frame(frame, time);
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        if self.0.wants(agent) {
            self.0.record(agent, event);
        }
        if self.1.wants(agent) {
            self.1.record(agent, event);
        }
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        let names = names();
        if self.0.wants(agent) {
            self.0.record_named(|| Arc::clone(&names), agent, event);
        }
        if self.1.wants(agent) {
            self.1.record_named(|| names, agent, event);
        }
    }
}

/// A tracer or none, which traces nothing. The calls are compiled as with a tracer.
impl<T: Tracer> Tracer for Option<T> {
    const ENABLED: bool = T::ENABLED;
    const INPUTS: bool = T::INPUTS;
    const REPLAYS: bool = T::REPLAYS;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        self.as_mut()?.inputs()
    }
    fn wants(&self, agent: AgentId) -> bool {
        self.as_ref().is_some_and(|it| it.wants(agent))
    }
    fn wants_updates(&self, agent: AgentId) -> bool {
        self.as_ref().is_some_and(|it| it.wants_updates(agent))
    }
    fn frame(&mut self, frame: u64, time: f64) {
        if let Some(it) = self {
            it.frame(frame, time);
        }
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        if let Some(it) = self {
            it.record(agent, event);
        }
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        if let Some(it) = self {
            it.record_named(names, agent, event);
        }
    }
}

impl<T: Tracer> Tracer for &mut T {
    const ENABLED: bool = T::ENABLED;
    const INPUTS: bool = T::INPUTS;
    const REPLAYS: bool = T::REPLAYS;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        (**self).inputs()
    }
    fn wants(&self, agent: AgentId) -> bool {
        (**self).wants(agent)
    }
    fn wants_updates(&self, agent: AgentId) -> bool {
        (**self).wants_updates(agent)
    }
    fn frame(&mut self, frame: u64, time: f64) {
        (**self).frame(frame, time);
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        (**self).record(agent, event);
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        (**self).record_named(names, agent, event);
    }
}

/// A forest or a brain, with a tracer that sees what its agents do in the calls made through this.
/// [`Forest::traced`](crate::Forest::traced) and [`Brain::traced`](crate::Brain::traced) make one;
/// it has all of their methods.
///
/// So any game can watch its agents for a while, without being built for it:
///
/// ```
/// # use pleach_core::{Forest, Host, Tree, nodes, trace::Recorder};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// # let mut forest = Forest::<Game>::new(7);
/// # let tree = forest.add_tree(Tree::builder("guard").build(nodes::idle())?)?;
/// # let guard = forest.spawn(&mut (), tree)?;
/// let mut recorder = Recorder::of([guard]);
/// forest.tick(&mut (), 0.1)?;
/// forest.traced(&mut recorder).tick(&mut (), 0.1)?;
/// for entry in recorder.take() {
///     println!("{entry}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Traced<'a, A, T: Tracer> {
    pub(crate) it: &'a mut A,
    pub(crate) tracer: &'a mut T,
}

impl<'a, A, T: Tracer> Traced<'a, A, T> {
    /// The same for a shorter time.
    pub(crate) fn reborrow(&mut self) -> Traced<'_, A, T> {
        Traced { it: self.it, tracer: self.tracer }
    }

    /// The tracer.
    pub fn tracer(&mut self) -> &mut T {
        self.tracer
    }
}

impl<A, T: Tracer> Deref for Traced<'_, A, T> {
    type Target = A;
    fn deref(&self) -> &A {
        self.it
    }
}

impl<A, T: Tracer> DerefMut for Traced<'_, A, T> {
    fn deref_mut(&mut self) -> &mut A {
        self.it
    }
}
