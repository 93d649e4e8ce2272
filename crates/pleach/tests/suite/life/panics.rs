//! A leaf that panics leaves the forest usable (SEMANTICS 8.6): its own agent is off, the others go
//! on, nothing is lost or runs twice.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use pleach_core::nodes::{check, condition, idle, parallel, reactive_selector, selector, sequence, succeed};
use pleach_core::{
    AgentId, Brain, Completion, Event, Forest, NodeId, Outcome, Phase, Spawn, Status, Tree, inspect::AbortView,
    nodes::Abort,
};
use support::{Call, Cx, Game, World, alone, always, probe, tree};

/// Runs a call that must panic.
fn panics<R>(call: impl FnOnce() -> R) {
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "it has to panic");
}

/// A running leaf that panics in one callback, while the world's count is not 0.
fn bomb(when: fn(Call) -> bool) -> pleach_core::nodes::Node<Game> {
    probe("bomb", move |call, cx| {
        assert!(!(when(call) && cx.host.count > 0), "boom");
        Status::Running
    })
}

/// The interrupt of an agent explains why it came to the leaf that panics.
#[test]
fn an_abort_that_led_to_a_panic_is_remembered_whichever_way_ticks_it() {
    let mut builder = Tree::<Game>::builder("guard");
    let seen = builder.key("seen", false);
    let bomb = sequence([check("seen"), bomb(|call| call == Call::Update)]).aborts(Abort::LOWER_PRIORITY);
    let guard = Arc::new(builder.build(selector([bomb, idle()])).unwrap());
    let node = |index| NodeId::new(index).unwrap();
    let abort = AbortView { scope: node(0), by: node(2), was: Outcome::Failure, ended: node(4), time: 1.0 };
    for agents in [1, 3, 40] {
        for batched in [false, true] {
            let (mut world, mut forest) = (World { count: 1, ..World::default() }, Forest::new(0));
            forest.configure(|it| it.batched = batched);
            let id = forest.add_tree(Arc::clone(&guard)).unwrap();
            let agents: Vec<_> = (0..agents).map(|_| forest.spawn(&mut world, id).unwrap()).collect();
            forest.tick(&mut world, 0.5).unwrap();
            forest.keys_mut(agents[0]).unwrap().set(seen, true);
            panics(|| forest.tick(&mut world, 0.5));
            let view = forest.agent(agents[0]).unwrap().inspect();
            assert_eq!((view.phase, view.last_abort), (Phase::Panicked, Some(abort)));
        }
    }
    let mut world = World { count: 1, ..World::default() };
    let mut brain = Brain::new(&mut world, guard, 0);
    brain.tick(&mut world, 0.5).unwrap();
    brain.keys_mut().set(seen, true);
    panics(|| brain.tick(&mut world, 0.5));
    let view = brain.inspect().unwrap();
    assert_eq!((view.phase, view.last_abort), (Phase::Panicked, Some(abort)));
}

