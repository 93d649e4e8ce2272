//! Holes of templates and files, and the nodes that are given for them (SEMANTICS 9.6).

use pleach_asset::{Asset, load_str};
use pleach_core::Tree;

use super::common::{Game, compare, registry};
use super::library::{files, tree};

/// The nodes with their depths, instances and details, and the full names of the keys that they
/// read.
fn flat(tree: &Tree<Game>) -> Vec<String> {
    let key = |it| tree.schema().decl(it).name().to_owned();
    let line = |it: pleach_core::NodeRef<'_, Game>| {
        let keys: Vec<String> = it.reads().iter().map(|it| key(*it)).collect();
        let depth = std::iter::successors(it.parent(), |it| it.parent()).count();
        let keys = if keys.is_empty() { String::new() } else { format!(" <- {}", keys.join(", ")) };
        format!("{}{}{keys}", "  ".repeat(depth), it.to_string().split_once(' ').expect("a number").1)
    };
    tree.nodes().map(line).collect()
}

fn alone(source: &str) -> Tree<Game> {
    // What is written out reads back the same.
    let written = Asset::parse("t.ron", source).unwrap_or_else(|it| panic!("{it}"));
    let again = written.to_ron();
    assert_eq!(Asset::parse("again.ron", &again).unwrap_or_else(|it| panic!("{it}\n{again}")), written, "{again}");
    load_str("t.ron", source, &registry()).unwrap_or_else(|it| panic!("{it}"))
}

#[test]
fn a_hole_is_filled_by_whoever_uses_the_template() {
    let tree = alone(
        r#"Tree(
        version: 1,
        blackboard: { "n": Int(0) },
        templates: {
            "twice": (
                ports: { "n": In(Int) },
                nodes: { "body": One, "steps": Many, "last": One(default: Check("n > 5")) },
                root: Sequence([Check("n > 1"), Node("body"), Nodes("steps"), Idle, Node("last")]),
            ),
        },
        root: Use("twice", { "n": 3 }, { "body": Check("n > 2"), "steps": [Patrol, Check("n > 4")] }),
    )"#,
    );
    let expected = [
        "twice: Sequence",
        "  twice: Check(n > 1)",
        "  twice: Check(n > 2) <- n",
        "  twice: Patrol",
        "  twice: Check(n > 4) <- n",
        "  twice: Idle",
        "  twice: Check(n > 5)",
    ];
    assert_eq!(flat(&tree), expected);
}

const NESTED: &str = r#"Tree(
    version: 1,
    blackboard: { "n": Int(0) },
    templates: {
        "inner": (
            ports: { "n": In(Int) },
            nodes: { "body": One, "steps": Many(default: []) },
            root: Sequence(blackboard: { "k": Int(1) }, children: [
                Check("n > k"), Node("body"), Nodes("steps"), Inverter(Node("body")),
            ]),
        ),
        "outer": (
            nodes: { "a": One, "b": Many },
            root: Selector(blackboard: { "n": Int(7) }, children: [
                Use(template: "inner", name: "first", with: { "n": 1 }, nodes: {
                    "body": Sequence([Node("a"), Check("n == 7")]),
                    "steps": [Nodes("b"), Wait("n * 1.0"), Nodes("b")],
                }),
                Node("a"),
            ]),
        ),
    },
    root: Sequence(blackboard: { "k": Int(2) }, children: [
        Use(template: "outer", nodes: {
            "a": Check("n > k"),
            "b": [Use(template: "inner", with: { "n": "k" }, nodes: { "body": Set("k", "k + n") })],
        }),
    ]),
)"#;

