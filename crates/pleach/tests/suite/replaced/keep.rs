//! Agents carry on under another version of their tree (SEMANTICS 10): what the scenarios cannot
//! show. States and callbacks of leaves, panics, reports, keys, sleep, crowds.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_core::nodes::{
    action_of, check, cooldown, idle, limit, on_event, parallel, repeat_forever, selector, sequence, succeed, wait,
    wait_ticks,
};
use pleach_core::{
    Action, Brain, Context, End, Entity, Event, Forest, Phase, Spawn, Status, TickReport, Tree, Value,
    inspect::{RestartCause, WhatChanged},
    nodes::{Abort, Node},
};
use support::{Game, World, always, crowd, tree};

/// Counts its updates for each agent, and says so. A version with another `goal` wants to begin
/// again if it is `strict`.
struct Walk {
    goal: i32,
    strict: bool,
}

impl Action<Game> for Walk {
    type State = u32;
    fn awake(&self, _: &mut u32, cx: &mut Context<'_, '_, Game>) {
        cx.host.log.push(format!("awake {}", self.goal));
    }
    fn start(&self, _: &mut u32, cx: &mut Context<'_, '_, Game>) {
        cx.host.log.push(format!("start {}", self.goal));
    }
    fn update(&self, steps: &mut u32, cx: &mut Context<'_, '_, Game>) -> Status {
        *steps += 1;
        cx.host.log.push(format!("{} to {}", steps, self.goal));
        Status::Running
    }
    fn end(&self, _: &mut u32, cx: &mut Context<'_, '_, Game>, end: End) {
        cx.host.log.push(format!("end {} {end:?}", self.goal));
    }
    fn can_resume(&self, before: &Self) -> bool {
        !self.strict || self.goal == before.goal
    }
}

fn walk(goal: i32) -> Node<Game> {
    action_of(Walk { goal, strict: false }).of_kind("Walk")
}

fn strict(goal: i32) -> Node<Game> {
    action_of(Walk { goal, strict: true }).of_kind("Walk")
}

/// Ticks `count` times.
fn ticks(forest: &mut Forest<Game>, world: &mut World, count: u32, dt: f32) {
    for _ in 0..count {
        forest.tick(world, dt).unwrap();
    }
}

#[test]
fn a_leaf_goes_on_with_its_state_whatever_its_parameters() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(sequence([walk(1), idle()]), 2, &mut world);
    forest.agent_mut(agents[1]).unwrap().disable(&mut world);
    ticks(&mut forest, &mut world, 2, 0.1);
    world.take();
    let report = forest.replace_tree(&mut world, id, tree(sequence([wait(9.0), walk(7), idle()]))).unwrap();
    assert_eq!((report.agents_kept, report.agents_restarted, report.nodes_kept), (1, 0, 2));
    assert!(report.restarts.is_empty() && report.keys.is_empty(), "{report}");
    forest.tick(&mut world, 0.1).unwrap();
    // No `awake`, no `start`, and its own count.
    assert_eq!(world.take(), ["3 to 7"]);
    // The state of an agent that was off stays as well: it never walked, and begins at the wait.
    forest.agent_mut(agents[1]).unwrap().enable(&mut world);
    assert_eq!(world.take(), ["awake 7"]);
    assert_eq!(forest.agent(agents[0]).unwrap().inspect().to_string(), "Walk");
}

#[test]
fn a_leaf_may_ask_to_begin_again_alone() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(sequence([wait_ticks(0), strict(1), idle()]), 1, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    let mut brain = Brain::new(&mut world, tree(sequence([wait_ticks(0), strict(1), idle()])), 1);
    brain.tick(&mut world, 0.1).unwrap();
    world.take();
    // The same goal: it goes on.
    forest.replace_tree(&mut world, id, tree(sequence([wait_ticks(0), strict(1), idle()]))).unwrap();
    let new = || tree(sequence([wait_ticks(0), strict(2), idle()]));
    let report = forest.replace_tree(&mut world, id, new()).unwrap();
    assert_eq!(report.restarts[0].cause, RestartCause::Asked);
    assert_eq!(report.restarts[0].path, "Sequence/Walk[1]");
    assert_eq!(report.to_string().lines().count(), 2, "{report}");
    assert_eq!(brain.replace_tree(&mut world, new()), Ok(report));
    assert_eq!(world.take(), ["end 1 Aborted(Replaced)"; 2]);
    assert_eq!(forest.agent(agents[0]).unwrap().inspect().stacks, [[pleach_core::NodeId::ROOT]]);
    forest.tick(&mut world, 0.1).unwrap();
    brain.tick(&mut world, 0.1).unwrap();
    // Its state stays: it is the second step.
    assert_eq!(world.take(), [["start 2", "2 to 2"]; 2].concat());
}

