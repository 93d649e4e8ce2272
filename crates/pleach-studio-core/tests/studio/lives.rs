//! Agents that come, go, are changed, panic, and get other trees.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use insta::assert_snapshot;
use pleach::record::Recording;
use pleach::{Library, Replace};
use pleach_studio_core::model::MarkKind;

use super::game::{DOG, Done, Played, told};

#[test]
fn agents_come_and_go() -> Done {
    let (mut game, dogs) = Played::of(DOG, 2)?;
    let tree = game.forest.agent(dogs[0])?.tree_id();
    game.play(10)?;
    game.forest.spawn(&mut (), tree)?;
    game.play(10)?;
    game.forest.agent_mut(dogs[1])?.despawn(&mut ());
    game.play(10)?;
    let mut session = game.session()?;
    assert_eq!(session.overview().agents, 3);
    let counts = [5, 15, 25].map(|it| session.agents(it, None, 9).map(|it| it.count).unwrap_or_default());
    assert_eq!(counts, [2, 3, 2]);
    let late = session.track(2, 0, 99)?;
    assert_eq!((late.first, late.last, late.marks[0].kind), (11, 30, MarkKind::Came));
    let gone = session.track(1, 0, 99)?;
    assert_eq!((gone.first, gone.last), (1, 20));
    assert_snapshot!(told(&gone)?);
    let said = |error: Result<_, pleach_studio_core::AskError>| error.map(|_| ()).unwrap_err().to_string();
    assert_eq!(said(session.moment(1, 21)), "agent 1 is not there after frame 21: it is there from frame 1 to 20");
    assert_eq!(said(session.moment(2, 10)), "agent 2 is not there after frame 10: it is there from frame 11 to 30");
    Ok(())
}

#[test]
fn a_reload_begins_another_tree() -> Done {
    let (mut game, dogs) = Played::of(DOG, 1)?;
    game.play(10)?;
    let id = game.forest.agent(dogs[0])?.tree_id();
    let new = DOG
        .replace("Parallel(name: \"live\", children: [", "Parallel(name: \"live\", children: [Walk(name: \"roam\"),");
    let tree = game.tree(&new)?;
    game.forest.traced(&mut game.recording).replace_tree(&mut (), id, Replace::from(Arc::clone(&tree)))?;
    game.play(10)?;
    let mut session = game.session()?;
    let versions: Vec<usize> = session.overview().trees.iter().map(|it| it.version).collect();
    assert_eq!(versions, [1, 2]);
    assert_eq!((session.moment(0, 10)?.tree, session.moment(0, 11)?.tree), (0, 1));
    let track = session.track(0, 0, 99)?;
    assert_snapshot!(told(&track)?);
    // Nodes have other numbers, so no activation spans the reload.
    assert!(track.spans.iter().all(|it| if it.tree == 0 { it.to <= 11 } else { it.from >= 11 }));
    Ok(())
}

/// Parts of other files, and a slot that the game refills.
#[test]
fn parts_and_slots_are_told() -> Done {
    let files = BTreeMap::from([
        (
            "house.ron",
            r#"Tree(version: 1, name: "house", blackboard: { "late": Bool(false) }, root: Selector([
                Subtree("door.ron", { "shut": "late" }),
                Slot(name: "work", trees: ["day.ron", "night.ron"], initial: "day"),
            ]))"#,
        ),
        (
            "door.ron",
            r#"Tree(version: 1, ports: { "shut": In(Bool) },
                root: Sequence(name: "bolt", abort: Both, children: [Check("shut"), Walk]))"#,
        ),
        ("day.ron", "Tree(version: 1, root: Wait(name: \"sweep\", seconds: 0.4))"),
        ("night.ron", "Tree(version: 1, root: Eat(name: \"feast\"))"),
    ]);
    let mut game = Played::new();
    let mut library = Library::new(files);
    let tree = Arc::new(library.load("house.ron", &game.registry()?).map_err(|it| it.to_string())?);
    game.trees.push(Arc::clone(&tree));
    let id = game.forest.add_tree(Arc::clone(&tree))?;
    let agent = game.forest.spawn(&mut (), id)?;
    let late = tree.key::<bool>("late")?;
    game.play(6)?;
    game.forest.agent_mut(agent)?.fill("work", "night")?;
    game.play(6)?;
    game.forest.keys_mut(agent)?.set(late, true);
    game.play(6)?;
    let mut session = game.session()?;
    let nodes = &session.overview().trees[0].nodes;
    let parts: Vec<(usize, &str)> = nodes.iter().filter_map(|it| Some((it.id, it.part.as_deref()?))).collect();
    let door = "door: door.ron with shut: late";
    assert_eq!(parts, [(1, door), (5, "work.day: day.ron"), (6, "work.night: night.ron")]);
    let running = [3, 9, 15].map(|it| session.moment(0, it).map(|it| it.running).unwrap_or_default());
    assert_eq!(running, [[5], [6], [3]]);
    let track = session.track(0, 0, 99)?;
    let marks: Vec<String> = track.marks.iter().map(|it| format!("{}: {}", it.frame, it.text)).collect();
    assert_snapshot!(marks.join("\n"));
    Ok(())
}

