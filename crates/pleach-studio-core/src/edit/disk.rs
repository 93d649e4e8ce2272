//! The files of the edited directory. No path leads out of it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use pleach::asset::{Source, SourceError};
use pleach::tools::text::plain;
use pleach_lsp::{Desk, Files, below};

use super::history::Text;
use crate::rewrite;

/// The most files of a directory that are edited.
pub(super) const MOST_FILES: usize = 5_000;

/// A directory, without links.
#[derive(Debug)]
pub(super) struct Disk {
    root: PathBuf,
}

impl Disk {
    /// # Errors
    /// It is not a directory.
    pub(super) fn open(directory: &Path) -> Result<Self, String> {
        let root = fs::canonicalize(directory).map_err(|it| it.to_string())?;
        if root.is_dir() { Ok(Disk { root }) } else { Err("it is not a directory".to_owned()) }
    }

    /// The full name of a file, by which others include it.
    pub(super) fn name(&self, file: &str) -> String {
        Desk::name(&self.root.join(file))
    }

    /// A full name relative to the directory.
    pub(super) fn below<'n>(&self, name: &'n str) -> Option<&'n str> {
        let root = Desk::name(&self.root);
        name.strip_prefix(&*root)?.strip_prefix('/').filter(|it| is_inside(it))
    }

    /// All files, and whether these are all there are.
    pub(super) fn files(&self) -> (Vec<String>, bool) {
        let (names, is_all) = below(&self.root);
        (names.iter().filter_map(|it| self.below(it)).map(str::to_owned).collect(), is_all)
    }

    /// Checks that a new file can have this path.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn admit(&self, file: &str) -> Result<(), String> {
        let path = self.path(file)?;
        if file.ends_with(".test.ron") {
            return Err("files that end in `.test.ron` hold tests, not trees".to_owned());
        }
        if path.is_dir() {
            return Err("there is a directory of this name".to_owned());
        }
        let above = path.ancestors().skip(1).find(|it| it.is_file());
        let Some(above) = above.and_then(|it| it.file_name()) else { return Ok(()) };
        Err(format!("`{}` is a file, not a directory", plain(&above.to_string_lossy())))
    }

    /// Where a file is, or would be.
    ///
    /// # Errors
    /// It is not below the directory, or not a `.ron` file.
    pub(super) fn path(&self, file: &str) -> Result<PathBuf, String> {
        if !is_inside(file) {
            return Err(
                "it is not a path below the directory that is edited: use names with `/` between them".to_owned()
            );
        }
        let is_hidden = file.split('/').any(|it| it.starts_with('.'));
        if !file.ends_with(".ron") || is_hidden {
            return Err("only files are edited that end in `.ron` and are not hidden".to_owned());
        }
        let path = self.root.join(file);
        // For a file that does not exist, the directory that it would be in.
        let there = path.ancestors().find(|it| fs::symlink_metadata(it).is_ok()).unwrap_or(&self.root);
        match fs::canonicalize(there) {
            Ok(real) if real.starts_with(&self.root) => Ok(path),
            Ok(_) => Err("a link leads out of the directory that is edited".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The text of a file; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is not text.
    pub(super) fn read(&self, file: &str) -> Result<Text, String> {
        self.path(file)?;
        match Files::default().read(&self.name(file)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(error) => {
                    Err(format!("it is not UTF-8 text: invalid byte at offset {}", error.utf8_error().valid_up_to()))
                }
            },
            Err(SourceError::Missing) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes a file that was `before` when it was read.
    ///
    /// # Errors
    /// Why it stays as it is.
    pub(super) fn write(&self, file: &str, before: &Text, after: &Text) -> Result<(), String> {
        let path = self.path(file)?;
        match (before, after) {
            (Some(before), Some(after)) => rewrite::replace(&path, before, after),
            (None, Some(after)) => {
                let folder = path.parent().unwrap_or(&self.root);
                fs::create_dir_all(folder).map_err(|it| it.to_string())?;
                rewrite::create(&path, after)
            }
            (Some(_), None) if self.read(file)? != *before => Err("it has changed since it was read".to_owned()),
            (Some(_), None) => fs::remove_file(&path).map_err(|it| it.to_string()),
            (None, None) => Ok(()),
        }
    }
}

/// Whether all parts are plain names. Then each file has one name: `a//b` and `a/./b` are not
/// names.
fn is_inside(file: &str) -> bool {
    let is_plain = |part: &str| {
        let mut all = Path::new(part).components();
        matches!((all.next(), all.next()), (Some(Component::Normal(_)), None))
    };
    !file.contains(['\\', '\0']) && file.split('/').all(is_plain)
}
