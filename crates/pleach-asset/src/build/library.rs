//! From files that include each other to trees.

use std::sync::Arc;

use pleach_core::{Host, Tree};

use super::lint::Warnings;
use super::place::Place;
use super::shared::Shared;
use super::{Files, is_sure, warnings_of_amounts, warnings_of_keys, with_places};
use crate::Registry;
use crate::finding::{FileAt, Findings};
use crate::report::{Report, SourceFile, place_of};
use crate::span::Span;

/// What was found out about some files.
pub(crate) struct Checked<H: Host> {
    /// The tree of each entry; `None` if anything is wrong with it.
    pub(crate) trees: Vec<Option<Tree<H>>>,
    /// What is wrong, and with `warn` what is probably not meant.
    pub(crate) report: Report,
}

/// Makes a tree of each entry, or of each file that no other includes. `findings` is what is known
/// to be wrong; `right` is told of each tree that is, and may find something more.
pub(crate) fn check_files<H: Host>(
    about: &str,
    mut files: Files<'_>,
    entries: Option<&[FileAt]>,
    registry: &Registry<H>,
    mut findings: Findings,
    warn: bool,
    right: &mut dyn FnMut(&Files<'_>, FileAt) -> Result<(), Findings>,
) -> Checked<H> {
    let all: Vec<FileAt> = files.iter().map(|it| it.0).collect();
    let includers = files.link(entries.unwrap_or(&all), &mut findings);
    let is_top = |it: &FileAt| files.is_read(*it) && includers.get(*it as usize).is_some_and(Option::is_none);
    let tops: Vec<FileAt> = all.iter().copied().filter(is_top).collect();
    let mut warnings = Warnings::default();
    let mut shared = Shared::default();
    let mut trees = Vec::new();
    for &entry in entries.unwrap_or(&tops) {
        trees.push(match with_places(&files, entry, registry, Findings::of_files()) {
            Ok((tree, places)) => {
                let mut of_tree = places.iter().filter_map(Place::included).chain([entry]);
                let mut is_right = !of_tree.any(|it| findings.is_about(it));
                if is_right && let Err(found) = right(&files, entry) {
                    findings.append(found);
                    is_right = false;
                }
                if is_right && warn {
                    [entry]
                        .into_iter()
                        .chain(places.iter().filter_map(Place::included))
                        .for_each(|it| shared.add(&files, it));
                    warnings.add(&files, &tree, &places, is_sure(&places, registry));
                }
                is_right.then_some(tree)
            }
            Err(found) => {
                findings.append(found);
                None
            }
        });
    }
    if warn {
        let mut all = warnings_of_keys(&files, registry);
        all.extend(warnings.agreed());
        all.extend(shared.into_findings());
        all.retain(|it| !findings.is_about(it.file.unwrap_or_default()));
        all.extend(warnings_of_amounts(&files));
        findings.warn(all);
    }
    let sources = sources(&files, &includers);
    Checked { trees, report: Report::of_files(&about.into(), &sources, findings) }
}

/// The files of a report, with who includes them.
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
