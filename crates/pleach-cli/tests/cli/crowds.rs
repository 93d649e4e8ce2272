//! Crowds and trees that are large, or too large.

use crate::{CLOCK, Place, pleach};

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

/// To run out of memory ends a program without a word.
#[cfg(target_os = "linux")]
#[test]
fn a_crowd_that_does_not_fit_in_memory_is_refused() {
    let place = Place::new("memory");
    let keys: String = (0..2_000).map(|it| format!("\"k{it}\": Vec3(0, 0, 0), ")).collect();
    let heavy = format!("Tree(version: 1, name: \"heavy\", blackboard: {{ {keys} }}, root: Idle)");
    let (heavy, clock) = (place.file("heavy.ron", heavy), place.file("clock.ron", CLOCK));
    let limited = |args: &[&str]| {
        let script = "ulimit -v 300000; exec \"$0\" \"$@\"";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_pleach")]).args(args);
        let output = command.output().unwrap();
        let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let too_many = ["--agents", "250000"];
    for options in [&["run"][..], &["run", "--trace", "0"], &["run", "--watch", "0"], &["run", "--explain", "0"]] {
        let (code, out, err) = limited(&[options, &[&heavy], &too_many].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains("250,000 agents of `heavy` would take 5.") && err.contains(" GiB of memory, "), "{err}");
    }
    let (_, _, err) = limited(&["run", &heavy, "--agents", "250000"]);
    let fit = err.split_once("fit: `--agents ").and_then(|it| it.1.split_once('`')).expect(&err).0;
    let (code, _, err) = limited(&["run", &heavy, "--agents", fit, "--seconds", "0.01"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{fit} were said to fit");
    let (code, out, err) = limited(&["bench", &clock, &heavy, "--agents", "20000", "--frames", "1"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "nothing is measured if one does not fit: {err}");
    assert!(err.contains("20,000 agents of `heavy` in each of 4 ways, side by side, would take 1."), "{err}");
    assert!(!err.contains("`clock`"), "{err}");
    assert_eq!(limited(&["bench", &clock, "--agents", "20000", "--frames", "1"]).0, Some(0));
}
