//! Files that include each other.

use std::collections::BTreeMap;

use pleach_asset::{Library, Registry, Report, Source, SourceError};
use pleach_core::{Forest, Tree};

use super::common::{Game, registry};

type Files = BTreeMap<String, String>;

pub(crate) fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

pub(crate) fn load(list: &[(&str, &str)], name: &str) -> Result<Tree<Game>, Report> {
    Library::new(files(list)).load(name, &registry())
}

pub(crate) fn tree(list: &[(&str, &str)], name: &str) -> Tree<Game> {
    load(list, name).unwrap_or_else(|it| panic!("{it}"))
}

/// The report of a failed load, one line per problem.
pub(crate) fn problems(list: &[(&str, &str)], name: &str) -> String {
    load(list, name).expect_err("it is wrong").plain()
}

fn lines(tree: &Tree<Game>) -> Vec<String> {
    tree.nodes().map(|it| it.to_string()).collect()
}

#[test]
fn the_root_of_the_other_file_takes_the_nodes_place() {
    let list = [
        ("main.ron", r#"Tree(version: 1, root: Selector([Subtree("parts/fight.ron"), Idle]))"#),
        (
            "parts/fight.ron",
            r#"Tree(version: 1, root: Sequence([Subtree(asset: "../wait.ron", name: "pause"), Fail]))"#,
        ),
        ("wait.ron", "Tree(version: 1, root: Wait(2.0))"),
    ];
    let tree = tree(&list, "main.ron");
    assert_eq!(tree.name(), "main");
    let expected = ["n0 Selector", "n1 fight: Sequence", "n2 fight.pause: Wait(2 s)", "n3 fight: Fail", "n4 Idle"];
    assert_eq!(lines(&tree), expected);
    let node = |at: usize| tree.nodes().nth(at).unwrap();
    assert_eq!(node(2).path(), "Selector/fight:Sequence[0]/pause:Wait[0]");
    for node in tree.nodes() {
        assert_eq!(tree.find_path(&node.path()).map(|it| it.id()), Some(node.id()));
    }
    let instances: Vec<_> = tree.instances().collect();
    assert_eq!(instances.len(), 2);
    let [fight, pause] = instances[..] else { panic!("two") };
    assert_eq!((fight.full_name(), fight.file(), fight.root().id()), ("fight", Some("parts/fight.ron"), node(1).id()));
    assert_eq!((pause.full_name(), pause.file(), pause.root().id()), ("fight.pause", Some("wait.ron"), node(2).id()));
    assert_eq!(pause.parent().map(|it| it.index()), Some(fight.index()));
    let of = |at: usize| node(at).instance().map(|it| it.name());
    assert_eq!([of(0), of(1), of(2), of(3), of(4)], [None, Some("fight"), Some("pause"), Some("fight"), None]);
}

#[test]
fn instances_may_begin_with_one_node() {
    let list = [
        ("a.ron", r#"Tree(version: 1, root: Subtree("b.ron"))"#),
        ("b.ron", r#"Tree(version: 1, blackboard: { "n": Int(2) }, root: Subtree("c.ron", { "n": "n" }))"#),
        ("c.ron", r#"Tree(version: 1, ports: { "n": In(Int) }, root: Sequence([Check("n > 1"), Idle]))"#),
    ];
    let tree = tree(&list, "a.ron");
    assert_eq!(lines(&tree), ["n0 b.c: Sequence", "n1 b.c: Check(n > 1)", "n2 b.c: Idle"]);
    assert_eq!(tree.root().path(), "b:c:Sequence");
    assert_eq!(tree.find_path("b:c:Sequence/Check[0]").map(|it| it.id().index()), Some(1));
    let names: Vec<&str> = tree.schema().keys().map(|it| it.name()).collect();
    assert_eq!(names, ["b.n"]);
}

const COUNTER: &str = r#"Tree(version: 1, ports: { "step": In(Int, 1), "total": InOut(Int) },
    blackboard: { "own": Int(0) }, root: Sequence([
        Set(key: "own", to: "own + step"), Set(key: "total", to: "total + own"),
    ]))"#;

#[test]
fn keys_are_private_to_each_place_and_ports_are_bound() {
    let main = r#"Tree(version: 1, blackboard: { "sum": Int(0), "own": Int(100), "by": Int(5) }, root: Sequence([
        Subtree(asset: "count.ron", name: "one", with: { "total": "sum" }),
        Subtree(asset: "count.ron", name: "ten", with: { "total": "agent.sum", "step": 10 }),
        Subtree(asset: "count.ron", name: "five", with: { "total": "sum", "step": "by" }),
    ]))"#;
    let tree = tree(&[("main.ron", main), ("count.ron", COUNTER)], "main.ron");
    let names: Vec<&str> = tree.schema().keys().map(|it| it.name()).collect();
    assert_eq!(names, ["sum", "own", "by", "one.own", "ten.own", "five.own"]);
    let own = tree.key::<i64>("ten.own").unwrap();
    assert_eq!(tree.key_at::<i64>(pleach_core::NodeId::new(2).unwrap(), "own").unwrap(), tree.key("one.own").unwrap());
    let sum = tree.key::<i64>("sum").unwrap();
    let mut forest = Forest::<Game>::new(1);
    let tree = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut (), tree).unwrap();
    for _ in 0..2 {
        forest.tick(&mut (), 0.1).unwrap();
    }
    let keys = forest.keys(agent).unwrap();
    assert_eq!((keys.get(own), keys.get(sum)), (20, 16 + 32));
    assert_eq!(keys.value("own").unwrap(), 100_i64.into());
}

