//! Editing of trees: changes, undo and saving, and changes of the files in the meantime.

use std::fs;
use std::path::{Path, PathBuf};

use pleach::Registry;
use pleach::asset::CheckOnly;
use pleach_lsp::Game;
use pleach_studio_core::Editor;
use pleach_studio_core::model::EditQuestion;
use serde_json::{Value, json};

/// A directory of a test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pleach-edits-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// A registry in which every leaf is known.
pub(crate) fn registry() -> Registry<CheckOnly> {
    let mut registry = Registry::new();
    registry.allow_any_leaf(true).allow_any_event(true);
    registry
}

/// An editor that takes questions in JSON.
pub(crate) struct JsonEditor<'g>(Editor<'g>);

impl<'g> JsonEditor<'g> {
    pub(crate) fn open(game: &'g Game<'g>, path: &Path) -> Self {
        JsonEditor(Editor::open(game, path).unwrap())
    }

    pub(crate) fn ask(&mut self, question: Value) -> Result<Value, String> {
        let question: EditQuestion = serde_json::from_value(question).unwrap();
        let answer = self.0.answer(question).map_err(|it| it.to_string())?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    pub(crate) fn file(&mut self, file: &str) -> Value {
        self.ask(json!({ "edit": "files", "file": file })).unwrap()["shown"].take()
    }

    /// Changes a file as it is now.
    pub(crate) fn change(&mut self, file: &str, change: Value) -> Result<Value, String> {
        let seen = self.file(file)["seen"].clone();
        self.ask(json!({ "edit": "do", "file": file, "seen": seen, "change": change }))
    }

    fn text(&mut self, file: &str) -> String {
        self.file(file)["text"].as_str().unwrap().to_owned()
    }

    fn state(&mut self, file: &str) -> String {
        let all = self.ask(json!({ "edit": "files" })).unwrap();
        let row = all["files"].as_array().unwrap().iter().find(|it| it["name"] == file);
        row.map_or("gone".to_owned(), |it| it["state"].as_str().unwrap().to_owned())
    }

    fn save(&mut self) -> Vec<String> {
        let all = self.ask(json!({ "edit": "save" })).unwrap();
        all["notes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }
}

const SMALL: &str = "// A guard.\nTree(\n    version: 1,\n    name: \"a\",\n    root: Sequence(children: [\n        // It waits.\n        Wait(2.0), // long\n        Idle,\n    ]),\n)\n";

fn set(node: usize, field: &str, value: &str) -> Value {
    json!({ "do": "set", "node": node, "field": field, "value": value })
}

#[test]
fn a_change_is_saved_when_it_is_asked_for() {
    let folder = Folder::new("save");
    folder.write("a.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let view = editor.change("a.ron", set(2, "seconds", "3.5")).unwrap();
    assert_eq!((&view["undo"], &view["node"]), (&json!("`seconds` of Wait"), &json!(2)));
    assert_eq!((folder.read("a.ron"), editor.state("a.ron")), (SMALL.to_owned(), "unsaved".to_owned()));
    assert_eq!(editor.save(), [""; 0]);
    assert_eq!(folder.read("a.ron"), SMALL.replace("2.0", "3.5"));
    // Undo goes back past a save.
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.text("a.ron"), editor.state("a.ron")), (SMALL.to_owned(), "unsaved".to_owned()));
    editor.ask(json!({ "edit": "redo" })).unwrap();
    assert_eq!(editor.state("a.ron"), "saved");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn a_change_of_an_older_text_is_refused() {
    let folder = Folder::new("seen");
    folder.write("a.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let seen = editor.file("a.ron")["seen"].clone();
    editor.change("a.ron", set(2, "seconds", "1")).unwrap();
    let old =
        editor.ask(json!({ "edit": "do", "file": "a.ron", "seen": seen, "change": { "do": "delete", "node": 2 } }));
    assert!(old.unwrap_err().contains("has changed since it was shown"));
    for (file, change) in
        [("b.ron", json!({ "do": "delete", "node": 1 })), ("../a.ron", json!({ "do": "delete", "node": 1 }))]
    {
        let refused = editor.ask(json!({ "edit": "do", "file": file, "seen": 0, "change": change })).unwrap_err();
        assert!(refused.contains("there is no file"), "{refused}");
    }
}

#[test]
fn a_conflict_is_shown_and_never_merged() {
    let folder = Folder::new("conflict");
    folder.write("a.ron", SMALL);
    folder.write("b.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let theirs = SMALL.replace("// long", "// theirs");
    for file in ["a.ron", "b.ron"] {
        editor.change(file, set(2, "seconds", "3.5")).unwrap();
        folder.write(file, &theirs);
    }
    assert_eq!(editor.state("a.ron"), "conflict");
    let notes = editor.save();
    assert!(
        notes.len() == 2 && notes[0].starts_with("`a.ron` is not saved: it has changed on the disk, too"),
        "{notes:?}"
    );
    assert_eq!(folder.read("a.ron"), theirs);
    let lines = editor.ask(json!({ "edit": "difference", "file": "a.ron" })).unwrap();
    let lines: Vec<String> = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{}{}", it["sign"].as_str().unwrap(), it["text"].as_str().unwrap().trim()))
        .collect();
    assert!(
        lines.contains(&"-Wait(2.0), // theirs".to_owned()) && lines.contains(&"+Wait(3.5), // long".to_owned()),
        "{lines:?}"
    );
    editor.ask(json!({ "edit": "settle", "file": "a.ron", "mine": true })).unwrap();
    editor.ask(json!({ "edit": "settle", "file": "b.ron", "mine": false })).unwrap();
    assert_eq!(editor.save(), [""; 0]);
    assert_eq!((folder.read("a.ron"), folder.read("b.ron")), (SMALL.replace("2.0", "3.5"), theirs));
    // Loading from the disk can be undone.
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!(editor.text("b.ron"), SMALL.replace("2.0", "3.5"));
    assert!(
        editor.ask(json!({ "edit": "settle", "file": "a.ron", "mine": true })).unwrap_err().contains("no conflict")
    );
}

#[test]
fn what_changes_on_the_disk_alone_is_taken_and_can_be_undone() {
    let folder = Folder::new("outside");
    folder.write("a.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    editor.change("a.ron", set(2, "seconds", "3.5")).unwrap();
    editor.save();
    folder.write("a.ron", &SMALL.replace("2.0", "9.0"));
    folder.write("new.ron", SMALL);
    assert_eq!((editor.text("a.ron"), editor.state("new.ron")), (SMALL.replace("2.0", "9.0"), "saved".to_owned()));
    editor.ask(json!({ "edit": "undo" })).unwrap();
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.text("a.ron"), editor.state("a.ron")), (SMALL.to_owned(), "unsaved".to_owned()));
}

#[test]
fn a_file_that_is_deleted_keeps_its_text_here() {
    let folder = Folder::new("deleted");
    folder.write("a.ron", SMALL);
    folder.write("b.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    for file in ["a.ron", "b.ron"] {
        fs::remove_file(folder.0.join(file)).unwrap();
        assert_eq!(editor.state(file), "deleted");
    }
    let refused =
        ["a", "b"].map(|it| format!("`{it}.ron` is not saved: it is gone from the disk. Choose whether to keep it."));
    assert_eq!(editor.save(), refused);
    editor.ask(json!({ "edit": "settle", "file": "a.ron", "mine": true })).unwrap();
    editor.ask(json!({ "edit": "settle", "file": "b.ron", "mine": false })).unwrap();
    assert_eq!(editor.save(), [""; 0]);
    assert_eq!((folder.read("a.ron"), editor.state("b.ron")), (SMALL.to_owned(), "gone".to_owned()));
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.save(), folder.read("b.ron")), (Vec::new(), SMALL.to_owned()));
}

#[test]
fn what_is_typed_while_the_file_changes_is_a_conflict() {
    let folder = Folder::new("typed");
    folder.write("a.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let seen = editor.file("a.ron")["seen"].clone();
    let theirs = format!("// Theirs.\n{SMALL}");
    folder.write("a.ron", &theirs);
    assert_eq!(editor.text("a.ron"), theirs);
    // The page did not know: its positions are in the text before.
    let typed = SMALL.replace("long", "mine");
    let at = SMALL.find("long").unwrap();
    let mut ask = |change: Value| editor.ask(json!({ "edit": "do", "file": "a.ron", "seen": seen, "change": change }));
    assert!(ask(json!({ "do": "delete", "node": 2 })).unwrap_err().contains("has changed since it was shown"));
    let view = ask(json!({ "do": "text", "from": at, "to": at + 4, "text": "mine" })).unwrap();
    assert_eq!((&view["shown"]["text"], &view["shown"]["state"]), (&json!(typed), &json!("conflict")));
    assert!(ask(json!({ "do": "text", "from": 0, "to": 0, "text": "x" })).is_err(), "only once");
    assert_eq!((editor.save().len(), folder.read("a.ron")), (1, theirs.clone()));
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.text("a.ron"), editor.state("a.ron")), (theirs.clone(), "saved".to_owned()));
    editor.ask(json!({ "edit": "redo" })).unwrap();
    assert_eq!((editor.text("a.ron"), editor.save().len()), (typed, 0));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_told_and_nothing_is_lost() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    folder.write("a.ron", SMALL);
    fs::set_permissions(folder.0.join("a.ron"), fs::Permissions::from_mode(0o444)).unwrap();
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    editor.change("a.ron", set(2, "seconds", "3.5")).unwrap();
    assert_eq!(editor.save(), ["`a.ron` is not saved: it is read-only."]);
    assert_eq!((editor.text("a.ron"), folder.read("a.ron")), (SMALL.replace("2.0", "3.5"), SMALL.to_owned()));
    fs::set_permissions(folder.0.join("a.ron"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(editor.save(), [""; 0]);
}

#[test]
fn a_tree_that_does_not_load_is_shown_and_mended_as_text() {
    let folder = Folder::new("broken");
    let broken = SMALL.replace("Idle,", "Idle(, Nope(1)");
    folder.write("a.ron", &broken);
    fs::write(folder.0.join("b.ron"), [0xff, 0xfe]).unwrap();
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let file = editor.file("a.ron");
    let kinds: Vec<&str> =
        file["tree"]["nodes"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..4], ["Tree", "Sequence", "Wait", "Idle"]);
    assert!(file["problems"][0]["error"] == true && file["problems"][0]["line"] == 8, "{}", file["problems"]);
    let refused = editor.change("a.ron", set(2, "seconds", "3.5")).unwrap_err();
    assert!(refused.starts_with("the text has to be RON first: line 8"), "{refused}");
    let at = broken.find("(, Nope(1)").unwrap();
    editor.change("a.ron", json!({ "do": "text", "from": at, "to": at + "(, Nope(1)".len(), "text": "," })).unwrap();
    assert_eq!((editor.file("a.ron")["problems"].clone(), editor.text("a.ron")), (json!([]), SMALL.to_owned()));
    let all = editor.ask(json!({ "edit": "files", "file": "b.ron" })).unwrap();
    assert!(
        all["files"][1]["state"] == "closed" && all["notes"][0].as_str().unwrap().contains("is not UTF-8 text"),
        "{all}"
    );
}

#[test]
fn text_counts_in_utf_16() {
    let folder = Folder::new("utf16");
    folder.write("a.ron", "// 😀é\nTree(version: 1, root: Idle)\n");
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    editor.change("a.ron", json!({ "do": "text", "from": 5, "to": 6, "text": "è" })).unwrap();
    assert!(editor.text("a.ron").starts_with("// 😀è\n"));
    for (from, to) in [(4, 6), (6, 5), (0, 999)] {
        editor.change("a.ron", json!({ "do": "text", "from": from, "to": to, "text": "" })).unwrap_err();
    }
}

#[cfg(unix)]
#[test]
fn no_path_leads_out_of_the_directory() {
    let folder = Folder::new("escape");
    folder.write("in/a.ron", SMALL);
    folder.write("out/b.ron", SMALL);
    std::os::unix::fs::symlink(folder.0.join("out"), folder.0.join("in/dir")).unwrap();
    std::os::unix::fs::symlink(folder.0.join("out/b.ron"), folder.0.join("in/link.ron")).unwrap();
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0.join("in"));
    assert_eq!((editor.state("link.ron"), editor.state("dir/b.ron")), ("closed".to_owned(), "gone".to_owned()));
    for path in [
        "../x.ron",
        "/tmp/x.ron",
        "dir/x.ron",
        "dir/new/x.ron",
        "a/../../x.ron",
        ".x.ron",
        "x.txt",
        "a\\x.ron",
        "",
        "x.ron/",
    ] {
        let refused = editor.change("a.ron", json!({ "do": "extract", "node": 2, "path": path })).unwrap_err();
        assert!(refused.contains("cannot be a file"), "{path}: {refused}");
    }
    let refused =
        editor.ask(json!({ "edit": "do", "file": "link.ron", "seen": 0, "change": { "do": "delete", "node": 1 } }));
    assert!(refused.unwrap_err().contains("a link leads out of the directory"));
}

#[test]
fn a_node_becomes_a_file_that_is_saved_with_its_user() {
    let folder = Folder::new("extract");
    folder.write("a.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0.join("a.ron"));
    editor.change("a.ron", json!({ "do": "extract", "node": 1, "path": "parts/b.ron" })).unwrap();
    assert!(!folder.0.join("parts").exists());
    assert_eq!(editor.save(), [""; 0]);
    assert!(folder.read("a.ron").contains("root: Subtree(asset: \"parts/b.ron\")"));
    assert!(folder.read("parts/b.ron").contains("        // It waits.\n        Wait(2.0), // long"));
    let again = editor.change("a.ron", json!({ "do": "extract", "node": 1, "path": "parts/b.ron" })).unwrap_err();
    assert!(again.contains("there is a file `parts/b.ron` already"), "{again}");
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.save(), folder.read("a.ron")), (Vec::new(), SMALL.to_owned()));
    assert!(!folder.0.join("parts/b.ron").exists());
}

