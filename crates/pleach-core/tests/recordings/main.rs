//! Recordings: whole ones, the last seconds, of other trees, and begun in mid-game.

#![cfg(feature = "save")]

mod damaged;
mod edited;
mod forced;
mod keys;
mod odd;
mod reruns;

use std::sync::Arc;

use pleach_core::nodes::Abort;
use pleach_core::record::{Found, Piece, Reader, RecordedTree, Recording, Replay};
use pleach_core::trace::{Recorder, TraceEvent, TraceKinds};
use pleach_core::{
    AgentId, Brain, Completion, Context, Event, Forest, Host, Key, NodeId, Outcome, Spawn, Status, Tree, nodes,
};

struct Game;

impl Host for Game {
    type Cx<'a> = u64;
}

/// Walks on, and changes its mind depending on what the host counts.
fn tree(name: &str, seconds: f64) -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder(name);
    let fear: Key<f32> = builder.key("fear", 0.0);
    let walk = nodes::action(move |cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1;
        if cx.host.is_multiple_of(7) {
            let much = *cx.host % 13 > 5;
            cx.set(fear, if much { 9.0 } else { 1.0 });
            return Status::Success;
        }
        Status::Running
    });
    let flee = nodes::sequence([nodes::check("fear > 5"), nodes::wait(seconds)]);
    Arc::new(builder.build(nodes::selector([flee, walk])).expect("it is a tree"))
}

fn stands(forest: &Forest<Game>) -> Vec<(AgentId, Vec<NodeId>)> {
    let mut all: Vec<_> =
        forest.agents().map(|it| (it, forest.agent(it).expect("it is listed").current().collect())).collect();
    all.sort();
    all
}

/// Where the agents are after each frame.
type Stood = Vec<Vec<(AgentId, Vec<NodeId>)>>;

/// A recording of 60 frames that begins after the fifth, in which one agent is added and one
/// removed.
fn recorded() -> (Arc<Tree<Game>>, Vec<u8>, Stood) {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agents: Vec<AgentId> = (0..5).map(|_| forest.spawn(&mut cx, guards).expect("there is room")).collect();
    let (mut recording, mut stood) = (Recording::new(), Vec::new());
    recording.add_file("guard.ron", "Tree()");
    for frame in 0..65 {
        match frame {
            20 => forest.agent_mut(agents[1]).expect("it is here").despawn(&mut cx),
            30 => _ = forest.spawn(&mut cx, guards).expect("there is room"),
            _ => {}
        }
        if frame < 5 {
            forest.tick(&mut cx, 0.1).expect("it is a time");
            continue;
        }
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    (tree, recording.to_bytes(), stood)
}

#[test]
fn a_recording_begun_in_mid_game_is_replayed() {
    let (tree, bytes, stood) = recorded();
    let find = |it: &RecordedTree<'_>| it.is(&tree).then(|| Arc::clone(&tree));
    let mut replay = Replay::<Game>::open(&bytes, find).expect("it was just written");
    assert_eq!(replay.files(), [("guard.ron".to_owned(), b"Tree()".to_vec())]);
    let mut frame = 0;
    while replay.step(&mut 0).expect("it is whole") {
        assert_eq!(stands(replay.forest()), stood[frame], "frame {frame}");
        frame += 1;
    }
    assert_eq!((frame, replay.len()), (60, 60));
    assert_eq!(replay.divergences(), []);
}

/// A file of this format, as another build has written it.
#[test]
fn the_format_stays_what_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/version_4.rec");
    let (tree, bytes, stood) = recorded();
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(path, &bytes).expect("the file can be written");
    }
    let file = std::fs::read(path).expect("the file is there");
    let same = "the format has changed: count `VERSION` up, name the file by it, and set PLEACH_BLESS=1";
    let mut replay = Replay::<Game>::open_with(&file, |_| Some(Arc::clone(&tree))).expect(same);
    for stood in stood {
        assert!(replay.step(&mut 0).expect(same));
        assert_eq!(stands(replay.forest()), stood, "{same}");
    }
    assert_eq!((replay.step(&mut 0).expect(same), replay.divergences()), (false, &[][..]), "{same}");
}