#[test]
fn a_panic_in_a_tick_stops_its_agent_and_no_other() {
    for when in [|call| call == Call::Update, |call| call == Call::Start] {
        let mut world = World { count: 1, ..World::default() };
        let mut forest = Forest::new(0);
        forest.configure(|it| it.batched = false);
        let calm = forest.add_tree(tree(always("calm", Status::Running))).unwrap();
        let wild = forest.add_tree(tree(parallel([idle(), sequence([succeed(), bomb(when)])]))).unwrap();
        let before = forest.spawn(&mut world, calm).unwrap();
        let bad = forest.spawn(&mut world, wild).unwrap();
        let behind = forest.spawn(&mut world, wild).unwrap();
        panics(|| forest.tick(&mut world, 0.5));
        assert_eq!(forest.agent(bad).unwrap().phase(), Phase::Panicked);
        assert_eq!(forest.agent(bad).unwrap().current().next(), None);
        let view = forest.agent(bad).unwrap().inspect();
        assert!(view.stacks.is_empty() && view.monitors.is_empty());
        assert_eq!(
            (forest.agent(before).map(|it| it.phase()), forest.agent(behind).map(|it| it.phase())),
            (Ok(Phase::Active), Ok(Phase::Active))
        );
        world.count = 0;
        world.take();
        let report = forest.tick(&mut world, 0.5).unwrap();
        assert_eq!(report.ticked, 2);
        assert_eq!(world.take(), ["calm update", "bomb start", "bomb update"]);
        // The time of the missed tick passed all the same.
        assert_eq!(forest.agent(behind).unwrap().inspect().time, 1.0);
        // Disabling or pausing the agent does nothing; enabling it does.
        forest.agent_mut(bad).unwrap().disable(&mut world);
        forest.agent_mut(bad).unwrap().pause(&mut world);
        assert_eq!(forest.agent(bad).unwrap().phase(), Phase::Panicked);
        assert!(world.take().is_empty());
        forest.agent_mut(bad).unwrap().enable(&mut world);
        forest.tick(&mut world, 0.5).unwrap();
        assert_eq!(world.take(), ["bomb awake", "calm update", "bomb start", "bomb update", "bomb update"]);
        assert_eq!(forest.agent(bad).unwrap().current().next(), pleach_core::NodeId::new(1));
    }
}

#[test]
fn a_panic_in_the_pass_or_in_a_rerun_leaves_no_trace() {
    let explode = |cx: &mut Cx<'_, '_>| {
        assert!(cx.host.count != 1, "boom");
        cx.host.count == 2
    };
    for reactive in [false, true] {
        let test = condition(explode);
        let root = if reactive {
            reactive_selector([sequence([test, idle()]), always("rest", Status::Running)])
        } else {
            selector([sequence([test, idle()]).aborts(Abort::LOWER_PRIORITY), always("rest", Status::Running)])
        };
        let mut world = World::default();
        let (mut forest, agent) = support::alone(root, &mut world);
        forest.tick(&mut world, 0.1).unwrap();
        world.count = 1;
        panics(|| forest.tick(&mut world, 0.1));
        world.count = 0;
        world.take();
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), ["rest awake", "rest start", "rest update"]);
        world.count = 2;
        assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, u64::from(!reactive));
        assert_eq!(world.take(), ["rest end Abort"]);
    }
}

#[test]
fn a_panic_in_awake_pause_or_end_disables_and_the_agent_can_be_enabled_anew() {
    let mut world = World::default();
    let (mut forest, agent) = support::alone(bomb(|call| call == Call::Awake), &mut world);
    forest.agent_mut(agent).unwrap().disable(&mut world);
    world.count = 1;
    panics(|| forest.agent_mut(agent).map(|it| it.enable(&mut world)));
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Panicked);
    world.count = 0;
    forest.agent_mut(agent).unwrap().enable(&mut world);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);

    let (mut forest, agent) = support::alone(bomb(|call| matches!(call, Call::End(_))), &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.count = 1;
    panics(|| forest.agent_mut(agent).map(|it| it.despawn(&mut world)));
    assert!(forest.is_empty() && !forest.contains(agent));
}

/// If carried out, it would panic again in every call.
#[test]
fn a_restart_that_a_panicking_awake_asks_for_is_dropped() {
    let root = probe("bomb", |call, cx| {
        if call == Call::Awake && cx.host.count > 0 {
            cx.restart();
            panic!("boom");
        }
        Status::Running
    });
    let tree = std::sync::Arc::new(tree(root));
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(std::sync::Arc::clone(&tree)).unwrap();
    let off = Spawn { enabled: false, ..Spawn::default() };
    let agent = forest.spawn_with(&mut world, id, off).unwrap();
    let mut brain = pleach_core::Brain::spawn_with(&mut world, tree, 0, off);
    world.count = 1;
    panics(|| forest.agent_mut(agent).map(|it| it.enable(&mut world)));
    panics(|| brain.enable(&mut world));
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
    assert_eq!(brain.tick(&mut world, 0.1), Ok(None));
    assert_eq!((forest.agent(agent).map(|it| it.phase()), brain.phase()), (Ok(Phase::Panicked), Phase::Panicked));
}

