//! Agents that have nothing to do are not ticked, and wake when they must. They do the same with
//! and without sleep (SEMANTICS 8.3, 8.5).

use crate::support;

use crate::dice::Dice;
use pleach_core::nodes::{
    action, check, condition, delay, guard, idle, on_event, parallel, selector, sequence, set, succeed, switch,
    timeout, wait, wait_ticks, wait_until,
};
use pleach_core::{
    Completion, Event, Forest, Outcome, Phase, Spawn, Status, TickReport, Time, Tree,
    nodes::Abort,
    schema::Scope,
    trace::{Recorder, TraceEvent},
};
use support::{Call, Cx, Game, World, alone, always, counting, probe, tree};

fn ticked(report: TickReport) -> (u64, u64) {
    (report.ticked, report.asleep)
}

#[test]
fn a_wait_sleeps_until_its_deadline() {
    let mut world = World::default();
    let (mut forest, agent) = alone(sequence([wait(1.0), counting(Status::Success)]), &mut world);
    assert_eq!(ticked(forest.tick(&mut world, 0.25).unwrap()), (1, 0));
    for _ in 0..3 {
        assert_eq!(ticked(forest.tick(&mut world, 0.25).unwrap()), (0, 1));
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    }
    assert_eq!(ticked(forest.tick(&mut world, 0.25).unwrap()), (1, 0));
    assert_eq!((world.count, forest.agent(agent).map(|it| it.phase())), (1, Ok(Phase::Active)));
}

