//! The names of a function's parameters: written, drawn and reported as an asset writes them.

use pleach::asset::Manifest;
use pleach::draw::Drawing;
use pleach::{Context, Host, Key, Registry, Status, leaf, load_str};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}
type Cx<'a, 'h> = Context<'a, 'h, Game>;

/// Бьёт.
#[leaf(reads(r#where), writes(where))]
fn hit(cx: &mut Cx<'_, '_>, r#type: u8, сила: f32, r#where: Key<i64>) -> Status {
    let _ = (cx.get(r#where), сила);
    Status::from_bool(r#type > 0)
}

#[leaf(observes(type))]
fn r#match(cx: &mut Cx<'_, '_>, r#type: Key<i64>) -> bool {
    cx.get(r#type) > 0
}

#[derive(serde::Deserialize)]
struct Throw {
    r#type: u8,
    сила: f32,
}

fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    registry.leaf_fn::<hit>().and_then(|it| it.leaf_fn::<r#match>()).expect("good names");
    registry.action_with::<Throw>("Throw", |it, _| Status::from_bool(it.сила > f32::from(it.r#type))).expect("good");
    registry
}

fn source(root: &str) -> String {
    format!("Tree(version: 1, blackboard: {{ \"n\": Int(1) }}, root: Sequence([Match(\"n\"), {root}]))")
}

#[test]
fn parameters_have_no_raw_names_in_drawings_and_traces() {
    for root in [
        "Hit(type: 1, сила: 2.5, where: \"n\")",
        "Hit(r#type: 1, r#сила: 2.5, r#where: \"n\")",
        "Throw(type: 1, сила: 2.5)",
        "Throw(r#type: 1, r#сила: 2.5)",
    ] {
        let tree = load_str("a.ron", &source(root), &registry()).expect("a good tree");
        let drawing = Drawing::of(&tree);
        let parameters = root.split_once('(').expect("it has some").1.trim_end_matches(')').replace("r#", "");
        for drawn in [drawing.text().to_string(), drawing.dot().to_string(), drawing.svg().to_string()] {
            assert!(!drawn.contains("r#"), "{drawn}");
            let drawn = drawn.replace("&quot;", "\"").replace("\\\"", "\"");
            assert!(drawn.contains(&parameters), "{parameters} in {drawn}");
        }
    }
}

#[test]
fn parameters_have_no_raw_names_in_manifests() {
    let manifest = Manifest::of(&registry());
    assert_eq!(Manifest::parse("game.leaves", &manifest.to_ron()).as_ref(), Ok(&manifest));
    for written in [manifest.to_ron(), manifest.to_json_schema()] {
        assert!(!written.contains("r#"), "{written}");
        assert!(written.contains("\"сила\"") && written.contains("\"type\""), "{written}");
    }
}

#[test]
fn parameters_have_no_raw_names_in_problems() {
    for (root, expected) in [
        ("Hit(r#type: 1, where: \"n\")", "`Hit`: the parameter `сила` is missing"),
        ("Hit(сила: 1, where: \"n\")", "`Hit`: the parameter `type` is missing"),
        ("Hit(type: -1, сила: 1, where: \"n\")", "`type` of `Hit`: expected u8, found integer `-1`"),
        ("Hit(type: 1, сила: \"x\", where: \"n\")", "`сила` of `Hit`: expected a number, found a string"),
        ("Hit(type: 1, сила: 1, сила: 1, where: \"n\")", "`Hit` has two fields `сила`"),
        ("Hit(type: 1, сило: 1, where: \"n\")", "`Hit` has no parameter `сило`"),
        ("Throw(сила: 1)", "`Throw`: the parameter `type` is missing"),
        ("Throw(type: 1)", "`Throw`: the parameter `сила` is missing"),
    ] {
        let report = load_str("a.ron", &source(root), &registry()).expect_err("it is wrong");
        let said: Vec<&str> = report.diagnostics().iter().map(|it| it.message()).collect();
        assert_eq!(said.join("\n"), expected, "{root}");
    }
}
