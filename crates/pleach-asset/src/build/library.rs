//! Makes trees from files that include each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach_core::{Host, Tree};

use super::lint::Warnings;
use super::place::Place;
use super::shared::Shared;
use super::unused::{warnings_of_amounts, warnings_of_keys};
use super::{Alone, Files, is_sure, with_places, without_allowed};
use crate::Registry;
use crate::code::Code;
use crate::finding::{FileAt, Finding, Findings};
use crate::report::{Report, SourceFile, place_of};
use crate::span::{Span, narrow};
use crate::suggest::{Advice, suggest};

/// What was found out about some files.
pub(crate) struct Checked<H: Host> {
    /// The tree of each entry; `None` if it has errors.
    pub(crate) trees: Vec<Option<Tree<H>>>,
    /// The errors, and with `warn` the warnings.
    pub(crate) report: Report,
}

/// What to warn about.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Warn {
    /// Nothing.
    Never,
    /// What these files say.
    OfFiles,
    /// Also what no file has: these are all the files there are.
    OfAll,
}

/// Called for each tree without errors, with all files and the index of the tree's own file. It can
/// report further problems.
pub(crate) type Right<'f> = dyn FnMut(&Files<'_>, FileAt) -> Result<(), Findings> + 'f;

/// Makes a tree of each entry, or of each file that no other includes. `findings` are the problems
/// already known; `right` is called for each tree without errors, and may find more.
pub(crate) fn check_files<H: Host>(
    about: &str,
    mut files: Files<'_>,
    entries: Option<&[FileAt]>,
    registry: &Registry<H>,
    mut findings: Findings,
    warn: Warn,
    right: &mut Right<'_>,
) -> Checked<H> {
    let all: Vec<FileAt> = files.iter().map(|it| it.0).collect();
    let includers = files.link(entries.unwrap_or(&all), &mut findings);
    let is_top = |it: &FileAt| files.is_read(*it) && includers.get(*it as usize).is_some_and(Option::is_none);
    let tops: Vec<FileAt> = all.iter().copied().filter(is_top).collect();
    let mut warnings = Warnings::default();
    let mut shared = Shared::default();
    let mut trees = Vec::new();
    // Whether all is said of each tree.
    let mut is_all = true;
    // Only what makes a tree of a file needs it whole.
    let alone = if warn == Warn::Never || entries.is_some() { Alone::Refused } else { Alone::Checked };
    let is_part = |it: FileAt| files.is_part(it);
    // Of many files, those that are only parts of trees are left out.
    let leaves_out = entries.is_none() && alone == Alone::Refused && !tops.iter().all(|it| is_part(*it));
    for &entry in entries.unwrap_or(&tops).iter().filter(|it| !(leaves_out && is_part(**it))) {
        trees.push(match with_places(&files, entry, registry, Findings::of_files(), alone) {
            Ok((tree, places)) => {
                let mut of_tree = places.iter().filter_map(Place::included).chain([entry]);
                let mut is_right = !of_tree.any(|it| findings.is_about(it));
                if is_right && let Err(found) = right(&files, entry) {
                    findings.append(found);
                    is_right = false;
                }
                if is_right && warn != Warn::Never {
                    [entry]
                        .into_iter()
                        .chain(places.iter().filter_map(Place::included))
                        .for_each(|it| shared.add(&files, it));
                    let sure = is_sure(&places, registry);
                    is_all &= sure;
                    warnings.add(&files, &tree, &places, sure);
                }
                is_right.then_some(tree)
            }
            Err(found) => {
                findings.append(found);
                None
            }
        });
    }
    let mut sources = sources(&files, &includers);
    if warn != Warn::Never {
        let mut all = warnings_of_keys(&files, registry);
        all.extend(warnings.agreed(&files));
        all.extend(shared.into_findings());
        all.retain(|it| !findings.is_about(it.file.unwrap_or_default()));
        all.extend(warnings_of_amounts(&files));
        if warn == Warn::OfAll {
            // They are in no file.
            let of_all = narrow(sources.len());
            all.extend(keys_of_no_tree(&files, &tops, registry).into_iter().map(|it| it.in_file(of_all)));
            sources.push(Arc::new(SourceFile { name: about.into(), source: "".into(), included: None }));
        }
        let is_all = is_all && findings.is_empty();
        findings.warn(without_allowed(&files, all, is_all));
    }
    Checked { trees, report: Report::of_files(&about.into(), &sources, findings) }
}

/// Keys that the game relies on in trees of a name that no file has. None if a file cannot be read:
/// its tree may have that name.
fn keys_of_no_tree<H: Host>(files: &Files<'_>, tops: &[FileAt], registry: &Registry<H>) -> Vec<Finding> {
    if !files.iter().all(|it| files.is_read(it.0)) {
        return Vec::new();
    }
    let names: BTreeSet<&str> = files.iter().map(|it| it.1.asset.name()).collect();
    // Parts of trees are not asked for keys.
    let trees = || tops.iter().filter_map(|it| Some(files.get(*it)?.asset.name()));
    let needed: BTreeSet<&str> = registry.key_needs().filter_map(|it| it.0).collect();
    let unknown = |it: &str| {
        let message = format!("keys are declared for the tree `{it}`, but no file here has that name");
        Finding::new(Code::KeyOfNoTree, Span::default(), message)
            .maybe_help(suggest(it, trees()).map(Advice::without_edit))
    };
    needed.difference(&names).map(|it| unknown(it)).collect()
}

/// The files of a report, with the includes of each.
fn sources(files: &Files<'_>, includers: &[Option<(FileAt, Span)>]) -> Vec<Arc<SourceFile>> {
    let plain = |at: FileAt| files.get(at).map(|it| (&it.asset.file, &it.asset.source));
    let source = |at: FileAt| {
        plain(at).map(|(name, source)| SourceFile { name: name.clone(), source: source.clone(), included: None })
    };
    let included = |at: FileAt| {
        const SHOWN: usize = 8;
        let next = |(at, _): &(FileAt, Span)| includers.get(*at as usize).copied().flatten();
        let chain = std::iter::successors(includers.get(at as usize).copied().flatten(), next);
        let mut chain: Vec<String> =
            chain.take(SHOWN + 1).filter_map(|(at, span)| Some(place_of(&source(at)?, span))).collect();
        if chain.len() > SHOWN {
            chain[SHOWN] = "others".into();
        }
        (!chain.is_empty()).then(|| chain.join(", and that by "))
    };
    let file = |(at, _)| source(at).map(|it| Arc::new(SourceFile { included: included(at), ..it }));
    files.iter().filter_map(file).collect()
}
