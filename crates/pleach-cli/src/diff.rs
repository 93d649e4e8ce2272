//! `pleach diff`: what changed between two versions of trees, and what a reload keeps.

#[cfg(test)]
mod fuzz;
mod git;
mod picture;
mod side;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use pleach::asset::{CheckOnly, Described, Diagnostic, Severity};
use pleach::{Host, Registry, Report};
use pleach_studio_core::changes::{self, TreeChanges};

use crate::args::{DiffArgs, Format};
use crate::failure::{Failure, say};
use crate::files::told;
use crate::paint::{RESET, STRONG};
use crate::paths::shown;
use crate::unknown::{self, Leaves};
use crate::{leaves, output};
use side::Side;

/// All trees, by what they are called on both sides.
type Trees = BTreeMap<String, Compared>;

/// What happened to a tree.
enum Outcome {
    /// One version lacks the tree. The other version has this many nodes.
    Added(usize),
    Removed(usize),
    Both(TreeChanges),
    /// The old version has errors, or the new one.
    Broken([Option<Report>; 2]),
}

/// A tree of the versions.
struct Compared {
    /// The file's name in each version that has it.
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

    fn is_broken(&self) -> bool {
        self.reports().next().is_some()
    }

    /// What is wrong with it.
    fn reports(&self) -> impl Iterator<Item = &Report> {
        let reports = if let Outcome::Broken(it) = &self.outcome { &it[..] } else { &[] };
        reports.iter().flatten()
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
    let mut all = match &args.leaves {
        Some(file) => {
            let registry = leaves::registry(file, args.paths.iter().map(|it| &**it)).map_err(trouble)?;
            compare(&sides, &registry, args.svg)
        }
        None => compare(&sides, own, args.svg),
    };
    if args.leaves.is_none() && all.values().any(Compared::is_broken) {
        // Trees of another game are compared too: their leaves are identified by name.
        let mut any = Registry::<CheckOnly>::new();
        let any = any.allow_any_leaf(true).allow_any_event(true);
        all = of_any_game(all, compare(&sides, any, args.svg));
    }
    let compared: Vec<Compared> = all.into_values().collect();
    let is_broken = tell(&compared, Leaves::new(args.leaves.as_deref(), game));
    if is_broken && sides.iter().all(|it| !it.is_found) {
        return Err(Failure::Usage("a tree has errors, so there is nothing to compare".into()));
    }
    let picture = || compared.iter().filter_map(|it| it.picture.as_deref()).collect();
    let text = match args.format {
        _ if args.svg => picture(),
        Format::Text => told::text(&compared),
        Format::Json => told::json(&compared),
    };
    match output {
        Some(path) => output::write(path, anstream::adapter::strip_str(&text).to_string())?,
        // Text may have colours; output for programs is unchanged.
        None if args.svg || args.format == Format::Json => std::io::stdout().lock().write_all(text.as_bytes())?,
        None => anstream::stdout().lock().write_all(text.as_bytes())?,
    }
    if compared.iter().all(Compared::is_equal) { Ok(()) } else { Err(Failure::Problems) }
}

/// A failed comparison does not count as a difference.
fn trouble(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(why) => Failure::Usage(why),
        Failure::Problems => Failure::Usage("the manifest has errors, so nothing is compared".into()),
        other => other,
    }
}

/// Prints the reports of trees with errors, each once. Returns whether there are any.
fn tell(compared: &[Compared], leaves: Leaves<'_>) -> bool {
    let reports: Vec<&Report> = compared.iter().flat_map(Compared::reports).collect();
    let mut told_before = BTreeSet::new();
    for it in &reports {
        if told_before.insert(it.plain()) {
            told(it);
        }
    }
    if let Some(help) = unknown::help(reports.iter().copied(), leaves) {
        say(format_args!("\n{STRONG}help:{RESET} {help}"));
    }
    !reports.is_empty()
}

