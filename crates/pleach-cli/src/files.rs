//! Finding and reading trees.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pleach::{Tree, load_str};
use pleach_arena::Arena;

use crate::failure::Failure;

/// More than any tree that the loader takes: what is larger is not read to its end.
const MOST_BYTES: u64 = 32 << 20;
/// Directories below directories; deeper ones hold no trees, but loops.
const MOST_LEVELS: usize = 64;

/// The tree of a file.
///
/// # Errors
/// A file that cannot be read. Problems in it are reported before.
pub(crate) fn load(path: &Path) -> Result<Tree<Arena>, Failure> {
    let source = read(path)?;
    load_str(&shown(path), &source, &pleach_arena::registry()).map_err(|report| {
        anstream::eprintln!("{}", report.styled());
        Failure::Problems
    })
}

/// The name of a file, for messages.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
}

/// Whether a path stands for standard input.
fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let refuse = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Usage(format!("there is no file `{shown}`")),
        _ => Failure::Usage(format!("cannot read `{shown}`: {error}")),
    };
    if is_stdin(path) {
        return text(io::stdin().lock(), "standard input").map_err(refuse)?;
    }
    if fs::metadata(path).map_err(refuse)?.is_dir() {
        let inside = trees_in(path).ok().and_then(|it| it.into_iter().next());
        let hint = inside.map(|it| format!(", for example `{}`", it.display())).unwrap_or_default();
        return Err(Failure::Usage(format!("`{shown}` is a directory: name a file{hint}")));
    }
    File::open(path).and_then(|it| text(it, &format!("`{shown}`"))).map_err(refuse)?
}

fn text(source: impl Read, shown: &str) -> io::Result<Result<String, Failure>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Ok(Err(Failure::Failed(format!("{shown} is larger than {} MiB: that is no tree", MOST_BYTES >> 20))));
    }
    Ok(String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Failed(format!("{shown} is not UTF-8 text: the byte at offset {at} belongs to no character"))
    }))
}

/// The files that paths stand for, each once. All of them are looked for first: a misspelt one should not be found after
/// a hundred reports.
///
/// # Errors
/// As [`expand`].
pub(crate) fn expand_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for path in paths {
        files.extend(expand(path)?.into_iter().filter(|it| seen.insert(it.clone())));
    }
    Ok(files)
}

/// The files that a path stands for: itself, or every `.ron` file in it and below, in the order of their names.
///
/// # Errors
/// No such path, or no tree in it.
fn expand(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = path.display();
    let refuse = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failure::Usage(format!("there is no file or directory `{shown}`")),
        _ => Failure::Usage(format!("cannot read `{shown}`: {error}")),
    };
    if is_stdin(path) || !fs::metadata(path).map_err(refuse)?.is_dir() {
        return Ok(vec![path.into()]);
    }
    let files = trees_in(path).map_err(refuse)?;
    if files.is_empty() {
        return Err(Failure::Usage(format!("there are no trees in `{shown}`: no file in it or below ends in `.ron`")));
    }
    Ok(files)
}

/// Hidden directories and links to directories are left alone.
fn trees_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![(directory.to_path_buf(), 0)];
    while let Some((directory, level)) = waiting.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() {
                if !hidden && level < MOST_LEVELS {
                    waiting.push((path, level + 1));
                }
            } else if path.extension().is_some_and(|it| it == "ron") && !path.is_dir() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
