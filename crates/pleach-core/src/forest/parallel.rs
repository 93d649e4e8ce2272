//! Chunks of agents on several threads (SEMANTICS 8.7).

use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;

use super::chunk::Chunk;
use super::panics::Panics;
use super::parts::ForestParts;
use super::parts::Shape;
use super::population::Population;
use super::tick::Tally;
use super::trees::{ChunkPlace, Cursor, Trees};
use super::{AgentId, Forest, TickReport};
use crate::blackboard::place::SharedPlace;
use crate::blackboard::shared::{Cell, Shared};
use crate::blackboard::token_writes::Homes;
use crate::blackboard::view::SharedView;
use crate::blackboard::writes::Writes;
use crate::clock::{self, DtError};
use crate::host::call::Call;
use crate::inputs::Inputs;
use crate::machine::scratch::Scratch;
use crate::row::Row;
use crate::trace::{NoTracer, TraceEvent, Traced, Tracer};
use crate::{GroupId, Host};

/// What a chunk needs for itself while other chunks are ticked, and the results of its tick.
#[derive(Debug, Default)]
pub(super) struct Worker {
    call: Call,
    writes: Writes,
    scratch: Scratch,
    traced: Vec<(AgentId, TraceEvent)>,
    /// Notes the inputs of the chunk, if they are recorded.
    inputs: Option<Inputs>,
    /// The number of the chunk.
    chunk: u32,
}

/// What a chunk's tick returns to the thread that began the tick.
struct Ticked<C> {
    /// The context that was made for the chunk, if `make` returned one.
    cx: Option<C>,
    tally: Tally,
    /// Where the tick ended.
    reached: Cursor,
}

/// Keeps what the forest's tracer wants until it is this chunk's turn.
struct Later<'a, T: Tracer> {
    tracer: &'a T,
    traced: &'a mut Vec<(AgentId, TraceEvent)>,
    inputs: Option<&'a mut Inputs>,
}

impl<T: Tracer> Tracer for Later<'_, T> {
    const ENABLED: bool = T::ENABLED;
    const INPUTS: bool = T::INPUTS;
    fn inputs(&mut self) -> Option<&mut Inputs> {
        self.inputs.as_deref_mut()
    }
    fn wants(&self, agent: AgentId) -> bool {
        self.tracer.wants(agent)
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        self.traced.push((agent, event));
    }
}

/// What all chunks see of the forest.
struct Common<'a, T: Tracer> {
    shared: &'a Shared,
    tracer: &'a T,
    frame: u64,
    call: &'a Call,
    /// The home of each token of the forest (SEMANTICS 8.36).
    homes: &'a [(SharedPlace, u32)],
    /// The number of the chunk that an agent is in.
    chunk_of: &'a (dyn Fn(AgentId) -> Option<u32> + Sync),
}

impl Worker {
    /// Ticks a chunk with a context of its own.
    fn tick<'a, H: Host, T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        chunk: &mut Chunk<H>,
        common: &Common<'_, T>,
        place: ChunkPlace,
        make: impl FnOnce() -> H::Cx<'a>,
    ) -> Ticked<H::Cx<'a>> {
        self.scratch.fit(&shape.tree);
        self.call.follow(common.call);
        self.call.give_back();
        self.chunk = chunk.number;
        let (mut cx, mut tally) = (None, Tally::default());
        let (frame, chunk_of) = (common.frame, common.chunk_of);
        let homes = Homes { frame, chunk: chunk.number, of_forest: common.homes, chunk_of };
        let mut parts = ForestParts {
            shared: SharedView::Over(common.shared, &mut self.writes, &homes),
            call: &mut self.call,
            scratch: &mut self.scratch,
            tracer: &mut Later { tracer: common.tracer, traced: &mut self.traced, inputs: self.inputs.as_mut() },
            frame: common.frame,
        };
        if tally.panics.catch(|| cx = Some(make())) {
            chunk.miss(&parts);
        }
        let row = match &mut cx {
            Some(cx) => chunk.tick(shape, cx, &mut parts, &mut tally),
            None => Row::FIRST,
        };
        Ticked { cx, tally, reached: Cursor { chunk: place, row } }
    }
}