/// What an agent costs, and its nodes.
fn same_cost(spliced: &Tree<Game>, written: &Tree<Game>) {
    assert_eq!(spliced.footprint(), written.footprint());
    assert_eq!(spliced.run_stacks(), written.run_stacks());
    let shape = |it: &Tree<Game>| -> Vec<String> {
        it.nodes()
            .map(|it| format!("{:?} {} {:?} {}", it.node_kind(), it.detail(), it.abort(), it.subtree().len()))
            .collect()
    };
    assert_eq!(shape(spliced), shape(written));
}

#[test]
fn a_spliced_tree_costs_what_the_same_tree_costs_that_is_written_out() {
    let main = r#"Tree(version: 1, blackboard: { "home": Vec3(1, 2, 3), "weak": Bool(false) }, root: Selector([
        Subtree(asset: "go.ron", name: "flee", with: { "when": "weak", "target": "home", "pace": 2.5 }),
        Idle,
    ]))"#;
    let go = r#"Tree(version: 1, ports: { "when": In(Bool), "target": In(Vec3), "pace": In(Float) },
        root: Sequence(abort: Both, children: [Check("when && pace > 2"), MoveTo(target: "target", speed: 1.0)]))"#;
    let by_hand = r#"Tree(version: 1, blackboard: { "home": Vec3(1, 2, 3), "weak": Bool(false) }, root: Selector([
        Sequence(abort: Both, children: [Check("weak && 2.5 > 2"), MoveTo(target: "home", speed: 1.0)]),
        Idle,
    ]))"#;
    let spliced = tree(&[("main.ron", main), ("go.ron", go)], "main.ron");
    let written = tree(&[("main.ron", by_hand)], "main.ron");
    assert_eq!(spliced.footprint(), written.footprint());
    assert_eq!(spliced.len(), written.len());
}

#[test]
fn interrupts_of_a_file_stand_around_its_own_root() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, blackboard: { "hit": Bool(false) }, root: Sequence([
            Subtree("part.ron", { "hit": "hit" }), Idle]))"#,
        ),
        (
            "part.ron",
            r#"Tree(version: 1, ports: { "hit": In(Bool) }, interrupts: [(when: "hit", run: Fail)], root: Wait(1.0))"#,
        ),
    ];
    let expected = [
        "n0 Sequence",
        "n1 part: ReactiveSelector",
        "n2 part: Guard(hit)",
        "n3 part: Fail",
        "n4 part: Wait(1 s)",
        "n5 Idle",
    ];
    let spliced = tree(&list, "main.ron");
    assert_eq!(lines(&spliced), expected);
    let by_hand = r#"Tree(version: 1, blackboard: { "hit": Bool(false) }, root: Sequence([
        ReactiveSelector([Guard("hit", Fail), Wait(1.0)]), Idle]))"#;
    same_cost(&spliced, &tree(&[("main.ron", by_hand)], "main.ron"));
}

#[test]
fn ids_and_notes_are_those_of_the_instance() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, root: Sequence([
            Subtree(asset: "part.ron", id: "a"), Subtree(asset: "part.ron", name: "b", note: "again"),
            Subtree(asset: "part.ron", disabled: true), Subtree(asset: "missing.ron", disabled: true),
        ]))"#,
        ),
        ("part.ron", r#"Tree(version: 1, root: Wait(seconds: 1.0, id: "pause"))"#),
    ];
    let tree = tree(&list, "main.ron");
    let ids: Vec<Option<&str>> = tree.nodes().map(|it| it.id_text()).collect();
    assert_eq!(ids, [None, Some("a.pause"), Some("b.pause")]);
    let [a, b] = tree.instances().collect::<Vec<_>>()[..] else { panic!("two") };
    assert_eq!((a.id_text(), a.name(), b.id_text(), b.note()), (Some("a"), "part", None, Some("again")));
}

