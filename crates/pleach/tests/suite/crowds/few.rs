//! A few agents of a tree: each is ticked in the fastest way for it (SEMANTICS 8.2), and does what
//! it would do among many.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Arc;

use pleach_core::nodes::{action, check, condition, idle, on_event, selector, sequence, wait};
use pleach_core::{
    Brain, Context, Entity, Event, Forest, Host, Key, Outcome, Phase, Spawn, Status, TickReport, Tree,
    nodes::Abort,
    trace::{NoTracer, Recorder, Tracer},
};
use support::{Cx, Game, World, counting, tree};

fn ticked(report: TickReport) -> (u64, u64) {
    (report.ticked, report.asleep)
}

/// A chunk's deadlines are at most half a minute ahead, and nothing reads them while it has few
/// agents.
#[test]
fn a_sleeper_that_was_alone_for_long_wakes_among_others() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let waits = forest.add_tree(tree(sequence([wait(90.0), counting(Status::Success)]))).unwrap();
    let first = forest.spawn(&mut world, waits).unwrap();
    assert_eq!(ticked(forest.tick(&mut world, 0.0).unwrap()), (1, 0));
    for _ in 0..70 {
        assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (0, 1));
    }
    let second = forest.spawn(&mut world, waits).unwrap();
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (1, 1));
    for _ in 72..90 {
        assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (0, 2));
    }
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (1, 1));
    assert_eq!(world.count, 1);
    forest.agent_mut(first).unwrap().despawn(&mut world);
    // It was spawned at 70 s, and had its first turn a second later.
    for _ in 91..161 {
        assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (0, 1));
    }
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (1, 0));
    assert_eq!((world.count, forest.agent(second).unwrap().phase()), (2, Phase::Active));
}

/// A tick looks at all of a few agents, but only at the awake ones of many.
#[test]
fn sleepers_that_woke_when_they_were_few_are_ticked_when_they_are_many() {
    let mut forest = Forest::<Game>::new(0);
    let waits = forest.add_tree(tree(sequence([wait(2.0), counting(Status::Running)]))).unwrap();
    let spawn = |forest: &mut Forest<Game>, agents| {
        for _ in 0..agents {
            forest.spawn(&mut World::default(), waits).unwrap();
        }
    };
    spawn(&mut forest, 3);
    let mut world = World::default();
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (3, 0));
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (0, 3));
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (3, 0));
    assert_eq!(world.count, 3);
    spawn(&mut forest, 20);
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (23, 0));
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (3, 20));
    assert_eq!(world.count, 9);
}

/// The agent in the middle panics where it begins, and where it continues.
#[test]
fn a_panic_of_one_of_few_leaves_the_others_their_turns() {
    for (batched, began) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut builder = Tree::<Game>::builder("fuse");
        let (me, fuse) = (builder.key("me", 0_i64), builder.key("fuse", began));
        let root = action(move |cx: &mut Cx<'_, '_>| {
            let (me, dt) = (cx.get(me), cx.dt());
            if cx.get(fuse) {
                panic_any("boom");
            }
            cx.host.log.push(format!("{me} {dt}"));
            Status::Running
        });
        let mut world = World::default();
        let mut forest = Forest::new(0);
        forest.configure(|it| it.batched = batched);
        let tree = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let agents: Vec<_> = (0..5).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
        for (number, &it) in (0..).zip(&agents) {
            forest.keys_mut(it).unwrap().set(me, number);
            forest.keys_mut(it).unwrap().set(fuse, began && number == 2);
        }
        if !began {
            forest.tick(&mut world, 0.5).unwrap();
            forest.keys_mut(agents[2]).unwrap().set(fuse, true);
            world.take();
        }
        let panicked = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.5).map(drop)));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"boom"));
        assert_eq!(forest.agent(agents[2]).unwrap().phase(), Phase::Panicked);
        // Those after it stay due, if agents are ticked in order.
        let had: &[&str] = if batched { &["0 0.5", "1 0.5", "3 0.5", "4 0.5"] } else { &["0 0.5", "1 0.5"] };
        assert_eq!(world.take(), had);
        assert_eq!(ticked(forest.tick(&mut world, 0.5).unwrap()), (4, 0));
        let dt = if batched { 0.5 } else { 1.0 };
        assert_eq!(world.take(), ["0 0.5".into(), "1 0.5".into(), format!("3 {dt}"), format!("4 {dt}")]);
    }
}

