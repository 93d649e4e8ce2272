//! Crowds: many agents of one scenario in one forest. Each agent must do what the oracle says of an
//! agent with its turns.
//!
//! Each agent has its own clock: the number of frames since it was spawned, with or without a turn.
//! Its scripts go by it, and the calls of the scenario that are about an agent (`set`, `event`,
//! `pause`, `rate` and so on) are made to each at its own time, by some frames later than the
//! scenario has them. What is about a tick (`budget`, `panic`) is for all, at the number of the
//! frame.
//!
//! Agents that are ticked one after the other see what earlier agents wrote to global keys and to
//! the keys of their group. The oracle's agents share these keys, too. Where agents are ticked as a
//! batch (8.11) the order is not fixed: there each agent has a group of its own, and a scenario
//! that writes global keys has one agent. What an agent sends to its group, the others of the group
//! hear in their next turns.
//!
//! Some crowds are ticked in small chunks, and some of these on threads (8.7). Then agents see what
//! those of other chunks have written when the frame is over. Each crowd on threads is played on
//! one, two and eight, and does what the oracle says on all of them.

mod judge;
mod order;
mod play;
mod saving;
mod shared;
mod threads;
mod twin;

use pleach_core::Settings;

use crate::dice::Dice;
use crate::oracle::Completion;
use crate::scenario::{Call, LeafKind, Node, Scenario, Scope, Shape};
pub(crate) use play::Prepared;
pub(crate) use twin::Twins;

/// The number of agents in the largest crowd.
const MOST: usize = 40;

/// The agents of a scenario, and the settings of their forest.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    /// Agents on the same action are ticked together (8.11).
    pub(crate) batched: bool,
    /// Leaves have no callback except their update, if they can do without the others.
    pub(crate) bare: bool,
    /// Every condition is evaluated in every tick.
    pub(crate) every_tick: bool,
    pub(crate) sleep: bool,
    /// How many agents a chunk has at most.
    pub(crate) chunk: usize,
    /// On how many threads frames without a budget are ticked. `None`: by a plain tick.
    pub(crate) threads: Option<usize>,
    pub(crate) traced: Tracing,
    pub(crate) completion: Completion,
    /// In the order in which they are spawned.
    pub(crate) plans: Vec<MemberPlan>,
    /// The seconds of each frame.
    pub(crate) frames: Vec<u8>,
    /// Which agents panic, and when.
    pub(crate) bombs: Vec<Bomb>,
    /// The frames behind which the forest lives on for a while by chance, and then goes back to a
    /// snapshot (11.4). What happens in between leaves no trace.
    pub(crate) detours: Vec<u32>,
}

/// Which agents are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracing {
    None,
    /// The agents with an odd slot.
    Some,
    All,
}

/// The number of an agent of a crowd, in the order of spawning, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberNumber(pub(crate) usize);

/// The number of a group that shares keys in a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupNumber(pub(crate) usize);

/// When an agent is there, and what differs from agent to agent.
#[derive(Clone, Debug)]
pub(crate) struct MemberPlan {
    /// It is spawned before this frame.
    pub(crate) comes: u32,
    /// It is despawned before this frame.
    pub(crate) goes: Option<u32>,
    /// Its rate at first.
    pub(crate) rate: u32,
    /// How many frames its calls are later than in the scenario.
    pub(crate) late: u32,
    /// The state of its random stream.
    pub(crate) seed: u64,
    /// The group that shares keys with it. Without one it is alone.
    pub(crate) group: Option<GroupNumber>,
}

/// As many agents as a chunk can have.
const ONE_CHUNK: usize = 1_024;

/// How many groups share keys in a crowd.
const GROUPS: usize = 2;

/// An agent of which the first action that is updated in a frame panics. It is enabled again two
/// frames later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bomb {
    pub(crate) frame: u32,
    pub(crate) member: MemberNumber,
}

