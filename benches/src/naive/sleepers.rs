//! Sleepers: a tree of boxes has nothing to sleep with, and counts frames.

use super::Agent;
use super::nodes::{Node, forever, lasting, sequence};
use crate::crowd::{Crowd, Totals};
use crate::sleep::{self, Sleep};

/// A crowd with a tree of boxes per agent, and a counter of how often it woke.
#[derive(Debug)]
pub struct NaiveSleepers(Vec<Agent<u32>>);

impl Crowd for NaiveSleepers {
    type Scene = Sleep;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        Self((0..agents).map(|id| Agent { body: 0, root: tree(id, scene) }).collect())
    }

    fn frame(&mut self, _: u32) {
        self.0.iter_mut().for_each(Agent::tick);
    }

    fn totals(&self) -> Totals {
        sleep::totals(self.0.iter().map(|agent| agent.body))
    }
}

fn tree(id: u32, scene: Sleep) -> Box<dyn Node<u32>> {
    // To count is part of the wait: one node less than the tree of the workload.
    let [first, second] = scene.waits().map(|frames| lasting(frames, |woken: &mut u32| *woken += 1));
    sequence(vec![lasting(scene.phase(id), |_| {}), forever(sequence(vec![first, second]))])
}