#[test]
fn leaves_that_are_new_wake() {
    let mut world = World::default();
    let (mut forest, id, _) = crowd(sequence([walk(1), idle()]), 2, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    forest.replace_tree(&mut world, id, tree(sequence([walk(1), walk(2)]))).unwrap();
    assert_eq!(world.take(), ["awake 2"; 2]);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["2 to 1"; 2]);
}

#[test]
fn a_panic_in_an_end_costs_its_own_agent() {
    struct Bomb;
    impl Action<Game> for Bomb {
        type State = ();
        fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
            Status::Running
        }
        fn end(&self, (): &mut (), cx: &mut Context<'_, '_, Game>, _: End) {
            cx.host.count += 1;
            assert!(cx.host.count != 2, "boom");
        }
    }
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(sequence([action_of(Bomb)]), 3, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    let new = tree(sequence([always("new", Status::Running)]));
    assert!(catch_unwind(AssertUnwindSafe(|| forest.replace_tree(&mut world, id, new))).is_err());
    let phases: Vec<_> = agents.iter().map(|&it| forest.agent(it).unwrap().phase()).collect();
    assert_eq!(phases, [Phase::Active, Phase::Panicked, Phase::Active]);
    world.take();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 2);
    assert_eq!(world.take(), [["new start", "new update"]; 2].concat());
    forest.agent_mut(agents[1]).unwrap().enable(&mut world);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 3);
}

#[test]
fn a_goes_on_that_panics_changes_nothing() {
    struct Undecided;
    impl Action<Game> for Undecided {
        type State = ();
        fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
            cx.host.count += 1;
            Status::Running
        }
        fn can_resume(&self, _: &Self) -> bool {
            panic!("who knows");
        }
    }
    let mut world = World::default();
    let (mut forest, id, _) = crowd(action_of(Undecided), 1, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    let new = tree(action_of(Undecided));
    assert!(catch_unwind(AssertUnwindSafe(|| forest.replace_tree(&mut world, id, new))).is_err());
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 2);
}

#[test]
fn all_that_an_agent_has_stays() {
    let of = |speed: f32| {
        let mut builder = Tree::<Game>::builder("t");
        builder.key("speed", speed);
        builder.key("n", 1_i64);
        let watch = sequence([check("n > 5"), idle()]).aborts(Abort::LOWER_PRIORITY);
        builder.build(selector([watch, wait(10.0).named("rest")])).unwrap()
    };
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(of(1.0)).unwrap();
    let group = forest.new_group();
    let spawn = Spawn { group: Some(group), entity: Entity::from_bits(7), ..Spawn::default() };
    let agent = forest.spawn_with(&mut world, id, spawn).unwrap();
    forest.tick(&mut world, 1.0).unwrap();
    forest.keys_mut(agent).unwrap().set_value("n", 4_i64).unwrap();
    forest.tick(&mut world, 1.0).unwrap();
    forest.agent_mut(agent).unwrap().send(Event::new("hey")).unwrap();
    let all = |forest: &Forest<Game>| {
        let view = forest.agent(agent).unwrap().inspect();
        format!("{:?} {:?} {:?} {:?} {:?}", view.time, view.stacks, view.monitors, view.mail, view.last_abort)
    };
    let before = all(&forest);
    let report = forest.replace_tree(&mut world, id, of(2.0)).unwrap();
    assert_eq!(all(&forest), before);
    let changes: Vec<_> = report.keys.iter().map(|it| (it.name.as_str(), it.what)).collect();
    assert_eq!(changes, [("speed", WhatChanged::Default)]);
    let keys = forest.keys(agent).unwrap();
    assert_eq!([keys.value("speed"), keys.value("n")], [Ok(Value::Float(2.0)), Ok(Value::Int(4))]);
    let seen = forest.agent(agent).unwrap();
    assert_eq!((seen.group(), seen.entity()), (Some(group), Entity::from_bits(7)));
    // The monitor is there, and its key still wakes it.
    forest.tick(&mut world, 1.0).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    forest.keys_mut(agent).unwrap().set_value("n", 6_i64).unwrap();
    assert_eq!(forest.tick(&mut world, 1.0).unwrap().aborts, 1);
}

