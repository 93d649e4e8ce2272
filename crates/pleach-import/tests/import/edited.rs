//! Exported files that were edited: no change or removal goes unreported.

use std::collections::BTreeMap;

use pleach::asset::Manifest;
use pleach_import::{Imported, Options, Target, export, import};

const BOSS: &str = r#"Tree(
    version: 1,
    name: "boss",
    blackboard: { "hp": Int(10), "mood": Symbol("calm", ["calm", "angry"]), "home": Vec2(1, 2) },
    group: { "alarm": Bool(false) },
    events: { "done": () },
    templates: { "Twice": (nodes: { "body": One }, root: Repeat(count: 2, child: Node("body"))) },
    interrupts: [(when: "hp <= 0", run: Idle)],
    root: Selector([
        UtilitySelector(children: [(score: "0.1", child: Act(x: 1)), (score: "0.2", child: Act(x: 2))]),
        Switch(on: "hp", cases: { 1: Act(x: 1), 2: Act(x: 2), 3: Act(x: 3), 4: Act(x: 4), 5: Idle, 6: Idle, 7: Idle }),
        Cooldown(seconds: 2.0, child: Act(x: 3)),
        Use(template: "Twice", nodes: { "body": Act(x: 4) }),
        Emit(event: "done"),
    ]),
)"#;

fn exported(name: &str) -> String {
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Act", kind: Action, doc: "", parameters: Known([
        (name: "x", type: Int, presence: Required, access: None, doc: "")]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let trees = BTreeMap::from([(name.to_owned(), BOSS.to_owned())]);
    export(&trees, &manifest, Target::BtCpp).unwrap().files.remove(&name.replace(".ron", ".xml")).unwrap()
}

/// The report on the file with one change.
fn changed(from: &str, to: &str) -> (Imported, String) {
    let xml = exported("boss.ron");
    assert!(xml.contains(from), "no {from} in {xml}");
    read(&[("boss.xml", &xml.replacen(from, to, 1))])
}

fn read(files: &[(&str, &str)]) -> (Imported, String) {
    let bytes = files.iter().map(|it| (it.0.to_owned(), it.1.as_bytes().to_vec())).collect();
    let imported = import(&bytes, &Options::default());
    let lines = imported.report.entries.iter().filter(|it| !it.to_string().contains(": exact: "));
    let told = lines.map(|it| format!("{it}\n")).collect();
    (imported, told)
}

#[track_caller]
fn says(told: &str, expected: &str) {
    assert!(told.contains(expected), "no {expected}\n{told}");
}

#[test]
fn children_that_come_and_go_are_told() {
    assert_eq!(changed("name", "name").1, "");
    let (_, told) = changed("<Action ID=\"Act\" x=\"1\"/>\n", "");
    says(&told, "lost: PleachUtilitySelector: `score_2` is of child 2, and it has 1: remove it");
    let (_, told) =
        changed("<Action ID=\"Act\" x=\"2\"/>\n", "<Action ID=\"Act\" x=\"2\"/><Action ID=\"Act\" x=\"9\"/>\n");
    says(&told, "lost: PleachUtilitySelector: its child 3 has no `score_3`: add it");
    let (_, told) = changed(
        "<Action ID=\"Act\" x=\"3\"/>\n        </Dec",
        "<Action ID=\"Act\" x=\"3\"/><Action ID=\"Act\" x=\"9\"/>\n        </Dec",
    );
    says(&told, "lost: PleachCooldown: it has 2 children, and Cooldown takes 1: the others are left out");
    let (imported, told) = changed("<Action ID=\"Act\" x=\"4\"/>\n        </Con", "</Con");
    says(&told, "lost: PleachUse: `hole_1` is of child 1, and it has 0: remove it");
    assert!(imported.files["boss.ron"].contains("Use(template: \"Twice\")"), "{}", imported.files["boss.ron"]);
    let (_, told) = changed("hole_1=\"body\"", "");
    says(&told, "lost: PleachUse: no hole takes its child 1, which is left out: name it in `hole_1`");
    let (_, told) = changed("seconds=\"2.0\"", "seconds=\"2.0\" sceonds=\"1\"");
    says(&told, "lost: PleachCooldown: Cooldown has no field `sceonds`: it is left out");
}

