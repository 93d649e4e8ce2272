//! Agents that live in structs of the game, each a [`Brain`] with its data beside it.

use std::sync::Arc;
use std::time::Duration;

use pleach::{Brain, Context, Host, Tree, TreeBuilder};

use super::guards::{self, Cx, Keys, Ledger, Sensor};
use super::sleepers::{self, Dormitory};
use super::{BRAIN, DT, walkers};
use crate::crowd::{Crowd, Totals};
use crate::guard::{Counts, Deed, Event, Guards, Perceived, begin, event};
use crate::racer::{Racer, Task};
use crate::sleep::Sleep;
use crate::stopwatch::timed;
use crate::walk::{self, Walk};
use crate::workload::Workload;

/// The largest crowd of brains: for more, one would use a forest.
const MOST: u32 = 10_000;

/// The game of guards: a leaf is lent the record of its own guard.
#[derive(Debug)]
struct Post;

impl Host for Post {
    type Cx<'a> = Record;
}

/// What a guard has done, and what it perceives if its conditions are polled.
#[derive(Debug, Default)]
struct Record {
    counts: Counts,
    perceived: Perceived,
}

impl Ledger for Post {
    type Place = ();

    fn place(_: &mut TreeBuilder<Self>) {}

    #[inline]
    fn note(cx: &mut Cx<'_, '_, Self>, (): (), deed: Deed) {
        let count = cx.host.counts.of(deed);
        *count = count.wrapping_add(1);
    }

    #[inline]
    fn perceived<'c>(cx: &'c Cx<'_, '_, Self>) -> Option<&'c Perceived> {
        Some(&cx.host.perceived)
    }
}

/// A guard of the game.
#[derive(Debug)]
struct Guard {
    brain: Brain<Post>,
    record: Record,
}

impl Guard {
    fn new(tree: &Arc<Tree<Post>>, id: u32) -> Self {
        let mut record = Record::default();
        let brain = Brain::new(&mut record, Arc::clone(tree), id.into());
        Self { brain, record }
    }

    fn tick(&mut self) {
        self.brain.tick(&mut self.record, DT).expect("it is a valid dt");
    }

    /// Not inlined, so that the common case pays nothing for it.
    #[inline(never)]
    fn feel(&mut self, event: Event, keys: &Keys) {
        event.happen_to(&mut Sensor { agent: &mut self.brain.keys_mut(), keys });
    }
}

/// A crowd of guards with a brain each.
#[derive(Debug)]
pub struct BrainGuards {
    scene: Guards,
    guards: Vec<Guard>,
    keys: Keys,
}

impl Crowd for BrainGuards {
    type Scene = Guards;
    const NAME: &'static str = BRAIN;
    const MOST: u32 = MOST;

    fn new(agents: u32, scene: Guards) -> Self {
        let (tree, keys, ()) = guards::tree::<Post>(scene);
        let tree = Arc::new(tree);
        let mut guards: Vec<_> = (0..agents).map(|id| Guard::new(&tree, id)).collect();
        if scene == Guards::Churn {
            (0..)
                .zip(&mut guards)
                .for_each(|(id, guard)| begin(id, &mut Sensor { agent: &mut guard.brain.keys_mut(), keys: &keys }));
        }
        Self { scene, guards, keys }
    }

