//! Random forests on 1, 2 and 8 threads. Their trees are replaced while they live, by equal trees
//! and by edited ones, and they go back to snapshots from some ticks ago. All must agree; without
//! threads they agree agent by agent.
#![cfg(feature = "rayon")]

use std::sync::Arc;

use pleach_core::error::RollbackError;
use pleach_core::nodes::{force_success, parallel, selector, sequence};
use pleach_core::{
    AgentId, Forest, Replace, Snapshot, TickReport, Tree, TreeId,
    inspect::ReplaceReport,
    trace::{NoTracer, Recorder, Traced, Tracer},
};
use rayon::ThreadPool;

use crate::harness::{self, Call, Dice, Fact, Line, Mode, Town, World, by_agent, call, fact, frame_time, same, seeds};

const MODE: Mode = harness::REPLACED;

/// Agents of one forest share keys, and watch them.
const SHARED: Mode = harness::REPLACED.sharing();

/// Agents are added and removed.
const CALLS: Mode = harness::REPLACED.calling(&[
    (Call::Alarm, 2),
    (Call::AnyLevel, 4),
    (Call::Send, 4),
    (Call::Pause, 1),
    (Call::Unpause, 2),
    (Call::Enable, 2),
    (Call::Disable, 1),
    (Call::Restart, 1),
    (Call::Despawn, 1),
    (Call::Rate, 1),
    (Call::Spawn, 1),
    (Call::Storm, 1),
    (Call::Rank, 2),
    (Call::Join, 2),
    (Call::Part, 1),
]);

/// The parts of a tree, so that it can be edited.
#[derive(Clone)]
struct Plan {
    /// 0: a sequence, 1: a selector, 2: a parallel.
    root: usize,
    /// Each makes its own subtree.
    parts: Vec<u64>,
}

impl Plan {
    fn roll(dice: &mut Dice) -> Plan {
        let parts = (0..2 + dice.below(3)).map(|_| dice.below(1 << 30) as u64).collect();
        Plan { root: dice.below(3), parts }
    }

    /// Another version of the same tree.
    fn edit(&mut self, dice: &mut Dice) {
        let at = dice.below(self.parts.len());
        let new = dice.below(1 << 30) as u64;
        match dice.below(6) {
            0 => self.parts[at] = new,
            1 => self.parts.insert(at, new),
            2 if self.parts.len() > 1 => drop(self.parts.remove(at)),
            3 => self.parts.rotate_left(1),
            4 => self.root = dice.below(3),
            _ => {}
        }
    }

    fn tree(&self, shares: bool) -> Tree<Town> {
        let mode = if shares { &SHARED } else { &MODE };
        let part = |keys, lot: u64| {
            let mut dice = Dice(lot);
            let depth = dice.below(4);
            let node = harness::node(&mut dice, mode, keys, depth, true, false);
            // Half of them are recognised wherever they are.
            if lot.is_multiple_of(2) { force_success(node).with_id(format!("part{lot}")) } else { force_success(node) }
        };
        let root = |keys| {
            let parts = self.parts.iter().map(|&it| part(keys, it)).chain([harness::hooked(mode, keys, 0.8)]);
            match self.root {
                0 => sequence(parts),
                1 => selector(parts),
                _ => parallel(parts),
            }
        };
        harness::build(0, shares, root).0
    }
}

/// The observable results of a life.
#[derive(Debug, Default, PartialEq)]
struct LifeResults {
    log: Vec<Line>,
    facts: Vec<(AgentId, Fact)>,
    reports: Vec<TickReport>,
    replaced: Vec<ReplaceReport>,
    /// How many rollbacks there were, and how many were refused.
    rolled: [usize; 2],
}

fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// How a forest lives.
#[derive(Clone, Copy)]
struct Way {
    batched: bool,
    shares: bool,
    sleep: bool,
}

/// A forest, and everything else in its life.
struct Life<'f, T: Tracer> {
    forest: Traced<'f, Forest<Town>, T>,
    world: World,
    dice: Dice,
    trees: [TreeId; 2],
    reports: Vec<TickReport>,
}

