//! Which agent has a turn in which frame, its `dt`, and what it finds in the turn (SEMANTICS 8.2 to
//! 8.6): the same with and without sleep, and even if an agent before it panics.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pleach_core::nodes::{action, condition, condition_of, guard, idle, selector, sequence, wait, wait_until};
use pleach_core::{
    AgentId, Budget, Condition, Context, Event, Forest, Observes, Phase, Rate, Spawn, Status, Tree,
    nodes::{Abort, Node},
};
use support::{Cx, Game, World, tree};

fn every(frames: u32) -> Rate {
    Rate::every(frames).unwrap()
}

/// Logs the agent that is asked, and returns whether the world has counted anything.
fn asked(seconds: f32) -> pleach_core::nodes::Node<Game> {
    condition(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:?}", cx.agent());
        cx.host.log.push(line);
        cx.host.count > 0
    })
    .every(seconds)
}

/// Watches a condition that is asked every `seconds` seconds, while the agent idles.
fn watcher(seconds: f32) -> Node<Game> {
    selector([sequence([asked(seconds), idle()]).aborts(Abort::LOWER_PRIORITY), idle()])
}

/// An action that notes the agent's own time and its `dt`, in hundredths of a second. It panics
/// when it gets the event "boom".
fn clock() -> Node<Game> {
    action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:.0} {:.0}", cx.time() * 100.0, cx.dt() * 100.0);
        cx.host.log.push(line);
        if cx.event("boom").is_some() {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        Status::Running
    })
}

fn forest(root: Node<Game>, agents: usize, sleep: bool) -> (Forest<Game>, Vec<AgentId>, World) {
    let (mut world, mut forest) = (World::default(), Forest::new(0));
    forest.configure(|it| it.sleep = sleep);
    let id = forest.add_tree(tree(root)).unwrap();
    let agents = (0..agents).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
    (forest, agents, world)
}

#[test]
fn within_a_budget_every_agent_is_asked_as_often_as_its_turns_come() {
    for sleep in [false, true] {
        let (mut forest, agents, mut world) = forest(watcher(1.0), 100, sleep);
        for _ in 0..600 {
            forest.tick_within(&mut world, 0.1, Budget::Agents(5)).unwrap();
        }
        let log = world.take();
        for it in agents {
            let it = format!("{it:?}");
            let count = log.iter().filter(|line| **line == it).count();
            assert!((30..=60).contains(&count), "{it} was asked {count} times, sleep {sleep}");
        }
    }
}

#[test]
fn an_agent_that_wakes_and_waits_for_its_turn_has_the_whole_time_in_its_dt() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let mut builder = Tree::<Game>::builder("wait");
    let go = builder.key("go", false);
    let id = forest.add_tree(builder.build(sequence([wait_until("go"), clock()])).unwrap()).unwrap();
    for _ in 0..10 {
        forest.spawn(&mut world, id).unwrap();
    }
    for _ in 0..20 {
        forest.tick_within(&mut world, 0.1, Budget::Agents(1)).unwrap();
    }
    forest.population_mut(id).unwrap().update_column(go, |_, _| true).unwrap();
    for _ in 0..10 {
        forest.tick_within(&mut world, 0.1, Budget::Agents(1)).unwrap();
    }
    let dts: Vec<_> = world.take().iter().map(|it| it.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(dts, ["10", "20", "30", "40", "50", "60", "70", "80", "90", "100"]);
}

/// The frame of the first abort. `meddle` runs between frames.
fn abort_frame(
    seconds: f32,
    sleep: bool,
    frames: usize,
    mut between: impl FnMut(usize, &mut Forest<Game>, &mut World, AgentId),
) -> Option<usize> {
    let (mut forest, agents, mut world) = forest(watcher(seconds), 1, sleep);
    (1..=frames).find(|&frame| {
        between(frame, &mut forest, &mut world, agents[0]);
        forest.tick(&mut world, 0.1).unwrap().aborts > 0
    })
}

