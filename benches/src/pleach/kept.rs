//! S6: guards of the arena, kept in memory and in a save.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use pleach::{Forest, Registry, Save, Tree, load_str};
use pleach_arena::{Arena, Game};

use super::{DT, PLEACH};
use crate::crowd::Wrong;
use crate::racer::{Racer, Task};
use crate::stopwatch::timed;
use crate::workload::Workload;

/// The guard in one file, which stays as it is: figures of another day are compared with it.
const SOURCE: &str = include_str!("../../guard.ron");
/// The frames until guards are under way, each on its own stretch of its route.
const FRAMES: u32 = 30;

/// Guards of the arena that are under way.
fn guards(size: u32) -> Game {
    let mut game = Game::new(Arc::new(tree(&pleach_arena::registry())), size as usize, 7).expect("the arena has room");
    (0..FRAMES).for_each(|_| frame(&mut game));
    game
}

fn tree(registry: &Registry<Arena>) -> Tree<Arena> {
    load_str("guard.ron", SOURCE, registry).expect("the tree is right")
}

fn frame(game: &mut Game) {
    game.frame(DT).expect("it is a valid dt");
}

/// What all guards do, in words.
fn told(game: &Game) -> Vec<String> {
    let view = |it| game.forest.agent(it).expect("it is here").inspect().to_string();
    game.agents().iter().copied().map(view).collect()
}

fn wrong<T: Task>(what: &str) -> Result<(), Wrong> {
    Err(Wrong { name: T::NAME, scene: T::WORKLOAD.to_string(), what: what.into() })
}

/// Snapshots of guards, taken or rolled back to, again and again with a frame in between.
#[derive(Debug)]
pub struct Snapshots<const BACK: bool>(Game);

impl<const BACK: bool> Task for Snapshots<BACK> {
    const NAME: &'static str = if BACK { "pleach-rollback" } else { PLEACH };
    const WORKLOAD: Workload = Workload::Snapshot;

    fn new(size: u32) -> Self {
        Self(guards(size))
    }

    fn check() -> Result<(), Wrong> {
        let mut game = guards(600);
        let (snapshot, before) = (game.forest.snapshot().expect("no state of the arena is lost"), told(&game));
        (0..FRAMES).for_each(|_| frame(&mut game));
        if told(&game) == before {
            return wrong::<Self>("nothing happens");
        }
        game.forest.rollback(&snapshot).expect("it is one of this forest");
        if told(&game) == before { Ok(()) } else { wrong::<Self>("the guards are not as they were") }
    }
}

impl<const BACK: bool> Racer for Snapshots<BACK> {
    fn play(&mut self, times: u32) -> Duration {
        let game = &mut self.0;
        let mut took = Duration::ZERO;
        for _ in 0..times {
            let (snapshot, taking) = timed(|| game.forest.snapshot().expect("no state of the arena is lost"));
            frame(game);
            let ((), going_back) = timed(|| game.forest.rollback(&snapshot).expect("it is one of this forest"));
            took += if BACK { going_back } else { taking };
            frame(game);
        }
        took
    }
}

/// The floor of a snapshot: as many bytes as these guards take, copied into a new list.
#[derive(Debug)]
pub struct Copied {
    game: Game,
    bytes: Vec<u8>,
}

impl Task for Copied {
    const NAME: &'static str = "copy";
    const WORKLOAD: Workload = Workload::Snapshot;

    fn new(size: u32) -> Self {
        let game = guards(size);
        let tree = game.forest.tree(game.tree()).expect("it is here");
        let bytes = vec![1; tree.footprint().total() * size as usize];
        Self { game, bytes }
    }
}

impl Racer for Copied {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            let (copy, time) = timed(|| black_box(&self.bytes).clone());
            black_box(copy);
            took += time;
            // The same frames as in the other benchmarks, so that caches are as cold.
            (0..2).for_each(|_| frame(&mut self.game));
        }
        took
    }
}

/// Guards that are saved in a binary format, or restored from it into a new forest.
pub struct Saves<const BACK: bool> {
    game: Game,
    tree: Arc<Tree<Arena>>,
}

impl<const BACK: bool> std::fmt::Debug for Saves<BACK> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Saves").field("game", &self.game).finish_non_exhaustive()
    }
}

impl<const BACK: bool> Saves<BACK> {
    fn save(&self) -> Vec<u8> {
        let save = self.game.forest.save().expect("no state of the arena is lost");
        postcard::to_stdvec(&save).expect("it is written to memory")
    }

    /// A new forest from a save; the game's own does not change.
    fn restore(&mut self, bytes: &[u8]) -> Forest<Arena> {
        let mut new = Forest::new(0);
        new.add_tree(Arc::clone(&self.tree)).expect("the first tree");
        let save: Save = postcard::from_bytes(bytes).expect("it was just written");
        self.game.with_forest(|_, cx| new.restore(cx, &save)).expect("it is right");
        new
    }
}

impl<const BACK: bool> Task for Saves<BACK> {
    const NAME: &'static str = if BACK { "pleach-restore" } else { PLEACH };
    const WORKLOAD: Workload = Workload::Save;

    fn new(size: u32) -> Self {
        let game = guards(size);
        let tree = Arc::clone(game.forest.tree(game.tree()).expect("it is here"));
        Self { game, tree }
    }

    fn check() -> Result<(), Wrong> {
        let mut saves = Self::new(600);
        let (bytes, before) = (saves.save(), told(&saves.game));
        let mut restored = saves.restore(&bytes);
        std::mem::swap(&mut saves.game.forest, &mut restored);
        // All have been woken.
        let words = |all: Vec<String>| -> Vec<String> { all.iter().map(|it| it.replace(" (asleep)", "")).collect() };
        if words(told(&saves.game)) == words(before) {
            Ok(())
        } else {
            wrong::<Self>("the guards are not as they were")
        }
    }
}

impl<const BACK: bool> Racer for Saves<BACK> {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            frame(&mut self.game);
            let (bytes, saving) = timed(|| self.save());
            took += if BACK { timed(|| self.restore(&bytes)).1 } else { saving };
        }
        took
    }
}

/// The bytes per guard in a save of this many, in the binary format.
#[must_use]
pub fn saved_bytes(guards: u32) -> f64 {
    let bytes = u32::try_from(Saves::<false>::new(guards).save().len()).unwrap_or(u32::MAX);
    f64::from(bytes) / f64::from(guards)
}
