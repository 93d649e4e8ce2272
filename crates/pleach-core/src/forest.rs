//! The forest: agents of many trees, ticked together.

mod agent;
mod agent_mut;
mod agree;
mod awake;
mod budget;
mod chunk;
mod compare;
#[cfg(feature = "save")]
pub(crate) mod damage;
mod error;
mod explain;
mod extras;
mod footprint;
mod groups;
pub(crate) mod heirs;
mod inspect;
mod keys;
mod lifecycle;
pub(crate) mod lives;
mod mail;
mod needs;
mod origins;
mod panics;
#[cfg(feature = "rayon")]
mod parallel;
#[cfg(not(feature = "rayon"))]
mod parallel_off;
pub(crate) mod parts;
mod population;
mod populations;
mod readers;
#[cfg(feature = "save")]
pub(crate) mod record;
mod replace;
pub(crate) mod replaced;
#[cfg(feature = "save")]
pub(crate) mod restore;
#[cfg(feature = "save")]
pub(crate) mod restored_tokens;
#[cfg(feature = "save")]
pub(crate) mod save;
#[cfg(feature = "save")]
pub(crate) mod saved_parts;
#[cfg(feature = "save")]
pub(crate) mod saved_tree;
mod settings;
mod slots;
mod snapshot;
mod tick;
mod ties;
mod trees;
#[cfg(feature = "save")]
mod waiting;

use std::sync::{Arc, OnceLock};

use crate::Time;
use crate::blackboard::EventError;
use crate::blackboard::events::ForestEvents;
use crate::blackboard::shared::{Owner, Shared};
use crate::blackboard::view::SharedView;
use crate::clock::{self, DtError, Span};
use crate::event::Event;
use crate::host::Host;
use crate::host::call::Call;
use crate::ids::salted::{Salt, SaltedMap};
use crate::ids::{AgentId, GroupId, StaleError, TreeId};
use crate::life::Flags;
use crate::machine::scratch::Scratch;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::tree::Tree;
pub use agent::AgentRef;
pub use agent_mut::AgentMut;
pub use budget::Budget;
use chunk::Chunk;
pub use compare::{Comparison, WouldRestart};
#[cfg(feature = "save")]
pub use damage::Damage;
pub use error::{AddTreeError, ReplaceTreeError, RollbackError, SnapshotError, SpawnError, TreeChange};
#[cfg(feature = "save")]
pub use error::{RestoreError, SaveError};
pub use explain::{Explanation, KeyRead, Note, Obstacle, Question, QuestionKind, Remaining, WhyNot};
pub use footprint::Footprint;
pub use groups::{GroupMut, GroupRef};
pub(crate) use heirs::heirs;
pub(crate) use inspect::AgentState;
pub use inspect::{AbortView, AgentView, Current, MonitorView, TokenHolder, TokenView};
use lives::Lives;
use origins::Origins;
pub(crate) use panics::Panics;
use parts::ForestParts;
use population::Population;
pub use populations::{PopulationMut, PopulationRef};
pub use replaced::{KeyChange, Replace, ReplaceReport, RestartCause, Restarted, WhatChanged};
#[cfg(feature = "save")]
pub use restore::RestoreReport;
pub use settings::Settings;
pub use snapshot::Snapshot;
use tick::Tally;
use trees::{ChunkPlace, Cursor, Place, Trees};

/// What an agent is doing, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Ticked.
    Active,
    /// Asleep: the next tick at which it has something to do wakes it. See
    /// [`Context::sleep`](crate::Context::sleep).
    Asleep,
    /// Paused: not ticked, and its own time stands still.
    Paused,
    /// Disabled, or finished under [`Completion::Stop`](crate::Completion::Stop).
    Off,
    /// Off because one of its leaves panicked.
    Panicked,
}

impl Phase {
    pub(crate) fn of(flags: Flags) -> Self {
        if flags.contains(Flags::PANICKED) {
            Phase::Panicked
        } else if !flags.contains(Flags::ENABLED) {
            Phase::Off
        } else if flags.contains(Flags::PAUSED) {
            Phase::Paused
        } else if flags.contains(Flags::ASLEEP) {
            Phase::Asleep
        } else {
            Phase::Active
        }
    }
}

/// What one tick did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TickReport {
    /// Agents ticked.
    pub ticked: u64,
    /// Agents that slept through the tick: they fell asleep earlier and were not ticked, even if
    /// they were due to wake.
    pub asleep: u64,
    /// Agents whose root ended.
    pub ended: u64,
    /// Conditional aborts.
    pub aborts: u64,
}

