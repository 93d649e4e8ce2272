//! What leaves request (SEMANTICS 8.8): carried out after the tick, in order, once, from any
//! callback.

use crate::support;

use pleach_core::nodes::{action, sequence};
use pleach_core::{AgentId, Event, Forest, Phase, Replace, Spawn, Status, error::StaleError};
use support::{Call, Cx, Game, World, always, probe, tree};

fn one(name: &'static str, status: Status) -> (Forest<Game>, AgentId, World) {
    let mut world = World::default();
    let (forest, agent) = support::alone(support::always(name, status), &mut world);
    (forest, agent, world)
}

#[test]
fn a_leaf_stops_itself_after_the_tick() {
    let mut world = World::default();
    let root = sequence([
        probe("a", |call, cx| {
            if call == Call::Update {
                cx.stop();
            }
            Status::Success
        }),
        support::always("b", Status::Running),
    ]);
    let (mut forest, agent) = support::alone(root, &mut world);
    world.take();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["a start", "a update", "a end Success", "b start", "b update", "b end Stopped"]);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Off);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
}

#[test]
fn every_callback_can_request() {
    type Matches = fn(Call) -> bool;
    let calls: [Matches; 5] = [
        |it| it == Call::Awake,
        |it| it == Call::Start,
        |it| it == Call::Update,
        |it| matches!(it, Call::End(_)),
        |it| matches!(it, Call::Pause(_)),
    ];
    for when in calls {
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(0);
        let ears = forest
            .add_tree(tree(probe("ear", |call, cx| {
                if call == Call::Update {
                    cx.host.count += cx.events().count() as u64;
                }
                Status::Running
            })))
            .unwrap();
        let ear = forest.spawn(&mut world, ears).unwrap();
        let other = forest.spawn(&mut world, ears).unwrap();
        let mouths = forest
            .add_tree(tree(probe("mouth", move |call, cx| {
                if when(call) {
                    cx.send(ear, Event::new("hi"));
                    cx.despawn(other);
                    // The agent is gone when the second request is carried out.
                    cx.despawn(other);
                    cx.despawn(cx.agent());
                }
                Status::Success
            })))
            .unwrap();
        let mouth = forest.spawn(&mut world, mouths).unwrap();
        if forest.contains(mouth) {
            forest.agent_mut(mouth).unwrap().pause(&mut world);
            forest.agent_mut(mouth).unwrap().unpause(&mut world);
        }
        forest.tick(&mut world, 0.1).unwrap();
        if forest.contains(mouth) {
            // Only a running leaf hears of a pause.
            assert_eq!(world.count, 0);
            continue;
        }
        forest.tick(&mut world, 0.1).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!((world.count, forest.contains(other), forest.len()), (1, false, 1));
    }
}

#[test]
fn a_request_out_of_pause_is_carried_out_at_the_end_of_the_call() {
    let mut world = World::default();
    let root = probe("leaf", |call, cx| {
        if call == Call::Pause(true) {
            cx.restart();
        }
        Status::Running
    });
    let (mut forest, agent) = support::alone(root, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    // A restart also ends the pause.
    assert_eq!(world.take(), ["leaf pause", "leaf end Stopped", "leaf awake"]);
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Active);
}

#[test]
fn requests_of_requests_are_carried_out_behind_them() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    // Each agent despawns the next one when it is despawned.
    let mut next: Option<AgentId> = None;
    let mut row = Vec::new();
    for _ in 0..20 {
        let after = next;
        let id = forest
            .add_tree(tree(probe("link", move |call, cx| {
                if let (Call::End(_), Some(after)) = (call, after) {
                    cx.send(after, Event::new("goodbye"));
                    cx.despawn(after);
                    cx.restart();
                    cx.stop();
                }
                Status::Running
            })))
            .unwrap();
        next = Some(forest.spawn(&mut world, id).unwrap());
        row.extend(next);
    }
    let first = row[19];
    let trigger = forest
        .add_tree(tree(probe("trigger", move |call, cx| {
            if call == Call::Update && cx.time() > 0.15 {
                cx.despawn(first);
            }
            Status::Running
        })))
        .unwrap();
    forest.spawn(&mut world, trigger).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.len(), 1);
    assert_eq!(world.take().iter().filter(|it| *it == "link end Despawned").count(), 20);
}