#[test]
fn what_sleeps_and_what_does_not() {
    let sleepy = [
        idle(),
        wait(9.0),
        delay(9.0, idle()),
        parallel([idle(), wait(9.0)]),
        timeout(9.0, idle()),
        selector([idle()]).with_service(9.0, action(|_: &mut Cx<'_, '_>| Status::Success)),
        selector([sequence([condition(|_: &mut Cx<'_, '_>| false).every(9.0), idle()]).aborts(Abort::BOTH), idle()]),
        // An event wakes an agent without being polled.
        selector([sequence([on_event("e"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]),
        // The time at which these flip is known.
        selector([sequence([check("now >= 9"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]),
        selector([sequence([check("9 - (time - 0.5) < 0.5 or false"), idle()]).aborts(Abort::BOTH), idle()]),
        guard("-(time + 0.5) > -9.0", idle()),
        switch("time > 9.0", [(true, idle()), (false, idle())]),
        wait_until("now - 0.5 > 9.0"),
    ];
    for (index, root) in sleepy.into_iter().enumerate() {
        let mut world = World::default();
        let (mut forest, _) = alone(root, &mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1), "{index}");
    }
    let restless = [
        wait_ticks(9),
        parallel([idle(), counting(Status::Running)]),
        // A condition of the host can change at any time.
        guard(pleach_core::nodes::condition(|_| true), idle()),
        // These can flip more than once.
        guard("now != 9", idle()),
        guard("now < 9 or time > 10", idle()),
        guard("floor(now) < 9", idle()),
        switch("floor(time / 9.0)", [(0, idle()), (1, idle())]),
        // A condition that flips once keeps no agent asleep that has other things to do.
        guard("now < 9", guard(pleach_core::nodes::condition(|_| true), idle())),
    ];
    for (index, root) in restless.into_iter().enumerate() {
        let mut world = World::default();
        let (mut forest, _) = alone(root, &mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0), "{index}");
    }
}

/// An agent that idles beside a condition over one watched key. No observer reads `aware`.
fn watcher() -> (Forest<Game>, pleach_core::AgentId, pleach_core::Key<bool>, pleach_core::Key<bool>, World) {
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let mut builder = Tree::<Game>::builder("watcher");
    let alarm = builder.key("alarm", false);
    let other = builder.key("other", false);
    let root = selector([
        sequence([check("alarm"), always("alarmed", Status::Success)]).aborts(Abort::LOWER_PRIORITY),
        sequence([check("other || true"), idle()]),
    ]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    (forest, agent, alarm, other, world)
}

#[test]
fn a_watched_key_wakes_and_another_does_not() {
    let (mut forest, agent, alarm, other, mut world) = watcher();
    assert!(forest.keys_mut(agent).unwrap().set(other, true));
    assert!(!forest.keys_mut(agent).unwrap().set(alarm, false));
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
    assert!(forest.keys_mut(agent).unwrap().set(alarm, true));
    let report = forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((ticked(report), report.aborts), ((1, 0), 1));
    assert_eq!(world.take(), ["alarmed start", "alarmed update", "alarmed end Success"]);
}

#[test]
fn a_changed_key_of_a_condition_that_could_abort_nothing_keeps_no_agent_awake() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("test");
    let alarm = builder.key("alarm", false);
    // The check is watched while the second branch runs, but not while the first does.
    let root = selector([sequence([check("!alarm"), wait(5.0)]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.keys_mut(agent).unwrap().set(alarm, true);
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
}

#[test]
fn a_changed_key_wakes_no_agent_that_only_waits_for_a_time_or_an_event() {
    let roots = [
        timeout(9.0, idle()),
        selector([idle()]).with_service(9.0, action(|_: &mut Cx<'_, '_>| Status::Success)),
        selector([sequence([on_event("e"), idle()]).aborts(Abort::LOWER_PRIORITY), idle()]),
        parallel([idle(), timeout(9.0, idle())]),
    ];
    for (index, root) in roots.into_iter().enumerate() {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        let mut builder = Tree::builder("test");
        let alarm = builder.key("alarm", false);
        // Asked before, and no longer watched.
        let past = selector([sequence([check("alarm"), idle()]).aborts(Abort::LOWER_PRIORITY), succeed()]);
        let id = forest.add_tree(builder.build(sequence([past, root])).unwrap()).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        forest.keys_mut(agent).unwrap().set(alarm, true);
        for _ in 0..3 {
            assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1), "{index}");
        }
    }
}

#[test]
fn a_change_that_matters_later_wakes_an_agent_that_fell_asleep() {
    for sleep in [true, false] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        forest.configure(|it| it.sleep = sleep);
        let mut builder = Tree::builder("test");
        let alarm = builder.key("alarm", false);
        // The check is not watched while the branch after it runs.
        let root = selector([
            sequence([check("!alarm"), wait_ticks(2), pleach_core::nodes::fail()]).aborts(Abort::LOWER_PRIORITY),
            sequence([always("idle", Status::Success), idle()]),
        ]);
        let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        forest.keys_mut(agent).unwrap().set(alarm, true);
        let aborts: Vec<u64> = (0..4).map(|_| forest.tick(&mut world, 0.1).unwrap().aborts).collect();
        assert_eq!(aborts, [0, 0, 1, 0], "{sleep}");
    }
}

#[test]
fn an_event_wakes_its_agent() {
    let (mut forest, agent, _, _, mut world) = watcher();
    forest.agent_mut(agent).unwrap().send(Event::new("any")).unwrap();
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
    forest.broadcast(Event::new("any")).unwrap();
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
}

#[test]
fn columns_and_clear_wake() {
    let (mut forest, agent, alarm, _, mut world) = watcher();
    let id = forest.trees().next().unwrap();
    assert_eq!(forest.population_mut(id).unwrap().update_column(alarm, |_, _| true), Ok(1));
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
    forest.tick(&mut world, 0.1).unwrap();
    forest.keys_mut(agent).unwrap().set(alarm, false);
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    forest.keys_mut(agent).unwrap().set(alarm, true);
    forest.keys_mut(agent).unwrap().reset_all();
    // The key changed and changed back: the tick looks at it, and aborts nothing.
    let report = forest.tick(&mut world, 0.1).unwrap();
    assert_eq!((report.ticked, report.aborts), (1, 0));
}

#[test]
fn shared_keys_written_by_a_leaf_reach_sleepers() {
    for scope in [Scope::Group, Scope::Global] {
        for mode in 0..3 {
            let mut world = World::default();
            let mut forest = Forest::<Game>::new(0);
            let group = forest.new_group();
            let spawn = Spawn { group: Some(group), ..Spawn::default() };
            let mut builder = Tree::builder("sleeper");
            let alarm = builder.key_in(scope, "alarm", false);
            let done = || always("woken", Status::Running);
            let root = match mode {
                0 => sequence([wait_until("alarm"), done()]),
                1 => selector([sequence([check("alarm"), done()]).aborts(Abort::LOWER_PRIORITY), wait(99.0)]),
                _ => selector([guard("!alarm", wait(99.0)), done()]),
            };
            let sleepers = forest.add_tree(builder.build(root).unwrap()).unwrap();
            forest.spawn_with(&mut world, sleepers, spawn).unwrap();
            let mut builder = Tree::builder("caller");
            let alarm_here = builder.key_in(scope, "alarm", false);
            let root = action(move |cx: &mut Cx<'_, '_>| {
                cx.set(alarm_here, cx.time() > 0.55);
                Status::Running
            });
            let callers = forest.add_tree(builder.build(root).unwrap()).unwrap();
            let caller = forest.spawn_with(&mut world, callers, spawn).unwrap();
            for _ in 0..5 {
                forest.tick(&mut world, 0.1).unwrap();
            }
            assert!(!world.log.contains(&"woken update".to_owned()));
            for _ in 0..2 {
                forest.tick(&mut world, 0.1).unwrap();
            }
            assert!(world.log.contains(&"woken update".to_owned()), "{scope} {mode}");
            assert!(forest.keys(caller).unwrap().get(alarm));
        }
    }
}

#[test]
fn a_leaf_that_asks_to_sleep_is_left_alone_and_no_other() {
    let mut world = World::default();
    let sleeper = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        cx.sleep(1.0);
        Status::Running
    });
    let (mut forest, _) = alone(sleeper, &mut world);
    for _ in 0..9 {
        forest.tick(&mut world, 0.25).unwrap();
    }
    assert_eq!(world.count, 3);
    // Meaningless durations mean no sleep, or a long one.
    for (seconds, updates) in [(f32::NAN, 9), (-1.0, 9), (0.0, 9), (f32::INFINITY, 1), (f32::MAX, 1)] {
        let mut world = World::default();
        let leaf = action(move |cx: &mut Cx<'_, '_>| {
            cx.host.count += 1;
            cx.sleep(seconds);
            Status::Running
        });
        let (mut forest, _) = alone(leaf, &mut world);
        for _ in 0..9 {
            forest.tick(&mut world, 0.25).unwrap();
        }
        assert_eq!(world.count, updates, "{seconds}");
    }
}

#[test]
fn a_wish_to_sleep_is_only_for_its_own_leaf() {
    let hasty = || {
        action(|cx: &mut Cx<'_, '_>| {
            cx.sleep(100.0);
            Status::Success
        })
    };
    let nap = |_: Call, cx: &mut Cx<'_, '_>| {
        cx.sleep(100.0);
        Status::Success
    };
    // A request to sleep must not carry over: to the next leaf; from a start or an end; from a
    // condition; from a service.
    let hasty_failure = action(|cx: &mut Cx<'_, '_>| {
        cx.sleep(100.0);
        Status::Failure
    });
    let roots = [
        selector([hasty_failure, counting(Status::Running)]),
        sequence([hasty(), counting(Status::Running)]),
        sequence([probe("nap", nap), counting(Status::Running)]),
        sequence([support::probe_condition("nap", nap), counting(Status::Running)]).aborts(Abort::SELF),
        sequence([counting(Status::Running)]).with_service(0.0, hasty()),
        parallel([hasty(), counting(Status::Running)]),
    ];
    for root in roots {
        let mut world = World::default();
        let (mut forest, _) = alone(root, &mut world);
        for _ in 0..5 {
            assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
        }
        assert_eq!(world.count, 5);
    }
    // Nor to the next agent.
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let leaf = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        if cx.host.count % 2 == 1 {
            cx.sleep(100.0);
            Status::Success
        } else {
            Status::Running
        }
    });
    let id = forest.add_tree(tree(leaf)).unwrap();
    forest.spawn(&mut world, id).unwrap();
    forest.spawn(&mut world, id).unwrap();
    for _ in 0..5 {
        assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (2, 0));
    }
}

