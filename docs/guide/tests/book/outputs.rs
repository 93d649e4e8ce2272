//! Trees load, and what blocks show is what the program says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chapter::{BOOK, Block, Chapter, chapters};
use crate::play::{drawn, play};

/// A folder with the files of a chapter, and with the manifest of the book's leaves.
fn folder(chapter: &Chapter, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(chapter.name());
    // It may be left from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(BOOK).join("game.leaves"), folder.join("game.leaves")).unwrap();
    for (name, text) in chapter.files() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// What the program prints, on both streams.
fn pleach(folder: &Path, arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach-of-the-book"));
    command.args(arguments.split_whitespace()).current_dir(folder).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn every_tree_loads() {
    let mut count = 0;
    for chapter in chapters() {
        let folder = folder(&chapter, "trees");
        for (name, text) in chapter.files() {
            if !name.ends_with(".ron") || !text.contains("version: 1") || name.starts_with("broken") {
                continue;
            }
            let said = pleach(&folder, &format!("check --leaves game.leaves {name}"));
            assert!(said.contains(" 0 errors"), "{}.md: {name}:\n{said}", chapter.name());
            count += 1;
        }
    }
    assert!(count > 20, "the book has trees: {count}");
}

/// What a block shows now, if it shows an output.
fn shown(chapter: &Chapter, folder: &Path, block: &Block) -> Option<String> {
    let says = block.says.as_deref()?;
    if let Some(arguments) = says.strip_prefix("output: ") {
        return Some(pleach(folder, arguments));
    }
    let shown = match (says.strip_prefix("drawn: "), says.strip_prefix("play: ")) {
        (Some(file), _) => drawn(&chapter.files(), file),
        (_, Some(script)) => play(&chapter.files(), script),
        _ => return None,
    };
    Some(shown.unwrap_or_else(|error| panic!("{}: {error}", chapter.place(block))))
}

#[test]
fn every_output_is_what_the_program_says() {
    let bless = std::env::var_os("PLEACH_BLESS").is_some();
    let mut wrong = String::new();
    for chapter in chapters() {
        let folder = folder(&chapter, "outputs");
        let mut text = chapter.text.clone();
        // From the last to the first, so that places stay what they are.
        for block in chapter.blocks().iter().rev().filter(|it| it.language == "text") {
            let Some(now) = shown(&chapter, &folder, block) else {
                if block.says.as_deref() == Some("asserted") {
                    let text = chapter.text_of(block).trim_end().replace('\n', "\\n").replace('"', "\\\"");
                    assert!(
                        chapter.text.contains(&format!("\"{text}")),
                        "{}: no code asserts this",
                        chapter.place(block)
                    );
                    continue;
                }
                let marked = block.says.as_deref() == Some("text");
                assert!(marked, "{}: say what prints this text, or that nothing does", chapter.place(block));
                continue;
            };
            let now: String = now.lines().flat_map(|it| [it.trim_end(), "\n"]).collect();
            let now = format!("{}\n", now.trim_end());
            if chapter.text_of(block) != now {
                wrong += &format!("{}:\n{now}\n", chapter.place(block));
                text.replace_range(block.at.clone(), &now);
            }
        }
        if bless && text != chapter.text {
            fs::write(&chapter.path, text).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "the program says something else now:\n{wrong}");
}
