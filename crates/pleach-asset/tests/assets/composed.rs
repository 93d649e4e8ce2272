//! Templates, and slots.

use pleach_asset::{Asset, Library, load_str};
use pleach_core::{AgentId, Brain, Forest, Spawn, Tree};

use super::common::{Game, compare, registry};
use super::library::{files, load, tree};

fn lines(tree: &Tree<Game>) -> Vec<String> {
    tree.nodes().map(|it| it.to_string()).collect()
}

const TEMPLATES: &str = r#"Tree(
    version: 1,
    blackboard: { "home": Vec3(0, 0, 0), "tired": Bool(false), "steps": Int(0) },
    templates: {
        "go": (
            ports: { "to": In(Vec3), "pause": In(Float, 1.0), "count": InOut(Int) },
            root: Sequence([Check("!tired"), Set("count", "count + 1"), MoveTo(target: "to"), Wait("pause")]),
        ),
        "twice": (root: Sequence([
            Use("go", { "to": "home", "count": "steps" }),
            Use(template: "go", name: "back", with: { "to": (1, 2, 3), "pause": 2, "count": "steps" }),
        ])),
    },
    root: Selector([Use("twice"), Idle]),
)"#;

#[test]
fn templates_are_parts_that_see_their_file() {
    let tree = load_str("t.ron", TEMPLATES, &registry()).unwrap_or_else(|it| panic!("{it}"));
    let expected = [
        "n0 Selector",
        "n1 twice: Sequence",
        "n2 twice.go: Sequence",
        "n3 twice.go: Check(!tired)",
        "n4 twice.go: Set(count = count + 1)",
        "n5 twice.go: MoveTo(target: \"to\")",
        "n6 twice.go: Wait(pause s)",
        "n7 twice.back: Sequence",
    ];
    assert_eq!(lines(&tree)[..8], expected);
    let names: Vec<&str> = tree.schema().keys().map(|it| it.name()).collect();
    assert_eq!(names, ["home", "tired", "steps", "twice.back.to"]);
    let written = Asset::parse("t.ron", TEMPLATES).unwrap();
    assert_eq!(Asset::parse("again.ron", &written.to_ron()).unwrap(), written);
}

#[test]
fn templates_of_an_included_file_see_that_file() {
    let list = [
        ("main.ron", r#"Tree(version: 1, blackboard: { "n": Bool(true) }, root: Subtree("part.ron", { "go": "n" }))"#),
        (
            "part.ron",
            r#"Tree(version: 1, ports: { "go": In(Bool) }, blackboard: { "own": Int(0) }, group: { "all": Bool(true) },
            events: { "done": () }, templates: { "t": (root: Sequence([Check("go && all && own == 0"), Emit("done")])) },
            root: Sequence([Use("t"), Use("t")]))"#,
        ),
    ];
    let tree = tree(&list, "main.ron");
    assert_eq!(lines(&tree)[1], "n1 part.t: Sequence");
    assert_eq!(tree.len(), 7);
}

#[test]
fn what_is_wrong_with_templates() {
    let source = r#"Tree(
    version: 1,
    templates: {
        "a": (root: Sequence([Use("b"), Check("nix")])),
        "b": (ports: { "p": In(Int) }, root: Inverter(Use("a"))),
        "self": (root: Use("self")),
        "unused": (ports: { "nothing": In(Int) }, root: Idle),
        "a": (root: Idle),
        "none": (),
        "odd": (rot: Idle),
        "no struct": Idle,
        "off": (root: Wait(seconds: 1.0, disabled: true)),
    },
    root: Sequence([Use("a"), Use("a"), Use("slef"), Use("b"), Use("b", { "p": "x", "q": 1 }), Use()]),
)"#;
    let report = load_str("t.ron", source, &registry()).expect_err("it is wrong");
    compare("tests/libraries/templates.txt", &format!("{report}\n"));
    let unused = r#"Tree(version: 1, templates: { "t": (ports: { "p": In(Int) }, root: Idle) }, root: Idle)"#;
    let (_, report) = pleach_asset::check_str("t.ron", unused, &registry()).unwrap();
    assert_eq!(report.diagnostics().len(), 2, "{report}");
}

const SWORD: &str = r#"Tree(version: 1, ports: { "at": In(Vec3) }, blackboard: { "combo": Int(0) },
    root: Sequence([Set("combo", "combo + 1"), MoveTo(target: "at")]))"#;