#[test]
fn a_brain_is_recorded_as_the_only_agent_of_a_forest() {
    let tree = tree("guard", 0.3);
    let spawn = || Spawn { seed: Some(5), ..Spawn::default() };
    let (mut forest, mut cx) = (Forest::<Game>::new(7), [0, 0]);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agent = forest.spawn_with(&mut cx[0], guards, spawn()).expect("there is room");
    let mut brain = Brain::spawn_with(&mut cx[1], Arc::clone(&tree), 7, spawn());
    let [mut of_forest, mut of_brain] = [(); 2].map(|()| Recording::new().last_seconds(3.0));
    let mut stood = Vec::new();
    for frame in 0..200 {
        if frame == 50 {
            forest.agent_mut(agent).expect("it is here").restart(&mut cx[0]);
            brain.restart(&mut cx[1]);
        }
        forest.traced(&mut of_forest).tick(&mut cx[0], 0.1).expect("it is a time");
        brain.traced(&mut of_brain).tick(&mut cx[1], 0.1).expect("it is a time");
        stood.push(brain.current().collect::<Vec<_>>());
    }
    assert_eq!(of_forest.to_bytes(), of_brain.to_bytes());
    assert!(of_brain.complete_seconds() > 2.5, "{}", of_brain.complete_seconds());
    let bytes = of_brain.to_bytes();
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it is whole");
    let first = usize::try_from(200 - of_brain.len()).expect("a few");
    for expected in &stood[first..] {
        assert!(replay.step(&mut 0).expect("it is whole"));
        if replay.played() <= replay.complete_after() {
            continue;
        }
        let now: Vec<NodeId> = replay.forest().agent(brain.agent()).expect("it is here").current().collect();
        assert_eq!(now, *expected, "frame {}", replay.frame());
    }
    assert_eq!(replay.divergences(), []);

    // An agent that is despawned has left.
    brain.despawn(&mut cx[1]);
    brain.traced(&mut of_brain).tick(&mut cx[1], 0.1).expect("it is a time");
    let bytes = of_brain.to_bytes();
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it is whole");
    while replay.step(&mut 0).expect("it is whole") {}
    assert_eq!(replay.agent(0), Some(None));
}

#[test]
fn the_trace_of_a_replay_has_the_decisions_of_the_recording() {
    let mut builder = Tree::<Game>::builder("guard");
    let fear: Key<f32> = builder.key("fear", 0.0);
    let walk = nodes::action(move |cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1;
        if cx.host.is_multiple_of(11) {
            cx.set(fear, if cx.host.is_multiple_of(3) { 9.0 } else { 1.0 });
        }
        if cx.host.is_multiple_of(17) { Status::Failure } else { Status::Running }
    });
    let flee = nodes::sequence([nodes::check("fear > 5"), nodes::wait(0.25)]).aborts(Abort::BOTH);
    let pace = nodes::repeat_forever(nodes::sequence([nodes::wait(0.15), nodes::inverter(nodes::on_event("noise"))]));
    let tree = Arc::new(builder.build(nodes::selector([flee, nodes::parallel([walk, pace])])).expect("it is a tree"));
    let (mut forest, mut cx) = (Forest::<Game>::new(7), 0);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agents: Vec<AgentId> = (0..5).map(|_| forest.spawn(&mut cx, guards).expect("there is room")).collect();
    let mut tracer = (Recording::new(), Recorder::all().only(TraceKinds::DECISIONS));
    for frame in 0..200 {
        if frame % 23 == 0 {
            forest.agent_mut(agents[frame % 5]).expect("it is here").send(Event::new("noise")).expect("it is an event");
        }
        forest.traced(&mut tracer).tick(&mut cx, 0.05).expect("it is a time");
    }
    let (recording, mut recorded) = tracer;
    let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is whole");
    let mut replayed = Recorder::all().only(TraceKinds::DECISIONS);
    while replay.step_traced(&mut 0, &mut replayed).expect("it is whole") {}
    let recorded = recorded.take();
    assert_eq!(recorded, replayed.take());
    let aborts = recorded.iter().filter(|it| matches!(it.event, TraceEvent::Abort { .. })).count();
    assert!(aborts >= 5 && recorded.len() > 500, "{aborts} of {}", recorded.len());
}