#[test]
fn a_given_node_sees_what_is_seen_where_it_is_written() {
    let tree = alone(NESTED);
    let inner = |depth: &str, keys: &str| {
        let lines = ["Sequence", "  Check(n > k) <- ", "  Set(k = k + n)", "  Inverter", "    Set(k = k + n)"];
        let line = |it: &str| {
            let (spaces, own) = it.split_at(it.len() - it.trim_start().len());
            let keys = if own.ends_with("<- ") { keys } else { "" };
            format!("{depth}{spaces}outer.first.inner: {own}{keys}")
        };
        lines.map(line)
    };
    let mut expected: Vec<String> = vec![
        "Sequence".into(),
        "  outer: Selector".into(),
        "    outer.first: Sequence".into(),
        "      outer.first: Check(n > k) <- k".into(),
        "      outer.first: Sequence".into(),
        "        outer.first: Check(n > k) <- n, k".into(),
        "        outer.first: Check(n == 7) <- n".into(),
    ];
    expected.extend(inner("      ", "k, k"));
    expected.push("      outer.first: Wait((n * 1.0) s)".into());
    expected.extend(inner("      ", "k, k"));
    expected.extend([
        "      outer.first: Inverter".into(),
        "        outer.first: Sequence".into(),
        "          outer.first: Check(n > k) <- n, k".into(),
        "          outer.first: Check(n == 7) <- n".into(),
        "    outer: Check(n > k) <- n, k".into(),
    ]);
    assert_eq!(flat(&tree), expected);
    // The keys of nodes, by the nodes that have them.
    let key_of = |line: usize, name: &str| tree.nodes().nth(line).and_then(|it| it.key(name)).expect("it sees one");
    let owner = |line, name| tree.schema().decl(key_of(line, name)).node().map(pleach_core::NodeId::index);
    assert_eq!([owner(3, "k"), owner(5, "k"), owner(5, "n"), owner(6, "n")], [Some(2), Some(0), None, Some(1)]);
    assert_eq!([owner(8, "k"), owner(9, "k"), owner(9, "n"), owner(12, "n")], [Some(7), Some(0), None, Some(1)]);
}

#[test]
fn a_file_has_holes_too() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, blackboard: { "hp": Float(1.0) }, events: { "hit": () },
            root: Subtree("parts/guarded.ron", { "p": "hp" }, {
                "body": Sequence([Check("hp > 0.1"), OnEvent("hit"), Subtree("parts/plain.ron")]),
                "rest": [Use(template: "t", nodes: {})],
            }),
            templates: { "t": (nodes: { "x": One(default: Succeed) }, root: Inverter(Node("x"))) })"#,
        ),
        (
            "parts/guarded.ron",
            r#"Tree(version: 1, ports: { "p": In(Float) }, nodes: { "body": One, "rest": Many },
            blackboard: { "own": Bool(true) },
            templates: { "inside": (nodes: { "it": One }, root: ForceSuccess(Node("it"))) },
            interrupts: [(when: "p < 0.5", run: Sequence([Nodes("rest"), Idle]))],
            root: Guard("own", Use(template: "inside", nodes: { "it": Selector([Node("body"), Check("own")]) })))"#,
        ),
        ("parts/plain.ron", "Tree(version: 1, root: Patrol)"),
    ];
    let expected = [
        "guarded: ReactiveSelector",
        "  guarded: Guard(p < 0.5) <- hp",
        "    guarded: Sequence",
        "      guarded.t: Inverter",
        "        guarded.t: Succeed",
        "      guarded: Idle",
        "  guarded: Guard(own) <- guarded.own",
        "    guarded.inside: ForceSuccess",
        "      guarded.inside: Selector",
        "        guarded.inside: Sequence",
        "          guarded.inside: Check(hp > 0.1) <- hp",
        "          guarded.inside: OnEvent(hit)",
        "          guarded.inside.plain: Patrol",
        "        guarded.inside: Check(own) <- guarded.own",
    ];
    assert_eq!(flat(&tree(&list, "main.ron")), expected);
}

#[test]
fn what_follows_from_declarations_that_are_lost_is_not_wrong_too() {
    let lost = r#"Tree(version: 1, templates: { "odd": (nods: {}, root: Node("x")), "list": (nodes: [], root: Node("x")) },
        root: Sequence([Use("odd"), Use(template: "list", nodes: { "x": Idle })]))"#;
    let report = load_str("t.ron", lost, &registry()).expect_err("it is wrong");
    let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
    assert_eq!(said, ["a template has no field `nods`", "`nodes` must be a map like `{ \"body\": One }`, not a list"]);
}

