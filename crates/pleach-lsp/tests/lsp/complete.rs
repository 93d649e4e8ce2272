//! Completion, in half-written documents.

use serde_json::Value as Json;

use crate::client::{Client, cursor, edited, expect};

const FILES: [(&str, &str); 3] = [
    ("guard.ron", "Tree(version: 1, blackboard: { \"health\": Float(1.0), \"home\": Vec2(0, 0) }, root: Idle)"),
    (
        "parts/go.ron",
        "Tree(version: 1, note: \"Goes there.\", ports: { \"to\": In(Vec2), \"pause\": In(Float, 1.0) }, \
         nodes: { \"body\": One }, root: Sequence([MoveTo(\"to\"), Node(\"body\")]))",
    ),
    ("scene.ron", "(resources: {})"),
];

/// Keys around the cursor, at any place.
const BEGIN: &str = "Tree(version: 1, blackboard: { \"health\": Float(1.0), \"home\": Vec2(0, 0), \
                     \"mode\": Symbol(\"calm\", [\"calm\", \"wild\"]) }, group: { \"alarm\": Bool(false) }, \
                     events: { \"shout\": Vec2 }, templates: { \"go\": (ports: { \"place\": In(Vec2) }, root: \
                         MoveTo(\"place\")) }, root: ";

fn items(client: &mut Client, text: &str) -> Vec<Json> {
    client.notify("textDocument/didClose", serde_json::json!({ "textDocument": { "uri": client.uri("a.ron") } }));
    let position = client.open_at("a.ron", text);
    let answer = client.ask("textDocument/completion", "a.ron", &position);
    let Json::Array(mut items) = answer else { panic!("{answer}") };
    items.sort_by_key(|it| it["sortText"].as_str().unwrap_or_default().to_owned());
    items
}

/// The first completions at the cursor.
fn labels(client: &mut Client, text: &str) -> String {
    let items = items(client, text);
    let shown = items.iter().take(8).map(|it| it["label"].as_str().unwrap());
    let more = if items.len() > 8 { format!(" and {} more", items.len() - 8) } else { String::new() };
    shown.collect::<Vec<_>>().join(", ") + &more
}

/// The text after choosing that completion.
fn chosen(client: &mut Client, text: &str, label: &str) -> String {
    let items = items(client, text);
    let item = items.iter().find(|it| it["label"] == label).unwrap_or_else(|| panic!("{label} in {items:?}"));
    edited(&cursor(text).0, &Json::Array(vec![item["textEdit"].clone()]))
}

#[test]
fn everything_can_be_completed() {
    let mut client = Client::new("completion", &FILES);
    let mut out = String::new();
    for place in [
        "|",
        "Tr|",
        "Tree(|",
        "Tree(version: 1, ro|",
        "Tree(version: 1, root: |",
        "Tree(version: 1, blackboard: { \"a\": |",
        "Tree(version: 1, blackboard: { \"a\": Bool(true), | }, root: Idle)",
        "Tree(version: 1, name: \"scout\", blackboard: { |",
        "Tree(version: 1, name: \"scout\", blackboard: { \"strength\": Float(1.0), \"|\" }, root: Idle)",
        "Tree(version: 1, name: \"scout\", group: { | }, root: Idle)",
        "Tree(version: 1, name: \"scout\", global: { | }, root: Idle)",
        "Tree(version: 1, events: { \"a\": | })",
        "Tree(version: 1, ports: { \"a\": | })",
        "Tree(version: 1, ports: { \"a\": In(|) })",
        "Tree(version: 1, templates_from: [\"|\"], root: Idle)",
        "Tree(version: 1, // no|",
        "%Wai|",
        "%Sequence(|",
        "%Sequence(abort: |",
        "%Sequence(abort: Both, |children: [])",
        "%Sequence(children: [|",
        "%Sequence(children: [Idle, |])",
        "%Sequence([F|, Idle])",
        "%Sequence(services: [|",
        "%Sequence(services: [(every: 1, run: |",
        "%UtilitySelector(children: [|",
        "%UtilitySelector(children: [(|",
        "%Parallel(success: |",
        "%Guard(when: |",
        "%Guard(|",
        "%Finally(do: [|",
        "%Check(\"|\")",
        "%Check(\"hea|",
        "%Check(\"health < |\n    Wait(1.0)",
        "%Check(\"mode == |\")",
        "%Check(\"group.|\")",
        "%Check(\"home.|\")",
        "%Wait(\"|\")",
        "%Set(key: |",
        "%Set(key: \"ho|\"",
        "%MoveTo(|",
        "%MoveTo(place: \"|\")",
        "%MoveTo(place: \"home\", gait: |",
        "%OnEvent(\"|\")",
        "%Emit(event: \"shout\", to: |)",
        "%Switch(on: \"mode\", cases: { | })",
        "%Switch(on: \"mode\", cases: { \"calm\": | })",
        "%Subtree(\"|\")",
        "%Subtree(\"parts/go.ron\", { | })",
        "%Subtree(\"parts/go.ron\", with: { \"|\": \"home\" })",
        "%Subtree(asset: \"parts/go.ron\", with: { \"to\": | })",
        "%Subtree(asset: \"parts/go.ron\", nodes: { | })",
        "%Use(\"|\")",
        "%Use(\"go\", { |",
        "%Slot(name: \"s\", trees: [\"guard.ron\", \"parts/go.ron\"], initial: |)",
        "%Sequence([Token(\"attack\", 1, Idle), Free(\"|\")])",
    ] {
        let text = place.replacen('%', BEGIN, 1);
        out.push_str(&format!("{}\n    {}\n", place.replace('\n', "\\n"), labels(&mut client, &text)));
    }
    expect("completion", &out);
}

