//! Every lint, at every place of its fault: in the tree itself, in another file, in a template, in
//! a slot, twice, and in a template of another file. The wording of warnings is in
//! `tests/warnings`.

use std::collections::BTreeSet;

use pleach_asset::{Library, Severity};

use super::common::registry;
use super::library::files;

/// One lint, with a node that has the fault.
struct Row {
    lint: &'static str,
    /// What the file declares besides `version` and `root`.
    declares: &'static str,
    /// The node. `§` marks the place of the warning.
    body: &'static str,
    /// How the message begins.
    says: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        lint: "never reached",
        declares: "",
        body: "Sequence([Log(\"x\"), Fail, §Patrol])",
        says: "this is never reached: the `Fail` before it never succeeds",
    },
    Row {
        lint: "never fires",
        declares: r#"blackboard: { "n": Int(1) },"#,
        body: r#"Sequence(abort: §Self, children: [Patrol, Check("n > 1")])"#,
        says: "this abort type never fires: nothing after the conditions",
    },
    Row {
        lint: "tests that nobody watches",
        declares: r#"blackboard: { "n": Int(1) },"#,
        body: r#"Sequence(abort: Self, children: [Check("n > 1"), §Selector([Check("n > 2"), Tired]), Patrol])"#,
        says: "the conditions of this `Selector` are never watched",
    },
    Row {
        lint: "an event that aborts what it began",
        declares: r#"events: { "e": () },"#,
        body: r#"Sequence(abort: Self, children: [§OnEvent("e"), Patrol])"#,
        says: "the event is gone one tick later, and the `Sequence` then aborts",
    },
    Row {
        lint: "a cooldown that nothing comes back to",
        declares: r#"blackboard: { "on": Bool(false) },"#,
        body: r#"Selector([
            Sequence(abort: LowerPriority, children: [Check("on"), §Cooldown(4.0, Patrol)]),
            Repeat(forever: true, child: Patrol),
        ])"#,
        says: "when this cooldown ends, nothing re-enters its branch",
    },
    Row {
        lint: "an abort type that is missing",
        declares: r#"blackboard: { "on": Bool(false) },"#,
        body: r#"Selector([§Sequence([Check("on"), Patrol]), Patrol])"#,
        says: "nothing re-evaluates the `Check` while what follows this `Sequence` runs",
    },
    Row {
        lint: "a gate behind what is watched",
        declares: r#"blackboard: { "on": Bool(false), "ammo": Int(0) },"#,
        body: r#"Selector([
            Sequence(abort: LowerPriority, children: [Check("on"), §Check("ammo > 0"), Patrol]),
            Patrol,
        ])"#,
        says: "if this `Check` fails, a change of the `Check` before it has already aborted what was running",
    },
    Row {
        lint: "a flag that stays set",
        declares: r#"blackboard: { "on": Bool(false), "busy": Bool(false) },"#,
        body: r#"Guard("on", Sequence([Set(key: "busy", to: "true"), Patrol, §Set(key: "busy", to: "false"), Check("busy")]))"#,
        says: "`busy` stays set if the branch is interrupted before this `Set`",
    },
    Row {
        lint: "a count that nothing resets",
        declares: "",
        body: r#"Sequence(blackboard: { §"shots": Int(0) }, children: [
            Check("shots < 3"), Tired, Set(key: "shots", to: "1 + shots"),
        ])"#,
        says: "`shots` is only counted up: it keeps its count when this `Sequence` starts again",
    },
    Row {
        lint: "a switch without a case",
        declares: r#"blackboard: { "phase": Int(1) },"#,
        body: r#"Sequence([Set(key: "phase", to: "3"), §Switch(on: "phase", cases: { 1: Patrol, 2: Patrol })])"#,
        says: "this `Switch` fails when `phase` is `3`",
    },
    Row {
        lint: "a stamp in a float key",
        declares: r#"blackboard: { "stamp": Float(0.0) },"#,
        body: r#"Set(key: "stamp", to: §"now")"#,
        says: "`now` is a Time, but `stamp` is a Float key",
    },
    Row {
        lint: "whole numbers that are divided",
        declares: r#"blackboard: { "wounds": Int(1) },"#,
        body: r#"Sequence([Check("§wounds / 4 > 0.2 || §wounds / 4 < 0.1"), Patrol])"#,
        says: "`wounds / 4` divides whole numbers",
    },
    Row {
        lint: "a comparison that is never true",
        declares: r#"blackboard: { "place": Vec2(0, 0) },"#,
        body: r#"Sequence([Check("§length(place) < 0"), Patrol])"#,
        says: "`length(place) < 0` is never true",
    },
    Row {
        lint: "a key that is not used",
        declares: "",
        body: r#"Sequence(blackboard: { §"k": Int(0) }, children: [Patrol])"#,
        says: "the key `k` is not used",
    },
    Row {
        lint: "seconds below zero",
        declares: "",
        body: "Sequence([Wait(§-1.0), Cooldown(§-1.0, Patrol)])",
        says: "-1.0 seconds count as 0",
    },
    Row {
        lint: "an allowed warning that is not there",
        declares: "",
        body: "Patrol(allow: [§\"P1013\"])",
        says: "this `allow` silences nothing: no P1013",
    },
    Row { lint: "a limit of 0", declares: "", body: "Limit(§0, Patrol)", says: "a limit of 0 never starts its child" },
];

