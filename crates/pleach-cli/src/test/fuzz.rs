//! Random test files: each is read or reported on, and played if it was read. `PLEACH_SEED` and
//! `PLEACH_COUNT` say which files, and how many.

use std::fs;
use std::path::{Path, PathBuf};

use pleach::asset::format_str;
use pleach::{Host, Registry};

use super::cases::{CaseAt, Ended, Known, NoWorld, Tests};
use super::file::Moment;
use super::read::read;
use crate::dice::{Dice, seeds};

/// More ticks take too long here.
const MOST_TICKS: u64 = 2_000;

/// Every field of a case, for the tree of the farmer beside it.
const ALL: &str = r#"Tests(
    version: 1,
    tree: "guard.ron",
    seed: 7,
    dt: 0.1,
    leaves: { "Patrol": Running, "Attack": [Success(after: 0.5), Failure(ticks: 2)], "Flee": Success, "Approach": Success },
    cases: {
        "a": (
            note: "text",
            others: 2,
            leaves: { "MoveTo": Success(after: 1.0), "Dead": Running },
            steps: [
                (set: { "health": 0.2, "suspect": (1, 2.5) }, send: "noise", others: (set: { "health": 1.0 })),
                (tick: 3, running: "flee", not_running: ["fight", "help"], do: Pause),
                (after: 1.0, do: Unpause, send: { "noise": (3, 4) }, fill: { "patrol": "patrol_by_night" }),
                (within: 2.0, started: "flee", keys: { "health": 0.2 }, expect: "health < 0.5 && !sees_player"),
                (at: 9.5, aborted: { "patrol": "flee" }, succeeded: "Flee", failed: "Check", emitted: "alarm"),
                (at: 12.0, answer: { "Flee": Failure }, status: Running, do: Restart),
            ],
            never: ["dead"],
            order: ["flee", "patrol"],
            at_most: { "flee": 3 },
            at_least: { "patrol": 1 },
            always: "health >= 0",
        ),
        "b": (tree: "minimal.ron", world: true, leaves: { "Patrol": Own }, golden: "b.trace", steps: [(at: 1.0)]),
    },
)"#;

const PIECES: [&str; 44] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "'",
    "//",
    "/*",
    "-1",
    "0",
    "0.5",
    "1e9",
    "1e999",
    "NaN",
    "true",
    "None",
    "Some(1)",
    "é",
    "\0",
    "\u{1F333}",
    "Success",
    "Failure",
    "Running",
    "Own",
    "Success(after: 0.2)",
    "Failure(ticks: 1)",
    "[Success, Failure]",
    "steps: [",
    "at: 1.0, ",
    "tick: 2, ",
    "within: 0.3, ",
    "after: 0.1, ",
    "running: \"flee\", ",
    "never: [\"fight\"], ",
    "golden: \"x.trace\", ",
    "others: 1, ",
    "world: true, ",
    "do: Restart, ",
    "health",
    "patrol",
];

/// Changes a text here and there, by whole characters.
fn mutate(source: &str, dice: &mut Dice) -> String {
    let mut text: Vec<char> = source.chars().collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(text.len() + 1);
        let end = (at + dice.roll(10)).min(text.len());
        match dice.roll(7) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, dice.one(&PIECES).chars())),
            2 => drop(text.splice(at..end, dice.one(&PIECES).chars())),
            3 if dice.roll(4) == 0 => text.truncate(at),
            // With a digit more or less the file can still be played.
            _ => {
                let digits: Vec<usize> = (0..text.len()).filter(|it| text[*it].is_ascii_digit()).collect();
                if let Some(at) = digits.get(dice.roll(digits.len())) {
                    text[*at] = char::from(b'0' + u8::try_from(dice.roll(10)).expect("a digit"));
                }
            }
        }
    }
    text.into_iter().collect()
}

fn trees() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees")
}

/// The test files of the shipped trees.
fn sources() -> Vec<(PathBuf, String)> {
    let mut all = vec![(trees().join("all.test.ron"), ALL.to_owned())];
    for entry in fs::read_dir(trees()).expect("the trees are there") {
        let path = entry.expect("readable").path();
        if path.to_string_lossy().ends_with(".test.ron") {
            all.push((path.clone(), fs::read_to_string(path).expect("UTF-8")));
        }
    }
    all.sort();
    all
}

/// How many ticks a case takes.
fn ticks(case: &super::file::Case) -> u64 {
    let after = |now: u64, moment: Moment| match moment {
        Moment::Tick(tick) => u64::from(tick),
        Moment::After(ticks) | Moment::Within(ticks) => now + u64::from(ticks),
    };
    case.steps.iter().fold(0, |now, it| after(now, it.moment.it))
}

struct NoGame;
impl Host for NoGame {
    type Cx<'a> = ();
}

#[test]
fn changed_test_files_are_read_or_reported_and_played() {
    let own = Registry::<NoGame>::new();
    let known = Known::new(&own, "the game", None).expect("no file");
    let sources = sources();
    let (mut reported, mut played, mut passed) = (0, 0, 0);
    for seed in seeds(300) {
        let mut dice = Dice::new(seed);
        let (path, source) = &sources[if dice.roll(2) == 0 { 0 } else { dice.roll(sources.len()) }];
        let (name, text) = (path.to_string_lossy(), mutate(source, &mut dice));
        let file = match read(&name, &text) {
            Ok(file) => file,
            Err(report) => {
                assert!(!report.is_empty(), "seed {seed}");
                let lines = text.lines().count() + 1;
                for it in report.diagnostics() {
                    assert!((1..=lines).contains(&it.line()) && it.column() > 0, "seed {seed}: {it:?}");
                    assert!(!it.message().is_empty(), "seed {seed}");
                }
                assert!(!report.plain().is_empty());
                reported += 1;
                continue;
            }
        };
        let formatted = format_str(&name, &text).unwrap_or_else(|it| panic!("seed {seed}: {it}"));
        let again = read(&name, &formatted).unwrap_or_else(|it| panic!("seed {seed}: {it}"));
        let names = |of: &super::file::TestFile| of.cases.iter().map(|it| it.name.it.clone()).collect::<Vec<_>>();
        assert_eq!(names(&file), names(&again), "seed {seed}");
        let short: Vec<usize> = (0..file.cases.len()).filter(|it| ticks(&file.cases[*it]) <= MOST_TICKS).collect();
        let mut tests = Tests::default();
        tests.files.push(file);
        tests.refuse_shared_goldens();
        for case in short {
            let run = || tests.run(CaseAt { file: 0, case }, &known, &NoWorld, false);
            let ended = run();
            match &ended {
                Ended::Passed { .. } => passed += 1,
                Ended::Failed(it, _) => assert!(!it.misses.is_empty(), "seed {seed}"),
                Ended::Broken(wrong) => assert!(!wrong.is_empty(), "seed {seed}"),
                Ended::Tree(why) | Ended::Stopped(why) => assert!(!why.is_empty(), "seed {seed}"),
            }
            // The same file gives the same result.
            assert_eq!(format!("{ended:?}"), format!("{:?}", run()), "seed {seed}");
            played += 1;
        }
    }
    assert!(reported > 50 && played > 100 && passed > 20, "{reported} {played} {passed}");
}
