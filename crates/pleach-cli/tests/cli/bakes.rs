//! Trees that are baked.

use std::fs;

use crate::{CLOCK, Place, pleach, refused};

const MAIN: &str = r#"Tree(version: 1, root: Sequence([Subtree("parts/nap.ron"), Idle]))"#;
const NAP: &str = "Tree(version: 1, root: Wait(2.0))";

fn trees(name: &str) -> Place {
    let place = Place::new(name);
    place.file("trees/main.ron", MAIN);
    place.file("trees/parts/nap.ron", NAP);
    place.file("trees/apart/clock.ron", CLOCK);
    place
}

#[test]
fn a_directory_is_baked_whole() {
    let place = trees("bake");
    let (trees, into) = (format!("{}/trees", place.path()), format!("{}/out/deep", place.path()));
    let (code, out, err) = pleach(&["bake", &trees, "--into", &into]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert!(lines[0].contains("/trees/apart/clock.ron -> ") && lines[0].ends_with(" bytes"), "{out}");
    assert!(lines[1].contains(&format!("/trees/main.ron -> {into}/main.baked, ")), "{out}");
    assert!(lines[2].ends_with("/trees/parts/nap.ron is included by others: name it to bake it on its own"), "{out}");
    assert_eq!(lines[3], "2 trees baked");
    let main = fs::read(format!("{into}/main.baked")).unwrap();
    assert!(pleach::is_baked(&main) && pleach::is_baked(&fs::read(format!("{into}/apart/clock.baked")).unwrap()));
    // Everything else reads source trees.
    refused(&["show", &format!("{into}/main.baked")], 1, "is a baked tree or a recording: name the text of a tree");
    // The same trees give the same bytes, and earlier baked files are overwritten.
    fs::write(format!("{into}/main.baked"), [&main[..], b"older"].concat()).unwrap();
    assert_eq!(pleach(&["bake", &trees, "--into", &into]).1, out);
    assert_eq!(fs::read(format!("{into}/main.baked")).unwrap(), main);
    let left: Vec<_> = fs::read_dir(&into).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn what_is_named_is_baked() {
    let place = trees("bake-named");
    let (main, nap) = (format!("{}/trees/main.ron", place.path()), format!("{}/trees/parts/nap.ron", place.path()));
    let into = format!("{}/out", place.path());
    let (code, out, err) = pleach(&["bake", &main, &nap, "--into", &into]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with("\n2 trees baked\n") && fs::exists(format!("{into}/nap.baked")).unwrap(), "{out}");
    // A tree bakes to the same bytes everywhere.
    let here = fs::read(format!("{into}/main.baked")).unwrap();
    let mut there = crate::command(&["bake", ".", "--into", "."]);
    assert!(there.current_dir(format!("{}/trees", place.path())).output().unwrap().status.success());
    assert_eq!(fs::read(format!("{}/trees/main.baked", place.path())).unwrap(), here);
}

#[test]
fn what_is_wrong_writes_nothing() {
    let place = trees("bake-wrong");
    let (trees, into) = (format!("{}/trees", place.path()), format!("{}/out", place.path()));
    place.file("trees/parts/bad.ron", "Tree(version: 1, root: Sequence([Napp, Wait(true)]))");
    let (code, out, err) = pleach(&["bake", &trees, "--into", &into]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("unknown node `Napp`") && err.contains("bad.ron:1:"), "{err}");
    assert!(!fs::exists(&into).unwrap());
    let good = format!("{trees}/main.ron");
    fs::create_dir_all(&into).unwrap();
    // Another file is in the way.
    fs::write(format!("{into}/main.baked"), "mine").unwrap();
    refused(&["bake", &good, "--into", &into], 2, "main.baked` is not a baked tree, so it is not overwritten");
    assert_eq!(fs::read_to_string(format!("{into}/main.baked")).unwrap(), "mine");
    // Two trees of one name.
    let other = place.file("other/main.ron", NAP);
    refused(&["bake", &good, &other, "--into", &into], 2, "main.baked`: bake them separately");
    // No directory can be made.
    let file = place.file("file", "");
    refused(&["bake", &good, "--into", &format!("{file}/below")], 1, "cannot make the directory `");
    refused(&["bake", "-", "--into", &into], 2, "standard input has no name to bake it under");
    refused(&["bake", "nowhere.ron", "--into", &into], 2, "there is no file or directory `nowhere.ron`");
    refused(&["bake", &good], 2, "--into <DIRECTORY>");
}

#[test]
fn trees_of_other_games_are_baked_by_their_manifest() {
    let place = Place::new("bake-leaves");
    let leaves = place.file("trees/game.ron", r#"Manifest(version: 1, leaves: [(name: "Dig", kind: Action)])"#);
    place.file("trees/dog.ron", "Tree(version: 1, root: Dig)");
    let (trees, into) = (format!("{}/trees", place.path()), format!("{}/out", place.path()));
    let (code, out, err) = pleach(&["bake", &trees, "--into", &into, "--leaves", &leaves]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.ends_with("\n1 tree baked\n"), "{out}");
}
