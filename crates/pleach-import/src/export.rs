//! [`export`]: trees as XML of BehaviorTree.CPP, which Groot2 shows and edits, or as JSON.
//! [`BtLog`]: what an agent did, which Groot2 plays.

mod begin;
mod btcpp;
mod btlog;
mod expr;
mod json;
mod kept;
mod model;
mod own;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use pleach::Report as Problems;
use pleach::asset::Manifest;
use pleach::tools::ron::Document;

pub use self::btlog::BtLog;
use crate::place::{Place, Text};
use crate::report::{Line, Notes, Report};

/// What trees are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// XML of BehaviorTree.CPP 4.
    BtCpp,
    /// JSON in the form of [`Manifest::to_json_schema`].
    Json,
}

/// The result of an export.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Exported {
    /// The files to write, by their names.
    pub files: BTreeMap<String, String>,
    /// For each node without a direct counterpart in the target, what it became.
    pub report: Report,
}

/// Exports files by their names. The manifest has the kinds of leaves, and which of their
/// parameters are keys.
///
/// # Errors
/// A file is not RON.
pub fn export(trees: &BTreeMap<String, String>, manifest: &Manifest, to: Target) -> Result<Exported, Problems> {
    let (mut documents, mut texts) = (Vec::new(), Vec::new());
    for (name, text) in trees {
        documents.push((name, Document::read(name, text, "`Tree(version: 1, root: ..)`")?));
        texts.push(Text { name: name.clone(), text: text.clone() });
    }
    let mut notes = Notes::default();
    let mut files = BTreeMap::new();
    match to {
        Target::Json => {
            for (name, document) in &documents {
                files.insert(renamed(name, "json"), json::document(document, manifest));
            }
        }
        Target::BtCpp => {
            let ids = ids(&documents);
            let mut used = BTreeSet::new();
            for (file, (name, document)) in documents.iter().enumerate() {
                let mut add = |at: usize, line| notes.add(Place { file, at }, line);
                if let Some((xml, from)) = btcpp::document(name, document, manifest, &ids, &mut add) {
                    for missing in from.iter().filter(|it| !trees.contains_key(*it)) {
                        add(
                            0,
                            Line::Warning(format!(
                                "`{missing}`, from which it has templates, was not given: export it, too"
                            )),
                        );
                    }
                    used.extend(from);
                    files.insert(renamed(name, "xml"), xml);
                }
            }
            for (name, document) in documents.iter().filter(|it| used.contains(it.0)) {
                let xml = || btcpp::templates(name, document);
                files.entry(renamed(name, "xml")).or_insert_with(xml);
            }
        }
    }
    Ok(Exported { files, report: notes.report(&texts) })
}

/// A name for each tree. If two have one name, it is that of the file.
fn ids(documents: &[(&String, Document)]) -> BTreeMap<String, String> {
    let mut counts = BTreeMap::<String, usize>::new();
    for (name, document) in documents {
        *counts.entry(written::tree_name(name, document)).or_default() += 1;
    }
    let id = |(name, document): &(&String, Document)| {
        let id = written::tree_name(name, document);
        let id = if counts[&id] > 1 { name.trim_end_matches(".ron").to_owned() } else { id };
        ((*name).clone(), id)
    };
    documents.iter().map(id).collect()
}

fn renamed(name: &str, extension: &str) -> String {
    format!("{}.{extension}", name.strip_suffix(".ron").unwrap_or(name))
}