const BOW: &str = r#"Tree(version: 1, ports: { "at": In(Vec3), "range": In(Float, 9.0) }, root: Sequence([Check("at.x < range"), Idle]))"#;
const SOLDIER: &str = r#"Tree(version: 1, blackboard: { "foe": Vec3(0, 0, 0) }, root: Selector([
    Slot(name: "weapon", trees: ["arms/sword.ron", "arms/bow.ron"], initial: "sword", with: { "at": "foe" }),
    Idle,
]))"#;

fn soldiers() -> Vec<(&'static str, &'static str)> {
    vec![("main.ron", SOLDIER), ("arms/sword.ron", SWORD), ("arms/bow.ron", BOW)]
}

fn running(forest: &Forest<Game>, agent: AgentId) -> String {
    let view = forest.agent(agent).unwrap().inspect();
    view.current().map(|it| view.tree.node(it).unwrap().to_string()).collect()
}

#[test]
fn a_slot_runs_what_it_is_filled_with() {
    let tree = tree(&soldiers(), "main.ron");
    let expected = [
        "n0 Selector",
        "n1 Slot(sword, bow) \"weapon\"",
        "n2 weapon.sword: Sequence",
        "n3 weapon.sword: Set(combo = combo + 1)",
        "n4 weapon.sword: MoveTo(target: \"at\")",
        "n5 weapon.bow: Sequence",
    ];
    assert_eq!(lines(&tree)[..6], expected);
    let mut forest = Forest::<Game>::new(1);
    let soldiers = forest.add_tree(tree).unwrap();
    let squad = forest.new_group();
    let spawn = || Spawn { group: Some(squad), ..Spawn::default() };
    let one = forest.spawn_with(&mut (), soldiers, spawn()).unwrap();
    let other = forest.spawn(&mut (), soldiers).unwrap();
    forest.tick(&mut (), 0.1).unwrap();
    assert_eq!(running(&forest, one), "n4 weapon.sword: MoveTo(target: \"at\")");

    assert!(forest.agent_mut(one).unwrap().fill("weapon", "bow").unwrap());
    assert!(!forest.agent_mut(one).unwrap().fill("weapon", "bow").unwrap());
    forest.tick(&mut (), 0.1).unwrap();
    assert_eq!(running(&forest, one), "n7 weapon.bow: Idle");
    assert_eq!(running(&forest, other), "n4 weapon.sword: MoveTo(target: \"at\")");

    // An empty slot fails, and wakes sleeping agents.
    assert_eq!(forest.group_mut(squad).unwrap().fill("weapon", "empty").unwrap(), 1);
    forest.tick(&mut (), 0.1).unwrap();
    assert_eq!(running(&forest, one), "n8 Idle");
    assert_eq!(forest.population_mut(soldiers).unwrap().fill("weapon", "bow").unwrap(), 2);
    forest.tick(&mut (), 0.1).unwrap();
    assert_eq!(running(&forest, other), "n7 weapon.bow: Idle");
    assert_eq!(forest.keys(other).unwrap().value("weapon.sword.combo").unwrap(), 1_i64.into());
}

