//! The outline of a file.

use serde_json::{Value as Json, json};

use crate::client::{Client, expect, span};

fn lines(symbols: &Json, indent: usize, out: &mut String) {
    for it in symbols.as_array().unwrap() {
        let [name, detail] = ["name", "detail"].map(|field| it[field].as_str().unwrap());
        let [whole, name_at] = ["range", "selectionRange"].map(|field| span(&it[field]));
        out.push_str(&format!("{:indent$}{name} | {detail} | {} | {whole} | {name_at}\n", "", it["kind"]));
        lines(&it["children"], indent + 2, out);
    }
}

#[test]
fn nodes_stand_inside_each_other() {
    let mut client = Client::new("outline", &[]);
    let text = r#"Tree(
    version: 1,
    blackboard: { "health": Float(1.0), "home": Vec2(0, 0) },
    events: { "alarm": () },
    templates: { "go": (ports: { "to": In(Vec2) }, root: MoveTo("to")) },
    root: Selector(
        name: "guard",
        children: [
            Sequence(abort: Both, services: [(every: 0.5, run: Patrol)], children: [Check("health < 0.3"), Flee]),
            Use("go", { "to": "home" }),
            Subtree(asset: "fight.ron", name: "fight"),
            Guard("true", Timeout(2.0, Patrol)),
            Switch(on: "1", cases: { 1: Idle }, default: Wait(1.0)),
            UtilitySelector(children: [(score: "1", child: Patrol)]),
    "#;
    client.open("a.ron", text);
    let symbols =
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri("a.ron") } }));
    let mut out = String::new();
    lines(&symbols.unwrap(), 0, &mut out);
    expect("outline", &out);
}