impl<H: Host> Forest<H> {
    /// As [`tick`](Forest::tick), on the threads of the [rayon](https://docs.rs/rayon) pool that it
    /// is called in. The result does not depend on the number of threads.
    ///
    /// Each chunk of up to 1 024 agents gets a context of its own from `make`, which gets the
    /// chunk's number. In this context leaves note what they want to do to the world that all
    /// share. Then `done` gets the contexts, chunk by chunk, so that it finds the notes in the
    /// order of the agents. A last context is made for what leaves requested (the `end`s of a
    /// despawn, for example).
    ///
    /// When an agent writes a group or global key, the agents after it in its chunk see that at
    /// once, and all others when the tick is over. If several chunks write the same key, the last
    /// one counts, even if it writes the value from before (SEMANTICS 8.7).
    ///
    /// Pays off from a few thousand agents on; where a tick is much work for each agent, from a few
    /// dozen on, in [smaller chunks](crate::Settings::chunk_size). Allocates a list of the
    /// contexts, one per chunk.
    ///
    /// # Examples
    /// If the world does not change during a tick, all threads read it, and agents write their own
    /// keys. There is nothing to collect.
    ///
    /// ```
    /// # use pleach_core::nodes::action;
    /// # use pleach_core::{Context, Entity, Forest, Host, Spawn, Status, Tree};
    /// /// How warm it is at each place.
    /// struct Meadow {
    ///     warmth: Vec<f32>,
    /// }
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = &'a Meadow;
    /// }
    ///
    /// let mut builder = Tree::<Game>::builder("sheep");
    /// let goal = builder.key("goal", 0.0_f32);
    /// let look = action(move |cx: &mut Context<'_, '_, Game>| {
    ///     let meadow: &Meadow = *cx.host;
    ///     let Some(sheep) = cx.entity().index() else { return Status::Failure };
    ///     let warmer = |it: &usize| meadow.warmth.get(*it) > meadow.warmth.get(sheep);
    ///     let place = (sheep + 1..meadow.warmth.len()).find(warmer).unwrap_or(sheep);
    ///     cx.set(goal, place as f32);
    ///     Status::Running
    /// });
    /// let mut meadow = Meadow { warmth: vec![0.1, 0.0, 0.4] };
    /// let mut forest = Forest::new(7);
    /// let sheep = forest.add_tree(builder.build(look)?)?;
    /// for index in 0..3 {
    ///     let spawn = Spawn { entity: Entity::from_index(index), ..Spawn::default() };
    ///     forest.spawn_with(&mut &meadow, sheep, spawn)?;
    /// }
    ///
    /// forest.tick_parallel(0.1, |_| &meadow, |_| ())?;
    /// let goals: Vec<f32> = forest.population(sheep)?.column(goal)?.flat_map(|it| it.1.to_vec()).collect();
    /// assert_eq!(goals, [2.0, 2.0, 2.0]);
    /// // Between ticks the game has the world for itself.
    /// meadow.warmth[0] = 1.0;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Agents note what they want to do to the world, and the game does it after the tick:
    ///
    /// ```
    /// # use pleach_core::nodes::action;
    /// # use pleach_core::{Context, Entity, Forest, Host, Spawn, Status, Tree};
    /// struct World {
    ///     places: Vec<f32>,
    ///     food: f32,
    /// }
    /// /// The state of the world before the tick, which all threads read, and what agents want to
    /// /// do, which is done after it.
    /// struct Cx<'a> {
    ///     world: &'a World,
    ///     notes: Vec<Note>,
    /// }
    /// enum Note {
    ///     Walk(usize, f32),
    ///     Eat(f32),
    /// }
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = Cx<'a>;
    /// }
    ///
    /// let graze = action(|cx: &mut Context<'_, '_, Game>| {
    ///     let Some(sheep) = cx.entity().index() else { return Status::Failure };
    ///     let here = cx.host.world.places[sheep];
    ///     cx.host.notes.push(if here < 2.0 { Note::Walk(sheep, here + 1.0) } else { Note::Eat(0.5) });
    ///     Status::Running
    /// });
    /// let mut world = World { places: vec![0.0, 5.0, 1.0], food: 9.0 };
    /// let mut forest = Forest::<Game>::new(7);
    /// let sheep = forest.add_tree(Tree::builder("sheep").build(graze)?)?;
    /// let mut cx = Cx { world: &world, notes: Vec::new() };
    /// for index in 0..3 {
    ///     forest.spawn_with(&mut cx, sheep, Spawn { entity: Entity::from_index(index), ..Spawn::default() })?;
    /// }
    ///
    /// let mut notes = Vec::new();
    /// let make = |_| Cx { world: &world, notes: Vec::new() };
    /// forest.tick_parallel(0.1, make, |cx| notes.extend(cx.notes))?;
    /// for note in notes {
    ///     match note {
    ///         Note::Walk(sheep, to) => world.places[sheep] = to,
    ///         Note::Eat(food) => world.food -= food,
    ///     }
    /// }
    /// assert_eq!((world.places, world.food), (vec![1.0, 5.0, 2.0], 8.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`tick`](Forest::tick).
    ///
    /// # Panics
    /// If a leaf or `make` does: as with [`tick`](Forest::tick), but the other chunks are ticked to
    /// their end. `done` gets all contexts first. Of several panics the first in the order of
    /// chunks is resumed. The next call then carries out what leaves requested, also if it was the
    /// last `make` that panicked.
    pub fn tick_parallel<'a>(
        &mut self,
        dt: f32,
        make: impl Fn(usize) -> H::Cx<'a> + Sync,
        done: impl FnMut(H::Cx<'a>),
    ) -> Result<TickReport, DtError>
    where
        H::Cx<'a>: Send,
    {
        self.traced(&mut NoTracer).tick_parallel(dt, make, done)
    }
}

