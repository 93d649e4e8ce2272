//! Exports: XML that imports as the same trees, and JSON.

use std::collections::BTreeMap;

use pleach::asset::Manifest;
use pleach_import::{Options, Target, export, import};

use crate::import_one;

fn exported(files: &BTreeMap<String, String>, to: Target) -> BTreeMap<String, String> {
    let manifest = Manifest::parse("game.leaves", &files["game.leaves"]).unwrap();
    let trees = files.iter().filter(|it| it.0.ends_with(".ron")).map(|it| (it.0.clone(), it.1.clone())).collect();
    export(&trees, &manifest, to).unwrap().files
}

fn imported(xml: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let bytes = xml.iter().map(|it| (it.0.clone(), it.1.clone().into_bytes())).collect();
    import(&bytes, &Options::default()).files
}

/// RON -> XML -> RON, for trees that were imported before.
#[test]
fn trees_come_back_as_they_left() {
    let guard = [
        ("guard.xml", include_str!("../samples/btcpp/guard/guard.xml")),
        ("parts/chase.xml", include_str!("../samples/btcpp/guard/parts/chase.xml")),
    ];
    let nodes = [("nodes.xml", include_str!("../samples/btcpp/behaviour.xml"))];
    for sample in [&guard[..], &nodes] {
        let given = sample.iter().map(|it| (it.0.to_owned(), it.1.as_bytes().to_vec())).collect();
        let first = import(&given, &Options::default()).files;
        let xml = exported(&first, Target::BtCpp);
        let second = imported(&xml);
        for (name, text) in first.iter().filter(|it| *it.0 != "game.leaves") {
            assert_eq!(second.get(name), Some(text), "{name}\n{xml:#?}");
        }
        // XML -> RON -> XML.
        assert_eq!(exported(&second, Target::BtCpp), xml);
    }
}

#[test]
fn what_is_lacking_is_a_node_of_its_own() {
    let tree = r#"Tree(version: 1, blackboard: { "mood": Symbol("calm", ["calm", "angry"]), "n": Int(0) }, root: Selector([
        Cooldown(seconds: 2.0, child: Check("mood == angry && if(n > 1, true, false) and not (n < 3)")),
        Guard(when: "length(vec2(1, 2)) > 1", child: Succeed),
        Timeout(seconds: 1.0, result: Success, child: Succeed),
        RandomSelector([(weight: 2.0, child: Go(fast: true)), Idle]),
        Guard(when: "n < 3", child: Go(fast: false)),
    ]))"#;
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Go", kind: Action, doc: "Goes \"away\"", parameters: Known([
        (name: "fast", type: Bool, presence: Default("true"), doc: "a < b")]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let trees = BTreeMap::from([("a.ron".to_owned(), tree.to_owned())]);
    let exported = export(&trees, &manifest, Target::BtCpp).unwrap();
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<root BTCPP_format="4" main_tree_to_execute="a">
  <BehaviorTree ID="a">
    <Sequence name="blackboard">
      <RunOnce>
        <Script code="mood := 'calm'; n := 0"/>
      </RunOnce>
      <Fallback>
        <Decorator ID="PleachCooldown" seconds="2.0">
          <ScriptCondition code="mood == 'angry' &amp;&amp; (n &gt; 1 ? true : false) &amp;&amp; !(n &lt; 3)"/>
        </Decorator>
        <Decorator ID="PleachGuard" when="length(vec2(1, 2)) &gt; 1">
          <AlwaysSuccess/>
        </Decorator>
        <Decorator ID="PleachTimeout" seconds="1.0" result="Success">
          <AlwaysSuccess/>
        </Decorator>
        <Control ID="PleachRandomSelector" weight_1="2.0">
          <Action ID="Go" fast="true"/>
          <Action ID="PleachIdle"/>
        </Control>
        <Action ID="Go" fast="false" _while="n &lt; 3"/>
      </Fallback>
    </Sequence>
  </BehaviorTree>
  <TreeNodesModel>
    <Action ID="PleachIdle"/>
    <Control ID="PleachRandomSelector">
      <input_port name="weight_1"/>
    </Control>
    <Decorator ID="PleachCooldown">
      <input_port name="seconds"/>
    </Decorator>
    <Decorator ID="PleachGuard">
      <input_port name="when"/>
    </Decorator>
    <Decorator ID="PleachTimeout">
      <input_port name="result"/>
      <input_port name="seconds"/>
    </Decorator>
    <Action ID="Go">Goes &quot;away&quot;
      <input_port name="fast" type="bool" default="true">a &lt; b</input_port>
    </Action>
    <SubTree ID="a">
      <MetadataFields>
        <Metadata pleach="Tree(version: 1, blackboard: { &quot;mood&quot;: Symbol(&quot;calm&quot;, [&quot;calm&quot;, &quot;angry&quot;]), &quot;n&quot;: Int(0) })" file="a.ron"/>
      </MetadataFields>
    </SubTree>
  </TreeNodesModel>
</root>
"#;
    assert_eq!(exported.files["a.xml"], expected);
    let told: Vec<String> = exported.report.entries.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert_eq!(
        told[0],
        "a.ron:2:9: stub: PleachCooldown: a Decorator of this name, which a game that plays the file there has to write"
    );
    // It is XML, and everything comes back in some way.
    let back = import_one("a.xml", expected);
    assert_eq!(back.report.counts().errors, 0);
}

