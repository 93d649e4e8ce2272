//! Where the loader gets the files that it checks: from the editor if they are open there, else
//! from the disk.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use pleach::asset::{MAX_FILE, Source, SourceError};

use crate::uri;

/// The largest file that is looked at, in bytes. A tree of 2 000 nodes has some 100 KiB.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// The most files of a folder that are looked at.
pub(crate) const MOST_FILES: usize = 5_000;

/// How deep folders are searched.
const MOST_LEVELS: usize = 32;

/// The files as they are at one moment: the names of open ones with their texts.
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

/// The bytes of a file of the disk. Pipes and devices are not opened: to read them can take for
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

/// The `.ron` files of a folder and below, by their names. Hidden folders, `target` and
/// `node_modules` are left out, and links to folders are not followed.
pub(crate) fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, level)) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            let is_skipped = name.starts_with('.') || matches!(&*name, "target" | "node_modules");
            if kind.is_dir() && !is_skipped && level < MOST_LEVELS {
                waiting.push((path, level + 1));
            } else if !kind.is_dir() && name.ends_with(".ron") {
                found.push(uri::of_path(&path));
            }
            if found.len() == MOST_FILES {
                return found;
            }
        }
    }
    found.sort_unstable();
    found
}

/// The name of the file that `path` leads to from the file `from`.
pub(crate) fn resolve(from: &str, path: &str) -> String {
    let folder = from.rfind('/').map_or("", |it| &from[..=it]);
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let slash = if folder.starts_with('/') { "/" } else { "" };
    format!("{slash}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_their_file() {
        assert_eq!(resolve("/a/b/c.ron", "d/e.ron"), "/a/b/d/e.ron");
        assert_eq!(resolve("/a/b/c.ron", "../e.ron"), "/a/e.ron");
        assert_eq!(resolve("c:/a/b.ron", "./e.ron"), "c:/a/e.ron");
        assert_eq!(resolve("b.ron", "e.ron"), "e.ron");
    }
}
