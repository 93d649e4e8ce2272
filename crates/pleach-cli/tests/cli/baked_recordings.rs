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

#[test]
fn each_version_of_a_baked_tree_has_its_agents() {
    let place = Place::new("baked_versions");
    // The second version has another node.
    let (one, two) = (bake(DOG), bake(&DOG.replace("Subtree(", "Succeed, Subtree(")));
    let file = place.file("dog.rec", record(&[&one, &two], &[("dog.baked", &one), ("dog.baked", &two)]));
    let (code, out, err) = pleach(&["replay", &file]);
    assert!(code == 0 && out.ends_with("  divergences   none\n"), "{out}{err}");
    for (seconds, has) in [("3", false), ("9", true)] {
        let (code, out, err) = pleach(&["replay", &file, "--agent", "0", "--to", seconds]);
        assert_eq!((code, out.contains("Succeed")), (0, has), "{out}{err}");
    }
}

#[test]
fn a_baked_tree_that_does_not_load_says_why() {
    let (place, dog) = (Place::new("baked_damaged"), bake(DOG));
    let opened = |baked: &[u8], message: &str| {
        let file = place.file("dog.rec", record(&[&dog], &[("dog.baked", baked)]));
        refused(&["replay", &file], 1, "dog.rec` do not load: give a version of the tree that does with --with");
        refused(&["replay", &file], 1, message);
        // The text of the tree stands in for it.
        place.file("nap.ron", NAP);
        let (code, out, err) = pleach(&["replay", &file, "--with", &place.file("dog.ron", DOG)]);
        assert!(code == 0 && out.contains("  changed       none\n"), "{out}{err}");
    };
    opened(&dog[..dog.len() / 2], "`dog.baked` is damaged: invalid data before byte ");
    let mut other = dog.clone();
    other[6] = 99;
    opened(&other, "`dog.baked` was baked in form 99, but this version of pleach reads form ");
    // The baked tree of another tree is none of this one.
    let cat = bake(&DOG.replace("\"dog\"", "\"cat\""));
    let file = place.file("dog.rec", record(&[&dog], &[("cat.baked", &cat)]));
    refused(&["replay", &file], 1, "has agents of the tree `dog`, and no file of it: name the tree with --with");
    // One with other nodes is refused with the first difference.
    let fewer = bake(&DOG.replace("Check(\"tired > 0.1\"), ", ""));
    let file = place.file("dog.rec", record(&[&dog], &[("dog.baked", &fewer)]));
    refused(&["replay", &file], 1, "the tree `dog` does not fit the recording: ");
}