#[test]
fn a_restart_out_of_any_callback_comes_to_an_end() {
    for only in [None, Some(Call::Awake)] {
        let mut world = World::default();
        let root = probe("leaf", move |call, cx| {
            if only.is_none_or(|it| it == call) {
                cx.restart();
            }
            Status::Running
        });
        let (mut forest, agent) = support::alone(root, &mut world);
        for _ in 0..3 {
            forest.tick(&mut world, 0.1).unwrap();
        }
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Active);
        let starts = world.log.iter().filter(|it| *it == "leaf start").count();
        let ends = world.log.iter().filter(|it| it.starts_with("leaf end")).count();
        assert_eq!((starts, ends), if only.is_none() { (3, 3) } else { (1, 0) });
    }
}

#[test]
fn requests_for_agents_and_trees_that_are_gone_do_nothing() {
    let (mut forest, agent, mut world) = one("leaf", Status::Running);
    let id = forest
        .add_tree(tree(probe("leaf", move |_, cx| {
            cx.despawn(agent);
            cx.send(agent, Event::new("late"));
            cx.send(AgentId::default(), Event::new("nobody"));
            Status::Running
        })))
        .unwrap();
    forest.spawn(&mut world, id).unwrap();
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(forest.len(), 1);
}

#[test]
fn requests_for_a_group_that_is_gone_do_nothing() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let group = forest.new_group();
    forest.group_mut(group).unwrap().remove();
    let nap = forest.add_tree(tree(always("nap", Status::Running))).unwrap();
    let call = probe("call", move |call, cx| {
        if call == Call::Update {
            cx.send_to_group(group, Event::new("anyone?"));
            cx.spawn(nap, Spawn { group: Some(group), ..Spawn::default() });
        }
        Status::Running
    });
    let id = forest.add_tree(tree(call)).unwrap();
    forest.spawn(&mut world, id).unwrap();
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(forest.len(), 1);
}

#[test]
fn what_is_requested_outside_a_tick_is_done_at_once() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let ear = forest
        .add_tree(tree(action(|cx: &mut Cx<'_, '_>| {
            let heard = cx.events().count();
            cx.host.log.push(format!("heard {heard}"));
            Status::Running
        })))
        .unwrap();
    let ear = forest.spawn(&mut world, ear).unwrap();
    let speaker = forest
        .add_tree(tree(probe("speaker", move |call, cx| {
            match call {
                Call::End(_) => cx.send(ear, Event::new("bye")),
                Call::Pause(true) => cx.despawn(cx.agent()),
                Call::Awake | Call::Start | Call::Update | Call::Pause(false) => {}
            }
            Status::Running
        })))
        .unwrap();
    let agent = forest.spawn(&mut world, speaker).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.agent_mut(agent).unwrap().pause(&mut world);
    assert!(!forest.contains(agent));
    world.take();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["heard 1"]);
}

#[test]
fn a_tree_is_removed_with_its_agents() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let gone = forest.add_tree(tree(always("gone", Status::Running))).unwrap();
    let stays = forest.add_tree(tree(always("stays", Status::Running))).unwrap();
    let agents: Vec<_> = (0..600).map(|_| forest.spawn(&mut world, gone).unwrap()).collect();
    forest.spawn(&mut world, stays).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    world.take();
    forest.remove_tree(&mut world, gone).unwrap();
    assert_eq!(world.take(), vec!["gone end Despawned"; 600]);
    assert!(agents.iter().all(|&it| !forest.contains(it)));
    assert_eq!((forest.len(), forest.trees().collect::<Vec<_>>()), (1, vec![stays]));
    assert_eq!(forest.remove_tree(&mut world, gone), Err(StaleError::Tree(gone)));
    assert_eq!(forest.spawn(&mut world, gone), Err(StaleError::Tree(gone).into()));
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
}

