//! S5: agents of eight trees in the arena, spawned in random order; a tenth of them is
//! awake.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use pleach::{AgentId, Entity, Forest, Key, Spawn, TickReport, Tree, load_str};
use pleach_arena::{ActorId, Arena, ArenaCx, Cast, Demo, Journal, Kind, Kinds, ToEntity, World};

use super::{DT, Way, forest};
use crate::crowd::Wrong;
use crate::guard::draw;
use crate::racer::{Racer, Task};
use crate::stopwatch::timed;
use crate::workload::Workload;

/// A tree, the kind of actor that plays it, and a key that sometimes changes.
struct Part {
    file: &'static str,
    source: &'static str,
    actor: Option<Kind>,
    key: Option<&'static str>,
}

macro_rules! part {
    ($file:literal, $actor:expr, $key:expr) => {
        Part { file: $file, source: include_str!(concat!("../../../", $file)), actor: $actor, key: $key }
    };
}

/// Trees of actors that walk about. They are awake in most ticks.
const WALKERS: [Part; 4] = [
    part!("benches/guard.ron", Some(Kind::Guard), None),
    part!("trees/fighter.ron", Some(Kind::Fighter), None),
    part!("trees/rabbit.ron", Some(Kind::Rabbit), None),
    part!("trees/minimal.ron", Some(Kind::Guard), None),
];
/// Trees that wait most of the time, and need no actor.
const WAITERS: [Part; 4] = [
    part!("trees/luabt/bt1.ron", None, Some("alarm")),
    part!("trees/luabt/bt2.ron", None, Some("left")),
    part!("trees/luabt/bt3.ron", None, Some("thief")),
    part!("trees/luabt/bt4.ron", None, Some("armed")),
];

/// How many of 1 024 agents are walkers. With the waiters that wake, a tenth of all are awake.
const WALKING: u32 = 72;
/// Agents are spawned in this many waves, one per frame: if all began to wait at once, they would
/// always wake at once.
const WAVES: u32 = 240;
/// How many of 1 024 waiters have a changed key in each frame.
const CHANGING: u32 = 4;
/// How much other data is touched between frames.
const OTHER_BYTES: usize = 64 << 20;
const LINE_BYTES: usize = 64;

/// Agents of all these trees, in one forest.
pub struct Mixed<R> {
    forest: Forest<Arena>,
    world: World,
    cast: Cast,
    journal: Journal,
    agents: Vec<(AgentId, Option<Key<bool>>)>,
    other: Vec<u8>,
    frame: u32,
    /// What the last frame did.
    report: TickReport,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for Mixed<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mixed").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Mixed<R> {
    /// Plays a frame; only the tick is timed.
    pub fn frame(&mut self) -> Duration {
        self.frame = self.frame.wrapping_add(1);
        self.between();
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        let (report, took) = timed(|| self.forest.tick(&mut cx, DT).expect("it is a valid dt"));
        self.report = report;
        took
    }

    /// The share of the agents that the last frame ticked.
    #[must_use]
    pub fn awake(&self) -> f64 {
        self.report.ticked as f64 / self.agents.len() as f64
    }

    /// A fingerprint of the world.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.world.digest()
    }

    /// The rest of a game: the world moves, keys change, and the caches are filled with something
    /// else.
    fn between(&mut self) {
        self.world.step(DT).expect("it is a valid dt");
        for (id, &(agent, key)) in (0..).zip(&self.agents) {
            if let Some(key) = key.filter(|_| draw(id, self.frame) < CHANGING) {
                let before = self.forest.keys(agent).expect("the agent is here").get(key);
                self.forest.keys_mut(agent).expect("the agent is here").set(key, !before);
            }
        }
        for at in (0..self.other.len()).step_by(LINE_BYTES) {
            self.other[at] = self.other[at].wrapping_add(1);
        }
        black_box(&mut self.other);
    }
}

impl<R: Way> Task for Mixed<R> {
    const NAME: &'static str = R::NAME;
    const WORKLOAD: Workload = Workload::Mixed;

