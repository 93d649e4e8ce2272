//! S6: reloading the guard tree while agents run it.

use std::sync::Arc;
use std::time::Duration;

use pleach::{Forest, Registry, Replace, Tree, Value, load_str};
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

/// Guards in the arena whose tree is loaded and replaced, again and again, with a frame in between.
/// They carry on where they were, or restart.
pub struct Reload<const KEEPS: bool> {
    game: Game,
    registry: Registry<Arena>,
}

impl<const KEEPS: bool> std::fmt::Debug for Reload<KEEPS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reload").field("game", &self.game).finish_non_exhaustive()
    }
}

fn load(registry: &Registry<Arena>) -> Tree<Arena> {
    load_str("guard.ron", SOURCE, registry).expect("the tree is right")
}

impl<const KEEPS: bool> Reload<KEEPS> {
    fn frame(&mut self) {
        self.game.frame(DT).expect("it is a valid dt");
    }

    /// From the text to agents that run the new tree.
    fn reload(&mut self) -> Duration {
        let (tree, registry) = (self.game.tree(), &self.registry);
        self.game.with_forest(|forest, cx| {
            let by = || if KEEPS { Replace::keep(load(registry)) } else { Replace::restart(load(registry)) };
            let reload = || forest.replace_tree(cx, tree, by()).expect("the only tree of the forest");
            timed(reload).1
        })
    }

    /// What all guards know.
    fn known(&self) -> Vec<Value> {
        let forest: &Forest<Arena> = &self.game.forest;
        let all = self.game.agents().iter().flat_map(|&it| forest.agent(it).expect("it is here").inspect().keys);
        all.map(|it| it.1).collect()
    }

    /// How many guards are doing something.
    fn busy(&self) -> usize {
        self.game
            .agents()
            .iter()
            .filter(|&&it| self.game.forest.agent(it).map(|it| it.current()).is_ok_and(|mut it| it.next().is_some()))
            .count()
    }
}

impl<const KEEPS: bool> Task for Reload<KEEPS> {
    const NAME: &'static str = PLEACH;
    const WORKLOAD: Workload = if KEEPS { Workload::Keep } else { Workload::Reload };

    fn new(size: u32) -> Self {
        let registry = pleach_arena::registry();
        let game = Game::new(Arc::new(load(&registry)), size as usize, 7).expect("the arena has room");
        let mut reload = Self { game, registry };
        (0..FRAMES).for_each(|_| reload.frame());
        reload
    }

    fn check() -> Result<(), Wrong> {
        const GUARDS: u32 = 600;
        let mut reload = Self::new(GUARDS);
        let wrong = |what: &str| Err(Wrong { name: Self::NAME, scene: Self::WORKLOAD.to_string(), what: what.into() });
        let (known, busy) = (reload.known(), reload.busy());
        reload.reload();
        if busy == 0 || reload.busy() != if KEEPS { busy } else { 0 } {
            return wrong("what the guards did has ended, or has not");
        }
        if reload.known() != known {
            return wrong("the guards know something else");
        }
        reload.frame();
        if reload.busy() < busy { wrong("not all guards went on") } else { Ok(()) }
    }
}

impl<const KEEPS: bool> Racer for Reload<KEEPS> {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            // So that there is something to end.
            self.frame();
            took += self.reload();
        }
        took
    }
}