#[test]
fn a_pause_keeps_the_sleep() {
    let mut world = World::default();
    let (mut forest, agent) = alone(sequence([wait(1.0), counting(Status::Running)]), &mut world);
    forest.tick(&mut world, 0.25).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert_eq!(ticked(forest.tick(&mut world, 50.0).unwrap()), (0, 0));
    forest.agent_mut(agent).unwrap().unpause(&mut world);
    for _ in 0..3 {
        assert_eq!(ticked(forest.tick(&mut world, 0.25).unwrap()), (0, 1));
    }
    forest.tick(&mut world, 0.25).unwrap();
    assert_eq!(world.count, 1);
}

#[test]
fn turning_the_switches_wakes() {
    let mut world = World::default();
    let (mut forest, mut recorder) = (Forest::<Game>::new(0), Recorder::all());
    let mut forest = forest.traced(&mut recorder);
    let root = selector([
        // This condition does not declare the key that it reads, so that a difference shows.
        sequence([condition(|cx: &mut Cx<'_, '_>| cx.host.count > 0).observes([]), always("seen", Status::Running)])
            .aborts(Abort::LOWER_PRIORITY),
        wait(100.0),
    ]);
    let id = forest.add_tree(tree(root)).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    forest.configure(|it| it.sleep = false);
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
    forest.configure(|it| it.sleep = true);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    forest.tracer().take();
    forest.configure(|it| it.reevaluate_every_tick = true);
    forest.tick(&mut world, 0.1).unwrap();
    assert!(forest.tracer().take().iter().any(|it| matches!(it.event, TraceEvent::Recheck(..))));
    world.count = 1;
    forest.tick(&mut world, 0.1).unwrap();
    assert!(world.log.contains(&"seen update".to_owned()));
}