    fn new(size: u32) -> Self {
        let registry = pleach_arena::registry();
        let mut forest = forest::<R, _>();
        let mut parts = WALKERS.into_iter().chain(WAITERS).map(|part| {
            let tree: Tree<Arena> = load_str(part.file, part.source, &registry).expect("the trees are right");
            let tree = Arc::new(tree);
            let id = forest.add_tree(Arc::clone(&tree)).expect("agents' keys have no conflicts");
            let key = part.key.map(|it| tree.key(it).expect("the tree declares it"));
            (id, key, part.actor)
        });
        let walkers: [_; WALKERS.len()] = std::array::from_fn(|_| parts.next().expect("as many as there are"));
        let waiters: [_; WAITERS.len()] = std::array::from_fn(|_| parts.next().expect("as many as there are"));
        drop(parts);

        // `draw(_, 0)` says which group, `draw(_, 1)` which tree of it: the order of spawning is
        // random.
        let of = |id| if draw(id, 0) < WALKING { walkers } else { waiters }[draw(id, 1) as usize % WALKERS.len()];
        let count = |kind| (0..size).filter(|&id| of(id).2 == Some(kind)).count();
        let count = |kind| u32::try_from(count(kind)).expect("at most `size`");
        let demo = Demo {
            guards: count(Kind::Guard),
            fighters: count(Kind::Fighter),
            rabbits: count(Kind::Rabbit),
            ..Demo::new(7)
        };
        let mut world = World::demo(&demo).expect("the arena has room for one in ten");
        let actors = |kind| world.actors_of(Kinds::from(kind)).collect::<Vec<ActorId>>();
        let (mut guards, mut fighters, mut rabbits) =
            (actors(Kind::Guard), actors(Kind::Fighter), actors(Kind::Rabbit));
        let (mut cast, mut journal) = (Cast::default(), Journal::default());
        let mut agents = Vec::with_capacity(size as usize);
        for id in 0..size {
            let (tree, key, kind) = of(id);
            let actor = match kind {
                Some(Kind::Guard) => guards.pop(),
                Some(Kind::Fighter) => fighters.pop(),
                Some(Kind::Rabbit) => rabbits.pop(),
                Some(Kind::Player | Kind::Dummy | Kind::Civilian | Kind::Boss) | None => None,
            };
            let entity = actor.map_or(Entity::NONE, ToEntity::to_entity);
            let mut cx = ArenaCx { world: &mut world, cast: &mut cast, journal: &mut journal };
            let spawn = Spawn { entity, ..Spawn::default() };
            let agent = forest.spawn_with(&mut cx, tree, spawn).expect("the forest has room");
            agents.push((agent, key));
            if let Some(actor) = actor {
                cast.assign(agent, actor);
            }
            if id % size.div_ceil(WAVES) == 0 {
                let mut cx = ArenaCx { world: &mut world, cast: &mut cast, journal: &mut journal };
                forest.tick(&mut cx, DT).expect("it is a valid dt");
            }
        }
        let other = vec![0; OTHER_BYTES];
        let report = TickReport::default();
        Self { forest, world, cast, journal, agents, other, frame: 0, report, how: PhantomData }
    }

    /// In a forest that evaluates every condition in every tick, no agent with a condition sleeps.
    fn check() -> Result<(), Wrong> {
        let mut mixed = Self::new(4_000);
        let mut awake = 0.0;
        const FRAMES: u32 = 240;
        for _ in 0..FRAMES {
            mixed.frame();
            awake += mixed.awake() / f64::from(FRAMES);
        }
        if R::EVERY_TICK || (0.08..=0.12).contains(&awake) {
            return Ok(());
        }
        let what = format!("{:.1} % of its agents are awake instead of 10 %", awake * 100.0);
        Err(Wrong { name: R::NAME, scene: Self::WORKLOAD.to_string(), what })
    }
}

impl<R: Way> Racer for Mixed<R> {
    fn play(&mut self, frames: u32) -> Duration {
        (0..frames).map(|_| self.frame()).sum()
    }
}
