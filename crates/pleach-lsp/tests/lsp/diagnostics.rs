//! What is wrong, as one types.

use serde_json::json;

use crate::client::{Client, expect};

#[test]
fn all_problems_have_places_and_help() {
    let mut client = Client::new("problems", &[]);
    let text = "Tree(\n    version: 1,\n    blackboard: { \"é😀\": Bool(true), \"health\": Float(1.0) },\n    \
                root: Selector(note: \"😀\", children: [Check(\"helth < 1\"), Fleee, MoveTo(place: \"health\")]),\n)\n";
    client.open("a.ron", text);
    expect("problems", &client.problems("a.ron"));
}

#[test]
fn a_half_document_has_one_problem() {
    let mut client = Client::new("half", &[]);
    client.open("a.ron", "Tree(version: 1, root: Sequence([Wait(2.0), ");
    assert_eq!(client.problems("a.ron").lines().count(), 1);
    client.change("a.ron", 2, "Tree(version: 1, root: Sequence([Wait(2.0)]))");
    assert_eq!(client.problems("a.ron"), "");
}

#[test]
fn what_includes_a_changed_file_is_checked_again() {
    let part = "Tree(version: 1, ports: { \"target\": In(Vec2) }, root: MoveTo(\"target\"))";
    let whole = "Tree(version: 1, blackboard: { \"home\": Vec2(0, 0) }, root: Subtree(\"parts/go.ron\", { \
        \"target\": \"home\" }))";
    let mut client = Client::new("includes", &[("whole.ron", whole), ("parts/go.ron", part)]);
    client.open("parts/go.ron", part);
    assert_eq!(client.problems("parts/go.ron"), "");
    // It is not open, and nothing was saved.
    client.change("parts/go.ron", 2, &part.replace("target", "place"));
    let problems = client.problems("whole.ron");
    assert!(problems.contains("target") && problems.contains("place"), "{problems}");
    client.change("parts/go.ron", 3, part);
    assert_eq!(client.problems("whole.ron"), "");
    // A file that comes on the disk.
    client.open("whole.ron", &whole.replace("go.ron", "walk.ron"));
    assert!(client.problems("whole.ron").contains("parts/walk.ron"));
    client.write("parts/walk.ron", part);
    let uri = client.uri("parts/walk.ron");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": 1 }] }));
    assert_eq!(client.problems("whole.ron"), "");
}

#[test]
fn a_closed_file_is_what_is_on_the_disk() {
    let text = "Tree(version: 1, root: Idle)";
    let mut client = Client::new("closed", &[("a.ron", text)]);
    client.open("a.ron", "Tree(version: 1, root: Idel)");
    assert_ne!(client.problems("a.ron"), "");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": client.uri("a.ron") } }));
    assert_eq!(client.problems("a.ron"), "");
}

#[test]
fn manifests_are_checked_too() {
    let mut client = Client::new("manifest", &[]);
    client.open("game.leaves", "Manifest(version: 1, leaves: [(name: \"Go\", kind: Acton)])");
    assert!(client.problems("game.leaves").contains("Acton"));
}

#[test]
fn a_begun_file_beside_trees_is_ours() {
    let mut client = Client::new("begun", &[("a.ron", "Tree(version: 1, root: Idle)")]);
    client.open("b.ron", "Tre");
    assert_ne!(client.problems("b.ron"), "");
}
