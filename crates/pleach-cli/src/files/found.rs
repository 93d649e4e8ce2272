//! Which files paths stand for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{no_file, unreadable};
use crate::failure::Failure;
use crate::paths::{is_stdin, is_stdout, shown};

/// How many levels of directories are searched. Directories that lie deeper are probably a loop.
const MOST_LEVELS: usize = 64;

/// A file, or why a part of a directory could not be searched.
pub(crate) type Found = Result<PathBuf, Failure>;

/// The files that paths stand for, each once. All paths are expanded before any file is read, so
/// that a misspelt path is reported first and not after a hundred reports.
///
/// # Errors
/// As [`expand`]. Standard output goes into one of the files.
pub(crate) fn expand_all(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    all_of(paths, expand)
}

/// The trees and the test files that paths stand for, as [`expand_all`] finds trees.
///
/// # Errors
/// As [`expand_all`].
pub(crate) fn trees_and_tests(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    all_of(paths, |path| expand_to(path, |it| is_tree(it) || is_test(it)))
}

/// The test files that paths stand for, as [`expand_all`] finds trees.
///
/// # Errors
/// As [`expand_all`]; standard input is refused, too.
pub(crate) fn tests_in(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    if paths.iter().any(|it| is_stdin(it)) {
        return Err(Failure::Usage(
            "tests lie beside their trees, and cannot come from standard input: name a file".into(),
        ));
    }
    let mut found = all_of(paths, |path| match path.is_dir() {
        true => {
            let found = found_in(path, is_test);
            let none =
                || format!("there are no tests in `{}`: no file in it or below ends in `.test.ron`", shown(path));
            if found.is_empty() { Err(Failure::Usage(none())) } else { Ok(found) }
        }
        false => expand(path),
    })?;
    // The same file by two paths would be two cases with one golden file.
    let mut seen = BTreeSet::new();
    found.retain(|it| it.as_ref().map_or(true, |it| fs::canonicalize(it).map_or(true, |it| seen.insert(it))));
    Ok(found)
}

/// The trees in those paths that are directories.
///
/// # Errors
/// A part of a directory cannot be searched.
pub(crate) fn trees_among(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    paths.iter().filter(|it| it.is_dir()).flat_map(|it| found_in(it, is_tree)).collect()
}

fn all_of(paths: &[PathBuf], expand: impl Fn(&Path) -> Result<Vec<Found>, Failure>) -> Result<Vec<Found>, Failure> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for path in paths {
        for found in expand(path)? {
            match found {
                Ok(file) if !seen.insert(file.clone()) => {}
                Ok(file) => {
                    refuse_output(&file)?;
                    all.push(Ok(file));
                }
                Err(failure) => all.push(Err(failure)),
            }
        }
    }
    Ok(all)
}

/// # Errors
/// Standard output goes into this file.
pub(super) fn refuse_output(path: &Path) -> Result<(), Failure> {
    if !is_stdout(path) {
        return Ok(());
    }
    let it = shown(path);
    Err(Failure::Usage(format!(
        "standard output is redirected to `{it}`, which is also an input: redirect it elsewhere"
    )))
}

/// The files of a path: itself, or every `.ron` file in the directory and below, in the order of
/// their names. Directories that could not be searched are among them, as errors.
///
/// # Errors
/// The path does not exist, is neither a file nor a directory, or has no tree in it.
fn expand(path: &Path) -> Result<Vec<Found>, Failure> {
    expand_to(path, is_tree)
}

/// The same, for the files in a directory that are `wanted`.
fn expand_to(path: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<Found>, Failure> {
    if is_stdin(path) {
        return Ok(vec![Ok(path.into())]);
    }
    let kind = fs::metadata(path).map_err(|error| unreadable(path, "file or directory", &error))?.file_type();
    if !kind.is_dir() {
        return if kind.is_file() { Ok(vec![Ok(path.into())]) } else { Err(no_file(path, kind)) };
    }
    let found = found_in(path, wanted);
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "there are no trees in `{}`: no file in it or below ends in `.ron`",
            shown(path)
        )));
    }
    Ok(found)
}

/// Whether a path has the name of a tree.
pub(crate) fn is_tree(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "ron") && !is_test(path)
}

/// Whether a path has the name of a test file.
fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.to_string_lossy().ends_with(".test.ron"))
}

/// Every path below a directory that is `wanted`. Hidden files and directories are skipped, and
/// links to directories are not followed. A path that is not a file is found too: the error of
/// reading it names it.
pub(crate) fn found_in(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Found> {
    let mut found: Vec<(PathBuf, Option<Failure>)> = Vec::new();
    let mut waiting = vec![(directory.to_path_buf(), 0)];
    while let Some((directory, level)) = waiting.pop() {
        if level > MOST_LEVELS {
            let it = shown(&directory);
            let deep = format!("`{it}` is not searched: it is more than {MOST_LEVELS} directories deep");
            found.push((directory, Some(Failure::Usage(deep))));
            continue;
        }
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                let failure = unreadable(&directory, "directory", &error);
                found.push((directory, Some(failure)));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.push((directory.clone(), Some(unreadable(&directory, "directory", &error))));
                    continue;
                }
            };
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            match entry.file_type() {
                Ok(it) if it.is_dir() => waiting.push((path, level + 1)),
                Ok(_) if !wanted(&path) => {}
                Ok(_) => found.push((path, None)),
                Err(error) => {
                    let failure = unreadable(&path, "file", &error);
                    found.push((path, Some(failure)));
                }
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(path, failure)| failure.map_or(Ok(path), Err)).collect()
}
