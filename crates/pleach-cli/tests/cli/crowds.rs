//! Crowds and trees that are large, or too large.

use crate::{Place, pleach};

/// A tree of nothing but branches.
fn wide(branches: usize) -> String {
    format!("Tree(version: 1, name: \"wide\", root: Parallel([{}]))", "Idle,".repeat(branches))
}

/// To look at an agent must not cost as the square of its run stacks, nor without end.
#[test]
fn a_wide_parallel_is_sampled_and_it_says_how() {
    let place = Place::new("wide");
    let file = place.file("wide.ron", wide(20_000));
    let (code, out, _) = pleach(&["run", &file, "--agents", "7", "--seconds", "3", "--hz", "20"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("what they do  share of the agents, over the whole run; 2 of 7 asked at a time\n"), "{out}");
    assert!(out.contains("\n  Idle      ████████████████████████ 100.0 %\n"), "{out}");
}
