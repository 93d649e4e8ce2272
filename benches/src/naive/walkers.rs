//! Walkers.

use super::Agent;
use super::nodes::{Node, Status, inverter, selector, sequence};
use crate::crowd::{Crowd, Totals};
use crate::walk::{self, LENGTH};

/// A crowd with a tree of boxes and a counter per agent.
#[derive(Debug)]
pub struct NaiveWalkers(Vec<Agent<u32>>);

impl Crowd for NaiveWalkers {
    type Scene = walk::Walk;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, _: walk::Walk) -> Self {
        Self((0..agents).map(|_| Agent { body: 0, root: tree() }).collect())
    }

    fn frame(&mut self, _: u32) {
        self.0.iter_mut().for_each(Agent::tick);
    }

    fn totals(&self) -> Totals {
        walk::totals(self.0.iter().map(|agent| agent.body))
    }
}

fn tree() -> Box<dyn Node<u32>> {
    let actions: [_; LENGTH as usize] = std::array::from_fn(|at| -> Box<dyn Node<u32>> {
        if at % 2 == 0 { Box::new(Walk) } else { Box::new(Step) }
    });
    selector([inverter(inverter(selector([inverter(sequence(actions)), inverter(inverter(Box::new(Walk)))])))])
}

/// An action of the host. It has no data, so its boxes take no memory: the most favourable case for
/// boxes.
struct Walk;

/// The other one.
struct Step;

impl Node<u32> for Walk {
    fn tick(&mut self, walked: &mut u32) -> Status {
        *walked = walked.wrapping_add(1);
        Status::Success
    }
}

impl Node<u32> for Step {
    fn tick(&mut self, walked: &mut u32) -> Status {
        *walked = walked.wrapping_add(1);
        Status::Success
    }
}
