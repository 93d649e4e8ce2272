//! Code actions: fixes as edits.

use serde_json::{Value as Json, json};

use crate::client::{Client, edited};

/// Two names that are as like: a person has to choose.
#[test]
fn what_is_not_sure_is_no_edit() {
    let mut client = Client::new("unsure", &[]);
    let keys = "blackboard: { \"hp1\": Int(1), \"hp2\": Int(1) }";
    client.open("a.ron", &format!("Tree(version: 1, {keys}, root: Check(\n\"hp3 > hp1\"))"));
    assert_eq!(actions(&mut client, "a.ron", 1, 2), [Json::Null; 0]);
    let told = client.problems("a.ron");
    assert!(told.contains("did you mean `hp1` or `hp2`?"), "{told}");
}

fn actions(client: &mut Client, name: &str, line: u32, character: u32) -> Vec<Json> {
    let place = json!({ "line": line, "character": character });
    let params = json!({
        "textDocument": { "uri": client.uri(name) }, "range": { "start": place, "end": place },
        "context": { "diagnostics": [] },
    });
    let Json::Array(actions) = client.request("textDocument/codeAction", params).unwrap() else { panic!("no list") };
    actions
}

#[test]
fn what_was_meant_is_an_edit() {
    let text = "Tree(\n    version: 1,\n    blackboard: { \"health\": Float(1.0) },\n    root: \
        Sequence([Check(\"helth < 1\"), Fleee]),\n)\n";
    let mut client = Client::new("actions", &[]);
    client.open("a.ron", text);
    // The text is checked first, if that has not been done.
    let found = actions(&mut client, "a.ron", 3, 28);
    let titles: Vec<&str> = found.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert_eq!(found[0]["kind"], "quickfix", "{titles:?}");
    let uri = client.uri("a.ron");
    let after = |action: &Json| edited(text, &action["edit"]["changes"][&uri]);
    assert_eq!(after(&found[0]), text.replace("helth", "health"));
    let all = found.iter().find(|it| it["kind"] == "source.fixAll.pleach").unwrap();
    assert_eq!(after(all), text.replace("helth", "health").replace("Fleee", "Flee"));
    // Where nothing is wrong, only the fix of everything is offered; and nothing if all is right.
    assert_eq!(actions(&mut client, "a.ron", 1, 6).len(), 1);
    client.change("a.ron", 2, "Tree(version: 1, root: Idle)");
    assert_eq!(actions(&mut client, "a.ron", 0, 6), [Json::Null; 0]);
}