/// Plays `frames` frames of 100 guards, of which one is removed and one added in every tenth frame.
fn many(frames: usize, recording: &mut Recording, mut after: impl FnMut(&Recording)) -> (Arc<Tree<Game>>, Stood) {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let mut agents: Vec<AgentId> = (0..100).map(|_| forest.spawn(&mut cx, guards).expect("there is room")).collect();
    let mut stood = Vec::new();
    for frame in 0..frames {
        if frame % 10 == 9 {
            forest.agent_mut(agents.remove(frame % 97)).expect("it is here").despawn(&mut cx);
            agents.push(forest.spawn(&mut cx, guards).expect("there is room"));
        }
        forest.traced(recording).tick(&mut cx, 0.1).expect("it is a time");
        stood.push(stands(&forest));
        after(recording);
    }
    (tree, stood)
}

#[test]
fn the_last_seconds_are_replayed_without_what_was_dropped() {
    let mut recording = Recording::new().last_seconds(6.0);
    let (tree, stood) = many(600, &mut recording, |_| {});
    let (kept, whole) = (recording.len(), recording.complete_seconds());
    assert!((6.0..=9.5).contains(&whole) && kept <= 155, "{kept} frames, {whole} s");
    let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is whole");
    let first = 600 - usize::try_from(kept).expect("they are few");
    let complete = kept - replay.complete_after();
    assert!(
        (f64::from(u32::try_from(complete).expect("they are few")) * 0.1 - whole).abs() < 0.01,
        "{complete} frames"
    );
    for (frame, stood) in stood.iter().enumerate().skip(first) {
        assert!(replay.step(&mut 0).expect("it is whole"));
        let now = stands(replay.forest());
        // How long before the end it begins.
        let begins = f64::from(600 - u32::try_from(frame).expect("it is small")) * 0.1;
        if begins > whole + 0.01 {
            assert!(now.iter().all(|it| stood.contains(it)), "frame {frame}");
        } else {
            assert_eq!(now, *stood, "frame {frame}");
        }
    }
    assert_eq!(replay.divergences(), []);
}

#[test]
fn a_recording_takes_no_more_bytes_than_it_may() {
    for most in [0, 100, 1_000, 20_000, 40_000, 60_000] {
        let mut recording = Recording::new().at_most(most);
        let (mut least, mut frames) = (f64::MAX, 0);
        let (tree, stood) = many(400, &mut recording, |it| {
            frames += 1;
            if it.len() < frames {
                least = least.min(it.complete_seconds());
            }
        });
        // One frame is kept in any case. It has at most all agents as a whole, about 60 bytes each.
        assert!(recording.bytes() <= most.max(10_000), "{} of {most}", recording.bytes());
        let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is whole");
        while replay.step(&mut 0).expect("it is whole") {}
        let (now, last) = (stands(replay.forest()), stood.last().expect("there were frames"));
        assert!(now.iter().all(|it| last.contains(it)), "{most}");
        if recording.complete_seconds() > 0.0 {
            assert_eq!(now, *last, "{most}");
        }
        // All agents take about 6 000 bytes, which have to fit into a quarter. Then they are there
        // at every moment.
        assert!(most < 40_000 || least > 0.5, "{most}: {least} s");
        assert!(most > 1_000 || recording.complete_seconds() == 0.0, "{most}: {}", recording.complete_seconds());
    }
}

/// Plays a recording, and compares where agents are after its last frames.
fn replays(recording: &Recording, tree: &Arc<Tree<Game>>, last: &[Vec<(AgentId, Vec<NodeId>)>]) {
    let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(tree))).expect("it is whole");
    let first = replay.len() - last.len() as u64;
    replay.seek(first, &mut 0).expect("it is whole");
    for (frame, stood) in last.iter().enumerate() {
        assert!(replay.step(&mut 0).expect("it is whole"));
        assert_eq!(stands(replay.forest()), *stood, "frame {frame} of the last");
    }
    assert_eq!(replay.divergences(), []);
}

