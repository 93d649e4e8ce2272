//! The summary and the links.

use std::fs;
use std::path::Path;

use crate::chapter::{BOOK, chapters};

#[test]
fn the_summary_and_the_tests_name_every_chapter() {
    let known = fs::read_to_string(Path::new(BOOK).join("lib.rs")).unwrap();
    let mut named: Vec<String> = chapters().iter().map(|it| it.name().to_owned()).collect();
    for name in &named {
        assert!(
            known.contains(&format!("include_str!(\"src/{name}.md\")")),
            "lib.rs does not run the code of {name}.md"
        );
    }
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
fn the_first_chapter_names_the_oldest_rust() {
    let first = chapters().into_iter().find(|it| it.name() == "first-tree").unwrap();
    assert!(first.text.contains(concat!("needs Rust ", env!("CARGO_PKG_RUST_VERSION"), " or newer")));
}

/// What mdBook makes of a heading.
fn anchor(heading: &str) -> String {
    let plain = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | ' ');
    plain.chars().filter(|&it| kept(it)).map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// The headings of a page, with those of pages that it includes.
fn anchors(path: &Path, found: &mut Vec<String>) {
    let mut fenced = false;
    for line in fs::read_to_string(path).unwrap().lines() {
        fenced ^= line.starts_with("```");
        if let Some(page) = line.strip_prefix("{{#include ").and_then(|it| it.strip_suffix("}}")) {
            anchors(&path.parent().unwrap().join(page), found);
        } else if line.starts_with('#') && !fenced {
            found.push(anchor(line));
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut count = 0;
    for chapter in chapters() {
        let mut prose = String::new();
        let mut fenced = false;
        for line in chapter.text.lines() {
            if line.starts_with("```") {
                fenced = !fenced;
            } else if !fenced {
                prose.push_str(line);
                prose.push('\n');
            }
        }
        for target in prose.split("](").skip(1).filter_map(|it| it.split_once(')')).map(|it| it.0) {
            count += 1;
            if target.contains("://") {
                continue;
            }
            let (page, part) = target.split_once('#').map_or((target, None), |(page, part)| (page, Some(part)));
            let path = match page {
                "" => chapter.path.clone(),
                page => chapter.path.parent().unwrap().join(page),
            };
            assert!(path.exists(), "{}.md: {target} leads nowhere", chapter.name());
            if let Some(part) = part {
                let mut found = Vec::new();
                anchors(&path, &mut found);
                assert!(found.iter().any(|it| it == part), "{}.md: {target}: no such heading", chapter.name());
            }
        }
    }
    assert!(count > 20, "the book has links");
}
