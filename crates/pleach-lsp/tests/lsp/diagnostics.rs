//! Problems, while a person types.

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
    // A file that appears on the disk.
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
fn a_file_that_begins_with_an_attribute_is_a_tree() {
    let mut client = Client::new("attribute", &[]);
    client.open("a.ron", "#![enable(implicit_some)]\nTree(version: 1, root: Idel)");
    assert!(client.problems("a.ron").contains("did you mean `Idle`"));
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

const PART: &str = "Tree(version: 1, ports: { \"to\": In(Vec2) }, root: MoveTo(\"to\"))";
const WHOLE: &str =
    "Tree(version: 1, blackboard: { \"home\": Vec2(0, 0) }, root: Subtree(\"parts/go.ron\", { \"to\": \"home\" }))";

#[test]
fn what_includes_a_file_that_is_no_tree_any_more_is_checked() {
    let mut client = Client::new("gone_part", &[("whole.ron", WHOLE), ("parts/go.ron", PART)]);
    client.open("whole.ron", WHOLE);
    assert_eq!(client.problems("whole.ron"), "");
    client.open("parts/go.ron", "Foo(");
    assert!(client.problems("parts/go.ron").contains("is never closed"));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": client.uri("parts/go.ron") } }));
    assert_eq!(client.problems("parts/go.ron"), "");
    std::fs::remove_file(client.uri("parts/go.ron").strip_prefix("file://").unwrap()).unwrap();
    let uri = client.uri("parts/go.ron");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": 3 }] }));
    // The earlier, empty reports do not count.
    let problems = std::iter::repeat_with(|| client.problems("whole.ron")).find(|it| !it.is_empty());
    assert!(problems.is_some_and(|it| it.contains("parts/go.ron")));
}

#[test]
fn what_only_an_unsaved_text_included_is_checked_when_that_is_closed() {
    let part = "Tree(version: 1, root: Idel)";
    let mut client = Client::new("unsaved", &[("a.ron", "Tree(version: 1, root: Idle)"), ("parts/go.ron", part)]);
    client.open("a.ron", "Tree(version: 1, root: Subtree(\"parts/go.ron\"))");
    assert_ne!(client.problems("parts/go.ron"), "");
    // No client reports the change, but it is checked.
    client.write("parts/go.ron", "Tree(version: 1, root: Idle)");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": client.uri("a.ron") } }));
    assert_eq!(client.problems("parts/go.ron"), "");
}

#[test]
fn files_that_no_search_finds_are_left_alone() {
    let bad = "Tree(version: 1, root: Idel)";
    let mut client = Client::new("left", &[("a/b.ron", bad), ("target/b.ron", bad), (".x/b.ron", bad)]);
    let changes = ["target/b.ron", ".x/b.ron", "a/b.ron"].map(|it| json!({ "uri": client.uri(it), "type": 1 }));
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    assert_ne!(client.problems("a/b.ron"), "");
    client.open("z.ron", "Tree(version: 1, root: Idle)");
    assert_eq!(client.problems("z.ron"), "");
    let told: Vec<String> = client.noticed.iter().map(|it| it.params.to_string()).collect();
    assert!(told.iter().all(|it| !it.contains("/target/") && !it.contains("/.x/")), "{told:?}");
}

#[test]
fn places_are_those_of_the_text_that_was_checked() {
    let whole = "Tree(version: 1, root: Subtree(\"parts/go.ron\"))";
    let part = "Tree(version: 1, root: Idle)";
    let mut client = Client::new("checked", &[("whole.ron", whole), ("parts/go.ron", part)]);
    client.open("whole.ron", whole);
    assert_eq!(client.problems("whole.ron"), "");
    // The editor does not report that. A byte order mark is not part of a line.
    client.write("parts/go.ron", "\u{feff}Tree(name: \"😀\", root: Idel,\n    version: 1)");
    client.change("whole.ron", 2, &format!("{whole}\n"));
    let problems = client.problems("parts/go.ron");
    assert!(problems.starts_with("0:23-27 error"), "{problems}");
}

#[test]
fn problems_that_are_not_listed_are_counted() {
    let mut client = Client::new("more", &[]);
    let nodes = "Idel,\n".repeat(1_100);
    client.open("a.ron", &format!("Tree(version: 1, root: Sequence([\n{nodes}]))"));
    assert_eq!(client.problems("a.ron").lines().last(), Some("0:0-0 error: ... and 100 more problems"));
}
