//! Which top-level module of a crate uses which: by the paths from the crate's root (`crate::…`,
//! `super::…`) in its files, in `use` lines and elsewhere, macros included.
//!
//! A name that the root re-exports counts for the module that it comes from. Re-exports are not
//! arrows, nor is code that is compiled only for tests.

mod paths;

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::graph::{Graph, Site};
use super::source::Source;
use paths::{Path, declared, paths};

/// Upward arrows that may stay: methods that people look for on a type although the work is done
/// above it. Package, user, used, reason. Keep it short.
const FACADES: [(&str, &str, &str, &str); 3] = [
    ("pleach-asset", "asset", "build", "`Asset::build`: users look for it on the asset"),
    ("pleach-asset", "asset", "read", "`Asset::parse` makes one"),
    ("pleach-asset", "asset", "write", "`Asset::to_ron`"),
];

/// The name of a crate's root in its graph.
fn root_name(path: &str) -> Option<&'static str> {
    match path {
        "lib.rs" => Some("lib"),
        "main.rs" => Some("main"),
        _ => None,
    }
}

/// The modules of the crate whose sources these are.
pub(super) fn graph(package: &str, folder: &str, sources: &[&Source], findings: &mut Vec<Finding>) -> Graph {
    let mut files: Vec<(Vec<String>, &Source, Vec<Path>)> = Vec::new();
    let mut roots = Vec::new();
    for source in sources {
        let file = &source.path[folder.len()..];
        let module: Vec<String> = match root_name(file) {
            Some(name) => {
                roots.push((name, *source));
                Vec::new()
            }
            None => file.trim_end_matches(".rs").split('/').map(str::to_owned).collect(),
        };
        let found = paths(&source.shipped(), &module);
        files.push((module, source, found));
    }
    // Modules in their own files that no shipped code declares are for tests.
    let known: BTreeSet<Vec<String>> = {
        let shipped = files.iter().flat_map(|(module, source, _)| declared(&source.shipped(), module));
        shipped.chain([Vec::new()]).collect()
    };
    let tests_only = |module: &[String]| (1..=module.len()).any(|end| !known.contains(&module[..end]));
    files.retain(|(module, ..)| !tests_only(module));

    let names = Names::new(&files, &known);
    let mut modules: BTreeSet<String> = known.iter().filter_map(|it| it.first().cloned()).collect();
    let mut arrows: BTreeMap<(String, String), Vec<Site>> = BTreeMap::new();
    for (module, source, found) in &files {
        let root = root_name(&source.path[folder.len()..]);
        let from = module.first().cloned().unwrap_or_else(|| root.expect("a file without a module is a root").into());
        modules.insert(from.clone());
        for path in found.iter().filter(|it| !(it.exported && root.is_some())) {
            let Some(to) = names.module(path, roots[0].0) else { continue };
            // A root that names its own items needs no other module.
            if to == from || (root.is_some() && root_name(&format!("{to}.rs")).is_some()) {
                continue;
            }
            let site = Site { path: source.path.clone(), line: path.line, name: path.segments.join("::") };
            arrows.entry((from.clone(), to)).or_default().push(site);
        }
    }
    let mut facades = Vec::new();
    for (_, from, to, reason) in FACADES.into_iter().filter(|it| it.0 == package) {
        if arrows.remove(&(from.to_owned(), to.to_owned())).is_some() {
            facades.push((from, to, reason));
        } else {
            let what = format!("the upward arrow from `{from}` to `{to}` of {package} may stay, but is not there");
            findings.push(Finding::new("xtask/src/checks/tidy/modules.rs", 1, what, "take it out of `FACADES`"));
        }
    }
    Graph::new(modules, arrows, facades)
}

/// The meaning of the names in the root of a crate.
struct Names {
    modules: BTreeSet<String>,
    /// Name -> the top-level module that it comes from.
    imported: BTreeMap<String, String>,
}

impl Names {
    fn new(files: &[(Vec<String>, &Source, Vec<Path>)], known: &BTreeSet<Vec<String>>) -> Self {
        let modules: BTreeSet<String> = known.iter().filter_map(|it| it.first().cloned()).collect();
        let mut imported = BTreeMap::new();
        for path in files.iter().filter(|it| it.0.is_empty()).flat_map(|it| &it.2) {
            if let Some(name) = &path.imported_as
                && modules.contains(&path.segments[0])
            {
                imported.insert(name.clone(), path.segments[0].clone());
            }
        }
        Self { modules, imported }
    }

    /// The module that a path from the root leads to; the root itself for what is defined there.
    fn module(&self, path: &Path, root: &str) -> Option<String> {
        let first = &path.segments[0];
        if self.modules.contains(first) {
            return Some(first.clone());
        }
        if path.relative {
            return None;
        }
        Some(self.imported.get(first).cloned().unwrap_or_else(|| root.into()))
    }
}
