//! The guard, S1 and S2: the numbers of its tree, the events of the churn, and what must come out.
//!
//! The tree, whose root restarts in the tick after the one in which it ended:
//!
//! ```text
//! Selector
//!   Sequence (LowerPriority)  health < 0.3, Flee
//!   Sequence (LowerPriority)  sees, Selector[ Sequence[ dist >= 2.0, Approach ], Attack ]
//!   Sequence (LowerPriority)  noise, MoveToNoise, Wait
//!   Patrol
//! ```

use std::iter::Sum;

use crate::crowd::{CHECK_AGENTS, Scene, Totals};
pub use crate::workload::Guards;
use crate::workload::Workload;

/// A guard flees while its health is below this.
pub const LOW_HEALTH: f32 = 0.3;
/// A guard with this distance or more to its enemy approaches, with less it attacks.
pub const REACH: f32 = 2.0;
/// How much nearer one update of Approach brings a guard.
pub const STRIDE: f32 = 0.1;
/// The health of a guard that is well.
pub const HEALTHY: f32 = 1.0;
/// The health of a guard that has been hit.
pub const HURT: f32 = 0.2;
/// The distance at which an enemy comes into sight.
pub const SIGHT: f32 = 4.05;
/// The value of its counter at which Flee succeeds. All four count updates from 0 and succeed in
/// the update that finds the counter at its limit, which is one update more than the limit.
pub const FLEE_LIMIT: u32 = 40;
/// The value of its counter at which Attack succeeds.
pub const ATTACK_LIMIT: u32 = 20;
/// The value of its counter at which MoveToNoise succeeds.
pub const NOISE_LIMIT: u32 = 30;
/// The value of its counter at which Wait succeeds.
pub const WAIT_LIMIT: u32 = 60;

impl Scene for Guards {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Guards(guards) => Some(guards),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        match self {
            Self::Churn => 5_000,
            Self::Observed | Self::Polled => 100,
        }
    }

    fn expected(self) -> Totals {
        match self {
            Self::Churn => CHURN_TOTALS,
            Self::Observed | Self::Polled => {
                Totals { waypoint: u64::from(CHECK_AGENTS) * u64::from(self.check_frames()), ..Totals::default() }
            }
        }
    }
}

/// The churn alone, for implementations that play no other scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Churn;

impl Scene for Churn {
    fn of(workload: Workload) -> Option<Self> {
        (workload == Workload::Guards(Guards::Churn)).then_some(Self)
    }

    fn check_frames(self) -> u32 {
        Guards::Churn.check_frames()
    }

    fn expected(self) -> Totals {
        Guards::Churn.expected()
    }
}

/// What 1 000 agents have done after 5 000 frames of churn. These figures are part of the workload:
/// if an implementation gets others, it does something else, and its time means nothing.
pub const CHURN_TOTALS: Totals = Totals {
    flee: 36_059,
    attack: 33_027,
    noise: 14_847,
    wait: 4_156,
    approach: 33_456,
    waypoint: 867_425,
    walked: 0,
    woken: 0,
    counted: 0,
};

/// What one agent has done so far. Totals are sums of these. A single sum would be cheaper, but a
/// game writes to the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times that Flee succeeded.
    pub flee: u32,
    /// Times that Attack succeeded.
    pub attack: u32,
    /// Times that MoveToNoise succeeded.
    pub noise: u32,
    /// Times that Wait succeeded.
    pub wait: u32,
    /// Times that Approach succeeded.
    pub approach: u32,
    /// Updates of Patrol, wrapping.
    pub waypoint: u32,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Flee succeeded.
    Flee,
    /// Attack succeeded.
    Attack,
    /// MoveToNoise succeeded.
    Noise,
    /// Wait succeeded.
    Wait,
    /// Approach succeeded.
    Approach,
    /// Patrol was updated.
    Waypoint,
}

impl Counts {
    /// How often.
    #[inline]
    pub fn of(&mut self, deed: Deed) -> &mut u32 {
        match deed {
            Deed::Flee => &mut self.flee,
            Deed::Attack => &mut self.attack,
            Deed::Noise => &mut self.noise,
            Deed::Wait => &mut self.wait,
            Deed::Approach => &mut self.approach,
            Deed::Waypoint => &mut self.waypoint,
        }
    }
}

impl Sum<Counts> for Totals {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, Counts { flee, attack, noise, wait, approach, waypoint }| Self {
            flee: sum.flee + u64::from(flee),
            attack: sum.attack + u64::from(attack),
            noise: sum.noise + u64::from(noise),
            wait: sum.wait + u64::from(wait),
            approach: sum.approach + u64::from(approach),
            waypoint: sum.waypoint + u64::from(waypoint),
            ..sum
        })
    }
}

