//! Formatting.

use serde_json::{Value as Json, json};

use crate::client::{Client, edited};

fn format(client: &mut Client, name: &str) -> Json {
    let params =
        json!({ "textDocument": { "uri": client.uri(name) }, "options": { "tabSize": 2, "insertSpaces": true } });
    client.request("textDocument/formatting", params).unwrap()
}

#[test]
fn edits_are_those_of_fmt() {
    let text = "// 😀\nTree(\n    version:1, // one\n  root:   Sequence( [ Wait( 2.0 ) ,Idle ]),\n)\n// end\n";
    let mut client = Client::new("fmt", &[]);
    client.open("a.ron", text);
    let edits = format(&mut client, "a.ron");
    assert_eq!(edits[0]["range"]["start"], json!({ "line": 2, "character": 0 }));
    let formatted = pleach::asset::format_str("a.ron", text).unwrap();
    assert_eq!(edited(text, &edits), formatted);
    client.change("a.ron", 2, &formatted);
    assert_eq!(format(&mut client, "a.ron"), json!([]));
    // One line without its end.
    client.change("a.ron", 3, "Tree( version: 1)");
    let edits = format(&mut client, "a.ron");
    assert_eq!(edited("Tree( version: 1)", &edits), "Tree(version: 1)\n");
}

#[test]
fn what_is_not_ron_stays() {
    let mut client = Client::new("not_ron", &[]);
    client.open("a.ron", "Tree(version: 1, root: [");
    assert_eq!(format(&mut client, "a.ron"), Json::Null);
    let said = client.next("window/logMessage")["message"].as_str().unwrap().to_owned();
    assert!(client.local(&said).starts_with("not formatted: a.ron:1:"), "{said}");
}