#[test]
fn a_panic_in_pause_or_unpause_keeps_the_own_time() {
    for paused in [true, false] {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        let root = sequence([bomb(|call| matches!(call, Call::Pause(_)))]);
        let id = forest.add_tree(tree(root)).unwrap();
        let agent =
            forest.spawn_with(&mut world, id, Spawn { completion: Completion::Stop, ..Spawn::default() }).unwrap();
        forest.tick(&mut world, 2.0).unwrap();
        if !paused {
            forest.agent_mut(agent).unwrap().pause(&mut world);
            forest.tick(&mut world, 5.0).unwrap();
        }
        world.count = 1;
        forest.agent_mut(agent).unwrap().send(Event::new("hello")).unwrap();
        panics(|| {
            if paused {
                forest.agent_mut(agent).map(|it| it.pause(&mut world))
            } else {
                forest.agent_mut(agent).map(|it| it.unpause(&mut world))
            }
        });
        world.count = 0;
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Panicked);
        assert_eq!(forest.agent(agent).unwrap().inspect().time, 2.0, "{paused}");
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.tick(&mut world, 1.0).unwrap();
        assert_eq!(forest.agent(agent).unwrap().inspect().time, 3.0);
    }
}

#[test]
fn the_completion_policy_survives_a_panic_in_pause_and_mail_does_not() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let root = probe("leaf", |call, cx| {
        assert!(!matches!(call, Call::Pause(_)), "boom");
        if cx.event("done").is_some() { Status::Success } else { Status::Running }
    });
    let id = forest.add_tree(tree(root)).unwrap();
    let agent = forest.spawn_with(&mut world, id, Spawn { completion: Completion::Stop, ..Spawn::default() }).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    let done = Event::new("done");
    forest.agent_mut(agent).unwrap().send(done).unwrap();
    panics(|| forest.agent_mut(agent).map(|it| it.pause(&mut world)));
    forest.agent_mut(agent).unwrap().enable(&mut world);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ended, 0);
    forest.agent_mut(agent).unwrap().send(done).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ended, 1);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Off);
}

#[test]
fn requests_are_neither_lost_nor_run_twice_when_one_of_them_panics() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let listener = forest
        .add_tree(tree(probe("ear", |call, cx| {
            if call == Call::Update {
                cx.host.count += cx.events().count() as u64;
            }
            Status::Running
        })))
        .unwrap();
    let ear = forest.spawn(&mut world, listener).unwrap();
    let fragile = forest
        .add_tree(tree(probe("fragile", |call, _| {
            assert!(!matches!(call, Call::End(_)), "boom");
            Status::Running
        })))
        .unwrap();
    let victim = forest.spawn(&mut world, fragile).unwrap();
    let boss = forest
        .add_tree(tree(probe("boss", move |call, cx| {
            if call == Call::Update && cx.time() > 0.15 && cx.time() < 0.25 {
                cx.send(ear, Event::new("before"));
                cx.despawn(victim);
                cx.send(ear, Event::new("after"));
            }
            Status::Running
        })))
        .unwrap();
    forest.spawn(&mut world, boss).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    panics(|| forest.tick(&mut world, 0.1));
    for _ in 0..4 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(world.count, 2);
    assert!(!forest.contains(victim));
}

#[test]
fn completion_survives_a_panic_in_a_tick() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let id = forest
        .add_tree(tree(probe("leaf", |call, cx| {
            assert!(!(call == Call::Update && cx.host.count == 1), "boom");
            Status::Success
        })))
        .unwrap();
    let agent = forest.spawn_with(&mut world, id, Spawn { completion: Completion::Stop, ..Spawn::default() }).unwrap();
    world.count = 1;
    panics(|| forest.tick(&mut world, 0.1));
    world.count = 0;
    forest.agent_mut(agent).unwrap().enable(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Off);
}

