//! The standard templates, and templates of other files (SEMANTICS 9.7).

use std::collections::{BTreeMap, HashMap};

use pleach_asset::{Asset, Library, Registry, Severity, check_str, load_str, standard_templates};
use pleach_core::{Action, Brain, Context, Host, Outcome, Status, Tree};
use serde::Deserialize;

use super::common::{self, compare};
use super::library::{files, load, tree};

/// What each leaf returns, and which were updated in each tick.
#[derive(Default)]
struct Stage {
    scripts: HashMap<String, Vec<Status>>,
    updated: Vec<String>,
}

struct Play;

impl Host for Play {
    type Cx<'a> = Stage;
}

/// Returns the next status of its script, and success after its end.
#[derive(Deserialize)]
struct Do(String);

impl Action<Play> for Do {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Play>) -> Status {
        cx.host.updated.push(self.0.clone());
        let script = cx.host.scripts.entry(self.0.clone()).or_default();
        if script.is_empty() { Status::Success } else { script.remove(0) }
    }
}

/// What runs in each tick of a second, until the tree ends, and how it ends: `a b | a = S`.
fn play(root: &str, scripts: &[(&str, &str)]) -> String {
    let mut registry = Registry::<Play>::new();
    registry.action::<Do>("Do").expect("a good name");
    let source = format!("Tree(version: 1, root: {root})");
    let tree = load_str("t.ron", &source, &registry).unwrap_or_else(|it| panic!("{it}"));
    let status = |it: char| match it {
        'S' => Status::Success,
        'F' => Status::Failure,
        _ => Status::Running,
    };
    let scripts = scripts.iter().map(|(name, it)| ((*name).to_owned(), it.chars().map(status).collect()));
    let mut stage = Stage { scripts: scripts.collect(), updated: Vec::new() };
    let mut brain = Brain::new(&mut stage, tree, 1);
    let mut ticks = Vec::new();
    for _ in 0..20 {
        let end = brain.tick(&mut stage, 1.0).expect("it ticks");
        ticks.push(std::mem::take(&mut stage.updated).join(" "));
        match end {
            None => {}
            Some(Outcome::Success) => return format!("{} = S", ticks.join(" | ")),
            Some(Outcome::Failure) => return format!("{} = F", ticks.join(" | ")),
        }
    }
    ticks.join(" | ")
}

