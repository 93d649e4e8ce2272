//! What the cases of a run did in their trees, and in which trees they did nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pleach::Host;
use pleach_draw::Drawing;

use super::cases::{Case, Covered, Known};
use crate::args::TestArgs;
use crate::coverage::{Coverage, NodeCoverage, TreeCoverage, head, nodes, place, table};
use crate::failure::Failure;
use crate::files::{self, TreeFile};
use crate::paint::{BAD, GOOD, RESET};
use crate::paths::{canonical, shown};
use crate::stage;
use crate::words::plural;

/// Prints and writes what was covered, as the arguments ask. Returns whether it is enough.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn report<H: Host>(
    cases: &[Case],
    known: &Known<'_, H>,
    args: &TestArgs,
    say: &mut dyn FnMut(&str) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let least = if args.all_nodes { Some(100.0) } else { args.fail_under };
    if !args.coverage.is_wanted() && least.is_none() {
        return Ok(true);
    }
    // By canonical paths: cases name a tree relative to themselves.
    let mut trees: BTreeMap<PathBuf, (PathBuf, Vec<NodeCoverage>)> = BTreeMap::new();
    let mut included: BTreeSet<PathBuf> = BTreeSet::new();
    for Covered { tree, seen, paths, includes } in cases.iter().filter_map(|it| it.ended.covered()) {
        included.extend(includes.iter().map(|it| canonical(Path::new(it))));
        let (_, nodes) = trees.entry(canonical(tree)).or_insert_with(|| (tree.clone(), nodes(paths)));
        nodes.iter_mut().zip(seen.counts()).for_each(|(node, counts)| node.counts.add(*counts));
    }
    for file in files::trees_among(&args.paths)? {
        let key = canonical(&file);
        match trees.get_mut(&key) {
            Some(tree) => tree.0 = file,
            None if included.contains(&key) => {}
            None => _ = trees.insert(key, (file, Vec::new())),
        }
    }
    let mut coverage = Vec::new();
    let mut pictures = Vec::new();
    for (file, mut nodes) in trees.into_values() {
        let source = TreeFile::read(&file)?;
        // A file with problems is not a tree; a tree that no case plays has no coverage.
        if let Ok(described) = source.describe(&known.paper) {
            let tree = described.tree();
            if nodes.is_empty() {
                nodes = self::nodes(&stage::paths(tree));
            }
            place(&mut nodes, &described);
            pictures.push(table(tree, &Drawing::of(tree), &nodes));
        } else {
            pictures.push(String::new());
        }
        coverage.push(TreeCoverage { file: shown(&file), nodes });
    }
    let coverage = Coverage::new(coverage);
    coverage.write(&args.coverage)?;
    let (all, started) = coverage.nodes();
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    let percent = if all == 0 { 100.0 } else { started as f64 / all as f64 * 100.0 };
    let is_enough = least.is_none_or(|it| percent >= it);
    // If no tree was played there is nothing to report.
    if all > 0 && (args.coverage.coverage || !is_enough) {
        say("\n")?;
        for (tree, picture) in coverage.trees.iter().zip(&pictures) {
            say(&head(tree))?;
            if (1..tree.nodes.len()).contains(&tree.started()) {
                say(&format!("{picture}\n"))?;
            }
        }
        let colour = if is_enough { GOOD } else { BAD };
        let wanted = least.filter(|_| !is_enough).map(|it| format!(", less than {it} %")).unwrap_or_default();
        say(&format!(
            "{colour}{started} of {} started in {}: {:.1} %{wanted}{RESET}\n",
            plural(all, "node"),
            plural(coverage.trees.len(), "tree"),
            // 99.96 % are not 100 %.
            (percent * 10.0).floor() / 10.0,
        ))?;
    }
    Ok(is_enough)
}