#[test]
fn what_is_chosen_takes_the_place_of_what_is_there() {
    let mut client = Client::new("chosen", &FILES);
    let root = |text: &str| format!("{BEGIN}{text}");
    let mut chosen = |text: &str, label: &str| chosen(&mut client, &root(text), label).replacen(BEGIN, "", 1);
    assert_eq!(chosen("Wai|", "Wait"), "Wait(seconds: $1)");
    assert_eq!(chosen("Seq|(children: [])", "Sequence"), "Sequence(children: [])");
    assert_eq!(chosen("Sequence([F|l])", "Flee"), "Sequence([Flee])");
    assert_eq!(chosen("M|", "MoveTo"), "MoveTo(place: \"$1\")");
    assert_eq!(chosen("MoveTo(p|", "place"), "MoveTo(place: \"$1\"");
    assert_eq!(chosen("MoveTo(p|: \"home\"", "place"), "MoveTo(place: \"home\"");
    assert_eq!(chosen("MoveTo(place: |)", "home"), "MoveTo(place: \"home\")");
    assert_eq!(chosen("MoveTo(place: \"ho|\")", "home"), "MoveTo(place: \"home\")");
    assert_eq!(chosen("Check(\"health < 1 and gr|oup.alarm\")", "group"), "Check(\"health < 1 and group.alarm\")");
    assert_eq!(chosen("Check(\"not group.al|\")", "alarm"), "Check(\"not group.alarm\")");
    assert_eq!(chosen("Subtree(\"parts/go.ron\", { | })", "to"), "Subtree(\"parts/go.ron\", { \"to\":  })");
    assert_eq!(chosen("Subtree(|)", "parts/go.ron"), "Subtree(\"parts/go.ron\")");
    assert_eq!(chosen("Guard(|)", "Sees"), "Guard(Sees)");
}