#[test]
fn retry_tries_again_after_a_pause() {
    let retry = |with: &str| format!(r#"Use(template: "Retry", with: {{ {with} }}, nodes: {{ "body": Do("a") }})"#);
    assert_eq!(play(&retry(""), &[]), "a = S");
    assert_eq!(play(&retry(""), &[("a", "FRFS")]), "a | a | a a = S");
    assert_eq!(play(&retry(""), &[("a", "FFFS")]), "a | a | a = F");
    assert_eq!(play(&retry(r#""attempts": 2, "pause": 2.0"#), &[("a", "FF")]), "a |  | a = F");
    assert_eq!(play(&retry(r#""attempts": 0"#), &[("a", "F")]), "a = F");
    let again = format!("Repeat(count: 2, child: ForceSuccess({}))", retry(r#""attempts": 2"#));
    assert_eq!(play(&again, &[("a", "FFFS")]), "a | a a | a = S");
}

#[test]
fn recovery_rescues_before_it_tries_again() {
    let recovery = |with: &str| {
        format!(r#"Use(template: "Recovery", with: {{ {with} }}, nodes: {{ "try": Do("t"), "rescue": Do("r") }})"#)
    };
    assert_eq!(play(&recovery(""), &[]), "t = S");
    assert_eq!(play(&recovery(""), &[("t", "FS"), ("r", "RS")]), "t r | r t = S");
    assert_eq!(play(&recovery(""), &[("t", "FF")]), "t r | t = F");
    assert_eq!(play(&recovery(r#""times": 3"#), &[("t", "FFF"), ("r", "SSF")]), "t r | t r | t r = F");
    assert_eq!(play(&recovery(r#""times": 0"#), &[("t", "F")]), "t = F");
}

#[test]
fn if_then_else_asks_once() {
    let decide = r#"Use(template: "IfThenElse", nodes: { "if": Do("i"), "then": Do("t"), "else": Do("e") })"#;
    assert_eq!(play(decide, &[("i", "RSF"), ("t", "RRF")]), "i | i t | t | t = F");
    assert_eq!(play(decide, &[("i", "F"), ("e", "RS")]), "i e | e = S");
    let without = r#"Use(template: "IfThenElse", nodes: { "if": Do("i"), "then": Do("t") })"#;
    assert_eq!(play(without, &[("i", "F")]), "i = F");
}

#[test]
fn while_do_else_asks_in_every_tick() {
    let decide = r#"Use(template: "WhileDoElse", nodes: { "while": Do("w"), "do": Do("d"), "else": Do("e") })"#;
    assert_eq!(play(decide, &[("w", "SSFFS"), ("d", "RRRS"), ("e", "RR")]), "w d | w d | w e | w e | w d | w d = S");
    assert_eq!(play(decide, &[("w", "FSS"), ("e", "RF"), ("d", "RF")]), "w e | w d | w d = F");
}

#[test]
fn run_once_remembers_how_it_ended() {
    let twice = |body: &str| {
        format!(
            r#"Repeat(count: 3, child: ForceSuccess(Sequence([
            Use(template: "RunOnce", nodes: {{ "body": {body} }}), Do("after")])))"#
        )
    };
    assert_eq!(play(&twice(r#"Do("a")"#), &[("a", "RS")]), "a | a after after | after = S");
    assert_eq!(play(&twice(r#"Do("a")"#), &[("a", "F")]), "a |  |  = S");
    // A run that is interrupted does not count.
    let ended = twice(r#"Do("a")"#).replace("Use(", "Timeout(1.0, Use(").replace("}), Do", "})), Do");
    assert_eq!(play(&ended, &[("a", "RRS")]), "a | a | a after = S");
}

#[test]
fn for_each_runs_a_body_for_each_item() {
    let each = r#"Use(template: "ForEach", nodes: { "next": Do("n"), "body": Do("b") })"#;
    assert_eq!(play(each, &[("n", "SSF"), ("b", "RSS")]), "n b | b n b | n = S");
    assert_eq!(play(each, &[("n", "F")]), "n = S");
    assert_eq!(play(each, &[("n", "SSF"), ("b", "SF")]), "n b | n b = F");
}

#[test]
fn the_standard_templates_are_there_to_read() {
    let all = standard_templates();
    let names: Vec<&str> = all.iter().map(|it| it.name).collect();
    assert_eq!(names, ["Retry", "Recovery", "IfThenElse", "WhileDoElse", "RunOnce", "ForEach"]);
    for it in all {
        assert!(it.note.ends_with('.') && it.source.starts_with('"') && it.source.ends_with(')'), "{it:?}");
        // Copied into a file, it hides the standard one.
        let own = format!("Tree(version: 1, templates: {{ {} }}, root: Idle)", it.source);
        let (_, report) = check_str("t.ron", &own, &common::registry()).unwrap_or_else(|it| panic!("{it}"));
        let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
        let hides = format!("this hides the standard template `{}`", it.name);
        let unused = format!("the template `{}` is not used in this tree", it.name);
        assert_eq!(said, [hides, unused], "{report}");
    }
}

/// Users cannot change standard templates: warnings are about the files of the tree that uses one.
#[test]
fn no_warning_is_about_a_standard_template() {
    let source = r#"Tree(version: 1, root: Sequence([
        Use(template: "Retry", name: "a", nodes: { "body": Succeed }),
        Use(template: "Recovery", name: "b", nodes: { "try": Fail, "rescue": Fail }),
        Use(template: "IfThenElse", name: "c", nodes: { "if": Fail, "then": Patrol }),
        Use(template: "WhileDoElse", name: "d", nodes: { "while": Fail, "do": Patrol, "else": Patrol }),
        Use(template: "RunOnce", name: "e", nodes: { "body": Fail }),
        Use(template: "ForEach", name: "f", nodes: { "next": Fail, "body": Patrol }),
    ]))"#;
    let (_, report) = check_str("t.ron", source, &common::registry()).unwrap_or_else(|it| panic!("{it}"));
    assert!(
        report.diagnostics().iter().all(|it| it.file() == "t.ron" && it.severity() == Severity::Warning),
        "{report}"
    );
    let wrong = source.replace("\"body\": Succeed", "\"bdoy\": Succeed").replace("\"RunOnce\"", "\"Runonce\"");
    let report = load_str("t.ron", &wrong, &common::registry()).expect_err("it is wrong");
    compare("tests/libraries/standard.txt", &format!("{report}\n"));
}

const LENDER: &str = r#"Tree(
    version: 1,
    blackboard: { "count": Int(0), "other": Int(0) },
    group: { "alarm": Bool(false) },
    events: { "noise": () },
    templates: {
        "Twice": (
            note: "Does it twice.",
            ports: { "most": In(Int, 2) },
            nodes: { "body": One },
            root: Sequence([Check("count < most && !alarm"), Node("body"), Use(template: "Once", nodes: { "body": Node("body") })]),
        ),
        "Once": (
            ports: { "most": In(Int, 9) },
            nodes: { "body": One },
            root: Sequence([Set(key: "count", to: "count + most"), Emit("noise"), Node("body")]),
        ),
        "Unused": (root: Check("other > 0")),
    },
)"#;

const TAKER: &str = r#"Tree(
    version: 1,
    blackboard: { "count": Int(7), "most": Int(1) },
    templates_from: ["std/lender.ron"],
    templates: { "Here": (root: Use(template: "Twice", nodes: { "body": Check("count == 7") })) },
    root: Sequence([Use("Here"), Use(template: "Twice", name: "again", with: { "most": "most" }, nodes: { "body": Check("most == 1") })]),
)"#;

fn lines(tree: &Tree<common::Game>) -> Vec<String> {
    let key = |it| tree.schema().decl(it).name();
    tree.nodes()
        .map(|it| format!("{it} {}", it.reads().iter().map(|it| key(*it)).collect::<Vec<_>>().join(" ")))
        .collect()
}

#[test]
fn templates_of_another_file_have_its_keys_for_themselves() {
    let list = [("main.ron", TAKER), ("std/lender.ron", LENDER)];
    let tree = tree(&list, "main.ron");
    let expected = [
        "n0 Sequence ",
        "n1 Here.Twice: Sequence ",
        "n2 Here.Twice: Check(count < most && !alarm) Here.Twice.count alarm",
        "n3 Here.Twice: Check(count == 7) count",
        "n4 Here.Twice.Once: Sequence ",
        "n5 Here.Twice.Once: Set(count = count + most) ",
        "n6 Here.Twice.Once: Emit(noise) ",
        "n7 Here.Twice.Once: Check(count == 7) count",
        "n8 again: Sequence ",
        "n9 again: Check(count < most && !alarm) most alarm again.count",
        "n10 again: Check(most == 1) most",
        "n11 again.Once: Sequence ",
        "n12 again.Once: Set(count = count + most) ",
        "n13 again.Once: Emit(noise) ",
        "n14 again.Once: Check(most == 1) most",
    ];
    assert_eq!(lines(&tree), expected);
    let instances: Vec<_> = tree.instances().map(|it| (it.full_name(), it.file(), it.note())).collect();
    assert_eq!(instances[1], ("Here.Twice", Some("std/lender.ron"), Some("Does it twice.")));
    let written = Asset::parse("main.ron", TAKER).unwrap();
    assert_eq!(Asset::parse("again.ron", &written.to_ron()).unwrap(), written);
    let written = Asset::parse("lender.ron", LENDER).unwrap();
    assert_eq!(Asset::parse("again.ron", &written.to_ron()).unwrap(), written);
    // In a directory everything is right, and what is unused here may be used elsewhere.
    let report = Library::new(files(&list)).check_all(&common::registry());
    assert!(report.is_empty(), "{report}");
    // By itself it is not a tree, but nothing is wrong with it.
    let report = Library::new(files(&[("lender.ron", LENDER)])).check_all(&common::registry());
    assert!(report.is_empty(), "{report}");
}

#[test]
fn what_is_wrong_with_templates_of_other_files() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, templates_from: ["a.ron", "b.ron", "gone.ron", "../out.ron", 3],
    templates: { "Mine": (root: Idle), "Retry": (root: Idle) },
    root: Sequence([Use("Both"), Use("Mine"), Use("OfA"), Use("Retry"), Subtree("a.ron"), Use("Nowhere")]))"#,
        ),
        (
            "a.ron",
            r#"Tree(version: 1, templates: { "Both": (root: Idle), "OfA": (root: Check("nix")), "Mine": (root: Idle) })"#,
        ),
        (
            "b.ron",
            r#"Tree(version: 1, templates_from: ["c.ron"], templates: { "Both": (root: Use("OfC")) }, root: Use("OfA"))"#,
        ),
        ("c.ron", r#"Tree(version: 1, templates_from: ["b.ron"], templates: { "OfC": (root: Use("Both")) })"#),
    ];
    let report = load(&list, "main.ron").expect_err("it is wrong");
    compare("tests/libraries/templates_from.txt", &format!("{report}\n"));
    let report = load(&list, "a.ron").expect_err("it has no root");
    assert!(report.to_string().contains("this file has only templates for other files, and no `root`"), "{report}");
    let right = [
        (
            "main.ron",
            r#"Tree(version: 1, templates_from: ["a.ron"], templates: { "Mine": (root: Idle) }, root: Use("Mine"))"#,
        ),
        list[1],
    ];
    let right = [right[0], ("a.ron", r#"Tree(version: 1, templates: { "Mine": (root: Idle) })"#)];
    let report = Library::new(files(&right)).check_all(&common::registry());
    let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
    assert_eq!(said, ["this hides the template `Mine` of `a.ron`"]);
}

#[test]
fn a_change_of_a_file_with_templates_is_a_change_of_its_trees() {
    let mut library = Library::new(BTreeMap::from([
        (
            "main.ron",
            r#"Tree(version: 1, templates_from: ["a.ron", "b.ron"], root: Sequence([Use("A"), Use("RunOnceMore")]))"#,
        ),
        ("a.ron", r#"Tree(version: 1, templates: { "A": (root: Idle) })"#),
        ("b.ron", r#"Tree(version: 1, templates: { "RunOnceMore": (root: Idle) })"#),
    ]));
    let registry = common::registry();
    assert_eq!(library.load("main.ron", &registry).unwrap().len(), 3);
    library.source_mut().insert("a.ron", r#"Tree(version: 1, templates: { "A": (root: Inverter(Idle)) })"#);
    let changes = library.poll(&registry);
    assert_eq!((&*changes.files, changes.trees[0].1.len()), (&["a.ron".to_owned()][..], 4));
    // An unused file may come to have a template that hides another.
    library.source_mut().insert(
        "main.ron",
        r#"Tree(version: 1, templates_from: ["a.ron"], root: Use(template: "RunOnce", nodes: { "body": Idle }))"#,
    );
    assert_eq!(library.poll(&registry).trees[0].1.len(), 9);
    library
        .source_mut()
        .insert("a.ron", r#"Tree(version: 1, templates: { "RunOnce": (nodes: { "body": One }, root: Node("body")) })"#);
    assert_eq!(library.poll(&registry).trees[0].1.len(), 1);
}