#[test]
fn a_panic_ends_all_that_an_agent_does() -> Done {
    let tree = r#"Tree(version: 1, name: "walk", root: Sequence(children: [Wait(0.5), Trip(name: "trip")]))"#;
    let (mut game, _) = Played::of(tree, 2)?;
    game.play(10)?;
    game.trips.store(true, Ordering::Relaxed);
    let play = std::panic::AssertUnwindSafe(|| game.play(1).is_ok());
    assert!(std::panic::catch_unwind(play).is_err());
    game.play(5)?;
    let mut session = game.session()?;
    let (mut panicked, mut others) = (Vec::new(), Vec::new());
    for agent in [0, 1] {
        let track = session.track(agent, 0, 99)?;
        let is_panicked = track.marks.iter().any(|it| it.kind == MarkKind::Panic);
        if is_panicked { panicked.push(agent) } else { others.push(agent) }
    }
    assert_eq!(panicked.len(), 1, "{panicked:?}, {others:?}");
    assert_snapshot!(told(&session.track(panicked[0], 0, 99)?)?);
    let moment = session.moment(panicked[0], 14)?;
    assert_eq!((moment.phase.as_str(), moment.running.len()), ("panicked", 0));
    assert_eq!(moment.explain[0].text, "nothing: the agent is panicked");
    Ok(())
}

#[test]
fn an_agent_that_the_game_changes_goes_on_from_there() -> Done {
    let (mut game, dogs) = Played::of(DOG, 1)?;
    game.play(10)?;
    game.forest.agent_mut(dogs[0])?.disable(&mut ());
    game.play(5)?;
    game.forest.agent_mut(dogs[0])?.enable(&mut ());
    game.play(5)?;
    let mut session = game.session()?;
    assert_eq!(session.moment(0, 12)?.phase, "off");
    assert_eq!(session.moment(0, 18)?.phase, "active");
    assert_snapshot!(told(&session.track(0, 0, 99)?)?);
    Ok(())
}

#[test]
fn a_recording_may_begin_in_the_middle() -> Done {
    let (mut game, _) = Played::of(DOG, 2)?;
    for _ in 0..100 {
        game.forest.tick(&mut (), 0.1)?;
    }
    game.play(10)?;
    let mut session = game.session()?;
    let overview = session.overview();
    assert_eq!((overview.first, overview.last), (101, 110));
    assert_eq!(overview.times, [(101, 10.1), (110, 11.0)]);
    let track = session.track(0, 0, 999)?;
    // Nodes that ran before appear from the first frame on.
    assert!(track.spans.iter().all(|it| it.from >= 101));
    let moment = session.moment(0, 101)?;
    let open = |node: &usize| track.spans.iter().any(|it| it.node == *node && it.from == 101);
    assert!(!moment.active.is_empty() && moment.active.iter().all(open), "{moment:?}, {track:?}");
    Ok(())
}

#[test]
fn a_ring_has_lost_its_first_frames() -> Done {
    let mut game = Played { recording: Recording::new().last_seconds(4.0), ..Played::new() };
    let id = game.add(DOG)?;
    for _ in 0..200 {
        game.forest.spawn(&mut (), id)?;
    }
    game.play(300)?;
    let mut session = game.session()?;
    let overview = session.overview();
    assert!(overview.first > 200 && overview.last == 300, "{} to {}", overview.first, overview.last);
    assert!(overview.notes[0].starts_with("Frames before the first were dropped"), "{:?}", overview.notes);
    let whole = session.agents(300, None, 0)?;
    assert_eq!((whole.count, whole.rows.len()), (200, 0));
    for agent in [0, 99, 199] {
        let track = session.track(agent, 0, 300)?;
        assert_eq!(track.last, 300);
        let moment = session.moment(agent, 300)?;
        assert_eq!(moment.seconds, 30.0);
        let runs = track.spans.iter().filter(|it| it.to == 300 && it.how == pleach_studio_core::model::How::Running);
        let mut runs: Vec<usize> = runs.map(|it| it.node).collect();
        runs.sort_unstable();
        assert_eq!(runs, moment.active);
    }
    Ok(())
}
