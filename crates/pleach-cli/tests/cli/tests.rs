//! `pleach test`.

use std::fs;

use crate::goldens::GOLDEN;
use crate::{Place, pleach, refused};

pub(crate) const DOG: &str = r#"Tree(
    version: 1,
    name: "dog",
    blackboard: { "tired": Float(0.0), "mood": Symbol("calm", ["calm", "angry"]) },
    events: { "whistle": (), "ball": Vec2, "bark": () },
    root: Selector([
        Sequence(name: "nap", abort: Both, children: [Check("tired > 0.5"), LieDown, Wait(2.0)]),
        Sequence(name: "come", abort: LowerPriority, children: [OnEvent("whistle"), WalkTo(place: "home"), Emit("bark")]),
        WalkTo(name: "roam", place: "garden"),
    ]),
)"#;

/// The output of `pleach test` for cases of the dog, without the folder's path.
pub(crate) fn cases(test: &str, cases: &str) -> (i32, String) {
    file(
        test,
        &format!("Tests(version: 1, tree: \"dog.ron\", leaves: {{ \"roam\": Running }}, cases: {{\n{cases}\n}})"),
    )
}

fn file(test: &str, text: &str) -> (i32, String) {
    let place = Place::new(test);
    place.file("dog.ron", DOG);
    let file = place.file("dog.test.ron", text);
    let (code, out, err) = pleach(&["test", &file]);
    assert_eq!(err, "");
    (code, out.replace(&format!("{}/", place.path()), ""))
}

/// What is wrong with one case: its errors without the drawings.
pub(crate) fn wrong(test: &str, case: &str) -> String {
    let (code, out) = cases(test, case);
    assert_eq!(code, 1, "{out}");
    let is_message = |it: &&str| it.starts_with("error") || it.contains("= help: ") || it.contains(".ron:");
    let lines = out.lines().filter(is_message).filter(|it| !it.contains("-->"));
    lines.map(|it| it.trim_start_matches([' ', '|'])).collect::<Vec<_>>().join("\n")
}

#[test]
fn cases_pass() {
    let (code, out) = cases(
        "tests_pass",
        r#"
        "it naps when it is tired": (
            leaves: { "LieDown": Success(after: 1.0) },
            steps: [
                (tick: 1, running: "roam", status: Running, set: { "tired": 0.9, "mood": "angry" }),
                (tick: 2, running: ["nap", "nap/LieDown"], aborted: { "roam": "nap" }, keys: { "mood": "angry" }),
                (within: 1.5, succeeded: "LieDown", expect: ["tired > 0.5", "mood == angry"]),
                (within: 2.0, status: Success, set: { "tired": 0 }),
                (after: 0.1, running: "roam", not_running: "nap", started: "roam"),
            ],
            order: ["roam", "nap/LieDown", "nap/Wait"],
            at_most: { "nap/Wait": 1 },
            at_least: { "roam": 2 },
            always: "tired < 1",
            never: ["come", "come/WalkTo"],
        ),
        "it comes": (
            leaves: { "come/WalkTo": [Failure, Success(ticks: 3)] },
            steps: [
                (send: "whistle"),
                (tick: 1, running: "roam", failed: "come"),
                (tick: 2, running: "roam", send: "whistle"),
                (tick: 3, running: "come/WalkTo"),
                (tick: 5, succeeded: "come", emitted: "bark", do: Restart),
                (tick: 6, running: "roam", do: Pause),
                (tick: 7, running: "roam", do: [Unpause], answer: { "roam": Failure }, send: { "ball": (1, 2) }),
                (tick: 8, status: Failure),
            ],
        ),"#,
    );
    assert_eq!(
        (code, &*out),
        (0, "dog.test.ron\n  ok      it naps when it is tired\n  ok      it comes\n2 passed, 0 failed\n")
    );
}

