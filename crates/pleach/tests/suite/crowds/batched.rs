//! Agents ticked in batches (SEMANTICS 8.11): each does what it would do alone, even if others
//! panic, sleep, or abort.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use pleach_core::nodes::{action, check, condition, selector, sequence};
use pleach_core::{
    AgentId, Forest, Key, Phase, Status, TickReport, Tree,
    nodes::{Abort, Node},
};
use support::{Cx, Game, World};

const AGENTS: usize = 1500;
/// The agents of a chunk.
const CHUNK: usize = 1024;

/// A forest in batches with agents of one tree. Logs are the number of the agent, then `what`.
fn crowd(tree: Tree<Game>, world: &mut World) -> (Forest<Game>, Vec<AgentId>) {
    let mut forest = Forest::new(3);
    forest.configure(|it| it.batched = true);
    let tree = forest.add_tree(tree).unwrap();
    let agents = (0..AGENTS).map(|_| forest.spawn(world, tree).unwrap()).collect();
    (forest, agents)
}

fn note(what: &str, me: Key<i64>, cx: &mut Cx<'_, '_>) -> i64 {
    let me = cx.get(me);
    cx.host.log.push(format!("{me} {what}"));
    me
}

/// What one agent did.
fn of(log: &[String], agent: usize) -> Vec<&str> {
    log.iter().filter_map(|it| it.strip_prefix(&format!("{agent} "))).collect()
}

fn number(forest: &mut Forest<Game>, agents: &[AgentId], me: Key<i64>) {
    for (number, &agent) in (0..).zip(agents) {
        forest.keys_mut(agent).unwrap().set(me, number);
    }
}

#[test]
fn a_batch_goes_on_together() {
    let mut tree = Tree::builder("steps");
    let me = tree.key("me", 0_i64);
    let step = |name: &'static str, status| -> Node<Game> {
        action(move |cx: &mut Cx<'_, '_>| {
            note(name, me, cx);
            status
        })
    };
    let root = sequence([step("a", Status::Success), step("b", Status::Success), step("c", Status::Running)]);
    let mut world = World::default();
    let (mut forest, agents) = crowd(tree.build(root).unwrap(), &mut world);
    number(&mut forest, &agents, me);
    let report = forest.tick(&mut world, 0.1).unwrap();
    let TickReport { ticked, asleep, ended, aborts, .. } = report;
    assert_eq!((ticked, asleep, ended, aborts), (1500, 0, 0, 0));
    let log = world.take();
    for agent in 0..AGENTS {
        assert_eq!(of(&log, agent), ["a", "b", "c"]);
    }
    // Chunk by chunk, and in each chunk leaf by leaf.
    assert_eq!((&*log[0], &*log[1], &*log[CHUNK], &*log[2 * CHUNK]), ("0 a", "1 a", "0 b", "0 c"));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take().len(), AGENTS);
}

#[test]
fn a_panic_costs_only_its_own_agent_its_tick() {
    for bad_step in ["a", "b"] {
        let mut tree = Tree::builder("steps");
        let me = tree.key("me", 0_i64);
        let step = |name: &'static str, status| -> Node<Game> {
            action(move |cx: &mut Cx<'_, '_>| {
                let me = note(name, me, cx);
                if name == bad_step && cx.host.count > 0 && [100, 101, 511].contains(&me) {
                    panic_any(me);
                }
                // Some of them need a second tick.
                if name == "a" && me % 3 == 0 && cx.host.count > 0 { Status::Running } else { status }
            })
        };
        let root = sequence([step("a", Status::Success), step("b", Status::Success), step("c", Status::Success)]);
        let mut world = World { count: 1, ..World::default() };
        let (mut forest, agents) = crowd(tree.build(root).unwrap(), &mut world);
        number(&mut forest, &agents, me);
        let payload = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).unwrap_err();
        assert_eq!(payload.downcast_ref::<i64>(), Some(&100), "the first in the order of agents goes on");
        let log = world.take();
        for (agent, &id) in agents.iter().enumerate().take(CHUNK) {
            let bad = [100, 101, 511].contains(&agent);
            let steps: &[&str] = match (agent % 3, bad) {
                (0, _) => &["a"],
                (_, true) if bad_step == "a" => &["a"],
                (_, true) => &["a", "b"],
                (_, false) => &["a", "b", "c"],
            };
            assert_eq!(of(&log, agent), steps, "{agent}");
            assert_eq!(
                forest.agent(id).map(|it| it.phase()),
                Ok(if bad { Phase::Panicked } else { Phase::Active }),
                "{agent}"
            );
        }
        // The later chunks have no turn.
        assert!(of(&log, CHUNK).is_empty());
        world.count = 0;
        let report = forest.tick(&mut world, 0.1).unwrap();
        assert_eq!((report.ticked, report.ended), (1497, 1497));
        let log = world.take();
        for agent in (0..AGENTS).filter(|it| ![100, 101, 511].contains(it)) {
            assert_eq!(of(&log, agent), ["a", "b", "c"], "{agent}");
        }
    }
}

