//! Where results go. Whether they can be written is checked before anything is measured.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or folder cannot be written.
#[derive(Debug, Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub(crate) struct OutputError {
    path: PathBuf,
    source: io::Error,
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, OutputError> {
    result.map_err(|source| OutputError { path: path.into(), source })
}

/// Whether the file can be written. It is neither changed nor created.
pub(crate) fn check_file(path: &Path) -> Result<(), OutputError> {
    let is_new = !path.exists();
    at(path, OpenOptions::new().append(true).create(true).open(path))?;
    if is_new { at(path, fs::remove_file(path)) } else { Ok(()) }
}

/// Creates the folder if it does not exist, and checks that files in it can be written.
pub(crate) fn check_folder(path: &Path) -> Result<(), OutputError> {
    at(path, fs::create_dir_all(path))?;
    check_file(&path.join("README.md"))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), OutputError> {
    at(path, fs::write(path, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwritable_paths_are_refused_and_others_left_alone() {
        let folder = std::env::temp_dir().join(format!("pleach-xtask-{}", std::process::id()));
        check_folder(&folder).unwrap();
        let file = folder.join("rows.csv");
        check_file(&file).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "to ask leaves nothing behind");
        write(&file, "[]").unwrap();
        check_file(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "[]");

        let nowhere = folder.join("not there").join("rows.csv");
        let error = check_file(&nowhere).unwrap_err().to_string();
        assert!(error.starts_with("cannot write `") && error.contains("not there"), "{error}");
        assert!(check_file(&folder).is_err(), "a folder is not a file");
        assert!(check_folder(&file).is_err(), "a file is not a folder");
        assert!(write(&folder, "").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
