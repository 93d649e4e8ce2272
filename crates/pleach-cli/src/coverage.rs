//! How often each node of a tree was started, and how it ended, in tests or in a run: as a table,
//! as JSON, and as LCOV.

use std::collections::BTreeMap;
use std::path::Path;

use pleach::asset::Described;
use pleach::tools::text::plain;
use pleach::{Host, Tree};
use pleach_draw::{Drawing, NodeCounts};
use serde::{Deserialize, Serialize};

use crate::args::CoverageArgs;
use crate::counts::Counts;
use crate::failure::Failure;
use crate::paint::{BAD, FAINT, RESET, STRONG, painted, parts};
use crate::paths::{directory_of, from_directory, same_file, shown};
use crate::words::{grouped, plural};
use crate::{files, output, stage};

/// The version of the JSON.
const VERSION: u32 = 1;
/// How many trees are named to the reader of an error.
const NAMED: usize = 8;

/// What was done in trees.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Coverage {
    pub(crate) version: u32,
    /// In the order of their files.
    pub(crate) trees: Vec<TreeCoverage>,
}

/// What was done in one tree.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TreeCoverage {
    /// Its file. In JSON it is called as from the directory of the JSON file.
    pub(crate) file: String,
    /// In pre-order.
    pub(crate) nodes: Vec<NodeCoverage>,
}

/// What was done at one node.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct NodeCoverage {
    /// Its path: see [`stage::paths`].
    pub(crate) path: String,
    /// Where it is written, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

/// Nodes with these paths, without counts so far.
pub(crate) fn nodes(paths: &[String]) -> Vec<NodeCoverage> {
    let node = |it: &String| NodeCoverage { path: it.clone(), file: None, line: None, counts: Counts::default() };
    paths.iter().map(node).collect()
}

/// Notes where the nodes of a tree are written.
pub(crate) fn place<H: Host>(nodes: &mut [NodeCoverage], described: &Described<H>) {
    for (node, at) in nodes.iter_mut().zip(described.tree().nodes()) {
        let written = described.node(at.id());
        (node.file, node.line) = (Some(written.file.clone()), Some(written.line));
    }
}

/// # Errors
/// A file to write is a tree, or both are the same file. `input` is the only tree.
pub(crate) fn refuse_trees(args: &CoverageArgs, input: Option<&Path>) -> Result<(), Failure> {
    for (path, extension) in [(&args.coverage_json, "json"), (&args.lcov, "info")] {
        if let Some(path) = path {
            output::refuse_trees(path, input, extension)?;
        }
    }
    match (&args.coverage_json, &args.lcov) {
        (Some(json), Some(lcov)) if json == lcov || same_file(json, lcov) => Err(Failure::Usage(format!(
            "`{}` cannot be both JSON and LCOV: give --coverage-json and --lcov different files",
            shown(json)
        ))),
        _ => Ok(()),
    }
}

impl TreeCoverage {
    /// How many nodes were started.
    pub(crate) fn started(&self) -> usize {
        self.nodes.iter().filter(|it| it.counts.started > 0).count()
    }
}

impl Coverage {
    pub(crate) fn new(trees: Vec<TreeCoverage>) -> Self {
        Coverage { version: VERSION, trees }
    }

    /// How many nodes there are, and how many of them were started.
    pub(crate) fn nodes(&self) -> (usize, usize) {
        let of = |it: &dyn Fn(&TreeCoverage) -> usize| self.trees.iter().map(it).sum();
        (of(&|it| it.nodes.len()), of(&TreeCoverage::started))
    }

