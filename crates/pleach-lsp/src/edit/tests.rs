//! Each operation on small trees, with and without comments.

use pleach::Registry;
use pleach::asset::{CheckOnly, Manifest};

use super::*;

fn manifest() -> Manifest {
    Manifest::of(&Registry::<CheckOnly>::new())
}

/// A tree around a root.
fn tree(root: &str) -> String {
    format!("Tree(version: 1, root: {root})\n")
}

/// The text after an operation, without the tree around it, and the kind of the selected node.
fn done(root: &str, operation: Operation) -> String {
    let (manifest, text) = (manifest(), tree(root));
    match edit(&manifest, "a.ron", &text, &operation) {
        Ok(it) => {
            assert_eq!(pleach::asset::format_str("a.ron", &it.text).unwrap(), it.text, "it is formatted");
            let nodes = written(&manifest, "a.ron", &it.text);
            let looked = it.node.and_then(|at| nodes.get(at)).map_or("-", |it| &it.kind);
            let text = it.text.replacen("Tree(version: 1, root: ", "", 1).replacen("Tree(version: 1)", "-", 1);
            let text = text.replacen("Tree(\n    version: 1,\n    root: ", "", 1);
            let text = text.strip_suffix(")\n").unwrap_or(&text).trim_end().trim_end_matches(',').to_owned();
            let text = text.replace("\n    ", "\n");
            format!("{text} @ {looked}")
        }
        Err(it) => format!("no: {it}"),
    }
}

fn set(node: usize, field: &str, value: &str) -> Operation {
    Operation::Set { node, field: field.into(), value: Some(value.into()).filter(|it: &String| !it.is_empty()) }
}

#[test]
fn fields_are_set_where_they_stand() {
    assert_eq!(done("Wait(2.0)", set(1, "seconds", "3.5")), "Wait(3.5) @ Wait");
    assert_eq!(done("Wait(2.0)", set(1, "seconds", "pause * 2")), "Wait(\"pause * 2\") @ Wait");
    assert_eq!(done("Wait(2.0)", set(1, "name", "rest")), "Wait(name: \"rest\", seconds: 2.0) @ Wait");
    assert_eq!(done("Idle", set(1, "name", "rest")), "Idle(name: \"rest\") @ Idle");
    assert_eq!(done("Idle(name: \"rest\")", set(1, "name", "")), "Idle @ Idle");
    assert_eq!(done("Wait(name: \"a\" /* b */, seconds: 1)", set(1, "name", "")), "Wait(/* b */ seconds: 1) @ Wait");
    assert_eq!(done("Sequence([Idle])", set(1, "abort", "Both")), "Sequence(abort: Both, children: [Idle]) @ Sequence");
    assert_eq!(done("Check(\"a < 1\")", set(1, "expr", "a == \"b\"")), "Check(\"a == \\\"b\\\"\") @ Check");
    assert_eq!(done("Idle", set(1, "disabled", "true")), "Idle(disabled: true) @ Idle");
    assert_eq!(done("Idle", set(1, "speed", "1")), "no: `Idle` has no field `speed`");
    assert!(done("Sequence([Idle])", set(1, "abort", "Both, a: 1")).starts_with("no: `abort`: "));
    assert!(done("Sequence([Idle])", set(1, "abort", "(")).starts_with("no: `abort`: "));
}

#[test]
fn scores_and_cases_are_fields() {
    let utility = "UtilitySelector(children: [(score: \"a\", child: Idle)])";
    assert_eq!(done(utility, set(2, "score", "b + 1")), utility.replace("\"a\"", "\"b + 1\"") + " @ Idle");
    assert_eq!(
        done("RandomChoice([Idle])", set(2, "weight", "3.0")),
        "RandomChoice([(weight: 3.0, child: Idle)]) @ Idle"
    );
    let switch = "Switch(on: \"mode\", cases: { \"a\": Idle })";
    assert_eq!(done(switch, set(2, "case", "b")), switch.replace("\"a\"", "\"b\"") + " @ Idle");
}

fn insert(node: usize, side: Side, text: &str) -> Operation {
    Operation::Insert { node, side, text: text.into() }
}