#[test]
fn an_order_may_name_a_node_again() {
    let tree = r#"Tree(version: 1, blackboard: { "n": Int(0) }, root: Selector([
        Sequence(name: "stagger", children: [Check("n == 1 || n == 3"), Set(key: "n", to: "n + 1")]),
        Sequence(name: "w", children: [Set(key: "n", to: "n + 1"), Wait(0.3)]),
    ]))"#;
    let place = Place::new("tests_order");
    place.file("troll.ron", tree);
    let test = |order: &str| {
        let case = format!("\"it\": (steps: [(at: 1.5)], order: [{order}])");
        let file = place.file("troll.test.ron", format!("Tests(version: 1, tree: \"troll.ron\", cases: {{ {case} }})"));
        let (code, out, _) = pleach(&["test", &file]);
        (code, out.lines().find_map(|it| it.split_once(": `")).map(|it| format!("`{}", it.1)).unwrap_or_default())
    };
    for order in [
        r#""w", "stagger", "w""#,
        r#""w", "w/Wait", "stagger", "w", "w/Wait""#,
        r#""w", "stagger", "w", "stagger", "w""#,
        r#""w", "w", "w""#,
    ] {
        assert_eq!(test(order), (0, String::new()), "{order}");
    }
    for (order, said) in [
        (r#""w", "stagger", "stagger", "stagger""#, "`stagger` did not start again after `stagger`"),
        (r#""stagger", "w", "stagger""#, "`w` started before `stagger`"),
        (r#""w", "w/Wait", "w/Wait", "stagger", "stagger""#, "`stagger` did not start again after `stagger`"),
    ] {
        assert_eq!(test(order), (1, said.to_owned()), "{order}");
    }
}

#[test]
fn a_failure_shows_the_tree_the_trace_and_why() {
    let (code, out) =
        cases("tests_fail", r#""it sleeps": (steps: [(at: 0.2, running: "nap", expect: "tired > 0.5")])"#);
    let expected = r#"dog.test.ron
  FAILED  it sleeps
    dog.test.ron:2:42: `nap` does not run: `roam` does
    dog.test.ron:2:57: `tired > 0.5` is false: tired = 0
    at tick 2, 0.2 s:
      • Selector
        ├─ Sequence "nap"  aborts both
        │  ├─ Check  tired > 0.5  [watched, was failure]
        │  ├─ LieDown
        │  └─ Wait  2 s
        ├─ Sequence "come"  aborts lower priority
        │  ├─ OnEvent  whistle  [watched, was failure]
        │  ├─ WalkTo  place: "home"
        │  └─ Emit  bark
      ▶ └─ WalkTo "roam"  place: "garden"

      0.1 s
        start Selector
        start nap
        start nap/Check
        update nap/Check -> failure
        end nap/Check -> failure
        end nap -> failure
        start come
        start come/OnEvent
        update come/OnEvent -> failure
        end come/OnEvent -> failure
        end come -> failure
        start roam
        update roam -> running
      0.2 s
        recheck come/OnEvent -> failure
        update roam -> running

      dog, 0.200 s, active: why not n1 Sequence "nap"?
        passed   n0 Selector runs n9 WalkTo(place: "garden") "roam"; a change of n2 Check(tired > 0.5) brings it back
        requires n2 Check(tired > 0.5): is failure (tired = 0)

0 passed, 1 failed
"#;
    assert_eq!((code, &*out), (1, expected));
}

#[test]
fn what_is_not_as_expected_is_said() {
    for (at, (case, said)) in [
        (r#"steps: [(within: 0.5, running: "come")]"#, "`come` does not run: `roam` does (waited 0.5 s)"),
        (r#"steps: [(at: 0.1, not_running: "roam")]"#, "`roam` runs"),
        (r#"steps: [(at: 0.1, succeeded: "nap")]"#, "`nap` did not succeed since the step before"),
        (r#"steps: [(at: 0.1, emitted: "bark")]"#, "the event `bark` was not emitted since the step before"),
        (r#"steps: [(at: 0.1, aborted: { "roam": "nap" })]"#, "`roam` was not aborted since the step before"),
        (r#"steps: [(at: 0.1, keys: { "mood": "angry" })]"#, "`mood` is calm, not angry"),
        (r#"steps: [(at: 0.1, status: Success)]"#, "the status of the tree is running, not success"),
        (r#"never: "roam", steps: [(at: 0.1)]"#, "`roam` started"),
        (r#"leaves: { "LieDown": Running }, never: "nap", steps: [(set: { "tired": 1 }), (at: 0.1)]"#, "`nap` started"),
        (r#"always: "tired > 0", steps: [(at: 0.1)]"#, "`tired > 0` is false: tired = 0"),
        (r#"order: ["nap", "roam"], steps: [(at: 0.1)]"#, "`roam` started before `nap`"),
        (r#"order: ["nap/Check", "nap/Wait"], steps: [(at: 0.1)]"#, "`nap/Wait` did not start"),
        (r#"at_least: { "roam": 2 }, steps: [(at: 0.1)]"#, "`roam` started once, at least 2 expected"),
        (
            r#"at_most: { "roam": 1 }, leaves: { "roam": Success }, steps: [(at: 0.5)]"#,
            "`roam` started for the 2nd time, at most 1 expected",
        ),
        (
            r#"steps: [(set: { "tired": 1 }), (at: 1.0, running: "nap")]"#,
            "the leaf `LieDown` was called at `nap/LieDown`, and the case does not say what it answers: write it under \
             `leaves`, as in `leaves: { \"LieDown\": Running }`",
        ),
        (
            r#"steps: [(within: 1.0, running: "roam"), (within: 1.0, started: "nap"), (at: 0.1, running: "roam")]"#,
            "`nap` did not start since the step before (waited 1 s)",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let told = wrong(&format!("tests_said_{at}"), &format!("\"it\": ({case})"));
        assert!(told.ends_with(&format!(": {said}")), "{case}\n{told}");
    }
}

#[test]
fn names_that_are_not_there_are_errors() {
    let case = r#""it": (
        leaves: { "LieDwn": Success, "nap": Running, "LieDown": Own },
        steps: [
            (set: { "tird": 1 }, send: ["wistle", "ball"]),
            (at: 1.0, running: "rome", expect: "tirred > 0", keys: { "mood": "calmer" }, send: { "whistle": 3 }),
            (at: 1.5, fill: { "slot": "tree" }, answer: { "WalkT": Success }, emitted: "brk", aborted: { "roam": "napp" }),
            (at: 2.0, expect: "tired", set: { "tired": "very" }),
        ],
        never: "WaitUntil",
        order: ["nap", "cme"],
    )"#;
    let expected = "\
error[P0702]: the tree has neither a leaf nor a node `LieDwn`
= help: did you mean `LieDown`?
error[P0702]: n1 Sequence \"nap\" is not a leaf of the game: the leaves are `LieDown`, `WalkTo`; named nodes that call one are `roam`
error[P0702]: a leaf has its own answer in a world only
= help: play the case in the world of the program with `world: true`
error[P0702]: the tree has no key `tird`
= help: did you mean `tired`?
error[P0702]: the tree has no event `wistle`
= help: did you mean `whistle`?
error[P0702]: the event `ball` comes with Vec2, not with no payload
error[P0702]: the tree has no node `rome`
= help: did you mean `come`?
error[P0702]: in `tirred > 0`: unknown key `tirred`
= help: did you mean `tired`?
error[P0702]: `mood` has no word `calmer`
= help: did you mean `calm`?
error[P0702]: `whistle` has no payload: leave out `3`
error[P0702]: the tree has no slot `slot`
error[P0702]: the tree has neither a leaf nor a node `WalkT`
= help: did you mean `WalkTo`?
error[P0702]: the tree has no event `brk`
= help: did you mean `bark`?
error[P0702]: the tree has no node `napp`
= help: did you mean `nap`?
error[P0702]: in `tired`: expected Bool, found Float
error[P0702]: `\"very\"` is not a number
error[P0702]: no node of `dog` is called `WaitUntil`: the named nodes are `nap`, `come` and `roam`
error[P0702]: the tree has no node `cme`
= help: did you mean `come`?";
    assert_eq!(wrong("tests_names", case), expected);
}

#[test]
fn a_wrong_slot_or_tree_is_told_with_what_there_is() {
    let place = Place::new("tests_slots");
    let slots = r#"Slot(name: "weapon", trees: ["sword.ron"]), Slot(name: "shield", trees: ["sword.ron"])"#;
    place.file("farmer.ron", format!("Tree(version: 1, root: Sequence([{slots}]))"));
    place.file("sword.ron", "Tree(version: 1, root: Idle)");
    let test = |tree: &str, fill: &str| {
        let case = format!("\"it\": (steps: [(fill: {{ {fill} }}), (at: 1.0, running: \"weapon\")])");
        let file = place.file("farmer.test.ron", format!("Tests(version: 1, tree: \"{tree}\", cases: {{ {case} }})"));
        pleach(&["test", &file])
    };
    assert_eq!(test("farmer.ron", r#""weapon": "sword""#).0, 0);
    for (tree, fill, told) in [
        ("farmer.ron", r#""weapn": "sword""#, ["the tree has no slot `weapn`", "= help: did you mean `weapon`?"]),
        ("farmer.ron", r#""hat": "sword""#, ["the tree has no slot `hat`", "`weapon` and `shield`"]),
        ("farmer.ron", r#""weapon": "swrd""#, ["the slot `weapon` has no tree `swrd`", "did you mean `sword`?"]),
        ("frmer.ron", "", ["there is no file `", "= help: did you mean `farmer.ron`?"]),
        ("./frmer.ron", "", ["there is no file `", "= help: did you mean `farmer.ron`?"]),
        ("horse.ron", "", ["there is no file `", "horse.ron`"]),
    ] {
        let (code, out, _) = test(tree, fill);
        assert!(code == 1 && told.iter().all(|it| out.contains(it)), "{told:?}\n{out}");
    }
    // A tree is not meant by the name of its test file.
    assert!(!test("farmer.test.ro", "").1.contains("did you mean `farmer.test.ron`?"));
}

#[test]
fn a_case_that_expects_nothing_hides_no_other_problem() {
    let told = wrong("tests_nothing", r#""it": (leaves: { "rom": Running }, steps: [(at: 1.0, set: { "tird": 1 })])"#);
    let expected = "\
error[P0702]: the case expects nothing, so it cannot fail
= help: say in a step what holds then: `running: \"node\"`
error[P0702]: the tree has neither a leaf nor a node `rom`
= help: did you mean `roam`?
error[P0702]: the tree has no key `tird`
= help: did you mean `tired`?";
    assert_eq!(told, expected);
}

#[test]
fn all_that_is_wrong_with_a_file_is_told_at_once() {
    let text = r#"Tests(
    version: 1,
    sed: 3,
    seed: -3,
    dt: 0,
    leaves: { "roam": Runing, "See": [], "Dig": Success(2.0), "Sit": Failure(after: -1.0), "Lie": [Own] },
    cases: {
        "times": (
            steps: [
                (at: -1.0, running: "roam"),
                (at: "soon", running: roam),
                (at: NaN),
                (tick: 1.5),
                (at: 2.0, runing: "roam"),
                (at: 1.0, running: []),
                (running: "roam"),
                (at: 3.0, tick: 4),
                (within: 1.0),
                (after: 1e9),
                (at: 5.0, status: Sucess, do: Jump),
                5,
            ],
        ),
        "times": (steps: [(running: "roam")], order: "roam"),
        "no steps": (),
        "": [],
    },
)"#;
    let (code, out) = file("tests_file", text);
    assert_eq!(code, 1);
    let told: Vec<&str> = out.lines().filter(|it| it.starts_with("error")).collect();
    let expected = [
        "error[P0702]: a test file has no field `sed`",
        "error[P0702]: `seed` is a whole number from 0 to 18446744073709551615, not -3",
        "error[P0702]: a tick takes more than 0 and at most 1000000 seconds",
        "error[P0702]: unknown answer `Runing`",
        "error[P0702]: a leaf has no answer: write one at least",
        "error[P0702]: the fields of `Success` have names: `after` and `ticks`",
        "error[P0702]: `after` is -1 seconds: time does not go back, write 0 or more",
        "error[P0702]: `Own` stands by itself, not in a list",
        "error[P0702]: the case names no tree",
        "error[P0702]: `at` is -1 seconds: time does not go back, write 0 or more",
        "error[P0702]: `at` must be a number of seconds, not a string",
        "error[P0702]: `running` must be a string, not `roam`",
        "error[P0702]: `at` must be a number of seconds, not `NaN`",
        "error[P0702]: `tick` must be a whole number, not the number 1.5",
        "error[P0702]: a step has no field `runing`",
        "error[P0702]: this step is before the one above it: write steps in the order of time",
        "error[P0702]: `running` is empty: leave it out",
        "error[P0702]: the step does not say when it is",
        "error[P0702]: a step has one time: `at` or `tick`",
        "error[P0702]: the step does not say what comes `within` this time",
        "error[P0702]: a case plays at most 1,000,000 ticks: this step is at tick 4,294,967,295",
        "error[P0702]: unknown `status`: `Sucess`",
        "error[P0702]: `do` must be one of `Pause`, `Unpause` and `Restart`, not `Jump`",
        "error[P0702]: a step is `(at: 1.0, running: \"node\")`, not the number 5",
        "error[P0702]: two cases are called `times`",
        "error[P0702]: the case names no tree",
        "error[P0702]: nothing has happened yet before the first tick",
        "error[P0702]: `order` takes two nodes or more",
        "error[P0702]: the case has no `steps`",
        "error[P0702]: the case names no tree",
        "error[P0702]: a case has no name: say what it shows",
        "error[P0702]: a case is `(steps: [..], ..)`, not a list",
    ];
    assert_eq!(told, expected, "{out}");
    assert!(out.ends_with("\n0 passed, 0 failed, 1 file not read\n"), "{out}");
}

#[test]
fn files_that_are_no_tests_are_refused() {
    for (at, (text, said)) in [
        ("", "error[P0702]: the file is empty: expected `Tests(..)`"),
        ("Tests(version: 1, cases: {", "error[P0103]: this `{` is never closed"),
        (
            "Tree(version: 1, root: Idle)",
            "error[P0702]: this is not a test file: expected `Tests(..)`, found `Tree(..)`",
        ),
        ("Tests(version: 2, cases: [])", "error[P0702]: unknown version 2 of test files: this pleach reads version 1"),
        ("Tests(version: 1, cases: {})", "error[P0702]: the file has no cases"),
        ("Tests(version: 1)", "error[P0702]: the file has no `cases`"),
        (
            "Tests(version: 1, tree: \"dog.ron\", cases: { \"a\": (steps: [(at: 1.0)]) })",
            "error[P0702]: the case expects nothing, so it cannot fail",
        ),
        (
            "Tests(version: 1, tree: \"dig.ron\", cases: { \"a\": (steps: [(at: 1.0, running: \"nap\")]) })",
            "error[P0702]: there is no file or directory",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (code, out) = file(&format!("tests_refused_{at}"), text);
        let told = out.lines().find(|it| it.starts_with("error")).unwrap_or_default();
        let said = said.replace("there is no file or directory", "there is no file `");
        assert!(code == 1 && told.starts_with(&said), "{text}\n{out}");
    }
}

#[test]
fn a_tree_with_problems_is_told_once() {
    let place = Place::new("tests_tree");
    place.file("dog.ron", "Tree(version: 1, root: Sequence([Wait(secods: 2.0)]))");
    let case = |name: &str| format!("\"{name}\": (steps: [(at: 1.0, running: \"nap\")])");
    let cases = format!("Tests(version: 1, tree: \"dog.ron\", cases: {{ {}, {} }})", case("a"), case("b"));
    place.file("dog.test.ron", cases);
    let (code, out, _) = pleach(&["test", &place.path()]);
    assert_eq!((code, out.matches("did you mean `seconds`?").count()), (1, 1), "{out}");
    assert!(out.contains("its tree has the problems above") && out.ends_with("0 passed, 2 failed\n"), "{out}");
}

#[test]
fn files_are_found_filtered_and_reported() {
    let place = Place::new("tests_files");
    place.file("dog.ron", DOG);
    place.file("dog.test.ron", GOLDEN.replace(", golden: \"nap.trace\"", ""));
    place.file("deep/bad.test.ron", "Tests(version: 1");
    let results = place.0.join("results.xml").display().to_string();
    let (code, out, err) = pleach(&["test", &place.path(), "--junit", &results, "--jobs", "2"]);
    assert!(code == 1 && err.is_empty() && out.ends_with("1 passed, 0 failed, 1 file not read\n"), "{out}{err}");
    let xml = fs::read_to_string(&results).unwrap();
    assert!(xml.contains("<testcase name=\"it naps\"") && xml.contains("errors=\"1\""), "{xml}");
    let (code, out, _) = pleach(&["test", &place.path(), "--filter", "it naps"]);
    // Files that cannot be read are still reported.
    assert!(code == 1 && out.contains("1 passed, 0 failed"), "{out}");
    let file = place.0.join("dog.test.ron").display().to_string();
    refused(&["test", &file, "--filter", "it flies"], 2, "no case has this text in its file or name");
    refused(
        &["test", &file, "--junit", "results.ron"],
        2,
        "`results.ron` is the name of a tree: give it another name, for example `results.xml`",
    );
    refused(&["test", &file, "--jobs", "0"], 2, "0 is not in the range 1 to 1024");
    refused(&["test", "-"], 2, "cannot come from standard input");
    // The same file by another path is run once.
    let (_, out, _) = pleach(&["test", &file, &format!("{}/deep/../dog.test.ron", place.path())]);
    assert!(out.ends_with("1 passed, 0 failed\n"), "{out}");
    refused(&["test", "gone"], 2, "there is no file or directory `gone`");
    let empty = place.0.join("empty");
    fs::create_dir_all(&empty).unwrap();
    refused(&["test", &empty.display().to_string()], 2, "no file in it or below ends in `.test.ron`");
    let (code, out, _) = pleach(&["check", &file]);
    assert!(code == 1 && out.contains("these are tests of a tree: `pleach test` runs them"), "{out}");
    // Other commands leave test files alone.
    let (code, out, _) = pleach(&["check", &place.path(), "--leaves", &place.file("dog.leaves", LEAVES)]);
    let last = out.split("\n\n").last();
    assert_eq!((code, last), (0, Some("1 file, 0 errors, 1 warning\n")));
}

const LEAVES: &str = r#"Manifest(version: 1, any_event: true, leaves: [
    (name: "LieDown", kind: Action, parameters: Known([])),
    (name: "WalkTo", kind: Action, parameters: Known([(name: "place", type: Text)])),
])"#;

#[test]
fn a_case_can_be_played_in_the_world() {
    let place = Place::new("tests_world");
    place.file("dog.ron", "Tree(version: 1, root: Sequence([Patrol(speed: 1.5, name: \"stroll\"), Dead, Patrol(name: \"back\", speed: 1.5)]))");
    let test = |leaves: &str, steps: &str| {
        let case = format!("(world: true, leaves: {{ {leaves} }}, steps: [{steps}])");
        let file =
            place.file("dog.test.ron", format!("Tests(version: 1, tree: \"dog.ron\", cases: {{ \"it\": {case} }})"));
        pleach(&["test", &file])
    };
    let (code, out, _) = test("", "(at: 5.0, running: \"stroll\")");
    assert_eq!(code, 0, "{out}");
    let (code, out, _) = test("\"stroll\": Success(after: 1.0), \"Dead\": Success", "(at: 1.2, running: \"back\")");
    assert_eq!(code, 0, "{out}");
    let (code, out, _) = test("\"Patrol\": Success, \"stroll\": Own", "(at: 5.0, running: \"stroll\")");
    assert_eq!(code, 0, "{out}");
    let (code, out, _) = test("\"Dead\": Running", "(at: 1.0, running: \"stroll\", answer: { \"stroll\": Success })");
    assert!(code == 1 && out.contains("`stroll` does what it does in the world, and cannot answer later"), "{out}");
    let (code, out, _) = test("\"stroll\": Own", "(at: 1.2, running: \"stroll\", do: Restart)");
    assert!(code == 1 && out.contains("an agent in the arena cannot be paused or restarted by a test"), "{out}");
}

#[test]
fn other_agents_are_in_the_group() {
    let place = Place::new("tests_others");
    let tree = r#"Tree(
        version: 1,
        blackboard: { "hungry": Bool(false) },
        events: { "call": () },
        root: Selector([
            Sequence(name: "eat", abort: Both, children: [
                Check("hungry"),
                Token(token: "bowl", count: 1, child: Sequence([Emit(event: "call", to: Group), Eat])),
            ]),
            Sequence(name: "come", abort: LowerPriority, children: [OnEvent("call"), Idle(name: "watch")]),
            Idle(name: "sleep"),
        ]),
    )"#;
    place.file("cat.ron", tree);
    let text = |steps: &str| {
        format!(
            "Tests(version: 1, tree: \"cat.ron\", cases: {{ \"it\": (others: 1, leaves: {{ \"Eat\": Success(after: 1.0) }}, steps: [{steps}]) }})"
        )
    };
    let file = place.file(
        "cat.test.ron",
        text(
            "(at: 0.1, running: \"sleep\", others: (set: { \"hungry\": true })), (within: 0.3, running: \"watch\"), \
         (after: 0.1, set: { \"hungry\": true }), (after: 0.1, not_running: \"Eat\", set: { \"hungry\": false }, others: (set: { \"hungry\": false })), \
         (after: 0.2, set: { \"hungry\": true }), (within: 0.5, running: \"Eat\")",
        ),
    );
    let (code, out, _) = pleach(&["test", &file]);
    assert_eq!(code, 0, "{out}");
    let file = place.file(
        "cat.test.ron",
        text("(others: (sit: 3), at: 1.0), (others: 3, at: 2.0), (at: 3.0, others: (set: { \"hungri\": true }))"),
    );
    let (code, out, _) = pleach(&["test", &file]);
    assert!(
        code == 1 && out.contains("`others` has no field `sit`") && out.contains("`others` must be a struct"),
        "{out}"
    );
    let file = place.file("cat.test.ron", text("(at: 3.0, running: \"eat\", others: (set: { \"hungri\": true }))"));
    let (code, out, _) = pleach(&["test", &file]);
    assert!(code == 1 && out.contains("the tree has no key `hungri`"), "{out}");
}

#[test]
fn damaged_test_files_are_reports() {
    let text = include_str!("../../../../trees/guard.test.ron");
    let place = Place::new("tests_damaged");
    place.file("guard.ron", "Tree(version: 1, root: Idle)");
    let mut seed = 7_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let parts = ["(", ")", "[", "{", "}", "\"", ",", ":", "-1", "1e9", "NaN", "at", "Own", "é", "//", "\u{0}"];
    for at in 0..60 {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=draw(4) {
            let from = draw(text.len());
            let to = (from + draw(6)).min(text.len());
            text.splice(from..to, parts[draw(parts.len())].chars());
        }
        place.file(&format!("{at}.test.ron"), text.into_iter().collect::<String>());
    }
    let deep = "[".repeat(100_000);
    place.file("deep.test.ron", format!("Tests(version: 1, cases: {deep}"));
    let nested = format!("{}{}", "[".repeat(400), "]".repeat(400));
    place.file("nested.test.ron", format!("Tests(version: 1, tree: {nested}, cases: {nested})"));
    let (code, out, err) = pleach(&["test", &place.path()]);
    assert!(code == 1 && !err.contains("panicked") && !out.contains("panicked"), "{err}");
    assert!(out.contains(" files not read"), "{out}");
}

#[test]
fn whatever_ends_a_node_from_outside_aborts_it() {
    let place = Place::new("tests_aborts");
    let tree = r#"Tree(
        version: 1,
        blackboard: { "mode": Int(0), "light": Bool(true) },
        root: Selector([
            Timeout(name: "limit", seconds: 1.0, child: Sequence(name: "slow", children: [Idle(name: "dig")])),
            Guard(name: "lamp", when: "light", child: Idle(name: "read")),
            Switch(name: "mode", on: "mode", cases: { 0: Idle(name: "zero"), 1: Idle(name: "one") }),
        ]),
    )"#;
    place.file("mole.ron", tree);
    let file = place.file(
        "mole.test.ron",
        r#"Tests(version: 1, tree: "mole.ron", cases: { "it": (steps: [
            (at: 0.5, running: "dig"),
            (within: 1.0, aborted: { "dig": "limit", "slow": "limit" }),
            (after: 0.1, running: "read", set: { "light": false }),
            (after: 0.1, aborted: { "read": "lamp" }, running: "zero", set: { "mode": 1 }),
            (after: 0.1, aborted: { "zero": "mode" }, running: "one"),
        ]) })"#,
    );
    let (code, out, _) = pleach(&["test", &file]);
    assert_eq!(code, 0, "{out}");
}