impl<T: Tracer + Sync + Send> Life<'_, T> {
    /// One frame, without threads or on these.
    fn frame(&mut self, frame: usize, pool: Option<&ThreadPool>) {
        let Life { forest, world, dice, trees, reports } = self;
        for _ in 0..30 {
            let it = world.all[dice.below(world.all.len())];
            let (tree, what) = (trees[dice.below(2)], CALLS.call(dice, false));
            call(forest, world, it, tree, what);
        }
        world.mood = dice.below(1000);
        let dt = frame_time(dice, frame);
        let report = match pool {
            None => forest.tick(world, dt),
            Some(pool) => {
                let from = World { log: Vec::new(), ..world.clone() };
                pool.install(|| forest.tick_parallel(dt, |_| from.clone(), |mut cx| world.log.append(&mut cx.log)))
            }
        };
        reports.push(report.expect("it is a time"));
    }
}

/// One life. A detour is lived twice, the second time on other threads.
fn live<T: Tracer + Sync + Send>(seed: u64, way: Way, pools: Option<[&ThreadPool; 2]>, tracer: &mut T) -> LifeResults {
    let Way { batched, shares, sleep } = way;
    let (mut forest, mut dice, mut world) = (Forest::<Town>::new(seed), Dice(seed), World::default());
    let mut forest = forest.traced(tracer);
    forest.configure(|it| (it.batched, it.sleep) = (batched, sleep));
    if shares {
        // Several chunks write.
        forest.configure(|it| it.chunk_size = 256);
    }
    let mut plans = [Plan::roll(&mut dice), Plan::roll(&mut dice)];
    let trees = [0, 1].map(|at| forest.add_tree(plans[at].tree(shares)).expect("they declare alike"));
    for (tree, agents) in trees.into_iter().zip([1_100, 60]) {
        harness::spawn(&mut dice, &mut forest, &mut world, tree, agents);
    }
    let mut life = Life { forest, world, dice, trees, reports: Vec::new() };
    let (mut replaced, mut rolled, mut old) = (Vec::new(), [0, 0], None::<Snapshot<Town>>);
    let (main, other) = (pools.map(|it| it[0]), pools.map(|it| it[1]));
    for frame in 0..36 {
        if life.dice.below(4) == 0 {
            let at = life.dice.below(2);
            plans[at].edit(&mut life.dice);
            let (tree, keeps) = (Arc::new(plans[at].tree(shares)), life.dice.below(5) > 0);
            let by = if keeps { Replace::keep(tree) } else { Replace::restart(tree) };
            replaced.push(life.forest.replace_tree(&mut life.world, trees[at], by).expect("it declares the same"));
            // The snapshot belongs to other trees now.
            if let Some(old) = old.take() {
                let refused = life.forest.rollback(&old);
                assert!(matches!(refused, Err(RollbackError::Trees { .. })), "seed {seed}: {refused:?}");
                rolled[1] += 1;
            }
        }
        life.frame(frame, main);
        if life.dice.below(5) == 0 {
            let before = life.forest.snapshot().expect("all states are cloned");
            let (dice, world, reports) = (life.dice.0, life.world.clone(), life.reports.len());
            let ticks = 1 + life.dice.below(5);
            let detour = |life: &mut Life<'_, T>, pool| {
                life.dice = Dice(dice + 1);
                (0..ticks).for_each(|it| life.frame(frame + it, pool));
                let facts = facts(&life.forest, &life.world);
                let log = life.world.log.split_off(world.log.len());
                let reports = life.reports.split_off(reports);
                life.forest.rollback(&before).expect("the trees are the same");
                life.world = world.clone();
                (log, facts, reports)
            };
            let (one, two) = (detour(&mut life, main), detour(&mut life, other));
            // A question without effect may be asked once more.
            let asked = |it: &Line| it.what != '?';
            let lines = |all: &[Line]| all.iter().filter(|it| asked(it)).copied().collect::<Vec<_>>();
            same("callbacks after a rollback", seed, &lines(&one.0), &lines(&two.0));
            same("facts after a rollback", seed, &one.1, &two.1);
            let same_reports = one.2.iter().zip(&two.2).all(|(a, b)| (a.ended, a.aborts) == (b.ended, b.aborts));
            assert!(same_reports && one.2.len() == two.2.len(), "seed {seed}: {:?}, {:?}", one.2, two.2);
            life.dice = Dice(dice + 2);
            rolled[0] += 1;
            old = Some(before);
        }
    }
    let facts = facts(&life.forest, &life.world);
    LifeResults { log: life.world.log, facts, reports: life.reports, replaced, rolled }
}

