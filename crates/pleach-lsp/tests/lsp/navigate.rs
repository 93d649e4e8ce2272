//! Definitions, references and renaming through several files.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::client::{Client, cursor, edited, expect, span};

const GUARD: &str = r#"Tree(
    version: 1,
    blackboard: { "health": Float(1.0), "home": Vec2(0, 0) },
    group: { "alarm": Bool(false) },
    events: { "shout": () },
    templates: {
        "walk": (ports: { "place": In(Vec2) }, nodes: { "then": One }, root: Sequence([MoveTo("place"), Node("then")])),
    },
    root: Sequence([
        Check("health < 0.3 and not alarm"),
        Sequence(blackboard: { "home": Vec2(1, 1) }, children: [MoveTo("home")]),
        MoveTo("home"),
        Emit(event: "shout"),
        Subtree("parts/go.ron", { "to": "home" }),
        Use(template: "walk", with: { "place": "home" }, nodes: { "then": Token("turn", 1, Idle) }),
        Free("turn"),
    ]),
)
"#;

const GO: &str = r#"Tree(
    version: 1,
    ports: { "to": In(Vec2) },
    global: { "alarm": Bool(false) },
    group: { "alarm": Bool(false) },
    blackboard: { "health": Float(1.0) },
    root: Sequence([MoveTo("to"), Check("group.alarm or health > 0"), WaitFor("shout"), Check("global.alarm")]),
)
"#;

const TESTS: &str = r#"Tests(
    version: 1,
    tree: "guard.ron",
    cases: { "it flees": (steps: [(set: { "health": 0.2 }, expect: "health < 1")]) },
)
"#;

const FILES: [(&str, &str); 3] = [("guard.ron", GUARD), ("parts/go.ron", GO), ("guard.test.ron", TESTS)];

/// The position of the first place of a text in a file.
fn place(text: &str, of: &str, offset: usize) -> Json {
    let at = text.find(of).unwrap_or_else(|| panic!("{of}")) + offset;
    cursor(&format!("{}|{}", &text[..at], &text[at..])).1
}

fn locations(client: &Client, found: &Json) -> String {
    let list = if found.is_array() { found.clone() } else { json!([found]) };
    let shown = |it: &Json| match it["uri"].as_str() {
        Some(uri) => format!("{} {}", client.local(uri), span(&it["range"])),
        None => "nowhere".to_owned(),
    };
    list.as_array().unwrap().iter().map(shown).collect::<Vec<_>>().join(", ")
}

#[test]
fn names_lead_to_what_they_name() {
    let mut client = Client::new("definition", &FILES);
    FILES.iter().for_each(|(name, text)| client.open(name, text));
    let mut out = String::new();
    for (file, text, of) in [
        ("guard.ron", GUARD, "health <"),
        ("guard.ron", GUARD, "alarm\"),"),
        ("guard.ron", GUARD, "home\")]"),
        ("guard.ron", GUARD, "home\"),\n        Emit"),
        ("guard.ron", GUARD, "shout\"),"),
        ("guard.ron", GUARD, "parts/go"),
        ("guard.ron", GUARD, "to\": \"home"),
        ("guard.ron", GUARD, "home\" })"),
        ("guard.ron", GUARD, "walk\", with"),
        ("guard.ron", GUARD, "place\": \"home"),
        ("guard.ron", GUARD, "place\"), Node"),
        ("guard.ron", GUARD, "then\": Token"),
        ("guard.ron", GUARD, "then\")"),
        ("guard.ron", GUARD, "turn\"),\n"),
        ("guard.ron", GUARD, "version"),
        ("parts/go.ron", GO, "alarm or"),
        ("parts/go.ron", GO, "shout"),
        ("guard.test.ron", TESTS, "guard.ron"),
        ("guard.test.ron", TESTS, "health\": 0.2"),
        ("guard.test.ron", TESTS, "health < 1"),
    ] {
        let position = place(text, of, 1);
        let definition = client.ask("textDocument/definition", file, &position);
        let params = json!({
            "textDocument": { "uri": client.uri(file) }, "position": position,
            "context": { "includeDeclaration": true },
        });
        let references = client.request("textDocument/references", params).unwrap();
        let highlights = client.ask("textDocument/documentHighlight", file, &position);
        let highlights = highlights.as_array().map_or(0, Vec::len);
        let (definition, references) = (locations(&client, &definition), locations(&client, &references));
        writeln!(out, "{file}: {}\n  -> {definition}\n  <- {references}\n  {highlights} here", of.replace('\n', "\\n"))
            .unwrap();
    }
    let params =
        json!({ "textDocument": { "uri": client.uri("parts/go.ron") }, "position": { "line": 0, "character": 1 } });
    let references = client.request("textDocument/references", params).unwrap();
    writeln!(out, "parts/go.ron\n  <- {}", locations(&client, &references)).unwrap();
    expect("navigation", &out);
}