impl<H: Host, T: Tracer + Sync> Traced<'_, Forest<H>, T> {
    /// As [`Forest::tick_parallel`].
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or above [`MAX_DT`](crate::limits::MAX_DT). Nothing
    /// happens then.
    ///
    /// # Panics
    /// If a leaf or `make` panics. The other chunks are ticked to their end.
    pub fn tick_parallel<'a>(
        &mut self,
        dt: f32,
        make: impl Fn(usize) -> H::Cx<'a> + Sync,
        mut done: impl FnMut(H::Cx<'a>),
    ) -> Result<TickReport, DtError>
    where
        H::Cx<'a>: Send,
    {
        let dt = clock::dt(dt)?;
        self.begin_frame(dt);
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.begin_inputs(dt);
            self.lend_inputs();
        }
        let (forest, tracer) = (&mut *self.it, &mut *self.tracer);
        if T::ENABLED {
            tracer.frame(forest.frame, forest.call.now.seconds());
        }
        let chunks = forest.trees.chunks();
        if forest.workers.len() < chunks {
            forest.workers.resize_with(chunks, Worker::default);
        }
        let places = &forest.places;
        let chunk_of = |agent| places.get(agent).map(|it| it.home());
        let (frame, call) = (forest.frame, &forest.call);
        let homes = forest.trees.token_homes(frame);
        let shared = &forest.shared;
        let common = Common { shared, tracer: &*tracer, frame, call, homes: &homes, chunk_of: &chunk_of };
        let mut ticked: Vec<Ticked<H::Cx<'a>>> = Vec::with_capacity(chunks);
        let mut first = 0;
        let workers = &mut forest.workers;
        forest.trees.for_each(|Population { shape, chunks, order, .. }| {
            let (shape, make, tree) = (&*shape, &make, *order as usize);
            let workers = &mut workers[first..first + chunks.len()];
            let work = chunks.par_iter_mut().zip(workers).enumerate();
            ticked.par_extend(work.map(|(index, (chunk, worker))| {
                let place = ChunkPlace { tree, chunk: index };
                worker.tick(shape, chunk, &common, place, || make(first + index))
            }));
            first += chunks.len();
        });
        let mut workers = forest.workers[..chunks].iter_mut();
        forest.trees.for_each(|Population { shape, chunks, .. }| {
            for worker in workers.by_ref().take(chunks.len()) {
                forest.call.requests.append(&mut worker.call.requests);
                for (agent, event) in worker.traced.drain(..) {
                    tracer.record_named(|| Arc::clone(shape.tree.trace_names()), agent, event);
                }
            }
        });
        for worker in &mut forest.workers[..chunks] {
            worker.writes.tokens.apply(&mut forest.shared, forest.call.now);
        }
        if forest.shared.has_changed() {
            // Also the agents of the chunk that did it: it saw the places as they were before.
            forest.trees.tell(&mut forest.shared, &forest.places, None);
        }
        for worker in &mut forest.workers[..chunks] {
            worker.writes.apply(&mut forest.shared);
            if forest.shared.has_changed() {
                forest.trees.tell(&mut forest.shared, &forest.places, Some(worker.chunk));
            }
        }
        let (mut report, mut panics) = (TickReport::default(), Panics::default());
        for Ticked { cx, tally, reached } in ticked {
            cx.map(&mut done);
            report.add(tally.report);
            if tally.panics.any() && !panics.any() {
                forest.cursor = reached;
            }
            panics.append(tally.panics);
        }
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.take_inputs_back();
            self.end_inputs();
        }
        panics.go_on();
        if !self.call.requests.is_empty() {
            let mut cx = make(chunks);
            self.carry_out(&mut cx);
            done(cx);
        }
        Ok(report)
    }
}

