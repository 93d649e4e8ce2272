//! How near to a mistake its report stands, and how often it says what to do: numbers that may only
//! get better.

use std::path::Path;

use pleach_asset::{Asset, Diagnostic, Report, check_str};

use crate::common;

/// How many reports of designers stand elsewhere, and how many have a problem without help.
const ELSEWHERE: usize = 4;
const HELPLESS: usize = 48;

/// The lines that a problem names: its own and those of its labels.
fn lines(it: &Diagnostic) -> impl Iterator<Item = usize> {
    let line = |at: usize| it.source()[..at].matches('\n').count() + 1;
    [it.line()].into_iter().chain(it.labels().map(move |label| line(label.span().start)))
}

/// Each file of `designers` is `whole.ron` with one mistake: its place is where the two differ. A
/// report is at the right place if its first problem is in these lines, or names one of them.
#[test]
fn most_reports_of_designers_stand_at_the_mistake_and_say_what_to_do() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/designers");
    let read = |path: &Path| std::fs::read_to_string(path).expect("UTF-8");
    let whole = read(&folder.join("whole.ron"));
    let files = std::fs::read_dir(&folder).expect("the folder is there").map(|it| it.expect("readable").path());
    let mut files: Vec<_> = files.filter(|it| it.extension().is_some_and(|it| it == "ron")).collect();
    files.retain(|it| !it.ends_with("whole.ron"));
    files.sort();
    let (mut elsewhere, mut helpless) = (Vec::new(), Vec::new());
    for file in &files {
        let source = read(file);
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let report = match check_str(&name, &source, &common::registry()) {
            Ok((_, report)) | Err(report) => report,
        };
        let first = &report.diagnostics()[0];
        let alike = |it: &mut dyn Iterator<Item = (&str, &str)>| it.take_while(|it| it.0 == it.1).count();
        let above = alike(&mut whole.lines().zip(source.lines()));
        let below = alike(&mut whole.lines().rev().zip(source.lines().rev()));
        // Where lines are missing, one of those around the gap.
        let (from, to) = (above + 1, source.lines().count() - below);
        let is_at = |line: usize| if from <= to { (from..=to).contains(&line) } else { (to..=from).contains(&line) };
        if !lines(first).any(is_at) {
            elsewhere.push(name.clone());
        }
        if report.diagnostics().iter().any(|it| it.help().is_none()) {
            helpless.push(name);
        }
    }
    let all = files.len();
    println!("{all} files: {} reports at the mistake, {} with a remedy", all - elsewhere.len(), all - helpless.len());
    println!("elsewhere: {elsewhere:?}\nwithout a remedy: {helpless:?}");
    assert!(all >= 150, "{all} files");
    assert!(elsewhere.len() <= ELSEWHERE, "elsewhere: {elsewhere:?}");
    assert!(helpless.len() <= HELPLESS, "without a remedy: {helpless:?}");
}

/// The shipped trees, each time without another one of their brackets: each report names a line
/// within two of it.
#[test]
fn a_lost_bracket_is_told_near_its_place() {
    let mut waiting = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trees")];
    let (mut all, mut late, mut helpless) = (0, Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        for path in std::fs::read_dir(folder).expect("readable").map(|it| it.expect("readable").path()) {
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            if path.extension().is_none_or(|it| it != "ron") {
                continue;
            }
            let source = std::fs::read_to_string(&path).expect("UTF-8");
            for (at, lost) in brackets(&source) {
                all += 1;
                let broken = format!("{}{}", &source[..at], &source[at + 1..]);
                let line = source[..at].matches('\n').count() + 1;
                let report: Report = Asset::parse("a.ron", &broken).expect_err("a bracket is lost");
                let first = &report.diagnostics()[0];
                helpless += usize::from(first.help().is_none());
                if !lines(first).any(|it| it.abs_diff(line) <= 2) {
                    late.push(format!("{}:{line} without `{lost}`: {}", path.display(), report.plain()));
                }
            }
        }
    }
    println!("{all} brackets: {} reports far from it, {helpless} without a remedy\n{}", late.len(), late.join("\n"));
    assert!(late.is_empty(), "{} of {all}:\n{}", late.len(), late.join("\n"));
}

/// The brackets of a source outside of strings and comments.
fn brackets(source: &str) -> Vec<(usize, char)> {
    let (mut found, mut in_text, mut in_comment, mut before) = (Vec::new(), false, false, ' ');
    for (at, it) in source.char_indices() {
        match it {
            '\n' => in_comment = false,
            '"' if !in_comment => in_text = !in_text,
            '/' if before == '/' && !in_text => in_comment = true,
            '(' | ')' | '[' | ']' | '{' | '}' if !in_text && !in_comment => found.push((at, it)),
            _ => {}
        }
        before = it;
    }
    found
}