#[test]
fn nodes_are_inserted_with_their_commas() {
    assert_eq!(
        done("Sequence([Fail, Idle])", insert(2, Side::Before, "Wait(1)")),
        "Sequence([Wait(1), Fail, Idle]) @ Wait"
    );
    assert_eq!(
        done("Sequence([Fail, Idle])", insert(2, Side::After, "Wait(1)")),
        "Sequence([Fail, Wait(1), Idle]) @ Wait"
    );
    assert_eq!(
        done("Sequence([Fail, Idle])", insert(1, Side::Into, "Wait(1)")),
        "Sequence([Fail, Idle, Wait(1)]) @ Wait"
    );
    assert_eq!(done("Sequence", insert(1, Side::Into, "Wait(1)")), "Sequence(children: [Wait(1)]) @ Wait");
    assert_eq!(done("Sequence([])", insert(1, Side::Into, "Wait(1)")), "Sequence([Wait(1)]) @ Wait");
    assert_eq!(done("Inverter", insert(1, Side::Into, "Wait(1)")), "Inverter(child: Wait(1)) @ Wait");
    assert_eq!(done("Repeat(count: 2)", insert(1, Side::Into, "Wait(1)")), "Repeat(count: 2, child: Wait(1)) @ Wait");
    assert_eq!(done("Guard(\"a\")", insert(1, Side::Into, "Wait(1)")), "Guard(when: \"a\", child: Wait(1)) @ Wait");
    assert_eq!(
        done("UtilitySelector(children: [])", insert(1, Side::Into, "Wait(1)")),
        "UtilitySelector(children: [(score: \"1\", child: Wait(1))]) @ Wait"
    );
    assert_eq!(
        done("Switch(on: \"m\", cases: { \"case\": Idle })", insert(2, Side::After, "Fail")),
        "Switch(on: \"m\", cases: { \"case\": Idle, \"case_1\": Fail }) @ Fail"
    );
    assert!(done("Inverter(Idle)", insert(1, Side::Into, "Fail")).starts_with("no: `Inverter` has its only child"));
    assert!(done("Inverter(Idle)", insert(2, Side::After, "Fail")).starts_with("no: only one node can stand here"));
    assert!(done("Idle", insert(1, Side::Into, "Fail")).starts_with("no: `Idle` has no children"));
    assert!(done("Sequence([])", insert(1, Side::Into, "Fail, Idle")).starts_with("no: `Fail, Idle` is not a node"));
    assert!(done("Sequence([])", insert(1, Side::Into, "Fail(")).starts_with("no: the text has to be RON"));
}

#[test]
fn comments_stay_and_go_with_their_nodes() {
    let list = "Sequence([\n// one\nFail, // first\n// two\nIdle, // second\n\n// end\n])";
    assert_eq!(
        done(list, insert(2, Side::After, "Wait(1)")),
        "Sequence([\n    // one\n    Fail, // first\n    Wait(1),\n    // two\n    Idle, // second\n\n    // end\n]) @ Wait"
    );
    assert_eq!(
        done(list, insert(1, Side::Into, "Wait(1)")),
        "Sequence([\n    // one\n    Fail, // first\n    // two\n    Idle, // second\n    Wait(1),\n\n    // end\n]) @ Wait"
    );
    assert_eq!(
        done(list, Operation::Delete { node: 2 }),
        "Sequence([\n    // two\n    Idle, // second\n\n    // end\n]) @ Idle"
    );
    assert_eq!(
        done(list, Operation::Delete { node: 3 }),
        "Sequence([\n    // one\n    Fail, // first\n\n    // end\n]) @ Fail"
    );
    assert_eq!(
        done(list, Operation::Move { node: 3, to: 2, side: Side::Before }),
        "Sequence([\n    // two\n    Idle, // second\n    // one\n    Fail, // first\n\n    // end\n]) @ Idle"
    );
    assert_eq!(
        done(list, Operation::Move { node: 2, to: 3, side: Side::After }),
        "Sequence([\n    // two\n    Idle, // second\n    // one\n    Fail, // first\n\n    // end\n]) @ Fail"
    );
}

#[test]
fn nodes_move_between_places_of_all_sorts() {
    let to = |node, to, side| Operation::Move { node, to, side };
    assert_eq!(
        done("Sequence([Selector([Fail]), Idle])", to(4, 2, Side::Into)),
        "Sequence([Selector([Fail, Idle])]) @ Idle"
    );
    assert_eq!(
        done("Sequence([Inverter(Fail), Idle])", to(3, 4, Side::After)),
        "Sequence([Inverter, Idle, Fail]) @ Fail"
    );
    assert_eq!(done("Sequence([Inverter, Idle])", to(3, 2, Side::Into)), "Sequence([Inverter(child: Idle)]) @ Idle");
    assert_eq!(
        done("Sequence([UtilitySelector([(score: \"a\" /* b */, child: Fail)]), Idle])", to(3, 4, Side::After)),
        "Sequence([\n    UtilitySelector([]),\n    Idle,\n    /* b */\n    Fail,\n]) @ Fail"
    );
    assert_eq!(done("Sequence([Fail])", to(1, 2, Side::Before)), "no: a node cannot be moved into itself");
    assert_eq!(done("Sequence([Fail, Idle])", to(2, 3, Side::Before)), "no: it stands there already");
    assert_eq!(done("Idle", to(0, 1, Side::Into)), "no: this is the file itself: choose a node in it");
    assert!(done("Idle", to(7, 1, Side::Into)).starts_with("no: there is no node 7 here"));
}

