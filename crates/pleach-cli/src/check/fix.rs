//! `--fix`: applies fixes to the files that need no thought.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pleach::asset::{Diagnostic, Edit, Fix};

use super::Outcome;
use crate::args::{CheckArgs, CheckFormat};
use crate::failure::{self, Failure};
use crate::out::Out;
use crate::paint::{GOOD, RESET};
use crate::paths::canonical;
use crate::rewrite::{diff, replace};

/// The most rounds of fixes: a fix may reveal more problems, and that must end.
pub(super) const MOST_ROUNDS: usize = 16;

/// What happened to the files.
pub(super) struct Done {
    /// How many problems were fixed.
    pub(super) fixed: usize,
    /// Whether a file could not be written.
    pub(super) failed: bool,
}

/// Fixes each file, whole or not at all, and prints what it has changed.
pub(super) fn fix(outcome: &Outcome, args: &CheckArgs, out: &mut Out) -> Result<Done, Failure> {
    let mut done = Done { fixed: 0, failed: false };
    for (path, before, fixes) in all(outcome) {
        let after = applied(before, &fixes);
        if let Err(failure) = replace(path, before, &after) {
            failure.tell();
            done.failed = true;
            continue;
        }
        for (it, fix) in &fixes {
            let (file, line, column) = (it.file(), it.line(), it.column());
            let (code, title) = (it.code(), fix.title());
            let text = format_args!("{GOOD}fixed:{RESET} {file}:{line}:{column}: {code}: {}; {title}", it.message());
            match args.format {
                CheckFormat::Text => out.say(format_args!("{text}\n"))?,
                // What programs read is whole by itself.
                CheckFormat::Json | CheckFormat::Github | CheckFormat::Sarif => failure::say(text),
            }
        }
        done.fixed += fixes.len();
    }
    if done.fixed > 0 && args.format == CheckFormat::Text {
        out.say(format_args!("\n"))?;
    }
    Ok(done)
}

/// The new texts of files, by their canonical paths.
pub(super) type Texts = BTreeMap<PathBuf, String>;

/// What would change in all rounds: files as they are and as they would be.
#[derive(Default)]
pub(super) struct Planned {
    files: Vec<(PathBuf, String)>,
    pub(super) texts: Texts,
}

impl Planned {
    /// Applies the fixes for these texts in memory. Returns whether there were any.
    pub(super) fn add(&mut self, outcome: &Outcome) -> bool {
        let mut is_mended = false;
        for (path, before, fixes) in all(outcome) {
            if self.texts.insert(canonical(path), applied(before, &fixes)).is_none() {
                self.files.push((path.to_owned(), before.to_owned()));
            }
            is_mended = true;
        }
        is_mended
    }

    /// Shows it as a unified diff.
    pub(super) fn show(&self, args: &CheckArgs, out: &mut Out) -> Result<(), Failure> {
        for (path, before) in &self.files {
            let Some(after) = self.texts.get(&canonical(path)).filter(|it| *it != before) else { continue };
            let text = diff(path, "fixed", before, after);
            match args.format {
                CheckFormat::Text => out.say(format_args!("{text}"))?,
                // What programs read is whole by itself.
                CheckFormat::Json | CheckFormat::Github | CheckFormat::Sarif => failure::say(text.trim_end()),
            }
        }
        Ok(())
    }
}

type Fixes<'o> = Vec<(&'o Diagnostic, &'o Fix)>;

/// The fixes in each named file: the likeliest one of each problem, without overlaps.
fn all(outcome: &Outcome) -> impl Iterator<Item = (&Path, &str, Fixes<'_>)> {
    // A file that is named twice is fixed once.
    let mut seen = BTreeSet::new();
    outcome.files.iter().filter_map(move |(file, path)| {
        if std::fs::canonicalize(path).is_ok_and(|it| !seen.insert(it)) {
            return None;
        }
        let report = outcome.reports.iter().find(|it| it.file() == file)?;
        let fixes = report.fixes();
        let source = fixes.first()?.0.source();
        Some((&**path, source, fixes))
    })
}

fn applied(source: &str, fixes: &Fixes<'_>) -> String {
    let mut edits: Vec<&Edit> = fixes.iter().flat_map(|it| it.1.edits()).collect();
    edits.sort_by_key(|it| it.span().start);
    let mut text = source.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(edit.span(), edit.text());
    }
    text
}
