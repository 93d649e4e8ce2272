//! The forest: agents of many trees, ticked together.

mod chunk;
mod error;
mod inspect;
mod keys;
mod population;
pub(crate) mod requests;
pub(crate) mod salted;
mod tick;

use std::collections::VecDeque;
use std::sync::Arc;

use slotmap::new_key_type;

use crate::blackboard::board::Board;
use crate::blackboard::shared::{GroupId, Shared, SharedKeyError};
use crate::clock::{self, DtError, Nanos};
use crate::context::Letter;
use crate::limits::MAX_AGENTS;
use crate::machine::state::{RunState, Scratch};
use crate::trace::{NoTracer, Tracer};
use crate::tree::Footprint;
use crate::{Event, Host, Outcome, Reason, Tree, rng};
use chunk::{CHUNK, Chunk, Flags, World};
pub use error::{AccessError, SpawnError, StaleError};
pub use inspect::{AbortView, AgentView, MonitorView};
use population::Population;
use requests::Request;
use salted::{Salt, SaltedMap};

new_key_type! {
    /// An agent of a forest. The id of a despawned agent stays stale; it could only come back after two thousand million
    /// more spawns in the same place. An id of another forest counts as stale, unless the two
    /// have the same seed: the same seed and calls give the same ids.
    pub struct AgentId;
    /// A tree in a forest.
    pub struct TreeId;
}

/// What an agent does when its root has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completion {
    /// Starts the root again in the next tick.
    #[default]
    Restart,
    /// Stays finished until it is enabled again.
    Stop,
}

/// What an agent is doing, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Ticked.
    Active,
    /// Ticked when it wakes up: see [`Context::sleep`](crate::Context::sleep).
    Asleep,
    /// Paused: neither ticked nor growing older.
    Paused,
    /// Disabled, or finished under [`Completion::Stop`].
    Off,
    /// Off because one of its leaves panicked during a tick.
    Panicked,
}

/// How an agent is spawned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spawn {
    /// What it does when its root has ended.
    pub completion: Completion,
    /// Its group; without one it is a group of its own. Of no use to an agent whose tree has no group keys.
    pub group: Option<GroupId>,
    /// The state of its random stream; without one it is drawn from the forest's seed and the number of agents spawned
    /// before.
    pub seed: Option<u64>,
}

/// What one tick did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickReport {
    /// Agents ticked.
    pub ticked: u64,
    /// Agents that slept through it.
    pub asleep: u64,
    /// Agents whose root ended.
    pub ended: u64,
    /// Conditional aborts.
    pub aborts: u64,
}

/// Where an agent is.
#[derive(Clone, Copy, Debug)]
struct Place {
    tree: TreeId,
    /// The agent's row among all of its tree's: rows are cut into chunks.
    row: u32,
}

impl Place {
    fn new(tree: TreeId, chunk: usize, at: usize) -> Self {
        Place { tree, row: u32::try_from(chunk * CHUNK + at).expect("bounded by MAX_AGENTS") }
    }
    fn chunk(self) -> usize {
        self.row as usize / CHUNK
    }
    fn at(self) -> usize {
        self.row as usize % CHUNK
    }
}

/// Agents of any number of trees.
///
/// It holds no clock, no thread and no randomness but its seed: the same seed, calls and inputs give the same run on
/// every machine. Agents are ticked tree by tree, in an order that depends only on the calls.
pub struct Forest<H: Host, T: Tracer = NoTracer> {
    places: SaltedMap<AgentId, Place>,
    trees: SaltedMap<TreeId, Population<H>>,
    /// The trees in the order in which they came.
    order: Vec<TreeId>,
    shared: Shared,
    requests: VecDeque<Request>,
    scratch: Scratch,
    now: Nanos,
    seed: u64,
    spawned: u64,
    every_tick: bool,
    sleep: bool,
    tracer: T,
}

impl<H: Host> Forest<H> {
    /// An empty forest. `seed` decides all random streams of its agents.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Forest::with_tracer(seed, NoTracer)
    }
}

impl<H: Host, T: Tracer> Forest<H, T> {
    /// An empty forest with a tracer.
    #[must_use]
    pub fn with_tracer(seed: u64, tracer: T) -> Self {
        let salt = Salt::of(seed);
        Forest {
            places: SaltedMap::new(salt),
            trees: SaltedMap::new(salt),
            order: Vec::new(),
            shared: Shared::new(salt),
            requests: VecDeque::new(),
            scratch: Scratch::default(),
            now: 0,
            seed,
            spawned: 0,
            every_tick: false,
            sleep: true,
            tracer,
        }
    }