#[test]
fn what_is_wrong_with_what_stands_in_holes() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, blackboard: { "n": Int(0) },
    templates: {
        "twice": (ports: { "x": In(Int) }, nodes: { "body": One, "more": Many(default: [Idle(id: "d")]) },
            root: Sequence([Node("body"), Nodes("more"), Inverter(Node("body")), Nodes("more")])),
        "only": (nodes: { "steps": Many }, root: Sequence(name: "empty", children: [Nodes("steps"), Nodes("steps")])),
        "pass": (nodes: { "it": One }, root: Use(template: "twice", with: { "x": 1 }, nodes: { "body": Node("it") })),
    },
    root: Sequence([
        Use(template: "twice", name: "a", with: { "x": "n" }, nodes: {
            "body": Sequence(id: "s", children: [Check("x > 1"), Check(id: "off", disabled: true, expr: "y")]),
        }),
        Use(template: "only", nodes: { "steps": [] }),
        Use(template: "only", nodes: { "steps": [Idle(disabled: true)] }),
        Use(template: "pass", name: "b", nodes: { "it": Subtree(asset: "part.ron", id: "p", nodes: { "hole": Idle(id: "i") }) }),
        Subtree("part.ron"),
        Subtree(asset: "part.ron", nodes: { "hole": Selector([Check("own"), Node("hole")]), "hloe": Idle }),
        Slot(name: "slot", trees: ["part.ron"]),
    ]))"#,
        ),
        (
            "part.ron",
            r#"Tree(version: 1, nodes: { "hole": One }, blackboard: { "own": Bool(true) },
    root: Sequence([Check("own"), Node("hole")]))"#,
        ),
    ];
    let report = super::library::load(&list, "main.ron").expect_err("it is wrong");
    compare("tests/libraries/holes_filled.txt", &format!("{report}\n\n{}\n", report.plain()));
    let report = super::library::load(&list, "part.ron").expect_err("it is a part");
    compare("tests/libraries/holes_part.txt", &format!("{report}\n"));
}

#[test]
fn a_part_is_checked_but_is_no_tree() {
    let part = r#"Tree(version: 1, nodes: { "x": One, "more": Many, "own": One(default: Idle), "gone": Many(default: []) },
        root: Selector([Node("x"), Sequence([Nodes("more"), Inverter(Node("own"))]), Node("x")]))"#;
    let library = pleach_asset::Library::new(files(&[("part.ron", part)]));
    // Nothing is known of the nodes that will be in its holes.
    let report = library.check_all(&registry());
    let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
    assert_eq!(said, ["the hole `gone` is not used: what is given for it is dropped"]);
    let refused = "this file is not a tree by itself: its hole `x` has no default";
    assert!(library.check("part.ron", &registry()).expect_err("no tree").to_string().contains(refused));
    assert!(pleach_asset::check_str("part.ron", part, &registry()).expect_err("no tree").to_string().contains(refused));
    let broken = part.replace("Inverter(Node", "Guard(\"nix\", Node");
    let report = pleach_asset::Library::new(files(&[("part.ron", &*broken)])).check_all(&registry());
    assert!(report.to_string().contains("unknown key `nix`"), "{report}");
}

/// The messages about a file, which has no keys.
fn refused(fields: &str) -> Vec<String> {
    let report = load_str("t.ron", &format!("Tree(version: 1, {fields})"), &registry()).map(drop).expect_err(fields);
    report.diagnostics().iter().map(|it| it.message().to_owned()).collect()
}