#[test]
fn a_boundary_before_a_pause_is_found_after_it() {
    for seconds in [0.3, 0.5, 1.0, 1.3] {
        let run = |sleep| {
            abort_frame(seconds, sleep, 60, |frame, forest, world, agent| match frame {
                1 => forest.agent_mut(agent).unwrap().set_rate(every(3)),
                4 => world.count = 1,
                5 => forest.agent_mut(agent).unwrap().pause(world),
                7 => forest.agent_mut(agent).unwrap().unpause(world),
                _ => {}
            })
        };
        assert!(run(false).is_some());
        assert_eq!(run(true), run(false), "{seconds}");
    }
}

#[test]
fn a_boundary_in_frames_without_a_turn_is_found_in_the_first_turn() {
    let run = |sleep| {
        abort_frame(10.0, sleep, 400, |frame, forest, world, agent| match frame {
            2 => forest.agent_mut(agent).unwrap().set_rate(Rate::NEVER),
            50 => world.count = 1,
            202 => forest.agent_mut(agent).unwrap().set_rate(every(1)),
            _ => {}
        })
    };
    assert_eq!((run(false), run(true)), (Some(202), Some(202)));
}

#[test]
fn what_fell_into_a_frame_that_was_lost_to_a_panic_is_found_in_the_next() {
    // Other agents in the same chunk, or in another tree.
    for other_tree in [false, true] {
        for sleep in [false, true] {
            let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
            forest.configure(|it| it.sleep = sleep);
            forest.configure(|it| it.batched = false);
            let first = forest.add_tree(tree(clock())).unwrap();
            let second = if other_tree { forest.add_tree(tree(clock())).unwrap() } else { first };
            let bomb = forest.spawn(&mut world, first).unwrap();
            forest.spawn(&mut world, second).unwrap();
            forest.tick(&mut world, 0.25).unwrap();
            assert_eq!(world.take(), ["25 25", "25 25"]);
            forest.agent_mut(bomb).unwrap().send(Event::new("boom")).unwrap();
            assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.25))).is_err());
            assert_eq!(world.take(), ["50 25"]);
            forest.tick(&mut world, 0.25).unwrap();
            assert_eq!(world.take(), ["75 50"]);
            forest.tick(&mut world, 0.25).unwrap();
            assert_eq!(world.take(), ["100 25"]);
        }
    }
}

#[test]
fn a_boundary_in_a_frame_that_was_lost_to_a_panic_is_not_lost() {
    for sleep in [false, true] {
        for lost in 1..=12 {
            let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
            forest.configure(|it| it.sleep = sleep);
            let bombs = forest.add_tree(tree(clock())).unwrap();
            let watchers = forest.add_tree(tree(watcher(1.0))).unwrap();
            let watcher = forest.spawn(&mut world, watchers).unwrap();
            let bomb = forest.spawn(&mut world, bombs).unwrap();
            let mut frames = Vec::new();
            for frame in 1..=25 {
                if frame == lost {
                    forest.agent_mut(bomb).unwrap().send(Event::new("boom")).unwrap();
                }
                let panicked = catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1).unwrap())).is_err();
                assert_eq!(panicked, frame == lost);
                if world.take().contains(&format!("{watcher:?}")) {
                    frames.push(frame);
                }
            }
            // Its slot is the first, so its boundaries are 0.618 s before the whole seconds
            // (SEMANTICS 8.5).
            let expected = [1, 4, 14, 24].map(|it| if it == lost { it + 1 } else { it });
            assert_eq!(frames, expected, "lost {lost}, sleep {sleep}");
        }
    }
}

#[test]
fn the_call_within_a_budget_after_a_panic_begins_behind_it() {
    let (mut forest, agents, mut world) = forest(clock(), 6, true);
    forest.configure(|it| it.batched = false);
    forest.tick_within(&mut world, 0.1, Budget::Agents(2)).unwrap();
    forest.agent_mut(agents[3]).unwrap().send(Event::new("boom")).unwrap();
    world.take();
    assert!(catch_unwind(AssertUnwindSafe(|| forest.tick_within(&mut world, 0.1, Budget::Agents(4)))).is_err());
    assert_eq!(world.take(), ["20 20", "20 20"]);
    assert_eq!(forest.agent(agents[3]).unwrap().phase(), Phase::Panicked);
    forest.tick_within(&mut world, 0.1, Budget::Agents(3)).unwrap();
    // The last two, and then the first.
    assert_eq!(world.take(), ["30 30", "30 30", "30 20"]);
}

