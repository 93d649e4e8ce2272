//! The floor: the guard as an enum machine and the walk as nested code, as a good programmer writes them by hand for
//! one tree that will never change.

use std::hint::black_box;
use std::mem;

use crate::workload::{
    ATTACK_LIMIT, Counts, Crowd, FLEE_LIMIT, HEALTHY, LOW_HEALTH, NOISE_LIMIT, REACH, SIGHT, STRIDE, Senses, Totals,
    WAIT_LIMIT, WALK_LENGTH, Workload, begin, event,
};

/// A crowd of hand-written machines.
#[derive(Debug)]
pub struct Hand {
    workload: Workload,
    /// Empty in the walk.
    guards: Vec<Guard>,
    /// The counter of each agent in the walk, else empty.
    walkers: Vec<u32>,
}

impl Crowd for Hand {
    const NAME: &'static str = "hand";

    fn new(agents: u32, workload: Workload) -> Self {
        let (mut guards, mut walkers) = (Vec::new(), Vec::new());
        match workload {
            Workload::SteadyObserved | Workload::SteadyPolled => guards.extend((0..agents).map(|_| Guard::new())),
            Workload::Churn => guards.extend((0..agents).map(|id| {
                let mut guard = Guard::new();
                begin(id, &mut guard);
                guard
            })),
            Workload::Walk => walkers.extend((0..agents).map(|_| 0)),
        }
        Self { workload, guards, walkers }
    }

    fn frame(&mut self, frame: u32) {
        match self.workload {
            Workload::SteadyObserved => self.guards.iter_mut().for_each(Guard::tick_observed),
            Workload::SteadyPolled => self.guards.iter_mut().for_each(Guard::tick_polled),
            Workload::Churn => {
                for (id, guard) in (0..).zip(&mut self.guards) {
                    event(id, frame, guard);
                    guard.tick_observed();
                }
            }
            Workload::Walk => {
                for walker in &mut self.walkers {
                    walk(walker);
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        let guards: Totals = self.guards.iter().map(|guard| guard.counts).sum();
        Totals { walked: self.walkers.iter().map(|&walked| u64::from(walked)).sum(), ..guards }
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

/// All data of one guard. Each action keeps a counter of its own, as in the other implementations, where it is the
/// state of a leaf.
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
    /// Something that the choice of a state depends on has changed since it was made.
    changed: bool,
    state: State,
}

/// The figures that are published name this size; a change of it is a change of the floor.
const _: () = assert!(size_of::<Guard>() == 52);

// What a tick is made of is inlined into each loop by force: left to itself the compiler shares one copy as soon as two
// loops want it, and the floor would then move by a factor of two with the rest of this file.
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

    /// A tick that relies on `changed`, and looks at no condition while it is false.
    #[inline(always)]
    fn tick_observed(&mut self) {
        if mem::take(&mut self.changed) && self.is_overtaken() {
            self.enter();
        }
        self.update();
    }

    /// A tick that looks at the watched conditions itself.
    #[inline(always)]
    fn tick_polled(&mut self) {
        if self.is_overtaken() {
            self.enter();
        }
        self.update();
    }

    /// Whether a branch left of the running one wants to run. A branch runs only because the conditions left of it were
    /// false, so "true" and "changed" are the same, and the leftmost true one is where [`Guard::enter`] arrives.
    #[inline(always)]
    fn is_overtaken(&self) -> bool {
        match self.state {
            State::Start => true,
            State::Flee => false,
            State::Approach | State::Attack => self.is_low(),
            State::MoveToNoise | State::Wait => self.is_low() || self.sees,
            State::Patrol => self.is_low() || self.sees || self.noise,
        }
    }

    #[inline(always)]
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

    /// The next tick chooses anew.
    fn end(&mut self) {
        self.state = State::Start;
        self.changed = true;
    }

    #[inline(always)]
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

/// The walk tree. Its outer three nodes pass on what the inner selector says.
#[inline]
fn walk(walked: &mut u32) -> bool {
    let sequence = (0..WALK_LENGTH).all(|_| action(walked));
    !sequence || action(walked)
}

/// The host's action. What it answers is hidden from the compiler, as it is in the other implementations: 21 additions
/// that were folded into one would be a floor that nobody with real actions stands on. It is inlined, as by hand it would
/// be; forbidding that costs three times as much.
#[inline]
fn action(walked: &mut u32) -> bool {
    *walked = walked.wrapping_add(1);
    black_box(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `changed` must be an optimisation and nothing else.
    #[test]
    fn observing_and_polling_are_the_same() {
        let mut observed = Hand::new(200, Workload::Churn);
        let mut polled = Hand::new(200, Workload::Churn);
        for frame in 0..2_000 {
            observed.frame(frame);
            for (id, guard) in (0..).zip(&mut polled.guards) {
                event(id, frame, guard);
                guard.tick_polled();
            }
            assert_eq!(observed.totals(), polled.totals(), "frame {frame}");
        }
    }
}
