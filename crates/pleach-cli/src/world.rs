//! [`World`]: what a program needs to know about a game to run its trees.

use std::error::Error;
use std::sync::Arc;

use pleach::inspect::ReplaceReport;
use pleach::trace::Tracer;
use pleach::{AgentId, Forest, Host, TickReport, Tree};

/// Why a world cannot continue, in the game's own words.
pub type WorldError = Box<dyn Error + Send + Sync>;

/// A game in which agents of one tree can be run, watched and measured: what `run` and `bench`
/// need.
///
/// A frame is [`sense`](World::sense), [`think`](World::think) and [`step`](World::step). Only the
/// time that `think` takes counts as that of the trees. The same arguments and calls should give
/// the same run.
pub trait World: Sized {
    /// The host of the trees.
    type Host: Host;

    /// The name of the world in messages: `the arena`.
    const NAME: &'static str = "the game";

    /// How many bytes the world takes for an agent besides those of the agent itself. Crowds that
    /// do not fit in memory by this estimate are refused.
    const BYTES_PER_AGENT: u64 = 256;

    /// A world with `agents` agents of a tree.
    ///
    /// # Errors
    /// It cannot play this tree, or not with this many agents.
    fn begin(tree: Arc<Tree<Self::Host>>, agents: u32, seed: u64) -> Result<Self, WorldError>;

    /// The forest of the agents.
    fn forest(&self) -> &Forest<Self::Host>;

    /// The forest of the agents.
    fn forest_mut(&mut self) -> &mut Forest<Self::Host>;

    /// The agents in the order of their spawning, as the command line counts them.
    fn agents(&self) -> &[AgentId];

    /// Tells agents what they perceive: writes keys and sends events. Returns how many events it
    /// sent.
    ///
    /// # Errors
    /// The world cannot go on.
    fn sense(&mut self) -> Result<u64, WorldError> {
        Ok(0)
    }

    /// Ticks the agents, with this tracer ([`Forest::traced`]).
    ///
    /// # Errors
    /// The world cannot go on.
    fn think<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, WorldError>;

    /// Lets time pass in everything that is not an agent.
    ///
    /// # Errors
    /// The world cannot go on.
    fn step(&mut self, dt: f32) -> Result<(), WorldError> {
        let _ = dt;
        Ok(())
    }

    /// Gives all agents another version of their tree, with which they carry on
    /// ([`Forest::replace_tree`]), for `run --reload`.
    ///
    /// # Errors
    /// The world cannot play it, or the forest refuses it. Nothing has changed then.
    fn replace_tree<T: Tracer>(
        &mut self,
        tree: Arc<Tree<Self::Host>>,
        tracer: &mut T,
    ) -> Result<ReplaceReport, WorldError>;

    /// A number for the state of the world, if it has one: worlds with the same number are the
    /// same. `bench` uses it to compare the worlds of its ways.
    fn digest(&self) -> Option<u64> {
        None
    }
}

/// What the agents did in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameReport {
    /// The report of the tick.
    pub tick: TickReport,
    /// How many events agents and the world sent each other.
    pub events: u64,
}

impl From<TickReport> for FrameReport {
    fn from(tick: TickReport) -> Self {
        FrameReport { tick, events: 0 }
    }
}