#[test]
fn an_agent_spawned_off_wakes_when_it_is_enabled() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(tree(always("leaf", Status::Running))).unwrap();
    let agent = forest.spawn_with(&mut world, id, Spawn { enabled: false, ..Spawn::default() }).unwrap();
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Off);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 0);
    assert!(world.take().is_empty());
    forest.agent_mut(agent).unwrap().enable(&mut world);
    assert_eq!(world.take(), ["leaf awake"]);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
}

#[test]
fn a_leaf_spawns_agents_which_live_from_the_next_tick_on() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(1);
    let child = forest.add_tree(tree(always("child", Status::Running))).unwrap();
    let gone = forest.add_tree(tree(always("gone", Status::Running))).unwrap();
    forest.remove_tree(&mut world, gone).unwrap();
    let parent = tree(probe("parent", move |call, cx| {
        if call == Call::Update {
            cx.spawn(child, Spawn::default());
            cx.spawn(child, Spawn { enabled: false, ..Spawn::default() });
            // The tree is gone.
            cx.spawn(gone, Spawn::default());
            cx.despawn(cx.agent());
        }
        Status::Running
    }));
    let parent = forest.add_tree(parent).unwrap();
    forest.spawn(&mut world, parent).unwrap();
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
    let log = world.take();
    assert_eq!(log, ["parent awake", "parent start", "parent update", "child awake", "parent end Despawned"]);
    assert_eq!(
        (forest.population(child).map(|it| it.len()), forest.population(parent).map(|it| it.len())),
        (Ok(2), Ok(0))
    );
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 1);
    assert_eq!(world.take(), ["child start", "child update"]);
}

#[test]
fn agents_that_ask_for_each_other_as_they_awake_come_to_an_end() {
    use std::sync::{Arc, OnceLock};

    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    // Each of three trees asks for agents of all three, twice.
    let trees: Arc<OnceLock<Vec<pleach_core::TreeId>>> = Arc::default();
    let ids: Vec<_> = (0..3)
        .map(|_| {
            let trees = Arc::clone(&trees);
            let leaf = probe("leaf", move |call, cx| {
                if call == Call::Awake {
                    for &it in trees.get().into_iter().flatten() {
                        cx.spawn(it, Spawn::default());
                        cx.spawn(it, Spawn::default());
                    }
                }
                Status::Running
            });
            forest.add_tree(tree(leaf)).unwrap()
        })
        .collect();
    trees.set(ids.clone()).unwrap();
    // Two of each other tree, and for each of those two of the third tree.
    let first = forest.spawn(&mut world, ids[0]).unwrap();
    let counts = |forest: &Forest<Game>| ids.iter().map(|&it| forest.population(it).unwrap().len()).collect::<Vec<_>>();
    assert_eq!(counts(&forest), [1, 6, 6]);
    forest.agent_mut(first).unwrap().restart(&mut world);
    assert_eq!(counts(&forest), [1, 12, 12]);
    forest.agent_mut(first).unwrap().disable(&mut world);
    forest.agent_mut(first).unwrap().enable(&mut world);
    assert_eq!(counts(&forest), [1, 18, 18]);
    let same = Arc::clone(forest.tree(ids[0]).unwrap());
    forest.replace_tree(&mut world, ids[0], Replace::restart(same)).unwrap();
    assert_eq!(counts(&forest), [1, 24, 24]);
}

#[test]
fn what_an_awake_asks_for_before_it_panics_comes_to_an_end_too() {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::{Arc, OnceLock};

    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let own: Arc<OnceLock<pleach_core::TreeId>> = Arc::default();
    let tree_of = Arc::clone(&own);
    let leaf = probe("leaf", move |call, cx| {
        if call == Call::Awake {
            cx.spawn(*tree_of.get().unwrap(), Spawn::default());
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        Status::Running
    });
    let id = forest.add_tree(tree(leaf)).unwrap();
    own.set(id).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| forest.spawn(&mut world, id))).is_err());
    for _ in 0..3 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(forest.len(), 0);
}