fn rename(client: &mut Client, file: &str, position: &Json, new: &str) -> Result<Json, (i32, String)> {
    let params = json!({ "textDocument": { "uri": client.uri(file) }, "position": position, "newName": new });
    client.request("textDocument/rename", params)
}

#[test]
fn a_key_is_renamed_through_all_files() {
    let mut client = Client::new("rename", &FILES);
    // Files that are not open are renamed as well.
    client.open("guard.ron", GUARD);
    let mut renamed = |file: &str, text: &str, of: &str, new: &str| {
        let edits = rename(&mut client, file, &place(text, of, 0), new).unwrap();
        let mut out = String::new();
        for (name, text) in FILES {
            let edits = &edits["changes"][client.uri(name)];
            let after = if edits.is_null() { text.to_owned() } else { edited(text, edits) };
            for (before, after) in text.lines().zip(after.lines()).filter(|it| it.0 != it.1) {
                writeln!(out, "{name}:\n- {}\n+ {}", before.trim(), after.trim()).unwrap();
            }
        }
        out
    };
    let mut out = String::new();
    for (of, new) in [
        ("health\"", "hp"),
        ("alarm\": Bool", "alert"),
        ("home\": Vec2(1", "bed"),
        ("shout\": (", "cry"),
        ("place\": In", "where"),
        ("walk\": (", "amble"),
        ("then\": One", "after"),
        ("turn\", 1", "go_on"),
    ] {
        writeln!(out, "--- {new}\n{}", renamed("guard.ron", GUARD, of, new)).unwrap();
    }
    client.open("parts/go.ron", GO);
    let mut renamed = |of: &str, new: &str| {
        let edits = rename(&mut client, "parts/go.ron", &place(GO, of, 0), new).unwrap();
        edited(GUARD, &edits["changes"][client.uri("guard.ron")])
    };
    assert!(renamed("to\": In", "where").contains("{ \"where\": \"home\" }"));
    expect("renames", &out);
}

#[test]
fn what_cannot_be_renamed_says_why() {
    let mut client = Client::new("not_renamed", &FILES);
    let text =
        GUARD.replace("Free(\"turn\")", "OnEvent(\"noise\"), Use(template: \"Retry\", with: { \"pause\": 1.0 })");
    client.open("guard.ron", &text);
    for (of, new, why) in [
        ("health <", "1a", "cannot be a name"),
        ("health <", "not", "cannot be a name"),
        ("health <", "home", "`home` is a name in"),
        ("parts/go", "a", "files are renamed on the disk"),
        ("noise", "a", "the game declares the event `noise`"),
        ("Retry", "a", "standard template"),
        ("pause", "a", "standard template"),
        ("version", "a", "no name here"),
    ] {
        let (_, message) = rename(&mut client, "guard.ron", &place(&text, of, 0), new).unwrap_err();
        assert!(message.contains(why), "{of}: {message}");
    }
    let params = json!({ "textDocument": { "uri": client.uri("guard.ron") }, "position": place(&text, "health <", 2) });
    let prepared = client.request("textDocument/prepareRename", params).unwrap();
    assert_eq!((&prepared["placeholder"], span(&prepared["range"])), (&json!("health"), "9:15-21".to_owned()));
}

#[test]
fn events_are_renamed_in_tests() {
    let tests = "Tests(version: 1, tree: \"guard.ron\", cases: { \"it shouts\": (steps: [\n(at: 1.0, send: \"shout\"), \
        (at: 2.0, send: { \"shout\": () }), (at: 3.0, emitted: [\"shout\"]), (at: 4.0, emitted: \"shout\")]) })";
    let mut client = Client::new("events", &FILES);
    client.open("guard.ron", GUARD);
    client.open("guard.test.ron", tests);
    let edits = rename(&mut client, "guard.ron", &place(GUARD, "shout\": (", 0), "cry").unwrap();
    let after = edited(tests, &edits["changes"][client.uri("guard.test.ron")]);
    assert_eq!(after, tests.replace("\"shout\"", "\"cry\""));
}