/// The ways in which a scenario is run with one agent, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Traced, everything evaluated in every tick: SEMANTICS to the letter.
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
    /// The scenario as it stands.
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
    pub(crate) fn roll(scenario: &Scenario, seed: u64) -> Crowd {
        let mut dice = Dice::new(seed);
        let batched = dice.chance(15);
        let size = match batched {
            true if writes(scenario, Scope::Global) => 1,
            // Fewer than 16 agents are never ticked as a batch.
            true => dice.pick(&[3, 12, 17, 18, 20, 24, MOST]),
            // Mostly small crowds: each agent costs a run of the oracle.
            false if dice.chance(90) => dice.pick(&[2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8]),
            false => dice.pick(&[10, 13, 20, MOST]),
        };
        // What a panic leaves undone is done in the next call, at a place that is not fixed.
        let tells = scenario.tells_group() && !panics(scenario);
        let shares = !batched && (tells || writes(scenario, Scope::Group)) && dice.chance(if tells { 80 } else { 50 });
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
        // One agent is there from the start: the agent that panics comes second.
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
        // In a batch it is not fixed which agents come behind one that panics; nor when others hear
        // what it has sent.
        // While what a panic leaves waits to be done, there is no save.
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
    pub(crate) fn roll_in_chunks(scenario: &Scenario, seed: u64) -> Crowd {
        let mut crowd = Crowd::roll(scenario, seed);
        crowd.chunk = crowd.small_chunk(&mut Dice::new(!seed));
        crowd
    }

    /// The same, on so many threads.
    pub(crate) fn on_threads(&self, threads: usize) -> Crowd {
        Crowd { threads: Some(threads), ..self.clone() }
    }

    fn small_chunk(&self, dice: &mut Dice) -> usize {
        // Fewer than 16 agents are no batch.
        if self.batched && dice.chance(70) {
            dice.pick(&[16, 17, 20])
        } else {
            dice.pick(&[1, 1, 2, 2, 3, 4, 8]).min(self.plans.len().div_ceil(2))
        }
    }

    /// How its forest runs agents.
    fn configure(&self, it: &mut Settings) {
        (it.batched, it.reevaluate_every_tick, it.sleep) = (self.batched, self.every_tick, self.sleep);
        it.chunk_size = self.chunk;
    }

    /// Whether it is fixed which agents a budget pays for.
    pub(crate) fn counts_budgets(&self) -> bool {
        // A sleeping agent costs nothing, but it is not fixed which agents sleep.
        !self.sleep
    }
}

/// Whether the scenario has ticks with a budget above 0.
fn has_budgets(scenario: &Scenario) -> bool {
    scenario.ops.iter().any(|it| matches!(it.call, Call::Budget { agents } if agents > 0))
}

/// Whether an agent that comes before those of the scenario panics.
fn panics(scenario: &Scenario) -> bool {
    scenario.ops.iter().any(|it| matches!(it.call, Call::Panic))
}