#[test]
fn a_key_that_the_game_relies_on_is_declared_by_choosing_it() {
    let mut client = Client::new("needed-keys", &FILES);
    let declared = |client: &mut Client, text: &str, name: &str| {
        let all = chosen(client, &format!("Tree(version: 1, name: \"scout\", {text} }}, root: Idle)"), name);
        all.split(['{', '}']).nth(1).unwrap().trim().to_owned()
    };
    assert_eq!(declared(&mut client, "blackboard: { |", "strength"), r#""strength": Float(0.0)"#);
    assert_eq!(declared(&mut client, "blackboard: { |", "mood"), r#""mood": Symbol("calm", ["calm", "wild"])"#);
    assert_eq!(declared(&mut client, "group: { |", "signal"), r#""signal": Bool(false)"#);
    // What is written already stays.
    assert_eq!(declared(&mut client, "blackboard: { \"st|\": Float(2.0)", "strength"), r#""strength": Float(2.0)"#);
    let none = labels(&mut client, "Tree(version: 1, name: \"farmer\", blackboard: { | }, root: Idle)");
    assert_eq!(none, "");
    let docs = items(&mut client, "Tree(version: 1, name: \"scout\", blackboard: { | }, root: Idle)");
    assert_eq!(docs[0]["documentation"]["value"], "From 0 to 1.\n\nThe game writes it.");
}

#[test]
fn an_editor_without_snippets_gets_none() {
    let mut client = Client::silent("plain", &FILES);
    let folder = client.uri("");
    client.request("initialize", serde_json::json!({ "capabilities": {}, "rootUri": folder })).unwrap();
    client.notify("initialized", Json::Null);
    for text in ["Tree(root: |", "Tree(|", "Tree(blackboard: { \"a\": |", "|"] {
        for item in items(&mut client, text) {
            let inserted = item["textEdit"]["newText"].as_str().unwrap();
            assert!(!inserted.contains('$') && item["insertTextFormat"] == 1, "{item}");
        }
    }
}

#[test]
fn tests_know_the_keys_of_their_tree() {
    let mut client = Client::new("tests_complete", &FILES);
    let text = "Tests(version: 1, tree: \"guard.ron\", cases: { \"a\": (steps: [(set: { | })]) })";
    assert_eq!(labels(&mut client, text), "health, home");
    let text = "Tests(version: 1, tree: \"|\", cases: {})";
    assert_eq!(labels(&mut client, text), "guard.ron, parts/go.ron");
}

#[test]
fn tests_know_their_fields_and_what_is_in_their_tree() {
    let mut client = Client::new("tests_fields", &FILES);
    let tree = r#"Tree(version: 1, root: Selector(name: "guard", children: [Guard(when: Sees, child: Flee(name: "run")), Patrol]))"#;
    client.write("dog.ron", tree);
    let begin = "Tests(version: 1, tree: \"dog.ron\", cases: { \"a\": (";
    let mut of = |text: &str| labels(&mut client, &format!("{begin}{text}"));
    assert_eq!(of("|)}"), "steps, always, at_least, at_most, begin, dt, golden, leaves and 7 more");
    let step = of("steps: [(at: 1.0, |)])})");
    assert_eq!(step, "aborted, after, answer, do, dt, emitted, expect, failed and 12 more", "without `at`");
    assert_eq!(of("steps: [(running: \"|\")])})"), "Flee, Patrol, Sees, guard, run");
    assert_eq!(of("steps: [(running: [\"guard\", |])])})"), "Flee, Patrol, Sees, guard, run");
    assert_eq!(of("never: |)})"), "Flee, Patrol, Sees, guard, run");
    assert_eq!(of("steps: [(aborted: { \"run\": \"|\" })])})"), "Flee, Patrol, Sees, guard, run");
    assert_eq!(of("leaves: { | })})"), "Flee, Patrol, Sees, guard, run");
    assert_eq!(of("leaves: { \"Sees\": | })})"), "false, true");
    assert_eq!(of("leaves: { \"Flee\": [Failure, |] })})"), "Failure, Running, Success");
    assert_eq!(of("steps: [(status: |)])})"), "Failure, Running, Success");
    assert_eq!(of("steps: [(do: [|])])})"), "Pause, Restart, Unpause");
    assert_eq!(of("steps: [(others: (|))])})"), "fill, send, set");
    assert_eq!(labels(&mut client, "Tests(|"), "cases, version, dt, leaves, seed, tree, world");
}

#[test]
fn no_place_of_a_half_document_does_harm() {
    let mut client = Client::new("anywhere", &FILES);
    let text = format!(
        "{BEGIN}Sequence(abort: Both, services: [(every: 1.0, run: Patrol)], children: [Check(\"health < 0.5 \
            and mode == calm\"), Use(\"go\", {{ \"place\": \"home\" }})]))"
    );
    for end in (0..text.len()).filter(|it| it % 7 == 0) {
        let half = format!("{}|", &text[..end]);
        items(&mut client, &half);
        let whole = format!("{}|{}", &text[..end], &text[end..]);
        items(&mut client, &whole);
    }
}