/// Some go on, some sleep, one hears something, one is paused.
#[test]
fn few_agents_that_do_different_things_are_ticked_in_their_order() {
    let mut builder = Tree::<Game>::builder("guard");
    let me = builder.key("me", 0_i64);
    let note = move |what: &'static str| {
        action(move |cx: &mut Cx<'_, '_>| {
            let me = cx.get(me);
            cx.host.log.push(format!("{me} {what}"));
            Status::Running
        })
    };
    let hears = sequence([on_event("noise"), note("looks")]).aborts(Abort::LOWER_PRIORITY);
    let sleeps = sequence([check("me % 2 == 1"), wait(10.0)]);
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let tree = builder.build(selector([hears, sleeps, note("walks")])).unwrap();
    let tree = forest.add_tree(tree).unwrap();
    let agents: Vec<_> = (0..6).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    for (number, &it) in (0..).zip(&agents) {
        forest.keys_mut(it).unwrap().set(me, number);
    }
    assert_eq!(ticked(forest.tick(&mut world, 0.5).unwrap()), (6, 0));
    assert_eq!(world.take(), ["0 walks", "2 walks", "4 walks"]);
    forest.agent_mut(agents[2]).unwrap().pause(&mut world);
    forest.agent_mut(agents[3]).unwrap().send(Event::new("noise")).unwrap();
    let report = forest.tick(&mut world, 0.5).unwrap();
    assert_eq!((ticked(report), report.aborts), ((3, 2), 1));
    assert_eq!(world.take(), ["0 walks", "3 looks", "4 walks"]);
    forest.agent_mut(agents[2]).unwrap().unpause(&mut world);
    forest.agent_mut(agents[0]).unwrap().send(Event::new("noise")).unwrap();
    let report = forest.tick(&mut world, 0.5).unwrap();
    assert_eq!((ticked(report), report.aborts), ((4, 2), 1));
    assert_eq!(world.take(), ["0 looks", "2 walks", "3 looks", "4 walks"]);
}

/// Two agents of a game that decides for each whether its condition holds.
struct Pair;
impl Host for Pair {
    type Cx<'a> = [bool; 2];
}
type PairCx<'a, 'h> = Context<'a, 'h, Pair>;

fn two(forest: &mut Forest<Pair>, tree: Tree<Pair>) {
    let tree = forest.add_tree(tree).unwrap();
    for index in 0..2 {
        let spawn = Spawn { entity: Entity::from_index(index), ..Spawn::default() };
        forest.spawn_with(&mut [false; 2], tree, spawn).unwrap();
    }
}

fn asks(cx: &mut PairCx<'_, '_>) -> bool {
    cx.host[cx.entity().index().unwrap()]
}

#[test]
fn the_second_of_few_is_asked_against_its_own_status() {
    let mut forest = Forest::<Pair>::new(0);
    let both = Abort::SELF | Abort::LOWER_PRIORITY;
    let work = || action(|_: &mut PairCx<'_, '_>| Status::Running);
    let root = selector([sequence([condition(asks), work()]).aborts(both), work()]);
    two(&mut forest, Tree::builder("t").build(root).unwrap());
    forest.tick(&mut [true, false], 0.1).unwrap();
    assert_eq!(forest.tick(&mut [true, false], 0.1).unwrap().aborts, 0);
    assert_eq!(forest.tick(&mut [true, true], 0.1).unwrap().aborts, 1);
    assert_eq!(forest.tick(&mut [false, true], 0.1).unwrap().aborts, 1);
    assert_eq!(forest.tick(&mut [false, false], 0.1).unwrap().aborts, 1);
}

#[test]
fn what_a_condition_of_the_second_of_few_writes_is_seen_in_the_same_pass() {
    let mut forest = Forest::<Pair>::new(0);
    let mut builder = Tree::<Pair>::builder("t");
    let alarm = builder.key("alarm", false);
    let writes = condition(move |cx: &mut PairCx<'_, '_>| {
        let now = asks(cx);
        cx.set(alarm, now);
        false
    });
    let root = selector([
        sequence([writes, idle()]).aborts(Abort::LOWER_PRIORITY),
        sequence([check("alarm"), idle()]).aborts(Abort::LOWER_PRIORITY),
        action(|_: &mut PairCx<'_, '_>| Status::Running),
    ]);
    two(&mut forest, builder.build(root).unwrap());
    forest.tick(&mut [false, false], 0.1).unwrap();
    assert_eq!(forest.tick(&mut [false, false], 0.1).unwrap().aborts, 0);
    assert_eq!(forest.tick(&mut [false, true], 0.1).unwrap().aborts, 1);
}

struct Clocks;
impl Host for Clocks {
    /// Which agent panics, and the `dt` of each.
    type Cx<'a> = (Option<usize>, Vec<(usize, f32)>);
}