#[test]
fn a_file_has_one_name_and_is_no_directory() {
    let folder = Folder::new("names");
    folder.write("a.ron", SMALL);
    fs::create_dir(folder.0.join("dir.ron")).unwrap();
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let mut extract = |path: &str| editor.change("a.ron", json!({ "do": "extract", "node": 2, "path": path }));
    for (path, why) in [
        ("parts//y.ron", "not a path below"),
        ("parts/./y.ron", "not a path below"),
        ("./y.ron", "not a path below"),
        ("a.ron/b.ron", "`a.ron` is a file"),
        ("dir.ron", "a directory of this name"),
        ("x.test.ron", "hold tests"),
    ] {
        let refused = extract(path).unwrap_err();
        assert!(refused.starts_with(&format!("`{path}` cannot be a file: ")) && refused.contains(why), "{refused}");
    }
    // Neither is one that is not saved yet.
    extract("p.ron/y.ron").unwrap();
    for (path, other) in [("p.ron", "p.ron/y.ron"), ("p.ron/y.ron/z.ron", "p.ron/y.ron")] {
        let refused = extract(path).unwrap_err();
        assert!(refused.contains(&format!("there is a file `{other}`")), "{refused}");
    }
}

#[test]
fn a_file_that_somebody_else_made_is_not_replaced_by_a_step() {
    let folder = Folder::new("steps");
    folder.write("a.ron", SMALL);
    folder.write("b.ron", SMALL);
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let theirs = SMALL.replace("long", "theirs");
    editor.change("a.ron", json!({ "do": "extract", "node": 2, "path": "parts/x.ron" })).unwrap();
    editor.ask(json!({ "edit": "undo" })).unwrap();
    folder.write("parts/x.ron", &theirs);
    assert_eq!(editor.text("parts/x.ron"), theirs);
    let refused = editor.ask(json!({ "edit": "redo" })).unwrap_err();
    assert!(refused.ends_with("cannot be made again: `parts/x.ron` is another file by now"), "{refused}");
    assert_eq!((editor.text("a.ron"), editor.save()), (SMALL.to_owned(), Vec::new()), "no file of the step changes");
    assert_eq!(folder.read("parts/x.ron"), theirs);
    // A file that is removed here, and created by someone else.
    fs::remove_file(folder.0.join("b.ron")).unwrap();
    assert_eq!(editor.state("b.ron"), "deleted");
    editor.ask(json!({ "edit": "settle", "file": "b.ron", "mine": false })).unwrap();
    folder.write("b.ron", &theirs);
    assert_eq!(editor.text("b.ron"), theirs);
    let refused = editor.ask(json!({ "edit": "undo" })).unwrap_err();
    assert!(refused.ends_with("cannot be taken back: `b.ron` is another file by now"), "{refused}");
    assert_eq!((editor.save(), folder.read("b.ron")), (Vec::new(), theirs));
}

