//! Editing trees in the studio.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::replays::{TREES, guards};
use super::studio::Studio;
use super::{Place, command, refused};

/// A directory with the guard and its parts.
fn trees(place: &Place) -> String {
    let directory = format!("{}/trees", place.path());
    fs::create_dir_all(format!("{directory}/guard")).unwrap();
    fs::copy(format!("{TREES}/guard.ron"), format!("{directory}/guard.ron")).unwrap();
    for entry in fs::read_dir(format!("{TREES}/guard")).unwrap().flatten() {
        fs::copy(entry.path(), Path::new(&directory).join("guard").join(entry.file_name())).unwrap();
    }
    directory
}

/// The studio's answer to a question about edits.
fn ask(studio: &Studio, mut question: Value) -> (u16, Value) {
    question["ask"] = "edit".into();
    studio.ask_json(question)
}

/// Sets a field of the first node whose detail is this.
fn set(studio: &Studio, detail: &str, field: &str, value: &str) -> Value {
    let (_, view) = ask(studio, json!({ "edit": "files", "file": "guard.ron" }));
    let shown = &view["shown"];
    let nodes = shown["tree"]["nodes"].as_array().unwrap();
    let node = nodes.iter().position(|it| it["detail"].as_array().unwrap().iter().any(|it| it == detail)).unwrap();
    let change = json!({ "do": "set", "node": node, "field": field, "value": value });
    let (code, view) =
        ask(studio, json!({ "edit": "do", "file": "guard.ron", "seen": shown["seen"], "change": change }));
    assert_eq!(code, 200, "{view}");
    view
}

#[test]
fn trees_are_edited_without_a_recording() {
    let place = Place::new("edits");
    let directory = trees(&place);
    let studio = Studio::by(command(&["studio", &directory, "--no-open"]));
    let (code, overview) = studio.ask("{\"ask\":\"overview\"}");
    assert!(code == 200 && overview.contains("\"title\":\"trees\",\"kind\":\"trees\""), "{overview}");
    let (code, none) = studio.ask("{\"ask\":\"moment\",\"agent\":1,\"frame\":1}");
    assert!(code == 400 && none.contains("the studio has no recording"), "{none}");
    let before = fs::read_to_string(format!("{directory}/guard.ron")).unwrap();
    let view = set(&studio, "\"health <= 0.3\"", "expr", "health <= 0.9");
    assert_eq!((&view["shown"]["problems"], &view["shown"]["state"]), (&json!([]), &json!("unsaved")));
    assert_eq!(fs::read_to_string(format!("{directory}/guard.ron")).unwrap(), before);
    // It knows the leaves of the program.
    let (_, kinds) = ask(&studio, json!({ "edit": "kinds", "file": "guard.ron", "node": 1 }));
    let flee = kinds.as_array().unwrap().iter().find(|it| it["label"] == "Flee").unwrap();
    assert!(flee["detail"] == "action of the game" && flee["doc"] != "", "{flee}");
    let question =
        json!({ "edit": "complete", "file": "guard.ron", "node": 3, "field": "expr", "before": "hea", "after": "" });
    let (_, offers) = ask(&studio, question);
    let health = offers.as_array().unwrap().iter().find(|it| it["label"] == "health").unwrap();
    assert_eq!((&health["from"], &health["to"]), (&json!(0), &json!(3)));
    let wrong = set(&studio, "\"health <= 0.9\"", "expr", "helth <= 0.9");
    let problem = &wrong["shown"]["problems"][0];
    assert!(problem["field"] == "expr" && problem["message"].as_str().unwrap().contains("`health`"), "{problem}");
    ask(&studio, json!({ "edit": "undo" }));
    let (code, saved) = ask(&studio, json!({ "edit": "save" }));
    assert_eq!((code, &saved["notes"]), (200, &json!([])));
    let after = fs::read_to_string(format!("{directory}/guard.ron")).unwrap();
    assert_eq!(after, before.replace("Check(\"health <= 0.3\")", "Check(\"health <= 0.9\")"));
}