#[test]
fn a_model_that_is_gone_is_told() {
    let xml = exported("boss.ron");
    let model = &xml[xml.find("    <SubTree ID=\"boss\">").unwrap()..xml.find("  </TreeNodesModel>").unwrap()];
    let (_, told) = changed(model, "");
    says(&told, "boss.xml:3:3: warning: it was exported, and its model with `Metadata` is missing");
    // It is found for a tree that was renamed, or moved to another file.
    for (from, to) in [("BehaviorTree ID=\"boss\"", "BehaviorTree ID=\"chief\""), ("name", "name")] {
        let (imported, told) = changed(from, to);
        assert!(told.lines().all(|it| it.contains("`main_tree_to_execute` is `boss`")), "{told}");
        assert!(imported.files["boss.ron"].contains("interrupts: [(when: \"hp <= 0\", run: Idle)]"), "{imported:?}");
        assert_eq!(imported.files.len(), 2, "{:?}", imported.files.keys());
    }
    let models = format!("<root BTCPP_format=\"4\"><TreeNodesModel>{model}</TreeNodesModel></root>");
    let (imported, told) = read(&[("all.xml", &xml.replace(model, "")), ("models.xml", &models)]);
    assert_eq!(told, "");
    assert!(imported.files["boss.ron"].contains("interrupts"));
    let (_, told) = read(&[("models.xml", &models)]);
    says(&told, "warning: it is kept of the tree `boss`, which is not here: it is left out");
}

#[test]
fn first_values_that_change_their_sort_are_told() {
    let (imported, told) = changed("hp := 10; ", "");
    says(&told, "warning: the script at the start does not set `hp`, which begins as before");
    assert!(imported.files["boss.ron"].contains("\"hp\": Int(10)"));
    let (imported, _) = changed("hp := 10", "hp := true");
    assert!(imported.files["boss.ron"].contains("\"hp\": Int(1)"), "{}", imported.files["boss.ron"]);
    let (_, told) = changed("hp := 10", "hp := 10; alarm := true");
    says(&told, "warning: the first value of `alarm` is not taken: it is no key of the blackboard");
}

#[test]
fn what_is_kept_is_read_with_care() {
    let kept = |text: &str| changed("pleach=\"Tree(version: 1, ", &format!("pleach=\"{text}\" _was=\"")).1;
    for (text, why) in [
        ("Foo(1, 2)", "is not `Tree(version: 1, ..)`"),
        ("&quot;hello&quot;", "is not `Tree(version: 1, ..)`"),
        ("Tree(version: 99)", "is not `Tree(version: 1, ..)`"),
        ("Tree(version: 1, ports: [1])", "has no map for `ports`"),
        ("Tree(version: 1, ", "is not RON, or nested too deep"),
    ] {
        says(&kept(text), &format!("error: `pleach` {why}: what an export kept of the tree is left out"));
    }
    for file in ["CON.ron", "aux/boss.ron", "a.test.ron", "x.ron/boss.ron", "odd dir/boss.ron", "../boss.ron"] {
        let (imported, told) = changed("file=\"boss.ron\"", &format!("file=\"{file}\""));
        says(&told, "warning: the name of its file is not one that every system takes, so it gets another");
        assert!(imported.files.contains_key("boss.ron"), "{file}: {:?}", imported.files.keys());
    }
    // Two names that are one file on some systems.
    let xml = exported("boss.ron");
    let other = xml.replace("ID=\"boss\"", "ID=\"other\"").replace("file=\"boss.ron\"", "file=\"Boss.ron\"");
    let (imported, _) = read(&[("a.xml", &xml), ("b.xml", &other)]);
    assert!(imported.files.contains_key("Boss_2.ron"), "{:?}", imported.files.keys());
}

#[test]
fn two_trees_of_one_name_stay_two() {
    let same = |x: u8| format!("Tree(version: 1, root: WaitTicks({x}))");
    let main = r#"Tree(version: 1, root: Sequence([Subtree("x/same.ron"), Subtree("y/same.ron")]))"#.to_owned();
    let trees = BTreeMap::from([
        ("same.ron".to_owned(), main),
        ("x/same.ron".to_owned(), same(1)),
        ("y/same.ron".to_owned(), same(2)),
    ]);
    let manifest = Manifest::parse("game.leaves", "Manifest(version: 1, leaves: [])").unwrap();
    let xml = export(&trees, &manifest, Target::BtCpp).unwrap().files;
    let files: Vec<(&str, &str)> = xml.iter().map(|it| (&**it.0, &**it.1)).collect();
    let (imported, told) = read(&files);
    assert_eq!(told, "same.xml:8:7: warning: `same` stands in this parent already: this one is called `same_2`\n");
    assert!(imported.files["same.ron"].contains("Subtree(asset: \"x/same.ron\")"), "{}", imported.files["same.ron"]);
    assert!(
        imported.files["same.ron"].contains("Subtree(name: \"same_2\", asset: \"y/same.ron\")"),
        "{}",
        imported.files["same.ron"]
    );
    for (name, ticks) in [("x/same.ron", 1), ("y/same.ron", 2)] {
        assert!(imported.files[name].contains(&format!("name: \"same\", root: WaitTicks({ticks})")), "{imported:?}");
    }
}

/// Many keys take time in proportion.
#[test]
fn many_keys_are_kept() {
    let keys: String = (0..5_000).map(|it| format!("&quot;k{it}&quot;: Int({it}), ")).collect();
    let (imported, _) = changed("blackboard: { ", &format!("blackboard: {{ {keys}"));
    assert!(imported.files["boss.ron"].contains("\"k4999\": Int(4999)"));
}
