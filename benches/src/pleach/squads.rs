//! Squads on several threads: every agent adds one to each of four keys of its group in every tick.

use std::time::{Duration, Instant};

use pleach::nodes::action;
use pleach::{Context, Forest, GroupId, Spawn, Status, Tree, schema::Scope};

use super::threads::Threads;
use super::{Agents, DefaultWay, forest};
use crate::crowd::{Crowd, Totals};
use crate::racer::Racer;
use crate::squad::{KEYS, Squads};

/// The names of the keys.
const NAMES: [&str; KEYS as usize] = ["seen", "heard", "hurt", "lost"];

/// A crowd in a forest that is ticked on `THREADS` threads; with 0 by [`Forest::tick`].
pub struct ThreadSquads<const THREADS: usize> {
    forest: Forest<Agents>,
    squads: Vec<GroupId>,
    threads: Threads<DefaultWay, THREADS>,
}

impl<const THREADS: usize> std::fmt::Debug for ThreadSquads<THREADS> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ThreadSquads").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<const THREADS: usize> Crowd for ThreadSquads<THREADS> {
    type Scene = Squads;
    const NAME: &'static str = Threads::<DefaultWay, THREADS>::NAME;

    fn new(agents: u32, scene: Squads) -> Self {
        let mut builder = Tree::<Agents>::builder("squad");
        let keys = NAMES.map(|it| builder.key_in(Scope::Group, it, 0_i64));
        let count = action(move |cx: &mut Context<'_, '_, Agents>| {
            for key in keys {
                let count = cx.get(key);
                cx.set(key, count.wrapping_add(1));
            }
            Status::Running
        });
        let mut forest = forest::<DefaultWay, _>();
        let tree = forest.add_tree(builder.build(count).expect("a valid tree")).expect("the first tree");
        let mut squads = Vec::new();
        for agent in 0..agents {
            if agent.is_multiple_of(scene.size()) {
                squads.push(forest.new_group());
            }
            let spawn = Spawn { group: squads.last().copied(), ..Spawn::default() };
            forest.spawn_with(&mut (), tree, spawn).expect("the forest has room");
        }
        Self { forest, squads, threads: Threads::new() }
    }

    fn frame(&mut self, _: u32) {
        self.threads.tick(&mut self.forest);
    }

    fn totals(&self) -> Totals {
        let values =
            self.squads.iter().flat_map(|&it| NAMES.map(|name| self.forest.group(it).unwrap().keys().value(name)));
        let counted = values.map(|it| match it {
            Ok(pleach::Value::Int(count)) => count.unsigned_abs(),
            other => unreachable!("a squad counts in ints, not {other:?}"),
        });
        Totals { counted: counted.sum(), ..Totals::default() }
    }
}

impl<const THREADS: usize> Racer for ThreadSquads<THREADS> {
    fn play(&mut self, frames: u32) -> Duration {
        let began = Instant::now();
        for _ in 0..frames {
            self.threads.tick(&mut self.forest);
        }
        began.elapsed()
    }
}