#[test]
fn a_long_text_is_pasted() {
    let place = Place::new("edits_long");
    let directory = trees(&place);
    let studio = Studio::by(command(&["studio", &directory, "--no-open"]));
    let paste = |bytes: usize| {
        let seen = ask(&studio, json!({ "edit": "files", "file": "guard.ron" })).1["shown"]["seen"].take();
        let change = json!({ "do": "text", "from": 0, "to": 0, "text": format!("// {}\n", "x".repeat(bytes)) });
        ask(&studio, json!({ "edit": "do", "file": "guard.ron", "seen": seen, "change": change }))
    };
    let (code, view) = paste(1 << 20);
    assert!(code == 200 && view["shown"]["text"].as_str().unwrap().len() > 1 << 20, "{code}");
    let (code, refused) = paste(8 << 20);
    let error = refused["error"].as_str().unwrap();
    assert!(code == 413 && error.contains("the question is too long: 8388608 bytes at most"), "{code} {error}");
    assert_eq!(ask(&studio, json!({ "edit": "save" })).0, 200);
    assert!(fs::metadata(format!("{directory}/guard.ron")).unwrap().len() > 1 << 20);
}

#[test]
fn edits_need_the_token() {
    let place = Place::new("edits_token");
    let studio = Studio::by(command(&["studio", &trees(&place), "--no-open"]));
    for question in ["{\"ask\":\"edit\",\"edit\":\"save\"}", "{\"ask\":\"edit\",\"edit\":\"files\"}"] {
        assert_eq!(studio.asked(question, &[]).0, 401);
        assert_eq!(studio.asked(question, &["Authorization: Bearer x"]).0, 401);
    }
    let (code, body) = studio.ask("{\"ask\":\"edit\",\"edit\":\"fly\"}");
    assert!(code == 400 && body.contains("the question cannot be read"), "{body}");
    let (code, body) = studio.ask("{\"ask\":\"edit\",\"edit\":\"what_if\",\"agent\":1}");
    assert!(code == 400 && body.contains("the studio has no recording to play"), "{body}");
}

