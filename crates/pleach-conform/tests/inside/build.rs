//! Checks that scenarios and the interpreter have the same kinds of nodes.

use std::collections::BTreeSet;
use std::path::Path;

use pleach_conform::{Scenario, runner, suite};
use pleach_core::kinds::{Arity, NodeKind};

/// The type of a kind in scenarios: its name in lower case, except for three that are older than
/// the kinds' names.
fn type_of(kind: NodeKind) -> String {
    match kind {
        NodeKind::ForceSuccess => "return_success".into(),
        NodeKind::ForceFailure => "return_failure".into(),
        NodeKind::Repeat => "repeater".into(),
        _ => {
            let mut name = String::new();
            for letter in kind.name().chars() {
                if letter.is_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.extend(letter.to_lowercase());
            }
            name
        }
    }
}

/// What a node of that kind needs besides its children.
fn fields(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::UtilitySelector => r#", "scores": ["1"]"#,
        NodeKind::Switch => r#", "on": "n", "cases": [1]"#,
        NodeKind::Guard | NodeKind::Check | NodeKind::WaitUntil => r#", "expr": "true""#,
        NodeKind::Timeout | NodeKind::Cooldown | NodeKind::Delay | NodeKind::Wait | NodeKind::WaitTicks => {
            r#", "ticks": 1"#
        }
        NodeKind::Limit => r#", "count": 1"#,
        NodeKind::Finally => r#", "do": [{"type": "log", "text": "t"}]"#,
        NodeKind::Probability => r#", "p": 0.5"#,
        NodeKind::Token => r#", "token": "t", "count": 1"#,
        NodeKind::Action => r#", "name": "a""#,
        NodeKind::Condition => r#", "name": "c""#,
        NodeKind::OnEvent | NodeKind::WaitFor | NodeKind::Emit => r#", "event": "e""#,
        NodeKind::Set => r#", "key": "n", "expr": "1""#,
        NodeKind::Roll => r#", "key": "n", "from": "1", "to": "6""#,
        NodeKind::Log => r#", "text": "t""#,
        _ => "",
    }
}

#[test]
fn scenarios_name_every_kind_of_the_interpreter() {
    // A tree with only a Free has no token.
    for kind in NodeKind::ALL.into_iter().filter(|it| *it != NodeKind::Free) {
        let name = type_of(kind);
        let children = if kind.arity() == Arity::Leaf { "" } else { r#", "children": [{"type": "idle"}]"# };
        let text = format!(
            r#"{{"name": "n", "about": "", "keys": {{"n": 1}}, "conditions": {{"c": {{"script": "S", "every": 1}}}}, "ticks": 1,
            "tree": {{"type": "{name}"{}{children}}}}}"#,
            fields(kind)
        );
        let scenario = Scenario::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = scenario.root();
        let found = runner::root_kind(&scenario).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((root.type_name(), found), (&*name, kind));
    }
}

#[test]
fn scenarios_name_no_other_kind() {
    let all: BTreeSet<String> = NodeKind::ALL.into_iter().map(type_of).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees/conformance");
    let mut found = BTreeSet::new();
    for file in suite::files(&folder).unwrap() {
        let text = std::fs::read_to_string(file).unwrap();
        let types = text.split(r#""type""#).skip(1).filter_map(|it| it.split('"').nth(1));
        found.extend(types.map(str::to_owned));
    }
    // Others replace them.
    found.retain(|it| !["subtree", "slot", "node", "nodes"].contains(&&**it));
    assert_eq!(found, all);
}