/// Whether keys of a scope are written in a scenario.
fn writes(scenario: &Scenario, scope: Scope) -> bool {
    fn node_writes(node: &Node, is_one: &impl Fn(&str) -> bool) -> bool {
        let here = match &node.shape {
            Shape::Leaf(LeafKind::Set { key, .. } | LeafKind::OnEvent { into: Some(key), .. }) => is_one(key),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::compare;

    fn scenario(ops: &str, ticks_of_a: u32) -> Scenario {
        let tree = r#"{"type": "repeater", "forever": true, "children": [{"type": "selector", "children": [
            {"type": "sequence", "abort": "lp", "children": [{"type": "condition", "name": "c"}, {"type": "action", "name": "b"}]},
            {"type": "sequence", "children": [{"type": "wait", "ticks": 2}, {"type": "action", "name": "a"}]}]}]}"#;
        let text = format!(
            r#"{{"name": "n", "about": "", "tree": {tree}, "conditions": {{"c": {{"script": "FFFFS", "every": 2}}}},
            "actions": {{"a": {{"ticks": {ticks_of_a}}}, "b": {{"ticks": 0}}}}, "ops": [{ops}], "ticks": 9}}"#
        );
        Scenario::from_json(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    /// So many agents, of rates from 1 to 3.
    fn many(agents: u32, plan: impl Fn(u32) -> MemberPlan) -> Crowd {
        Crowd {
            batched: false,
            bare: false,
            every_tick: false,
            sleep: false,
            chunk: ONE_CHUNK,
            threads: None,
            traced: Tracing::None,
            completion: Completion::Restart,
            plans: (0..agents).map(plan).collect(),
            frames: vec![1; 9],
            bombs: Vec::new(),
            detours: Vec::new(),
        }
    }

    fn check(scenario: &Scenario, crowd: &Crowd) -> Result<(), String> {
        Prepared::new(scenario).expect("the tree is valid").check(crowd)
    }

    #[test]
    fn agents_of_several_rows_come_and_go() {
        let plan = |it: u32| MemberPlan {
            comes: 1 + it / 1_000,
            goes: it.is_multiple_of(7).then_some(4 + it % 3),
            rate: 1 + it % 3,
            late: 0,
            seed: 0,
            group: None,
        };
        for sleep in [false, true] {
            let crowd = Crowd { sleep, ..many(2_600, plan) };
            check(&scenario("", 2), &crowd).unwrap_or_else(|e| panic!("{e:.2000}"));
        }
    }

    #[test]
    fn budgets_go_around_the_agents_of_several_rows() {
        let plan = |it: u32| MemberPlan { comes: 1, goes: None, rate: 1 + it % 3, late: 0, seed: 0, group: None };
        let budget = |tick: u32| format!(r#"{{"before": {tick}, "op": "budget", "agents": 700}}"#);
        let ops = [1, 2, 4, 5, 6, 8].map(budget).join(", ");
        check(&scenario(&ops, 2), &many(2_600, plan)).unwrap_or_else(|e| panic!("{e:.2000}"));
    }

    #[test]
    fn a_scenario_without_ticks_has_its_crowds_as_well() {
        let empty = Scenario { ticks: 0, ..scenario("", 2) };
        assert!((0..50).all(|seed| !Crowd::roll(&empty, seed).frames.is_empty()));
    }

    #[test]
    fn a_call_before_a_tick_that_is_never_run_does_nothing() {
        let plan = |_| MemberPlan { comes: 1, goes: None, rate: 1, late: 3, seed: 0, group: None };
        let ops = format!(r#"{{"before": {}, "op": "pause"}}"#, u32::MAX);
        check(&scenario(&ops, 2), &many(2, plan)).unwrap_or_else(|e| panic!("{e}"));
    }

    #[test]
    fn an_agent_that_does_something_else_is_found() {
        let (one, other) = (scenario("", 2), scenario("", 3));
        for traced in [Tracing::None, Tracing::All] {
            let plan = |_| MemberPlan { comes: 1, goes: None, rate: 1, late: 0, seed: 0, group: None };
            let crowd = Crowd { traced, ..many(3, plan) };
            let mut prepared = Prepared::new(&one).expect("the tree is valid");
            assert_eq!(prepared.check(&crowd), Ok(()));
            prepared.play_as(&other);
            let told = prepared.check(&crowd).expect_err("they differ");
            assert!(told.starts_with("agent 0 (slot 1) of the crowd, frame 4, what the host hears:"), "{told}");
            assert!(told.contains("Update(n7, Success)") && told.contains("Update(n7, Running)"), "{told}");
        }
    }

    #[test]
    fn all_kinds_of_crowds_are_rolled() {
        let (mut kinds, mut sizes, mut others) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for seed in 0..8_000 {
            let crowd = Crowd::roll(&compare::scenario(seed), seed);
            let Crowd {
                batched,
                bare,
                every_tick,
                sleep,
                chunk,
                traced,
                completion,
                plans,
                frames,
                bombs,
                detours,
                ..
            } = &crowd;
            let traced = format!("{traced:?} {completion:?}");
            kinds.insert((*batched, *bare, *every_tick, *sleep, traced));
            sizes.insert(plans.len());
            let mut met = |what, is: bool| is && others.insert(what);
            met("comes later", plans.iter().any(|it| it.comes > 1));
            met("goes", plans.iter().any(|it| it.goes.is_some()));
            met("calls later", plans.iter().any(|it| it.late > 0));
            met("has a group", plans.iter().any(|it| it.group.is_some()));
            met("rate 3", plans.iter().any(|it| it.rate == 3));
            met("frames of other lengths", frames.iter().any(|it| *it != 1));
            met("bombs", !bombs.is_empty());
            let scenario = compare::scenario(seed);
            let saves = scenario.ops.iter().any(|it| matches!(it.call, Call::Save));
            met("bombs and saves", saves && !bombs.is_empty());
            met("others that panic, and saves", saves && panics(&scenario));
            met("detours", !detours.is_empty());
            met("several chunks", *chunk < plans.len());
            let in_chunks = Crowd::roll_in_chunks(&scenario, seed);
            met("groups in several chunks", in_chunks.plans.iter().filter(|it| it.group.is_some()).count() > chunk * 2);
        }
        assert_eq!(kinds.len(), 2 * 2 * 2 * 2 * 3 * 2);
        assert!(sizes.contains(&2) && sizes.contains(&MOST) && sizes.len() > 12, "{sizes:?}");
        assert_eq!(others.len(), 12, "{others:?}");
    }
}
