//! Manifests: their content, their problems, and what can be checked with one.

use crate::common;
use crate::schema::{Schema, json};

use std::collections::BTreeSet;

use common::{Game, registry};
use pleach_asset::{
    Access, CheckOnly, LeafKind, Manifest, Presence, Registry, Report, Severity, ValueType, check_str, load_str,
};
use pleach_core::{Key, Status, Type};
use serde::Deserialize;

const ALL: &str = include_str!("../trees/all.ron");

fn described() -> Registry<CheckOnly> {
    Manifest::of(&registry()).registry().expect("its own")
}

/// The messages, with help.
fn told(report: &Report) -> Vec<String> {
    let told = |it: &pleach_asset::Diagnostic| match it.help() {
        Some(help) => format!("{}: {}; {help}", it.severity(), it.message()),
        None => format!("{}: {}", it.severity(), it.message()),
    };
    report.diagnostics().iter().map(told).collect()
}

fn problems(registry: &Registry<CheckOnly>, root: &str) -> Vec<String> {
    let keys = r#"{ "home": Vec3(0, 0, 0), "n": Int(1), "mode": Symbol("idle", ["idle", "alert"]) }"#;
    let source = format!("Tree(version: 1, blackboard: {keys}, events: {{ \"noise\": () }}, root: {root})");
    load_str("a.ron", &source, registry).err().iter().flat_map(told).collect()
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut registry = registry();
    registry.event("noise", Type::Vec2).unwrap().event("al\"arm", None).unwrap().allow_any_event(true);
    let manifest = Manifest::of(&registry);
    let text = manifest.to_ron();
    let again = Manifest::parse("a", &text).expect("its own output");
    assert_eq!(again, manifest);
    assert_eq!(again.to_ron(), text);
    // A registry of a manifest knows as much as the manifest.
    assert_eq!(Manifest::of(&manifest.registry().unwrap()), manifest);
    assert!(manifest.any_event);
    assert_eq!(manifest.events, [("noise".into(), Some(Type::Vec2)), ("al\"arm".into(), None)]);
    let near = manifest.leaf("Near").expect("registered");
    assert_eq!(near.kind, LeafKind::Condition);
    let target = near.parameter("target").expect("it has one");
    assert_eq!((&target.ty, &target.presence), (&ValueType::Key(Type::Vec3), &Presence::Required));
    assert_eq!(manifest.leaf("Between").unwrap().kind, LeafKind::Unknown);
    assert_eq!(manifest.leaf("Say").unwrap().parameters, None);
    assert_eq!(manifest.leaf("Patrol").unwrap().parameters, Some(Vec::new()));
    assert_eq!(manifest.leaf("Flee").unwrap().parameter("speed").unwrap().access, Some(Access::Read));
    assert_eq!(Manifest::parse("a", &Manifest::default().to_ron()).unwrap(), Manifest::default());
}