#[test]
fn what_a_rollback_played_without_the_recorder_is_noted() {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    (0..5).for_each(|_| _ = forest.spawn(&mut cx, guards).expect("there is room"));
    let mut recording = Recording::new();
    let mut before = None;
    for frame in 0..12 {
        if frame == 10 {
            before = Some(forest.snapshot().expect("nothing is remembered"));
        }
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("it is a time");
    }
    forest.rollback(&before.expect("it was made")).expect("it is of this forest");
    // The same frames once more, in which other things happen.
    cx += 3;
    for _ in 0..2 {
        forest.tick(&mut cx, 0.1).expect("it is a time");
    }
    let mut stood = Vec::new();
    for _ in 0..40 {
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    replays(&recording, &tree, &stood);
}

#[test]
fn an_agent_that_is_to_stop_stops_in_the_replay() {
    let tree = Arc::new(Tree::<Game>::builder("guard").build(nodes::wait(1.0)).expect("it is a tree"));
    let (mut forest, mut recording, mut stood) = (Forest::<Game>::new(7), Recording::new(), Vec::new());
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let guard = forest.spawn(&mut 0, guards).expect("there is room");
    for frame in 0..40 {
        if frame == 15 {
            forest.agent_mut(guard).expect("it is here").set_completion(Completion::Stop);
        }
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    assert_eq!(stood[39], [(guard, Vec::new())]);
    replays(&recording, &tree, &stood);
}

#[test]
fn a_replay_goes_to_any_frame() {
    let mut recording = Recording::new();
    let (tree, stood) = many(1_500, &mut recording, |_| {});
    let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is whole");
    for to in [700, 3, 1_499, 64, 65, 700, 0, 1_500, 1_233, 9_999, 1] {
        replay.seek(to, &mut 0).expect("it is whole");
        let to = usize::try_from(to.min(1_500)).expect("it is small");
        assert_eq!(replay.played(), to as u64);
        assert_eq!(stands(replay.forest()), to.checked_sub(1).map_or_else(Vec::new, |it| stood[it].clone()), "{to}");
    }
    while replay.step(&mut 0).expect("it is whole") {}
    assert_eq!(stands(replay.forest()), stood[1_499]);
    assert_eq!(replay.divergences(), []);
}

#[test]
fn one_agent_can_be_replayed_alone() {
    let mut recording = Recording::new().last_seconds(6.0);
    let (tree, stood) = many(600, &mut recording, |_| {});
    let open = || Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is whole");
    let kept = usize::try_from(recording.len()).expect("they are few");
    let last = &stood[599];
    let number = |agent| recording.number_of(agent).expect("it is recorded");
    // The oldest, one that was added later, and the newest, which was missing at first.
    for &(agent, _) in [&last[0], &last[50], &last[99]] {
        let (mut all, mut alone) = (open(), open().only(number(agent)));
        let (mut among, mut traced) = [0, 1].map(|_| Recorder::of([agent]).only(TraceKinds::DECISIONS)).into();
        let mut seen = 0;
        while all.step_traced(&mut 0, &mut among).expect("it is whole") {
            assert!(alone.step_traced(&mut 0, &mut traced).expect("it is whole"));
            let view = |it: &Replay<Game>| it.inspect(agent).ok().map(|it| it.to_string());
            assert_eq!(view(&all), view(&alone), "frame {}", all.frame());
            assert_eq!((all.frame(), all.changed().contains(&agent)), (alone.frame(), !alone.changed().is_empty()));
            assert!(alone.forest().len() <= 1);
            seen += alone.forest().len();
        }
        assert!((3..=kept).contains(&seen), "{seen} of {kept} frames");
        assert_eq!(among.take(), traced.take());
        assert_eq!(alone.divergences(), []);
        // It can be asked for after others were played, and goes to any frame.
        let mut late = all.only(number(agent));
        assert_eq!(late.played(), 0);
        late.seek(alone.len() - 1, &mut 0).expect("it is whole");
        assert!(late.forest().len() <= 1 && late.played() == alone.len() - 1);
    }
}

#[test]
fn a_search_finds_what_a_running_game_shows() {
    let tree = tree("guard", 0.3);
    let (mut forest, mut recording, mut recorder) = (Forest::<Game>::new(7), Recording::new(), Recorder::all());
    let guards = forest.add_tree(Arc::clone(&tree)).unwrap();
    let (mut live, mut host) = (Vec::new(), 0);
    let ended = |it: TraceEvent| matches!(it, TraceEvent::End(_, Outcome::Success));
    for frame in 1..=200 {
        if frame % 50 == 1 {
            forest.spawn(&mut host, guards).unwrap();
        }
        forest.traced(&mut (&mut recorder, &mut recording)).tick(&mut host, 0.05).unwrap();
        live.extend(recorder.take().iter().filter(|it| ended(it.event)).map(|it| (frame, it.agent, it.event)));
    }
    assert!(live.len() > 30, "{}", live.len());
    let mut replay = Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).unwrap();
    let of = |it: &[Found]| it.iter().map(|it| (it.frame, it.agent, it.event)).collect::<Vec<_>>();
    let mut forward = Vec::new();
    loop {
        let found = replay.find_next(&mut 0, |_, it| ended(it)).unwrap();
        if found.is_empty() {
            break;
        }
        assert!(found.iter().all(|it| it.played == replay.played() && it.frame == replay.frame()));
        forward.extend(of(&found));
    }
    assert_eq!(forward, live);
    // Back again, from one to the one before.
    let (mut back, mut before) = (Vec::new(), replay.len());
    loop {
        let found = replay.find_last(before, &mut 0, |_, it| ended(it)).unwrap();
        let Some(first) = found.first() else { break };
        assert_eq!(replay.played(), first.played);
        before = first.played - 1;
        back.splice(0..0, of(&found));
    }
    assert_eq!((back, replay.played()), (live, 0));
}

#[test]
fn an_agent_that_leaves_is_replayed_alone() {
    let tree = tree("guard", 0.3);
    let (mut forest, mut recording, mut host) = (Forest::<Game>::new(7), Recording::new(), 0);
    let guards = forest.add_tree(Arc::clone(&tree)).unwrap();
    let mut agents = Vec::new();
    let mut stood = Vec::new();
    for frame in 0..300 {
        if frame % 40 == 0 {
            agents.push(forest.spawn(&mut host, guards).unwrap());
        }
        if frame == 200 {
            forest.agent_mut(agents[2]).unwrap().despawn(&mut host);
        }
        forest.traced(&mut recording).tick(&mut host, 0.05).unwrap();
        stood.push(stands(&forest));
    }
    let bytes = recording.to_bytes();
    for (number, id) in (0..).zip(&agents) {
        let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).unwrap().only(number);
        for all in &stood {
            assert!(replay.step(&mut 0).unwrap());
            let here = all.iter().filter(|it| it.0 == *id).cloned().collect::<Vec<_>>();
            // One that was despawned is gone when the next frame begins.
            let is_leaving = here.is_empty() && replay.forest().len() == 1;
            assert!(stands(replay.forest()) == here || is_leaving, "frame {}", replay.frame());
        }
        assert_eq!(replay.divergences(), []);
    }
    let mut nobody = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).unwrap().only(8);
    nobody.seek(u64::MAX, &mut 0).unwrap();
    assert!(nobody.forest().is_empty() && nobody.played() == 300);
}

