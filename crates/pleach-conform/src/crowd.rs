//! Crowds: many agents of one scenario in one forest. Each agent must do what the oracle says for
//! an agent with the same turns.
//!
//! Each agent has its own clock: the number of frames since it was spawned, with or without a turn.
//! Its scripts follow this clock, and so do the scenario's calls for an agent (`set`, `event`,
//! `pause`, `rate` and so on), which each agent gets some frames later than in the scenario. Calls
//! for a tick (`budget`, `panic`) concern all agents, and follow the number of the frame.
//!
//! Agents that are ticked one after the other see what earlier agents wrote to global keys and to
//! the keys of their group. The oracle's agents share these keys, too. When agents are ticked as a
//! batch (8.11) the order is not fixed: then each agent has its own group, and a scenario that
//! writes global keys has one agent. The other members of a group receive what an agent sends to
//! it in their next turns.
//!
//! Some crowds are ticked in small chunks, and some of these on threads (8.7). Then agents see the
//! writes of other chunks after the frame. Each crowd on threads is played on one, two and eight,
//! and does what the oracle says on all of them.

mod detour;
mod judge;
mod order;
mod play;
mod recorded;
mod saving;
mod shared;
mod threads;
mod twin;

use pleach_core::Settings;

use crate::dice::Dice;
use crate::oracle::Completion;
use crate::scenario::{Call, DecoratorKind, LeafKind, Node, Scenario, Scope, Shape};
pub use order::{Played, entangled};
pub use play::Prepared;
pub use threads::Whole;
pub use twin::Twins;

/// The number of agents in the largest crowd.
pub const MOST: usize = 40;

/// The agents of a scenario, and the settings of their forest.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// Whether agents on the same action are ticked together (8.11).
    pub batched: bool,
    /// Whether leaves have no callback except their update, if they need no other.
    pub bare: bool,
    /// Whether every condition is evaluated in every tick.
    pub every_tick: bool,
    /// Whether agents that have nothing to do sleep.
    pub sleep: bool,
    /// The most agents in a chunk.
    pub chunk: usize,
    /// The number of threads that tick frames without a budget. `None`: a plain tick.
    pub threads: Option<usize>,
    /// Which agents are traced.
    pub traced: Tracing,
    /// What agents do when their root has ended.
    pub completion: Completion,
    /// In the order in which they are spawned.
    pub plans: Vec<MemberPlan>,
    /// The seconds of each frame.
    pub frames: Vec<u8>,
    /// Which agents panic, and when.
    pub bombs: Vec<Bomb>,
    /// After these frames the forest goes on at random for a while, and then rolls back to a
    /// snapshot (11.4). What happens in between leaves no trace.
    pub detours: Vec<u32>,
}

/// Which agents are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracing {
    /// No agent has a tracer.
    None,
    /// The agents with an odd slot.
    Some,
    /// Every agent.
    All,
}

/// The number of an agent of a crowd, in the order of spawning, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberNumber(pub usize);

/// The number of a group that shares keys in a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupNumber(pub usize);

/// When an agent exists, and what differs between agents.
#[derive(Clone, Debug)]
pub struct MemberPlan {
    /// It is spawned before this frame.
    pub comes: u32,
    /// It is despawned before this frame.
    pub goes: Option<u32>,
    /// Its initial rate.
    pub rate: u32,
    /// How many frames later than in the scenario its calls are made.
    pub late: u32,
    /// The state of its random stream.
    pub seed: u64,
    /// The group with which it shares keys. `None`: it is alone.
    pub group: Option<GroupNumber>,
}

/// As many agents as a chunk can have.
pub const ONE_CHUNK: usize = 1_024;

/// How many groups share keys in a crowd.
const GROUPS: usize = 2;

/// An agent whose first updated action in a frame panics. The agent is enabled again two frames
/// later.
#[derive(Clone, Copy, Debug)]
pub struct Bomb {
    /// The frame in which it panics.
    pub frame: u32,
    /// The agent that panics.
    pub member: MemberNumber,
}

/// The ways to run a scenario unchanged with one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Traced, with everything evaluated in every tick: SEMANTICS to the letter.
    Traced,
    /// Without a tracer, which lets the interpreter follow continuations.
    Quiet,
    /// Without a tracer, with conditions evaluated on change, and sleep.
    Lazy,
}

