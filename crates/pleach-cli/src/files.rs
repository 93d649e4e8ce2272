//! Finding and reading trees.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pleach::text::plain;
use pleach::{Tree, load_str};
use pleach_arena::Arena;

use crate::failure::Failure;
use crate::output;

/// More than any tree that the loader takes: what is larger is not read to its end.
const MOST_BYTES: u64 = 32 << 20;
/// Directories below directories; deeper ones hold no trees, but loops.
const MOST_LEVELS: usize = 64;

/// The tree of a file.
///
/// # Errors
/// A file that cannot be read, or that standard output goes into. Problems in it are reported
/// before.
pub(crate) fn load(path: &Path) -> Result<Tree<Arena>, Failure> {
    refuse_output(path)?;
    let source = read(path)?;
    load_str(&shown(path), &source, &pleach_arena::registry()).map_err(|report| {
        anstream::eprintln!("{}", report.styled());
        Failure::Problems
    })
}

/// The name of a file, for messages: on one line, whatever is in it.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { plain(&path.to_string_lossy()).into() }
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of a file. Nothing else is opened: pipes and devices can keep us waiting for ever.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if is_stdin(path) {
        let refuse = |error| Failure::Usage(format!("cannot read standard input: {error}"));
        return text(io::stdin().lock(), "standard input").map_err(refuse)?;
    }
    let refuse = |error: io::Error| unreadable(path, "file", &error);
    let kind = fs::metadata(path).map_err(refuse)?.file_type();
    if kind.is_dir() {
        let hint = example_in(path).map(|it| format!(", for example `{}`", shown(&it))).unwrap_or_default();
        return Err(Failure::Usage(format!("`{}` is a directory: name a file{hint}", shown(path))));
    }
    if !kind.is_file() {
        return Err(no_file(path, kind));
    }
    File::open(path).and_then(|it| text(it, &format!("`{}`", shown(path)))).map_err(refuse)?
}

/// A file of a directory that may be what is meant.
fn example_in(directory: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(directory).ok()?.filter_map(|it| Some(it.ok()?.path()));
    files.filter(|it| it.extension().is_some_and(|it| it == "ron") && it.is_file()).min()
}

/// Why something could not be looked at. `wanted` is what was looked for.
fn unreadable(path: &Path, wanted: &str, error: &io::Error) -> Failure {
    let it = shown(path);
    Failure::Usage(match (error.kind(), fs::read_link(path)) {
        (io::ErrorKind::NotFound, Ok(target)) => {
            format!("`{it}` is a link to `{}`, which is not there", plain(&target.to_string_lossy()))
        }
        (io::ErrorKind::NotFound, Err(_)) => format!("there is no {wanted} `{it}`"),
        _ => format!("cannot read `{it}`: {error}"),
    })
}

/// What something is that is neither a file nor a directory.
fn no_file(path: &Path, kind: fs::FileType) -> Failure {
    #[cfg(unix)]
    let what = {
        use std::os::unix::fs::FileTypeExt;
        match kind {
            it if it.is_fifo() => "a pipe",
            it if it.is_socket() => "a socket",
            it if it.is_char_device() || it.is_block_device() => "a device",
            _ => "something else",
        }
    };
    #[cfg(not(unix))]
    let what = {
        let _ = kind;
        "something else"
    };
    Failure::Usage(format!("`{}` is {what}, not a file: give `-` to read a tree from standard input", shown(path)))
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

/// A file, or why something where trees were looked for could not be looked at.
pub(crate) type Found = Result<PathBuf, Failure>;

/// The files that paths stand for, each once. All paths are looked at first: a misspelt one should
/// not be found after a hundred reports.
///
/// # Errors
/// As [`expand`]; and a file that standard output goes into.
pub(crate) fn expand_all(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
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
/// What we print goes into this file.
fn refuse_output(path: &Path) -> Result<(), Failure> {
    if !output::goes_into(path) {
        return Ok(());
    }
    let it = shown(path);
    Err(Failure::Usage(format!("standard output goes into `{it}`, which is to be read: send it somewhere else")))
}

/// What a path stands for: itself, or every `.ron` file in it and below, in the order of their
/// names, with what could not be looked at among them.
///
/// # Errors
/// No such path, no file, or no tree in it.
fn expand(path: &Path) -> Result<Vec<Found>, Failure> {
    if is_stdin(path) {
        return Ok(vec![Ok(path.into())]);
    }
    let kind = fs::metadata(path).map_err(|error| unreadable(path, "file or directory", &error))?.file_type();
    if !kind.is_dir() {
        return if kind.is_file() { Ok(vec![Ok(path.into())]) } else { Err(no_file(path, kind)) };
    }
    let found = trees_in(path);
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "there are no trees in `{}`: no file in it or below ends in `.ron`",
            shown(path)
        )));
    }
    Ok(found)
}

/// Hidden files and directories are left alone, and links to directories are not followed. What
/// else ends in `.ron` is found, be it no file: it is named when it is read.
fn trees_in(directory: &Path) -> Vec<Found> {
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
                Ok(_) if path.extension().is_none_or(|it| it != "ron") => {}
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
