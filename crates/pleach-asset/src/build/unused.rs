//! Warnings that need only the files: numbers without an effect, and unused keys, holes and
//! templates.

use super::files::Files;
use super::{amounts, lint};
use crate::Registry;
use crate::asset::{Asset, AssetTree};
use crate::finding::{FileAt, Finding};

use pleach_core::Host;

/// Warns of numbers without an effect.
pub(super) fn warnings_of_amounts(files: &Files<'_>) -> Vec<Finding> {
    of_each(files, amounts::warnings)
}

/// Warns of unused keys and holes, and of templates that are hidden.
pub(super) fn warnings_of_keys<H: Host>(files: &Files<'_>, registry: &Registry<H>) -> Vec<Finding> {
    let trees = files.iter().filter_map(|(at, it)| Some((at, it.asset, it.tree.as_ref()?)));
    let lenders = files.lenders();
    let unused = |(at, asset, tree): (FileAt, &Asset, &AssetTree<'_>)| {
        let mut findings = files.hiding(at);
        lint::keys::unused(tree, &|key| registry.is_key_of_game(asset.name(), key), &mut findings);
        // Others can use them.
        if tree.has_root && !lenders.contains(&at) {
            lint::keys::unused_templates(tree, &mut findings);
        }
        findings.into_iter().map(move |it| it.in_file(at))
    };
    trees.filter(|it| !files.is_standard(it.0)).flat_map(unused).collect()
}

fn of_each(files: &Files<'_>, each: impl Fn(&AssetTree<'_>) -> Vec<Finding>) -> Vec<Finding> {
    let trees = files.iter().filter_map(|(at, it)| Some((at, it.tree.as_ref()?)));
    trees.flat_map(|(at, tree)| each(tree).into_iter().map(move |it| it.in_file(at))).collect()
}
