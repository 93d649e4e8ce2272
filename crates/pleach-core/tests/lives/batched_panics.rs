//! Random crowds in batches in which leaves panic: each agent does what it would do in a forest of
//! its own, or misses a whole tick, and so says its trace. With a tracer all callbacks come in the
//! same order as without one.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{action, condition, idle, selector, sequence};
use pleach_core::{
    AgentId, Budget, Forest, Rate, Spawn, Status, Tree,
    nodes::Abort,
    trace::{NoTracer, Recorder, TraceEntry, TraceEvent, Traced, Tracer},
};

use crate::harness::{self, Cx, Danger, Dice, Fact, Line, Mode, Town, World, call, fact, note, seeds};

const MODE: Mode = harness::PANICS;

fn build(dice: &mut Dice) -> Tree<Town> {
    let (depth, quiet) = (dice.below(4), dice.below(2) == 0);
    let root = |keys| {
        let root = harness::node(dice, &MODE, keys, depth, quiet, false);
        if !quiet {
            return root;
        }
        // In every tick every agent says something.
        let heard = action(|cx: &mut Cx<'_, '_>| {
            note('k', cx);
            Status::Running
        });
        let asked = condition(|cx: &mut Cx<'_, '_>| {
            note('?', cx);
            false
        });
        selector([sequence([asked, heard]).aborts(Abort::LOWER_PRIORITY), root])
    };
    harness::build(0, false, root).0
}

/// Ticks, and returns whether that panicked. Then carries out what was requested, also after a
/// panic.
fn tick<T: Tracer>(
    forest: &mut Traced<'_, Forest<Town>, T>,
    world: &mut World,
    dt: f32,
    mood: usize,
    danger: u64,
    stray: AgentId,
) -> bool {
    (world.mood, world.danger.level) = (mood, danger);
    let panicked =
        catch_unwind(AssertUnwindSafe(|| forest.tick_within(world, dt, Budget::Agents(u64::MAX)).unwrap())).is_err();
    world.danger.level = 0;
    forest.agent_mut(stray).unwrap().enable(world);
    panicked
}

/// The results of a life: how many panics, all callbacks of the crowd in their order, its agents,
/// and the trace of each of them alone.
struct LifeResults {
    panics: usize,
    log: Vec<Line>,
    crowd: Vec<AgentId>,
    alone: Vec<Vec<TraceEvent>>,
}

/// The trace of an agent. A condition may be asked twice where others panic, or once.
fn of(agent: AgentId, trace: &[TraceEntry]) -> Vec<TraceEvent> {
    let own = trace.iter().filter(|it| it.agent == agent && !matches!(it.event, TraceEvent::Recheck(..)));
    own.map(|it| it.event).collect()
}

fn stray<T: Tracer>(forest: &mut Traced<'_, Forest<Town>, T>) -> AgentId {
    let tree = forest.add_tree(Tree::builder("stray").build(idle()).unwrap()).unwrap();
    forest.spawn(&mut World::default(), tree).unwrap()
}

