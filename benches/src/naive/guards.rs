//! Guards.

use super::Agent;
use super::nodes::{Node, Status, aborting_sequence, check, lasting, selector, sequence};
use crate::crowd::{Crowd, Totals};
use crate::guard::{ATTACK_LIMIT, Body, FLEE_LIMIT, Guards, NOISE_LIMIT, WAIT_LIMIT, event};

/// A crowd with a tree of boxes per agent. It cannot observe changes, so both steady scenes are the
/// same to it.
#[derive(Debug)]
pub struct NaiveGuards {
    scene: Guards,
    agents: Vec<Agent<Body>>,
}

impl Crowd for NaiveGuards {
    type Scene = Guards;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Guards) -> Self {
        let agents = (0..agents).map(|id| Agent { body: Body::new(id, scene), root: tree() }).collect();
        Self { scene, agents }
    }

    fn frame(&mut self, frame: u32) {
        match self.scene {
            Guards::Observed | Guards::Polled => self.agents.iter_mut().for_each(Agent::tick),
            Guards::Churn => {
                for (id, agent) in (0..).zip(&mut self.agents) {
                    if let Some(event) = event(id, frame) {
                        event.happen_to(&mut agent.body);
                    }
                    agent.tick();
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        self.agents.iter().map(|agent| agent.body.counts).sum()
    }
}

/// The boxes that most ticks read are made one after the other, so that they lie together.
fn tree() -> Box<dyn Node<Body>> {
    let flee = lasting(FLEE_LIMIT, |body: &mut Body| body.counts.flee += 1);
    let approach = sequence([check(Body::is_far), Box::new(Approach)]);
    let attack = lasting(ATTACK_LIMIT, |body: &mut Body| body.counts.attack += 1);
    let fight = selector([approach, attack]);
    let go = lasting(NOISE_LIMIT, |body: &mut Body| body.counts.noise += 1);
    let wait = lasting(WAIT_LIMIT, |body: &mut Body| body.counts.wait += 1);
    let (is_low, sees, hears) = (check(Body::is_low), check(|body: &Body| body.sees), check(|body: &Body| body.noise));
    selector([
        aborting_sequence([is_low, flee]),
        aborting_sequence([sees, fight]),
        aborting_sequence([hears, go, wait]),
        Box::new(Patrol),
    ])
}

struct Approach;

impl Node<Body> for Approach {
    fn tick(&mut self, body: &mut Body) -> Status {
        if body.approach() { Status::Success } else { Status::Running }
    }
}

struct Patrol;

impl Node<Body> for Patrol {
    fn tick(&mut self, body: &mut Body) -> Status {
        body.patrol();
        Status::Running
    }
}
