//! The source of the files that the loader checks: the editor if they are open there, else the
//! disk.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use pleach::asset::{MAX_FILE, Source, SourceError};

use crate::uri;

/// The largest file that is read, in bytes. A tree of 2 000 nodes has about 100 KiB.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// The most files of a folder that are read.
pub(crate) const MOST_FILES: usize = 5_000;

/// How deep folders are searched.
const MOST_LEVELS: usize = 32;

/// The files at one moment: the names of open ones with their texts.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub(crate) open: HashMap<String, Arc<str>>,
}

impl Source for Files {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        match self.open.get(name) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => read(&uri::path(name)),
        }
    }
}

/// The bytes of a file on the disk. Pipes and devices are not opened: reading them can take for
/// ever.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, SourceError> {
    let told = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => SourceError::Missing,
        _ => SourceError::Other(error.to_string()),
    };
    let kind = fs::metadata(path).map_err(told)?;
    if kind.is_dir() {
        return Err(SourceError::NotAFile("a directory".into()));
    }
    if !kind.is_file() {
        return Err(SourceError::NotAFile("a pipe or a device".into()));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(told)?.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() as u64 > MAX_FILE { Err(SourceError::TooLarge) } else { Ok(bytes) }
}

/// What changes when a file is written: the time of the last write, and the length.
pub(crate) type Stamp = (Option<SystemTime>, u64);

pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|it| (it.modified().ok(), it.len()))
}

/// Whether a search of that folder finds that file, if it exists: hidden folders, `target` and
/// `node_modules` are skipped.
pub(crate) fn is_looked_at(folder: &Path, file: &Path) -> bool {
    let Some(inside) = file.strip_prefix(folder).ok().and_then(Path::parent) else { return false };
    let is_deep = inside.components().count() > MOST_LEVELS;
    !is_deep && is_ours(file) && inside.iter().all(|it| is_searched(&it.to_string_lossy()))
}

fn is_ours(file: &Path) -> bool {
    file.to_string_lossy().ends_with(".ron")
}

fn is_searched(folder: &str) -> bool {
    !folder.starts_with('.') && !matches!(folder, "target" | "node_modules")
}

/// The names of the files in a folder and below that are read, and whether these are all. Links to
/// folders are not followed.
#[must_use]
pub fn below(folder: &Path) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, level)) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && is_searched(&name.to_string_lossy()) && level < MOST_LEVELS {
                waiting.push((path, level + 1));
            } else if !kind.is_dir() && is_ours(&path) {
                if found.len() == MOST_FILES {
                    return (found, false);
                }
                found.push(uri::of_path(&path));
            }
        }
    }
    found.sort_unstable();
    (found, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_leaves_folders_out() {
        let is_found = |file: &str| is_looked_at(Path::new("/.x/game"), Path::new(file));
        assert!(is_found("/.x/game/a.ron") && is_found("/.x/game/trees/deep/a.ron"));
        for file in ["a.leaves", "target/a.ron", ".git/a.ron", "ui/node_modules/x/a.ron"] {
            assert!(!is_found(&format!("/.x/game/{file}")), "{file}");
        }
        assert!(!is_found("/.x/other/a.ron"));
    }
}
