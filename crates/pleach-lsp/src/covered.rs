//! What `pleach test --coverage-json coverage.json` has told of a tree.

use std::collections::{BTreeMap, HashSet};

use pleach::tools::included_name;
use serde_json::Value as Json;

use crate::files;
use crate::uri;

/// The file that is looked for, beside a tree and in the folders above it.
const FILE: &str = "coverage.json";

/// How many folders above.
const MOST_LEVELS: usize = 16;

/// How many of the nodes that are written in a file were started, and how many there are. `None` if
/// nothing is known of it.
pub(crate) fn nodes(name: &str) -> Option<(usize, usize)> {
    let folders = name.rmatch_indices('/').map(|it| &name[..=it.0]).take(MOST_LEVELS);
    folders.filter_map(|folder| counted(&format!("{folder}{FILE}"), name)).next()
}

/// The same of one file of coverage, which may be anything.
fn counted(coverage: &str, name: &str) -> Option<(usize, usize)> {
    let told: Json = serde_json::from_slice(&files::read(&uri::path(coverage)).ok()?).ok()?;
    if told["version"] != 1 {
        return None;
    }
    // A node of a part stands in each tree that includes it: it is one, and was started in any. Its
    // step has a place among the children of who includes it, which is none of its own.
    let mut nodes: BTreeMap<(u64, &str), bool> = BTreeMap::new();
    for tree in told["trees"].as_array()? {
        let is_ours = |file: &str| file == name || included_name(coverage, file).is_some_and(|it| it == name);
        let ours = |it: &&Json| it["file"].as_str().is_some_and(is_ours);
        let ours: Vec<&Json> = tree["nodes"].as_array().into_iter().flatten().filter(ours).collect();
        let paths: HashSet<&str> = ours.iter().filter_map(|it| it["path"].as_str()).collect();
        for node in ours {
            let (Some(line), Some(path)) = (node["line"].as_u64(), node["path"].as_str()) else { continue };
            let (parent, step) = path.rsplit_once('/').unwrap_or(("", path));
            let step = if paths.contains(parent) { step } else { step.split('[').next().unwrap_or_default() };
            *nodes.entry((line, step)).or_default() |= node["started"].as_u64().is_some_and(|it| it > 0);
        }
    }
    (!nodes.is_empty()).then(|| (nodes.values().filter(|it| **it).count(), nodes.len()))
}
