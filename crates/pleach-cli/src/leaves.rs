//! Leaves that a manifest describes.

use std::path::Path;

use std::collections::BTreeMap;

use pleach::asset::{CheckOnly, Diagnostic, Manifest};
use pleach::text::plain;
use pleach::{Host, Registry, Report};

use crate::failure::Failure;
use crate::files;
use crate::paths::{is_stdin, shown};

/// What is known of the leaves: of a manifest, or else of the program.
///
/// # Errors
/// As [`read`].
pub(crate) fn known<H: Host>(file: Option<&Path>, own: &Registry<H>) -> Result<Manifest, Failure> {
    file.map_or_else(|| Ok(Manifest::of(own)), read)
}

/// The leaves of a manifest, which stands beside these trees on the command line.
///
/// # Errors
/// As [`read`]; or the manifest and a tree both are standard input.
pub(crate) fn registry<'a>(
    file: &Path,
    trees: impl IntoIterator<Item = &'a Path>,
) -> Result<Registry<CheckOnly>, Failure> {
    if is_stdin(file) && trees.into_iter().any(is_stdin) {
        return Err(Failure::Usage("standard input cannot be a tree and the manifest of its leaves".into()));
    }
    let found = read(file)?.registry();
    found.map_err(|error| Failure::Failed(format!("`{}`: {error}", shown(file))))
}

/// What to do about leaves that are not known here.
pub(crate) const ADVICE: &str = "name the manifest of the game's leaves with `--leaves game.leaves`. The game's own program \
     writes that file: `nodes --manifest > game.leaves`. So does the game itself, with `Manifest::of(&registry).to_ron()`";

/// What to do about all leaves of these reports that are not known here: said once, and not for
/// each. `None` if there are no such leaves. `file` is the manifest that was named.
pub(crate) fn help<'r>(reports: impl IntoIterator<Item = &'r Report>, file: Option<&Path>) -> Option<String> {
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for leaf in reports.into_iter().flat_map(Report::diagnostics).filter_map(Diagnostic::unknown_leaf) {
        *unknown.entry(leaf).or_default() += 1;
    }
    let them = match unknown.len() {
        0 => return None,
        1 => "a leaf is",
        _ => "some leaves are",
    };
    let places = |(leaf, count): (&&str, &usize)| match count {
        1 => format!("`{}`", plain(leaf)),
        _ => format!("`{}` ({count} times)", plain(leaf)),
    };
    let names = unknown.iter().map(places).collect::<Vec<_>>().join(", ");
    Some(match file {
        Some(file) => format!(
            "{them} not in `{}`: {names}. If the game has them now, its own program writes the file anew: `nodes \
             --manifest`",
            shown(file)
        ),
        None => format!(
            "{them} not known here: {names}. To check, show, play or bake trees of a game that is not here, {ADVICE}"
        ),
    })
}

/// # Errors
/// The file cannot be read, or is no manifest. What is wrong with it has then been printed.
fn read(file: &Path) -> Result<Manifest, Failure> {
    let text = files::read(file)?;
    Manifest::parse(&shown(file), &text).map_err(|it| files::told(&it))
}
