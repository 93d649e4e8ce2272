//! Sleepers: a tree of boxes cannot sleep, so it counts frames.

use std::fmt;

use super::nodes::{Node, forever, lasting, sequence};
use crate::crowd::{Crowd, Totals};
use crate::sleep::Sleep;

/// A crowd with a tree of boxes per agent.
pub struct NaiveSleepers {
    roots: Vec<Box<dyn Node<u64>>>,
    /// How often any agent has woken.
    woken: u64,
}

impl Crowd for NaiveSleepers {
    type Scene = Sleep;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        Self { roots: (0..agents).map(|id| tree(id, scene)).collect(), woken: 0 }
    }

    fn frame(&mut self, _: u32) {
        for root in &mut self.roots {
            root.tick(&mut self.woken);
        }
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.woken, ..Totals::default() }
    }
}

impl fmt::Debug for NaiveSleepers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NaiveSleepers").field("woken", &self.woken).finish_non_exhaustive()
    }
}

fn tree(id: u32, scene: Sleep) -> Box<dyn Node<u64>> {
    // Counting is part of the wait: one node fewer than the tree of the workload.
    let [first, second] = scene.waits().map(|frames| lasting(frames, |woken: &mut u64| *woken += 1));
    sequence([lasting(scene.phase(id), |_| {}), forever(sequence([first, second]))])
}