#[test]
fn a_requested_despawn_happens_even_if_an_end_panics() {
    let mut world = World::default();
    let (mut forest, agent) = alone(
        probe("leaf", |call, cx| {
            assert!(!matches!(call, Call::End(_)), "end");
            if call == Call::Update {
                cx.despawn(cx.agent());
            }
            Status::Running
        }),
        &mut world,
    );
    assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
    assert!(!forest.contains(agent));
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
}

#[test]
fn a_spawn_whose_awake_panics_adds_no_agent() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest
        .add_tree(tree(probe("leaf", |call, _| {
            assert!(call != Call::Awake, "awake");
            Status::Running
        })))
        .unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut world, id))).is_err());
    assert!(forest.is_empty());
    assert_eq!(forest.population(id).unwrap().len(), 0);
}

/// A leaf that notes the events that its agent hears, and panics in one callback while the world's
/// count is not 0.
fn listener(when: fn(Call) -> bool) -> pleach_core::nodes::Node<Game> {
    probe("ear", move |call, cx| {
        assert!(!(when(call) && cx.host.count > 0), "boom");
        let heard = cx.events().count();
        if call == Call::Update && heard > 0 {
            cx.host.log.push(format!("hears {heard}"));
        }
        Status::Running
    })
}

/// As `disable` does, in a turn of the agent and outside of one.
#[test]
fn a_panic_throws_away_what_waits_for_its_agent() {
    type Panic = (fn(Call) -> bool, fn(&mut Forest<Game>, AgentId, &mut World));
    let calls: [Panic; 6] = [
        (|it| matches!(it, Call::End(_)), |forest, agent, world| forest.agent_mut(agent).unwrap().restart(world)),
        (|it| it == Call::Awake, |forest, agent, world| forest.agent_mut(agent).unwrap().restart(world)),
        (|it| it == Call::Pause(true), |forest, agent, world| forest.agent_mut(agent).unwrap().pause(world)),
        (|it| it == Call::Update, |forest, _, world| assert!(forest.tick(world, 0.1).is_err())),
        (
            |it| matches!(it, Call::End(_)),
            |forest, agent, world| {
                let id = forest.agent(agent).unwrap().tree_id();
                drop(forest.replace_tree(world, id, tree(idle())));
            },
        ),
        (
            |it| it == Call::Awake,
            |forest, agent, world| {
                let id = forest.agent(agent).unwrap().tree_id();
                let two = parallel([listener(|_| false), listener(|it| it == Call::Awake)]);
                drop(forest.replace_tree(world, id, tree(two)));
            },
        ),
    ];
    for (number, (when, call)) in calls.into_iter().enumerate() {
        let mut world = World::default();
        let (mut forest, agent) = support::alone(parallel([listener(when)]), &mut world);
        forest.tick(&mut world, 0.1).unwrap();
        forest.agent_mut(agent).unwrap().send(Event::new("noise")).unwrap();
        world.count = 1;
        panics(|| call(&mut forest, agent, &mut world));
        world.count = 0;
        let view = forest.agent(agent).unwrap().inspect();
        assert_eq!((view.phase, &*view.mail), (Phase::Panicked, &[][..]), "{number}");
        world.take();
        forest.agent_mut(agent).unwrap().enable(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert!(!world.take().iter().any(|it| it.starts_with("hears")), "{number}");
        forest.agent_mut(agent).unwrap().send(Event::new("noise")).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take().iter().any(|it| it == "hears 1"), number != 4, "{number}");
    }
    // A brain does the same.
    for when in [|it| matches!(it, Call::End(_)), |it| it == Call::Awake] {
        let mut world = World::default();
        let mut brain = Brain::new(&mut world, tree(listener(when)), 0);
        brain.tick(&mut world, 0.1).unwrap();
        brain.send(Event::new("noise")).unwrap();
        world.count = 1;
        panics(|| brain.restart(&mut world));
        assert_eq!(brain.inspect().unwrap().mail, []);
        world.count = 0;
        brain.enable(&mut world);
        brain.tick(&mut world, 0.1).unwrap();
        assert!(!world.take().iter().any(|it| it.starts_with("hears")));
    }
}
