//! The program as users and scripts see it: what it prints where, and its exit codes.

mod acts;
mod arena;
mod baked_recordings;
mod bakes;
mod begins;
mod checks;
mod coverage;
mod crowds;
mod damaged;
mod diffs;
mod drawn;
#[cfg(feature = "studio")]
mod edits;
mod formats;
mod goldens;
mod imports;
mod installed;
mod leaves;
mod libraries;
#[cfg(feature = "studio")]
mod live;
mod lsp;
mod nodes;
mod output;
mod pictures;
mod plays;
mod reading;
mod reload;
mod replays;
mod reports;
mod stops;
#[cfg(feature = "studio")]
mod studio;
#[cfg(target_os = "linux")]
mod terminals;
mod tests;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A tree whose decisions depend only on time.
const CLOCK: &str = r#"Tree(
    version: 1,
    name: "clock",
    blackboard: { "late": Bool(false) },
    root: Selector(
        name: "clock",
        children: [
            Sequence(name: "chime", abort: Both, children: [Check("late"), Wait(0.5), Set(key: "late", to: "false")]),
            Sequence(name: "tick", children: [Wait(1.0), Set(key: "late", to: "true"), Idle]),
        ],
    ),
)"#;

const BAD: &str = r#"Tree(version: 1, name: "bad", root: Selector(children: [Patroll, Check("healt < 1")]))"#;

const DOUBTFUL: &str = r#"Tree(
    version: 1,
    name: "doubtful",
    blackboard: { "spare": Int(0), "n": Int(0) },
    root: Sequence(abort: Both, children: [Check("n > 0"), Idle]),
)"#;

/// A directory of its own for each test.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Place {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        // It may be left from an earlier run.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach"));
    command.args(args).env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// Exit code, standard output, standard error.
