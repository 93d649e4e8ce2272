//! What leaves ask for: carried out after the tick, in order, once, whichever callback asked.

mod support;

use pleach_core::{AgentId, Event, Forest, Phase, Status, sequence};
use support::{Call, Game, World, probe, tree};

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
    assert_eq!(forest.phase(agent), Ok(Phase::Off));
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
                    // Gone by the time the second one is carried out.
                    cx.despawn(other);
                    cx.despawn(cx.agent());
                }
                Status::Success
            })))
            .unwrap();
        let mouth = forest.spawn(&mut world, mouths).unwrap();
        forest.pause(&mut world, mouth).unwrap();
        forest.unpause(&mut world, mouth).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        if forest.contains(mouth) {
            // Only a running leaf is told of a pause.
            assert_eq!(world.count, 0);
            continue;
        }
        forest.tick(&mut world, 0.1).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!((world.count, forest.contains(other), forest.len()), (1, false, 1));
    }
}

#[test]
fn a_request_out_of_pause_is_carried_out_after_the_next_tick() {
    let mut world = World::default();
    let root = probe("leaf", |call, cx| {
        if call == Call::Pause(true) {
            cx.restart();
        }
        Status::Running
    });
    let (mut forest, agent) = support::alone(root, &mut world);
    forest.tick(&mut world, 0.1).unwrap();
    forest.pause(&mut world, agent).unwrap();
    world.take();
    forest.tick(&mut world, 0.1).unwrap();
    // A restart ends the pause, too.
    assert_eq!(world.take(), ["leaf end Stopped", "leaf awake"]);
    assert_eq!(forest.phase(agent), Ok(Phase::Active));
}

#[test]
fn requests_of_requests_are_carried_out_behind_them() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    // A row of agents, each of which takes the next one along when it is despawned.
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
        assert_eq!(forest.phase(agent), Ok(Phase::Active));
        let starts = world.log.iter().filter(|it| *it == "leaf start").count();
        let ends = world.log.iter().filter(|it| it.starts_with("leaf end")).count();
        assert_eq!((starts, ends), if only.is_none() { (3, 3) } else { (1, 0) });
    }
}

#[test]
fn requests_to_the_gone_are_nothing() {
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
