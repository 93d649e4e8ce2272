//! What differs between a file and the disk: its nodes, and the lines of its text.

use std::collections::{BTreeMap, BTreeSet};

use pleach::asset::{CheckOnly, Described, Severity};
use pleach::tools::text::plain;
use pleach::{NodeId, Report};
use similar::{ChangeTag, TextDiff};

use super::history::Text;
use super::views::nodes;
use super::{Editor, File};
use crate::changes::{self, Change, Node};
use crate::error::AskError;
use crate::model::{DiffView, LineView, NodeChange, NodeView, ValueChange};
use pleach_view::words::grouped;

/// How many lines around a change are shown.
const AROUND: usize = 3;

/// The most nodes that are listed, and the most sentences about restarts.
const MOST_LISTED: usize = 500;

/// The most nodes of a file that are compared: the time grows with the square of the children of
/// one node.
const MOST_COMPARED: usize = 5_000;

/// A version of a file: its tree, and its nodes as written, by their lines and columns.
struct Version {
    tree: Described<CheckOnly>,
    written: BTreeMap<(usize, usize), NodeView>,
    /// The name by which the tree knows the file.
    file: String,
}

impl Version {
    /// How a node is written in the file. One of another file or of a template is written where it
    /// is used. With `is_own`, its own place comes first.
    fn node(&self, node: NodeId, is_own: bool) -> Option<&NodeView> {
        let it = self.tree.node(node);
        let own = (&it.file, it.line, it.column);
        let uses = it.uses.iter().map(|(file, line, column)| (file, *line, *column));
        let mut places = is_own.then_some(own).into_iter().chain(uses).chain([own]);
        places.find(|it| *it.0 == self.file).and_then(|it| self.written.get(&(it.1, it.2)))
    }

    /// The label of the next sibling of a node.
    fn next(&self, node: NodeId) -> Option<String> {
        let parent = self.tree.tree().node(node)?.parent()?;
        let next = parent.children().skip_while(|it| it.id() != node).nth(1)?;
        Some(plain(next.label()).into_owned())
    }
}

impl Editor<'_> {
    /// What differs between the text of a file and that on the disk. Nodes are compared as all
    /// files are on the disk, and as all are here.
    pub(super) fn difference(&self, file: &str) -> Result<DiffView, AskError> {
        let Some(it) = self.files.get(file) else {
            return Err(AskError::Edit(format!("the studio does not have the file `{}`", plain(file))));
        };
        let mut view = DiffView { file: file.to_owned(), lines: lines(it.on_disk(), &it.text), ..DiffView::default() };
        let version = |text, which| self.version(file, text, which);
        match version(File::on_disk, "on the disk").and_then(|old| Ok([old, version(|it| &it.text, "here")?])) {
            Ok([old, new]) => compare(&mut view, &old, &new),
            Err(why) => view.summary = format!("only lines are compared: {why}"),
        }
        Ok(view)
    }

    /// # Errors
    /// Why the text makes no tree.
    fn version(&self, file: &str, text: fn(&File) -> &Text, which: &str) -> Result<Version, String> {
        let name = self.disk.name(file);
        if self.desk.is_tests(&name) {
            return Err("tests have no nodes".to_owned());
        }
        let texts: BTreeMap<String, String> =
            self.files.iter().filter_map(|(file, it)| Some((self.disk.name(file), text(it).clone()?))).collect();
        let Some(own) = texts.get(&name) else { return Err(format!("the file is missing {which}")) };
        let written = nodes(file, own, &self.desk.written_in(&name, own));
        if written.len() > MOST_COMPARED {
            return Err(format!("the text {which} has more than {} nodes", grouped(MOST_COMPARED as u64)));
        }
        let at = |it: NodeView| Some(((it.place.as_ref()?.line, it.place.as_ref()?.column), it));
        let written = written.into_iter().filter_map(at).collect();
        let tree = self.desk.describe(&name, texts).map_err(|it| self.why(&it, which))?;
        Ok(Version { tree, written, file: name })
    }

    fn why(&self, report: &Report, which: &str) -> String {
        let Some(it) = report.diagnostics().iter().find(|it| it.severity() == Severity::Error) else {
            return format!("the text {which} is not a tree");
        };
        let file = self.disk.below(it.file()).unwrap_or_else(|| it.file());
        format!("the text {which} has an error in {}, line {}: {}", plain(file), it.line(), it.message())
    }
}

fn compare(view: &mut DiffView, old: &Version, new: &Version) {
    let changes = changes::of(&old.tree, &new.tree);
    // A node of a template is in the tree once for each use.
    let mut known = BTreeSet::new();
    let mut counts = [('~', "changed"), ('>', "moved"), ('+', "added"), ('-', "removed")].map(|it| (it, 0));
    for it in &changes.nodes {
        let (sign, id) = (it.sign(), it.place().node);
        let version = if sign == '-' { old } else { new };
        let Some(node) = version.node(id, sign == '~') else { continue };
        if !known.insert((sign == '-', node.id)) {
            continue;
        }
        counts.iter_mut().filter(|it| it.0.0 == sign).for_each(|it| it.1 += 1);
        if view.nodes.len() < MOST_LISTED {
            view.nodes.push(told(it, node, new));
        }
    }
    let counted = counts.iter().filter(|it| it.1 > 0).map(|((_, word), count)| format!("{} {word}", grouped(*count)));
    let counted: Vec<String> = counted.collect();
    let kept = changes.kept();
    view.summary = match &counted[..] {
        [] => format!("no node differs; a reload keeps {kept}"),
        _ => format!("{}; a reload keeps {kept}", counted.join(", ")),
    };
    if known.len() > MOST_LISTED {
        view.summary += &format!("; the first {MOST_LISTED} are listed");
    }
    view.declared = values(&changes.declared);
    view.restarts = changes.restarts.iter().take(MOST_LISTED).map(ToString::to_string).collect();
}

/// A node that differs, which is written as `node`.
fn told(it: &Node, node: &NodeView, new: &Version) -> NodeChange {
    let (text, node, fields) = match it {
        Node::Added(..) => (format!(": {}{}", node.label, it.what()), Some(node.id), Vec::new()),
        Node::Removed { parent, .. } => {
            let parent = parent.and_then(|it| new.node(it, true)).map(|it| it.id);
            (format!(": {}{}", node.label, it.what()), parent, Vec::new())
        }
        Node::Changed { new: place, moved, fields, .. } => {
            let next = new.next(place.node).filter(|_| *moved).map(|it| format!(", now before {it}"));
            (it.what() + &next.unwrap_or_default(), Some(node.id), values(fields))
        }
    };
    NodeChange { sign: it.sign(), path: plain(&it.place().path).into_owned(), text, node, fields }
}

fn values(of: &[Change]) -> Vec<ValueChange> {
    let value = |it: &Change| {
        let [what, old, new] = it.in_words();
        ValueChange { what, old, new }
    };
    of.iter().map(value).collect()
}

fn lines(old: &Text, new: &Text) -> Vec<LineView> {
    let text = |it: &Text| it.clone().unwrap_or_default();
    let (old, new) = (text(old), text(new));
    let diff = TextDiff::configure().timeout(std::time::Duration::from_secs(1)).diff_lines(&old, &new);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let line = change.new_index().or(change.old_index()).unwrap_or_default() + 1;
            let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
            lines.push(LineView { sign, line, text });
        }
    }
    lines
}