/// Agents of any number of trees.
///
/// It holds no clock, no thread and no randomness except its seed: the same seed, calls and inputs
/// produce the same run on every machine. It ticks agents tree by tree, in an order that depends
/// only on the calls.
///
/// To work with one agent, one group or all agents of a tree, use the handles that the forest
/// lends: [`agent`](Forest::agent), [`group`](Forest::group) and [`population`](Forest::population)
/// to look, [`agent_mut`](Forest::agent_mut), [`group_mut`](Forest::group_mut) and
/// [`population_mut`](Forest::population_mut) to change.
///
/// It is `Send` and `Sync`: it can be a resource of an ECS, and other threads may read it between
/// ticks.
pub struct Forest<H: Host> {
    places: SaltedMap<AgentId, Place>,
    trees: Trees<H>,
    shared: Shared,
    /// What its trees declare about events.
    events: ForestEvents,
    call: Call,
    origins: Origins,
    scratch: Scratch,
    seed: u64,
    spawned: u64,
    /// [`MAX_AGENTS`](crate::limits::MAX_AGENTS); less in tests, which have less memory.
    most: usize,
    /// The number of frames so far (SEMANTICS 8.2).
    frame: u64,
    /// Every chunk tracks the turns of its agents.
    paced: bool,
    /// How often agents were restored, or the forest was rolled back.
    #[cfg(feature = "save")]
    epoch: u64,
    cursor: Cursor,
    /// Which forest it is, for snapshots; made with the first of them.
    mark: OnceLock<Arc<()>>,
    #[cfg(feature = "rayon")]
    workers: Vec<parallel::Worker>,
}