#[test]
fn a_name_changes_in_all_files() {
    let folder = Folder::new("rename");
    let with = |event: &str| format!("Tree(version: 1, events: {{ \"{event}\": () }}, root: OnEvent(\"{event}\"))\n");
    folder.write("a.ron", &with("noise"));
    folder.write("b.ron", &with("noise"));
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    editor.change("a.ron", json!({ "do": "rename", "node": 1, "field": "event", "name": "bang" })).unwrap();
    assert_eq!((editor.text("a.ron"), editor.text("b.ron")), (with("bang"), with("bang")));
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!((editor.state("a.ron"), editor.state("b.ron")), ("saved".to_owned(), "saved".to_owned()));
}

#[test]
fn a_tree_of_65_000_nodes_is_edited() {
    let folder = Folder::new("large");
    folder.write("a.ron", &format!("Tree(version: 1, root: Sequence([{}]))\n", "Idle, ".repeat(65_000)));
    let wide = format!("Log(\"{}\"), ", "x".repeat(200)).repeat(25_000);
    folder.write("too_large.ron", &format!("Tree(version: 1, root: Sequence([{wide}]))\n"));
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let file = editor.file("a.ron");
    assert_eq!(file["tree"]["nodes"].as_array().unwrap().len(), 65_002);
    let change = json!({ "do": "delete", "node": 65_001 });
    let view = editor.ask(json!({ "edit": "do", "file": "a.ron", "seen": file["seen"], "change": change })).unwrap();
    assert_eq!(view["shown"]["tree"]["nodes"].as_array().unwrap().len(), 65_001);
    editor.ask(json!({ "edit": "undo" })).unwrap();
    assert_eq!(editor.state("a.ron"), "saved");
    // A file that is too large for that is reported, and edited as text.
    let file = editor.file("too_large.ron");
    assert!(
        file["problems"][0]["message"].as_str().unwrap().contains("larger than 4 MiB: it can only be edited as text")
    );
    assert!(editor.change("too_large.ron", json!({ "do": "delete", "node": 1 })).unwrap_err().contains("as text"));
    editor.change("too_large.ron", json!({ "do": "text", "from": 0, "to": 0, "text": "// b\n" })).unwrap();
    assert_eq!((editor.save(), folder.read("too_large.ron").starts_with("// b\nTree")), (Vec::new(), true));
}