#[test]
fn a_recording_is_played_under_the_edited_trees() {
    let place = Place::new("edits_what_if");
    let (directory, recording) = (trees(&place), guards(&place, &[]));
    let studio = Studio::by(command(&["studio", &recording, "--trees", &directory, "--no-open"]));
    let overview = studio.ask("{\"ask\":\"overview\"}").1;
    assert!(overview.contains("\"kind\":\"recording\"") && overview.contains("\"edits\":true"), "{overview}");
    let what_if = |agent: u32| ask(&studio, json!({ "edit": "what_if", "agent": agent }));
    let (code, same) = what_if(4);
    assert_eq!(
        (code, &same["text"], &same["frame"]),
        (200, &json!("Agent 4 decides as it did."), &Value::Null),
        "{same}"
    );
    let (_, track) = studio.ask_json(json!({ "ask": "track", "agent": 4, "from": 0, "to": 1000 }));
    assert_eq!(same["track"]["spans"], track["spans"]);
    set(&studio, "\"health <= 0.3\"", "expr", "health <= 1.5");
    let (code, other) = what_if(4);
    assert_eq!((code, &other["frame"]), (200, &json!(1)), "{other}");
    let text = other["text"].as_str().unwrap();
    assert!(text.starts_with("Agent 4 decided differently at frame 1, 0.017 s: n6 flee/Flee instead of "), "{text}");
    // This saved nothing.
    assert!(fs::read_to_string(format!("{directory}/guard.ron")).unwrap().contains("health <= 0.3"));
    assert!(what_if(99).1["error"].as_str().unwrap().contains("agent 99 does not exist"));
    set(&studio, "\"health <= 1.5\"", "expr", "helth");
    let (code, wrong) = what_if(4);
    let error = wrong["error"].as_str().unwrap();
    assert!(
        code == 400 && error.starts_with("the edited trees do not load: ") && error.contains("guard.ron:"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_edited_is_told() {
    let place = Place::new("edits_wrong");
    let directory = trees(&place);
    refused(&["studio", &format!("{directory}/none.ron"), "--no-open"], 2, "none.ron`");
    let both = ["studio", &directory, "--trees", &directory, "--no-open"];
    refused(&both, 2, "is not a recording: --trees stands beside one");
    let recording = guards(&place, &[]);
    refused(&["studio", &recording, "--trees", "/nowhere", "--no-open"], 2, "cannot edit `/nowhere`");
}

#[test]
fn the_tests_of_a_file_are_played_with_the_texts_as_they_are() {
    let place = Place::new("edits_tests");
    let directory = trees(&place);
    fs::copy(format!("{TREES}/guard.test.ron"), format!("{directory}/guard.test.ron")).unwrap();
    let studio = Studio::by(command(&["studio", &directory, "--no-open"]));
    let tests = |file: &str| ask(&studio, json!({ "edit": "tests", "file": file }));
    let counts = |view: &Value| {
        let cases = view["cases"].as_array().unwrap();
        let passed = cases.iter().filter(|it| it["passed"] == true).count();
        (passed, cases.len() - passed, view["left_out"].as_u64().unwrap())
    };
    let (code, view) = tests("guard.ron");
    assert_eq!((code, counts(&view)), (200, (7, 0, 0)), "{view}");
    // The line of the tree itself is not a node.
    let nodes = view["nodes"].as_array().unwrap();
    assert!(nodes[0].is_null() && nodes[1..].iter().all(|it| it[0].as_u64() > Some(0)), "{view}");
    // Also for the trees that include a file, but only the nodes in it.
    let (_, view) = tests("guard/fight.ron");
    assert_eq!(counts(&view), (7, 0, 0));
    let text = fs::read_to_string(format!("{directory}/guard/fight.ron")).unwrap();
    assert!(view["nodes"].as_array().unwrap().len() < text.lines().count(), "{view}");
    // Not saved: the disk still has the old number.
    set(&studio, "\"health <= 0.3\"", "expr", "health <= 0.1");
    let (_, view) = tests("guard.ron");
    assert_eq!(counts(&view), (6, 1, 0), "{view}");
    let failed = view["cases"].as_array().unwrap().iter().find(|it| it["passed"] == false).unwrap();
    assert_eq!(failed["file"], "guard.test.ron");
    assert_eq!(failed["name"], "a wounded guard flees, and rests until it is well");
    assert!(failed["text"].as_str().unwrap().contains("flee") && !failed["text"].as_str().unwrap().contains('\u{1b}'));
    // A tree with errors, a test file with errors, a case in a world, a file that is not there.
    set(&studio, "\"health <= 0.1\"", "expr", "helth <= 0.1");
    let (_, view) = tests("guard.ron");
    assert_eq!(counts(&view), (0, 7, 0));
    assert!(view["cases"][0]["text"].as_str().unwrap().contains("did you mean `health`"), "{view}");
    ask(&studio, json!({ "edit": "undo" }));
    fs::write(format!("{directory}/other.test.ron"), "Tests(version: 1, tree: \"guard.ron\", cases: {").unwrap();
    let world = "Tests(version: 1, tree: \"guard.ron\", cases: { \"w\": (world: true, steps: [(tick: 1, running: \"dead\")]) })";
    fs::write(format!("{directory}/world.test.ron"), world).unwrap();
    ask(&studio, json!({ "edit": "files" }));
    let (_, view) = tests("guard.ron");
    assert_eq!(counts(&view), (6, 2, 1), "{view}");
    let (code, none) = tests("none.ron");
    assert!(code == 400 && none.to_string().contains("there is no file `none.ron`"), "{none}");
}