#[cfg(feature = "save")]
impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// Lets each chunk note its inputs by itself.
    fn lend_inputs(&mut self) {
        let (mut parts, trees) = self.parts();
        let mut lent = Vec::new();
        trees.for_each(|Population { shape, chunks, .. }| {
            for chunk in chunks {
                if chunk.end() > Row::FIRST {
                    chunk.begin_inputs(shape, &mut parts);
                }
                lent.push(parts.tracer.inputs().and_then(|it| it.lend(chunk.number)));
            }
        });
        let workers = &mut self.it.workers;
        if workers.len() < lent.len() {
            workers.resize_with(lent.len(), Worker::default);
        }
        workers.iter_mut().zip(lent).for_each(|(worker, inputs)| worker.inputs = inputs);
    }

    fn take_inputs_back(&mut self) {
        for worker in &mut self.it.workers {
            if let Some((lent, inputs)) = worker.inputs.take().zip(self.tracer.inputs()) {
                inputs.take_back(worker.chunk, lent);
            }
        }
    }
}

impl<H: Host> Trees<H> {
    /// For each token of the forest, the key, and the number of the chunk that is its home in a
    /// frame: one of the chunks of trees that have it, each in turn.
    fn token_homes(&self, frame: u64) -> Vec<(SharedPlace, u32)> {
        let mut chunks: IndexMap<SharedPlace, Vec<u32>> = IndexMap::new();
        for (_, Population { shape, chunks: own, .. }) in self.populations() {
            for token in shape.tree.tokens.iter().filter(|it| it.terms.global) {
                if let Cell::Global(at) = Cell::of(&shape.map, GroupId::default(), token.scope, token.key) {
                    chunks
                        .entry(at)
                        .or_default()
                        .extend(own.iter().filter(|it| it.end() != Row::FIRST).map(|it| it.number));
                }
            }
        }
        let home = |all: &[u32]| all.get(usize::try_from(frame % (all.len() as u64).max(1)).ok()?).copied();
        chunks.iter().filter_map(|(at, all)| Some((*at, home(all)?))).collect()
    }
}

impl TickReport {
    fn add(&mut self, other: TickReport) {
        let TickReport { ticked, asleep, ended, aborts } = other;
        self.ticked += ticked;
        self.asleep += asleep;
        self.ended += ended;
        self.aborts += aborts;
    }
}