/// A life of a crowd with this tracer, beside its agents alone.
fn live<T: Tracer>(seed: u64, mut tracer: T) -> (LifeResults, T) {
    let mut forest = Forest::new(seed);
    let mut forest = forest.traced(&mut tracer);
    let (mut dice, mut world) = (Dice(seed), World::default());
    forest.configure(|it| it.batched = true);
    let (mut crowd, mut solos, mut panics) = (Vec::new(), Vec::new(), 0);
    let crowd_stray = stray(&mut forest);
    for count in [80, 50] {
        let tree = Arc::new(build(&mut dice));
        let id = forest.add_tree(Arc::clone(&tree)).unwrap();
        for _ in 0..count {
            let spawn = Spawn { seed: Some(dice.below(1 << 30) as u64), ..Spawn::default() };
            crowd.push(forest.spawn_with(&mut world, id, spawn).unwrap());
            let danger = Danger { alone: Some(solos.len()), ..Danger::default() };
            let (mut alone, mut recorder) = (Forest::new(0), Recorder::all());
            let mut own = World { danger, ..World::default() };
            let id = alone.add_tree(Arc::clone(&tree)).unwrap();
            let agent = alone.spawn_with(&mut own, id, spawn).unwrap();
            let stray = stray(&mut alone.traced(&mut recorder));
            solos.push(((alone, recorder), own, agent, id, stray));
        }
    }
    world.danger.numbers = Arc::new(crowd.iter().enumerate().map(|(number, &it)| (it, number)).collect());
    // The row that comes first.
    let mut first = 0;
    for frame in 0..30 {
        for _ in 0..8 {
            let (number, what) = (dice.below(crowd.len()), MODE.call(&mut dice, false));
            let (alone, own, agent, tree, _) = &mut solos[number];
            call(&mut forest, &mut world, crowd[number], *tree, what);
            call(&mut alone.0.traced(&mut alone.1), own, *agent, *tree, what);
        }
        let dt = [0.0, 0.125, 0.0625, 0.0625, 0.25][dice.below(5)];
        let (mood, danger) = (dice.below(1000), if dice.below(2) == 0 { 1 + dice.below(1 << 20) as u64 } else { 0 });
        world.danger.panicked.clear();
        tick(&mut forest, &mut world, dt, mood, danger, crowd_stray);
        // A panic costs only the rows after it their turns; the next call begins after its row.
        let panicked = |row: &Range<usize>| world.danger.panicked.iter().any(|it| row.contains(it));
        let rows = if first == 0 { [0..80, 80..130] } else { [80..130, 0..80] };
        let missing = if panicked(&rows[0]) { rows[1].clone() } else { 0..0 };
        if let Some(row) = rows.iter().find(|it| panicked(it)) {
            first = if row.start == 0 { 80 } else { 0 };
        }
        for (number, (alone, own, agent, _, stray)) in solos.iter_mut().enumerate() {
            let misses = missing.contains(&number);
            alone.0.agent_mut(*agent).unwrap().set_rate(if misses { Rate::NEVER } else { Rate::EVERY_FRAME });
            panics += usize::from(tick(&mut alone.0.traced(&mut alone.1), own, dt, mood, danger, *stray));
            let it = crowd[number];
            assert_eq!(seen(&forest, it), seen(&alone.0, *agent), "seed {seed}, frame {frame}, agent {number}");
        }
    }
    let lines = |log: &[Line], of: AgentId| -> Vec<_> {
        let own = log.iter().filter(|it| it.agent == of && it.what != '?');
        own.map(|it| (it.node, it.what, it.time, it.dt)).collect()
    };
    for (number, (_, own, agent, ..)) in solos.iter().enumerate() {
        assert_eq!(lines(&world.log, crowd[number]), lines(&own.log, *agent), "seed {seed}, agent {number}");
    }
    let alone = solos.iter_mut().map(|(alone, _, agent, ..)| of(*agent, &alone.1.take())).collect();
    (LifeResults { panics, log: world.log, crowd, alone }, tracer)
}

/// Everything except how its root ended.
fn seen(forest: &Forest<Town>, it: AgentId) -> Fact {
    let fact = fact(forest, it).expect("none is despawned").awake();
    Fact { last_outcome: None, ..fact }
}

#[test]
fn an_agent_that_panics_in_a_batch_costs_the_others_nothing() {
    let mut panics = 0;
    for seed in seeds(60) {
        let (plain, _) = live(seed, NoTracer);
        panics += plain.panics;
        let one = usize::try_from(seed * 37).unwrap() % plain.crowd.len();
        for recorder in [Recorder::all(), Recorder::of([plain.crowd[one]])] {
            let (traced, mut recorder) = live(seed, recorder);
            harness::same("traced callbacks", seed, &plain.log, &traced.log);
            let trace = recorder.take();
            for (number, &it) in traced.crowd.iter().enumerate().filter(|it| recorder.wants(*it.1)) {
                harness::same("trace", seed, &traced.alone[number], &of(it, &trace));
            }
        }
    }
    assert!(panics > 100, "{panics}");
}
