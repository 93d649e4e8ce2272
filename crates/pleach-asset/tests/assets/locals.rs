//! Locals of nodes, files and templates: what resets them to their defaults, and which nodes see
//! them (SEMANTICS 8.35).

use super::common::{Game, registry};
use super::library::tree;

use pleach_asset::load_str;
use pleach_core::{Brain, Outcome, Tree, schema::Scope};

fn load(source: &str) -> Tree<Game> {
    load_str("test.ron", source, &registry()).unwrap_or_else(|it| panic!("{source}\n{it}"))
}

/// How the root ends, tick by tick.
fn ends(tree: Tree<Game>, ticks: usize) -> Vec<Option<bool>> {
    let mut brain = Brain::new(&mut Default::default(), tree, 7);
    let mut tick = || brain.tick(&mut Default::default(), 1.0).unwrap().map(|it| it == Outcome::Success);
    (0..ticks).map(|_| tick()).collect()
}

/// Each run counts to one, wherever the local is declared.
#[test]
fn the_start_of_whatever_declares_it_gives_the_default_back() {
    let counts = r#"Set(key: "n", to: "n + 1"), Check("n == 1")"#;
    let trees = [
        format!(r#"Tree(version: 1, locals: {{ "n": Int(0) }}, root: Sequence([{counts}]))"#),
        format!(r#"Tree(version: 1, root: Sequence(locals: {{ "n": Int(0) }}, children: [{counts}]))"#),
        format!(
            r#"Tree(version: 1, root: Inverter(locals: {{ "n": Int(0) }}, child: Inverter(Sequence([{counts}]))))"#
        ),
        format!(
            r#"Tree(version: 1, templates: {{ "t": (locals: {{ "n": Int(0) }}, root: Sequence([{counts}])) }}, root: Use("t"))"#
        ),
        // The root is a leaf; and with interrupts the node above it is the root.
        r#"Tree(version: 1, templates: { "t": (ports: { "x": InOut(Int) }, root: Set(key: "x", to: "x + 1")) },
            locals: { "n": Int(0) }, root: Sequence([Use(template: "t", with: { "x": "n" }), Check("n == 1")]))"#
            .to_owned(),
        format!(
            r#"Tree(version: 1, locals: {{ "n": Int(0) }}, interrupts: [(when: "n > 5", run: Fail)], root: Sequence([{counts}]))"#
        ),
    ];
    for source in trees {
        assert_eq!(ends(load(&source), 3), [Some(true); 3], "{source}");
    }
    // As a key of the blackboard it counts on.
    let kept = format!(r#"Tree(version: 1, blackboard: {{ "n": Int(0) }}, root: Sequence([{counts}]))"#);
    assert_eq!(ends(load(&kept), 3), [Some(true), Some(false), Some(false)]);
}

/// A template whose root is another one, and what it gives to that one.
#[test]
fn a_part_that_begins_with_another_part_has_its_own() {
    let source = r#"Tree(
        version: 1,
        locals: { "n": Int(3) },
        templates: {
            "inner": (
                ports: { "most": In(Int), "count": Out(Int) }, locals: { "n": Int(0) },
                root: Sequence([Set(key: "n", to: "n + most"), Set(key: "count", to: "n")]),
            ),
            "outer": (
                ports: { "from": InOut(Int) }, locals: { "n": Int(10), "step": Int(2) },
                root: Use(template: "inner", with: { "most": "step", "count": "n" }),
            ),
        },
        root: Sequence([
            Use(template: "outer", name: "a", with: { "from": "n" }),
            Use(template: "outer", name: "b", with: { "from": "n" }),
            Check("n == 3"), Set(key: "n", to: "9"),
        ]),
    )"#;
    let tree = load(source);
    let names: Vec<_> =
        tree.schema().keys().map(|it| (it.name().to_owned(), it.scope(), it.node().unwrap().index())).collect();
    let key = |name: &str, node: usize| (name.to_owned(), Scope::Node, node);
    let expected = [
        key("n", 0),
        key("a.n", 1),
        key("a.step", 1),
        key("a.inner.n", 1),
        key("b.n", 4),
        key("b.step", 4),
        key("b.inner.n", 4),
    ];
    assert_eq!(names, expected);
    assert_eq!(ends(tree, 3), [Some(true); 3]);
}

/// Each place that includes a file has its own; the file's templates do not see them.
#[test]
fn each_instance_of_a_file_has_its_own() {
    let count =
        r#"Tree(version: 1, locals: { "n": Int(0) }, root: Sequence([Set(key: "n", to: "n + 1"), Check("n == 1")]))"#;
    let main = r#"Tree(version: 1, locals: { "n": Int(7) }, root: Sequence([
        Subtree(asset: "count.ron", name: "one"), Subtree(asset: "count.ron", name: "two"),
        Repeat(count: 3, child: Subtree("count.ron")), Check("n == 7"),
    ]))"#;
    let root = r#"Tree(version: 1, locals: { "n": Int(7) }, root: Subtree("count.ron"))"#;
    let files = [("main.ron", main), ("count.ron", count), ("root.ron", root)];
    let main = tree(&files, "main.ron");
    let mut brain = Brain::new(&mut Default::default(), main, 7);
    let ended: Vec<_> = (0..6).map(|_| brain.tick(&mut Default::default(), 1.0).unwrap()).collect();
    assert_eq!(ended, [None, None, Some(Outcome::Success), None, None, Some(Outcome::Success)]);
    let root = tree(&files, "root.ron");
    let names: Vec<_> = root.schema().keys().map(|it| it.name().to_owned()).collect();
    assert_eq!(names, ["n", "count.n"]);

    let source =
        r#"Tree(version: 1, locals: { "n": Int(0) }, templates: { "t": (root: Check("n > 0")) }, root: Use("t"))"#;
    let said = load_str("test.ron", source, &registry()).unwrap_err().to_string();
    assert!(said.contains("unknown key `n`"), "{said}");
}
