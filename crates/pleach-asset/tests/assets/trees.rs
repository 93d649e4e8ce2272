//! What correct assets mean, and that writing them loses nothing.

use crate::common;

use common::{Game, registry};
use pleach_asset::{Asset, load_str};
use pleach_core::{Tree, Type, nodes::Abort, schema::Scope};

/// One tree with every node and every way to write it.
const ALL: &str = include_str!("../trees/all.ron");

fn load(source: &str) -> Tree<Game> {
    load_str("test.ron", source, &registry()).expect("a good tree")
}

fn body(root: &str) -> String {
    format!("Tree(version: 1, blackboard: {{ \"n\": Int(1), \"home\": Vec3(0, 0, 0) }}, root: {root})")
}

fn same(one: &str, other: &str) {
    let parse = |it| Asset::parse("test.ron", &body(it)).expect("a good tree");
    assert_eq!(parse(one), parse(other));
}

fn kinds(tree: &Tree<Game>) -> Vec<String> {
    tree.nodes().map(|it| it.kind().to_owned()).collect()
}

#[test]
fn what_is_written_reads_back_the_same() {
    let asset = Asset::parse("all.ron", ALL).expect("a good tree");
    let written = asset.to_ron();
    let again = Asset::parse("again.ron", &written).expect("its own output");
    assert_eq!(again, asset);
    assert_eq!(again.to_ron(), written);
    let (one, other) = (load(ALL), load(&written));
    assert_eq!(kinds(&one), kinds(&other));
    for kind in [
        "Sequence",
        "Selector",
        "Parallel",
        "ReactiveSequence",
        "ReactiveSelector",
        "RandomSequence",
        "RandomSelector",
        "RandomChoice",
        "UtilitySelector",
        "Switch",
        "Inverter",
        "ForceSuccess",
        "ForceFailure",
        "UntilSuccess",
        "UntilFailure",
        "Repeat",
        "Guard",
        "Timeout",
        "Cooldown",
        "Limit",
        "Delay",
        "Probability",
        "Token",
        "Finally",
        "Wait",
        "WaitFor",
        "Free",
        "WaitTicks",
        "WaitUntil",
        "Check",
        "OnEvent",
        "Set",
        "Roll",
        "Log",
        "Emit",
        "Succeed",
        "Fail",
        "Idle",
        "MoveTo",
        "Everything",
        "Say",
        "Near",
        "Patrol",
    ] {
        assert!(kinds(&one).iter().any(|it| it == kind), "{kind} is not in all.ron");
    }
}

/// What is written reads back the same, and is identical when written again.
fn round_trip(source: &str) {
    let asset = Asset::parse("test.ron", source).unwrap_or_else(|it| panic!("{source}: {it}"));
    let written = asset.to_ron();
    let again = Asset::parse("again.ron", &written).unwrap_or_else(|it| panic!("{source}: {it}"));
    assert_eq!(again, asset, "{source}");
    assert_eq!(again.to_ron(), written, "{source}");
}

#[test]
fn keys_of_any_order_read_back_the_same() {
    let [agent, group, global] =
        ["blackboard: { \"b\": Int(1), \"a\": Int(2) }", "group: { \"a\": Int(3) }", "global: { \"c\": Int(4) }"];
    for [one, two, three] in [[agent, group, global], [global, group, agent], [group, agent, global]] {
        round_trip(&format!("Tree({one}, version: 1, {two}, root: Idle, {three})"));
    }
    let parse = |fields: &str| Asset::parse("a", &format!("Tree(version: 1, {fields}, root: Idle)")).expect("good");
    assert_eq!(parse(&format!("{global}, {agent}")), parse(&format!("{agent}, {global}")));
    // The order of the keys of one scope is that of their values in memory, and of drawings.
    assert_ne!(parse("group: { \"a\": Int(1), \"b\": Int(2) }"), parse("group: { \"b\": Int(2), \"a\": Int(1) }"));
}

/// RON's raw identifiers can begin with a digit, and hold points and signs.
#[test]
fn raw_identifiers_read_back_the_same() {
    for root in [
        "r#3d",
        "r#Idle",
        "r#true",
        "Foo(r#1: 2)",
        "Foo(r#a.b: 2)",
        "Foo(r#a.b : 2, c: r#-x+)",
        "Foo(r#a.b)",
        "Foo(a: r#3x)",
        "Foo(a: r#3x(r#4: 5), b: (r#.: 1))",
        "Foo(r#a-b(1), [r#9])",
        "Größe(größe: 1)",
        "Änderung(é: ä)",
        // With combining letters.
        "Foo(e\u{301}: 1, n: e\u{301})",
        "Foo(r#\u{301}: 1)",
        "Guard(when: r#3d(r#1: 2), child: Idle)",
        "Sequence(services: [(every: 1, run: r#3d)], children: [Idle])",
    ] {
        round_trip(&format!("Tree(version: 1, root: {root})"));
    }
    same("r#Sequence(r#children: [r#Idle])", "Sequence([Idle])");
}