#[test]
fn group_keys_and_events_are_shared_by_name() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, group: { "alarm": Bool(false) }, events: { "noise": Vec2, "shout": () },
            root: Sequence([Check("alarm"), Subtree("part.ron"), Emit("shout")]))"#,
        ),
        (
            "part.ron",
            r#"Tree(version: 1, group: { "alarm": Bool(false) }, global: { "day": Bool(true) }, events: { "shout": () },
            root: Sequence([Set("group.alarm", "day"), Emit("shout")]))"#,
        ),
    ];
    let tree = tree(&list, "main.ron");
    let names: Vec<String> = tree.schema().keys().map(|it| format!("{} {}", it.scope(), it.name())).collect();
    assert_eq!(names, ["group alarm", "global day"]);
    assert_eq!(tree.schema().events().len(), 2);
}

#[test]
fn a_file_with_ports_can_stand_alone() {
    let tree = tree(&[("count.ron", COUNTER)], "count.ron");
    let names: Vec<String> =
        tree.schema().keys().map(|it| format!("{} {}", it.name(), tree.schema().describe(it.default()))).collect();
    assert_eq!(names, ["own 0", "step 1", "total 0"]);
    let alone = pleach_asset::load_str("count.ron", COUNTER, &registry());
    assert!(alone.is_ok());
}

#[test]
fn symbols_and_node_keys_can_be_ports() {
    let list = [
        (
            "main.ron",
            r#"Tree(version: 1, blackboard: { "mode": Symbol("idle", ["idle", "alert"]) }, root: Sequence(
            blackboard: { "left": Int(3) }, children: [
                Subtree("part.ron", { "mode": "mode", "calm": alert, "left": "left" }),
                Subtree(asset: "part.ron", name: "again", with: { "mode": "mode", "left": "node.left" }),
            ]))"#,
        ),
        (
            "part.ron",
            r#"Tree(version: 1, ports: { "mode": InOut(Symbol(["alert", "idle"])), "left": Out(Int),
            "calm": In(Symbol(["alert", "idle"]), idle) }, root: Sequence([
                Set("left", "1"), Set("mode", "calm"), Check("calm == idle"), Switch(on: "calm", cases: { "idle": Idle }),
            ]))"#,
        ),
    ];
    let tree = tree(&list, "main.ron");
    let names: Vec<String> =
        tree.schema().keys().map(|it| format!("{} {}", it.name(), tree.schema().describe(it.default()))).collect();
    assert_eq!(names, ["mode idle", "left 3", "part.calm alert", "again.calm idle"]);
}

#[test]
fn a_value_that_a_leaf_has_as_a_key_is_a_key_of_the_instance() {
    let list = [
        ("main.ron", r#"Tree(version: 1, root: Subtree("outer.ron", { "target": (1, 2, 3), "pace": 2 }))"#),
        (
            "outer.ron",
            r#"Tree(version: 1, ports: { "target": In(Vec3), "pace": In(Float) }, root: Sequence([
            Check("target.y > pace"), Subtree("inner.ron", { "to": "target", "pause": "pace" })]))"#,
        ),
        (
            "inner.ron",
            r#"Tree(version: 1, ports: { "to": In(Vec3), "pause": In(Float) }, root: Sequence([
            MoveTo(target: "to"), Wait("pause")]))"#,
        ),
    ];
    let tree = tree(&list, "main.ron");
    let names: Vec<String> =
        tree.schema().keys().map(|it| format!("{} {}", it.name(), tree.schema().describe(it.default()))).collect();
    assert_eq!(names, ["outer.target (1, 2, 3)"]);
}

#[test]
fn a_source_that_does_not_list_its_files_is_one_too() {
    struct Silent;
    impl Source for Silent {
        fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
            match name {
                "a" => Ok(br#"Tree(version: 1, root: Subtree("b"))"#.to_vec()),
                "b" => Ok(b"Tree(version: 1, root: Idle)".to_vec()),
                _ => Err(SourceError::Missing),
            }
        }
    }
    let mut library = Library::new(Silent);
    assert_eq!(library.load("a", &Registry::<Game>::new()).unwrap().len(), 1);
    let wrong = library.load("c", &Registry::<Game>::new()).unwrap_err().plain();
    assert_eq!(wrong, "c:1:1: error[P0601]: cannot read `c`: it does not exist");
}
