//! What is shown between the lines: colours of expressions, ports, tests.

use serde_json::{Value as Json, json};

use crate::client::{Client, expect};

const GO: &str = "Tree(version: 1, ports: { \"to\": In(Vec2), \"pause\": In(Float, 1.0), \"there\": Out(Bool) \
    }, root: Sequence([MoveTo(\"to\"), Wait(\"pause\")]))";

fn of(client: &mut Client, method: &str, name: &str) -> Json {
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": { "line": 999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": client.uri(name) }, "range": range });
    client.request(method, params).unwrap()
}

#[test]
fn expressions_have_colours() {
    let mut client = Client::new("colours", &[]);
    let text = "Tree(version: 1, blackboard: { \"é\": Float(1.0), \"mode\": Symbol(\"a\", [\"a\"]) }, group: { \
        \"g\": Vec2(0, 0) }, root: Sequence([\n    Check(\"é < 1.5 and mode == a\"), Check(\n\"min(1, \
        group.g.x) > 0\"), Log(\"é < 1\"),\n]))";
    client.open("a.ron", text);
    let found = of(&mut client, "textDocument/semanticTokens/full", "a.ron");
    let data: Vec<usize> =
        found["data"].as_array().unwrap().iter().map(|it| usize::try_from(it.as_u64().unwrap()).unwrap()).collect();
    let types = ["variable", "enumMember", "namespace", "function", "keyword", "number", "operator", "property"];
    let (mut line, mut character, mut out) = (0, 0, String::new());
    for token in data.chunks(5) {
        (line, character) = (line + token[0], if token[0] == 0 { character } else { 0 } + token[1]);
        let units: Vec<u16> = text.lines().nth(line).unwrap().encode_utf16().collect();
        let word = String::from_utf16(&units[character..character + token[2]]).unwrap();
        out.push_str(&format!("{line}:{character} {word} {}\n", types[token[3]]));
    }
    expect("colours", &out);
}

#[test]
fn ports_have_hints() {
    let mut client = Client::new("ports", &[("go.ron", GO)]);
    let text = "Tree(version: 1, blackboard: { \"home\": Vec2(0, 0) }, root: Subtree(\"go.ron\", { \"to\": \
        \"home\", \"no\": 1 }))";
    client.open("a.ron", text);
    let hints = of(&mut client, "textDocument/inlayHint", "a.ron");
    let shown: Vec<(&str, u64)> = (hints.as_array().unwrap().iter())
        .map(|it| (it["label"].as_str().unwrap(), it["position"]["character"].as_u64().unwrap()))
        .collect();
    let behind = |it: &str| text.find(it).unwrap() as u64 + it.len() as u64;
    assert_eq!(shown, [("In(Vec2)", behind("\"to\"")), ("default pause: 1.0", behind("\"no\": 1"))]);
}

#[test]
fn tests_can_be_run() {
    let tests = "Tests(version: 1, tree: \"go.ron\", cases: { \"it goes\": (steps: []), \"it stays\": (steps: []) })";
    let mut client = Client::new("lenses", &[("go.ron", GO), ("go.test.ron", tests)]);
    client.open("go.ron", GO);
    client.open("go.test.ron", tests);
    let lenses = of(&mut client, "textDocument/codeLens", "go.test.ron");
    let shown: Vec<String> = (lenses.as_array().unwrap().iter())
        .map(|it| {
            format!(
                "{} {}",
                it["command"]["title"].as_str().unwrap(),
                client.local(&it["command"]["arguments"].to_string())
            )
        })
        .collect();
    let expected = [
        "Run all tests [\"go.test.ron\"]",
        "Run test [\"go.test.ron\",\"it goes\"]",
        "Run test [\"go.test.ron\",\"it stays\"]",
    ];
    assert_eq!(shown, expected);
    let lenses = of(&mut client, "textDocument/codeLens", "go.ron");
    assert_eq!(lenses[0]["command"]["arguments"], json!([client.uri("go.test.ron")]));
    assert_eq!(titles(&lenses), ["Run tests"]);
    // Titles of several name the files.
    client.write("more/far.test.ron", &tests.replace("go.ron", "../go.ron"));
    client.open("more/far.test.ron", &tests.replace("go.ron", "../go.ron"));
    let lenses = of(&mut client, "textDocument/codeLens", "go.ron");
    assert_eq!(titles(&lenses), ["Run go.test.ron", "Run more/far.test.ron"]);
}

fn titles(lenses: &Json) -> Vec<&str> {
    lenses.as_array().unwrap().iter().map(|it| it["command"]["title"].as_str().unwrap()).collect()
}

#[test]
fn trees_say_how_many_of_their_nodes_tests_have_started() {
    let node = |path: &str, file: &str, line: u32, started: u32| json!({ "path": path, "file": file, "line": line, "started": started });
    let trees = json!([
        { "file": "trees/go.ron", "nodes": [node("Sequence", "trees/go.ron", 1, 2), node("Sequence/Idle[0]", "trees/go.ron", 1, 0)] },
        // A part counts once, and what it includes not at all.
        { "file": "all.ron", "nodes": [
            node("Selector", "all.ron", 1, 1), node("Selector/Sequence[0]", "trees/go.ron", 1, 0),
            node("Selector/Sequence[0]/Idle[0]", "trees/go.ron", 1, 1), { "path": "Selector/Idle" },
        ] },
    ]);
    let coverage = json!({ "version": 1, "trees": trees }).to_string();
    let mut client = Client::new("coverage", &[("coverage.json", &coverage)]);
    let shown = |client: &mut Client| titles(&of(client, "textDocument/codeLens", "trees/go.ron")).join("; ");
    client.open("trees/go.ron", GO);
    assert_eq!(shown(&mut client), "2 of 2 nodes tested");
    client.open("all.ron", "Tree(version: 1, root: Selector([Subtree(\"trees/go.ron\")]))");
    assert_eq!(titles(&of(&mut client, "textDocument/codeLens", "all.ron")), ["1 of 1 nodes tested"]);
    // What is no coverage, or of another version, says nothing.
    for other in
        ["", "[]", "{ \"version\": 2, \"trees\": [] }", "{ \"version\": 1, \"trees\": [3, { \"nodes\": [4] }] }"]
    {
        client.write("coverage.json", other);
        assert_eq!(shown(&mut client), "", "{other}");
    }
}
