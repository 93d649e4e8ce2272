//! The guard as an enum machine that is updated by a `match`, as most people would write it first.
//! In a mixed crowd the next arm cannot be predicted, so it is not the floor of the churn:
//! [`HandGuards`](super::HandGuards) is. It plays only the churn.

use std::mem;

use crate::crowd::{Crowd, Totals};
use crate::guard::{
    ATTACK_LIMIT, Churn, Counts, FLEE_LIMIT, HEALTHY, LOW_HEALTH, NOISE_LIMIT, REACH, SIGHT, STRIDE, Senses,
    WAIT_LIMIT, begin, event,
};

/// A crowd of guards, updated by a `match`.
#[derive(Debug)]
pub struct HandMatchGuards(Vec<Guard>);

impl Crowd for HandMatchGuards {
    type Scene = Churn;
    const NAME: &'static str = "hand-match";

    fn new(agents: u32, _: Churn) -> Self {
        let mut guards: Vec<_> = (0..agents).map(|_| Guard::new()).collect();
        (0..).zip(&mut guards).for_each(|(id, guard)| begin(id, guard));
        Self(guards)
    }

    fn frame(&mut self, frame: u32) {
        for (id, guard) in (0..).zip(&mut self.0) {
            if let Some(event) = event(id, frame) {
                event.happen_to(guard);
            }
            guard.tick();
        }
    }

    fn totals(&self) -> Totals {
        self.0.iter().map(|guard| guard.counts).sum()
    }
}

/// What the guard does. `Start` also stands for "the root ended in the tick before".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Flee,
    Approach,
    Attack,
    MoveToNoise,
    Wait,
    Patrol,
}

/// All data of one guard. Each action has its own counter, as in the other implementations, where
/// it is the state of a leaf.
#[derive(Debug)]
struct Guard {
    health: f32,
    dist: f32,
    fled: u32,
    attacked: u32,
    moved: u32,
    waited: u32,
    counts: Counts,
    sees: bool,
    noise: bool,
    /// Whether anything that the choice of the state depends on has changed since the choice.
    changed: bool,
    state: State,
}

impl Guard {
    fn new() -> Self {
        Self {
            health: HEALTHY,
            dist: SIGHT,
            fled: 0,
            attacked: 0,
            moved: 0,
            waited: 0,
            counts: Counts::default(),
            sees: false,
            noise: false,
            changed: true,
            state: State::Start,
        }
    }

    /// Evaluates no condition while nothing has changed.
    #[inline]
    fn tick(&mut self) {
        if mem::take(&mut self.changed) && self.is_overtaken() {
            self.enter();
        }
        self.update();
    }

    /// Whether a branch left of the running one wants to run. A branch runs only because the
    /// conditions left of it were false, so "true" and "changed" are the same, and the leftmost
    /// true one is where [`Guard::enter`] arrives.
    #[inline]
    fn is_overtaken(&self) -> bool {
        match self.state {
            State::Start => true,
            State::Flee => false,
            State::Approach | State::Attack => self.is_low(),
            State::MoveToNoise | State::Wait => self.is_low() || self.sees,
            State::Patrol => self.is_low() || self.sees || self.noise,
        }
    }

    #[inline]
    fn is_low(&self) -> bool {
        self.health < LOW_HEALTH
    }

    fn enter(&mut self) {
        self.state = if self.is_low() {
            self.fled = 0;
            State::Flee
        } else if self.sees && self.dist >= REACH {
            State::Approach
        } else if self.sees {
            self.attacked = 0;
            State::Attack
        } else if self.noise {
            self.moved = 0;
            State::MoveToNoise
        } else {
            State::Patrol
        };
    }

    /// The next tick chooses a state again.
    fn end(&mut self) {
        self.state = State::Start;
        self.changed = true;
    }

    #[inline]
    fn update(&mut self) {
        match self.state {
            // `enter` has just left it.
            State::Start => {}
            State::Flee => {
                if self.fled == FLEE_LIMIT {
                    self.counts.flee += 1;
                    self.end();
                } else {
                    self.fled += 1;
                }
            }
            State::Approach => {
                self.dist -= STRIDE;
                if self.dist < REACH {
                    self.counts.approach += 1;
                    self.end();
                }
            }
            State::Attack => {
                if self.attacked == ATTACK_LIMIT {
                    self.counts.attack += 1;
                    self.end();
                } else {
                    self.attacked += 1;
                }
            }
            State::MoveToNoise => {
                if self.moved == NOISE_LIMIT {
                    self.counts.noise += 1;
                    // A sequence goes on in the same tick: this is the first update of Wait.
                    self.waited = 1;
                    self.state = State::Wait;
                } else {
                    self.moved += 1;
                }
            }
            State::Wait => {
                if self.waited == WAIT_LIMIT {
                    self.counts.wait += 1;
                    self.end();
                } else {
                    self.waited += 1;
                }
            }
            State::Patrol => self.counts.waypoint = self.counts.waypoint.wrapping_add(1),
        }
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
