//! Whole imports, as users run them.

mod behaviour;
mod edited;
mod exports;
mod fuzz;
mod hostile;
mod originals;
mod played;
mod samples;
mod told;

use std::collections::BTreeMap;

use pleach::Library;
use pleach::asset::Manifest;
use pleach_import::{Imported, Options, import};

/// Imports one text.
fn import_one(name: &str, text: impl AsRef<[u8]>) -> Imported {
    import(&BTreeMap::from([(name.to_owned(), text.as_ref().to_vec())]), &Options::default())
}

/// The errors and warnings of `pleach check` for the output.
fn checked(imported: &Imported) -> String {
    let Some(leaves) = imported.files.get("game.leaves") else { return String::new() };
    let registry = match Manifest::parse("game.leaves", leaves) {
        Ok(manifest) => manifest.registry().expect("a manifest that was read"),
        Err(report) => return report.plain(),
    };
    let trees: BTreeMap<String, String> = imported
        .files
        .iter()
        .filter(|it| it.0.ends_with(".ron"))
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect();
    let names: Vec<String> = trees.keys().cloned().collect();
    Library::new(trees).check_files(&names, &registry).plain()
}