#[test]
fn nodes_are_wrapped_and_unwrapped() {
    let wrap = |node, kind: &str| Operation::Wrap { node, kind: kind.into() };
    let unwrap = |node| Operation::Unwrap { node };
    assert_eq!(done("Idle", wrap(1, "Inverter")), "Inverter(child: Idle) @ Inverter");
    assert_eq!(done("Idle", wrap(1, "Sequence")), "Sequence(children: [Idle]) @ Sequence");
    assert_eq!(done("Idle", wrap(1, "Timeout")), "Timeout(seconds: 1.0, child: Idle) @ Timeout");
    assert_eq!(done("Idle", wrap(1, "Repeat")), "Repeat(count: 2, child: Idle) @ Repeat");
    assert_eq!(done("Idle", wrap(1, "Wait")), "no: `Wait` is not a composite or a decorator");
    assert_eq!(done("Inverter(child: Idle)", unwrap(1)), "Idle @ Idle");
    assert_eq!(
        done("Sequence([Selector([Fail, Idle]), Succeed])", unwrap(2)),
        "Sequence([Fail, Idle, Succeed]) @ Fail"
    );
    assert_eq!(done("Sequence([Selector([Fail, Idle])])", unwrap(2)), "Sequence([Fail, Idle]) @ Fail");
    assert_eq!(
        done("Sequence([Selector(/* a */ children: [Fail /* b */, Idle]) /* c */, Succeed])", unwrap(2)),
        "Sequence([\n    /* a */\n    Fail, /* b */\n    Idle,\n    /* c */ Succeed,\n]) @ Fail"
    );
    assert!(done("Inverter(Selector([Fail, Idle]))", unwrap(2)).starts_with("no: `Selector` has 2 children"));
    assert!(done("Idle", unwrap(1)).starts_with("no: `Idle` has no children"));
}

#[test]
fn copies_have_no_ids() {
    assert_eq!(
        done("Sequence([Wait(id: \"a\", seconds: 1)])", Operation::Duplicate { node: 2 }),
        "Sequence([Wait(id: \"a\", seconds: 1), Wait(seconds: 1)]) @ Wait"
    );
    assert!(done("Inverter(Idle)", Operation::Duplicate { node: 2 }).starts_with("no: only one node can stand here"));
}

#[test]
fn kinds_change_and_fields_stay() {
    let kind = |node, kind: &str| Operation::Become { node, kind: kind.into() };
    assert_eq!(
        done("Sequence(name: \"a\", children: [Idle])", kind(1, "Selector")),
        "Selector(name: \"a\", children: [Idle]) @ Selector"
    );
    assert_eq!(done("Timeout(2.0, Idle)", kind(1, "Cooldown")), "Cooldown(seconds: 2.0, child: Idle) @ Cooldown");
    assert!(done("Idle", kind(1, "a, b")).starts_with("no: `a, b` is not the name of a node"));
}

const KEYS: &str = "Tree(version: 1, name: \"a\", blackboard: { \"n\": Int(0), \"mode\": Symbol(\"x\", [\"x\", \"y\"]) }, \
                    group: { \"g\": Bool(false) }, events: { \"noise\": Vec2 }, root: Sequence(blackboard: { \"l\": \
                    Int(1) }, children: [Check(\"n < l && group.g\"), Set(key: \"mode\", to: \"y\"), OnEvent(\"noise\")]))\n";

#[test]
fn a_template_gets_the_keys_of_nodes_as_ports() {
    let edited = edit(&manifest(), "a.ron", KEYS, &Operation::Template { node: 2, name: "low".into() }).unwrap();
    assert!(
        edited.text.contains("\"low\": (ports: { \"l\": In(Int) }, root: Check(\"n < l && group.g\"))"),
        "{}",
        edited.text
    );
    assert!(edited.text.contains("Use(template: \"low\", with: { \"l\": \"l\" })"), "{}", edited.text);
    loads(&[("a.ron", &edited.text)]);
    let twice = edit(&manifest(), "a.ron", &edited.text, &Operation::Template { node: 2, name: "low".into() });
    assert!(twice.unwrap_err().to_string().contains("a template `low` already"));
}

#[test]
fn a_file_gets_keys_as_ports_and_declares_what_is_shared() {
    let (edited, new) = extract(&manifest(), "a.ron", KEYS, 1, "parts/b.ron").unwrap();
    assert!(
        edited.text.contains("root: Subtree(asset: \"parts/b.ron\", with: { \"mode\": \"mode\", \"n\": \"n\" })"),
        "{}",
        edited.text
    );
    assert!(new.contains("ports: { \"mode\": InOut(Symbol([\"x\", \"y\"])), \"n\": In(Int) }"), "{new}");
    assert!(new.contains("group: { \"g\": Bool(false) }") && new.contains("events: { \"noise\": Vec2 }"), "{new}");
    loads(&[("a.ron", &edited.text), ("parts/b.ron", &new)]);
}

/// Loads the first of these files.
fn loads(files: &[(&str, &str)]) {
    let files: std::collections::BTreeMap<String, String> =
        files.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
    let mut library = pleach::Library::new(files);
    library.load("a.ron", &Registry::<CheckOnly>::new()).map_err(|it| panic!("{it}")).unwrap();
}