/// Where a guard's perceptions are stored. The events are written against this, so that there is
/// one definition of them and every implementation may store, and notice, changes in its own way.
pub trait Senses {
    /// The guard's health.
    fn health(&self) -> f32;
    /// Whether the guard sees its enemy.
    fn sees(&self) -> bool;
    /// Whether the guard has heard a noise.
    fn noise(&self) -> bool;
    /// Changes the guard's health.
    fn set_health(&mut self, health: f32);
    /// Changes whether the guard sees its enemy.
    fn set_sees(&mut self, sees: bool);
    /// Changes whether the guard has heard a noise.
    fn set_noise(&mut self, noise: bool);
    /// Changes the distance to the enemy, which no watched condition reads.
    fn set_dist(&mut self, dist: f32);
}

/// Prepares the guard `id` for the churn, after the ordinary start of a guard: [`HEALTHY`],
/// [`SIGHT`], nothing seen and nothing heard.
#[inline]
pub fn begin(id: u32, guard: &mut impl Senses) {
    let u = draw(id, u32::MAX);
    if u.is_multiple_of(5) {
        guard.set_health(HURT);
    }
    if u.is_multiple_of(3) {
        guard.set_sees(true);
    }
    if (u / 16).is_multiple_of(3) {
        guard.set_noise(true);
    }
}

/// What happens to a guard before its tick.
#[derive(Clone, Copy, Debug)]
pub struct Event(u32);

/// The event of (`id`, `frame`), if there is one. Fewer than one agent in twelve has one, so its
/// data is made only then.
#[inline]
#[must_use]
pub fn event(id: u32, frame: u32) -> Option<Event> {
    Some(Event(draw(id, frame))).filter(|it| it.0 < 84)
}

impl Event {
    /// Applies the event. Not inlined, so that the common case pays nothing for it.
    #[inline(never)]
    pub fn happen_to(self, guard: &mut impl Senses) {
        let Self(u) = self;
        if u < 24 {
            if guard.health() < LOW_HEALTH {
                guard.set_health(HEALTHY);
            } else if u < 6 {
                guard.set_health(HURT);
            }
        } else if u < 54 {
            if guard.sees() {
                guard.set_sees(false);
            } else if u < 39 {
                guard.set_sees(true);
                guard.set_dist(SIGHT);
            }
        } else if guard.noise() {
            guard.set_noise(false);
        } else if u < 69 {
            guard.set_noise(true);
        }
    }
}

/// The draw of (`id`, `frame`), below 1 024. It hashes instead of keeping a generator, so that no
/// implementation carries the state of the events, and any order of agents gives the same ones.
#[inline]
#[must_use]
pub fn draw(id: u32, frame: u32) -> u32 {
    let mut h = id.wrapping_mul(0x9E37_79B1).wrapping_add(frame.wrapping_mul(0x85EB_CA77));
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297A_2D39);
    h ^= h >> 15;
    h >> 22
}

/// What a guard perceives, for implementations whose game stores it outside of the agents.
#[derive(Clone, Copy, Debug)]
pub struct Perceived {
    /// See [`Senses`].
    pub health: f32,
    /// See [`Senses`].
    pub sees: bool,
    /// See [`Senses`].
    pub noise: bool,
}

impl Default for Perceived {
    /// The ordinary start of a guard.
    fn default() -> Self {
        Self { health: HEALTHY, sees: false, noise: false }
    }
}

/// A guard's data, for implementations that keep it in a struct beside their nodes.
#[derive(Debug)]
pub struct Body {
    /// See [`Senses`].
    pub health: f32,
    /// The distance to the enemy.
    pub dist: f32,
    /// See [`Senses`].
    pub sees: bool,
    /// See [`Senses`].
    pub noise: bool,
    /// What it has done.
    pub counts: Counts,
}

impl Body {
    /// The start of the agent `id`.
    #[must_use]
    pub fn new(id: u32, scene: Guards) -> Self {
        let mut body = Self { health: HEALTHY, dist: SIGHT, sees: false, noise: false, counts: Counts::default() };
        if scene == Guards::Churn {
            begin(id, &mut body);
        }
        body
    }

    /// Whether it should flee.
    #[inline]
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.health < LOW_HEALTH
    }

    /// Whether its enemy is out of reach.
    #[inline]
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.dist >= REACH
    }

    /// An update of Approach: whether it has arrived.
    #[inline]
    pub fn approach(&mut self) -> bool {
        self.dist -= STRIDE;
        let arrived = self.dist < REACH;
        self.counts.approach += u32::from(arrived);
        arrived
    }

    /// An update of Patrol.
    #[inline]
    pub fn patrol(&mut self) {
        self.counts.waypoint = self.counts.waypoint.wrapping_add(1);
    }
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
