//! Hover texts.

use serde_json::Value as Json;

use crate::client::{Client, cursor, expect, span};

#[test]
fn everything_says_what_it_is() {
    let part = "Tree(version: 1, note: \"Goes there.\", ports: { \"to\": In(Vec2) }, root: MoveTo(\"to\"))";
    let mut client = Client::new("hover", &[("go.ron", part)]);
    let text = r#"^Tree(
    version: 1,
    blackboard: {
        // From 0 to 1.
        // The game writes it.
        "^health": Float(1.0),
        "home": Vec2(0, 0),
    },
    group: { "alarm": Bool(false) },
    events: { "shout": () },
    templates: { "walk": (note: "Walks.", ports: { "place": In(Vec2) }, root: MoveTo("^place")) },
    ^root: Sequence(
        ^abort: ^Both,
        children: [
            ^Check("^health < 0.3 ^and ^min(1, 2) > 1 and not group.^alarm"),
            ^MoveTo(^place: "^home", gait: "sneak"),
            ^Timeout(2.0, ^Flee),
            Emit(event: "^shout"),
            OnEvent("^noise"),
            Subtree("^go.ron", { "^to": "home" }),
            Use("^walk", { "^place": "home" }),
            Use(template: "^Retry", nodes: { "body": Idle }),
            ^Slot(name: "s", trees: ["go.ron"]),
            ^Unknown(^a: 1^2),
        ],
    ),
)"#;
    client.open("a.ron", &text.replace('^', ""));
    let mut out = String::new();
    for at in text.match_indices('^').map(|it| it.0) {
        let marked: String =
            text.char_indices().map(|it| if it.0 == at { '|' } else { it.1 }).filter(|it| *it != '^').collect();
        let line = marked.lines().find(|it| it.contains('|')).unwrap().trim().to_owned();
        let answer = client.ask("textDocument/hover", "a.ron", &cursor(&marked).1);
        out.push_str(&format!("--- {line}\n"));
        if answer != Json::Null {
            let text = answer["contents"]["value"].as_str().unwrap();
            out.push_str(&format!("{}\n{text}\n", span(&answer["range"])));
        }
    }
    expect("hover", &out);
}