#[test]
fn a_slot_is_only_filled_with_what_it_has() {
    let list = [soldiers(), vec![("squad.ron", r#"Tree(version: 1, root: Subtree(asset: "main.ron", name: "left"))"#)]]
        .concat();
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(tree(&list, "squad.ron")).unwrap();
    let agent = forest.spawn(&mut (), id).unwrap();
    let fill = |forest: &mut Forest<Game>, slot: &str, word: &str| {
        forest.agent_mut(agent).unwrap().fill(slot, word).map_err(|it| it.to_string())
    };
    assert_eq!(fill(&mut forest, "left.weapon", "bow"), Ok(true));
    let wrong = fill(&mut forest, "left.weapon", "bwo").unwrap_err();
    assert_eq!(wrong, "the slot `left.weapon` has no tree `bwo`; did you mean `bow`?");
    let wrong = fill(&mut forest, "weapon", "bow").unwrap_err();
    assert_eq!(wrong, "the tree has no slot `weapon`; did you mean `left.weapon`?");
    let wrong = fill(&mut forest, "hand", "bow").unwrap_err();
    assert_eq!(wrong, "the tree has no slot `hand`; the only slot is `left.weapon`");
    let wrong = fill(&mut forest, "left.weapon", "trebuchet").unwrap_err();
    assert_eq!(wrong, "the slot `left.weapon` has no tree `trebuchet`; the trees are `sword`, `bow` and `empty`");
    let error = forest.population_mut(id).unwrap().fill("left.weapn", "bow").unwrap_err().to_string();
    assert_eq!(error, "the tree has no slot `left.weapn`; did you mean `left.weapon`?");
    let empty = forest.new_group();
    assert_eq!(forest.group_mut(empty).unwrap().fill("weapon", "bow"), Ok(0));

    let mut brain = Brain::new(&mut (), tree(&soldiers(), "main.ron"), 1);
    assert!(brain.fill("weapon", "bow").unwrap());
    assert!(brain.fill("weapon", "axe").is_err());
}

#[test]
fn a_node_of_an_instance_is_found_by_its_name_behind_that_of_the_instance() {
    let squad = r#"Tree(version: 1, root: Sequence([
        Subtree(asset: "look.ron", name: "a"), Subtree(asset: "look.ron", name: "b")]))"#;
    let list = [
        ("squad.ron", squad),
        ("look.ron", r#"Tree(version: 1, root: Sequence([Wait(1.0), Idle(name: "look", id: "l")]))"#),
    ];
    let tree = tree(&list, "squad.ron");
    let found = |text: &str| tree.find_printed(text).map(|it| it.to_string()).map_err(|it| it.to_string());
    assert_eq!(tree.find_one("b.look").map(|it| it.to_string()), Ok("n6 b: Idle \"look\"".to_owned()));
    for text in ["b.look", "\"b.look\"", "b.l", "n6", "n6 b: Idle \"look\"", "Sequence/b:Sequence[1]/look[1]"] {
        assert_eq!(found(text), Ok("n6 b: Idle \"look\"".to_owned()), "{text}");
    }
    assert_eq!(found("b"), Ok("n4 b: Sequence".to_owned()), "an instance means its first node");
    let twice = "several nodes of `squad` are called `look`, n3 and n6 among them: \
                 say `a.look` or `b.look`, or give one an `id`";
    assert_eq!(found("look"), Err(twice.to_owned()));
    assert_eq!(tree.find_one("look").map(|it| it.to_string()).map_err(|it| it.to_string()), Err(twice.to_owned()));
}

#[test]
fn an_instance_that_is_named_like_a_slot_is_none() {
    let squad = r#"Tree(version: 1, root: Sequence([
        Subtree(asset: "main.ron", name: "slot:left"), Subtree(asset: "main.ron", name: "a.slot:b")]))"#;
    let list = [soldiers(), vec![("squad.ron", squad)]].concat();
    let tree = tree(&list, "squad.ron");
    let mut forest = Forest::<Game>::new(1);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut (), id).unwrap();
    let mut fill = |slot: &str| forest.agent_mut(agent).unwrap().fill(slot, "bow").map_err(|it| it.to_string());
    assert_eq!(fill("slot:left.weapon"), Ok(true));
    assert_eq!(fill("a.slot:b.weapon"), Ok(true));
    // The first key of the sword is `combo`, of the instance `slot:left.weapon.sword`.
    for none in ["left.weapon", "left.weapon.sword.combo", "a.b.weapon"] {
        assert!(fill(none).unwrap_err().starts_with("the tree has no slot"), "{none}");
    }
}

#[test]
fn a_file_that_is_in_another_folder_is_meant() {
    let idle = "Tree(version: 1, root: Idle)";
    let main = r#"Tree(version: 1, root: Sequence([Subtree("weapons/bow.ron"), Subtree("parts/bow.ron")]))"#;
    let report = load(&[("main.ron", main), ("parts/bow.ron", idle)], "main.ron");
    let report = report.expect_err("it does not exist").plain();
    let expected = "there is no file `weapons/bow.ron` to include; in: Tree > Sequence > Subtree; help: did you mean \
                    `parts/bow.ron`?";
    assert!(report.contains(expected), "{report}");
}