/// A way to put a node into a tree: its files, in which `{declares}` and `{body}` are to be filled
/// in.
const PLACES: &[(&str, &[(&str, &str)])] = &[
    ("alone", &[("main.ron", "Tree(version: 1, {declares} root: {body})")]),
    (
        "in a Subtree",
        &[
            ("main.ron", r#"Tree(version: 1, root: Subtree("part.ron"))"#),
            ("part.ron", "Tree(version: 1, {declares} root: {body})"),
        ],
    ),
    (
        "in a template",
        &[("main.ron", r#"Tree(version: 1, {declares} templates: { "t": (root: {body}) }, root: Use("t"))"#)],
    ),
    (
        "in a Slot",
        &[
            ("main.ron", r#"Tree(version: 1, root: Slot(name: "s", trees: ["part.ron"], initial: "part"))"#),
            ("part.ron", "Tree(version: 1, {declares} root: {body})"),
        ],
    ),
    (
        "in a template that is used twice",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares} templates: { "t": (root: {body}) },
                root: Switch(on: "1 < 2", cases: { true: Use(template: "t", name: "a"), false: Inverter(Use(template: "t", name: "b")) }))"#,
        )],
    ),
    (
        "in a file that is included twice",
        &[
            (
                "main.ron",
                r#"Tree(version: 1, root: Switch(on: "1 < 2", cases: { true: Subtree(asset: "part.ron", name: "a"), false: Subtree(asset: "part.ron", name: "b") }))"#,
            ),
            ("part.ron", "Tree(version: 1, {declares} root: {body})"),
        ],
    ),
    (
        "in a file that two trees include",
        &[
            ("main.ron", r#"Tree(version: 1, root: Subtree("part.ron"))"#),
            ("other.ron", r#"Tree(version: 1, root: Inverter(Subtree("part.ron")))"#),
            ("part.ron", "Tree(version: 1, {declares} root: {body})"),
        ],
    ),
    (
        "in a template of another file, in a Slot, twice",
        &[
            (
                "main.ron",
                r#"Tree(version: 1, root: Slot(name: "s", trees: ["part.ron", "other.ron"], initial: "part"))"#,
            ),
            ("other.ron", r#"Tree(version: 1, root: Subtree(asset: "part.ron", name: "again"))"#),
            (
                "part.ron",
                r#"Tree(version: 1, {declares} templates: { "in": (root: {body}), "out": (root: Use("in")) },
                    root: Switch(on: "1 < 2", cases: { true: Use(template: "out", name: "a"), false: Use(template: "in", name: "b") }))"#,
            ),
        ],
    ),
    (
        "given to a template",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares} templates: { "t": (nodes: { "x": One }, root: ForceSuccess(Node("x"))) },
                root: Use(template: "t", nodes: { "x": {body} }))"#,
        )],
    ),
    (
        "given to a hole that occurs twice",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares}
                templates: { "t": (nodes: { "x": One }, root: Switch(on: "1 < 2", cases: { true: Node("x"), false: Inverter(Node("x")) })) },
                root: Use(template: "t", nodes: { "x": {body} }))"#,
        )],
    ),
    (
        "given to a file, through a template, in a list",
        &[
            (
                "main.ron",
                r#"Tree(version: 1, {declares} templates: {
                    "t": (nodes: { "x": Many }, root: Subtree(asset: "part.ron", nodes: { "y": [Sequence([Nodes("x")])] })) },
                root: Use(template: "t", nodes: { "x": [{body}] }))"#,
            ),
            ("part.ron", r#"Tree(version: 1, nodes: { "y": Many }, root: ForceSuccess(Selector([Nodes("y")])))"#),
        ],
    ),
    (
        "as the default of a hole",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares} templates: { "t": (nodes: { "x": One(default: {body}) }, root: Inverter(Node("x"))) },
                root: Use("t"))"#,
        )],
    ),
    (
        "in a part that no file includes",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares} nodes: { "x": One }, root: Switch(on: "1 < 2", cases: { true: {body}, false: Node("x") }))"#,
        )],
    ),
    (
        "beside a copy that is disabled",
        &[(
            "main.ron",
            r#"Tree(version: 1, {declares} templates: { "t": (root: {body}) }, root: Switch(on: "1 < 2", cases: {
                 true: Use(template: "t", name: "a"), false: Sequence([Fail, Sequence(disabled: true, children: [Use(template: "t", name: "b")])]) }))"#,
        )],
    ),
];

