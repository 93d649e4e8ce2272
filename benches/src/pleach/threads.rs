//! Guards on several threads. What a guard has done is on its blackboard, so that an agent's tick
//! writes to the agent, as in a game, and to nothing that threads share.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use pleach::{Forest, Key, TreeBuilder, TreeId};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::guards::{Cx, Keys, Ledger, sense, tree};
use super::{Agents, DT, DefaultWay, OtherWay, Way, forest};
use crate::crowd::{Crowd, Totals};
use crate::guard::{Deed, Guards, begin, event};
use crate::racer::Racer;

/// In the order of [`Deed`].
const COLUMNS: [&str; 6] = ["flee", "attack", "moved", "wait", "approach", "waypoint"];

impl Ledger for Agents {
    type Place = [Key<i64>; COLUMNS.len()];

    fn place(tree: &mut TreeBuilder<Self>) -> Self::Place {
        COLUMNS.map(|it| tree.key(it, 0))
    }

    #[inline]
    fn note(cx: &mut Cx<'_, '_, Self>, place: Self::Place, deed: Deed) {
        let key = place[deed as usize];
        let count = cx.get(key);
        cx.set(key, count.wrapping_add(1));
    }
}

/// The names of the forests that tick in the default way: with [`Forest::tick`], on one thread,
/// on two threads.
pub const DEFAULT_THREADS: [&str; 3] = names::<DefaultWay>();
/// The names of those that tick the other way.
pub const OTHER_THREADS: [&str; 3] = names::<OtherWay>();

const fn names<R: Way>() -> [&'static str; 3] {
    if R::BATCHED {
        [R::NAME, "batched-threads-1", "batched-threads-2"]
    } else {
        [R::NAME, "in-order-threads-1", "in-order-threads-2"]
    }
}

/// This many threads; with 0 the calling one.
pub(super) struct Threads<R, const THREADS: usize>(Option<ThreadPool>, PhantomData<R>);

impl<R: Way, const THREADS: usize> Threads<R, THREADS> {
    /// The name under which results are reported.
    pub(super) const NAME: &'static str = names::<R>()[THREADS];

    pub(super) fn new() -> Self {
        let pool = || ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads can be started");
        Self((THREADS > 0).then(pool), PhantomData)
    }

    pub(super) fn tick(&self, forest: &mut Forest<Agents>) {
        let report = match &self.0 {
            Some(pool) => pool.install(|| forest.tick_parallel(DT, |_| (), drop)),
            None => forest.tick(&mut (), DT),
        };
        report.expect("it is a valid dt");
    }
}

/// A crowd in a forest that is ticked on `THREADS` threads; with 0 by [`Forest::tick`], on the
/// calling one.
pub struct ThreadGuards<R, const THREADS: usize> {
    scene: Guards,
    forest: Forest<Agents>,
    tree: TreeId,
    keys: Keys,
    place: [Key<i64>; COLUMNS.len()],
    threads: Threads<R, THREADS>,
    /// Frames played.
    played: u32,
}

impl<R, const THREADS: usize> std::fmt::Debug for ThreadGuards<R, THREADS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThreadGuards").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way, const THREADS: usize> ThreadGuards<R, THREADS> {
    /// What happens to the guards before their tick.
    fn events(&mut self, frame: u32) {
        if self.scene == Guards::Churn {
            sense(&mut self.forest, self.tree, &self.keys, |id, guard| {
                if let Some(event) = event(id, frame) {
                    event.happen_to(guard);
                }
            });
        }
    }

    fn tick(&mut self) {
        self.threads.tick(&mut self.forest);
    }
}

impl<R: Way, const THREADS: usize> Crowd for ThreadGuards<R, THREADS> {
    type Scene = Guards;
    const NAME: &'static str = Threads::<R, THREADS>::NAME;

    fn new(agents: u32, scene: Guards) -> Self {
        let (tree, keys, place) = tree::<Agents>(scene);
        let mut forest = forest::<R, _>();
        let tree = forest.add_tree(tree).expect("the first tree");
        for _ in 0..agents {
            forest.spawn(&mut (), tree).expect("the forest has room");
        }
        if scene == Guards::Churn {
            sense(&mut forest, tree, &keys, |id, guard| begin(id, guard));
        }
        Self { scene, forest, tree, keys, place, threads: Threads::new(), played: 0 }
    }

    fn frame(&mut self, frame: u32) {
        self.events(frame);
        self.tick();
    }

    fn totals(&self) -> Totals {
        let sum = |deed: Deed| -> u64 {
            let counts = self
                .forest
                .population(self.tree)
                .expect("it is a key of the agents")
                .column(self.place[deed as usize])
                .expect("it is a key of the agents");
            counts.flat_map(|it| it.1).map(|it| it.unsigned_abs()).sum()
        };
        Totals {
            flee: sum(Deed::Flee),
            attack: sum(Deed::Attack),
            noise: sum(Deed::Noise),
            wait: sum(Deed::Wait),
            approach: sum(Deed::Approach),
            waypoint: sum(Deed::Waypoint),
            ..Totals::default()
        }
    }
}

impl<R: Way, const THREADS: usize> Racer for ThreadGuards<R, THREADS> {
    /// Only ticks are timed, in wall-clock time: the events are the game's, and on one thread.
    fn play(&mut self, frames: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..frames {
            self.events(self.played);
            self.played = self.played.wrapping_add(1);
            let began = Instant::now();
            self.tick();
            took += began.elapsed();
        }
        took
    }
}