#[test]
fn a_hole_where_its_nodes_cannot_stand_is_left_out_of_the_rest() {
    let alone = "`Nodes` stands only in a list of children";
    for fields in [
        r#"nodes: {"x": Many(default: [])}, root: Nodes("x")"#,
        r#"nodes: {"x": Many(default: [Idle, Idle])}, root: Nodes("x")"#,
        r#"nodes: {"x": Many(default: [])}, interrupts: [(when: "true", run: Nodes("x"))], root: Idle"#,
        r#"templates: {"t": (nodes: {"x": Many}, root: Nodes("x"))}, root: Use("t", {}, {"x": []})"#,
        r#"templates: {"t": (nodes: {"x": Many}, root: Nodes("x"))}, root: Sequence([Use("t", {}, {"x": [Idle, Idle]}), Fail])"#,
        r#"templates: {
            "in": (nodes: {"x": One}, root: Node("x")),
            "out": (nodes: {"b": Many}, root: Use("in", {}, {"x": Nodes("b")})),
        }, root: Use("out", {}, {"b": [Idle, Idle]})"#,
    ] {
        assert_eq!(refused(fields), [alone], "{fields}");
    }
    let beside = refused(
        r#"nodes: {"x": Many(default: [Idle, Idle])}, root: RandomSelector([(weight: 2, child: Idle), Nodes("x")])"#,
    );
    assert_eq!(beside, ["`Nodes` cannot stand beside children with a `weight`"]);
}

#[test]
fn a_default_that_holds_a_hole_is_refused_and_does_not_fill_itself() {
    let held = "the default of a hole cannot hold a hole";
    assert_eq!(refused(r#"nodes: {"x": One(default: Node("x"))}, root: Node("x")"#), [held]);
    let both = refused(r#"nodes: {"x": One(default: Node("y")), "y": One(default: Node("x"))}, root: Node("x")"#);
    assert_eq!(both, [held, held]);
    let many = refused(r#"nodes: {"x": Many(default: [Nodes("x"), Nodes("x")])}, root: Sequence([Nodes("x")])"#);
    assert_eq!(many, [held, held]);
}

#[test]
fn a_template_cannot_use_itself_in_a_default() {
    let template = r#"templates: {"t": (nodes: {"x": One(default: Use("t"))}, root: Inverter(Node("x")))}"#;
    let found = ["a template cannot use itself: t -> t"];
    assert_eq!(refused(&format!(r#"{template}, root: Use("t")"#)), found);
    assert_eq!(refused(&format!("{template}, root: Idle")), found);
}

#[test]
fn ids_below_what_is_given_twice_are_refused_once_each() {
    let twice = r#""two": (nodes: {"x": One}, root: Sequence([Node("x"), Node("x"), Node("x")]))"#;
    let message = |id: &str| format!("two nodes would have the id `{id}`: the hole `x` occurs twice");
    let found = refused(&format!(
        r#"templates: {{ {twice}, "go": (root: Wait(seconds: 1.0, id: "w")) }},
        root: Use("two", {{}}, {{"x": Use(template: "go", id: "g")}})"#
    ));
    assert_eq!(found, [message("w"), message("g")]);
    let found = refused(&format!(r#"templates: {{ {twice} }}, root: Use("two", {{}}, {{"x": Idle(id: "i")}})"#));
    assert_eq!(found, [message("i")]);
}

#[test]
fn slots_of_defaults_have_names_of_their_own() {
    let slot = r#"Slot(name: "w", trees: [])"#;
    let found = refused(&format!(r#"nodes: {{"x": One(default: {slot})}}, root: Sequence([Node("x"), {slot}])"#));
    assert!(found.contains(&"another slot is also called `w`".to_owned()), "{found:?}");
}

#[test]
fn files_that_lend_templates_are_named_once() {
    let found = refused(r#"templates_from: ["a.ron", "b.ron", "a.ron"], root: Idle"#);
    assert!(found.contains(&"`a.ron` is there twice".to_owned()), "{found:?}");
    let many: String = (0..100_000).map(|it| format!("\"{it}.ron\", ")).collect();
    let found = refused(&format!("templates_from: [{many}], root: Idle"));
    assert!(found.contains(&"more than 64 files in `templates_from`".to_owned()), "{found:?}");
}