fn pleach(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command(args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[track_caller]
fn refused(args: &[&str], code: i32, message: &str) {
    let (found, out, err) = pleach(args);
    assert_eq!((found, out.as_str()), (code, ""), "{err}");
    assert!(err.contains(message), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

#[test]
fn check_reports_every_problem_of_every_file() {
    let place = Place::new("check");
    place.file("a.ron", CLOCK);
    place.file("deep/er/b.ron", BAD);
    place.file("c.ron", "Tree(");
    place.file("d.ron", b"\xff\xfe");
    place.file("notes.txt", "no tree");
    place.file(".hidden/e.ron", "no tree");
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    for part in ["Patroll", "healt", "b.ron:1:57", "c.ron:1:", "did you mean `Patrol`?", "d.ron` is not UTF-8 text"] {
        assert!(out.contains(part), "no {part} in {out}");
    }
    assert!(out.ends_with("\n4 files, 4 errors, 0 warnings\n"), "{out}");
    assert!(!out.contains('\u{1b}'), "there are no colours in a pipe");
}

#[test]
fn check_is_content_with_good_trees() {
    let place = Place::new("good");
    let file = place.file("a.tree", CLOCK);
    place.file("b.ron", CLOCK);
    let (code, out, err) = pleach(&["check", &file, &place.path(), &file]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "2 files, 0 errors, 0 warnings\n", ""));
    let (code, ..) = pleach(&["check", "--deny-warnings", &file]);
    assert_eq!(code, 0);
}

#[test]
fn check_warns_of_what_is_probably_not_meant() {
    let place = Place::new("doubtful");
    place.file("a.ron", CLOCK);
    let doubtful = place.file("b.ron", DOUBTFUL);
    let (code, out, err) = pleach(&["check", &place.path()]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let expected = format!(
        r#"warning[P1014]: the key `spare` is not used in this tree
 --> {doubtful}:4:19
  |
4 |     blackboard: {{ "spare": Int(0), "n": Int(0) }},
  |                   ^^^^^^^

warning[P1002]: the `LowerPriority` of this `Both` never fires: nothing has a lower priority than the topmost `Sequence`
 --> {doubtful}:5:27
  |
5 |     root: Sequence(abort: Both, children: [Check("n > 0"), Idle]),
  |                           ^^^^

2 files, 0 errors, 2 warnings
"#
    );
    assert_eq!(out, expected);
    assert_eq!(pleach(&["check", "--deny-warnings", &place.path()]), (1, expected, String::new()));
    place.file("c.ron", BAD);
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert_eq!(code, 1);
    assert!(out.ends_with("\n3 files, 2 errors, 2 warnings\n"), "{out}");
    // Problems that need no tree are reported for a file with errors too.
    place.file("d.ron", "Tree(version: 1, root: Sequence([Wait(-1), Patroll]))");
    let (code, out, _) = pleach(&["check", &place.path()]);
    assert!(code == 1 && out.contains("-1 seconds count as 0"), "{out}");
    assert!(out.ends_with("\n4 files, 3 errors, 3 warnings\n"), "{out}");
    // They are not in the way of anything else.
    let line = format!("2 warnings: `pleach check {doubtful}`\n");
    let seconds = ["run", &doubtful, "-n", "2", "-s", "1"];
    for args in [&["show", &doubtful][..], &["show", &doubtful, "--svg"], &["play", &doubtful, "tick"], &seconds] {
        let (code, out, err) = pleach(args);
        assert_eq!((code, err.as_str()), (0, &*line));
        assert!(!out.contains("warning"), "{out}");
    }
    assert_eq!(pleach(&[&seconds[..], &["--format", "json"]].concat()).2, "");
    let leaves = place.file("game.leaves", "Manifest(version: 1, leaves: [])");
    let (_, _, err) = pleach(&["show", &doubtful, "--leaves", &leaves]);
    assert_eq!(err, line.replace("check ", &format!("check --leaves {leaves} ")));
    let (_, _, err) = pleach(&["show", &place.file("a tree.ron", DOUBTFUL)]);
    assert!(err.ends_with("a tree.ron\"`\n"), "{err}");
}

#[test]
fn the_shipped_trees_are_good() {
    let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
    let (code, out, _) = pleach(&["check", "--deny-warnings", trees]);
    assert_eq!(code, 0, "{out}");
}

#[test]
fn missing_files_are_named() {
    let place = Place::new("missing");
    let empty = place.path();
    refused(&["check", "nowhere"], 2, "there is no file or directory `nowhere`");
    refused(&["check", &empty], 2, "there are no trees in `");
    refused(&["bench", "nowhere.ron"], 2, "there is no file or directory `nowhere.ron`");
    for command in ["run", "show"] {
        refused(&[command, "nowhere.ron"], 2, "there is no file `nowhere.ron`");
        refused(&[command, &empty], 2, "is a directory: name a file");
    }
    place.file("x.ron", CLOCK);
    refused(&["show", &empty], 2, "x.ron`");
}

#[test]
fn impossible_numbers_are_refused() {
    let place = Place::new("numbers");
    let file = place.file("clock.ron", CLOCK);
    let with = |option: &'static str, value: &'static str, message: &str| {
        refused(&["run", &file, option, value], 2, message);
    };
    with("--agents", "0", "0 is not in the range 1 to 250000");
    with("--agents", "1000000000", "is not in the range 1 to 250000");
    with("--agents", "-1", "-1 is not in the range 1 to 250000");
    with("--agents", "4000000000", "4000000000 is not in the range 1 to 250000");
    with("--agents", "99999999999999999999", "99999999999999999999 is not in the range 1 to 250000");
    for option in ["--agents", "--hz", "--trace", "--watch", "--explain"] {
        with(option, "1e3", "`1e3` is not a whole number");
        with(option, "99999999999", "99999999999 is not in ");
    }
    for seconds in ["NaN", "-1", "0", "inf", "1e300", "soon"] {
        with("--seconds", seconds, "--seconds");
    }
    with("--hz", "0", "0 is not in the range 1 to 1000");
    with("--seed", "-1", "a seed is a whole number from 0 to");
    refused(&["run", &file, "--agents", "3", "--trace", "3"], 2, "3 agents are numbered 0 to 2");
    refused(&["run", &file, "--agents", "3", "--watch", "9"], 2, "there is no agent 9 for --watch");
    refused(&["run", &file, "--agents", "3", "--explain", "9"], 2, "there is no agent 9 for --explain");
    refused(&["run", &file, "--trace", "0", "--watch", "0"], 2, "cannot be used with");
    refused(&["run", &file, "--explain", "0", "--watch", "0"], 2, "cannot be used with");
    refused(&["run", &file, "--seconds", "86400", "--hz", "1000"], 2, "run it for a shorter time");
    refused(&["bench", &file, "--agents", "0"], 2, "0 is not in the range 1 to 250000");
    refused(&["bench", &file, "--agents", "-5"], 2, "-5 is not in the range 1 to 250000");
    refused(&["bench", &file, "--frames", "0"], 2, "0 is not in the range 1 to 54000");
    refused(&["bench", &file, "--seed", "x"], 2, "a seed is a whole number from 0 to");
    refused(&["bench"], 2, "<TREE>");
    refused(&["run"], 2, "<FILE>");
    refused(&["fly"], 2, "unrecognized subcommand");
}

#[test]
fn a_run_ends_with_a_table() {
    let place = Place::new("table");
    let file = place.file("clock.ron", CLOCK);
    let (code, out, err) = pleach(&["run", &file, "--agents", "20", "--seconds", "3", "--hz", "20", "--seed", "9"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("clock  20 agents, 60 frames at 20 Hz, seed 9\n"), "{out}");
    for row in
        ["agent-tick", "budget at 60 Hz", "whole frame", "game time", "aborts", "events", "asleep", "memory per agent"]
    {
        assert!(out.contains(&format!("\n  {row}")), "no {row} in {out}");
    }
    assert!(out.contains("\n  tick ") && out.contains("\n  chime "), "{out}");
    let row = out.lines().find(|it| it.starts_with("  aborts")).unwrap();
    assert_ne!(row.split_whitespace().nth(1), Some("0"), "each agent chimes: {row}");
}

/// The rows of one tree: agents (but in the first of four left out), way, median, mean, p99, ratio,
/// share asleep, aborts.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let rows = table.lines().filter(|it| it.contains(" % "));
    rows.map(|it| it.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect()).collect()
}

#[test]
fn a_bench_ends_with_a_table_for_each_tree() {
    let place = Place::new("bench");
    let clock = place.file("clock.ron", CLOCK);
    place.file("more/idle.ron", r#"Tree(version: 1, name: "idle", root: Idle)"#);
    let args = ["bench", &clock, &place.path(), "--agents", "50", "--frames", "90", "--seed", "3"];
    let (code, out, err) = pleach(&args);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let (clock, idle) = out.split_once("\nidle  ").expect("a table for each tree, and each once");
    assert!(clock.starts_with("clock  90 frames at 60 Hz, seed 3\n") && !idle.contains("\nclock"), "{out}");
    assert!(clock.contains(" B per agent  ") && clock.contains(" hot, ") && clock.contains(" leaves; "), "{out}");
    assert!(!out.contains('\u{1b}'), "there are no colours in a pipe");
    for (table, aborts) in [(clock, ["5", "50"]), (idle, ["0", "0"])] {
        let rows = rows(table);
        assert_eq!(rows.len(), 8, "{out}");
        for (rows, (agents, aborts)) in rows.chunks(4).zip(["5", "50"].into_iter().zip(aborts)) {
            assert_eq!((rows[0][0], rows[0].len()), (agents, 7), "{out}");
            assert!(rows.iter().all(|it| it.last() == Some(&aborts)), "each agent chimes once, in each way: {out}");
            assert!(rows[1..].iter().all(|it| it[4].starts_with("x ")), "{out}");
            let asleep: Vec<&str> = rows.iter().map(|it| it[it.len() - 2]).collect();
            assert!(asleep[0] != "0.0 %" && asleep[1] == asleep[0] && asleep[2] == "0.0 %", "{out}");
        }
    }
}

#[test]
fn a_single_agent_can_be_measured() {
    let place = Place::new("single");
    let file = place.file("clock.ron", CLOCK);
    let (code, out, _) = pleach(&["bench", &file, "--agents", "1", "--frames", "5"]);
    assert_eq!((code, rows(&out).len()), (0, 4), "{out}");
}

#[test]
fn nothing_is_measured_if_a_tree_has_problems() {
    let place = Place::new("bench-bad");
    let (good, bad) = (place.file("a.ron", CLOCK), place.file("b.ron", BAD));
    refused(&["bench", &good, &bad], 1, "did you mean `Patrol`?");
    let sensor = r#"Tree(version: 1, name: "s", blackboard: { "health": Bool(true) }, root: Check("health"))"#;
    let sensor = place.file("c.ron", sensor);
    refused(&["bench", &bad, &sensor], 1, "unknown node `Patroll`");
    refused(&["bench", &bad, &sensor], 1, "relies on the agent key `health` of type Float, which is Bool");
}

#[test]
fn a_tree_with_problems_is_not_run() {
    let place = Place::new("bad");
    let file = place.file("bad.ron", BAD);
    refused(&["run", &file], 1, "unknown node `Patroll`");
    refused(&["show", &file], 1, "unknown node `Patroll`");
    let file = place.file(
        "sensor.ron",
        r#"Tree(version: 1, name: "s", blackboard: { "health": Bool(true) }, root: Check("health"))"#,
    );
    refused(&["run", &file], 1, "relies on the agent key `health` of type Float, which is Bool");
}

#[test]
fn a_trace_is_the_same_for_the_same_seed() {
    let place = Place::new("trace");
    let file = place.file("clock.ron", CLOCK);
    let trace = || pleach(&["run", &file, "--agents", "5", "--seconds", "2", "--hz", "10", "--trace", "4"]);
    let (code, out, err) = trace();
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with(
            "clock  agent 4
tick 1, 0.100 s
  start     n0 Selector \"clock\"
  start     n1 Sequence \"chime\"
  start     n2 Check(late)
  update    n2 Check(late) -> failure
  end       n2 Check(late) -> failure
  end       n1 Sequence \"chime\" -> failure
  start     n5 Sequence \"tick\"
  start     n6 Wait(1 s)
  update    n6 Wait(1 s) -> running
"
        ),
        "{out}"
    );
    assert!(out.contains("  end       n8 Idle -> ended: aborted\n"), "{out}");
    assert!(out.contains("  abort     n0 Selector \"clock\" goes on at n2 Check(late)\n"), "{out}");
    assert_eq!(trace().1, out);
}

#[test]
fn watching_in_a_pipe_draws_each_change_once() {
    let place = Place::new("watch");
    let file = place.file("clock.ron", CLOCK);
    let (code, out, err) = pleach(&["run", &file, "--agents", "5", "--seconds", "1.5", "--hz", "10", "--watch", "0"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let headings: Vec<&str> = out.lines().filter(|it| it.starts_with("clock  agent 0")).collect();
    // Waiting, idle (it is late), chiming.
    assert_eq!(headings.len(), 3, "{out}");
    assert!(headings[0].starts_with("clock  agent 0  0.10 s, frame 1, "), "{out}");
    assert!(out.contains("▶ │  ├─ Wait  0.5 s  [left: 0.500 s]\n") && out.contains("↯ last abort"), "{out}");
    assert!(
        out.contains("last abort  at 1.200 s: n2 Check(late), which was failure, changed; n5 Sequence \"tick\" ended"),
        "{out}"
    );
    assert!(out.contains("\nlate  true\n"), "{out}");
    assert!(!out.contains('\u{1b}'), "there are no colours in a pipe");
}

#[test]
fn an_agent_can_be_explained() {
    let place = Place::new("explain");
    let file = place.file("clock.ron", CLOCK);
    let (code, out, err) = pleach(&["run", &file, "--agents", "5", "--seconds", "1.5", "--hz", "10", "--explain", "4"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let expected = "\
agent 4 (clock), 1.500 s, asleep
  does     n0 Selector \"clock\" > n1 Sequence \"chime\" > n3 Wait(0.5 s)
  watches  n2 Check(late): was success, is success (late = true)
  left     n3 Wait(0.5 s): 0.200 s
  aborted  at 1.200 s: n2 Check(late), which was failure, changed; n5 Sequence \"tick\" ended, n0 Selector \"clock\" went on
";
    assert_eq!(out, expected);
}

/// The examples in the help print something.
#[test]
fn the_guard_of_the_examples_is_in_a_fight() {
    let guard = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees/guard.ron");
    let (code, out, _) = pleach(&["run", guard, "--agents", "50", "--seed", "4", "--seconds", "3", "--trace", "17"]);
    assert_eq!(code, 0);
    assert!(out.matches("\n  abort ").count() >= 3 && out.contains("Approach("), "{out}");
    let (_, out, _) = pleach(&["run", guard, "--agents", "50", "--seed", "4", "--seconds", "8", "--explain", "17"]);
    assert!(
        out.contains("fight: Sequence \"fight\" > ") && out.contains("\n  aborted  at 7.867 s: n9 fight: Check"),
        "{out}"
    );
}

#[test]
fn trees_can_come_from_standard_input() {
    let with = |args: &[&str], text: &str| {
        let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(with(&["check", "-"], CLOCK), (0, "1 file, 0 errors, 0 warnings\n".into()));
    let (code, out) = with(&["check", "-"], BAD);
    assert!(code == 1 && out.contains("<stdin>:1:57"), "{out}");
    assert!(with(&["show", "-"], CLOCK).1.starts_with("clock  9 nodes"));
}

#[test]
fn leaves_are_drawn_with_their_parameters() {
    let place = Place::new("parameters");
    let file = place.file(
        "walk.ron",
        r#"Tree(version: 1, name: "walk", blackboard: { "home": Vec2(0, 0) }, root: Sequence([
            MoveTo(name: "back", target: "home", speed: 4.0),
            MoveTo(target: "home", speed: 1.0),
        ]))"#,
    );
    let (_, out, _) = pleach(&["show", &file]);
    assert!(out.contains("├─ MoveTo \"back\"  target: \"home\", speed: 4.0\n"), "{out}");
    assert!(out.contains("└─ MoveTo  target: \"home\", speed: 1.0\n"), "{out}");
    let (_, out, _) = pleach(&["run", &file, "--agents", "1", "--seconds", "0.1", "--trace", "0"]);
    assert!(out.contains("start     n1 MoveTo(target: \"home\", speed: 4.0) \"back\"\n"), "{out}");
}

#[test]
fn show_draws_text_dot_and_svg() {
    let place = Place::new("show");
    // Events of the host are not listed.
    let file = place.file("clock.ron", CLOCK.replace("    root:", "    events: { \"ring\": Int },\n    root:"));
    let (code, out, _) = pleach(&["show", &file]);
    assert_eq!(code, 0);
    let drawing = "
Selector \"clock\"
├─ Sequence \"chime\"  aborts both
│  ├─ Check  late
│  ├─ Wait  0.5 s
│  └─ Set  late = false
└─ Sequence \"tick\"
   ├─ Wait  1 s
   ├─ Set  late = true
   └─ Idle

blackboard
  late  agent  Bool   false

events
  ring  Int
";
    assert!(out.starts_with("clock  9 nodes, ") && out.ends_with(drawing), "{out}");
    let (code, dot, _) = pleach(&["show", &file, "--dot", "--direction", "right"]);
    assert!(code == 0 && dot.starts_with("digraph \"clock\" {\n  graph [rankdir=LR"), "{dot}");
    let picture = place.0.join("clock.svg").display().to_string();
    assert_eq!(pleach(&["show", &file, "--svg", "-o", &picture]), (0, String::new(), String::new()));
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(pleach(&["show", &file, "--svg"]).1, svg);
    refused(&["show", &file, "--svg", "--dot"], 2, "cannot be used with");
    refused(&["show", &file, "-o", &format!("{}/no/such", place.path())], 1, "cannot write `");
}

#[test]
fn colours_can_be_asked_for() {
    let place = Place::new("colours");
    let file = place.file("clock.ron", CLOCK);
    let output = command(&["show", &file]).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR").output().unwrap();
    assert!(output.stdout.contains(&0x1b));
    let output = command(&["show", &file]).env("NO_COLOR", "1").output().unwrap();
    assert!(!output.stdout.contains(&0x1b));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new("pipe");
    let file = place.file("clock.ron", CLOCK);
    let mut child = command(&["run", &file, "--agents", "5", "--seconds", "80000", "--hz", "10", "--watch", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The reader is gone now.
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

/// `pleach check … | head` in a script.
#[test]
fn a_closed_pipe_hides_no_error() {
    let place = Place::new("pipe-bad");
    place.file("a.ron", CLOCK);
    place.file("z.ron", BAD);
    let mut child = command(&["check", &place.path()]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(1), ""));
}

#[test]
fn names_are_shown_as_they_are() {
    let place = Place::new("names");
    let text = r#"Tree(version: 1, name: "Bob's \"é木\"\u{1b}[2J", root: Sequence([Sequence(name: "Ann's \"x\"", children: [Idle])]))"#;
    let file = place.file("bob.ron", text);
    let name = "Bob's \"é木\"\\u{1b}[2J  ";
    for args in [
        &["show", &file][..],
        &["run", &file, "--seconds", "0.1"],
        &["run", &file, "--seconds", "0.1", "--trace", "0"],
        &["run", &file, "--seconds", "0.1", "--watch", "0"],
        &["bench", &file, "--agents", "1", "--frames", "1"],
    ] {
        let (code, out, _) = pleach(args);
        assert!(code == 0 && out.starts_with(name), "{out}");
        assert!(args[0] == "bench" || args.contains(&"--trace") || out.contains("Ann's \"x\""), "{out}");
    }
}

#[test]
fn help_has_examples_and_exit_codes() {
    for args in [&["--help"][..], &["run", "--help"], &["bench", "--help"], &["check", "--help"], &["show", "--help"]] {
        let (code, out, _) = pleach(args);
        assert_eq!(code, 0);
        assert!(out.contains("Examples:\n  pleach ") && out.contains("Exit codes:\n  0  "), "{out}");
    }
}
