//! What to do about leaves that are not known here.

use std::collections::BTreeMap;
use std::path::Path;

use pleach::Report;
use pleach::asset::Diagnostic;
use pleach::text::plain;

use crate::paths::shown;

/// What to do about them.
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
            "{them} not in `{}`: {names}. If the game has them now, write the file again with the game's own program: `nodes \
             --manifest`",
            shown(file)
        ),
        None => format!(
            "{them} not known here: {names}. To check, show, play or bake trees of a game that is not here, {ADVICE}"
        ),
    })
}
