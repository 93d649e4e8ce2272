//! What is measured: the numbers of the guard tree, the events of the churn workload, and what must come out.
//!
//! The guard tree, whose root restarts in the tick after the one in which it ended:
//!
//! ```text
//! Selector
//!   Sequence (LowerPriority)  health < 0.3, Flee
//!   Sequence (LowerPriority)  sees, Selector[ Sequence[ dist >= 2.0, Approach ], Attack ]
//!   Sequence (LowerPriority)  noise, MoveToNoise, Wait
//!   Patrol
//! ```

use std::error::Error;
use std::fmt;
use std::iter::Sum;

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
/// The value of its counter at which Flee succeeds. All four count updates from 0 and succeed in the update that finds
/// the counter at its limit, which is one update more than the limit.
pub const FLEE_LIMIT: u32 = 40;
/// The value of its counter at which Attack succeeds.
pub const ATTACK_LIMIT: u32 = 20;
/// The value of its counter at which MoveToNoise succeeds.
pub const NOISE_LIMIT: u32 = 30;
/// The value of its counter at which Wait succeeds.
pub const WAIT_LIMIT: u32 = 60;
/// How many host actions stand in the sequence of the walk tree.
pub const WALK_LENGTH: u32 = 20;
/// How many host actions one tick of the walk tree runs: the sequence and the one behind it.
pub const WALK_ACTIONS: u32 = WALK_LENGTH + 1;

/// What a crowd does in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Guards to whom nothing happens; a change would be reported to the implementation, so it need not look.
    SteadyObserved,
    /// Guards to whom nothing happens; the implementation must look at its three watched conditions in every tick.
    SteadyPolled,
    /// Guards that get the event of (agent, frame) before each tick; some 2.3 % of them change branch per frame.
    Churn,
    /// The walk tree, 29 nodes visited per tick, which ends in every tick and starts again in the next:
    /// `Selector[Inverter[Inverter[Selector[Inverter[Sequence[20 x action]], Inverter[Inverter[action]]]]]]`.
    Walk,
}

impl Workload {
    /// Every workload, in the order in which they are reported.
    pub const ALL: [Self; 4] = [Self::SteadyObserved, Self::SteadyPolled, Self::Churn, Self::Walk];

    /// The name under which results are reported.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SteadyObserved => "S1-observed",
            Self::SteadyPolled => "S1-polled",
            Self::Churn => "S2",
            Self::Walk => "S3",
        }
    }

    /// How many frames [`check`] plays.
    #[must_use]
    pub fn check_frames(self) -> u32 {
        match self {
            Self::Churn => 5_000,
            Self::SteadyObserved | Self::SteadyPolled | Self::Walk => 100,
        }
    }

    /// What [`CHECK_AGENTS`] agents must have done after [`Workload::check_frames`] frames.
    #[must_use]
    pub fn expected(self) -> Totals {
        let ticks = u64::from(CHECK_AGENTS) * u64::from(self.check_frames());
        match self {
            Self::SteadyObserved | Self::SteadyPolled => Totals { waypoint: ticks, ..Totals::default() },
            Self::Churn => CHURN_TOTALS,
            Self::Walk => Totals { walked: ticks * u64::from(WALK_ACTIONS), ..Totals::default() },
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many agents [`check`] plays.
pub const CHECK_AGENTS: u32 = 1_000;

/// What 1 000 agents have done after 5 000 frames of churn. These figures are part of the workload: an implementation
/// that reaches others does something else, and its time says nothing.
pub const CHURN_TOTALS: Totals =
    Totals { flee: 36_059, attack: 33_027, noise: 14_847, wait: 4_156, approach: 33_456, waypoint: 867_425, walked: 0 };

/// A crowd of agents, each ticked once per frame.
pub trait Crowd {
    /// The name under which results are reported.
    const NAME: &'static str;

    /// `agents` agents with ids from 0, ready for their first frame. Cost: O(agents).
    fn new(agents: u32, workload: Workload) -> Self;

    /// Plays one frame: in order of id each agent gets its event, if the workload has events, and one tick. Frames are
    /// numbered from 0.
    fn frame(&mut self, frame: u32);

    /// What all agents together have done so far. Cost: O(agents).
    fn totals(&self) -> Totals;
}

/// What one agent has done so far. Totals are sums of these; a single sum would be cheaper to keep than what a game
/// does, which writes to the agent.
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

/// What a crowd has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Times that Flee succeeded.
    pub flee: u64,
    /// Times that Attack succeeded.
    pub attack: u64,
    /// Times that MoveToNoise succeeded.
    pub noise: u64,
    /// Times that Wait succeeded.
    pub wait: u64,
    /// Times that Approach succeeded.
    pub approach: u64,
    /// Updates of Patrol.
    pub waypoint: u64,
    /// Host actions of the walk tree.
    pub walked: u64,
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
            walked: sum.walked,
        })
    }
}

/// Where a guard's perceptions are stored. The events are written against this, so that there is one definition of
/// them and every implementation may store, and notice, changes in its own way.
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

/// Gives the guard `id` what it begins the churn with, on top of the ordinary start of a guard: [`HEALTHY`], [`SIGHT`],
/// nothing seen and nothing heard.
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

/// Lets the event of (`id`, `frame`) happen to the guard `id`, if there is one.
#[inline]
pub fn event(id: u32, frame: u32, guard: &mut impl Senses) {
    let u = draw(id, frame);
    // Fewer than one agent in twelve has an event: the common case is one comparison.
    if u >= 84 {
        return;
    }
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

/// The draw of (`id`, `frame`), below 1 024. It hashes instead of keeping a generator, so that no implementation
/// carries the state of the events, and any order of agents gives the same ones.
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

/// Plays `workload` with [`CHECK_AGENTS`] agents for [`Workload::check_frames`] frames.
///
/// # Errors
/// The agents did not do exactly what [`Workload::expected`] says.
pub fn check<C: Crowd>(workload: Workload) -> Result<(), Wrong> {
    let mut crowd = C::new(CHECK_AGENTS, workload);
    for frame in 0..workload.check_frames() {
        crowd.frame(frame);
    }
    let found = crowd.totals();
    if found == workload.expected() { Ok(()) } else { Err(Wrong { name: C::NAME, workload, found }) }
}

/// An implementation did something else than the workload asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The implementation.
    pub name: &'static str,
    /// The workload it was given.
    pub workload: Workload,
    /// What came out, instead of [`Workload::expected`].
    pub found: Totals,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, workload, found } = self;
        let (frames, expected) = (workload.check_frames(), workload.expected());
        write!(
            f,
            "`{name}` does not play {workload}: after {frames} frames of {CHECK_AGENTS} agents it reports {found:?} \
             instead of {expected:?}; do not compare its time before this is mended"
        )
    }
}

impl Error for Wrong {}
