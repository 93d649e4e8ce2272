//! What differs between edited files and the disk.

use std::fmt::Write;

use pleach_lsp::Game;
use serde_json::{Value, json};

use crate::edits::{Folder, JsonEditor, registry};

const GUARD: &str = "// A guard.
Tree(
    version: 1,
    name: \"guard\",
    blackboard: { \"health\": Float(1.0), \"place\": Vec2(0.0, 0.0) },
    templates: {
        \"pause\": (root: Wait(1.0)),
    },
    root: Selector(
        children: [
            // Weak guards flee.
            Sequence(name: \"flee\", children: [Check(expr: \"health < 0.3\"), Flee(speed: 5.0)]),
            Sequence(
                name: \"patrol\",
                children: [
                    Walk(name: \"walk\", speed: 1.5),
                    Use(template: \"pause\"),
                    Look,
                    Use(template: \"pause\"),
                ],
            ),
            Subtree(asset: \"help.ron\", with: { \"place\": \"place\" }),
            Idle(id: \"rest\", name: \"rest\"),
        ],
    ),
)
";

const HELP: &str = "Tree(
    version: 1,
    name: \"help\",
    ports: { \"place\": InOut(Vec2) },
    root: Sequence(children: [Wait(2.0), MoveTo(target: \"place\")]),
)
";

/// A difference as text. Where a node leads to follows `=>`.
fn told(view: &Value, tree: &Value) -> String {
    let all = |key: &str| view[key].as_array().unwrap();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let value = |it: &Value| format!("{}: {} -> {}", text(&it["what"]), text(&it["old"]), text(&it["new"]));
    let mut out = format!("{}\n", text(&view["summary"]));
    all("declared").iter().for_each(|it| writeln!(out, "{}", value(it)).unwrap());
    for it in all("nodes") {
        let node = it["node"].as_u64().map(|it| tree["nodes"][usize::try_from(it).unwrap()]["label"].to_string());
        let node = node.unwrap_or("nothing".to_owned());
        writeln!(out, "{} {}{} => {node}", text(&it["sign"]), text(&it["path"]), text(&it["text"])).unwrap();
        it["fields"].as_array().unwrap().iter().for_each(|it| writeln!(out, "    {}", value(it)).unwrap());
    }
    all("restarts").iter().for_each(|it| writeln!(out, "{}", text(it)).unwrap());
    let line = |it: &Value| format!("|{}{:3} {}", text(&it["sign"]), it["line"].as_u64().unwrap(), text(&it["text"]));
    all("lines").iter().for_each(|it| writeln!(out, "{}", line(it)).unwrap());
    out
}

/// What differs if this text replaces another one in a file.
fn differs(editor: &mut JsonEditor<'_>, file: &str, changes: &[(&str, &str)]) -> String {
    let mut text = editor.file(file)["text"].as_str().unwrap().to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let to = editor.file(file)["text"].as_str().unwrap().encode_utf16().count();
    editor.change(file, json!({ "do": "text", "from": 0, "to": to, "text": text })).unwrap();
    shown(editor, file)
}

fn shown(editor: &mut JsonEditor<'_>, file: &str) -> String {
    let view = editor.ask(json!({ "edit": "difference", "file": file })).unwrap();
    told(&view, &editor.file(file)["tree"])
}

/// Each change by itself.
#[test]
fn changes_of_a_file() {
    const CASES: &[(&str, &[(&str, &str)])] = &[
        ("a field", &[("speed: 5.0", "speed: 6.5")]),
        ("a renamed node", &[("name: \"walk\"", "name: \"stroll\"")]),
        ("a renamed node with an id", &[("name: \"rest\"", "name: \"sleep\"")]),
        (
            "an added node",
            &[(
                "Look,",
                "Look,\n                    Cooldown(name: \"breath\", seconds: 4.0, child: Shout(\"a \\u{7}\")),",
            )],
        ),
        (
            "an added subtree",
            &[(
                "Look,",
                "Look,\n                    Subtree(asset: \"help.ron\", name: \"again\", with: { \"place\": \"place\" }),",
            )],
        ),
        ("a removed node", &[("Check(expr: \"health < 0.3\"), ", "")]),
        (
            "a moved node",
            &[
                ("            Idle(id: \"rest\", name: \"rest\"),\n", ""),
                ("            // Weak", "            Idle(id: \"rest\", name: \"rest\"),\n            // Weak"),
            ],
        ),
        (
            "a node under another parent",
            &[
                ("            Idle(id: \"rest\", name: \"rest\"),\n", ""),
                ("Look,", "Idle(id: \"rest\", name: \"rest\"),"),
            ],
        ),
        ("a template that is used twice", &[("Wait(1.0)", "Wait(1.5)")]),
        ("a key", &[("Float(1.0)", "Float(0.5)")]),
        (
            "another use of a file",
            &[("with: { \"place\": \"place\" }", "name: \"aid\", with: { \"place\": \"place\" }")],
        ),
        ("a comment", &[("// A guard.", "// A guard of the gate.")]),
        ("an error in the syntax", &[("Look,", "Look")]),
        ("an unknown key", &[("health < 0.3", "helth < 0.3")]),
        ("a leaf that the game does not know", &[("Look,", "Gaze(3.0),")]),
    ];
    let registry = registry();
    let game = Game::new(&registry);
    let mut out = String::new();
    for (what, changes) in CASES {
        let folder = Folder::new("differs");
        folder.write("guard.ron", GUARD);
        folder.write("help.ron", HELP);
        let mut editor = JsonEditor::open(&game, &folder.0);
        writeln!(out, "== {what}\n{}", differs(&mut editor, "guard.ron", changes)).unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn a_part_is_compared_by_itself_and_within_the_files_that_use_it() {
    let folder = Folder::new("differs-parts");
    folder.write("guard.ron", GUARD);
    folder.write("help.ron", HELP);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let part = differs(&mut editor, "help.ron", &[("Wait(2.0)", "Wait(3.0)")]);
    assert!(part.starts_with("1 changed; a reload keeps 3 nodes\n~ Sequence/Wait[0] => \"Wait 3.0\"\n"), "{part}");
    let whole = shown(&mut editor, "guard.ron");
    assert!(whole.starts_with("no node differs; a reload keeps 13 nodes\n"), "{whole}");
}

#[test]
fn what_is_compared_with_nothing_has_only_lines() {
    let folder = Folder::new("differs-lines");
    folder.write("guard.ron", GUARD);
    folder.write("help.ron", HELP);
    folder.write("guard.test.ron", "Tests(version: 1, tree: \"guard.ron\", cases: [])\n");
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let tests = differs(&mut editor, "guard.test.ron", &[("cases", " cases")]);
    assert!(tests.starts_with("only lines are compared: tests have no nodes\n|-  1 Tests("), "{tests}");
    let large = format!("Tree(version: 1, root: Sequence(children: [{}]))\n", "Idle,\n".repeat(5_000));
    let lines = differs(&mut editor, "help.ron", &[(HELP, &large)]);
    assert!(lines.starts_with("only lines are compared: the text here has more than 5,000 nodes\n|-"), "{lines:.300}");
    editor.change("guard.ron", json!({ "do": "extract", "node": 5, "path": "parts/flee.ron" })).unwrap();
    let new = shown(&mut editor, "parts/flee.ron");
    assert!(new.starts_with("only lines are compared: the file is missing on the disk\n|+  1 Tree("), "{new}");
    let refused = editor.change("parts/flee.ron", json!({ "do": "revert" })).unwrap_err();
    assert!(refused.contains("is not on the disk, so it cannot be reverted"), "{refused}");
}

#[test]
fn a_file_is_reverted_and_that_can_be_undone() {
    let folder = Folder::new("differs-revert");
    folder.write("help.ron", HELP);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let before = differs(&mut editor, "help.ron", &[("Wait(2.0)", "Wait(3.0)")]);
    let view = editor.change("help.ron", json!({ "do": "revert" })).unwrap();
    assert_eq!((&view["shown"]["text"], &view["shown"]["state"]), (&json!(HELP), &json!("saved")));
    assert_eq!(view["undo"], "reverting `help.ron`");
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!(shown(&mut editor, "help.ron"), before);
    // In a conflict, the other version is the one on the disk now.
    folder.write("help.ron", &HELP.replace("2.0", "9.0"));
    assert_eq!(editor.file("help.ron")["state"], "conflict");
    assert!(shown(&mut editor, "help.ron").contains("    seconds: 9.0 -> 3.0\n"));
}
