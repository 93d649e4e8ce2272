//! The summary and the links.

use std::fs;
use std::path::Path;

use pleach::{End, EveryReason, Reason};

use crate::chapter::{BOOK, chapters};

#[test]
fn the_summary_names_every_chapter() {
    let mut named: Vec<String> = chapters().iter().map(|it| it.name().to_owned()).collect();
    let files = fs::read_dir(Path::new(BOOK).join("src")).unwrap().map(|it| it.unwrap().path());
    let mut there: Vec<String> = files
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .map(|it| it.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|it| it != "SUMMARY")
        .collect();
    named.sort();
    there.sort();
    assert_eq!(named, there, "SUMMARY.md, and the files beside it");
}

#[test]
fn the_readme_is_short() {
    let lines = include_str!("../../../../README.md").lines().count();
    assert!(lines <= 120, "README.md has {lines} lines: what comes after the first look belongs into the book");
}

#[test]
fn the_chapter_on_editors_has_their_files() {
    let text = include_str!("../../src/editors.md");
    for file in [
        include_str!("../../../../editors/neovim/pleach.lua"),
        include_str!("../../../../editors/helix/languages.toml"),
    ] {
        // The first line says where the file belongs, and so does the chapter.
        let (_, settings) = file.split_once('\n').unwrap();
        assert!(text.contains(settings), "not in the chapter:\n{settings}");
    }
}

#[test]
fn the_chapter_on_leaves_lists_every_way_to_end() {
    let text = include_str!("../../src/leaves.md");
    let is_listed = |end: End| match end {
        End::Success | End::Failure => text.contains("| `Success`, `Failure` |"),
        // Exhaustive, so that a new reason is added below too.
        End::Aborted(it) => match it.every() {
            EveryReason::Abort
            | EveryReason::Switched
            | EveryReason::Decided
            | EveryReason::Stopped
            | EveryReason::Replaced
            | EveryReason::Despawned
            | EveryReason::NotInstant => text.contains(&format!("| `Aborted(Reason::{it:?})` |")),
        },
    };
    let reasons = [
        Reason::Abort,
        Reason::Switched,
        Reason::Decided,
        Reason::Stopped,
        Reason::Replaced,
        Reason::Despawned,
        Reason::NotInstant,
    ];
    for end in [End::Success, End::Failure].into_iter().chain(reasons.map(End::Aborted)) {
        assert!(is_listed(end), "{end:?}");
    }
}

#[test]
fn the_first_chapter_names_the_oldest_rust() {
    let first = chapters().into_iter().find(|it| it.name() == "first-tree").unwrap();
    assert!(first.text.contains(concat!("needs Rust ", env!("CARGO_PKG_RUST_VERSION"), " or newer")));
}

/// What mdBook makes of a heading.
pub(crate) fn anchor(heading: &str) -> String {
    let plain = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ' ');
    plain.chars().filter(|&it| kept(it)).map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// The lines of a page that are not in fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        fenced ^= line.starts_with("```");
        !fenced
    })
}

/// Follows the links of a page. Returns how many there are.
fn follow(path: &Path, text: &str, inside: bool) -> usize {
    let (shown, prose) = (path.display(), prose(text).collect::<Vec<_>>().join("\n"));
    let mut count = 0;
    for target in prose.split("](").skip(1).filter_map(|it| it.split_once(')')).map(|it| it.0) {
        count += 1;
        if target.contains("://") {
            continue;
        }
        let (page, part) = target.split_once('#').map_or((target, None), |(page, part)| (page, Some(part)));
        let is_inside = !page.contains('/') || page.starts_with("pictures/") && page.matches('/').count() == 1;
        assert!(!inside || is_inside, "{shown}: {target} leads out of the book: it is no link in its pages");
        let to = if page.is_empty() { path.to_owned() } else { path.parent().unwrap().join(page) };
        assert!(to.exists(), "{shown}: {target} leads nowhere");
        if let Some(part) = part {
            let there = fs::read_to_string(&to).unwrap();
            let found = self::prose(&there).any(|it| it.starts_with('#') && anchor(it) == part);
            assert!(found, "{shown}: {target}: no such heading");
        }
    }
    count
}

/// They work on the page of a repository and in the pages that mdBook makes: so they lead from
/// chapter to chapter.
#[test]
fn every_link_leads_somewhere() {
    let count: usize = chapters().iter().map(|it| follow(&it.path, &it.text, true)).sum();
    assert!(count > 20, "the book has links: {count}");
}

#[test]
fn the_readme_leads_somewhere_and_hides_nothing() {
    let path = Path::new(BOOK).join("../../README.md");
    let text = fs::read_to_string(&path).unwrap();
    assert!(follow(&path, &text, false) > 5, "the README has links");
    assert!(!text.lines().any(|it| it.starts_with("# ") && it != "# pleach"), "a hidden line of code");
}