/// The name in a suggestion is the path from the file that includes, so that it can stand there.
#[test]
fn a_file_that_is_meant_is_written_as_the_way_to_it() {
    let idle = "Tree(version: 1, root: Idle)";
    let main = r#"Tree(version: 1, root: Subtree("../parts/bwo.ron"))"#;
    let report = load(&[("a/main.ron", main), ("parts/bow.ron", idle), ("a/help.ron", idle)], "a/main.ron");
    let report = report.expect_err("it does not exist");
    assert!(report.plain().ends_with("help: did you mean `../parts/bow.ron`?"), "{}", report.plain());
    let [edit] = report.diagnostics()[0].fixes()[0].edits() else { panic!("{report}") };
    assert_eq!(edit.text(), "\"../parts/bow.ron\"");
    // Two that are as likely: a person has to choose.
    let files =
        [("main.ron", r#"Tree(version: 1, root: Subtree("x/bow.ron"))"#), ("a/bow.ron", idle), ("b/bow.ron", idle)];
    let report = load(&files, "main.ron").expect_err("it does not exist");
    assert!(report.plain().ends_with("help: did you mean `a/bow.ron` or `b/bow.ron`?"), "{}", report.plain());
    assert!(report.diagnostics()[0].fixes().is_empty());
}

#[test]
fn a_path_out_of_the_library_says_what_to_do() {
    let report = load(&[("main.ron", r#"Tree(version: 1, root: Subtree("../common/x.ron"))"#)], "main.ron");
    let report = report.expect_err("it leads out").plain();
    assert!(report.contains("leads out of the folder") && report.contains("`pleach check ..`"), "{report}");
}

#[test]
fn a_file_that_is_not_there_is_not_the_one_that_wants_it() {
    let list = [("guards.ron", r#"Tree(version: 1, root: Subtree("guard.ron"))"#)];
    let report = load(&list, "guards.ron").expect_err("it does not exist").to_string();
    assert!(report.contains("there is no file `guard.ron`") && !report.contains("did you mean"), "{report}");
}

#[test]
fn a_name_of_a_file_that_is_too_long_hides_no_reason() {
    let main = format!(r#"Tree(version: 1, root: Subtree("{}.ron"))"#, "long".repeat(1_000));
    let report = load(&[("main.ron", &main)], "main.ron").expect_err("it does not exist").plain();
    assert!(report.len() < 1_500 && report.contains("there is no file `long"), "{report}");
    assert!(report.contains("longlo ... ") && report.contains("long.ron` to include"), "{report}");
}

#[test]
fn what_is_wrong_with_slots() {
    let main = r#"Tree(version: 1, blackboard: { "foe": Vec3(0, 0, 0) }, root: Selector([
    Slot(name: "a", trees: ["arms/sword.ron", "arms/bow.ron"]),
    Slot(name: "a", trees: ["arms/bow.ron"], with: { "at": "foe", "rnge": 2 }),
    Slot("b", ["arms/sword.ron", "arms/sword.ron", "more/empty.ron", "arms/two-handed.ron"], "swrod", { "at": "foe" }),
    Slot("c", [], "empty"),
    Slot("not a name", ["missing.ron"]),
    Slot(trees: "arms/bow.ron"),
    Slot(name: "d", tree: ["arms/bow.ron"]),
    Slot(name: "e", trees: ["arms/sword.ron", "arms/bow.ron"], with: { "at": "foe", "range": 3 }),
]))"#;
    let mut list = soldiers();
    list[0].1 = main;
    let report = load(&list, "main.ron").expect_err("it is wrong");
    compare("tests/libraries/slots.txt", &format!("{report}\n"));
}

#[test]
fn all_of_it_is_written_as_it_is_read() {
    let source = r#"Tree(version: 1, ports: { "a": In(Vec2, (1, 2)), "b": Out(Symbol(["x", "y"])), "c": In(Symbol(["x", "y"]), y),
        "d": In(Int), "e": In(Entity, none), "f": In(Bool, true), "g": InOut(Vec3) }, root: Selector([
            Subtree("a.ron"), Subtree(asset: "b.ron", name: "n", id: "i", note: "x", disabled: true, with: { "p": "k", "q": (1, 2) }),
            Slot(name: "s", trees: ["a.ron", "b.ron"], initial: "a", with: { "p": word }),
        ]))"#;
    let asset = Asset::parse("t.ron", source).unwrap();
    let again = Asset::parse("again.ron", &asset.to_ron()).unwrap_or_else(|it| panic!("{}\n{it}", asset.to_ron()));
    assert_eq!(asset, again);
    assert!(Library::new(files(&[])).check_all(&registry()).is_empty());
}
