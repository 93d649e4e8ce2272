//! Recordings in odd games: without frames, by two recorders, where time stands still, of leaves
//! that panic, on a full disk.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use pleach_core::record::{Recording, Replay};
use pleach_core::{AgentId, Context, Forest, Status, Tree, nodes};

use super::{Game, replays, stands, tree};

/// A forest of guards.
fn guards(count: usize) -> (Arc<Tree<Game>>, Forest<Game>) {
    let (tree, mut forest) = (tree("guard", 0.3), Forest::<Game>::new(7));
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    (0..count).for_each(|_| _ = forest.spawn(&mut 0, guards).expect("there is room"));
    (tree, forest)
}

#[test]
fn a_recording_without_frames_is_a_recording() {
    let bytes = Recording::new().to_bytes();
    let mut replay = Replay::<Game>::open(&bytes, |_| None).expect("it needs no tree");
    assert!(replay.is_empty() && !replay.step(&mut 0).expect("it is whole"));
    replay.seek(9, &mut 0).expect("it is whole");
    assert_eq!(replay.played(), 0);
}

#[test]
fn of_two_recordings_in_one_call_the_first_records() {
    let (tree, mut forest) = guards(5);
    let (mut first, mut second, mut stood) = (Recording::new(), Recording::new(), Vec::new());
    for _ in 0..30 {
        forest.traced(&mut (&mut first, &mut second)).tick(&mut 3, 0.1).expect("it is a time");
        stood.push(stands(&forest));
    }
    replays(&first, &tree, &stood);
    assert!(second.is_empty());
}

#[test]
fn recordings_that_take_turns_have_their_own_frames() {
    let (tree, mut forest) = guards(5);
    let (mut recordings, mut stood, mut cx) = ([(); 2].map(|()| Recording::new()), [(); 2].map(|()| Vec::new()), 0);
    for frame in 0..60 {
        let turn = usize::from(frame % 7 < 3);
        forest.traced(&mut recordings[turn]).tick(&mut cx, 0.1).expect("it is a time");
        stood[turn].push(stands(&forest));
    }
    for (recording, stood) in recordings.iter().zip(&stood) {
        replays(recording, &tree, stood);
    }
}

/// Three hours of 60 frames a second without time, then a frame of a day.
#[test]
fn time_that_stands_still_for_hours_takes_a_byte_a_frame() {
    const FRAMES: usize = 3 * 3600 * 60;
    for most in [None, Some(100_000)] {
        let (tree, mut forest) = guards(2);
        let mut recording = Recording::new().last_seconds(60.0);
        if let Some(most) = most {
            recording = recording.at_most(most);
        }
        // The host counts from 0 in each frame, so that the guards walk on.
        let mut tick = |forest: &mut Forest<Game>, seconds| {
            forest.traced(&mut recording).tick(&mut 0, seconds).expect("it is a time");
        };
        tick(&mut forest, 1.0);
        (0..FRAMES).for_each(|_| tick(&mut forest, 0.0));
        tick(&mut forest, 86_400.0);
        let stood = stands(&forest);
        // And the checks of where the guards stand.
        assert!(recording.bytes() <= most.unwrap_or(FRAMES + FRAMES / 32), "{}", recording.bytes());
        assert!(recording.complete_seconds() >= 60.0, "{}", recording.complete_seconds());
        replays(&recording, &tree, &[stood]);
    }
}

#[test]
fn a_game_whose_leaf_panics_is_recorded_and_replayed() {
    let leaf = nodes::action(|cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1;
        if cx.host.is_multiple_of(23) {
            // Unlike `panic!` it says nothing on the terminal.
            resume_unwind(Box::new(()));
        }
        if cx.host.is_multiple_of(5) { Status::Failure } else { Status::Running }
    });
    let root = nodes::selector([leaf, nodes::wait(0.35)]);
    let tree = Arc::new(Tree::<Game>::builder("guard").build(root).expect("it is a tree"));
    let mut forest = Forest::<Game>::new(7);
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    let agents: Vec<AgentId> = (0..7).map(|_| forest.spawn(&mut 0, guards).expect("there is room")).collect();
    let (mut recording, mut stood, mut cx, mut panics) = (Recording::new(), Vec::new(), 0, 0);
    for _ in 0..200 {
        let tick = || forest.traced(&mut recording).tick(&mut cx, 0.1).map(|_| ()).expect("it is a time");
        panics += usize::from(catch_unwind(AssertUnwindSafe(tick)).is_err());
        stood.push(stands(&forest));
    }
    assert!(panics >= 5 && forest.len() == agents.len(), "{panics}");
    replays(&recording, &tree, &stood);
}

/// A disk with room for this many bytes.
struct Disk(usize);

impl io::Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_recording_goes_on() {
    let (tree, mut forest) = guards(5);
    let (mut recording, mut stood) = (Recording::new(), Vec::new());
    for frame in 0..60 {
        forest.traced(&mut recording).tick(&mut 0, 0.1).expect("it is a time");
        stood.push(stands(&forest));
        let written = recording.write_to(&mut Disk(recording.to_bytes().len() * frame / 60));
        assert_eq!(written.expect_err("there is no room").kind(), io::ErrorKind::StorageFull);
    }
    replays(&recording, &tree, &stood);
}