    /// The tracer.
    pub fn tracer_mut(&mut self) -> &mut T {
        &mut self.tracer
    }

    /// Whether every watched condition is evaluated in every tick, as SEMANTICS 5 has it to the letter, instead of only
    /// when a key that it observes has changed. The agents do the same either way; off at first.
    pub fn set_reevaluate_every_tick(&mut self, on: bool) {
        self.every_tick = on;
        self.wake_all();
    }

    /// Whether agents that have nothing to do before a certain time are left alone until then. They do the same either
    /// way; on at first.
    pub fn set_sleep(&mut self, on: bool) {
        self.sleep = on;
        self.wake_all();
    }

    /// Takes a tree in. Costs nothing per node: the tree is shared.
    ///
    /// # Errors
    /// If a group or global key has another type than in a tree that is already here.
    pub fn add_tree(&mut self, tree: impl Into<Arc<Tree<H>>>) -> Result<TreeId, SharedKeyError> {
        let tree = tree.into();
        let map = self.shared.admit(&tree.schema)?;
        self.scratch.fit(&tree);
        let id = self.trees.insert(Population::new(tree, map));
        self.order.push(id);
        Ok(id)
    }

    /// The tree of an id.
    ///
    /// # Errors
    /// If it is not here.
    pub fn tree(&self, tree: TreeId) -> Result<&Arc<Tree<H>>, StaleError> {
        self.trees.get(tree).map(|it| &it.shape.tree).ok_or(StaleError::Tree(tree))
    }

    /// The trees, in the order in which they came.
    pub fn trees(&self) -> impl Iterator<Item = TreeId> {
        self.order.iter().copied()
    }

    /// Adds an agent, enabled; nothing of it runs before the next tick, but leaves with an `awake` are told.
    ///
    /// # Errors
    /// If the tree is not here, or the forest is full.
    pub fn spawn(&mut self, cx: &mut H::Cx<'_>, tree: TreeId) -> Result<AgentId, SpawnError> {
        self.spawn_with(cx, tree, Spawn::default())
    }

    /// As [`spawn`](Forest::spawn), with choices.
    ///
    /// # Errors
    /// If the tree or the group is not here, or the forest is full.
    pub fn spawn_with(&mut self, cx: &mut H::Cx<'_>, tree: TreeId, spawn: Spawn) -> Result<AgentId, SpawnError> {
        if let Some(group) = spawn.group
            && !self.shared.has_group(group)
        {
            return Err(StaleError::Group(group).into());
        }
        if self.places.len() >= MAX_AGENTS {
            return Err(SpawnError::Full);
        }
        let population = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        let group = population.shape.grouped.then(|| spawn.group.unwrap_or_else(|| self.shared.new_group()));
        let rng = spawn.seed.map_or_else(|| rng::stream(self.seed, self.spawned), rng::exact);
        self.spawned += 1;
        let chunk = population.chunk_with_room();
        let at = population.chunks[chunk].len();
        population.chunks[chunk].prepare();
        let id = self.places.insert(Place::new(tree, chunk, at));
        population.chunks[chunk].push(id, rng, group);
        if spawn.completion == Completion::Stop {
            population.chunks[chunk].flags[at] |= Flags::STOPS;
        }
        self.with_chunk(id, |chunk, shape, at, world| chunk.enable(shape, cx, world, at))?;
        Ok(id)
    }

