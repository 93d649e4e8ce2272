//! Random edits of the shipped trees: what they never do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pleach_lsp::Game;
use serde_json::{Value, json};

use super::edits::{Folder, JsonEditor, registry};

/// A random number generator that always gives the same numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// How often each comment occurs in a text.
fn comments(text: &str) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for (kind, span) in pleach::tools::ron::tokens(text) {
        if kind == pleach::tools::ron::TokenKind::Comment {
            *all.entry(text[span].trim_end().to_owned()).or_default() += 1;
        }
    }
    all
}

/// A random change of a file with these nodes.
fn change(dice: &mut Dice, nodes: usize) -> Value {
    let (node, to) = (dice.below(nodes), dice.below(nodes));
    let side = dice.of(&["before", "after", "into"]);
    match dice.below(9) {
        0 => {
            json!({ "do": "insert", "node": node, "side": side, "text": dice.of(&["Wait(1.0)", "Sequence", "Inverter(Idle)", "Fail"]) })
        }
        1 | 2 => json!({ "do": "move", "node": node, "to": to, "side": side }),
        3 => json!({ "do": "delete", "node": node }),
        4 => {
            json!({ "do": "wrap", "node": node, "kind": dice.of(&["Sequence", "Timeout", "UtilitySelector", "Repeat", "Guard"]) })
        }
        5 => json!({ "do": "unwrap", "node": node }),
        6 => json!({ "do": "duplicate", "node": node }),
        7 => {
            json!({ "do": "set", "node": node, "field": dice.of(&["name", "note"]), "value": dice.of(&["x", "", "a \"b\""]) })
        }
        _ => json!({ "do": "template", "node": node, "name": format!("t{}", dice.below(1_000)) }),
    }
}

#[test]
fn random_edits_keep_comments_and_go_back() {
    let trees = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees");
    let folder = Folder::new("random");
    let mut files = Vec::new();
    for directory in ["", "guard/", "cookbook/"] {
        for entry in fs::read_dir(trees.join(directory)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.ends_with(".ron") && !name.ends_with(".test.ron") {
                folder.write(&format!("{directory}{name}"), &fs::read_to_string(entry.path()).unwrap());
                files.push(format!("{directory}{name}"));
            }
        }
    }
    files.sort();
    let registry = registry();
    let game = Game::new(&registry);
    let mut editor = JsonEditor::open(&game, &folder.0);
    let (mut dice, mut made) = (Dice(7), 0);
    for _ in 0..400 {
        let file = dice.of(&files).clone();
        let before = editor.file(&file);
        let text = before["text"].as_str().unwrap().to_owned();
        let nodes = before["tree"]["nodes"].as_array().unwrap();
        let change = change(&mut dice, nodes.len());
        let Ok(after) = editor.change(&file, change.clone()) else { continue };
        made += 1;
        let after = &after["shown"];
        let new = after["text"].as_str().unwrap();
        assert_eq!(pleach::asset::format_str(&file, new).unwrap(), new, "{file}: {change}: it is formatted");
        for it in after["problems"].as_array().unwrap() {
            // Syntax, and the form of values.
            let code = it["code"].as_str().unwrap();
            assert!(!code.starts_with("P00"), "{file}: {change}: {it}\n{new}");
        }
        let now = comments(new);
        for (comment, count) in comments(&text) {
            let is_gone = now.get(&comment).copied().unwrap_or_default() < count;
            if !is_gone {
                continue;
            }
            assert!(change["do"] == "delete", "{file}: {change}: `{comment}` is lost\n{text}\n->\n{new}");
            // Those of the node, and those above and after it.
            let node = usize::try_from(change["node"].as_u64().unwrap()).unwrap();
            let line = |at: usize| usize::try_from(before["lines"][node][at].as_u64().unwrap()).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            // The entry around it has its own.
            let is_own =
                |it: &&&str| ["//", "score: ", "weight: ", "("].iter().any(|begin| it.trim().starts_with(begin));
            let above = lines[..line(0) - 1].iter().rev().take_while(is_own).count();
            let own = lines[line(0) - 1 - above..line(1)].join("\n");
            assert!(own.contains(&comment), "{file}: {change}: `{comment}` is lost\n{text}\n->\n{new}");
        }
    }
    assert!(made > 200, "{made} of the changes are made");
    let last: Vec<Value> = files.iter().map(|it| editor.file(it)["text"].clone()).collect();
    while editor.ask(json!({ "edit": "undo" })).unwrap()["undo"].is_string() {}
    for file in &files {
        assert_eq!(editor.file(file)["text"], folder.read(file), "{file}: undo gives back the same bytes");
    }
    while editor.ask(json!({ "edit": "redo" })).unwrap()["redo"].is_string() {}
    assert_eq!(files.iter().map(|it| editor.file(it)["text"].clone()).collect::<Vec<_>>(), last);
}
