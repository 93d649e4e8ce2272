//! `pleach diff`: what changed between two versions of trees, and what a reload keeps.

mod changes;
mod git;
mod side;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pleach::asset::{CheckOnly, Described};
use pleach::{Host, Registry};

use crate::args::{DiffArgs, Format};
use crate::failure::Failure;
use crate::files::{told, told_of_tree};
use crate::leaves;
use crate::paths::shown;
use crate::unknown::Leaves;
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
}

impl Compared {
    fn is_equal(&self) -> bool {
        matches!(&self.outcome, Outcome::Both(it) if it.are_none())
    }
}

pub(crate) fn diff<H: Host>(own: &Registry<H>, game: &str, args: &DiffArgs) -> Result<(), Failure> {
    let sides = side::sides(args).map_err(trouble)?;
    let compared = match &args.leaves {
        Some(file) => {
            let registry = leaves::registry(file, args.paths.iter().map(|it| &**it)).map_err(trouble)?;
            compare(&sides, &registry).map_err(|it| broken(&told_of_tree(&it, Leaves::OfManifest(file))))?
        }
        None => match compare(&sides, own) {
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
                compare(&sides, any).map_err(|it| broken(&failed(it)))?
            }
        },
    };
    match args.format {
        Format::Text => told::text(&compared)?,
        Format::Json => told::json(&compared)?,
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
fn compare<H: Host>([old, new]: &[Side; 2], registry: &Registry<H>) -> Result<Vec<Compared>, pleach::Report> {
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
        let old = of(old, key).filter(|_| was.contains_key(key));
        let new = of(new, key).filter(|_| is.contains_key(key));
        Compared { old, new, outcome }
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