    /// Ends an agent's nodes with [`Reason::Despawned`] and removes it.
    ///
    /// # Errors
    /// If it is not here.
    pub fn despawn(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, world| chunk.disable(shape, cx, world, at, Reason::Despawned))?;
        let place = self.places.remove(agent).ok_or(StaleError::Agent(agent))?;
        let population = self.trees.get_mut(place.tree).expect("a tree stays as long as it has agents");
        let chunk = &mut population.chunks[place.chunk()];
        let group = chunk.groups.get(place.at()).copied();
        chunk.swap_remove(place.at());
        if let Some(&moved) = chunk.ids.get(place.at()) {
            self.places[moved].row = place.row;
        }
        population.made_room(place.chunk());
        if let Some(group) = group {
            self.shared.leave(group);
        }
        Ok(())
    }

    /// Lets `dt` seconds pass and ticks every agent that is due; then carries out what leaves requested.
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or beyond [`MAX_DT`](crate::limits::MAX_DT): nothing happens then.
    ///
    /// # Panics
    /// If a leaf does. Its agent is then [`Phase::Panicked`], with nothing active and its `end`s not called; the agents
    /// behind it miss this tick but not its time; the forest stays usable.
    pub fn tick(&mut self, cx: &mut H::Cx<'_>, dt: f32) -> Result<TickReport, DtError> {
        let dt = clock::dt(dt)?;
        self.now = self.now.saturating_add(dt);
        let mut report = TickReport::default();
        for index in 0..self.order.len() {
            let Population { shape, chunks, .. } = &mut self.trees[self.order[index]];
            let mut world = World {
                shared: &mut self.shared,
                requests: &mut self.requests,
                scratch: &mut self.scratch,
                tracer: &mut self.tracer,
                now: self.now,
                dt,
                every_tick: self.every_tick,
                sleep: self.sleep,
            };
            for chunk in chunks {
                chunk.tick(shape, cx, &mut world, &mut report);
            }
        }
        self.carry_out(cx);
        Ok(report)
    }

    /// Carries out requests in the order in which they were made. What they cause can request more: that is carried out
    /// as well, behind them.
    fn carry_out(&mut self, cx: &mut H::Cx<'_>) {
        // Taken out before it is carried out: if a leaf panics meanwhile, the next tick goes on behind it.
        while let Some(request) = self.requests.pop_front() {
            // The only error is that an agent is gone by now, and the docs of the requests say what that means.
            let _gone = match request {
                Request::Send(agent, event) => self.send(agent, event),
                Request::Disable(agent) => self.disable(cx, agent),
                Request::Restart(agent) => self.restart(cx, agent),
                Request::Despawn(agent) => self.despawn(cx, agent),
            };
        }
    }

    /// Enables an agent that is off: from scratch, with its blackboard as it is.
    ///
    /// # Errors
    /// If it is not here.
    pub fn enable(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, world| chunk.enable(shape, cx, world, at))
    }

    /// Ends an agent's nodes with [`Reason::Stopped`]; it stays off until it is enabled.
    ///
    /// # Errors
    /// If it is not here.
    pub fn disable(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, world| chunk.disable(shape, cx, world, at, Reason::Stopped))
    }

    /// [`disable`](Forest::disable) and [`enable`](Forest::enable). A paused agent is not paused any more.
    ///
    /// # Errors
    /// If it is not here.
    pub fn restart(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.disable(cx, agent)?;
        self.enable(cx, agent)
    }

    /// Pauses an agent: its active leaves are told; it is not ticked, and its time stands still. Nothing happens to one
    /// that is off.
    ///
    /// # Errors
    /// If it is not here.
    pub fn pause(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, world| chunk.pause(shape, cx, world, at, true))
    }

    /// Lets a paused agent go on.
    ///
    /// # Errors
    /// If it is not here.
    pub fn unpause(&mut self, cx: &mut H::Cx<'_>, agent: AgentId) -> Result<(), StaleError> {
        self.with_chunk(agent, |chunk, shape, at, world| chunk.pause(shape, cx, world, at, false))
    }

    /// Changes what an agent does when its root has ended.
    ///
    /// # Errors
    /// If it is not here.
    pub fn set_completion(&mut self, agent: AgentId, completion: Completion) -> Result<(), StaleError> {
        let (chunk, at) = self.chunk_mut(agent)?;
        chunk.flags[at].set(Flags::STOPS, completion == Completion::Stop);
        Ok(())
    }

    /// What an agent is doing, in a word.
    ///
    /// # Errors
    /// If it is not here.
    pub fn phase(&self, agent: AgentId) -> Result<Phase, StaleError> {
        let (_, chunk, at) = self.find(agent)?;
        let flags = chunk.flags[at];
        Ok(if flags.contains(Flags::PANICKED) {
            Phase::Panicked
        } else if !flags.contains(Flags::ENABLED) {
            Phase::Off
        } else if flags.contains(Flags::PAUSED) {
            Phase::Paused
        } else if flags.contains(Flags::ASLEEP) {
            Phase::Asleep
        } else {
            Phase::Active
        })
    }

    /// How an agent's root ended last, if it ever did.
    ///
    /// # Errors
    /// If it is not here.
    pub fn last_outcome(&self, agent: AgentId) -> Result<Option<Outcome>, StaleError> {
        let (_, chunk, at) = self.find(agent)?;
        Ok(chunk.ended(at))
    }

    /// Whether the agent is here.
    #[must_use]
    pub fn contains(&self, agent: AgentId) -> bool {
        self.places.contains_key(agent)
    }

    /// How many agents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.len() == 0
    }

    /// How many agents a tree has.
    ///
    /// # Errors
    /// If the tree is not here.
    pub fn population(&self, tree: TreeId) -> Result<usize, StaleError> {
        self.trees.get(tree).map(Population::len).ok_or(StaleError::Tree(tree))
    }

    /// The agents of a tree, in the order in which they are ticked.
    ///
    /// # Errors
    /// If the tree is not here.
    pub fn agents(&self, tree: TreeId) -> Result<impl Iterator<Item = AgentId>, StaleError> {
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        Ok(population.chunks.iter().flat_map(|it| it.ids.iter().copied()))
    }

    /// The seconds that have passed in this forest.
    #[must_use]
    pub fn time(&self) -> f64 {
        clock::seconds(self.now)
    }

    /// Sends an event to an agent. It waits for the agent's next tick, however long that takes.
    ///
    /// # Errors
    /// If the agent is not here.
    pub fn send(&mut self, agent: AgentId, event: Event) -> Result<(), StaleError> {
        let (chunk, at) = self.chunk_mut(agent)?;
        chunk.deliver(Letter { to: at, event });
        Ok(())
    }

    /// Sends an event to every agent.
    pub fn broadcast(&mut self, event: Event) {
        for population in self.trees.values_mut() {
            for chunk in &mut population.chunks {
                (0..chunk.len()).for_each(|to| chunk.deliver(Letter { to, event }));
            }
        }
    }

    /// Something changed that any agent may have to look at.
    fn wake_all(&mut self) {
        for chunk in self.trees.values_mut().flat_map(|it| &mut it.chunks) {
            (0..chunk.len()).for_each(|at| chunk.wake(at));
        }
    }

    fn find(&self, agent: AgentId) -> Result<(&Population<H>, &Chunk<H>, usize), StaleError> {
        let place = self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let population = &self.trees[place.tree];
        Ok((population, &population.chunks[place.chunk()], place.at()))
    }

    fn chunk_mut(&mut self, agent: AgentId) -> Result<(&mut Chunk<H>, usize), StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        Ok((&mut self.trees[place.tree].chunks[place.chunk()], place.at()))
    }

    /// Runs a lifecycle call on an agent's chunk.
    fn with_chunk<R>(
        &mut self,
        agent: AgentId,
        call: impl FnOnce(&mut Chunk<H>, &population::Shape<H>, usize, &mut World<'_, T>) -> R,
    ) -> Result<R, StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let Population { shape, chunks, .. } = &mut self.trees[place.tree];
        let mut world = World {
            shared: &mut self.shared,
            requests: &mut self.requests,
            scratch: &mut self.scratch,
            tracer: &mut self.tracer,
            now: self.now,
            dt: 0,
            every_tick: self.every_tick,
            sleep: self.sleep,
        };
        Ok(call(&mut chunks[place.chunk()], shape, place.at(), &mut world))
    }
}

impl<H: Host, T: Tracer> std::fmt::Debug for Forest<H, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forest").field("agents", &self.len()).field("trees", &self.order.len()).finish_non_exhaustive()
    }
}

/// Removes one agent's row from a column of rows; the last row takes its place.
pub(crate) fn swap_remove_row<V: Copy>(column: &mut Vec<V>, width: usize, agent: usize) {
    let last = column.len() - width;
    column.copy_within(last.., agent * width);
    column.truncate(last);
}

/// The bytes of one agent; see [`Tree::footprint`].
pub(crate) fn footprint<H: Host>(tree: &Tree<H>) -> Footprint {
    let (blackboard, tracking) = Board::new(&tree.schema, Arc::clone(&tree.items.watch), tree.items.words).bytes();
    let grouped = if tree.schema.columns()[1] > 0 { size_of::<GroupId>() } else { 0 };
    Footprint {
        hot: RunState::new(tree).bytes() + tracking + size_of::<Flags>(),
        // A slot of the slot map is its place and a version.
        cold: Chunk::<H>::bytes() + grouped + size_of::<Place>() + size_of::<u32>(),
        blackboard,
        leaves: tree.leaves.iter().map(|it| it.state_bytes()).sum(),
    }
}
