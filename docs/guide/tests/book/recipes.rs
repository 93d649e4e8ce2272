//! Each recipe of the cookbook keeps its promise. `trees/cookbook` has its trees, and the pages
//! show the same text.

mod choices;
mod groups;
mod interruptions;
mod life;
mod places;
mod waiting;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chapter::{BOOK, Chapter, chapters};

/// Where the trees of the recipes are.
fn folder() -> PathBuf {
    Path::new(BOOK).join("../../trees/cookbook")
}

/// The trees of the recipes, by the names of their files.
fn files() -> BTreeMap<String, String> {
    let files = fs::read_dir(folder()).unwrap().map(|it| it.unwrap().path());
    let read = |it: PathBuf| (it.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(it).unwrap());
    files.filter(|it| !it.to_string_lossy().ends_with(".test.ron")).map(read).collect()
}

fn pages() -> impl Iterator<Item = Chapter> {
    chapters().into_iter().filter(|it| it.name().starts_with("cookbook"))
}

#[test]
fn the_pages_show_the_trees_as_they_are() {
    let bless = std::env::var_os("PLEACH_BLESS").is_some();
    let (files, mut shown) = (files(), Vec::new());
    for page in pages() {
        let mut text = page.text.clone();
        // From the last to the first, so that places stay what they are.
        for block in page.blocks().iter().rev().filter(|it| it.language == "ron") {
            let place = page.place(block);
            let name = block.says.as_deref().and_then(|it| it.strip_prefix("file: "));
            let name = name.unwrap_or_else(|| panic!("{place}: name the file in trees/cookbook"));
            let file = files.get(name).unwrap_or_else(|| panic!("{place}: trees/cookbook has no {name}"));
            text.replace_range(block.at.clone(), file);
            shown.push(name.to_owned());
        }
        if text == page.text {
            continue;
        }
        assert!(bless, "{}: a tree is another in trees/cookbook", page.path.display());
        fs::write(&page.path, text).unwrap();
    }
    shown.sort();
    assert_eq!(shown, files.into_keys().collect::<Vec<_>>(), "each tree is shown once");
}

#[test]
fn nothing_warns_of_a_recipe() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pleach-of-the-book"));
    let output = command.args(["check", "--deny-warnings"]).arg(folder()).env("NO_COLOR", "1").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.ends_with(" 0 errors, 0 warnings\n"), "{said}");
}

/// A recipe that is missing from the table is not found.
#[test]
fn the_first_page_leads_to_every_recipe() {
    let first = pages().find(|it| it.name() == "cookbook").unwrap();
    for page in pages().filter(|it| it.name() != "cookbook") {
        for heading in page.text.lines().filter_map(|it| it.strip_prefix("## ")) {
            let link = format!("]({}.md#{})", page.name(), crate::links::anchor(heading));
            assert!(first.text.contains(&link), "cookbook.md does not lead to `{heading}`: {link}");
        }
    }
}
