//! Large crowds and trees, and ones that are too large.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::{CLOCK, Place, command, pleach};

/// A tree of nothing but branches.
fn wide(branches: usize) -> String {
    format!("Tree(version: 1, name: \"wide\", root: Parallel([{}]))", "Idle,".repeat(branches))
}

/// Inspecting an agent must not cost the square of its run stacks, nor take for ever.
#[test]
fn a_wide_parallel_is_sampled_and_it_says_how() {
    let place = Place::new("wide");
    let file = place.file("wide.ron", wide(20_000));
    let (code, out, _) = pleach(&["run", &file, "--agents", "13", "--seconds", "3", "--hz", "20"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("what they do  share of the agents, over the whole run; 7 of 13 sampled at a time\n"),
        "{out}"
    );
    assert!(out.contains("\n  Idle      ████████████████████████ 100.0 %\n"), "{out}");
}

/// Running out of memory ends a program without a message.
#[cfg(target_os = "linux")]
#[test]
fn a_crowd_that_does_not_fit_in_memory_is_refused() {
    let place = Place::new("memory");
    let keys: String = (0..2_000).map(|it| format!("\"k{it}\": Vec3(0, 0, 0), ")).collect();
    let heavy = format!("Tree(version: 1, name: \"heavy\", blackboard: {{ {keys} }}, root: Idle)");
    let (heavy, clock) = (place.file("heavy.ron", heavy), place.file("clock.ron", CLOCK));
    let limited = |args: &[&str]| {
        let script = "ulimit -v 300000; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
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
    let warnings = format!("1,000 warnings: `pleach check {heavy}`\n");
    assert_eq!((code, &err), (Some(0), &warnings), "{fit} were said to fit");
    let (code, out, err) = limited(&["bench", &clock, &heavy, "--agents", "20000", "--frames", "1"]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "nothing is measured if one does not fit: {err}");
    assert!(err.contains("20,000 agents of `heavy` in each of 4 ways, side by side, would take 1."), "{err}");
    assert!(!err.contains("`clock`"), "{err}");
    assert_eq!(limited(&["bench", &clock, "--agents", "20000", "--frames", "1"]).0, Some(0));
}

#[cfg(unix)]
#[test]
fn a_bench_that_ctrl_c_ends_shows_what_it_measured_and_nothing_else() {
    let place = Place::new("ended-early");
    let (clock, wide) = (place.file("clock.ron", CLOCK), place.file("wide.ron", wide(20_000)));
    let last = place.file("last.ron", CLOCK.replace("\"clock\"", "\"last\""));
    let args = ["bench", &clock, &wide, &last, "--agents", "30"];
    let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first: Vec<String> = lines.by_ref().take_while(|it| !it.starts_with("  ratios: ")).collect();
    assert!(
        first[0].starts_with("clock  300 frames") && !first.iter().any(|it| it.contains("ended early")),
        "{first:?}"
    );
    // It is working on the second one now.
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let rest: Vec<String> = lines.collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(130), ""), "{rest:?}");
    let said = |what: &str| rest.iter().any(|it| it.starts_with("ended early: ") && it.contains(what));
    assert!(said("`last` was not measured"), "{rest:?}");
    let rows = rest.iter().filter(|it| it.contains(" % ")).count();
    let sizes = if said("`wide` was not measured") { 0 } else { 2 };
    let unmeasured = rest.iter().filter(|it| it.ends_with(" agents not measured")).count();
    assert_eq!(rows, (sizes - unmeasured) * 4, "{rest:?}");
    assert!(sizes == 0 || unmeasured > 0 || said("30 agents measured for "), "{rest:?}");
}