impl<H: Host> Forest<H> {
    /// An empty forest. `seed` determines the random streams of all its agents.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let salt = Salt::of(seed);
        Forest {
            places: SaltedMap::new(salt),
            trees: Trees::new(salt),
            shared: Shared::new(salt, Owner::Forest),
            events: ForestEvents::default(),
            call: Call::default(),
            origins: Origins::default(),
            scratch: Scratch::default(),
            seed,
            spawned: 0,
            most: crate::limits::MAX_AGENTS,
            frame: 0,
            paced: false,
            #[cfg(feature = "save")]
            epoch: 0,
            cursor: Cursor::default(),
            mark: OnceLock::new(),
            #[cfg(feature = "rayon")]
            workers: Vec::new(),
        }
    }

    /// The forest with a tracer, which sees what agents do in calls made through the returned
    /// value. Costs nothing until you make such a call: see [`Traced`].
    pub fn traced<'a, T: Tracer>(&'a mut self, tracer: &'a mut T) -> Traced<'a, Self, T> {
        Traced { it: self, tracer }
    }

    /// The tree with this id.
    ///
    /// # Errors
    /// If the forest does not have it.
    pub fn tree(&self, tree: TreeId) -> Result<&Arc<Tree<H>>, StaleError> {
        self.trees.get(tree).map(|it| &it.shape.tree).ok_or(StaleError::Tree(tree))
    }

    /// All agents, in tick order: tree by tree, as [`trees`](Forest::trees) lists them, and within
    /// a tree as [`PopulationRef::agents`](crate::handles::PopulationRef::agents). The iterator
    /// borrows the forest: to change the agents, collect the ids first.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> {
        let trees = self.trees.ids().filter_map(|it| self.trees.get(it));
        trees.flat_map(|it| it.chunks.iter()).flat_map(|it| it.ids().iter().copied())
    }

    /// All groups that [`new_group`](Forest::new_group) made, in an order that depends only on the
    /// calls. An agent in none of them has its own group if its tree has group keys; such groups
    /// are left out.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.shared.groups()
    }

    /// The trees, in the order in which you added them.
    pub fn trees(&self) -> impl Iterator<Item = TreeId> {
        self.trees.ids()
    }

    /// Lets `dt` seconds pass and gives every agent that is due a turn (SEMANTICS 8.2). Then
    /// carries out what leaves requested.
    ///
    /// Time is kept in nanoseconds. `dt` is rounded up to whole nanoseconds, and the rounding is
    /// not carried to the next tick: steps of less than a microsecond make time run fast
    /// (SEMANTICS 8.1).
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or above [`MAX_DT`](crate::limits::MAX_DT). Nothing
    /// happens then.
    ///
    /// # Panics
    /// If a leaf does (SEMANTICS 8.6). Its agent is then [`Phase::Panicked`], with nothing active,
    /// and no `end` is called. The agents after it get no turn in this frame, in batches those
    /// after its up to 1 024; the `dt` of their next turn includes this frame's time. The forest
    /// stays usable.
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<TickReport, DtError> {
        self.traced(&mut NoTracer).tick(cx, dt)
    }

    /// Counts the frame and lets time pass.
    fn begin_frame(&mut self, dt: Span) {
        self.frame += 1;
        self.call.pass(dt);
        self.call.give_back();
        if self.shared.has_rested(self.call.now) {
            self.shared.end_rests(self.call.now, |_| {});
        }
        if self.shared.has_changed() {
            self.trees.tell(&mut self.shared, &self.places, None);
        }
    }

    /// Whether the forest has this agent.
    #[must_use]
    pub fn contains(&self, agent: AgentId) -> bool {
        self.places.contains_key(agent)
    }

    /// The number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the forest has no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.len() == 0
    }

    /// The seconds that have passed in this forest.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.call.now.seconds()
    }

    /// The same as keys and expressions have it: `now`.
    #[must_use]
    pub fn now(&self) -> Time {
        self.call.now.time()
    }

    /// Sends an event to every agent that is not off and whose tree knows the event.
    ///
    /// # Errors
    /// If there are trees and none knows the event, or one declares it with another payload
    /// (SEMANTICS 8.27). No agent receives it then.
    pub fn broadcast(&mut self, event: Event) -> Result<(), EventError> {
        let schemas = || self.trees.ids().filter_map(|it| self.trees.get(it)).map(|it| it.shape.tree.schema());
        let mut known = self.trees.len() == 0;
        for schema in schemas() {
            known |= event.is_known(schema)?;
        }
        if !known {
            return Err(event.unknown(schemas().collect::<Vec<_>>().into_iter()));
        }
        self.trees.for_each(|population| {
            if event.is_known(population.shape.tree.schema()) == Ok(true) {
                for chunk in &mut population.chunks {
                    chunk.rows().for_each(|to| chunk.deliver(to, event));
                }
            }
        });
        Ok(())
    }

    fn find(&self, agent: AgentId) -> Result<(&Population<H>, &Chunk<H>, Row), StaleError> {
        let place = self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (population, chunk) = self.trees.find(*place);
        Ok((population, chunk, place.row()))
    }

    fn chunk_mut(&mut self, agent: AgentId) -> Result<(&mut Chunk<H>, Row), StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        Ok((self.trees.find_mut(place).1, place.row()))
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::tick`].
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or above [`MAX_DT`](crate::limits::MAX_DT). Nothing
    /// happens then.
    ///
    /// # Panics
    /// If a leaf panics. Its agent is then [`Panicked`](crate::Phase::Panicked).
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<TickReport, DtError> {
        Ok(self.tick_span(cx, clock::dt(dt)?))
    }

    /// The same for a span.
    pub(crate) fn tick_span(&mut self, cx: &mut H::Cx<'_>, dt: Span) -> TickReport {
        self.begin_frame(dt);
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.begin_inputs(dt);
        }
        let mut tally = Tally::default();
        let mut lost = None;
        let (mut parts, trees, places) = self.parts_of_all();
        let all = ChunkPlace::default()..ChunkPlace::END;
        trees.for_chunks(all, places, &mut parts, |parts, number, shape, chunk| {
            if lost.is_some() {
                chunk.miss(parts);
                return;
            }
            #[cfg(feature = "save")]
            if T::INPUTS {
                chunk.begin_inputs(shape, parts);
            }
            let reached = chunk.tick(shape, cx, parts, &mut tally);
            // In a replay a panic belongs to its own agent only.
            if tally.panics.any() && !T::REPLAYS {
                lost = Some(Cursor { chunk: number, row: reached });
            }
        });
        if let Some(lost) = lost {
            self.cursor = lost;
        }
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.end_inputs();
        }
        tally.panics.go_on();
        self.carry_out(cx);
        tally.report
    }

    /// What agents see of the forest in a frame, and the trees with their agents.
    fn parts(&mut self) -> (ForestParts<'_, T>, &mut Trees<H>) {
        let (parts, trees, _) = self.parts_of_all();
        (parts, trees)
    }

    /// The same, and where each agent is.
    fn parts_of_all(&mut self) -> (ForestParts<'_, T>, &mut Trees<H>, &SaltedMap<AgentId, Place>) {
        let (forest, tracer) = (&mut *self.it, &mut *self.tracer);
        if T::ENABLED {
            tracer.frame(forest.frame, forest.call.now.seconds());
        }
        let parts = ForestParts {
            shared: SharedView::Own(&mut forest.shared),
            call: &mut forest.call,
            scratch: &mut forest.scratch,
            tracer,
            frame: forest.frame,
        };
        (parts, &mut forest.trees, &forest.places)
    }

    /// The same in a call that is not a frame.
    fn parts_between(&mut self) -> (ForestParts<'_, T>, &mut Trees<H>) {
        self.call.before = self.call.now;
        self.parts()
    }
}

impl<H: Host> std::fmt::Debug for Forest<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forest").field("agents", &self.len()).field("trees", &self.trees.len()).finish_non_exhaustive()
    }
}
