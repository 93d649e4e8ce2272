//! Leaves that a manifest describes.

use std::path::Path;

use pleach::asset::{CheckOnly, Manifest};
use pleach::{Host, Registry};

use crate::failure::Failure;
use crate::files;
use crate::paths::{is_stdin, shown};

/// The known leaves: those of a manifest, or else of the program.
///
/// # Errors
/// As [`read`].
pub(crate) fn known<H: Host>(file: Option<&Path>, own: &Registry<H>) -> Result<Manifest, Failure> {
    file.map_or_else(|| Ok(Manifest::of(own)), read)
}

/// The leaves of a manifest that was given with these trees on the command line.
///
/// # Errors
/// As [`read`]; or the manifest and a tree both are standard input.
pub(crate) fn registry<'a>(
    file: &Path,
    trees: impl IntoIterator<Item = &'a Path>,
) -> Result<Registry<CheckOnly>, Failure> {
    if is_stdin(file) && trees.into_iter().any(is_stdin) {
        return Err(Failure::Usage("standard input cannot be both a tree and the manifest of its leaves".into()));
    }
    let found = read(file)?.registry();
    found.map_err(|error| Failure::Failed(format!("`{}`: {error}", shown(file))))
}

/// # Errors
/// The file cannot be read, or is not a manifest. What is wrong with it has then been printed.
fn read(file: &Path) -> Result<Manifest, Failure> {
    let text = files::read(file)?;
    Manifest::parse(&shown(file), &text).map_err(|it| files::told(&it))
}
