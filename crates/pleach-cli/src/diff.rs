//! `pleach diff`: what changed between two versions of trees, and what a reload keeps.

mod changes;
#[cfg(test)]
mod fuzz;
mod git;
mod picture;
mod side;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use pleach::asset::{CheckOnly, Described};
use pleach::{Host, Registry};

use crate::args::{DiffArgs, Format};
use crate::failure::Failure;
use crate::files::{told, told_of_tree};
use crate::paths::shown;
use crate::unknown::Leaves;
use crate::{leaves, output};
use changes::TreeChanges;
use side::Side;

/// What became of a tree.
enum Outcome {
    /// One version lacks the tree. The other version has this many nodes.
    Added(usize),
    Removed(usize),
    Both(TreeChanges),
}

/// A tree of the versions.
struct Compared {
    /// What the file is called in each version that has it.
    old: Option<String>,
    new: Option<String>,
    outcome: Outcome,
    /// An SVG picture, if one is wanted.
    picture: Option<String>,
}

impl Compared {
    fn is_equal(&self) -> bool {
        matches!(&self.outcome, Outcome::Both(it) if it.are_none())
    }
}

pub(crate) fn diff<H: Host>(own: &Registry<H>, game: &str, args: &DiffArgs) -> Result<(), Failure> {
    let output = args.output.as_deref().filter(|it| *it != Path::new("-"));
    if let Some(output) = output {
        let extension = match args.format {
            _ if args.svg => "svg",
            Format::Text => "txt",
            Format::Json => "json",
        };
        output::refuse_trees(output, None, extension)?;
    }
    let sides = side::sides(args).map_err(trouble)?;
    if args.svg && sides.iter().any(|it| it.is_found) {
        let one = "a picture shows one tree: name two files, or one file with --git";
        return Err(Failure::Usage(one.into()));
    }
    let compared = match &args.leaves {
        Some(file) => {
            let registry = leaves::registry(file, args.paths.iter().map(|it| &**it)).map_err(trouble)?;
            compare(&sides, &registry, args.svg).map_err(|it| broken(&told_of_tree(&it, Leaves::OfManifest(file))))?
        }
        None => match compare(&sides, own, args.svg) {
            Ok(compared) => compared,
            Err(report) => {
                // Trees of another game are compared too: their leaves are known by their names.
                let mut any = Registry::<CheckOnly>::new();
                let any = any.allow_any_leaf(true).allow_any_event(true);
                let is_unknown = report.diagnostics().iter().any(|it| it.unknown_leaf().is_some());
                let failed = |it| match is_unknown {
                    true => told(&it),
                    false => told_of_tree(&report, Leaves::OfProgram(game)),
                };
                compare(&sides, any, args.svg).map_err(|it| broken(&failed(it)))?
            }
        },
    };
    let picture = || compared.iter().filter_map(|it| it.picture.as_deref()).collect();
    let text = match args.format {
        _ if args.svg => picture(),
        Format::Text => told::text(&compared),
        Format::Json => told::json(&compared),
    };
    match output {
        Some(path) => output::write(path, anstream::adapter::strip_str(&text).to_string())?,
        // A text may have colours; what programs read stays as it is.
        None if args.svg || args.format == Format::Json => std::io::stdout().lock().write_all(text.as_bytes())?,
        None => anstream::stdout().lock().write_all(text.as_bytes())?,
    }
    if compared.iter().all(Compared::is_equal) { Ok(()) } else { Err(Failure::Problems) }
}

/// A failed comparison does not count as a difference.
fn trouble(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(why) => Failure::Usage(why),
        Failure::Problems => broken(&failure),
        other => other,
    }
}

/// What was told of a tree leaves nothing to compare.
fn broken(_: &Failure) -> Failure {
    Failure::Usage("a tree has errors, so there is nothing to compare".into())
}

/// Compares all trees, in the order of their names.
fn compare<H: Host>(
    [old, new]: &[Side; 2],
    registry: &Registry<H>,
    is_drawn: bool,
) -> Result<Vec<Compared>, pleach::Report> {
    let (was, is) = (described(old, registry)?, described(new, registry)?);
    let keys: BTreeSet<&str> = was.keys().chain(is.keys()).copied().collect();
    let of = |side: &Side, key: &str| {
        let name = side.trees.get(key)?;
        Some(shown(Path::new(&side.library.source().shown(name))))
    };
    let one = |key: &str| {
        let outcome = match (was.get(key), is.get(key)) {
            (Some(old), Some(new)) => Outcome::Both(changes::of(old, new)),
            (Some(old), None) => Outcome::Removed(old.tree().len()),
            (None, new) => Outcome::Added(new.map_or(0, |it| it.tree().len())),
        };
        let (was, is) = (was.get(key), is.get(key));
        let [old, new] = [of(old, key).filter(|_| was.is_some()), of(new, key).filter(|_| is.is_some())];
        let mut compared = Compared { old, new, outcome, picture: None };
        compared.picture = is_drawn.then(|| picture::of(was, is, &compared));
        compared
    };
    Ok(keys.into_iter().map(one).collect())
}

/// The trees of a version. Of those that were found, what is included by others is compared within
/// them, and what is no tree by itself is left out.
fn described<'s, H: Host>(
    side: &'s Side,
    registry: &Registry<H>,
) -> Result<BTreeMap<&'s str, Described<H>>, pleach::Report> {
    let mut all = BTreeMap::new();
    let mut failed = Vec::new();
    for (key, name) in &side.trees {
        match side.library.describe(name, registry) {
            Ok(it) => _ = all.insert(&**key, it),
            Err(report) => failed.push((name, report)),
        }
    }
    let included: BTreeSet<String> = match side.is_found {
        true => all.values().flat_map(|it| it.tree().instances()).filter_map(|it| it.file().map(Into::into)).collect(),
        false => BTreeSet::new(),
    };
    let is_included = |name: &str| included.contains(&side.library.source().shown(name));
    for (name, report) in failed {
        let is_part = || {
            side.is_found
                && side
                    .library
                    .check_files(std::slice::from_ref(name), registry)
                    .diagnostics()
                    .iter()
                    .all(|it| it.severity() != pleach::asset::Severity::Error)
        };
        if !is_included(name) && !is_part() {
            return Err(report);
        }
    }
    all.retain(|key, _| side.trees.get(*key).is_none_or(|it| !is_included(it)));
    Ok(all)
}