#[test]
fn a_name_that_is_there_is_refused() {
    let text = GUARD
        .replace("\"shout\": ()", "\"shout\": (), \"cry\": ()")
        .replace("\"then\": One", "\"then\": One, \"else\": One")
        .replace("templates: {", "templates: { \"run\": (root: Idle),")
        .replace("Free(\"turn\")", "Free(\"turn\"), Token(\"go\", 1, Idle)");
    let mut client = Client::new("there", &FILES);
    client.open("guard.ron", &text);
    for (of, new, why) in [
        ("shout\": (", "cry", "`cry` is a name in"),
        ("shout\": (", "noise", "the game declares an event `noise` already"),
        ("walk\": (", "run", "`run` is a name in"),
        ("walk\": (", "Retry", "standard template already"),
        ("then\": One", "else", "`else` is a name in"),
        ("turn\", 1", "go", "`go` is a name in"),
        ("place\": In", "health", "`health` is a name in"),
        ("alarm\": Bool", "health", "`health` is a name in"),
        // The reason fits the name.
        ("shout\": (", " ", "a name cannot be empty"),
        ("shout\": (", "a\"b", "it cannot hold `\"` or `\\`"),
        ("health <", "not", "expressions have a meaning for it"),
        ("health <", "1a", "it cannot begin with a digit"),
        ("health <", "a-b", "use letters, digits and `_`"),
    ] {
        let (_, message) = rename(&mut client, "guard.ron", &place(&text, of, 0), new).unwrap_err();
        assert!(message.contains(why), "{of}: {message}");
    }
    for (of, new) in [("shout\": (", "shout out"), ("walk\": (", "walk on"), ("walk\": (", "walk")] {
        assert!(rename(&mut client, "guard.ron", &place(&text, of, 0), new).is_ok(), "{new}");
    }
}

#[test]
fn a_port_of_several_trees_of_a_slot_is_refused() {
    let part = "Tree(version: 1, ports: { \"to\": In(Vec2) }, root: MoveTo(\"to\"))";
    let user = "Tree(version: 1, blackboard: { \"home\": Vec2(0, 0) }, root: Slot(name: \"s\", trees: [\"a.ron\", \
        \"b.ron\"], with: { \"to\": \"home\" }))";
    let mut client = Client::new("slot", &[("a.ron", part), ("b.ron", part), ("user.ron", user)]);
    client.open("user.ron", user);
    client.open("b.ron", part);
    for (file, text) in [("user.ron", user), ("b.ron", part)] {
        let (_, message) = rename(&mut client, file, &place(text, "to\":", 0), "place").unwrap_err();
        let message = client.local(&message);
        assert_eq!(message, "several trees of a slot have the port `to`: rename it in each of `a.ron`, `b.ron`");
    }
}

#[test]
fn files_that_are_not_open_are_renamed_as_they_are_on_the_disk() {
    let mut client = Client::new("stale", &FILES);
    client.open("guard.ron", GUARD);
    assert!(rename(&mut client, "guard.ron", &place(GUARD, "shout\": (", 0), "cry").is_ok());
    // The editor does not report that.
    let go = GO.replace("root:", "\n\n    // Somebody else wrote this.\n    root:");
    client.write("parts/go.ron", &go);
    let edits = rename(&mut client, "guard.ron", &place(GUARD, "shout\": (", 0), "cry").unwrap();
    let after = edited(&go, &edits["changes"][client.uri("parts/go.ron")]);
    assert_eq!(after, go.replace("shout", "cry"));
}

#[test]
fn nothing_is_renamed_if_not_all_files_are_looked_at() {
    let mut client = Client::new("many", &FILES);
    (0..5_000).for_each(|it| client.write(&format!("many/{it}.ron"), "()"));
    client.open("guard.ron", GUARD);
    let said = client.next("window/logMessage")["message"].as_str().unwrap().to_owned();
    assert_eq!(said, "a folder holds more than 5000 `.ron` files: the others are not looked at");
    let (_, message) = rename(&mut client, "guard.ron", &place(GUARD, "health\"", 0), "hp").unwrap_err();
    assert!(message.contains("more than 5000"), "{message}");
}