#[test]
fn another_tree_is_refused_by_name() {
    let (_, bytes, _) = recorded();
    let other = Replay::<Game>::open(&bytes, |_| Some(tree("guard", 0.4))).map(|_| ());
    assert_eq!(
        other.expect_err("it waits longer").to_string(),
        "the tree `guard` is not the one that was recorded: its nodes, parameters or keys differ"
    );
    let none = Replay::<Game>::open(&bytes, |_| None).map(|_| ());
    assert_eq!(
        none.expect_err("there is no tree").to_string(),
        "the recording needs the tree `guard`: none of that name was given"
    );
}

#[test]
fn a_tree_with_other_nodes_is_refused_with_the_first_difference() {
    let (_, bytes, _) = recorded();
    let open = |root: pleach_core::nodes::Node<Game>, key: &str| {
        let mut builder = Tree::<Game>::builder("guard");
        let _: Key<f32> = builder.key(key, 0.0);
        let tree = Arc::new(builder.build(root).expect("it is a tree"));
        Replay::<Game>::open_with(&bytes, |_| Some(Arc::clone(&tree))).map(|_| ()).expect_err("it differs").to_string()
    };
    let walk = || nodes::action(|_: &mut Context<'_, '_, Game>| Status::Running);
    let flee = |last: pleach_core::nodes::Node<Game>| nodes::sequence([nodes::check("fear > 5"), last]);
    let says = |it: &str| format!("the tree `guard` does not fit the recording: {it}");
    assert_eq!(
        open(nodes::selector([flee(nodes::idle()), walk()]), "fear"),
        says("n3 Wait was recorded, but here it is n3 Idle")
    );
    assert_eq!(
        open(nodes::selector([flee(nodes::wait(1.0))]), "fear"),
        says("n4 Action was recorded, but does not exist here")
    );
    let hungry = nodes::sequence([nodes::check("hunger > 5"), nodes::wait(1.0)]);
    assert_eq!(
        open(nodes::selector([hungry, walk()]), "hunger"),
        says("the key `fear` was recorded, but does not exist here")
    );
}