fn facts(forest: &Forest<Town>, world: &World) -> Vec<(AgentId, Fact)> {
    world.all.iter().filter_map(|&it| Some((it, fact(forest, it)?.awake()))).collect()
}

#[test]
fn lives_with_replacements_and_rollbacks_are_the_same_on_any_number_of_threads() {
    let pools = [1, 2, 8].map(pool);
    let (mut replaced, mut kept, mut ended, mut rolled) = (0, 0_u64, 0, [0, 0]);
    for seed in seeds(6) {
        for batched in [false, true] {
            let way = Way { batched, shares: false, sleep: true };
            let life = |on: [usize; 2]| {
                let pools = on.map(|it| &pools[it]);
                live(seed, way, Some(pools), &mut NoTracer)
            };
            let one = life([0, 1]);
            for on in [[1, 2], [2, 0]] {
                let many = life(on);
                same("callbacks", seed, &one.log, &many.log);
                same("agents", seed, &one.facts, &many.facts);
                same("reports", seed, &one.reports, &many.reports);
                assert_eq!((&one.replaced, one.rolled), (&many.replaced, many.rolled), "seed {seed}");
            }
            // Without threads agents of several trees and chunks come in the same order, too, but
            // requests are carried out in another one.
            let plain = live(seed, way, None, &mut NoTracer);
            same("callbacks without threads", seed, &by_agent(plain.log), &by_agent(one.log));
            same("agents without threads", seed, &plain.facts, &one.facts);
            replaced += one.replaced.len();
            kept += one.replaced.iter().map(|it| it.nodes_kept).sum::<u64>();
            ended += one.replaced.iter().filter(|it| !it.restarts.is_empty()).count();
            rolled = [rolled[0] + one.rolled[0], rolled[1] + one.rolled[1]];
        }
    }
    assert!(
        replaced > 60 && kept > 10_000 && ended > 20 && rolled[0] > 40 && rolled[1] > 15,
        "{replaced} {kept} {ended} {rolled:?}"
    );
}

/// What agents write is seen at once by later ones in their chunk, and by all others when the tick
/// is over: also by those that sleep.
#[test]
fn lives_that_share_keys_are_the_same_on_any_number_of_threads_and_without_sleep() {
    let pools = [1, 2].map(pool);
    let mut slept = 0;
    for seed in seeds(3) {
        let way = Way { batched: false, shares: true, sleep: true };
        let one = live(seed, way, Some([&pools[0], &pools[1]]), &mut NoTracer);
        for batched in [false, true] {
            let one = live(seed, Way { batched, ..way }, Some([&pools[0], &pools[1]]), &mut NoTracer);
            let many = live(seed, Way { batched, ..way }, Some([&pools[1], &pools[0]]), &mut NoTracer);
            same("callbacks", seed, &one.log, &many.log);
            same("agents", seed, &one.facts, &many.facts);
            same("reports", seed, &one.reports, &many.reports);
        }
        let awake = live(seed, Way { sleep: false, ..way }, Some([&pools[0], &pools[1]]), &mut NoTracer);
        let asked = |it: &&Line| it.what != '?';
        let lines = |it: &LifeResults| it.log.iter().filter(asked).copied().collect::<Vec<_>>();
        same("callbacks without sleep", seed, &lines(&one), &lines(&awake));
        same("agents without sleep", seed, &one.facts, &awake.facts);
        slept += one.reports.iter().map(|it| it.asleep).sum::<u64>();
    }
    assert!(slept > 10_000, "{slept}");
}

#[test]
fn they_are_the_same_with_a_tracer_to_the_line() {
    let pools = [1, 2, 8].map(pool);
    for seed in seeds(4) {
        let life = |on: [usize; 2]| {
            let mut recorder = Recorder::all();
            let pools = on.map(|it| &pools[it]);
            let way = Way { batched: false, shares: false, sleep: true };
            let seen = live(seed, way, Some(pools), &mut recorder);
            (seen, recorder.take())
        };
        let (one, lines) = life([0, 0]);
        assert!(lines.len() > 5_000, "{}", lines.len());
        for on in [[1, 1], [2, 2]] {
            let (many, others) = life(on);
            same("traced callbacks", seed, &one.log, &many.log);
            same("traces", seed, &lines, &others);
            same("reports", seed, &one.reports, &many.reports);
        }
    }
}