/// RON -> XML -> RON, for nodes that BehaviorTree.CPP lacks.
#[test]
fn nodes_of_pleach_come_back_as_they_left() {
    let tree = r#"Tree(version: 1, name: "a", blackboard: { "mood": Symbol("calm", ["calm", "angry"]), "n": Int(0), "x": Float(0.0) }, root: Selector([
        Sequence(id: "first", abort: LowerPriority, children: [Check("n > 1"), WaitTicks(3)]),
        Cooldown(seconds: 2.0, after: Success, child: Limit(count: "n", exhausted: Success, child: Go)),
        Guard(when: "length(vec2(x, 2.0)) > 1", child: Timeout(seconds: 1.5, result: Success, child: Go)),
        Switch(on: "mood", latch: true, cases: { "calm": Go, "angry": Idle }),
        Switch(on: "n", cases: { 1: Go }, default: Idle),
        UtilitySelector(inertia: 0.1, children: [(score: "x * 2", child: Go), (score: "0.5", child: Idle)]),
        RandomSelector([(weight: 2.0, child: Go), Idle]),
        Set(key: "n", to: "n / 2"),
        Sequence(disabled: true, children: [Go, Sequence([Go(disabled: true), Fail])]),
        Parallel(success: Any, children: [Wait(seconds: 1.0, jitter: 0.5), Emit(event: "help", to: Group), Go]),
        Finally(do: [Log("over")], child: Go),
        Inverter(Probability(p: "x", child: WaitUntil("x > 2"))),
    ]))"#;
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Go", kind: Action, doc: "", parameters: Known([]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let exported = export(&BTreeMap::from([("a.ron".into(), tree.into())]), &manifest, Target::BtCpp).unwrap();
    let expected = pleach::asset::format_str("a.ron", tree).unwrap();
    let back = &imported(&exported.files)["a.ron"];
    let root = |text: &str| text[text.find("root:").unwrap()..].to_owned();
    assert_eq!(root(back), root(&expected), "{}", exported.files["a.xml"]);
}