#[test]
fn a_frame_that_is_dropped_while_it_is_read_begins_again() {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    for _ in 0..200 {
        forest.spawn(&mut cx, guards).expect("there is room");
    }
    let mut recording = Recording::new().at_most(20_000);
    let mut reader = Reader::default();
    forest.traced(&mut recording).tick(&mut cx, 0.1).expect("a tick is short enough");
    assert!(matches!(recording.read(&mut reader, 100), Some(Piece::Begin(_))));
    assert!(matches!(recording.read(&mut reader, 100), Some(Piece::Rest(bytes)) if bytes.len() == 100));
    let before = reader.rest();
    assert!(before > 0);
    for _ in 0..2_000 {
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("a tick is short enough");
    }
    let Some(Piece::Begin(bytes)) = recording.read(&mut reader, usize::MAX) else { panic!("its rest is gone") };
    assert_eq!(reader.rest(), 0);
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it is a recording");
    while replay.step(&mut 0).expect("it is whole") {}
    assert!(replay.played() > 0 && replay.divergences().is_empty(), "{:?}", replay.divergences());
}

#[test]
fn the_pieces_of_a_recording_joined_are_the_recording() {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(tree).expect("it is the first");
    let (mut recording, mut reader, mut pieces) = (Recording::new(), Reader::default(), Vec::new());
    for frame in 0..20 {
        recording.add_file(format!("{frame}.ron"), "later");
        forest.spawn(&mut cx, guards).expect("there is room");
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("a tick is short enough");
        match recording.read(&mut reader, usize::MAX) {
            Some(Piece::Begin(bytes) | Piece::More(bytes)) => pieces.push(bytes),
            other => panic!("a frame is a piece: {other:?}"),
        }
    }
    assert_eq!(pieces.len(), 20);
    assert_eq!(Piece::join(&pieces).expect("they are pieces"), recording.to_bytes());
    pieces[7].truncate(20);
    Piece::join(&pieces).expect_err("its header is torn");
}

#[test]
fn labels_are_recorded_when_they_change() {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agents: Vec<AgentId> = (0..3).map(|_| forest.spawn(&mut cx, guards).expect("there is room")).collect();
    let mut recording = Recording::new();
    for frame in 0..4 {
        match frame {
            0 => forest.agent_mut(agents[0]).expect("it lives").set_label("Anna"),
            2 => forest.agent_mut(agents[2]).expect("it lives").set_label("Carl"),
            _ => {}
        }
        forest.traced(&mut recording).tick(&mut cx, 0.1).expect("a tick is short enough");
    }
    let mut replay =
        Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is a recording");
    let mut labels = Vec::new();
    while replay.step(&mut 0).expect("it is whole") {
        let label = |it: (u32, Option<AgentId>)| {
            let agent = replay.forest().agent(it.1.expect("it is there")).expect("it lives");
            agent.label().map(str::to_owned).unwrap_or_default()
        };
        labels.push(replay.agents().map(label).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(labels, ["Anna  ", "Anna  ", "Anna  Carl", "Anna  Carl"]);
    assert!(replay.divergences().is_empty(), "{:?}", replay.divergences());
}

#[test]
fn the_label_of_a_brain_is_recorded() {
    let (tree, mut cx) = (tree("guard", 0.3), 0);
    let mut brain = Brain::<Game>::new(&mut cx, Arc::clone(&tree), 7);
    brain.set_label("Anna");
    let mut recording = Recording::new();
    brain.traced(&mut recording).tick(&mut cx, 0.1).expect("a tick is short enough");
    let mut replay =
        Replay::<Game>::open(&recording.to_bytes(), |_| Some(Arc::clone(&tree))).expect("it is a recording");
    assert!(replay.step(&mut 0).expect("it is whole"));
    let (_, agent) = replay.agents().next().expect("it is there");
    let agent = replay.forest().agent(agent.expect("it lives")).expect("it lives");
    assert_eq!(agent.label(), Some("Anna"));
}
