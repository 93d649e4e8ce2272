//! What to do about leaves that are unknown, or belong to another game.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pleach::Report;
use pleach::asset::Diagnostic;
use pleach::tools::text::plain;

use crate::paths::shown;

/// How to name the manifest of a game.
pub(crate) const ADVICE: &str = "with `--leaves game.leaves`. The game's own program writes that file: `nodes --manifest > \
     game.leaves`. So does the game itself, with `Manifest::of(&registry).to_ron()`";

/// Whose leaves the trees are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaves<'a> {
    /// Those of the program, in this game.
    OfProgram(&'a str),
    /// Those of the manifest that was named.
    OfManifest(&'a Path),
}

impl<'a> Leaves<'a> {
    /// Those of a manifest, or else of the program in this game.
    pub(crate) fn new(file: Option<&'a Path>, game: &'a str) -> Self {
        file.map_or(Leaves::OfProgram(game), Leaves::OfManifest)
    }
}

/// What to do about all leaves in these reports that are unknown, or differ in this game: said
/// once, not for each. `None` if there are no such leaves.
pub(crate) fn help<'r>(reports: impl IntoIterator<Item = &'r Report>, leaves: Leaves<'_>) -> Option<String> {
    let (mut unknown, mut refusing) = (BTreeMap::<&str, usize>::new(), BTreeSet::new());
    for it in reports.into_iter().flat_map(Report::diagnostics) {
        it.unknown_leaf().into_iter().for_each(|it| *unknown.entry(it).or_default() += 1);
        refusing.extend(Diagnostic::refused_by(it));
    }
    let places = |(leaf, count): (&&str, &usize)| match count {
        1 => format!("`{}`", plain(leaf)),
        _ => format!("`{}` ({count} times)", plain(leaf)),
    };
    let names = unknown.iter().map(places).collect::<Vec<_>>().join(", ");
    let s = if unknown.len() == 1 { "f" } else { "ves" };
    match leaves {
        Leaves::OfManifest(_) if unknown.is_empty() => None,
        Leaves::OfManifest(file) => Some(format!(
            "lea{s} not in `{}`: {names}. If the game has them now, write the file again with the game's own program: \
             `nodes --manifest`",
            shown(file)
        )),
        Leaves::OfProgram(_) if unknown.is_empty() && refusing.is_empty() => None,
        Leaves::OfProgram(game) => {
            let mut said = Vec::new();
            said.extend((!unknown.is_empty()).then(|| format!("unknown lea{s}: {names}")));
            let refusing: Vec<String> = refusing.iter().map(|it| format!("`{}`", plain(it))).collect();
            said.extend(match &refusing[..] {
                [] => None,
                [one] => Some(format!("{one} was read as the leaf of {game}")),
                all => Some(format!("{} were read as the leaves of {game}", all.join(", "))),
            });
            Some(format!("{}. To work with another game's trees, name its manifest {ADVICE}", said.join("; ")))
        }
    }
}