impl Mode {
    pub(crate) const ALL: [Mode; 3] = [Mode::Traced, Mode::Quiet, Mode::Lazy];
}

impl Crowd {
    /// The scenario unchanged.
    pub(crate) fn alone(scenario: &Scenario, mode: Mode) -> Crowd {
        Crowd {
            batched: false,
            bare: false,
            every_tick: mode != Mode::Lazy,
            sleep: mode == Mode::Lazy,
            chunk: ONE_CHUNK,
            threads: None,
            traced: if mode == Mode::Traced { Tracing::All } else { Tracing::None },
            completion: Completion::Stop,
            plans: vec![MemberPlan { comes: 1, goes: None, rate: 1, late: 0, seed: scenario.seed, group: None }],
            frames: vec![1; scenario.ticks as usize],
            bombs: Vec::new(),
            detours: Vec::new(),
        }
    }

    /// A random crowd of this scenario.
    #[must_use]
    pub fn roll(scenario: &Scenario, seed: u64) -> Crowd {
        let mut dice = Dice::new(seed);
        let batched = dice.chance(15);
        let size = match batched {
            true if writes(scenario, Scope::Global) || has_token(scenario, Scope::Global) => 1,
            // Fewer than 16 agents are never ticked as a batch.
            true => dice.pick(&[3, 12, 17, 18, 20, 24, MOST]),
            // Mostly small crowds: each agent costs a run of the oracle.
            false if dice.chance(90) => dice.pick(&[2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8]),
            false => dice.pick(&[10, 13, 20, MOST]),
        };
        // What a panic leaves undone is done in the next call, at an unspecified place: then no
        // agent has others to send to.
        let tells = scenario.tells_group();
        let blurs = tells && panics(scenario);
        let shares =
            !batched && !blurs && (tells || shares_group(scenario)) && dice.chance(if tells { 80 } else { 50 });
        let sleep = dice.chance(60);
        // The last call with a budget may have stopped at the end of a chunk. SEMANTICS leaves open
        // whether an agent that is spawned there then comes first or last in the next call.
        let all_from_the_start = has_budgets(scenario);
        let slowest = dice.pick(&[1, 1, 1, 2, 3, 3]);
        let one_seed = dice.chance(30);
        let frames = scenario.ticks.saturating_add(dice.between(0, 3)).max(1);
        let mut plans: Vec<MemberPlan> = (0..size)
            .map(|_| MemberPlan {
                comes: if all_from_the_start || dice.chance(60) { 1 } else { dice.between(1, frames.div_ceil(2)) },
                goes: dice.chance(25).then(|| dice.between(2, frames + 1)),
                rate: dice.between(1, slowest),
                late: if dice.chance(50) { 0 } else { dice.between(1, 3) },
                seed: if one_seed { scenario.seed } else { dice.bits() },
                group: (shares && dice.chance(80)).then(|| GroupNumber(dice.below(GROUPS))),
            })
            .collect();
        plans.sort_by_key(|it| it.comes);
        // One agent exists from the start: the agent that panics comes second.
        plans[0].comes = 1;
        let uneven = dice.chance(25);
        let mut crowd = Crowd {
            batched,
            bare: dice.chance(50),
            every_tick: dice.chance(30),
            sleep,
            chunk: ONE_CHUNK,
            threads: None,
            traced: dice.pick(&[Tracing::None, Tracing::None, Tracing::None, Tracing::Some, Tracing::All]),
            completion: dice.pick(&[Completion::Stop, Completion::Restart, Completion::Restart]),
            plans,
            frames: (0..frames).map(|_| if uneven { dice.pick(&[0, 1, 1, 2, 3]) } else { 1 }).collect(),
            bombs: Vec::new(),
            detours: Vec::new(),
        };
        // In a batch it is unspecified which agents come after one that panics, and when others
        // receive what it has sent.
        // No save is made while work that a panic left undone is pending.
        let saves = scenario.tells_group() && scenario.ops.iter().any(|it| matches!(it.call, Call::Save));
        let fixed = !(batched || saves || shares && tells);
        if fixed && dice.chance(25) {
            for frame in 1..=frames {
                if dice.chance(20) {
                    crowd.bombs.push(Bomb { frame, member: MemberNumber(dice.below(size)) });
                }
            }
        }
        if dice.chance(25) {
            crowd.detours = (1..=frames).filter(|_| dice.chance(20)).collect();
        }
        if dice.chance(20) {
            crowd.chunk = crowd.small_chunk(&mut dice);
        }
        crowd
    }

