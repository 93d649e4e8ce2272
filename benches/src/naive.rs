//! The tree that everyone writes first: a box per node, a tree per agent, and aborts by asking every branch left of the
//! running one in every tick.

use std::fmt;

use crate::workload::{
    ATTACK_LIMIT, Counts, Crowd, FLEE_LIMIT, HEALTHY, LOW_HEALTH, NOISE_LIMIT, REACH, SIGHT, STRIDE, Senses, Totals,
    WAIT_LIMIT, WALK_LENGTH, Workload, begin, event,
};

/// A crowd with a tree of boxes per agent. It has nothing to observe changes with: both steady workloads are the same
/// to it.
#[derive(Debug)]
pub struct Naive {
    workload: Workload,
    agents: Vec<Agent>,
}

impl Crowd for Naive {
    const NAME: &'static str = "naive";

    fn new(agents: u32, workload: Workload) -> Self {
        let agents = (0..agents).map(|id| Agent::new(id, workload)).collect();
        Self { workload, agents }
    }

    fn frame(&mut self, frame: u32) {
        match self.workload {
            Workload::SteadyObserved | Workload::SteadyPolled | Workload::Walk => {
                for agent in &mut self.agents {
                    agent.root.tick(&mut agent.body);
                }
            }
            Workload::Churn => {
                for (id, agent) in (0..).zip(&mut self.agents) {
                    event(id, frame, &mut agent.body);
                    agent.root.tick(&mut agent.body);
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        let guards: Totals = self.agents.iter().map(|agent| agent.body.counts).sum();
        Totals { walked: self.agents.iter().map(|agent| u64::from(agent.body.walked)).sum(), ..guards }
    }
}

struct Agent {
    body: Body,
    root: Box<dyn Node>,
}

impl Agent {
    fn new(id: u32, workload: Workload) -> Self {
        let mut body =
            Body { health: HEALTHY, dist: SIGHT, sees: false, noise: false, walked: 0, counts: Counts::default() };
        let root = match workload {
            Workload::SteadyObserved | Workload::SteadyPolled => guard_tree(),
            Workload::Churn => {
                begin(id, &mut body);
                guard_tree()
            }
            Workload::Walk => walk_tree(),
        };
        Self { body, root }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("body", &self.body).finish_non_exhaustive()
    }
}

/// What the nodes of one agent read and write.
#[derive(Debug)]
struct Body {
    health: f32,
    dist: f32,
    sees: bool,
    noise: bool,
    walked: u32,
    counts: Counts,
}

impl Senses for Body {
    fn health(&self) -> f32 {
        self.health
    }

    fn sees(&self) -> bool {
        self.sees
    }

    fn noise(&self) -> bool {
        self.noise
    }

    fn set_health(&mut self, health: f32) {
        self.health = health;
    }

    fn set_sees(&mut self, sees: bool) {
        self.sees = sees;
    }

    fn set_noise(&mut self, noise: bool) {
        self.noise = noise;
    }

    fn set_dist(&mut self, dist: f32) {
        self.dist = dist;
    }
}

fn guard_tree() -> Box<dyn Node> {
    let approach = sequence(vec![check(|body| body.dist >= REACH), Box::new(Approach)]);
    let attack = lasting(ATTACK_LIMIT, |body| body.counts.attack += 1);
    selector(vec![
        aborting_sequence(vec![
            check(|body| body.health < LOW_HEALTH),
            lasting(FLEE_LIMIT, |body| body.counts.flee += 1),
        ]),
        aborting_sequence(vec![check(|body| body.sees), selector(vec![approach, attack])]),
        aborting_sequence(vec![
            check(|body| body.noise),
            lasting(NOISE_LIMIT, |body| body.counts.noise += 1),
            lasting(WAIT_LIMIT, |body| body.counts.wait += 1),
        ]),
        Box::new(Patrol),
    ])
}

fn walk_tree() -> Box<dyn Node> {
    let actions = (0..WALK_LENGTH).map(|_| -> Box<dyn Node> { Box::new(Action) }).collect();
    selector(vec![inverter(inverter(selector(vec![
        inverter(sequence(actions)),
        inverter(inverter(Box::new(Action))),
    ])))])
}

fn selector(children: Vec<Box<dyn Node>>) -> Box<dyn Node> {
    Box::new(Selector { children, cursor: 0 })
}

fn sequence(children: Vec<Box<dyn Node>>) -> Box<dyn Node> {
    Box::new(Sequence { children, cursor: 0, evaluated: 0, aborts_lower: false })
}

fn aborting_sequence(children: Vec<Box<dyn Node>>) -> Box<dyn Node> {
    Box::new(Sequence { children, cursor: 0, evaluated: 0, aborts_lower: true })
}

fn inverter(child: Box<dyn Node>) -> Box<dyn Node> {
    Box::new(Inverter { child })
}

fn check(test: impl Fn(&Body) -> bool + 'static) -> Box<dyn Node> {
    Box::new(Check { test, last: false })
}

fn lasting(limit: u32, done: impl Fn(&mut Body) + 'static) -> Box<dyn Node> {
    Box::new(Lasting { count: 0, limit, done })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Running,
    Success,
    Failure,
}

trait Node {
    /// Starts the node if it is not running, and updates it. A node that ends leaves itself ready to start again.
    fn tick(&mut self, body: &mut Body) -> Status;

    /// Ends the node from outside, and leaves it ready to start again.
    fn reset(&mut self) {}

    /// Whether a condition in it that may abort branches right of it now says something else than when it was
    /// evaluated. Asked only of nodes that have ended.
    fn has_changed(&self, _body: &Body) -> bool {
        false
    }
}

struct Selector {
    children: Vec<Box<dyn Node>>,
    cursor: usize,
}

impl Node for Selector {
    fn tick(&mut self, body: &mut Body) -> Status {
        // The cursor is 0 between two runs: if it is not, its child is running and those left of it have failed.
        let changed = self.children[..self.cursor].iter().position(|child| child.has_changed(body));
        if let Some(position) = changed {
            self.children[self.cursor].reset();
            self.cursor = position;
        }
        while let Some(child) = self.children.get_mut(self.cursor) {
            match child.tick(body) {
                Status::Running => return Status::Running,
                Status::Success => {
                    self.cursor = 0;
                    return Status::Success;
                }
                Status::Failure => self.cursor += 1,
            }
        }
        self.cursor = 0;
        Status::Failure
    }

    fn reset(&mut self) {
        self.children[self.cursor].reset();
        self.cursor = 0;
    }
}

struct Sequence {
    children: Vec<Box<dyn Node>>,
    cursor: usize,
    /// How many children the last run got to.
    evaluated: usize,
    aborts_lower: bool,
}

impl Node for Sequence {
    fn tick(&mut self, body: &mut Body) -> Status {
        while let Some(child) = self.children.get_mut(self.cursor) {
            match child.tick(body) {
                Status::Running => return Status::Running,
                Status::Success => self.cursor += 1,
                Status::Failure => {
                    self.evaluated = self.cursor + 1;
                    self.cursor = 0;
                    return Status::Failure;
                }
            }
        }
        self.evaluated = self.cursor;
        self.cursor = 0;
        Status::Success
    }

    fn reset(&mut self) {
        self.children[self.cursor].reset();
        self.cursor = 0;
    }

    fn has_changed(&self, body: &Body) -> bool {
        self.aborts_lower && self.children[..self.evaluated].iter().any(|child| child.has_changed(body))
    }
}

struct Inverter {
    child: Box<dyn Node>,
}

impl Node for Inverter {
    fn tick(&mut self, body: &mut Body) -> Status {
        match self.child.tick(body) {
            Status::Running => Status::Running,
            Status::Success => Status::Failure,
            Status::Failure => Status::Success,
        }
    }

    fn reset(&mut self) {
        self.child.reset();
    }

    fn has_changed(&self, body: &Body) -> bool {
        self.child.has_changed(body)
    }
}

struct Check<F> {
    test: F,
    last: bool,
}

impl<F: Fn(&Body) -> bool> Node for Check<F> {
    fn tick(&mut self, body: &mut Body) -> Status {
        self.last = (self.test)(body);
        if self.last { Status::Success } else { Status::Failure }
    }

    fn has_changed(&self, body: &Body) -> bool {
        (self.test)(body) != self.last
    }
}

/// An action that takes `limit` + 1 updates: Flee, Attack, MoveToNoise, Wait.
struct Lasting<F> {
    count: u32,
    limit: u32,
    done: F,
}

impl<F: Fn(&mut Body)> Node for Lasting<F> {
    fn tick(&mut self, body: &mut Body) -> Status {
        if self.count == self.limit {
            (self.done)(body);
            self.count = 0;
            Status::Success
        } else {
            self.count += 1;
            Status::Running
        }
    }

    fn reset(&mut self) {
        self.count = 0;
    }
}

struct Approach;

impl Node for Approach {
    fn tick(&mut self, body: &mut Body) -> Status {
        body.dist -= STRIDE;
        if body.dist < REACH {
            body.counts.approach += 1;
            Status::Success
        } else {
            Status::Running
        }
    }
}

struct Patrol;

impl Node for Patrol {
    fn tick(&mut self, body: &mut Body) -> Status {
        body.counts.waypoint = body.counts.waypoint.wrapping_add(1);
        Status::Running
    }
}

/// The host's action in the walk. It has no data, so its boxes take no memory: the most favourable case for boxes.
struct Action;

impl Node for Action {
    fn tick(&mut self, body: &mut Body) -> Status {
        body.walked = body.walked.wrapping_add(1);
        Status::Success
    }
}