/// File, line and column, and how the message begins.
type Warning = (String, usize, usize, String);

fn told(list: &[(String, String)]) -> Vec<Warning> {
    let list: Vec<(&str, &str)> = list.iter().map(|it| (&*it.0, &*it.1)).collect();
    let report = Library::new(files(&list)).check_all(&registry());
    let mut found = Vec::new();
    for it in report.diagnostics() {
        assert_eq!(it.severity(), Severity::Warning, "{}", report.plain());
        found.push((it.file().to_owned(), it.line(), it.column(), it.message().to_owned()));
    }
    found
}

/// The file without its marks, and their places.
fn marks(source: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut marks, mut at) = (String::new(), Vec::new(), (1, 1));
    for it in source.chars() {
        match it {
            '§' => {
                marks.push(at);
                continue;
            }
            '\n' => at = (at.0 + 1, 1),
            _ => at.1 += 1,
        }
        text.push(it);
    }
    (text, marks)
}

#[test]
fn every_lint_is_told_once_wherever_the_fault_stands() {
    for Row { lint, declares, body, says } in ROWS {
        for (place, list) in PLACES {
            let mut written = Vec::new();
            let mut expected = Vec::new();
            for (name, text) in *list {
                let (text, marks) = marks(&text.replace("{declares}", declares).replace("{body}", body));
                written.push(((*name).to_owned(), text));
                expected.extend(marks.into_iter().map(|(line, column)| ((*name).to_owned(), line, column)));
            }
            assert!(!expected.is_empty(), "{lint} has a mark");
            let found = told(&written);
            let places: Vec<_> = found.iter().map(|it| (it.0.clone(), it.1, it.2)).collect();
            assert_eq!(places, expected, "{lint} {place}: {found:#?}");
            assert!(found.iter().all(|it| it.3.starts_with(says)), "{lint} {place}: {found:#?}");
        }
    }
}

/// A new lint has a row, unless its fault does not stand at a node.
#[test]
fn every_lint_has_a_row() {
    // Names that hide others, and names of the library.
    let elsewhere = ["P1015", "P1016", "P1017"];
    let codes = include_str!("../../src/code.rs").split("= \"").filter_map(|it| it.get(..5));
    let all: BTreeSet<&str> = codes.filter(|it| it.starts_with("P1")).collect();
    let tested: BTreeSet<&str> = ROWS.iter().flat_map(|row| codes_of(row)).chain(elsewhere).collect();
    assert!(all.len() >= 18 && tested == all, "{tested:?} of {all:?}");
}

fn codes_of(Row { declares, body, .. }: &Row) -> Vec<&'static str> {
    let text = format!("Tree(version: 1, {declares} root: {body})");
    let report = Library::new(files(&[("main.ron", &marks(&text).0)])).check_all(&registry());
    report.diagnostics().iter().map(pleach_asset::Diagnostic::code).collect()
}