#[test]
fn sleepers_wake_at_the_deadline_that_they_had() {
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(sequence([wait(3.0), always("then", Status::Running)]), 100, &mut world);
    forest.tick(&mut world, 1.0).unwrap();
    let new = || tree(sequence([wait(50.0), always("then", Status::Running)]));
    let report = forest.replace_tree(&mut world, id, new()).unwrap();
    assert_eq!((report.agents_kept, report.nodes_kept), (100, 200));
    world.take();
    for _ in 0..2 {
        forest.tick(&mut world, 1.0).unwrap();
        assert!(world.take().is_empty());
        assert_eq!(forest.agent(agents[50]).unwrap().phase(), Phase::Asleep);
    }
    forest.tick(&mut world, 1.0).unwrap();
    assert_eq!(world.take().len(), 200);
}

#[test]
fn sleepers_are_ticked_once_for_a_new_tree() {
    let mut world = World::default();
    let tree = || {
        let watches = sequence([on_event("noise"), idle()]).aborts(Abort::LOWER_PRIORITY);
        tree(selector([watches, idle()]))
    };
    let mut forest = Forest::<Game>::new(0);
    let id = forest.add_tree(tree()).unwrap();
    for _ in 0..3 {
        forest.spawn(&mut world, id).unwrap();
    }
    ticks(&mut forest, &mut world, 2, 1.0);
    forest.replace_tree(&mut world, id, tree()).unwrap();
    // An agent without mail need not look for an event.
    let ticked = |it: TickReport| (it.ticked, it.asleep);
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (3, 0));
    assert_eq!(ticked(forest.tick(&mut world, 1.0).unwrap()), (0, 3));
}

#[test]
fn cooldowns_and_limits_are_remembered_by_id_wherever_they_are() {
    let once = || limit(1, always("once", Status::Success)).with_id("once");
    let cool = || cooldown(100.0, always("cool", Status::Success)).with_id("cool");
    let mut world = World::default();
    let root = || repeat_forever(selector([once(), cool(), always("rest", Status::Success)]));
    let (mut forest, id, _) = crowd(root(), 1, &mut world);
    ticks(&mut forest, &mut world, 3, 1.0);
    world.take();
    let moved = repeat_forever(selector([sequence([selector([cool(), once()])]), always("rest", Status::Success)]));
    forest.replace_tree(&mut world, id, tree(moved)).unwrap();
    world.take();
    forest.tick(&mut world, 1.0).unwrap();
    assert_eq!(world.take(), ["rest start", "rest update", "rest end Success"]);
}

#[test]
fn a_branch_that_is_to_start_again_goes_with_its_agent() {
    let root = |last: f32| {
        let branch = if last > 0.0 { always("b", Status::Running) } else { wait(5.0) };
        parallel([always("a", Status::Running), sequence([branch]).named("branch")])
    };
    let mut world = World::default();
    let (mut forest, id, agents) = crowd(root(0.0), 3, &mut world);
    forest.tick(&mut world, 1.0).unwrap();
    let report = forest.replace_tree(&mut world, id, tree(root(1.0))).unwrap();
    assert_eq!((report.agents_restarted, report.nodes_kept), (3, 6));
    assert_eq!(report.restarts[0].path, "Parallel/branch[1]");
    assert_eq!(report.restarts[0].because_of, "Parallel/branch[1]/Wait[0]");
    // The last agent takes the place of the first; another one restarts.
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    forest.agent_mut(agents[1]).unwrap().restart(&mut world);
    world.take();
    forest.tick(&mut world, 1.0).unwrap();
    let (on, anew) = (["a update", "b start", "b update"], ["a start", "a update", "b start", "b update"]);
    assert_eq!(world.take(), [&on[..], &anew].concat());
    forest.tick(&mut world, 1.0).unwrap();
    assert_eq!(world.take(), [["a update", "b update"]; 2].concat());
}

#[test]
fn later_ticks_allocate_nothing() {
    let root = |speed: f64| {
        let move_on = sequence([wait(speed), succeed()]).named("branch");
        repeat_forever(parallel([move_on, sequence([wait(0.5), wait_ticks(2)])]))
    };
    let mut world = World::default();
    let (mut forest, id, _) = crowd(root(0.3), 200, &mut world);
    ticks(&mut forest, &mut world, 10, 0.1);
    forest.replace_tree(&mut world, id, tree(root(0.4))).unwrap();
    // The game's own log has room.
    world.log.reserve(100_000);
    let ticks = || ticks(&mut forest, &mut world, 30, 0.1);
    assert_eq!(allocation_counter::measure(ticks).count_total, 0);
}
