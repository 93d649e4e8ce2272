//! Random crowds that are interfered with while they live, in batches or not: each agent does the
//! same, call by call and in its trace, and so does the forest. In batches, all callbacks come in
//! the same order, no matter which agents are traced.

use std::collections::{HashMap, HashSet};

use pleach_core::{
    AgentId, Budget, Event, Forest, Phase, Replace, TickReport, Tree, TreeId,
    trace::{NoTracer, Recorder, TraceEvent, Tracer},
};

use crate::harness::{self, Dice, Fact, Keys, Line, Mode, Town, World, call, fact, frame_time, same, seeds};

const MODE: Mode = harness::BATCHED;

fn build(dice: &mut Dice, rare: bool) -> (Tree<Town>, Keys) {
    let (depth, wide) = (dice.below(4), dice.below(4) == 0);
    harness::build(0, true, |keys| harness::node(dice, &MODE, keys, depth, wide, rare))
}

/// The observable results of a life: callbacks in their order, and the agents at its end.
struct LifeResults {
    log: Vec<Call>,
    facts: Vec<Fact>,
    reports: Vec<TickReport>,
    all: Vec<AgentId>,
}

/// The number of an agent, and what was called.
type Call = (usize, usize, char, f64, f32);

impl LifeResults {
    /// Agent by agent, each one's callbacks in their order.
    fn by_agent(&self) -> Vec<Call> {
        let mut log = self.log.clone();
        log.sort_by_key(|it| it.0);
        log
    }
}

fn live<T: Tracer + Sync>(seed: u64, frames: usize, batched: bool, threads: bool, mut tracer: T) -> (LifeResults, T) {
    let mut forest = Forest::new(seed);
    let mut forest = forest.traced(&mut tracer);
    forest.configure(|it| it.batched = batched);
    let (mut dice, mut world) = (Dice(seed), World::default());
    let mut toggle = Dice(seed);
    let (mut reports, mut trees): (Vec<TickReport>, Vec<(TreeId, Keys)>) = (Vec::new(), Vec::new());
    let paced = dice.below(2) == 0;
    for agents in [200, 60, 20] {
        let (tree, keys) = build(&mut dice, paced);
        let tree = forest.add_tree(tree).unwrap();
        trees.push((tree, keys));
        harness::spawn(&mut dice, &mut forest, &mut world, tree, agents);
    }
    world.despawns = !paced;
    let restless = dice.below(3) == 0;
    let (mut slept, mut logged) = (Vec::<AgentId>::new(), 0);
    for frame in 0..frames {
        if batched {
            forest.configure(|it| it.batched = toggle.below(4) > 0);
        }
        let quiet = frame % 8 > 4;
        for _ in 0..if quiet { 0 } else { 20 } {
            let it = world.all[dice.below(world.all.len())];
            let (tree, _) = trees[dice.below(3)];
            let what = MODE.call(&mut dice, paced);
            call(&mut forest, &mut world, it, tree, what);
        }
        let index = dice.below(3);
        let (tree, keys) = trees[index];
        match dice.below(30) {
            _ if quiet => {}
            0 => forest.broadcast(Event::new("hey")).unwrap(),
            1..=3 => {
                let from = i64::try_from(dice.below(5)).unwrap();
                let rule = |_, old| if old == from { (old + 1) % 5 } else { old };
                forest.population_mut(tree).unwrap().update_column(keys.level, rule).unwrap();
            }
            4 => forest.population_mut(tree).unwrap().update_agents(|it| {
                let level = it.get(keys.level);
                it.set(keys.alarm, level == 2);
            }),
            5 if restless => forest.configure(|it| it.reevaluate_every_tick = dice.below(3) == 0),
            6 if restless => forest.configure(|it| it.sleep = dice.below(2) == 0),
            7 => {
                let (new, keys) = build(&mut dice, paced);
                forest.replace_tree(&mut world, tree, Replace::restart(new)).unwrap();
                trees[index].1 = keys;
            }
            _ => {}
        }
        world.mood = dice.below(1000);
        let dt = frame_time(&mut dice, frame);
        let dt = if quiet { 0.0 } else { dt };
        // An agent that also slept before the last frame, made no call in it, and was sent nothing,
        // has been looked at.
        let sleeper = |it: AgentId| fact(&forest, it).is_some_and(|it| it.phase == Phase::Asleep && it.mail.is_empty());
        let now: Vec<AgentId> = world.all.iter().copied().filter(|&it| sleeper(it)).collect();
        let called: HashSet<_> = world.log[logged..].iter().map(|it| it.agent).collect();
        logged = world.log.len();
        let left_alone = now.iter().filter(|it| slept.contains(it) && !called.contains(it)).count() as u64;
        let ready =
            |it: &&AgentId| matches!(forest.agent(**it).map(|it| it.phase()), Ok(Phase::Active | Phase::Asleep));
        let ready = world.all.iter().filter(ready).count() as u64;
        slept = now;
        let report = match dice.below(4) {
            0 if paced => forest.tick_within(&mut world, dt, Budget::Agents(u64::MAX)).unwrap(),
            #[cfg(feature = "rayon")]
            0 | 1 if threads => {
                let from = World { log: Vec::new(), ..world.clone() };
                forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)).unwrap()
            }
            _ => forest.tick(&mut world, dt).unwrap(),
        };
        let _ = threads;
        if frame % 8 > 5 && !paced {
            assert!(
                report.ticked + left_alone <= ready,
                "seed {seed}, frame {frame}: {report:?}, {left_alone} of {ready}"
            );
        }
        reports.push(report);
    }
    // Their number stands for agents: each life gives different ids.
    let numbers: HashMap<_, _> = world.all.iter().enumerate().map(|(number, &it)| (it, number)).collect();
    let number = |it: &Line| (numbers[&it.agent], it.node, it.what, it.time, it.dt);
    let log = world.log.iter().map(number).collect();
    let facts = world.all.iter().filter_map(|&it| fact(&forest, it)).collect();
    let seen = LifeResults { log, facts, reports, all: world.all.to_vec() };
    (seen, tracer)
}

