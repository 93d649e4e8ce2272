//! Recordings of games that ship baked trees: the files in them are not text.

use std::collections::BTreeMap;

use pleach::asset::Manifest;
use pleach::record::Recording;
use pleach::{Context, Forest, Host, Library, Registry, Status, load_baked};
use serde::Deserialize;

use super::{Place, pleach, refused};

struct Game;
impl Host for Game {
    /// How hungry the dog is.
    type Cx<'a> = f32;
}

#[derive(Deserialize)]
struct Walk {
    speed: f32,
}

const DOG: &str = r#"Tree(version: 1, name: "dog", blackboard: { "tired": Float(0.25) }, root: Selector([
    Sequence(name: "eat", abort: LowerPriority, children: [Hungry, Eat]),
    Sequence(name: "rest", children: [Check("tired > 0.1"), Subtree(asset: "nap.ron")]),
]))"#;

const NAP: &str = r#"Tree(version: 1, root: Sequence(name: "nap", children: [Walk(speed: 1.5), Wait(60.0)]))"#;

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    registry.condition_fn("Hungry", |cx: &mut Context<'_, '_, Game>| *cx.host > 0.5).unwrap();
    let eat = |cx: &mut Context<'_, '_, Game>| {
        *cx.host -= 0.1;
        if *cx.host < 0.1 { Status::Success } else { Status::Running }
    };
    registry.action_fn("Eat", eat).unwrap();
    registry
        .action_with::<Walk>("Walk", |walk, _| if walk.speed > 1.0 { Status::Success } else { Status::Failure })
        .unwrap();
    registry
}

fn bake(dog: &str) -> Vec<u8> {
    Library::new(BTreeMap::from([("dog.ron", dog), ("nap.ron", NAP)])).bake("dog.ron", &registry()).unwrap()
}

/// Plays a dog for 10 seconds under these baked trees, one after the other, and records it with
/// `files`.
fn record(trees: &[&[u8]], files: &[(&str, &[u8])]) -> Vec<u8> {
    let registry = registry();
    let (mut forest, mut hunger) = (Forest::new(7), 0.0);
    let load = |bytes: &[u8]| load_baked("dog.baked", bytes, &registry).unwrap();
    let dogs = forest.add_tree(load(trees[0])).unwrap();
    forest.spawn(&mut hunger, dogs).unwrap();
    let mut recording = Recording::new();
    for (name, content) in files {
        recording.add_file(*name, *content);
    }
    for frame in 0..100 {
        if frame > 0 && frame % 50 == 0 && trees.len() > frame / 50 {
            forest.replace_tree(&mut hunger, dogs, load(trees[frame / 50])).unwrap();
        }
        hunger += 0.01;
        forest.traced(&mut recording).tick(&mut hunger, 0.1).unwrap();
    }
    recording.to_bytes()
}

fn manifest() -> Vec<u8> {
    Manifest::of(&registry()).to_ron().into_bytes()
}

#[test]
fn a_recording_opens_by_its_baked_trees_alone() {
    let (place, dog) = (Place::new("baked_recording"), bake(DOG));
    let leaves = manifest();
    let files: [&[(&str, &[u8])]; 4] = [
        &[("game.leaves", &leaves), ("dog.baked", &dog)],
        // Without a manifest, leaves are as they are written.
        &[("dog.baked", &dog)],
        // The name does not matter.
        &[("assets/17", &dog), ("assets/16", &bake(&DOG.replace("\"dog\"", "\"cat\"")))],
        // A text that does not make the tree any more does not hide the baked one.
        &[("dog.ron", b"Tree("), ("dog.baked", &dog)],
    ];
    for files in files {
        let file = place.file("dog.rec", record(&[&dog], files));
        let (code, out, err) = pleach(&["replay", &file]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.contains("  frames        100, ") && out.ends_with("  divergences   none\n"), "{out}");
        let (code, out, err) = pleach(&["replay", &file, "--find", "eat", "--ended", "success"]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with("`eat` succeeded: 1 time, 1 agent"), "{out}");
        let (code, out, _) = pleach(&["replay", &file, "--agent", "0", "--to", "3", "--explain"]);
        assert!(code == 0 && out.contains("> n8 nap: Wait(60 s)\n"), "{out}");
        // Another version of the tree is an edit, as with texts.
        let edited = place.file("dog.ron", DOG.replace("tired > 0.1", "tired > 0.9"));
        place.file("nap.ron", NAP);
        let (code, out, err) = pleach(&["replay", &file, "--with", &edited]);
        let differs = "agent 0 decided differently at frame 1, 0.100 s: nothing instead of n8 nap/Wait\n";
        assert!(code == 1 && out.ends_with(differs), "{out}{err}");
    }
}

/// What `replay` shows of agent 0 at this time.
fn at(file: &str, seconds: &str) -> String {
    let (code, out, err) = pleach(&["replay", file, "--agent", "0", "--to", seconds]);
    assert_eq!(code, 0, "{out}{err}");
    out
}