/// The trees as this game reads them. A tree that has errors in this game is taken as any game
/// reads it.
fn of_any_game(mut own: Trees, any: Trees) -> Trees {
    let knows_leaves = |it: &Report| it.diagnostics().iter().all(|it| it.unknown_leaf().is_none());
    let chosen = |(key, any): (String, Compared)| {
        let own = own.remove(&key);
        // If it has errors in any game, those of this game say more, unless its leaves are unknown.
        let own = own.filter(|own| !own.is_broken() || any.is_broken() && own.reports().all(knows_leaves));
        (key, own.unwrap_or(any))
    };
    any.into_iter().map(chosen).collect()
}

/// Compares all trees.
fn compare<H: Host>(sides: &[Side; 2], registry: &Registry<H>, is_drawn: bool) -> Trees {
    let [mut was, mut is] = sides.each_ref().map(|it| Version::of(it, registry));
    was.leave_out(&is.included);
    is.leave_out(&was.included);
    let keys: BTreeSet<&str> = [&was, &is].into_iter().flat_map(Version::keys).collect();
    let of = |side: &Side, key: &str| {
        let name = side.trees.get(key)?;
        Some(shown(Path::new(&side.library.source().shown(name))))
    };
    let mut one = |key: &str| {
        let broken = [was.broken.remove(key), is.broken.remove(key)];
        let (old, new) = (was.trees.get(key), is.trees.get(key));
        let are_there = [old.is_some() || broken[0].is_some(), new.is_some() || broken[1].is_some()];
        let outcome = match (old, new) {
            _ if broken.iter().any(Option::is_some) => Outcome::Broken(broken),
            (Some(old), Some(new)) => Outcome::Both(changes::of(old, new)),
            (Some(old), None) => Outcome::Removed(old.tree().len()),
            (None, new) => Outcome::Added(new.map_or(0, |it| it.tree().len())),
        };
        let [old_name, new_name] = [0, 1].map(|at| of(&sides[at], key).filter(|_| are_there[at]));
        let mut compared = Compared { old: old_name, new: new_name, outcome, picture: None };
        compared.picture = (is_drawn && !compared.is_broken()).then(|| picture::of(old, new, &compared));
        (key.to_owned(), compared)
    };
    keys.into_iter().map(&mut one).collect()
}

/// The trees of a version. A file that others include is compared within them, and a file that is
/// not a tree by itself is left out.
struct Version<'s, H: Host> {
    trees: BTreeMap<&'s str, Described<H>>,
    /// Those with errors.
    broken: BTreeMap<&'s str, Report>,
    /// The files that trees include.
    included: BTreeSet<&'s str>,
}

impl<'s, H: Host> Version<'s, H> {
    fn of(side: &'s Side, registry: &Registry<H>) -> Self {
        let (mut trees, mut broken) = (BTreeMap::new(), BTreeMap::new());
        for (key, name) in &side.trees {
            match side.library.describe(name, registry) {
                Ok(it) => _ = trees.insert(&**key, it),
                Err(report) => _ = broken.insert(&**key, report),
            }
        }
        if !side.is_found {
            return Version { trees, broken, included: BTreeSet::new() };
        }
        let files: BTreeSet<&str> =
            trees.values().flat_map(|it| it.tree().instances()).filter_map(|it| it.file()).collect();
        let is_included = |name: &str| files.contains(&*side.library.source().shown(name));
        let included: BTreeSet<&str> = side.trees.iter().filter(|it| is_included(it.1)).map(|it| &**it.0).collect();
        let is_error = |it: &Diagnostic| it.severity() == Severity::Error;
        let is_part = |key: &str| {
            let alone = side.library.check_files(std::slice::from_ref(&side.trees[key]), registry);
            !alone.diagnostics().iter().any(is_error)
        };
        broken.retain(|key, _| !included.contains(key) && !is_part(key));
        trees.retain(|key, _| !included.contains(key));
        Version { trees, broken, included }
    }

    fn keys(&self) -> impl Iterator<Item = &'s str> {
        self.trees.keys().chain(self.broken.keys()).copied()
    }

    /// Leaves out files that the other version includes if a tree has errors here: it probably
    /// includes them, too.
    fn leave_out(&mut self, included: &BTreeSet<&str>) {
        if !self.broken.is_empty() {
            self.trees.retain(|key, _| !included.contains(key));
            self.broken.retain(|key, _| !included.contains(key));
        }
    }
}