/// Keys come back with their initial values; those that scripts cannot set are reported.
#[test]
fn keys_begin_there_as_here() {
    let tree = r#"Tree(version: 1, blackboard: {
        "cold": Float(-2.5), "enemy": Entity(none), "far": Int(1_000), "free": Bool(true),
        "home": Vec2(1, 2), "mood": Symbol("calm", ["angry", "calm"]),
    }, ports: { "x": In(Float, 3.0) }, group: { "alarm": Bool(false) }, interrupts: [], root: Check("free"))"#;
    let manifest = Manifest::parse("game.leaves", "Manifest(version: 1, leaves: [])").unwrap();
    let exported = export(&BTreeMap::from([("a.ron".into(), tree.into())]), &manifest, Target::BtCpp).unwrap();
    let script = "cold := -2.5; far := 1000; free := true; mood := 'calm'";
    assert!(exported.files["a.xml"].contains(script), "{:?}", exported.files);
    let told: Vec<String> = exported.report.entries.iter().map(ToString::to_string).collect();
    let expected = [
        "a.ron:3:9: lost: key `home`: scripts have no value of this type: the game has to set it there",
        "a.ron:4:22: lost: port `x`: ports of trees have no default there: give it a value wherever the tree stands",
        "a.ron:4:47: lost: group: agents share no keys there: these are keys of the tree",
        "a.ron:4:85: lost: interrupts: it has no counterpart there",
    ];
    assert_eq!(told, expected);
    let back = &imported(&exported.files)["a.ron"];
    let fields = |text: &str| {
        let text = pleach::asset::format_str("a.ron", text).unwrap();
        text[text.find("blackboard:").unwrap()..].to_owned()
    };
    // All of them come back, in order; `ports` come first.
    for it in fields(tree).lines() {
        assert!(back.contains(it.trim()), "{it}\n{back}");
    }
    // Changes made there count.
    let xml = &exported.files["a.xml"];
    let changed = xml
        .replace("cold := -2.5; far := 1000; free := true; mood := 'calm'", "cold := 3; free := false; mood := 'sad'");
    let back = &imported(&BTreeMap::from([("a.xml".to_owned(), changed)]))["a.ron"];
    for declared in [
        r#""cold": Float(3.0)"#,
        r#""free": Bool(false)"#,
        r#""mood": Symbol("sad", ["angry", "calm", "sad"])"#,
        r#""home": Vec2(1, 2)"#,
    ] {
        assert!(back.contains(declared), "{declared}: {back}");
    }
}

/// RON -> XML -> RON: templates of this and of another file, holes, a slot, a part, and the report
/// on missing files.
#[test]
fn templates_and_parts_come_back_from_their_folders() {
    let own = r#"Tree(
        version: 1,
        name: "own",
        blackboard: { "mood": Symbol("calm", ["calm", "angry"]), "home": Vec2(1, 2), "n": Int(0) },
        templates_from: ["parts/more.ron"],
        group: { "alarm": Bool(false) },
        events: { "noise": Vec2 },
        templates: {
            "twice": (
                ports: { "x": In(Float) },
                nodes: { "body": One, "rest": Many },
                root: Sequence([Node("body"), Wait("x"), Nodes("rest")]),
            ),
        },
        interrupts: [(when: "alarm", run: Idle)],
        root: Selector([
            Sequence(abort: LowerPriority, children: [
                Check("mood == angry && alarm"),
                Use(template: "twice", with: { "x": 2.5 }, nodes: { "body": Go, "rest": [Go, Wait(1.0)] }),
            ]),
            OnEvent(event: "noise", into: "home"),
            Slot(name: "day", trees: ["parts/work.ron"], initial: "work", with: { "count": "n" }),
            Use(template: "thrice", nodes: { "body": Set(key: "mood", to: "angry") }),
            Subtree(asset: "parts/work.ron", with: { "count": "n" }),
            Sequence(blackboard: { "m": Int(0) }, children: [Set(key: "m", to: "m + 1"), Set(key: "n", to: "m")]),
        ]),
    )"#;
    let more = r#"Tree(
        version: 1,
        name: "more",
        templates: { "thrice": (nodes: { "body": One }, root: Repeat(count: 3, child: Node("body"))) },
    )"#;
    let work = r#"Tree(version: 1, name: "work", ports: { "count": InOut(Int), "by": In(Int, 2) },
        root: Set(key: "count", to: "count + by"))"#;
    let trees = [("own.ron", own), ("parts/more.ron", more), ("parts/work.ron", work)];
    let trees: BTreeMap<String, String> =
        trees.iter().map(|(name, text)| ((*name).into(), pleach::asset::format_str(name, text).unwrap())).collect();
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Go", kind: Action, doc: "", parameters: Known([]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let xml = export(&trees, &manifest, Target::BtCpp).unwrap().files;
    let back = import(&xml.iter().map(|it| (it.0.clone(), it.1.clone().into_bytes())).collect(), &Options::default());
    let told: Vec<String> = back.report.entries.iter().map(ToString::to_string).collect();
    assert!(told.iter().all(|it| it.contains(": exact: ")), "{told:#?}");
    for (name, text) in &trees {
        assert_eq!(back.files.get(name), Some(text), "{name}\n{xml:#?}");
    }
    let alone = BTreeMap::from([("own.ron".to_owned(), own.to_owned())]);
    let told: String =
        export(&alone, &manifest, Target::BtCpp).unwrap().report.entries.iter().map(|it| format!("{it}\n")).collect();
    assert!(told.contains("own.ron:24:13: warning: `parts/work.ron` was not given: export it, too"), "{told}");
    assert!(told.contains("`parts/more.ron`, from which it has templates, was not given: export it, too"), "{told}");
}

