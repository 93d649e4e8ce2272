//! The table of nodes in the documentation: every row loads. And nodes as people read them.

use pleach::{Condition, Context, Host, Registry, Status, load_str, tools::kinds::NodeKind};

struct Game;
impl Host for Game {
    type Cx<'a> = ();
}

const TABLE: &str = include_str!("../src/nodes.md");

#[test]
fn every_row_loads() {
    let mut registry = Registry::<Game>::new();
    registry.allow_any_event(true);
    let mut kinds = Vec::new();
    for row in TABLE.lines().filter(|it| it.starts_with("| `")) {
        let node = row.split('`').nth(1).unwrap();
        let keys = r#""mood": Int(0), "place": Vec2(0, 0)"#;
        // The host allows any event; a token belongs to a Token after the node.
        let token = if node.starts_with("Free") { r#"Token(token: "attack", count: 1, child: Idle)"# } else { "Idle" };
        let source = format!("Tree(version: 1, blackboard: {{ {keys} }}, root: Sequence([{node}, {token}]))");
        let tree = load_str("row.ron", &source, &registry).unwrap_or_else(|report| panic!("{report}"));
        kinds.push(tree.root().children().next().expect("the node").kind().to_string());
    }
    // Every kind of node that is built in, once.
    let all = kinds.len();
    kinds.sort();
    kinds.dedup();
    let built_in = NodeKind::ALL.into_iter().filter(|it| it.is_built_in()).count();
    assert_eq!((kinds.len(), all), (built_in, built_in), "{kinds:?}");
}

/// `Near(metres: 5.0)`.
#[derive(serde::Deserialize)]
struct Near {
    #[serde(rename = "metres")]
    _metres: f32,
}
impl Condition<Game> for Near {
    type State = ();
    fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
        Status::Success
    }
}

#[test]
fn leaves_say_what_the_asset_gave_them() {
    let mut registry = Registry::<Game>::new();
    registry.condition::<Near>("Near").unwrap();
    registry.leaf("Own", |(): ()| Ok(pleach::nodes::action(|_| Status::Running).described("its own words"))).unwrap();
    let source = r#"Tree(version: 1, root: Sequence([
        Near(name: "close", metres: 5.0), Guard(when: Near(metres: 7), child: Own),
    ]))"#;
    let tree = load_str("x.ron", source, &registry).unwrap();
    let lines: Vec<String> = tree.nodes().map(|it| it.to_string()).collect();
    let expected =
        ["n0 Sequence", "n1 Near(metres: 5.0) \"close\"", "n2 Guard(Near(metres: 7))", "n3 Own(its own words)"];
    assert_eq!(lines, expected);
}