/// One random run of a mixed crowd. Returns everything that its leaves did.
fn run(seed: u64, sleep: bool, every_tick: bool) -> Vec<String> {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(seed);
    forest.configure(|it| it.sleep = sleep);
    forest.configure(|it| it.reevaluate_every_tick = every_tick);
    let mut builder = Tree::builder("mixed");
    let a = builder.key("a", 0_i64);
    let b = builder.key("b", false);
    let shared = builder.key_in(Scope::Global, "shared", 0_i64);
    builder.key("seen", Time::ZERO);
    builder.key_in(Scope::Global, "rung", Time::ZERO);
    builder.key("limit", 0.6_f32);
    let say = |name| {
        probe(name, move |call, cx| {
            let line = format!("{:?} {}", cx.agent(), cx.host.log.pop().unwrap_or_default());
            if call == Call::Start || matches!(call, Call::End(_)) {
                cx.host.log.push(line);
            }
            Status::Success
        })
    };
    let root = selector([
        sequence([check("a > 2"), say("a"), wait(0.35)]).aborts(Abort::LOWER_PRIORITY),
        sequence([check("shared > 3"), say("shared"), wait(0.2)]).aborts(Abort::BOTH),
        sequence([on_event("ping"), say("ping"), delay(0.3, say("late"))]).aborts(Abort::BOTH),
        sequence([
            check("now - seen >= limit and a == 2"),
            say("seen"),
            set("seen", "now"),
            set("limit", "1.1 - limit"),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        guard("!b", parallel([sequence([wait(0.5), say("w")]), sequence([wait_until("a == 1"), say("u")])])),
        guard(
            "time - 1 < seen or a == 0",
            sequence([
                switch("rung + limit > now", [(true, idle()), (false, say("silent"))]),
                wait_until("time > 3 or b"),
                set("rung", "now"),
            ]),
        ),
        sequence([say("rest"), timeout(0.33, wait_until("a == 3")).result(Outcome::Success), wait(0.4)]).with_service(
            0.25,
            action(|cx: &mut Cx<'_, '_>| {
                let line = format!("{:?} served {:.3}", cx.agent(), cx.time());
                cx.host.log.push(line);
                Status::Success
            }),
        ),
    ]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let mut dice = Dice(seed);
    let agents: Vec<_> = (0..5)
        .map(|at| {
            let completion = if at == 4 { Completion::Stop } else { Completion::Restart };
            forest.spawn_with(&mut world, id, Spawn { completion, ..Spawn::default() }).unwrap()
        })
        .collect();
    for tick in 0..150 {
        let agent = agents[dice.below(agents.len())];
        let number = i64::try_from(dice.below(5)).unwrap();
        match dice.below(12) {
            0 => drop(forest.keys_mut(agent).unwrap().set(a, number)),
            1 => drop(forest.keys_mut(agent).unwrap().set(b, number > 2)),
            2 => drop(forest.keys_mut(agent).unwrap().set(shared, number)),
            3 => forest.agent_mut(agent).unwrap().send(Event::new("ping")).unwrap(),
            4 => forest.agent_mut(agent).unwrap().pause(&mut world),
            5 => forest.agent_mut(agent).unwrap().unpause(&mut world),
            6 => forest.agent_mut(agent).unwrap().restart(&mut world),
            7 => drop(
                forest
                    .population_mut(id)
                    .map_err(Into::into)
                    .and_then(|mut it| it.update_column(a, |_, old| (old + number) % 4)),
            ),
            _ => {}
        }
        world.log.push(format!("-- {tick}"));
        forest.tick(&mut world, 0.05).unwrap();
    }
    world.log
}

#[test]
fn sleeping_changes_nothing_that_can_be_seen() {
    for seed in 0..60 {
        let plain = run(seed, false, true);
        assert_eq!(run(seed, true, false), plain, "{seed}");
        assert_eq!(run(seed, false, false), plain, "{seed}");
        assert_eq!(run(seed, true, true), plain, "{seed}");
    }
}

#[test]
fn a_wait_for_keys_sleeps_until_they_change() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("t");
    let (ready, other) = (builder.key("ready", 0_i64), builder.key("other", 0_i64));
    let plan = builder.key_in(Scope::Group, "plan", 0_i64);
    let root = selector([sequence([wait_until("ready > 1"), wait_until("plan > 1"), counting(Status::Success)])]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    let mut tick = |forest: &mut Forest<Game>| ticked(forest.tick(&mut world, 0.1).unwrap());
    assert_eq!(tick(&mut forest), (1, 0));
    assert_eq!(tick(&mut forest), (0, 1));
    forest.keys_mut(agent).unwrap().set(other, 1);
    assert_eq!(tick(&mut forest), (0, 1));
    // This cannot end the wait.
    forest.keys_mut(agent).unwrap().set(ready, 1);
    assert_eq!(tick(&mut forest), (0, 1));
    // It could, and does not: the key is back when the tick looks at it.
    forest.keys_mut(agent).unwrap().set(ready, 2);
    forest.keys_mut(agent).unwrap().set(ready, 1);
    assert_eq!(tick(&mut forest), (1, 0));
    assert_eq!(tick(&mut forest), (0, 1));
    forest.keys_mut(agent).unwrap().set(ready, 2);
    assert_eq!(tick(&mut forest), (1, 0));
    // So is a wait for a group key.
    assert_eq!(tick(&mut forest), (0, 1));
    forest.keys_mut(agent).unwrap().set(plan, 2);
    assert_eq!(tick(&mut forest), (1, 0));
    assert_eq!(world.count, 1);
}

#[test]
fn timeouts_and_services_wake_when_it_is_time() {
    let mut world = World::default();
    let served = action(|cx: &mut Cx<'_, '_>| {
        cx.host.count += 1;
        Status::Success
    });
    let root = selector([timeout(1.0, idle()).result(Outcome::Success)]).with_service(0.4, served);
    let (mut forest, _) = alone(root, &mut world);
    let ticks: Vec<_> = (0..11).map(|_| forest.tick(&mut world, 0.1).unwrap()).collect();
    let at = |what: fn(&TickReport) -> u64| (0..11).filter(|&it| what(&ticks[it]) > 0).collect::<Vec<_>>();
    assert_eq!((at(|it| it.ticked), at(|it| it.ended)), (vec![0, 4, 8, 10], vec![10]));
    assert_eq!(world.count, 3);
}

#[test]
fn a_condition_asked_every_so_often_is_asked_so_often_and_in_turns() {
    let mut forest = Forest::<Game>::new(0);
    let mut world = World::default();
    let seen = condition(|cx: &mut Cx<'_, '_>| {
        let line = format!("{:?}", cx.agent());
        cx.host.log.push(line);
        cx.host.count > 0
    })
    .every(0.5);
    let root = selector([sequence([seen, idle()]).aborts(Abort::LOWER_PRIORITY), idle()]);
    let id = forest.add_tree(tree(root)).unwrap();
    for _ in 0..100 {
        forest.spawn(&mut world, id).unwrap();
    }
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take().len(), 100);
    for _ in 0..4 {
        let mut asked = Vec::new();
        for _ in 0..5 {
            let report = forest.tick(&mut world, 0.1).unwrap();
            let now = world.take();
            assert_eq!(report.ticked, now.len() as u64);
            assert!((10..=30).contains(&now.len()), "{}", now.len());
            asked.extend(now);
        }
        asked.sort();
        asked.dedup();
        assert_eq!(asked.len(), 100);
    }
    world.count = 1;
    let aborts: u64 = (0..5).map(|_| forest.tick(&mut world, 0.1).unwrap().aborts).sum();
    assert_eq!(aborts, 100);
}

#[test]
fn intervals_that_are_not_finite_and_positive_mean_in_every_tick() {
    for seconds in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut world = World::default();
        let asked = condition(|cx: &mut Cx<'_, '_>| {
            cx.host.count += 1;
            false
        })
        .every(seconds);
        let root = selector([sequence([asked, idle()]).aborts(Abort::LOWER_PRIORITY), idle()]);
        let (mut forest, _) = alone(root, &mut world);
        for _ in 0..5 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        assert_eq!(world.count, 5, "{seconds}");
    }
}

#[test]
fn a_leaf_sleeps_until_something_changes_or_is_heard() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let mut builder = Tree::builder("nap");
    let (alarm, other) = (builder.key("alarm", 0_i64), builder.key("other", 0_i64));
    let nap = probe("nap", |call, cx| {
        if call == Call::Update {
            cx.sleep_until_change();
        }
        Status::Running
    });
    let root = selector([sequence([check("alarm > 1"), idle()]).aborts(Abort::LOWER_PRIORITY), nap]);
    let id = forest.add_tree(builder.build(root).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    // Time passes, and a key changes that the agent does not watch.
    forest.keys_mut(agent).unwrap().set(other, 1);
    for _ in 0..5 {
        assert_eq!(ticked(forest.tick(&mut world, 1000.0).unwrap()), (0, 1));
    }
    // A watched key changes, and the condition cannot answer differently.
    forest.keys_mut(agent).unwrap().set(alarm, 1);
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
    // It could, and does not: the key is back when it is asked. Then an event comes.
    forest.keys_mut(agent).unwrap().set(alarm, 2);
    forest.keys_mut(agent).unwrap().set(alarm, 0);
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
    forest.agent_mut(agent).unwrap().send(Event::new("hey")).unwrap();
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (1, 0));
    assert_eq!(world.take(), ["nap update", "nap update"]);
    assert_eq!(ticked(forest.tick(&mut world, 0.1).unwrap()), (0, 1));
    forest.keys_mut(agent).unwrap().set(alarm, 2);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["nap end Abort"]);
}
