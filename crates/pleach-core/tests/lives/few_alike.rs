//! A few agents live alone, and again beside many that are off, so that they are ticked both as few
//! and as many; with a tracer, and in batches. All ways must agree: the same callbacks in the same
//! order, the same state of each agent after each frame, and the same reports.

mod trees;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::{
    Completion, Forest, Phase, Replace, Spawn, TickReport, Tree,
    trace::{NoTracer, Recorder, Tracer},
};

use crate::harness::{
    self, Call, Danger, Dice, Fact, Line, Mode, Town, World, by_agent, call, fact, frame_time, same, seeds,
};
use trees::build;

const MODE: Mode = harness::PANICS.calling(&[
    (Call::Disable, 1),
    (Call::Enable, 4),
    (Call::Pause, 1),
    (Call::Unpause, 3),
    (Call::Restart, 1),
    (Call::Send, 1),
    (Call::Complete, 1),
    (Call::Alarm, 2),
    (Call::AnyLevel, 2),
    (Call::Storm, 1),
]);

/// The observable results of a frame: callbacks in their order, the agents after it, and the
/// report. If leaves panicked there is no report, but the numbers of their agents.
struct Frame {
    log: Vec<Line>,
    facts: Vec<Option<Fact>>,
    report: Option<TickReport>,
    panicked: Vec<usize>,
}

/// A life of `few` agents beside `others` that are off.
fn live<T: Tracer>(
    seed: u64,
    trees: &[Arc<Tree<Town>>],
    few: usize,
    others: usize,
    batched: bool,
    mut tracer: T,
) -> Vec<Frame> {
    let mut forest = Forest::<Town>::new(seed);
    let mut forest = forest.traced(&mut tracer);
    let (mut dice, mut world) = (Dice(!seed), World { streams: true, ..World::default() });
    let (sleep, every, dangerous) = (dice.below(4) > 0, dice.below(4) == 0, dice.below(3) == 0);
    forest.configure(|it| (it.batched, it.sleep, it.reevaluate_every_tick) = (batched, sleep, every));
    let tree = forest.add_tree(Arc::clone(&trees[0])).unwrap();
    for number in 0..few {
        let completion = [Completion::Restart, Completion::Restart, Completion::Stop][dice.below(3)];
        let spawn = Spawn { seed: Some(seed * 100 + number as u64), completion, ..Spawn::default() };
        let it = forest.spawn_with(&mut world, tree, spawn).unwrap();
        Arc::make_mut(&mut world.all).push(it);
    }
    for _ in 0..others {
        forest.spawn_with(&mut world, tree, Spawn { enabled: false, ..Spawn::default() }).unwrap();
    }
    let all = Arc::clone(&world.all);
    let numbers = Arc::new(all.iter().enumerate().map(|(number, &it)| (it, number)).collect());
    let frame = |frame: usize| {
        world.danger = Danger { numbers: Arc::clone(&numbers), ..Danger::default() };
        for _ in 0..dice.below(3) {
            let (it, what) = (all[dice.below(few)], MODE.call(&mut dice, false));
            call(&mut forest, &mut world, it, tree, what);
        }
        for &it in &*all {
            if dice.below(3) == 0 && forest.agent(it).unwrap().phase() == Phase::Panicked {
                call(&mut forest, &mut world, it, tree, (Call::Enable, 0));
            }
        }
        match dice.below(60) {
            0 => {
                let new = Arc::clone(&trees[dice.below(2)]);
                let new = if dice.below(2) == 0 { Replace::from(new) } else { Replace::restart(new) };
                forest.replace_tree(&mut world, tree, new).unwrap();
            }
            1 => forest.configure(|it| it.reevaluate_every_tick ^= true),
            _ => {}
        }
        if dangerous && dice.below(3) == 0 {
            world.danger.level = 1 + dice.below(1 << 20) as u64;
        }
        world.mood = frame * 7 + dice.below(3);
        let dt = frame_time(&mut dice, frame);
        let report = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, dt).unwrap())).ok();
        let facts = all.iter().map(|&it| fact(&forest, it)).collect();
        world.danger.panicked.sort_unstable();
        Frame { log: std::mem::take(&mut world.log), facts, report, panicked: world.danger.panicked.clone() }
    };
    (1..=60).map(frame).collect()
}

/// Whether these lives are one, in the order of all callbacks or agent by agent.
fn compare(what: &str, seed: u64, ordered: bool, one: &[Frame], other: &[Frame]) {
    for (number, (one, other)) in one.iter().zip(other).enumerate() {
        let what = format!("{what}, frame {number}");
        let log = |it: &Frame| if ordered { it.log.clone() } else { by_agent(it.log.clone()) };
        same(&format!("{what}, callbacks"), seed, &log(one), &log(other));
        same(&format!("{what}, agents"), seed, &one.facts, &other.facts);
        assert_eq!((one.report, &one.panicked), (other.report, &other.panicked), "{what}, seed {seed}");
    }
}

#[test]
fn a_few_agents_live_as_they_would_among_many() {
    let (lives, mut lines, mut aborts, mut panics) = (seeds(800), 0, 0, 0);
    let many = usize::try_from(lives.end).unwrap();
    for seed in lives {
        let mut dice = Dice(seed);
        let (depth, storm) = (1 + dice.below(4), dice.below(4) == 0);
        let trees = [build(&mut dice, depth, storm), build(&mut dice, depth, storm)];
        let few = [1, 1, 2, 3, 7, 15][dice.below(6)];
        let alone = live(seed, &trees, few, 0, false, NoTracer);
        compare("among many", seed, true, &live(seed, &trees, few, 40, false, NoTracer), &alone);
        compare("traced", seed, true, &live(seed, &trees, few, 0, false, Recorder::all()), &alone);
        // In batches agents write global keys in another order.
        if !storm {
            let batched = live(seed, &trees, few, 0, true, NoTracer);
            let among = live(seed, &trees, few, 40, true, NoTracer);
            // Where one panics in a batch, others may be asked twice.
            let panics = |it: &Frame| few > 1 && !it.panicked.is_empty();
            let calm = batched.iter().position(panics).unwrap_or(batched.len());
            compare("in batches", seed, false, &among[..calm], &batched[..calm]);
            compare("not in batches", seed, true, &alone[..calm], &batched[..calm]);
        }
        lines += alone.iter().map(|it| it.log.len()).sum::<usize>();
        aborts += alone.iter().filter_map(|it| it.report).map(|it| it.aborts).sum::<u64>();
        panics += alone.iter().map(|it| it.panicked.len()).sum::<usize>();
    }
    assert!(lines > 200 * many && aborts > 8 * many as u64 && panics > many / 3, "{lines} {aborts} {panics}");
}