#[test]
fn each_version_of_a_baked_tree_has_its_agents() {
    let place = Place::new("baked_versions");
    // The second version has another node.
    let (one, two) = (bake(DOG), bake(&DOG.replace("Subtree(", "Succeed, Subtree(")));
    let file = place.file("dog.rec", record(&[&one, &two], &[("dog.baked", &one), ("dog.baked", &two)]));
    let (code, out, err) = pleach(&["replay", &file]);
    assert!(code == 0 && out.ends_with("  divergences   none\n"), "{out}{err}");
    assert_eq!((at(&file, "3").contains("Succeed"), at(&file, "9").contains("Succeed")), (false, true));
    // The second version was never added: it is missing, and can be given.
    let file = place.file("dog.rec", record(&[&one, &two], &[("dog.baked", &one)]));
    let said = "The version that its agents had is not in the recording: add all files again after each reload, or \
                give that version with --with\n";
    refused(&["replay", &file], 1, said);
    place.file("nap.ron", NAP);
    let given = place.file("dog.ron", DOG.replace("Subtree(", "Succeed, Subtree("));
    let (code, out, err) = pleach(&["replay", &file, "--with", &given]);
    assert!(code == 0 && out.contains("  divergences   none\n"), "{out}{err}");
    // It is damaged.
    let file = place.file("dog.rec", record(&[&one, &two], &[("dog.baked", &one), ("dog.baked", &two[..120])]));
    refused(&["replay", &file], 1, "`dog.baked` is damaged");
}

/// Trees with the same nodes and other times, and no leaf of the game.
fn nap(seconds: &str) -> String {
    format!("Tree(version: 1, name: \"dog\", root: Sequence([Wait({seconds}), Wait(1.0)]))")
}

#[test]
fn a_version_that_is_added_again_is_the_same_version() {
    let place = Place::new("baked_again");
    let [one, two] = ["3.0", "0.5"].map(|it| bake(&nap(it)));
    let all: [(&str, &[u8]); 3] = [("dog.baked", &one), ("dog.baked", &one), ("dog.baked", &two)];
    let shows = |file: &str, seconds: &str, wait: &str| {
        let out = at(file, seconds);
        assert!(out.contains(wait), "{out}");
    };
    let file = place.file("again.rec", record(&[&one, &one], &all));
    shows(&file, "2", "Wait  3 s");
    shows(&file, "7", "Wait  3 s");
    // Back to the first version.
    let file = place.file("back.rec", record(&[&one, &two], &[all[0], all[2], all[0]]));
    shows(&file, "2", "Wait  3 s");
    shows(&file, "6.4", "Wait  0.5 s");
    // A text with the same nodes does not hide the tree that was played.
    let text = nap("0.5");
    let file = place.file("text.rec", record(&[&one], &[("dog.ron", text.as_bytes()), ("dog.baked", &one)]));
    shows(&file, "2", "Wait  3 s");
    assert!(pleach(&["replay", &file]).1.ends_with("  divergences   none\n"));
}

#[test]
fn a_baked_tree_that_does_not_load_says_why() {
    let (place, dog) = (Place::new("baked_damaged"), bake(DOG));
    place.file("nap.ron", NAP);
    let text = place.file("dog.ron", DOG);
    let opened = |baked: &[u8], message: &str| {
        let file = place.file("dog.rec", record(&[&dog], &[("dog.baked", baked)]));
        let message = format!("has agents of the tree `dog`, and no file in it makes that tree: `dog.baked` {message}");
        refused(&["replay", &file], 1, &message);
        refused(&["replay", &file], 1, "; name the text of the tree with --with\n");
        // The text of the tree stands in for it.
        let (code, out, err) = pleach(&["replay", &file, "--with", &text]);
        assert!(code == 0 && out.contains("  divergences   none\n"), "{out}{err}");
        assert!(
            err.contains(
                "makes its tree `dog`: it is played with the tree that you gave, and all others as recorded\n"
            ),
            "{err}"
        );
        // Another tree with the same nodes is not an edit of it.
        let other = place.file("other.ron", DOG.replace("abort: LowerPriority, ", ""));
        let (code, out, _) = pleach(&["replay", &file, "--with", &other]);
        assert!(code == 1 && out.contains("  divergences   1 agent, ") && !out.contains("  changed "), "{out}");
    };
    opened(&dog[..dog.len() / 2], "is damaged: invalid data before byte ");
    let mut other = dog.clone();
    other[6] = 9;
    opened(&other, "was baked in form 9, but this version of pleach reads form 4; name");
    let missing = |files: &[(&str, &[u8])]| {
        let file = place.file("dog.rec", record(&[&dog], files));
        refused(&["replay", &file], 1, "has agents of the tree `dog`, and no file of it: name the tree with --with");
    };
    // The baked tree of another tree, and other files, are none of this one.
    missing(&[("cat.baked", &bake(&DOG.replace("\"dog\"", "\"cat\"")))]);
    missing(&[("notes.txt", b"pleach is nice"), ("old.rec", &record(&[&dog], &[])), ("pic.png", b"\x89PNG")]);
    // One with other nodes is refused with the first difference.
    let fewer = bake(&DOG.replace("Check(\"tired > 0.1\"), ", ""));
    let file = place.file("dog.rec", record(&[&dog], &[("dog.baked", &fewer)]));
    refused(&["replay", &file], 1, "the tree `dog` does not fit the recording: ");
}