/// Tools in Rust that do not use this crate read it by serde.
#[test]
fn it_is_plain_ron() {
    #[derive(Deserialize)]
    #[serde(rename = "Manifest")]
    struct Whole {
        version: u32,
        any_event: bool,
        events: Vec<Event>,
        leaves: Vec<Leaf>,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    struct Event {
        name: String,
        payload: Option<KeyType>,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    enum KeyType {
        Vec2,
        Vec3,
        Symbol,
    }
    #[derive(Deserialize)]
    struct Leaf {
        name: String,
        kind: Kind,
        parameters: Parameters,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    enum Kind {
        Action,
        Condition,
        Unknown,
    }
    #[derive(Deserialize)]
    enum Parameters {
        Unknown,
        Known(Vec<Parameter>),
    }
    #[derive(Deserialize)]
    struct Parameter {
        name: String,
        r#type: ValueOf,
        presence: OfParameter,
        access: Option<OfKey>,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    #[allow(dead_code, reason = "only read")]
    enum ValueOf {
        Unknown,
        Bool,
        Int,
        Float,
        Char,
        Text,
        Variant(Vec<String>),
        Key(KeyType),
        FloatExpr,
        Option(Box<ValueOf>),
        List(Box<ValueOf>),
        Array(Box<ValueOf>, usize),
    }
    #[derive(Deserialize, Debug, PartialEq)]
    enum OfParameter {
        Required,
        Optional,
        Default(String),
        Unknown,
    }
    #[derive(Deserialize, Debug, PartialEq)]
    enum OfKey {
        Read,
        Write,
        ReadWrite,
    }

    let mut registry = registry();
    registry.event("noise", Type::Vec2).unwrap();
    let whole: Whole = ron::from_str(&Manifest::of(&registry).to_ron()).expect("plain RON");
    assert_eq!((whole.version, whole.any_event, whole.leaves.len()), (1, false, 9));
    assert_eq!(whole.events, [Event { name: "noise".into(), payload: Some(KeyType::Vec2) }]);
    let kinds: Vec<&Kind> = whole.leaves.iter().map(|it| &it.kind).collect();
    assert_eq!(kinds.iter().filter(|it| ***it == Kind::Condition).count(), 3);
    let flee = whole.leaves.iter().find(|it| it.name == "Flee").expect("registered");
    let Parameters::Known(parameters) = &flee.parameters else { panic!("known") };
    let Parameter { name, r#type, presence, access } = &parameters[0];
    assert_eq!(*r#type, ValueOf::FloatExpr);
    assert_eq!((&**name, presence, access), ("speed", &OfParameter::Required, &Some(OfKey::Read)));
}

#[test]
fn bad_manifests_are_reported_as_expected() {
    let folder = format!("{}/tests/manifests", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|it| it.expect("readable").path());
    let mut files: Vec<_> = files.filter(|it| it.extension().is_some_and(|it| it == "ron")).collect();
    files.sort();
    assert!(files.len() >= 9);
    for file in files {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&file).expect("UTF-8");
        let report = Manifest::parse(&name, &source).expect_err(&name);
        common::compare(&format!("tests/manifests/{}", name.replace(".ron", ".txt")), &format!("{report}\n"));
        let places: Vec<(usize, usize)> = report.diagnostics().iter().map(|it| (it.line(), it.column())).collect();
        assert!(places.is_sorted() && !places.is_empty(), "{name} is not in file order");
        assert!(!report.plain().is_empty());
    }
}

/// Any file is read or refused.
#[test]
fn cut_and_broken_manifests_are_refused() {
    let text = Manifest::of(&registry()).to_ron();
    for at in (0..text.len() - 2).filter(|it| text.is_char_boundary(*it)).step_by(7) {
        assert!(Manifest::parse("a", &text[..at]).is_err(), "cut at {at}");
        let broken = format!("{}{}", &text[..at], &text[at + 1..]);
        if let Err(report) = Manifest::parse("a", &broken) {
            assert!(!report.is_empty());
        }
    }
}

#[test]
fn a_made_up_manifest_is_refused() {
    let mut manifest = Manifest::of(&registry());
    manifest.leaves.push(manifest.leaves[0].clone());
    assert!(manifest.registry().unwrap_err().to_string().contains("a leaf `MoveTo` is already registered"));
    manifest.leaves.truncate(1);
    manifest.leaves[0].name = "Sequence".into();
    assert!(manifest.registry().unwrap_err().to_string().contains("`Sequence` is built in"));
}

/// With a manifest a correct tree has no problems, however it is written.
#[test]
fn good_trees_are_good() {
    let shown = |tree: &dyn Fn() -> Vec<String>| tree();
    let (game, paper) = (load_str("a.ron", ALL, &registry()).unwrap(), load_str("a.ron", ALL, &described()));
    let paper = paper.expect("a good tree");
    let game: Vec<String> = shown(&|| game.nodes().map(|it| it.to_string()).collect());
    let paper: Vec<String> = shown(&|| paper.nodes().map(|it| it.to_string()).collect());
    assert_eq!(game, paper);
}

/// Nothing is reported where the game itself would report nothing.
#[test]
fn bad_trees_have_no_other_problems() {
    let files = std::fs::read_dir(format!("{}/tests/ui", env!("CARGO_MANIFEST_DIR"))).expect("the folder is there");
    let (game, paper, mut common) = (registry(), described(), 0);
    for file in files.map(|it| it.expect("readable").path()).filter(|it| it.extension().is_some_and(|it| it == "ron")) {
        let source = std::fs::read_to_string(&file).expect("UTF-8");
        let places = |report: Option<Report>| -> BTreeSet<(usize, usize)> {
            let report = report.into_iter().flat_map(|it| it.diagnostics().to_vec());
            report.map(|it| (it.line(), it.column())).collect()
        };
        let (of_game, of_paper) =
            (places(load_str("a", &source, &game).err()), places(load_str("a", &source, &paper).err()));
        let more: Vec<_> = of_paper.difference(&of_game).collect();
        assert!(more.is_empty(), "{}: {more:?}", file.display());
        common += of_paper.len();
        // What a registry can refuse, the one for checks only refuses.
        assert_eq!(places(load_str("a", &source, &game.check_only()).err()), of_game, "{}", file.display());
    }
    assert!(common > 250, "{common}");
}

#[test]
fn names_and_types_are_checked() {
    let problems = |root: &str| problems(&described(), root);
    let none: [&str; 0] = [];
    for good in ["MoveTo(target: \"home\")", "MoveTo(\"home\", 2, Walk)", "Between(min: 3, max: 2)", "Say(anything: 1)"]
    {
        assert_eq!(problems(good), none, "{good}");
    }
    for (root, expected) in [
        ("MovTo(target: \"home\")", "error: unknown node `MovTo`; did you mean `MoveTo`?"),
        ("MoveTo(targt: \"home\")", "error: `MoveTo` has no parameter `targt`; did you mean `target`?"),
        ("MoveTo", "error: `MoveTo`: the parameter `target` is missing; it takes `target`, `speed` and `gait`"),
        ("MoveTo(target: \"hom\")", "error: `target` of `MoveTo`: there is no key `hom`; did you mean `home`?"),
        ("MoveTo(target: \"n\")", "error: `target` of `MoveTo`: the key `n` is Int, not Vec3"),
        (
            "MoveTo(target: home)",
            "error: `target` of `MoveTo`: expected the name of a key of type Vec3, found `home`; write `\"home\"`",
        ),
        ("MoveTo(target: \"home\", speed: fast)", "error: `speed` of `MoveTo`: expected a number, found `fast`"),
        (
            "MoveTo(target: \"home\", gait: Crawl)",
            "error: `gait` of `MoveTo`: unknown word `Crawl`: use `Walk`, `Run` or `Jump`",
        ),
        ("MoveTo(\"home\", 1, Walk, 2)", "error: `MoveTo`: too many values; it takes `target`, `speed` and `gait`"),
        ("Patrol(fast: true)", "error: `Patrol` has no parameter `fast`; `Patrol` takes no parameters"),
        ("Patrol(1)", "error: `Patrol`: it takes no parameters"),
        ("Guard(when: Patrol, child: Idle)", "error: `when`: an action cannot be a test"),
        ("Sequence(services: [(every: 1, run: Tired)], children: [Idle])", "error: "),
    ] {
        let found = problems(root);
        assert_eq!(found.len(), 1, "{root}: {found:?}");
        assert!(found[0].starts_with(expected), "{root}: {found:?}");
    }
}

#[test]
fn every_type_is_checked() {
    let parameters = [
        ("flag", "Bool", "true", "1", "expected `true` or `false`, found the number 1"),
        ("count", "Int", "18446744073709551615", "1.5", "expected a whole number, found the number 1.5"),
        ("number", "Float", "1e300", "\"n\"", "expected a number, found a string"),
        ("letter", "Char", "'a'", "\"a\"", "expected a character, found a string"),
        ("text", "Text", "\"any\"", "any", "expected a string, found `any`"),
        ("word", "Word", "\"idle\"", "\"idl\"", "no symbol key"),
        ("one", "OneOf([\"a\", \"b\"])", "\"b\"", "\"c\"", "unknown word `c`: use `a` or `b`"),
        ("variant", "Variant([\"A\"])", "A(x: 2)", "\"A\"", "expected a name, found a string"),
        ("event", "Event", "\"noise\"", "\"nois\"", "unknown event `nois`"),
        ("key", "Key(Int)", "\"n\"", "\"home\"", "`home` is Vec3, not Int"),
        ("expr", "FloatExpr", "\"n * 2.0\"", "\"mode\"", "the expression gives Symbol, not a number"),
        ("maybe", "Option(Int)", "Some(2)", "Some(x)", "expected a whole number, found `x`"),
        ("list", "List(Option(Bool))", "[None, true]", "[1]", "expected `true` or `false`, found the number 1"),
        ("pair", "Array(Float, 2)", "(1, 2)", "[1]", "expected an array of length 2, found 1 value"),
        ("other", "Unknown", "What(ever: [it, is])", "", ""),
    ];
    for (name, ty, good, bad, message) in parameters {
        let source = format!(
            "Manifest(version: 1, leaves: [(name: \"Leaf\", kind: Action, parameters: Known([(name: \"{name}\", type: {ty})]))])"
        );
        let registry = Manifest::parse("m", &source).expect(ty).registry().expect(ty);
        let found = problems(&registry, &format!("Leaf({name}: {good})"));
        assert!(found.is_empty(), "{ty}: {found:?}");
        assert!(problems(&registry, "Leaf").is_empty(), "nobody knows whether it has to be there");
        if !bad.is_empty() {
            let found = problems(&registry, &format!("Leaf({name}: {bad})"));
            let begins = format!("error: `{name}` of `Leaf`: {message}");
            assert!(
                found.len() == 1 && (found[0].starts_with(&begins) || found[0].contains(message)),
                "{ty}: {found:?}"
            );
        }
    }
}

#[test]
fn leaves_of_unknown_kind_stand_anywhere() {
    let source = r#"Manifest(version: 1, leaves: [(name: "Any"), (name: "Act", kind: Action)])"#;
    let registry = Manifest::parse("m", source).unwrap().registry().unwrap();
    for root in ["Any", "Guard(when: Any, child: Idle)", "Sequence(services: [(every: 1, run: Any)], children: [Idle])"]
    {
        assert!(problems(&registry, root).is_empty(), "{root}");
    }
    // Whether an abort can fire is not known then.
    let doubtful = |leaf: &str| {
        let source =
            format!("Tree(version: 1, root: Selector([Sequence(abort: Both, children: [{leaf}, Idle]), Idle]))");
        let (_, report) = check_str("a.ron", &source, &registry).expect("a good tree");
        report.diagnostics().iter().filter(|it| it.severity() == Severity::Warning).count()
    };
    assert!(doubtful("Act") > 0);
    assert_eq!(doubtful("Any"), 0);
}

#[test]
fn any_leaf_can_be_allowed() {
    let mut registry = registry().check_only();
    let root = r#"Selector([Sequence([Guard(when: Sees(far: 2), child: Hop(1, "x")), Wander]), Patrol])"#;
    let source = format!("Tree(version: 1, root: {root})");
    let report = load_str("a.ron", &source, &registry).expect_err("unknown");
    assert_eq!(report.diagnostics().len(), 3);
    let tree = load_str("a.ron", &source, registry.allow_any_leaf(true)).expect("as written");
    let nodes: Vec<String> = tree.nodes().map(|it| it.to_string()).collect();
    assert_eq!(nodes[2..], ["n2 Guard(Sees(far: 2))", "n3 Hop(1, \"x\")", "n4 Wander", "n5 Patrol"]);
    // Known ones are checked as ever.
    let report = load_str("a.ron", "Tree(version: 1, root: Patrol(2))", &registry).expect_err("no parameters");
    assert_eq!(report.diagnostics().len(), 1);
    assert!(load_str("a.ron", &source, registry.allow_any_leaf(false)).is_err());
}

#[test]
fn closures_and_defaults_are_described() {
    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Heal {
        health: Key<f32>,
        #[serde(default)]
        rate: f32,
    }
    let mut registry = Registry::<Game>::new();
    registry.action_with::<Heal>("Heal", |_, _| Status::Running).unwrap();
    let text = Manifest::of(&registry).to_ron();
    for line in [
        r#"(name: "health", type: Key(Float), presence: Required, access: None, doc: ""),"#,
        r#"(name: "rate", type: Float, presence: Optional, access: None, doc: ""),"#,
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn the_schema_takes_trees_as_serde_writes_them() {
    let schema = Schema::new(&Manifest::of(&registry()).to_json_schema());
    let whole = |root: &str| json(&format!("{{\"version\": 1, \"name\": \"x\", \"root\": {root}}}"));
    for good in [
        r#""Idle""#,
        r#"{"Wait": {"seconds": 2.0, "name": "rest"}}"#,
        r#"{"Wait": {"seconds": "n * 2"}}"#,
        r#"{"Selector": {"abort": "Both", "services": [{"every": 0.5, "run": "Patrol"}], "children": ["Patrol", {"Idle": {}}]}}"#,
        r#"{"MoveTo": {"target": "home", "speed": 2, "gait": "Walk", "id": "a"}}"#,
        r#"{"MoveTo": {"target": "home", "gait": {"Run": {"factor": 2}}}}"#,
        r#"{"Guard": {"when": {"Near": {"target": "home", "range": 1}}, "child": "Tired"}}"#,
        r#"{"Guard": {"when": "n > 1", "child": "Tired"}}"#,
        r#"{"Parallel": {"success": {"AtLeast": 2}, "failure": "Any", "children": ["Idle", "Idle"]}}"#,
        r#"{"Switch": {"on": "mode", "cases": {"idle": "Idle"}, "default": "Fail"}}"#,
        r#"{"Subtree": {"asset": "a.ron", "with": {"speed": 2.0}}}"#,
        r#"{"Say": ["anything"]}"#,
    ] {
        assert!(schema.takes(&whole(good)), "{good}");
    }
    for bad in [
        r#""Patroll""#,
        r#""MoveTo""#,
        r#"{"Wait": {}}"#,
        r#"{"Wait": {"seconds": true}}"#,
        r#"{"Wait": {"seconds": 1, "second": 2}}"#,
        r#"{"MoveTo": {"speed": 2}}"#,
        r#"{"MoveTo": {"target": 2}}"#,
        r#"{"MoveTo": {"target": "home", "gait": "Crawl"}}"#,
        r#"{"Selector": {"children": []}}"#,
        r#"{"Selector": {"services": [{"every": 1, "run": "Tired"}], "children": ["Idle"]}}"#,
        r#"{"Idle": {}, "Fail": {}}"#,
        r#"{"Guard": {"when": "Idle", "child": 1}}"#,
    ] {
        assert!(!schema.takes(&whole(bad)), "{bad}");
    }
    let keys = r#"{"a": {"Vec2": [0, 1]}, "b": {"Symbol": ["x", ["x", "y"]]}, "c": {"Entity": "none"}}"#;
    let events = r#"{"noise": "Vec2", "alarm": null}"#;
    assert!(
        schema.takes(&json(&format!(r#"{{"version": 1, "blackboard": {keys}, "events": {events}, "root": "Idle"}}"#)))
    );
    for bad in [r#"{"root": "Idle"}"#, r#"{"version": 2, "root": "Idle"}"#, r#"{"version": 1, "rot": "Idle"}"#, "[]"] {
        assert!(!schema.takes(&json(bad)), "{bad}");
    }
}

#[test]
fn the_schema_has_an_object_for_each_leaf() {
    let source = r#"Manifest(version: 1, leaves: [(name: "Walk", kind: Action, doc: "Walks \"on\".", parameters: Known([
        (name: "speed", type: FloatExpr, presence: Default("2.0"), doc: "Metres per second."),
        (name: "to", type: Key(Vec2), presence: Required, access: Some(Write)),
        (name: "calls", type: Event, presence: Default("None"), access: Some(Write)),
    ]))])"#;
    let schema = json(&Manifest::parse("m", source).unwrap().to_json_schema());
    let leaf = &schema["$defs"]["leaf.Walk"];
    assert_eq!(leaf["description"], "Walks \"on\".\n\nAn action of the game.");
    assert_eq!(leaf["required"], serde_json::json!(["to"]));
    let speed = &leaf["properties"]["speed"];
    assert_eq!(speed["default"], 2.0);
    let said = "Metres per second.\n\nA number, or an expression that gives one.";
    assert_eq!(speed["description"], said);
    assert_eq!(leaf["properties"]["to"]["description"], "The name of a key of type Vec2, which it writes.");
    assert_eq!(leaf["properties"]["calls"]["description"], "The name of an event, which it sends.");
    assert_eq!(leaf["properties"]["disabled"]["default"], false);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}