/// The places where a template has a warning, if these two nodes use it.
fn in_two(declares: &str, template: &str, uses: [&str; 2]) -> Vec<Warning> {
    let [one, other] = uses;
    let source = format!(
        "Tree(version: 1, {declares}\n  templates: {{ \"t\": (ports: {{ \"p\": In(Bool, true) }}, root:\n{template}) }},\n  \
         root: Switch(on: \"1 < 2\", cases: {{ true:\n{one}, false:\n{other} }}))"
    );
    told(&[("main.ron".to_owned(), source)])
}

/// A template that is right in one use gets no warning for another.
#[test]
fn a_warning_that_is_false_of_one_copy_is_not_told() {
    let sequence = r#"Sequence(abort: LowerPriority, children: [Check("p"), Patrol])"#;
    let (fires, never) = (r#"Selector([Use("t", {}), Wait(1.0)])"#, r#"Inverter(Use("t", {}))"#);
    let name = |it: &str, name: &str| it.replace(r#""t", {}"#, &format!(r#"template: "t", name: "{name}""#));
    let found = in_two("", sequence, [&name(never, "a"), &name(never, "b")]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].1, found[0].2), (3, 17));
    assert_eq!(in_two("", sequence, [&name(fires, "a"), &name(never, "b")]), []);
    assert_eq!(in_two("", sequence, [&name(never, "a"), &name(fires, "b")]), []);
}

/// A template, and two ways to use it: `{}` stands for the use. It has a fault where it is used in
/// the first way.
struct Twice {
    lint: &'static str,
    declares: &'static str,
    template: &'static str,
    faulty: &'static str,
    right: &'static str,
    says: &'static str,
}

const TWICE: &[Twice] = &[
    Twice {
        lint: "an abort type that is missing: what stands behind ends in time",
        declares: r#"blackboard: { "on": Bool(false) },"#,
        template: r#"Sequence([Check("p"), Patrol])"#,
        faulty: r#"Selector([{"p": "on"}, Patrol])"#,
        right: r#"Selector([{"p": "on"}, Timeout(1.0, Patrol)])"#,
        says: "nothing re-evaluates the `Check`",
    },
    Twice {
        lint: "a gate behind what is watched: nothing is lost",
        declares: r#"blackboard: { "on": Bool(false) },"#,
        template: r#"Sequence(abort: LowerPriority, children: [Check("p"), Tired, Patrol])"#,
        faulty: r#"Selector([{"p": "on"}, Patrol])"#,
        right: r#"Selector([{"p": "on"}, Idle])"#,
        says: "if this `Tired` fails, a change",
    },
    Twice {
        lint: "a flag that stays set: nothing ends it",
        declares: r#"blackboard: { "on": Bool(false), "busy": Bool(false) },"#,
        template: r#"Sequence(blackboard: { "b": Bool(false) }, children: [
            Set(key: "b", to: "true"), Patrol, Set(key: "b", to: "false"), Check("p && b")])"#,
        faulty: r#"Guard("on", {"p": "busy"})"#,
        right: r#"Inverter({"p": "busy"})"#,
        says: "`b` stays set",
    },
    Twice {
        lint: "a switch without a case: another key",
        declares: r#"blackboard: { "on": Bool(false), "off": Bool(false) },"#,
        template: r#"Switch(on: "p", cases: { false: Patrol })"#,
        faulty: r#"Sequence([Set(key: "on", to: "true"), {"p": "on"}])"#,
        right: r#"Sequence([Set(key: "off", to: "false"), {"p": "off"}])"#,
        says: "this `Switch` fails when `p` is `true`",
    },
];

#[test]
fn each_warning_that_is_false_of_one_copy_is_not_told() {
    for Twice { lint, declares, template, faulty, right, says } in TWICE {
        let used = |way: &str, name: &str| {
            let (before, rest) = way.split_once('{').expect("it is used");
            let (with, behind) = rest.split_once('}').expect("its ports");
            format!("{before}Use(template: \"t\", name: \"{name}\", with: {{{with}}}){behind}")
        };
        let of_template = |ways: [&str; 2]| {
            let found = in_two(declares, template, [&used(ways[0], "a"), &used(ways[1], "b")]);
            found.into_iter().filter(|it| it.3.starts_with(says)).count()
        };
        assert_eq!(of_template([faulty, faulty]), 1, "{lint}");
        assert_eq!(of_template([faulty, right]), 0, "{lint}");
        assert_eq!(of_template([right, faulty]), 0, "{lint}");
    }
}

