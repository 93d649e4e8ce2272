//! Recordings that are damaged. `PLEACH_SEED` chooses the bits that are flipped, and `PLEACH_COUNT`
//! sets how often.

use std::sync::Arc;

use pleach_core::record::{Piece, Reader, Recording, Replay, ReplayError};
use pleach_core::{Forest, NodeId, Tree};

use super::{Game, recorded, tree};

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {text:?}")),
        Err(_) => default,
    }
}

/// Plays as much as can be played. Returns how many frames that is.
fn play(bytes: &[u8], tree: &Arc<Tree<Game>>) -> Result<u64, ReplayError> {
    let mut replay = Replay::<Game>::open(bytes, |_| Some(Arc::clone(tree)))?;
    while replay.step(&mut 0)? {}
    Ok(replay.played())
}

#[test]
fn a_torn_recording_is_played_up_to_the_tear() {
    let (tree, bytes, _) = recorded();
    assert_eq!(play(&bytes, &tree).expect("it is whole"), 60);
    let mut most = 0;
    for length in 0..bytes.len() {
        match play(&bytes[..length], &tree) {
            Ok(played) => most = most.max(played),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!((1..60).contains(&most), "{most}");
}

#[test]
fn a_check_of_the_greatest_number_is_no_panic() {
    let (tree, mut bytes, _) = recorded();
    // A frame of a check of the agent of the greatest number, and of one after it.
    bytes.extend([10, 0, 0xCC, 0xFE, 0xFF, 0xFF, 0xFF, 0x1F, 2, 1, 1]);
    assert!(play(&bytes, &tree).is_ok());
}

#[test]
fn a_claimed_length_is_not_allocated() {
    let (tree, whole, _) = recorded();
    for at in 8..whole.len() {
        // In place of a byte, of a number, and of an integer of eight bytes.
        let number = whole[at..].iter().position(|it| *it < 0x80).unwrap_or(0) + 1;
        for length in [&[0x80, 0x80, 0x80, 0x80, 0x04][..], &(1_u64 << 30).to_le_bytes()] {
            for after in [at + 1, at + number, at + 8] {
                let bytes = [&whole[..at], length, whole.get(after..).unwrap_or_default()].concat();
                let memory = allocation_counter::measure(|| _ = play(&bytes, &tree));
                assert!(memory.bytes_max < 1 << 20, "at {at} up to {after}: {memory:?}");
            }
        }
    }
}

#[test]
fn a_replay_that_diverges_says_where_and_plays_on() {
    let (tree, mut bytes, _) = recorded();
    // A frame in which the root of agent 0 answers, which it is never asked; two with different
    // checks of agent 0, of which one or both are wrong; and one without inputs.
    bytes.extend([[3, 0, 0, 0].as_slice(), &[4, 0, 12, 1, 1], &[4, 0, 12, 1, 2], &[0]].concat());
    let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it is whole");
    while replay.step(&mut 0).expect("it is whole") {}
    assert_eq!(replay.played(), 64);
    let said: Vec<_> = replay.divergences().iter().map(|it| (it.frame, it.node, &*it.recorded)).collect();
    let unasked = "n0 Selector answered success; the replay did not ask for it";
    assert_eq!(said[0], (66, Some(NodeId::ROOT), unasked));
    let is_check = |it: &(u64, Option<NodeId>, &str)| {
        (67..=68).contains(&it.0) && (it.1, it.2) == (None, "the agent ran something else")
    };
    assert!((2..=3).contains(&said.len()) && said[1..].iter().all(is_check), "{said:?}");
}

/// Two pieces of a recording, as a live game sends them.
fn pieces() -> (Arc<Tree<Game>>, Vec<u8>, Vec<u8>) {
    let (tree, mut forest) = (tree("guard", 0.3), Forest::<Game>::new(7));
    let guards = forest.add_tree(Arc::clone(&tree)).expect("it is the first");
    forest.spawn(&mut 0, guards).expect("there is room");
    let (mut recording, mut reader, mut cx) = (Recording::new(), Reader::default(), 0);
    let mut piece = || {
        (0..5).for_each(|_| _ = forest.traced(&mut recording).tick(&mut cx, 0.1).expect("it is a time"));
        recording.add_file("guard.ron", "Tree()");
        recording.read(&mut reader, usize::MAX)
    };
    let (Some(Piece::Begin(first)), Some(Piece::More(more))) = (piece(), piece()) else { panic!("two pieces") };
    (tree, first, more)
}

#[test]
fn flipped_bits_of_the_next_piece_are_an_error_or_another_piece() {
    let (tree, first, more) = pieces();
    for at in 0..more.len() * 8 {
        let (mut replay, mut more) =
            (Replay::<Game>::open(&first, |_| Some(Arc::clone(&tree))).expect("it is whole"), more.clone());
        more[at / 8] ^= 1 << (at % 8);
        if replay.extend(&more, |_| Some(Arc::clone(&tree))).is_ok() {
            // Any answer or error will do.
            while let Ok(true) = replay.step(&mut 0) {}
        }
        assert!(replay.played() >= 5 || replay.step(&mut 0).is_ok());
    }
}

#[test]
fn a_piece_of_the_most_frames_is_no_panic() {
    let (tree, first, mut more) = pieces();
    // The length of the header, then its seed and how many frames follow, each in one byte.
    assert_eq!(more[20..22], [7, 5]);
    more[12] += 9;
    more.splice(21..22, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    let mut replay = Replay::<Game>::open(&first, |_| Some(Arc::clone(&tree))).expect("it is whole");
    replay.extend(&more, |_| Some(Arc::clone(&tree))).expect("it is whole");
    while replay.step(&mut 0).expect("it is whole") {}
    assert_eq!((replay.played(), replay.len()), (10, u64::MAX));
}

#[test]
fn flipped_bits_are_an_error_or_another_recording() {
    let (tree, bytes, _) = recorded();
    let (mut state, count) = (setting("PLEACH_SEED", 7), setting("PLEACH_COUNT", 3_000));
    let mut roll = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % n
    };
    let mut refused = 0_u64;
    for _ in 0..count {
        let mut bytes = bytes.clone();
        for _ in 0..=roll(3) {
            let at = roll(bytes.len());
            bytes[at] ^= 1 << roll(8);
        }
        refused += u64::from(play(&bytes, &tree).is_err());
    }
    assert!(refused > count / 30, "{refused} of {count}");
}