    /// A random crowd of this scenario in several chunks, if it has several agents.
    #[must_use]
    pub fn roll_in_chunks(scenario: &Scenario, seed: u64) -> Crowd {
        let mut crowd = Crowd::roll(scenario, seed);
        // The oracle has no home chunks of tokens.
        if has_token(scenario, Scope::Group) {
            crowd.plans.iter_mut().for_each(|it| it.group = None);
        }
        if has_token(scenario, Scope::Global) {
            crowd.plans.truncate(1);
            crowd.bombs.retain(|it| it.member == MemberNumber(0));
        }
        crowd.chunk = crowd.small_chunk(&mut Dice::new(!seed));
        crowd
    }

    /// The same, on this many threads.
    #[must_use]
    pub fn on_threads(&self, threads: usize) -> Crowd {
        Crowd { threads: Some(threads), ..self.clone() }
    }

    fn small_chunk(&self, dice: &mut Dice) -> usize {
        // Fewer than 16 agents never form a batch.
        if self.batched && dice.chance(70) {
            dice.pick(&[16, 17, 20])
        } else {
            dice.pick(&[1, 1, 2, 2, 3, 4, 8]).min(self.plans.len().div_ceil(2))
        }
    }

    /// Configures how its forest runs agents.
    fn configure(&self, it: &mut Settings) {
        (it.batched, it.reevaluate_every_tick, it.sleep) = (self.batched, self.every_tick, self.sleep);
        it.chunk_size = self.chunk;
    }

    /// Whether it is specified which agents a budget covers.
    pub(crate) fn counts_budgets(&self) -> bool {
        // A sleeping agent costs nothing, but it is unspecified which agents sleep.
        !self.sleep
    }
}

/// Whether the scenario has ticks with a budget above 0.
fn has_budgets(scenario: &Scenario) -> bool {
    scenario.ops.iter().any(|it| matches!(it.call, Call::Budget { agents } if agents > 0))
}

/// Whether an agent that comes before those of the scenario panics.
#[must_use]
pub fn panics(scenario: &Scenario) -> bool {
    scenario.ops.iter().any(|it| matches!(it.call, Call::Panic))
}

/// Whether agents of a group can share anything.
fn shares_group(scenario: &Scenario) -> bool {
    writes(scenario, Scope::Group) || has_token(scenario, Scope::Group)
}

/// Whether a scenario has a token of groups, or of the forest.
fn has_token(scenario: &Scenario, scope: Scope) -> bool {
    fn has(node: &Node, global: bool) -> bool {
        matches!(&node.shape, Shape::Decorator { kind: DecoratorKind::Token(it), .. } if it.global == global)
            || node.children().iter().any(|it| has(it, global))
    }
    scenario.roots().iter().any(|it| has(it, scope == Scope::Global))
}

/// Whether keys of a scope are written in a scenario.
fn writes(scenario: &Scenario, scope: Scope) -> bool {
    fn node_writes(node: &Node, is_one: &impl Fn(&str) -> bool) -> bool {
        let here = match &node.shape {
            Shape::Leaf(
                LeafKind::Set { key, .. }
                | LeafKind::Roll { key, .. }
                | LeafKind::OnEvent { into: Some(key), .. }
                | LeafKind::WaitFor { into: Some(key), .. },
            ) => is_one(key),
            Shape::Leaf(_) | Shape::Composite { .. } | Shape::Decorator { .. } => false,
        };
        here || node.children().iter().any(|it| node_writes(it, is_one))
    }
    let is_one = |key: &str| scenario.keys.find(key).is_some_and(|(name, _)| name.scope == scope);
    scenario.keys.of(scope).next().is_some()
        && (scenario.ops.iter().any(|op| matches!(&op.call, Call::Set { key, .. } if is_one(key)))
            || scenario.versions().any(|it| node_writes(it, &is_one))
            || scenario.interrupts.iter().any(|it| node_writes(&it.run, &is_one)))
}