/// A drawing and a written file show a name with `r#` only where RON needs it.
#[test]
fn names_of_any_alphabet_are_written_as_they_are() {
    let written = |root: &str| {
        let asset = Asset::parse("test.ron", &format!("Tree(version: 1, root: {root})")).expect("a good tree");
        let text = asset.to_ron();
        text.split_once("root: ").expect("it has a root").1.trim_end_matches([')', ',', '\n']).to_owned()
    };
    for (root, expected) in [
        ("Attack(сила: 2.0)", "Attack(сила: 2.0"),
        ("Attack(r#сила: 2.0, r#type: 1)", "Attack(сила: 2.0, type: 1"),
        ("Attack(力: 1, عدد: 2, é: ä, __: _)", "Attack(力: 1, عدد: 2, é: ä, __: _"),
        ("Удар(e\u{301}: 1)", "Удар(e\u{301}: 1"),
        // These can be names only behind `r#`.
        ("Attack(r#3d: 1, r#сила-2: 2)", "Attack(r#3d: 1, r#сила-2: 2"),
        ("Attack(r#\u{301}: 1, r#٣: 2)", "Attack(r#\u{301}: 1, r#٣: 2"),
        // Alphabetic, but cannot begin a name.
        ("Attack(r#\u{e33}: 1)", "Attack(r#\u{e33}: 1"),
    ] {
        assert_eq!(written(root), expected);
        round_trip(&format!("Tree(version: 1, root: {root})"));
    }
}

#[test]
fn the_written_form_stays_as_it_is() {
    let written = Asset::parse("all.ron", ALL).expect("a good tree").to_ron();
    common::compare("tests/trees/all.written.ron", &written);
}

#[test]
fn a_tree_without_a_name_has_that_of_its_file() {
    let name = |file| Asset::parse(file, "Tree(version: 1, root: Idle)").expect("a good tree").name().to_owned();
    assert_eq!(name("trees/guard.ron"), "guard");
    assert_eq!(name(r"c:\trees\guard.v2.ron"), "guard");
    assert_eq!(name(""), "tree");
}

#[test]
fn names_ids_notes_and_aborts_arrive() {
    let tree = load(&body(
        "Selector(name: \"top\", note: \"why\", id: \"a1\", abort: Both, children: [MoveTo(target: \"home\", name: \"go\")])",
    ));
    let root = tree.root();
    assert_eq!((root.name(), root.note(), root.id_text()), (Some("top"), Some("why"), Some("a1")));
    assert_eq!(root.abort(), Abort::BOTH);
    let leaf = root.children().next().expect("one child");
    assert_eq!((leaf.name(), leaf.kind()), (Some("go"), "MoveTo"));
}

#[test]
fn short_forms_mean_the_same() {
    same("Sequence([Idle, Fail])", "Sequence(children: [Idle, Fail])");
    same("Inverter(Idle)", "Inverter(child: Idle)");
    same("Guard(\"n > 1\", Idle)", "Guard(when: \"n > 1\", child: Idle)");
    same("Timeout(2.0, Idle)", "Timeout(child: Idle, seconds: 2.0)");
    same("Check(\"n > 1\")", "Check(expr: \"n > 1\")");
    same("Set(\"n\", \"n + 1\")", "Set(to: \"n + 1\", key: \"n\")");
    same("OnEvent(\"noise\", \"n\")", "OnEvent(event: \"noise\", into: \"n\")");
    same("Patrol()", "Patrol");
    same("Succeed()", "Succeed");
    same("Check(r#\"n > 1\"#)", "Check(\"n \\u{3e} 1\")");
    same("Sequence(\n// one\n[Idle /* , two */,\n],)", "Sequence([Idle])");
}

#[test]
fn what_is_disabled_is_left_out() {
    let tree = load(&body(
        r#"UtilitySelector([(score: "1", child: Idle), (score: "nonsense", child: Unknown(disabled: true, x: 1)), (score: "2", child: Fail)])"#,
    ));
    assert_eq!(kinds(&tree), ["UtilitySelector", "Idle", "Fail"]);
    let tree = load(&body("RandomSelector([Idle(disabled: true), (weight: 2, child: Fail)])"));
    assert_eq!(kinds(&tree), ["RandomSelector", "Fail"]);
}

#[test]
fn interrupts_stand_before_the_root() {
    let tree = load(
        "Tree(version: 1, interrupts: [(when: \"1 > 2\", run: Say(\"x\")), (when: Tired, run: Idle(disabled: true)), \
         (when: Tired, run: Patrol)], root: Sequence([Fail]))",
    );
    assert_eq!(kinds(&tree), ["ReactiveSelector", "Guard", "Say", "Guard", "Patrol", "Sequence", "Fail"]);
}

#[test]
fn keys_have_their_scopes_types_and_defaults() {
    let tree = load(ALL);
    let keys: Vec<(Scope, &str, Type)> = tree.schema().keys().map(|it| (it.scope(), it.name(), it.ty())).collect();
    assert!(keys.contains(&(Scope::Agent, "mode", Type::Symbol)));
    assert!(keys.contains(&(Scope::Group, "morale", Type::Float)));
    assert!(keys.contains(&(Scope::Global, "alarm", Type::Bool)));
    assert!(keys.contains(&(Scope::Node, "tries", Type::Int)));
}

/// A leaf sees the keys of the nodes above it before others of the same name.
#[test]
fn keys_of_nodes_reach_the_leaves_below() {
    load(&body(
        "Sequence(children: [\n\
           Selector(blackboard: { \"there\": Vec3(1, 2, 3) }, children: [MoveTo(target: \"there\"), Inverter(Near(target: \
         \"node.there\", range: 1.5))]),\n\
           Selector(blackboard: { \"there\": Int(3) }, children: [Check(\"there == 3\")]),\n\
         ])",
    ));
    let report = load_str(
        "test.ron",
        &body(
            "Sequence([Selector(blackboard: { \"there\": Vec3(1, 2, 3) }, children: [Fail]), MoveTo(target: \"there\")])",
        ),
        &registry(),
    );
    let report = report.expect_err("the key is elsewhere");
    assert_eq!(report.diagnostics()[0].message(), "`target` of `MoveTo`: there is no key `there`");
}