/// Agent by agent, each one's trace.
fn by_agent(mut recorder: Recorder, seen: &LifeResults) -> Vec<(usize, TraceEvent)> {
    let numbers: HashMap<_, _> = seen.all.iter().enumerate().map(|(number, &it)| (it, number)).collect();
    let mut trace: Vec<_> = recorder.take().into_iter().map(|it| (numbers[&it.agent], it.event)).collect();
    trace.sort_by_key(|it| it.0);
    trace
}

#[test]
fn agents_in_batches_live_as_they_would_alone_whatever_is_done_to_them() {
    for seed in seeds(40) {
        let (plain, _) = live(seed, 48, false, false, NoTracer);
        let (traced, recorder) = live(seed, 48, false, false, Recorder::all());
        let trace = by_agent(recorder, &traced);
        for threads in [false, true] {
            let (other, _) = live(seed, 48, true, threads, NoTracer);
            same("callbacks", seed, &plain.by_agent(), &other.by_agent());
            same("reports", seed, &plain.reports, &other.reports);
            same("agents", seed, &plain.facts, &other.facts);
            let one = usize::try_from(seed * 37).unwrap() % other.all.len();
            for (only, recorder) in [(None, Recorder::all()), (Some(one), Recorder::of([other.all[one]]))] {
                let (traced, recorder) = live(seed, 48, true, threads, recorder);
                same("traced callbacks", seed, &other.log, &traced.log);
                same("traced reports", seed, &other.reports, &traced.reports);
                same("traced agents", seed, &other.facts, &traced.facts);
                let is_wanted = |it: &&(usize, TraceEvent)| only.is_none_or(|only| it.0 == only);
                let expected: Vec<_> = trace.iter().filter(is_wanted).copied().collect();
                same("traces", seed, &expected, &by_agent(recorder, &traced));
            }
        }
    }
}
