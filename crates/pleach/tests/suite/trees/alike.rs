//! Successive leaves of one type: one call updates them, without any visible difference.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::__leaf::Callbacks;
use pleach_core::nodes::{action, action_of, inverter, selector, sequence};
use pleach_core::{Action, Brain, Forest, Phase, Replace, Status, Tree, nodes::Node, trace::Recorder};
use support::{Cx, Game, World, tree};

/// All of these have one type, with any arguments.
fn step(name: &'static str, status: fn(u64) -> Status) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let line = format!("{:?} {name} {}", cx.agent(), cx.node());
        cx.host.log.push(line);
        status(cx.host.count)
    })
}

/// These are of another.
fn other(name: &'static str) -> Node<Game> {
    action(move |cx: &mut Cx<'_, '_>| {
        let line = format!("{:?} {name} {}", cx.agent(), cx.node());
        cx.host.log.push(line);
        Status::Success
    })
}

fn succeeds(_: u64) -> Status {
    Status::Success
}

fn fails(_: u64) -> Status {
    Status::Failure
}

fn lasts(count: u64) -> Status {
    if count < 2 { Status::Running } else { Status::Success }
}

/// What each of some agents did in each of five ticks, if all did the same.
fn told(log: Vec<String>, agents: &[String]) -> Vec<String> {
    let of = |agent: &String| -> Vec<String> {
        log.iter().filter_map(|it| it.strip_prefix(&format!("{agent} ")).map(str::to_owned)).collect()
    };
    let first = of(&agents[0]);
    for agent in agents {
        assert_eq!(of(agent), first);
    }
    first
}

/// Plays a tree in all ways, and returns what each agent did in each tick.
fn played(root: impl Fn() -> Node<Game>, frames: u64) -> Vec<Vec<String>> {
    let tree = Arc::new(tree(root()));
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, Arc::clone(&tree), 0);
    let own = [format!("{:?}", brain.agent())];
    let mut ticks = Vec::new();
    for frame in 0..frames {
        world.count = frame;
        brain.tick(&mut world, 0.1).unwrap();
        ticks.push(told(world.take(), &own));
    }
    for agents in [1, 3, 40] {
        for (batched, traced) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut forest = Forest::new(0);
            forest.configure(|it| it.batched = batched);
            let id = forest.add_tree(Arc::clone(&tree)).unwrap();
            let ids: Vec<_> = (0..agents).map(|_| format!("{:?}", forest.spawn(&mut world, id).unwrap())).collect();
            for (frame, expected) in (0..frames).zip(&ticks) {
                world.count = frame;
                if traced {
                    let mut recorder = Recorder::all();
                    forest.traced(&mut recorder).tick(&mut world, 0.1).unwrap();
                } else {
                    forest.tick(&mut world, 0.1).unwrap();
                }
                assert_eq!(told(world.take(), &ids), *expected, "{agents} {batched} {traced} {frame}");
            }
        }
    }
    ticks
}

#[test]
fn each_is_updated_with_its_own_parameters_until_one_does_not_succeed() {
    let root = || {
        sequence([
            step("a", succeeds),
            step("b", succeeds),
            step("c", lasts),
            step("d", succeeds),
            other("x"),
            other("y"),
            step("e", succeeds),
            step("f", fails),
            step("g", succeeds),
        ])
    };
    let expected = [
        &["a n1", "b n2", "c n3"][..],
        &["c n3"],
        &["c n3", "d n4", "x n5", "y n6", "e n7", "f n8"],
        &["a n1", "b n2", "c n3", "d n4", "x n5", "y n6", "e n7", "f n8"],
    ];
    assert_eq!(played(root, 4), expected);
}

#[test]
fn a_streak_goes_on_behind_decorators_and_with_a_leaf_alone() {
    let root = || {
        selector([
            inverter(sequence([step("a", succeeds), step("b", succeeds), step("c", succeeds)])),
            step("d", fails),
            sequence([other("x"), step("e", succeeds), step("f", succeeds)]),
        ])
    };
    let all = ["a n3", "b n4", "c n5", "d n6", "x n8", "e n9", "f n10"];
    assert_eq!(played(root, 2), [all, all]);
}

#[test]
fn a_wish_to_sleep_ends_with_its_leaf() {
    let nap = |status| {
        move || {
            action(move |cx: &mut Cx<'_, '_>| {
                cx.host.count += 1;
                if cx.node().index() == 1 {
                    cx.sleep(9.0);
                    return Status::Success;
                }
                status
            })
        }
    };
    let leaf = nap(Status::Running);
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(sequence([leaf(), leaf(), leaf()])), 0);
    for count in [2, 3, 4] {
        brain.tick(&mut world, 0.1).unwrap();
        assert_eq!((world.count, brain.phase()), (count, Phase::Active));
    }
}

#[test]
fn an_agent_is_off_if_one_of_them_panics() {
    fn bomb(count: u64) -> Status {
        assert!(count != 1, "boom");
        Status::Success
    }
    let root = || sequence([step("a", succeeds), step("b", bomb), step("c", lasts)]);
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree(root()), 0);
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree(root())).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    world.count = 1;
    assert!(catch_unwind(AssertUnwindSafe(|| brain.tick(&mut world, 0.1))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
    assert_eq!((brain.phase(), forest.agent(agent).unwrap().phase()), (Phase::Panicked, Phase::Panicked));
    world.count = 0;
    brain.enable(&mut world);
    world.take();
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take().len(), 3);
}

/// A leaf that hears of pauses, and whether it is kept.
struct CallbackLogger(&'static str);

impl Action<Game> for CallbackLogger {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::LIFECYCLE;
    fn awake(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        cx.host.log.push(format!("{} awake", self.0));
    }
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        cx.host.log.push(format!("{} update", self.0));
        if cx.host.count == 0 && self.0 == "b" { Status::Running } else { Status::Success }
    }
    fn pause(&self, (): &mut (), cx: &mut Cx<'_, '_>, paused: bool) {
        cx.host.log.push(format!("{} pause {paused}", self.0));
    }
    fn can_resume(&self, before: &Self) -> bool {
        self.0 == before.0
    }
}

#[test]
fn other_callbacks_reach_each_of_them() {
    let root =
        |names: [&'static str; 3]| -> Tree<Game> { tree(sequence(names.map(|it| action_of(CallbackLogger(it))))) };
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, root(["a", "b", "c"]), 0);
    assert_eq!(world.take(), ["a awake", "b awake", "c awake"]);
    brain.tick(&mut world, 0.1).unwrap();
    brain.pause(&mut world);
    brain.unpause(&mut world);
    assert_eq!(world.take(), ["a update", "b update", "b pause true", "b pause false"]);
    // The running leaf carries on under the same name, and restarts under another.
    brain.replace_tree(&mut world, Replace::keep(root(["x", "b", "c"]))).unwrap();
    world.take();
    world.count = 1;
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["b update", "c update"]);
    world.count = 0;
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["x update", "b update"]);
}
