//! How often each node of a tree was started, and how it ended: as a table, as JSON, and as LCOV.

use std::collections::BTreeMap;
use std::path::Path;

use pleach::tools::text::plain;
use pleach::{Host, Tree};
use pleach_draw::{Drawing, NodeCounts};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::paint::{BAD, FAINT, RESET, STRONG, painted, parts};
use crate::paths::shown;
use crate::words::{grouped, plural};
use crate::{files, stage};

/// The version of the JSON.
const VERSION: u32 = 1;

/// What tests did in trees.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Coverage {
    pub(crate) version: u32,
    /// In the order of their files.
    pub(crate) trees: Vec<TreeCoverage>,
}

/// What they did in one tree.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TreeCoverage {
    /// Its file.
    pub(crate) file: String,
    /// In pre-order.
    pub(crate) nodes: Vec<NodeCoverage>,
}

/// What they did at one node.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct NodeCoverage {
    /// What it is called: see [`stage::paths`].
    pub(crate) path: String,
    /// Where it stands, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    #[serde(flatten)]
    pub(crate) counts: Counts,
}

/// How often things happened to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Counts {
    pub(crate) started: u32,
    pub(crate) succeeded: u32,
    pub(crate) failed: u32,
    /// Ended from outside.
    pub(crate) aborted: u32,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.started = self.started.saturating_add(other.started);
        self.succeeded = self.succeeded.saturating_add(other.succeeded);
        self.failed = self.failed.saturating_add(other.failed);
        self.aborted = self.aborted.saturating_add(other.aborted);
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

    pub(crate) fn json(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self);
        text.map(|it| it + "\n").map_err(|it| Failure::Failed(format!("cannot write coverage: {it}")))
    }

    /// # Errors
    /// The file cannot be read, or is something else.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |why: String| Failure::Failed(format!("`{}` is not a coverage file: {why}", shown(path)));
        let read: Coverage = serde_json::from_str(&files::read(path)?).map_err(|it| wrong(it.to_string()))?;
        if read.version == VERSION {
            return Ok(read);
        }
        Err(wrong(format!("unknown version {}, this pleach reads version {VERSION}", read.version)))
    }

    /// In the format of LCOV: a line of a file with how often its nodes were started. A node that
    /// stands in several trees counts in all of them.
    pub(crate) fn lcov(&self) -> String {
        let mut files: BTreeMap<&str, BTreeMap<usize, u32>> = BTreeMap::new();
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
        let number = |it: u32| if it == 0 { "-".into() } else { grouped(it.into()) };
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