#[test]
fn conditions_are_asked_in_order_and_abort_each_for_its_agent() {
    let mut tree = Tree::builder("watch");
    let (me, alarm) = (tree.key("me", 0_i64), tree.key("alarm", false));
    let polled = |name: &'static str, by: i64| -> Node<Game> {
        condition(move |cx: &mut Cx<'_, '_>| {
            let me = note(name, me, cx);
            if cx.host.count > 0 && me == 77 {
                panic_any(me);
            }
            // The condition `q` raises the alarm, which the condition after it reads.
            if by == 5 && me % 7 == 0 && cx.host.count == 0 {
                cx.set(alarm, true);
            }
            cx.host.count == 2 && me % by == 0
        })
    };
    let run = |name: &'static str| -> Node<Game> {
        action(move |cx: &mut Cx<'_, '_>| {
            note(name, me, cx);
            Status::Running
        })
    };
    let root = selector([
        sequence([polled("p", 3), run("first")]).aborts(Abort::LOWER_PRIORITY),
        sequence([polled("q", 5), run("second")]).aborts(Abort::LOWER_PRIORITY),
        sequence([condition(move |cx: &mut Cx<'_, '_>| cx.get(alarm)).observes([alarm.index()]), run("alarm")])
            .aborts(Abort::LOWER_PRIORITY),
        run("rest"),
    ]);
    let mut world = World { count: 3, ..World::default() };
    let (mut forest, agents) = crowd(tree.build(root).unwrap(), &mut world);
    number(&mut forest, &agents, me);
    forest.keys_mut(agents[77]).unwrap().set(me, -1);
    forest.tick(&mut world, 0.1).unwrap();
    forest.keys_mut(agents[77]).unwrap().set(me, 77);
    world.take();

    // One agent panics when it is asked: the others are asked again, and act once.
    assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
    let log = world.take();
    assert_eq!((of(&log, 3), of(&log, 77)), (vec!["p", "p", "q", "rest"], vec!["p"]));
    assert_eq!(forest.agent(agents[77]).unwrap().phase(), Phase::Panicked);
    world.count = 4;
    forest.agent_mut(agents[77]).unwrap().enable(&mut world);
    forest.keys_mut(agents[77]).unwrap().set(me, 1);

    // A condition writes a key that the condition after it reads.
    world.count = 0;
    forest.tick(&mut world, 0.1).unwrap();
    let log = world.take();
    assert_eq!((of(&log, 14), of(&log, 15)), (vec!["p", "q", "alarm"], vec!["p", "q", "rest"]));

    // Agents abort one by one, each to its own branch.
    world.count = 2;
    let report = forest.tick(&mut world, 0.1).unwrap();
    let log = world.take();
    assert_eq!(of(&log, 3), ["p", "p", "first"]);
    assert_eq!(of(&log, 5), ["p", "q", "q", "second"]);
    assert_eq!(of(&log, 14), ["p", "q", "alarm"]);
    assert_eq!(of(&log, 16), ["p", "q", "rest"]);
    assert_eq!(report.ticked, 1500);
}

#[test]
fn an_agent_that_sleeps_leaves_the_batch() {
    let mut tree = Tree::builder("nap");
    let (me, call) = (tree.key("me", 0_i64), tree.key("call", false));
    let root = selector([
        sequence([
            check("call"),
            action(move |cx: &mut Cx<'_, '_>| {
                note("here", me, cx);
                cx.set(call, false);
                Status::Success
            }),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        action(move |cx: &mut Cx<'_, '_>| {
            if note("nap", me, cx) % 2 == 0 {
                cx.sleep(1.0);
            }
            Status::Running
        }),
    ]);
    let mut world = World::default();
    let (mut forest, agents) = crowd(tree.build(root).unwrap(), &mut world);
    number(&mut forest, &agents, me);
    forest.tick(&mut world, 0.25).unwrap();
    let report = forest.tick(&mut world, 0.25).unwrap();
    assert_eq!((report.ticked, report.asleep), (750, 750));
    assert_eq!(forest.agent(agents[0]).unwrap().phase(), Phase::Asleep);
    forest.keys_mut(agents[0]).unwrap().set(call, true);
    forest.keys_mut(agents[1]).unwrap().set(call, true);
    world.take();
    forest.tick(&mut world, 0.25).unwrap();
    let log = world.take();
    assert_eq!((of(&log, 0), of(&log, 1), of(&log, 2)), (vec!["here"], vec!["here"], vec![]));
    for _ in 0..3 {
        forest.tick(&mut world, 0.25).unwrap();
    }
    assert_eq!(of(&world.take(), 2), ["nap"]);
}

#[test]
fn an_agent_that_is_alone_for_a_tick_misses_no_change() {
    let mut builder = Tree::<Game>::builder("watch");
    let calm = builder.key("calm", true);
    let patrol = action(|cx: &mut Cx<'_, '_>| if cx.host.count > 0 { Status::Failure } else { Status::Running });
    let watch = sequence([check("calm"), patrol]).aborts(Abort::LOWER_PRIORITY);
    let tree = builder.build(selector([watch, action(|_| Status::Running)])).unwrap();
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    forest.configure(|it| it.batched = true);
    let id = forest.add_tree(tree).unwrap();
    let spawn = |forest: &mut Forest<Game>, world: &mut World| forest.spawn(world, id).unwrap();
    let agents: Vec<_> = (0..20).map(|_| spawn(&mut forest, &mut world)).collect();
    forest.tick(&mut world, 0.1).unwrap();
    // Nothing watches the key there, so the batch has looked at the agent.
    forest.keys_mut(agents[0]).unwrap().set(calm, false);
    forest.tick(&mut world, 0.1).unwrap();
    for &it in &agents[1..] {
        forest.agent_mut(it).unwrap().despawn(&mut world);
    }
    // Alone it gets to where the condition is watched, and has not yet been asked again.
    world.count = 1;
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 0);
    world.count = 0;
    let others = (0..19).map(|_| spawn(&mut forest, &mut world)).count();
    assert_eq!(others, 19);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
}