#[test]
fn who_came_before_a_panic_of_few_had_its_turn() {
    for count in [3, 20] {
        let mut forest = Forest::<Clocks>::new(0);
        forest.configure(|it| it.batched = false);
        let root = action(|cx: &mut Context<'_, '_, Clocks>| {
            let (me, dt) = (cx.entity().index().unwrap(), cx.dt());
            assert_ne!(cx.host.0, Some(me));
            cx.host.1.push((me, dt));
            Status::Running
        });
        let tree = forest.add_tree(Tree::builder("t").build(root).unwrap()).unwrap();
        for index in 0..count {
            let spawn = Spawn { entity: Entity::from_index(index), enabled: index < 3, ..Spawn::default() };
            forest.spawn_with(&mut (None, Vec::new()), tree, spawn).unwrap();
        }
        forest.tick(&mut (None, Vec::new()), 0.25).unwrap();
        let tick = AssertUnwindSafe(|| forest.tick(&mut (Some(1), Vec::new()), 1.0));
        assert!(catch_unwind(tick).is_err());
        let mut world = (None, Vec::new());
        forest.tick(&mut world, 0.5).unwrap();
        assert_eq!(world.1, [(0, 0.5), (2, 1.5)], "{count}");
    }
}

#[test]
fn each_of_few_keeps_how_its_own_root_ended() {
    let mut forest = Forest::<Pair>::new(0);
    let root = action(|cx: &mut PairCx<'_, '_>| if asks(cx) { Status::Success } else { Status::Failure });
    two(&mut forest, Tree::builder("t").build(root).unwrap());
    forest.tick(&mut [true, false], 0.1).unwrap();
    let tree = forest.trees().next().unwrap();
    let agents: Vec<_> = forest.population(tree).unwrap().agents().collect();
    let ends: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().last_outcome()).collect();
    assert_eq!(ends, [Some(Outcome::Success), Some(Outcome::Failure)]);
}

/// Conditions that read keys are asked in every tick for a while, during which a key changes. That
/// is not looked at again when they are asked on changes only.
#[test]
fn a_change_that_was_looked_at_in_every_tick_is_not_looked_at_again() {
    const FRAMES: [(bool, i64); 7] = [(false, 0), (true, 0), (true, 1), (true, 0), (false, 0), (false, 1), (false, 0)];

    fn watching() -> (Tree<Game>, Key<i64>) {
        let mut builder = Tree::<Game>::builder("watch");
        let level = builder.key("level", 0_i64);
        let high = condition(move |cx: &mut Cx<'_, '_>| {
            cx.host.count += 1;
            cx.get(level) > 5
        });
        let watch = sequence([high.observes([level.index()]), idle()]).aborts(Abort::LOWER_PRIORITY);
        (builder.build(selector([watch, action(|_| Status::Running)])).unwrap(), level)
    }

    fn asked(agents: usize, tracer: &mut impl Tracer) -> Vec<u64> {
        let (tree, level) = watching();
        let mut world = World::default();
        let mut forest = Forest::new(0);
        let tree = forest.add_tree(tree).unwrap();
        for _ in 0..agents {
            forest.spawn(&mut world, tree).unwrap();
        }
        let mut asked = Vec::new();
        for (every, change) in FRAMES {
            forest.configure(|it| it.reevaluate_every_tick = every);
            forest.population_mut(tree).unwrap().update_column(level, |_, old| old + change).unwrap();
            world.count = 0;
            forest.traced(tracer).tick(&mut world, 0.1).unwrap();
            asked.push(world.count);
        }
        asked
    }
    fn asked_of_a_brain() -> Vec<u64> {
        let (tree, level) = watching();
        let mut world = World::default();
        let mut brain = Brain::new(&mut world, Arc::new(tree), 0);
        let mut asked = Vec::new();
        for (every, change) in FRAMES {
            brain.configure(|it| it.reevaluate_every_tick = every);
            let old = brain.keys().get(level);
            brain.keys_mut().set(level, old + change);
            world.count = 0;
            brain.tick(&mut world, 0.1).unwrap();
            asked.push(world.count);
        }
        asked
    }

    assert_eq!(asked_of_a_brain(), [1, 1, 1, 1, 0, 1, 0]);
    for agents in [1, 3, 20] {
        let expected = [1, 1, 1, 1, 0, 1, 0].map(|it| it * agents as u64);
        assert_eq!(asked(agents, &mut NoTracer), expected, "{agents}");
        assert_eq!(asked(agents, &mut Recorder::all()), expected, "{agents}");
    }
}
