//! Warnings that a file silences by `allow`, and an `allow` that is not needed.

use super::files::Files;
use crate::asset::AssetTree;
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::span::Span;

/// A code that is silenced in a part of a file.
struct Allowed {
    code: Code,
    /// Where the code is written.
    at: Span,
    /// Where it applies.
    within: Span,
    is_used: bool,
}

/// Removes the warnings that their files allow. If these are `all` the warnings there are, adds one
/// for each `allow` that is not needed.
pub(super) fn without_allowed(files: &Files<'_>, warnings: Vec<Finding>, all: bool) -> Vec<Finding> {
    let of = |(at, tree)| (at, allowed(tree));
    let read = files.iter().filter(|it| !files.is_standard(it.0));
    let mut allowed: Vec<(FileAt, Vec<Allowed>)> =
        read.filter_map(|(at, it)| Some(of((at, it.tree.as_ref()?)))).filter(|it| !it.1.is_empty()).collect();
    if allowed.is_empty() {
        return warnings;
    }
    let mut told: Vec<Finding> = warnings.into_iter().filter(|it| !silences(&mut allowed, it)).collect();
    if all {
        let mut idle = Vec::new();
        for (file, of) in &allowed {
            for (at, it) in of.iter().enumerate() {
                let number = it.code.number();
                let finding = |message| Finding::new(Code::AllowsNothing, it.at, message).in_file(*file);
                // Enclosing ones, and earlier ones in its list, come before it.
                let around = of[..at].iter().find(|other| other.code == it.code && other.within.contains(it.within));
                let finding = match around {
                    Some(other) => finding(format!("this `allow` is not needed: {number} is allowed here already"))
                        .also(other.at, "by this"),
                    None if it.is_used || depends_on_others(it.code) => continue,
                    None => finding(format!("this `allow` silences nothing: no {number} comes here or below")),
                };
                idle.push(finding.help("take it out"));
            }
        }
        told.extend(idle.into_iter().filter(|it| !silences(&mut allowed, it)));
    }
    told
}

/// Whether a warning is allowed where it is; marks the `allow` used.
fn silences(allowed: &mut [(FileAt, Vec<Allowed>)], it: &Finding) -> bool {
    let here = allowed.iter_mut().filter(|(at, _)| *at == it.file.unwrap_or_default()).flat_map(|of| &mut of.1);
    let mut is_silent = false;
    for allowed in here.filter(|of| of.code == it.code && of.within.contains(it.span)) {
        allowed.is_used = true;
        is_silent = true;
    }
    is_silent
}

/// Whether a warning depends on other trees, which are not always checked.
fn depends_on_others(code: Code) -> bool {
    matches!(code, Code::SharedDiffers | Code::KeyOfNoTree | Code::AllowsNothing)
}

/// What a file allows, disabled nodes aside.
fn allowed(tree: &AssetTree<'_>) -> Vec<Allowed> {
    let nodes = tree.enabled().map(|it| it.rest()).map(|it| (&it.allow, it.whole));
    let of_file = (&tree.allow, Span { start: 0, end: u32::MAX });
    let entry = |within| {
        move |it: &crate::span::Word<'_>| {
            Some(Allowed { code: Code::of(it.text)?, at: it.span, within, is_used: false })
        }
    };
    [of_file].into_iter().chain(nodes).flat_map(|(codes, within)| codes.iter().filter_map(entry(within))).collect()
}
