//! S6: agents come and go.

use std::time::Duration;

use pleach::{AgentId, Forest, TreeId, inspect::Footprint};

use super::PLEACH;
use super::guards::{self, Game, Records};
use crate::guard::{Guards, draw};
use crate::racer::{Racer, Task};
use crate::stopwatch::timed;
use crate::workload::Workload;

/// The memory of an agent of the guard tree.
#[must_use]
pub fn guard_footprint() -> Footprint {
    guards::tree::<Game>(Guards::Observed).0.footprint()
}

/// A new forest without guards.
fn empty() -> (Forest<Game>, TreeId) {
    let mut forest = Forest::new(7);
    let tree = forest.add_tree(guards::tree::<Game>(Guards::Observed).0).expect("the first tree");
    (forest, tree)
}

/// A new forest of guards, and how long it took to spawn them.
fn spawn(agents: u32) -> (Forest<Game>, Duration) {
    let (mut forest, tree) = empty();
    let (_, time) = timed(|| spawn_all(&mut forest, tree, agents));
    (forest, time)
}

fn spawn_all(forest: &mut Forest<Game>, tree: TreeId, agents: u32) -> Vec<AgentId> {
    // They are not ticked, so nothing is counted.
    (0..agents).map(|_| forest.spawn(&mut Records::default(), tree).expect("the forest has room")).collect()
}

/// Spawns agents into a new forest, again and again; keeps the last forest.
#[derive(Debug)]
pub struct Spawn {
    agents: u32,
    forest: Forest<Game>,
}

impl Task for Spawn {
    const NAME: &'static str = PLEACH;
    const WORKLOAD: Workload = Workload::Spawn;

    fn new(agents: u32) -> Self {
        Self { agents, forest: spawn(agents).0 }
    }
}

impl Racer for Spawn {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            let (forest, time) = spawn(self.agents);
            took += time;
            self.forest = forest;
        }
        took
    }
}

/// Despawns all agents of a forest, in random order, again and again.
#[derive(Debug)]
pub struct Despawn {
    agents: u32,
}

impl Task for Despawn {
    const NAME: &'static str = PLEACH;
    const WORKLOAD: Workload = Workload::Despawn;

    fn new(agents: u32) -> Self {
        Self { agents }
    }
}

impl Racer for Despawn {
    fn play(&mut self, times: u32) -> Duration {
        let mut took = Duration::ZERO;
        for _ in 0..times {
            // Spawning is not what is timed here.
            let (mut forest, tree) = empty();
            let agents = spawn_all(&mut forest, tree, self.agents);
            let mut order: Vec<(u32, AgentId)> = (0..).zip(agents).collect();
            order.sort_by_key(|&(id, _)| (draw(id, 0), draw(id, 1)));
            let despawn = || {
                for (_, agent) in order {
                    forest.agent_mut(agent).expect("it is here until now").despawn(&mut Records::default());
                }
            };
            took += timed(despawn).1;
        }
        took
    }
}
