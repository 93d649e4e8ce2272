//! Rules about the text of files: how they begin, the width of comments, the length and the names
//! of files.

use super::Finding;
use super::source::File;

/// How wide a line with a comment may be.
const WIDTH: usize = 100;
/// How many lines a file of code may have.
const LINES: usize = 500;
/// How many lines a file of tests may have: a subject with its helpers, in one place.
const TEST_LINES: usize = 600;
/// How many test programs a crate may have. Each is linked, and compiles the interpreter again.
const PROGRAMS: usize = 6;

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let path = file.path.as_str();
        if path.ends_with(".rs") {
            let mut find = |line, what: String, help: &str| findings.push(Finding::new(path, line, what, help));
            if !file.text.starts_with("//!") {
                find(1, "the file does not say what lives in it".into(), "begin it with a line `//! …`");
            }
            let tests = path.contains("tests/");
            let (lines, most) = (file.text.lines().count(), if tests { TEST_LINES } else { LINES });
            if lines > most {
                find(
                    most + 1,
                    format!("the file has {lines} lines, {most} at most are asked for"),
                    "split it by subject",
                );
            }
            if path.ends_with("/mod.rs") {
                let name = path.trim_end_matches("/mod.rs");
                find(1, "a module in `mod.rs`".into(), &format!("move it to `{name}.rs`, beside its folder"));
            }
        }
        if let Some(marker) = if path.ends_with(".rs") { Some("//") } else { path.ends_with(".toml").then_some("#") } {
            for (line, width) in wide_comments(&file.text, marker) {
                let what = format!("the comment is {width} wide");
                findings.push(Finding::new(path, line, what, format!("wrap it at {WIDTH} columns")));
            }
        }
    }
    programs(files, &mut findings);
    findings
}

/// Lines of comments that are too wide, each with its width. Tables, fenced code, and single words
/// that do not fit into a line may have any width.
fn wide_comments(text: &str, marker: &str) -> Vec<(usize, usize)> {
    let mut wide = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix(marker) else {
            fenced = false;
            continue;
        };
        // Handles `///` and `//!` too.
        let comment = comment.trim_start_matches(['/', '!', '#']).trim();
        if comment.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let width = line.chars().count();
        let link = comment.starts_with('[') && comment.contains("]: ");
        if width > WIDTH && !fenced && !link && !comment.starts_with('|') && comment.contains(' ') {
            wide.push((index + 1, width));
        }
    }
    wide
}

/// Whether a crate has more test programs than it needs.
fn programs(files: &[File], findings: &mut Vec<Finding>) {
    let mut crates: Vec<(&str, usize)> = Vec::new();
    for file in files {
        let Some((name, rest)) = file.path.split_once("tests/") else { continue };
        let top = rest.ends_with(".rs") && !rest.contains('/');
        let folder = rest.strip_suffix("/main.rs").is_some_and(|it| !it.contains('/'));
        if name.contains("src/") || !(top || folder) {
            continue;
        }
        match crates.iter_mut().find(|it| it.0 == name) {
            Some((_, count)) => *count += 1,
            None => crates.push((name, 1)),
        }
    }
    for (name, count) in crates.into_iter().filter(|it| it.1 > PROGRAMS) {
        let what = format!("the crate has {count} test programs, {PROGRAMS} at most are asked for");
        findings.push(Finding::new(&format!("{name}Cargo.toml"), 1, what, "make them modules of one, by subject"));
    }
}
