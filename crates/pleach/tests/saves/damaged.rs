//! Saves that were cut or changed: an error or a forest that lives, never a panic.

use pleach_core::error::{Damage, RestoreError};
use pleach_core::{Forest, Save};

use crate::support::{Game, World};
use crate::{lived, new_forest};

/// Restores what can be read, and lets it live. Returns what happened to it.
fn try_out(bytes: &[u8]) -> &'static str {
    let Ok(save) = postcard::from_bytes::<Save>(bytes) else { return "unreadable" };
    let (mut forest, mut world) = (new_forest(), World::default());
    if let Err(error) = forest.restore(&mut world, &save) {
        assert!(!error.to_string().is_empty());
        assert_eq!((forest.len(), forest.time(), world.log.len()), (0, 0.0, 0), "it is as it was");
        return "refused";
    }
    for _ in 0..12 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    let again = forest.save().unwrap();
    assert_eq!(again.len(), save.len());
    "restored"
}

fn bytes() -> Vec<u8> {
    let (forest, ..) = lived();
    postcard::to_stdvec(&forest.save().unwrap()).unwrap()
}

#[test]
fn every_beginning_of_a_save_is_no_save() {
    let bytes = bytes();
    assert_eq!(try_out(&bytes), "restored");
    for end in 0..bytes.len() {
        assert_eq!(try_out(&bytes[..end]), "unreadable", "{end} of {}", bytes.len());
    }
}

/// A number that the environment gives, for longer runs.
fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().map_or(or, |it| it.parse().unwrap_or_else(|_| panic!("{name} is a number: {it}")))
}

/// `PLEACH_SEED` and `PLEACH_COUNT` say which bits, and how many.
#[test]
fn a_bit_that_changed_is_never_a_panic() {
    let bytes = bytes();
    let mut random = number("PLEACH_SEED", 7);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..number("PLEACH_COUNT", 10_000) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(random >> 20).unwrap() % (bytes.len() * 8);
        let mut bytes = bytes.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        *counts.entry(try_out(&bytes)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3, "{counts:?}");
    println!("{counts:?}");
}

#[test]
fn lengths_that_are_only_claimed_take_no_memory() {
    // Version, seed, time, no whole forest, and a list of 2^30 trees.
    let claims: Vec<u8> = [1, 3, 0, 0].into_iter().chain([0x80, 0x80, 0x80, 0x80, 0x04]).collect();
    let taken = allocation_counter::measure(|| assert_eq!(try_out(&claims), "unreadable"));
    assert!(taken.bytes_max < 8 << 20, "{}", taken.bytes_max);
    assert_eq!(try_out(&[]), "unreadable");
    // The same in place of each byte of a save; and, as states of leaves have them, bytes and lists
    // of 2^30.
    let whole = bytes();
    for claim in [&[0x80, 0x80, 0x80, 0x80, 0x04][..], &[0xc6, 0x40, 0, 0, 0], &[0xdd, 0x40, 0, 0, 0]] {
        for at in 0..whole.len() {
            let claims = [&whole[..at], claim, &whole[at + 1..]].concat();
            let taken = allocation_counter::measure(|| _ = try_out(&claims));
            assert!(taken.bytes_max < 256 << 20, "{claim:?} at {at}: {}", taken.bytes_max);
        }
    }
}

#[test]
fn a_save_that_was_edited_by_hand_tells_what_is_wrong() {
    let (forest, ..) = lived();
    let text = ron::to_string(&forest.save().unwrap()).unwrap();
    let damage = |from: &str, to: &str| {
        assert!(text.contains(from), "{from} in {text}");
        let save: Save = ron::from_str(&text.replacen(from, to, 1)).unwrap();
        let mut forest = new_forest();
        match forest.restore(&mut World::default(), &save) {
            Err(RestoreError::Damaged { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(damage("kind:\"Selector\"", "kind:\"Chooser\""), Damage::UnknownKind);
    assert_eq!(damage("kind:\"Selector\"", "kind:\"Idle\""), Damage::NotATree);
    assert_eq!(damage("parent:Some(0)", "parent:Some(9)"), Damage::NotATree);
    assert_eq!(damage("chunks:[6]", "chunks:[5]"), Damage::ChunkAgents);
    assert_eq!(damage("tops:[", "tops:[99,"), Damage::UnknownNode);
    assert_eq!(damage("tops:[", "tops:[0,"), Damage::Stacks);
    assert_eq!(damage("own:false", "own:true"), Damage::OwnGroup);
    assert_eq!(damage("states:[", "states:[(),"), Damage::LeafStates);
    assert_eq!(damage("keys:[(0,Bool(true))", "keys:[(0,Int(1))"), Damage::AgentValue);
    let _: Forest<Game> = forest;
}