#[test]
fn json_has_the_names_of_all_fields() {
    let tree = r#"Tree(version: 1, blackboard: { "post": Vec2(0, .5), "on": Bool(true) }, ports: { "x": In(Float, 3.0) },
        root: Sequence([Check("on"), Go(1_000), Wait(2.0), Idle, Switch("on", { true: Fail }), Set("on", "true")]))"#;
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Go", parameters: Known([(name: "far", type: Int)]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let trees = BTreeMap::from([("a.ron".to_owned(), tree.to_owned())]);
    let json = &export(&trees, &manifest, Target::Json).unwrap().files["a.json"];
    let one_line: Vec<&str> = json.split_whitespace().collect();
    let expected = r#"{ "version": 1, "blackboard": { "post": { "Vec2": [ 0, 0.5 ] }, "on": { "Bool": true } },
        "ports": { "x": { "In": [ "Float", 3.0 ] } }, "root": { "Sequence": { "children": [ { "Check": { "expr": "on" } },
        { "Go": { "far": 1000 } }, { "Wait": { "seconds": 2.0 } }, "Idle",
        { "Switch": { "on": "on", "cases": { "true": "Fail" } } }, { "Set": { "key": "on", "to": "true" } } ] } } }"#;
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(one_line, expected);
}

/// A node that the target would misread is a node of pleach there, or reported as lost.
#[test]
fn what_means_something_else_there_is_not_written_so() {
    let tree = r#"Tree(version: 1, root: Sequence([
        Timeout(seconds: 0.0, child: Wait(0.0005)),
        Parallel(success: AtLeast(2), failure: All, children: [Succeed, Succeed, Go(ID: "x", _post: "y", to: "{k}")]),
        Sleep,
    ]))"#;
    let leaves = r#"Manifest(version: 1, leaves: [(name: "Sleep", kind: Action, parameters: Known([])), (name: "Go", kind: Action,
        parameters: Known([(name: "ID", type: Text), (name: "_post", type: Text), (name: "to", type: Text)]))])"#;
    let manifest = Manifest::parse("game.leaves", leaves).unwrap();
    let trees = BTreeMap::from([("a.ron".to_owned(), tree.to_owned())]);
    let exported = export(&trees, &manifest, Target::BtCpp).unwrap();
    let xml = &exported.files["a.xml"];
    for expected in [
        "<Decorator ID=\"PleachTimeout\" seconds=\"0.0\">",
        "<Action ID=\"PleachWait\" seconds=\"0.0005\"/>",
        "<Control ID=\"PleachParallel\" success=\"AtLeast(2)\" failure=\"All\">",
        "<Action ID=\"Go\"/>",
    ] {
        assert!(xml.contains(expected), "no {expected} in {xml}");
    }
    let report: String = exported.report.entries.iter().map(|it| format!("{it}\n")).collect();
    for expected in [
        "Go: its `ID` would be read as something else there",
        "Go: its `_post` would be read as something else there",
        "Go: its `to` would be read as something else there",
        "Sleep: BehaviorTree.CPP has a node of this name",
    ] {
        assert!(report.contains(expected), "no {expected} in {report}");
    }
}