    /// Writes the files that are asked for.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, args: &CoverageArgs) -> Result<(), Failure> {
        if let Some(path) = &args.coverage_json {
            let text = serde_json::to_string_pretty(&self.seen_from(directory_of(path)));
            let text = text.map_err(|it| Failure::Failed(format!("cannot write coverage: {it}")))?;
            output::write(path, &(text + "\n"))?;
        }
        if let Some(path) = &args.lcov {
            // Viewers resolve file names from where they are started.
            output::write(path, self.seen_from(Path::new(".")).lcov())?;
        }
        Ok(())
    }

    /// The same with file names relative to this directory.
    fn seen_from(&self, directory: &Path) -> Self {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        let mut called = |it: &mut String| {
            let name = known.entry(it.clone()).or_insert_with(|| from_directory(directory, Path::new(it)));
            it.clone_from(name);
        };
        let mut seen = self.clone();
        for tree in &mut seen.trees {
            called(&mut tree.file);
            tree.nodes.iter_mut().filter_map(|it| it.file.as_mut()).for_each(&mut called);
        }
        seen
    }

    /// The coverage of a tree in a file.
    ///
    /// # Errors
    /// The file cannot be read, is not coverage, or does not have the tree.
    pub(crate) fn of_tree(path: &Path, tree: &Path) -> Result<TreeCoverage, Failure> {
        let mut trees = Coverage::read(path)?.trees;
        let directory = directory_of(path);
        let name = from_directory(directory, tree);
        // A file that was moved may still name trees relative to the working directory.
        let is_it = |it: &TreeCoverage| it.file == name || same_file(&directory.join(&it.file), tree);
        let found = trees.iter().position(is_it);
        let found = found.or_else(|| trees.iter().position(|it| same_file(Path::new(&it.file), tree)));
        if let Some(at) = found {
            return Ok(TreeCoverage { file: shown(tree), ..trees.swap_remove(at) });
        }
        let mut names: Vec<String> = trees.iter().take(NAMED).map(|it| format!("`{}`", plain(&it.file))).collect();
        names.extend((trees.len() > NAMED).then(|| format!("{} more", trees.len() - NAMED)));
        let known = if names.is_empty() { "no tree".to_owned() } else { names.join(", ") };
        let (path, tree) = (shown(path), shown(tree));
        Err(Failure::Usage(format!("`{path}` says nothing of `{tree}`: it knows {known}")))
    }

    /// # Errors
    /// The file cannot be read, or is not coverage.
    fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Failed(format!("`{}` is not a coverage file: {why}", shown(path)));
        let read: Coverage = serde_json::from_str(&files::read_unmarked(path)?).map_err(|it| wrong(it.to_string()))?;
        if read.version == VERSION {
            return Ok(read);
        }
        Err(wrong(format!("unknown version {}, this pleach reads version {VERSION}", read.version)))
    }

    /// In the format of LCOV: a line of a file with how often its nodes were started. A node that
    /// is in several trees counts in all of them.
    pub(crate) fn lcov(&self) -> String {
        let mut files: BTreeMap<&str, BTreeMap<usize, u64>> = BTreeMap::new();
        for it in self.trees.iter().flat_map(|it| &it.nodes) {
            let (Some(file), Some(line)) = (&it.file, it.line) else { continue };
            let count = files.entry(file).or_default().entry(line).or_default();
            *count = count.saturating_add(it.counts.started);
        }
        let mut text = String::new();
        for (file, lines) in files {
            text.push_str(&format!("TN:\nSF:{file}\n"));
            for (line, count) in &lines {
                text.push_str(&format!("DA:{line},{count}\n"));
            }
            let hit = lines.values().filter(|it| **it > 0).count();
            text.push_str(&format!("LF:{}\nLH:{hit}\nend_of_record\n", lines.len()));
        }
        text
    }
}

/// The same in a picture.
pub(crate) fn in_picture<'d, H: Host>(drawing: Drawing<'d>, tree: &Tree<H>, nodes: &[NodeCoverage]) -> Drawing<'d> {
    let by_path: BTreeMap<&str, Counts> = nodes.iter().map(|it| (&*it.path, it.counts)).collect();
    let paths = stage::paths(tree);
    drawing.counts(|node| {
        let Counts { started, succeeded, failed, aborted } = *by_path.get(&**paths.get(node.index())?)?;
        Some(NodeCounts { started, succeeded, failed, aborted })
    })
}

/// A line for each node with its counts, and the heads of the columns.
pub(crate) fn table<H: Host>(tree: &Tree<H>, drawing: &Drawing<'_>, nodes: &[NodeCoverage]) -> String {
    let by_path: BTreeMap<&str, Counts> = nodes.iter().map(|it| (&*it.path, it.counts)).collect();
    let paths = stage::paths(tree);
    let mut text = format!("{FAINT} started succeeded    failed   aborted{RESET}\n");
    for line in &drawing.text().lines {
        let counts = paths.get(line.node.index()).and_then(|it| by_path.get(&**it));
        let number = |it: u64| if it == 0 { "-".into() } else { grouped(it) };
        let counts = counts.map(|it| [it.started, it.succeeded, it.failed, it.aborted].map(number));
        let [started, succeeded, failed, aborted] = counts.clone().unwrap_or_else(|| ["?"; 4].map(Into::into));
        let style = if counts.is_some_and(|it| it[0] == "-") { BAD } else { FAINT };
        text.push_str(&format!("{style}{started:>8} {succeeded:>9} {failed:>9} {aborted:>9}{RESET}  "));
        text.push_str(&painted(&parts(line)));
        text.push('\n');
    }
    text
}

/// `guard.ron: 27 of 28 nodes started`.
pub(crate) fn head(tree: &TreeCoverage) -> String {
    let (all, started) = (tree.nodes.len(), tree.started());
    let file = plain(&tree.file);
    if all == started {
        return format!("{STRONG}{file}{RESET}  all of {} started\n", plural(all, "node"));
    }
    if started == 0 {
        return format!("{STRONG}{file}{RESET}  {BAD}none of {} started{RESET}\n", plural(all, "node"));
    }
    format!("{STRONG}{file}{RESET}  {BAD}{started} of {} started{RESET}\n", plural(all, "node"))
}
