//! [`World`]: what a program has to know of a game to run its trees.

use std::error::Error;
use std::sync::Arc;

use pleach::inspect::ReplaceReport;
use pleach::trace::Tracer;
use pleach::{AgentId, Forest, Host, TickReport, Tree};

/// Why a world cannot go on, in the game's own words.
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

    /// What it is called in messages: `the arena`.
    const NAME: &'static str = "the game";

    /// How many bytes the world takes for an agent besides those of the agent itself. Crowds that
    /// do not fit into memory are refused by that.
    const BYTES_PER_AGENT: u64 = 256;

    /// A world with so many agents of a tree.
    ///
    /// # Errors
    /// It cannot play this tree, or not with so many agents.
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

    /// Lets the time pass in all that is no agent.
    ///
    /// # Errors
    /// The world cannot go on.
    fn step(&mut self, dt: f32) -> Result<(), WorldError> {
        let _ = dt;
        Ok(())
    }

    /// Gives all agents another version of their tree, which they go on with
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
    /// same. `bench` compares the worlds of its ways by it.
    fn digest(&self) -> Option<u64> {
        None
    }
}

/// What the agents did in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameReport {
    /// What the tick did.
    pub tick: TickReport,
    /// How many events there were between agents and the world.
    pub events: u64,
}

impl From<TickReport> for FrameReport {
    fn from(tick: TickReport) -> Self {
        FrameReport { tick, events: 0 }
    }
}
