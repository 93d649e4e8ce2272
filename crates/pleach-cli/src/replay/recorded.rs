//! The files in a recording, of which its trees are made.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use pleach::asset::{CheckOnly, Manifest, Source, SourceError};
use pleach::tools::text::plain;
use pleach::{Registry, is_baked};

use crate::failure::{Failure, say};
use crate::files;
use crate::paths::shown;

/// The suffix of a manifest of leaves in a recording.
const MANIFEST: &str = ".leaves";

/// Contents of files by their names.
pub(super) type Contents = BTreeMap<String, Vec<u8>>;

/// Files, some of which are read.
pub(super) struct Reading<'a> {
    pub(super) files: &'a Contents,
    pub(super) read: RefCell<Contents>,
}

impl Source for Reading<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, SourceError> {
        let bytes = Source::read(self.files, name)?;
        self.read.borrow_mut().insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    }
    fn names(&self) -> Vec<Result<String, (String, SourceError)>> {
        self.files.names()
    }
}

/// The files of a recording.
pub(super) struct Recorded {
    /// The texts of trees.
    pub(super) versions: Vec<Contents>,
    /// The baked trees with their names, oldest first.
    pub(super) baked: Vec<(String, Vec<u8>)>,
    /// The leaves that its manifest describes.
    pub(super) leaves: Option<Registry<CheckOnly>>,
}

impl Recorded {
    /// # Errors
    /// The manifest is not one, and no other `is_given`.
    pub(super) fn of(files: &[(String, Vec<u8>)], is_given: bool, recording: &Path) -> Result<Self, Failure> {
        let is_manifest = |name: &str| name.ends_with(MANIFEST);
        let mut leaves = None;
        // If a name is repeated the last text counts.
        for (name, text) in files.iter().filter(|it| !is_given && is_manifest(&it.0)) {
            let manifest = Manifest::parse(name, &String::from_utf8_lossy(text)).map_err(|it| {
                tell_source(recording, "give --leaves the manifest of the game's leaves");
                files::told(&it)
            })?;
            let mut registry = manifest.registry().map_err(|it| Failure::Failed(format!("`{}`: {it}", plain(name))))?;
            registry.allow_any_leaf(true);
            leaves = Some(registry);
        }
        let (baked, texts) = files.iter().filter(|it| !is_manifest(&it.0)).partition::<Vec<_>, _>(|it| is_baked(&it.1));
        Ok(Recorded { versions: versions(texts), baked: baked.into_iter().cloned().collect(), leaves })
    }
}

/// Says that the errors that follow are in the recording, not in files of these names.
pub(super) fn tell_source(recording: &Path, what: &str) {
    say(format_args!("the files in `{}` do not load: {what}", shown(recording)));
}

/// The files as they were at first, and after each change: a repeated name begins another version,
/// in which all other files are as before.
fn versions<'t>(files: impl IntoIterator<Item = &'t (String, Vec<u8>)>) -> Vec<Contents> {
    let mut versions: Vec<Contents> = Vec::new();
    let mut new: Vec<&str> = Vec::new();
    for (name, text) in files {
        if versions.is_empty() {
            versions.push(Contents::new());
        } else if new.contains(&name.as_str()) {
            versions.push(versions.last().cloned().unwrap_or_default());
            new.clear();
        }
        new.push(name);
        let last = versions.len() - 1;
        versions[last].insert(name.clone(), text.clone());
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_again_begins_another_version() {
        let files: [(String, Vec<u8>); 5] =
            [("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"), ("b", "3")].map(|it| (it.0.into(), it.1.into()));
        let all = versions(&files);
        let texts: Vec<Vec<&[u8]>> = all.iter().map(|it| it.values().map(Vec::as_slice).collect()).collect();
        assert_eq!(texts, [[b"1", b"1"], [b"2", b"2"], [b"2", b"3"]]);
        assert!(versions([]).is_empty());
    }
}