#[test]
fn frames_without_time_count_for_rates() {
    for within in [false, true] {
        let (mut forest, agents, mut world) = forest(clock(), 1, true);
        forest.agent_mut(agents[0]).unwrap().set_rate(every(10));
        let ticked: u64 = (0..100)
            .map(|_| match within {
                false => forest.tick(&mut world, 0.0).unwrap().ticked,
                true => forest.tick_within(&mut world, 0.0, Budget::Agents(9)).unwrap().ticked,
            })
            .sum();
        assert_eq!(ticked, 10, "{within}");
    }
}

#[test]
fn sleepers_are_counted_wherever_a_budget_ends() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let sleepers = forest.add_tree(tree(wait(1e6))).unwrap();
    let busy = forest.add_tree(tree(clock())).unwrap();
    for _ in 0..1500 {
        forest.spawn(&mut world, sleepers).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    for _ in 0..1500 {
        forest.spawn(&mut world, busy).unwrap();
    }
    for _ in 0..6 {
        // Regardless of how many chunks it covers.
        let report = forest.tick_within(&mut world, 0.1, Budget::Agents(700)).unwrap();
        assert_eq!((report.ticked, report.asleep), (700, 1500));
    }
    let report = forest.tick_within(&mut world, 0.1, Budget::Agents(0)).unwrap();
    assert_eq!((report.ticked, report.asleep), (0, 1500));
}

#[test]
fn a_rate_that_is_due_stays_due_until_its_turn() {
    let (mut forest, agents, mut world) = forest(clock(), 4, true);
    for &it in &agents {
        forest.agent_mut(it).unwrap().set_rate(every(4));
    }
    // In four frames each agent becomes due once; no agent has a turn.
    for _ in 0..4 {
        assert_eq!(forest.tick_within(&mut world, 0.1, Budget::Agents(0)).unwrap().ticked, 0);
    }
    assert_eq!(forest.tick_within(&mut world, 0.1, Budget::Agents(3)).unwrap().ticked, 3);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 2);
    assert_eq!(world.take(), ["50 50", "50 50", "50 50", "60 10", "60 60"]);
}

#[test]
fn a_condition_with_boundaries_keeps_them_when_all_others_are_asked_in_every_tick() {
    struct Rarely;
    impl Condition<Game> for Rarely {
        type State = ();
        fn observes(&self) -> Observes {
            Observes::Every(1.0)
        }
        fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
            cx.host.count += 1;
            Status::Success
        }
    }
    let roots = || {
        [
            selector([
                sequence([pleach_core::nodes::inverter(condition_of(Rarely))]).aborts(Abort::LOWER_PRIORITY),
                idle(),
            ]),
            guard(condition_of(Rarely), idle()),
        ]
    };
    for every_tick in [false, true] {
        for root in roots() {
            let (mut forest, _, mut world) = forest(root, 1, true);
            forest.configure(|it| it.reevaluate_every_tick = every_tick);
            for _ in 0..25 {
                forest.tick(&mut world, 0.1).unwrap();
            }
            assert_eq!(world.count, 4, "{every_tick}");
        }
    }
}

#[test]
fn time_that_has_come_to_its_end_stands_still_and_nothing_breaks() {
    let root = selector([
        sequence([asked(0.25), wait(1.0)]).aborts(Abort::BOTH),
        sequence([asked(1e-9), clock()]).aborts(Abort::BOTH),
        pleach_core::nodes::timeout(5.0, pleach_core::nodes::cooldown(3.0, clock())),
    ]);
    for paced in [false, true] {
        let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
        let mut builder = Tree::builder("end");
        let alarm = builder.key("alarm", false);
        let alarmed = sequence([pleach_core::nodes::check("alarm"), clock()]).aborts(Abort::LOWER_PRIORITY);
        let id = forest.add_tree(builder.build(selector([alarmed, clock()])).unwrap()).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        if paced {
            forest.agent_mut(agent).unwrap().set_rate(every(2));
        }
        for _ in 0..18_450 {
            forest.tick(&mut world, 1e6).unwrap();
        }
        let end = forest.time();
        forest.keys_mut(agent).unwrap().set(alarm, true);
        world.take();
        let aborts: u64 = (0..2).map(|_| forest.tick(&mut world, 1e6).unwrap().aborts).sum();
        assert_eq!((aborts, forest.time()), (1, end));
        assert!(world.take().iter().all(|it| it.ends_with(" 0")));
        let late = forest.spawn(&mut world, id).unwrap();
        forest.agent_mut(late).unwrap().pause(&mut world);
        forest.agent_mut(late).unwrap().unpause(&mut world);
        forest.tick(&mut world, 0.5).unwrap();
    }
    let (mut forest, agents, mut world) = forest(root, 3, true);
    for frame in 0..18_500 {
        world.count = u64::from(frame % 7 == 0);
        forest.tick(&mut world, 1e6).unwrap();
    }
    forest.agent_mut(agents[0]).unwrap().despawn(&mut world);
    forest.agent_mut(agents[1]).unwrap().restart(&mut world);
    forest.tick(&mut world, 1.0).unwrap();
}

