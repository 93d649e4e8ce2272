//! Loads the output of an import as the game will: errors are reported at their places.

use std::collections::BTreeMap;

use pleach::asset::{Manifest, Severity, format_str};
use pleach::{Library, Report};

use crate::place::Place;
use crate::report::{Line, Notes};
use crate::ron::Marked;
use crate::write::LEAVES;

/// The files, in the style of `pleach fmt`; those of these names are loaded to check them. A file
/// that pleach cannot read is reported, and not written.
pub(crate) fn verified(
    files: BTreeMap<String, Marked>,
    checked: &[String],
    notes: &mut Notes,
) -> BTreeMap<String, String> {
    let mut formatted = BTreeMap::new();
    let mut read = BTreeMap::new();
    for (name, written) in &files {
        match format_str(name, &written.text) {
            Ok(text) => {
                formatted.insert(name.clone(), text);
                if name != LEAVES {
                    read.insert(name.clone(), written.text.clone());
                }
            }
            Err(report) => tell(&report, &files, "cannot be written", notes),
        }
    }
    let Some(leaves) = files.get(LEAVES).filter(|_| !read.is_empty()) else { return formatted };
    let manifest = match Manifest::parse(LEAVES, &leaves.text) {
        Ok(it) => it.registry().map_err(|error| error.to_string()),
        Err(report) => {
            tell(&report, &files, "does not load", notes);
            return formatted;
        }
    };
    match manifest {
        Ok(mut registry) => {
            // A profile may name leaves of the game that the imported files do not.
            registry.allow_any_leaf(true);
            let names: Vec<String> = checked.iter().filter(|it| read.contains_key(*it)).cloned().collect();
            tell(&Library::new(read).check_files(&names, &registry), &files, "does not load", notes);
        }
        Err(why) => notes.add(Place::default(), Line::Error(format!("`{LEAVES}` does not load: {why}"))),
    }
    formatted
}

/// Reports the errors of a report, each at the original place of its part of the file.
fn tell(report: &Report, files: &BTreeMap<String, Marked>, what: &str, notes: &mut Notes) {
    for it in report.diagnostics().iter().filter(|it| it.severity() == Severity::Error) {
        let at = files.get(it.file()).and_then(|file| file.place(it.span().start)).unwrap_or_default();
        let message = format!("what is written for it in `{}` {what}: {} ({})", it.file(), it.message(), it.code());
        notes.refused(at, message);
    }
}
