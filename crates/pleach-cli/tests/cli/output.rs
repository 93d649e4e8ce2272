//! Where the program writes, and what it never overwrites.

use std::fs::{self, OpenOptions};
use std::process::Stdio;

use crate::{CLOCK, Place, command, pleach, refused};

#[test]
fn a_drawing_is_not_written_over_its_tree() {
    let place = Place::new("over-itself");
    // The name does not give it away.
    for name in ["mine.ron", "mine.tree"] {
        let file = place.file(name, CLOCK);
        let other = format!("{}/./{name}", place.path());
        refused(&["show", &file, "-o", &file], 2, "is the tree itself: give it another name, for example `");
        refused(&["show", &file, "--svg", "-o", &other], 2, "mine.svg`");
        refused(&["show", &file, "--dot", "-o", &other], 2, "mine.dot`");
        refused(&["show", &other, "-o", &file], 2, "is the tree itself");
        assert_eq!(fs::read_to_string(&file).unwrap(), CLOCK);
    }
    // Nor if it has problems.
    let bad = place.file("bad.tree", "Selector");
    refused(&["show", &bad, "-o", &bad], 2, "is the tree itself");
    assert_eq!(fs::read_to_string(&bad).unwrap(), "Selector");
}

#[cfg(unix)]
#[test]
fn a_drawing_is_not_written_over_its_tree_by_a_link() {
    let place = Place::new("over-itself-by-links");
    let file = place.file("mine.tree", CLOCK);
    let [soft, hard] = ["soft.svg", "hard.svg"].map(|it| place.0.join(it).display().to_string());
    std::os::unix::fs::symlink(&file, &soft).unwrap();
    fs::hard_link(&file, &hard).unwrap();
    for link in [soft, hard] {
        refused(&["show", &file, "--svg", "-o", &link], 2, "is the tree itself");
        refused(&["show", &link, "--svg", "-o", &file], 2, "is the tree itself");
    }
    let output = command(&["show", "-", "-o", &file]).stdin(fs::File::open(&file).unwrap()).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && err.contains("is the tree itself"), "{err}");
    assert_eq!(fs::read_to_string(&file).unwrap(), CLOCK);
}

#[test]
fn a_drawing_is_not_written_over_another_tree() {
    let place = Place::new("over-others");
    let file = place.file("mine.ron", CLOCK);
    let broken = "\u{feff}// mine\n/* old /* very */ */ #![enable(implicit_some)]\nr#Tree /**/ (version: 1, root: ";
    let latin = b"// \xe9\nTree(version: 1)";
    for (name, text) in [
        ("other.ron", CLOCK.as_bytes()),
        ("broken.ron", b"?"),
        ("other.txt", CLOCK.as_bytes()),
        ("broken.txt", broken.as_bytes()),
        ("latin.txt", latin),
    ] {
        let other = place.file(name, text);
        refused(&["show", &file, "-o", &other], 2, "give it another name, for example `");
        assert_eq!(fs::read(&other).unwrap(), text);
    }
    let new = place.0.join("new.ron").display().to_string();
    refused(&["show", &file, "--svg", "-o", &new], 2, "new.svg`");
    assert!(!fs::exists(&new).unwrap(), "it would pass for a tree");
}

#[test]
fn a_drawing_is_written_over_an_older_one() {
    let place = Place::new("over-drawings");
    let file = place.file("clock.ron", CLOCK);
    let old = [("a.svg", "<svg/>"), ("b.txt", "Trees\n"), ("c.txt", ""), ("d", "Tree of life"), ("e", "// Tree(")];
    for (name, text) in old {
        let picture = place.file(name, text);
        for _ in 0..2 {
            assert_eq!(pleach(&["show", &file, "-o", &picture]), (0, String::new(), String::new()));
            assert!(fs::read_to_string(&picture).unwrap().starts_with("clock  9 nodes"));
        }
    }
}

#[test]
fn what_is_printed_does_not_go_into_a_tree_that_is_read() {
    let place = Place::new("into-itself");
    let file = place.file("mine.ron", CLOCK);
    let all = place.path();
    for args in [&["show", &file][..], &["check", &file], &["check", &all], &["bench", &file], &["run", &file]] {
        let into = OpenOptions::new().append(true).open(&file).unwrap();
        let output = command(args).stdout(Stdio::from(into)).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && err.contains("standard output is redirected to `"),
            "{args:?}: {err}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), CLOCK, "{args:?}");
    }
}

#[test]
fn a_drawing_can_go_to_standard_output_by_name() {
    let place = Place::new("dash");
    let file = place.file("clock.ron", CLOCK);
    let drawn = pleach(&["show", &file]);
    assert!(drawn.0 == 0 && !drawn.1.is_empty());
    assert_eq!(pleach(&["show", &file, "-o", "-"]), drawn);
    if cfg!(unix) {
        assert_eq!(pleach(&["show", &file, "-o", "/dev/stdout"]), drawn);
        assert_eq!(pleach(&["show", &file, "-o", "/dev/null"]), (0, String::new(), String::new()));
    }
}
