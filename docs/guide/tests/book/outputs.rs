//! Trees load, and what blocks show is what is printed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pleach::asset::CheckOnly;
use pleach::draw::Drawing;
use pleach::{Library, Registry};

use crate::chapter::{BOOK, Chapter, chapters};
use crate::pictures;
use crate::programs::printed;

/// Before a file that a command has written.
const SHOWN: &str = "shown: ";

/// A folder with the files of a chapter, the manifest of the book's leaves, and the trees of the
/// arena.
fn folder(chapter: &Chapter, test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test).join(chapter.name());
    // It may be left from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(BOOK).join("game.leaves"), folder.join("game.leaves")).unwrap();
    copy_trees(&Path::new(BOOK).join("../../trees"), &folder.join("trees"));
    for (name, text) in chapter.files().into_iter().chain(chapter.trees_of_programs()) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Copies the trees of the arena and their parts, and those of the cookbook.
fn copy_trees(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == "guard" || entry.file_name() == "cookbook" {
            copy_trees(&path, &target);
        } else if path.extension().is_some_and(|it| it == "ron") {
            fs::copy(path, target).unwrap();
        }
    }
}

/// Runs the commands of a block for what they do.
fn run(folder: &Path, commands: &str) {
    let script = format!("pleach() {{ \"$PLEACH\" \"$@\"; }}\n{commands}");
    let mut command = Command::new("sh");
    command.args(["-e", "-c", &script]).env("PLEACH", env!("CARGO_BIN_EXE_pleach-of-the-book"));
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{commands}{}", String::from_utf8_lossy(&output.stderr));
}

/// What the program prints, on both streams.
fn pleach(folder: &Path, arguments: &[String]) -> String {
    let (out, err) = streams(folder, arguments);
    err + &out
}

/// What the program prints on standard output, and on standard error.
pub(crate) fn streams(folder: &Path, arguments: &[String]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach-of-the-book"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The words of a command, in which `"` quotes.
pub(crate) fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The drawing of a tree without leaves of a game.
fn drawn(files: &[(String, String)], file: &str) -> Result<String, Box<dyn Error>> {
    let files = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let tree = Library::<BTreeMap<&str, &str>>::new(files).load(file, &Registry::<CheckOnly>::new())?;
    Ok(Drawing::of(&tree).text().to_string())
}

#[test]
fn every_tree_loads() {
    let mut count = 0;
    // The examples of codes are wrong on purpose: pleach-asset tests each.
    for chapter in chapters().into_iter().filter(|it| it.name() != "codes") {
        let folder = folder(&chapter, "trees");
        for (name, text) in chapter.files() {
            if !name.ends_with(".ron")
                || name.ends_with(".test.ron")
                || !text.contains("version: 1")
                || name.starts_with("broken")
            {
                continue;
            }
            // Trees of built-ins alone are good beside the program's own leaves and events.
            let leaves = if chapter.name() == "nodes" { "" } else { "--leaves game.leaves" };
            let said = pleach(&folder, &words(&format!("check {leaves} {name}")));
            assert!(said.contains(" 0 errors"), "{}.md: {name}:\n{said}", chapter.name());
            count += 1;
        }
    }
    assert!(count > 20, "the book has trees: {count}");
}

/// What a block shows now, if something prints it.
fn shown(chapter: &Chapter, folder: &Path, at: usize) -> Option<String> {
    let blocks = chapter.blocks();
    let block = &blocks[at];
    let first = chapter.text_of(block).lines().next().unwrap_or_default();
    if let Some(command) = first.strip_prefix("$ pleach ") {
        return Some(format!("{first}\n{}", pleach(folder, &words(command))));
    }
    let says = block.says.as_deref()?;
    if let Some(file) = says.strip_prefix(SHOWN) {
        return Some(fs::read_to_string(folder.join(file)).unwrap());
    }
    let shown = match says.strip_prefix("drawn: ") {
        Some(file) => drawn(&chapter.files(), file),
        None if says == "printed" => {
            let programs = blocks[..at].iter().filter(|it| it.language == "rust").count();
            printed(chapter, programs.checked_sub(1)?)
        }
        None => return None,
    };
    Some(shown.unwrap_or_else(|error| panic!("{}: {error}", chapter.place(block))))
}

#[test]
fn every_output_is_what_the_program_says() {
    let bless = std::env::var_os("PLEACH_BLESS").is_some();
    let mut wrong = String::new();
    for chapter in chapters() {
        let folder = folder(&chapter, "outputs");
        let mut changes = Vec::new();
        for (at, block) in chapter.blocks().iter().enumerate() {
            if block.says.as_deref() == Some("run") {
                run(&folder, chapter.text_of(block));
            }
            let is_file = block.says.as_deref().is_some_and(|it| it.starts_with(SHOWN));
            if block.language != "text" && !is_file {
                continue;
            }
            let Some(now) = shown(&chapter, &folder, at) else {
                let marked = block.says.as_deref() == Some("text");
                assert!(marked, "{}: say what prints this text, or that nothing does", chapter.place(block));
                continue;
            };
            let now: String = now.lines().flat_map(|it| [it.trim_end(), "\n"]).collect();
            let now = format!("{}\n", now.trim_end());
            assert!(!now.contains("error: there is no file"), "{}:\n{now}", chapter.place(block));
            if chapter.text_of(block) != now {
                wrong += &format!("{}:\n{now}\n", chapter.place(block));
                changes.push((block.at.clone(), now));
            }
        }
        wrong += &pictures::wrong(&chapter, &folder, bless);
        if bless && !changes.is_empty() {
            let mut text = chapter.text.clone();
            // From the last to the first, so that places stay what they are.
            changes.into_iter().rev().for_each(|(at, now)| text.replace_range(at, &now));
            fs::write(&chapter.path, text).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "the program says something else now:\n{wrong}");
}