/// Nodes that never run need no warning, and do not excuse those that do.
#[test]
fn a_copy_that_is_never_reached_has_no_say() {
    let sequence = r#"Sequence(abort: LowerPriority, children: [Check("p"), Patrol])"#;
    let dead = r#"Sequence([Fail, Selector([Use(template: "t", name: "a"), Wait(1.0)])])"#;
    let found = in_two("", sequence, [dead, r#"Use(template: "t", name: "b")"#]);
    let places: Vec<_> = found.iter().map(|it| (it.1, it.2)).collect();
    assert_eq!(places, [(3, 17), (5, 17)], "{found:#?}");
    assert!(found[1].3.starts_with("this is never reached"), "{found:#?}");
}

/// A use with a constant does not hide the fault of a use with a key.
#[test]
fn a_copy_whose_condition_is_a_constant_does_not_count_for_a_missing_abort_type() {
    let of = |template: &str, uses: [&str; 2]| {
        let [one, other] = uses;
        let source = format!(
            r#"Tree(version: 1, global: {{ "hp": Float(1.0) }},
  templates: {{ "t": (ports: {{ "x": In(Float) }}, root: {template}) }},
  root: Switch(on: "1 < 2", cases: {{ true: {one}, false: {other} }}))"#
        );
        told(&[("main.ron".to_owned(), source)])
    };
    let whole = r#"Selector([Sequence([Check("x < 3"), Wait(1.0)]), Idle])"#;
    let part = r#"Sequence([Check("x < 3"), Wait(1.0)])"#;
    let key = r#"Use(template: "t", name: "a", with: {"x": "hp"})"#;
    let constant = r#"Use(template: "t", name: "b", with: {"x": 2.0})"#;
    for uses in [[key, constant], [constant, key]] {
        let found = of(whole, uses);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].1 == 2 && found[0].3.starts_with("nothing re-evaluates the `Check`"), "{found:#?}");
    }
    let below = |it: &str| format!("Selector([{it}, Idle])");
    assert_eq!(of(part, [&below(key), constant]).len(), 1);
    assert_eq!(of(whole, [constant, constant]), []);
    assert_eq!(
        of(part, [&below(key), &key.replace("\"a\"", "\"c\"")]),
        [],
        "it is right where nothing stands behind it"
    );
}

/// One fault, two reasons: it is reported with the first.
#[test]
fn copies_may_have_a_fault_for_different_reasons() {
    let sequence = r#"Sequence(abort: LowerPriority, children: [Check("p"), Patrol])"#;
    let last = r#"Selector([Patrol, Use(template: "t", name: "a")])"#;
    let found = in_two("", sequence, [last, r#"Use(template: "t", name: "b")"#]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].3.ends_with("nothing after this `Sequence` in the `Selector` can still be running"), "{found:#?}");
}

#[test]
fn a_count_that_is_reset_or_never_read_is_not_warned_of() {
    for (keys, children) in [
        (r#"locals: { "n": Int(0) }"#, r#"Check("n < 3"), Set("n", "n + 1")"#),
        (r#"blackboard: { "n": Int(0) }"#, r#"Check("n < 3"), Set("n", "n + 1"), Set("n", "0")"#),
        (r#"blackboard: { "n": Int(0) }"#, r#"Check("n < 3"), Set("n", "n - 1")"#),
        (r#"blackboard: { "n": Int(0) }"#, r#"Check("n < 3"), Set("n", "if(n > 5, 0, n + 1)")"#),
        (r#"blackboard: { "n": Int(0), "all": Int(0) }"#, r#"Set("n", "n + 1"), Set("all", "n"), Check("all < 3")"#),
        (r#"blackboard: { "n": Int(0) }"#, r#"Check("n < 3"), Set("n", "n + 1"), Roll("n", 1, 6)"#),
    ] {
        let source = format!("Tree(version: 1, root: Sequence({keys}, children: [{children}]))");
        let found = told(&[("main.ron".to_owned(), source.clone())]);
        assert!(!found.iter().any(|it| it.3.contains("counted up")), "{source}: {found:#?}");
    }
}