#[test]
fn a_sleeper_that_is_disabled_keeps_the_time_since_its_last_turn() {
    for sleep in [false, true] {
        let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
        forest.configure(|it| it.sleep = sleep);
        let id = forest.add_tree(tree(selector([sequence([wait(0.1), clock()]), idle()]))).unwrap();
        let agent = forest.spawn_with(&mut world, id, Spawn::default()).unwrap();
        forest.agent_mut(agent).unwrap().set_rate(every(4));
        for _ in 0..6 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        forest.agent_mut(agent).unwrap().restart(&mut world);
        for _ in 0..6 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        assert_eq!(world.take(), ["120 40"], "{sleep}");
    }
}

#[test]
fn a_budget_goes_on_at_its_place_when_trees_are_removed_and_chunks_added() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let trees: Vec<_> = (0..4).map(|_| forest.add_tree(tree(clock())).unwrap()).collect();
    let agents: Vec<_> = trees.iter().map(|&it| forest.spawn(&mut world, it).unwrap()).collect();
    // The frames since the last turn of the agent that has a turn now. They identify the agent.
    let next = |forest: &mut Forest<Game>, world: &mut World| {
        forest.tick_within(world, 0.01, Budget::Agents(1)).unwrap();
        let line = world.take().pop().unwrap();
        line.split(' ').nth(1).unwrap().parse::<u32>().unwrap()
    };
    for dt in [1, 2] {
        assert_eq!(next(&mut forest, &mut world), dt);
    }
    // The third comes next, though the first is gone.
    forest.remove_tree(&mut world, trees[0]).unwrap();
    assert_eq!(next(&mut forest, &mut world), 3);
    // And the fourth, though a chunk has been added before it.
    for _ in 0..1024 {
        let new = forest.spawn(&mut world, trees[1]).unwrap();
        forest.agent_mut(new).unwrap().pause(&mut world);
    }
    assert_eq!(next(&mut forest, &mut world), 4);
    assert_eq!(next(&mut forest, &mut world), 3);
    // The tree in which the next call would begin is removed.
    forest.remove_tree(&mut world, trees[2]).unwrap();
    forest.remove_tree(&mut world, trees[3]).unwrap();
    assert_eq!(next(&mut forest, &mut world), 1);
    assert!(forest.contains(agents[1]));
}

#[test]
fn what_passed_before_a_panic_outside_a_turn_counts() {
    let (mut world, mut forest) = (World::default(), Forest::<Game>::new(0));
    let root = support::probe("leaf", |call, cx| {
        let line = format!("{:.0} {:.0}", cx.time() * 100.0, cx.dt() * 100.0);
        cx.host.log.pop();
        match call {
            support::Call::Update => cx.host.log.push(line),
            // Unlike `panic!` it says nothing on the terminal.
            support::Call::End(_) => resume_unwind(Box::new(())),
            _ => {}
        }
        Status::Running
    });
    let id = forest.add_tree(tree(root)).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().set_rate(Rate::NEVER);
    forest.tick(&mut world, 0.2).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| forest.agent_mut(agent).map(|it| it.restart(&mut world)))).is_err());
    // The time that passes now is in no `dt` (SEMANTICS 8.6).
    forest.tick(&mut world, 5.0).unwrap();
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.agent_mut(agent).unwrap().set_rate(every(1));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["10 10", "540 30"]);
}
