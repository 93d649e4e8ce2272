//! The guard as a machine with one counter and tables instead of a `match`.

use std::mem;

use crate::crowd::{Crowd, Totals};
use crate::guard::{
    ATTACK_LIMIT, Counts, FLEE_LIMIT, Guards, HEALTHY, LOW_HEALTH, NOISE_LIMIT, REACH, SIGHT, STRIDE, Senses,
    WAIT_LIMIT, begin, event,
};

/// A crowd of hand-written guards.
#[derive(Debug)]
pub struct HandGuards {
    scene: Guards,
    guards: Vec<Guard>,
}

impl Crowd for HandGuards {
    type Scene = Guards;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Guards) -> Self {
        let mut guards: Vec<_> = (0..agents).map(|_| Guard::new()).collect();
        if scene == Guards::Churn {
            (0..).zip(&mut guards).for_each(|(id, guard)| begin(id, guard));
        }
        Self { scene, guards }
    }

    fn frame(&mut self, frame: u32) {
        match self.scene {
            Guards::Observed => self.guards.iter_mut().for_each(Guard::tick_observed),
            Guards::Polled => self.guards.iter_mut().for_each(Guard::tick_polled),
            Guards::Churn => {
                for (id, guard) in (0..).zip(&mut self.guards) {
                    if let Some(event) = event(id, frame) {
                        event.happen_to(guard);
                    }
                    guard.tick_mixed();
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        self.guards.iter().map(|guard| guard.counts()).sum()
    }
}

impl HandGuards {
    /// A frame of [`Guards::Churn`] in which every guard evaluates its conditions itself, as in
    /// [`Guards::Polled`].
    pub fn frame_of_churn_polled(&mut self, frame: u32) {
        for (id, guard) in (0..).zip(&mut self.guards) {
            if let Some(event) = event(id, frame) {
                event.happen_to(guard);
            }
            guard.tick_polled();
        }
    }
}

/// What the guard does; an index into the tables. `Start` also stands for "the root ended in the
/// tick before".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum State {
    Flee,
    Attack,
    MoveToNoise,
    Wait,
    Approach,
    Patrol,
    Start,
}

const STATES: usize = 7;
/// The value of the counter at which a state succeeds.
const LIMITS: [u32; STATES] = [FLEE_LIMIT, ATTACK_LIMIT, NOISE_LIMIT, WAIT_LIMIT, u32::MAX, u32::MAX, u32::MAX];
/// How much nearer an update of a state brings the guard.
const STRIDES: [f32; STATES] = [0.0, 0.0, 0.0, 0.0, STRIDE, 0.0, 0.0];
/// The distance below which a state succeeds.
const NEAR: [f32; STATES] = {
    let mut near = [f32::NEG_INFINITY; STATES];
    near[State::Approach as usize] = REACH;
    near
};
/// The branch that a state is in, from the left.
const BRANCHES: [u8; STATES] = [0, 1, 2, 2, 1, 3, 4];
/// The state to choose by the four conditions, one bit each.
const CHOICES: [State; 16] = {
    let mut choices = [State::Patrol; 16];
    let mut held = 0;
    while held < choices.len() {
        choices[held] = if held & LOW != 0 {
            State::Flee
        } else if held & SEES != 0 {
            if held & FAR != 0 { State::Approach } else { State::Attack }
        } else if held & NOISE != 0 {
            State::MoveToNoise
        } else {
            State::Patrol
        };
        held += 1;
    }
    choices
};
const LOW: usize = 1;
const SEES: usize = 2;
const NOISE: usize = 4;
const FAR: usize = 8;

/// All data of one guard. One counter is enough: a guard does one thing at a time, and each action
/// begins with 0.
#[derive(Debug)]
struct Guard {
    health: f32,
    dist: f32,
    /// The updates of the running action.
    count: u32,
    /// How often each state has succeeded; for `Patrol`, its updates.
    done: [u32; STATES - 1],
    sees: bool,
    noise: bool,
    /// Whether anything that the choice of the state depends on has changed since the choice.
    changed: bool,
    state: State,
}

/// The published figures name this size; changing it changes the floor.
const _: () = assert!(size_of::<Guard>() == 40);

// The parts of a tick are always inlined into each loop. Without that the compiler shares one copy
// between two loops, and a change elsewhere in this file could change the times by a factor of two.
impl Guard {
    fn new() -> Self {
        Self {
            health: HEALTHY,
            dist: SIGHT,
            count: 0,
            done: [0; STATES - 1],
            sees: false,
            noise: false,
            changed: true,
            state: State::Start,
        }
    }

    fn counts(&self) -> Counts {
        let [flee, attack, noise, wait, approach, waypoint] = self.done;
        Counts { flee, attack, noise, wait, approach, waypoint }
    }

    /// A tick that relies on `changed`, and evaluates no condition while it is false.
    #[inline(always)]
    fn tick_observed(&mut self) {
        if mem::take(&mut self.changed) {
            self.choose();
        }
        self.update();
    }

    /// A tick that evaluates the conditions itself.
    #[inline(always)]
    fn tick_polled(&mut self) {
        self.choose();
        self.update();
    }

    /// As [`Guard::tick_observed`], for guards in different states.
    #[inline(always)]
    fn tick_mixed(&mut self) {
        if mem::take(&mut self.changed) {
            self.choose();
        }
        self.update_mixed();
    }

    /// A branch runs only because the conditions left of it were false. So the leftmost branch that
    /// wants to run takes over if it is left of the running one.
    #[inline(always)]
    fn choose(&mut self) {
        let held = usize::from(self.health < LOW_HEALTH) * LOW
            + usize::from(self.sees) * SEES
            + usize::from(self.noise) * NOISE
            + usize::from(self.dist >= REACH) * FAR;
        let choice = CHOICES[held];
        if BRANCHES[choice as usize] < BRANCHES[self.state as usize] {
            (self.state, self.count) = (choice, 0);
        }
    }

    /// One step, with a branch for each kind of action. If all guards patrol, the first branch is
    /// always taken, and nothing is cheaper.
    #[inline(always)]
    fn update(&mut self) {
        if self.state == State::Patrol {
            let waypoint = &mut self.done[State::Patrol as usize];
            *waypoint = waypoint.wrapping_add(1);
        } else {
            self.update_mixed();
        }
    }

    /// One step. All states take the same path, except in the rare update in which one succeeds: in
    /// a mixed crowd the next state cannot be predicted.
    #[inline(always)]
    fn update_mixed(&mut self) {
        let state = self.state as usize;
        let waypoint = &mut self.done[State::Patrol as usize];
        *waypoint = waypoint.wrapping_add(u32::from(self.state == State::Patrol));
        self.dist -= STRIDES[state];
        if (self.count == LIMITS[state]) | (self.dist < NEAR[state]) {
            self.succeed();
        } else {
            self.count = self.count.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn succeed(&mut self) {
        if let Some(done) = self.done.get_mut(self.state as usize) {
            *done += 1;
        }
        (self.state, self.count) = match self.state {
            // A sequence goes on in the same tick: this is the first update of Wait.
            State::MoveToNoise => (State::Wait, 1),
            // The next tick chooses a state again.
            _ => (State::Start, 0),
        };
        self.changed |= self.state == State::Start;
    }
}

impl Senses for Guard {
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
        self.changed = true;
    }

    fn set_sees(&mut self, sees: bool) {
        self.sees = sees;
        self.changed = true;
    }

    fn set_noise(&mut self, noise: bool) {
        self.noise = noise;
        self.changed = true;
    }

    fn set_dist(&mut self, dist: f32) {
        self.dist = dist;
    }
}