    fn frame(&mut self, frame: u32) {
        let Self { scene, guards, keys } = self;
        match scene {
            Guards::Observed | Guards::Polled => guards.iter_mut().for_each(Guard::tick),
            Guards::Churn => {
                for (id, guard) in (0..).zip(guards) {
                    if let Some(event) = event(id, frame) {
                        guard.feel(event, keys);
                    }
                    guard.tick();
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        self.guards.iter().map(|guard| guard.record.counts).sum()
    }
}

/// The game of walkers: a leaf is lent the counter of its own walker.
#[derive(Debug)]
struct Path;

impl Host for Path {
    type Cx<'a> = u32;
}

/// A crowd of walkers: the brain and the counter of each.
#[derive(Debug)]
pub struct BrainWalkers(Vec<(Brain<Path>, u32)>);

impl Crowd for BrainWalkers {
    type Scene = Walk;
    const NAME: &'static str = BRAIN;
    const MOST: u32 = MOST;

    fn new(agents: u32, _: Walk) -> Self {
        let tree = Arc::new(walkers::tree(|cx: &mut Context<'_, '_, Path>| *cx.host = cx.host.wrapping_add(1)));
        Self((0..agents).map(|id| (Brain::new(&mut 0, Arc::clone(&tree), id.into()), 0)).collect())
    }

    fn frame(&mut self, _: u32) {
        for (brain, walked) in &mut self.0 {
            brain.tick(walked, DT).expect("it is a valid dt");
        }
    }

    fn totals(&self) -> Totals {
        walk::totals(self.0.iter().map(|it| it.1))
    }
}

/// The game of sleepers: a leaf is lent the phase of its own sleeper, and the count of all.
#[derive(Debug)]
struct Bunk;

#[derive(Debug)]
struct Night<'a> {
    phase: &'a mut u32,
    woken: &'a mut u64,
}

impl Host for Bunk {
    type Cx<'a> = Night<'a>;
}

impl Dormitory for Bunk {
    #[inline]
    fn phase<'c>(cx: &'c mut Context<'_, '_, Self>) -> &'c mut u32 {
        cx.host.phase
    }

    #[inline]
    fn wake(cx: &mut Context<'_, '_, Self>) {
        *cx.host.woken += 1;
    }
}

/// A crowd of sleepers: the brain and the phase of each, and how often any of them has woken.
#[derive(Debug)]
pub struct BrainSleepers(Vec<(Brain<Bunk>, u32)>, u64);

impl Crowd for BrainSleepers {
    type Scene = Sleep;
    const NAME: &'static str = BRAIN;
    const MOST: u32 = MOST;

    fn new(agents: u32, scene: Sleep) -> Self {
        let tree = Arc::new(sleepers::tree::<Bunk>(scene));
        let sleeper = |id| {
            let (mut phase, mut woken) = (scene.phase(id), 0);
            let mut night = Night { phase: &mut phase, woken: &mut woken };
            (Brain::new(&mut night, Arc::clone(&tree), id.into()), phase)
        };
        Self((0..agents).map(sleeper).collect(), 0)
    }

    fn frame(&mut self, _: u32) {
        let Self(sleepers, woken) = self;
        for (brain, phase) in sleepers {
            brain.tick(&mut Night { phase, woken }, DT).expect("it is a valid dt");
        }
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.1, ..Totals::default() }
    }
}

/// Makes brains of the guard tree, again and again. Each is ticked once, which is not timed, but
/// what it allocates then counts as its memory.
#[derive(Debug)]
pub struct BrainSpawn {
    tree: Arc<Tree<Post>>,
    brains: Vec<Brain<Post>>,
    record: Record,
}

impl BrainSpawn {
    fn spawn(&mut self, agents: usize) -> Duration {
        let Self { tree, brains, record } = self;
        let spawn = || {
            for seed in (0..).take(agents) {
                brains.push(Brain::new(record, Arc::clone(tree), seed));
            }
        };
        let took = timed(spawn).1;
        for brain in brains {
            brain.tick(record, DT).expect("it is a valid dt");
        }
        took
    }

    /// How many of the last brains are in their first action.
    #[must_use]
    pub fn guards_on_patrol(&self) -> usize {
        self.brains.iter().filter(|it| it.current().next().is_some()).count()
    }
}

impl Task for BrainSpawn {
    const NAME: &'static str = BRAIN;
    const WORKLOAD: Workload = Workload::Spawn;
    const MOST: u32 = MOST;

    fn new(agents: u32) -> Self {
        let tree = Arc::new(guards::tree::<Post>(Guards::Observed).0);
        // Exactly this many, so that the list has the brains' own bytes and nothing else.
        let brains = Vec::with_capacity(agents as usize);
        let mut spawned = Self { tree, brains, record: Record::default() };
        spawned.spawn(agents as usize);
        spawned
    }
}

impl Racer for BrainSpawn {
    fn play(&mut self, times: u32) -> Duration {
        let agents = self.brains.len();
        let mut took = Duration::ZERO;
        for _ in 0..times {
            self.brains.clear();
            took += self.spawn(agents);
        }
        took
    }
}
