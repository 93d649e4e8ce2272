//! What ran in an agent in the last minute, and what was aborted, from its trace.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::trace::{TraceEntry, TraceEvent, TraceKinds};
use pleach::{Host, NodeId, Outcome, Tree};

use crate::behaviour::branch_of;
use crate::interruption::{Collector, Interruption};

mod began;
pub use began::{Before, Began};

/// How far back a time line goes, in seconds.
pub const SPAN: f64 = 60.0;

/// The events that a time line needs.
#[must_use]
pub fn kinds() -> TraceKinds {
    TraceKinds::STARTS | TraceKinds::ENDS | TraceKinds::ABORTS
}

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself(Outcome),
    /// From outside.
    Aborted,
}

/// A time during which a node was active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The number of its row: see [`Timeline::row`].
    pub row: usize,
    /// Since when, in seconds of the forest.
    pub from: f64,
    /// Until when, and how it ended; `None` while it runs.
    pub to: Option<(f64, Ended)>,
}

/// A node through all versions of its tree: with the same label below the same nodes, it is the
/// same node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The node in the last version; `None` if that no longer has it.
    pub node: Option<NodeId>,
    /// Its label.
    pub label: String,
    /// Whether it has no children.
    pub is_leaf: bool,
    /// Whether it is a branch: it has a name and no named node above it, except that of the tree.
    /// A leaf outside of these is its own branch.
    pub is_branch: bool,
}

/// What happened in one agent.
#[derive(Debug)]
pub struct Timeline<H: Host> {
    tree: Arc<Tree<H>>,
    rows: Vec<Row>,
    /// The indices of rows by the labels that lead to their nodes.
    by_labels: HashMap<String, usize>,
    /// The indices of rows by the nodes of the tree.
    by_node: Vec<usize>,
    bars: VecDeque<Bar>,
    interruptions: VecDeque<Interruption>,
    now: f64,
    /// The start of what is known.
    since: f64,
}

impl<H: Host> Timeline<H> {
    /// Begins now, with what is active in this agent.
    #[must_use]
    pub fn begin(view: &AgentView<H>, now: f64) -> Self {
        let mut timeline = Timeline {
            tree: Arc::clone(&view.tree),
            rows: Vec::new(),
            by_labels: HashMap::new(),
            by_node: Vec::new(),
            bars: VecDeque::new(),
            interruptions: VecDeque::new(),
            now,
            since: now,
        };
        timeline.number();
        timeline.correct(view);
        timeline
    }

    /// Adds the events of one step, and forgets what is too long ago. `view` is the agent after the
    /// step.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = TraceEntry>, now: f64, view: &AgentView<H>) {
        self.follow(&view.tree);
        let mut collector = Collector::new(&view.tree);
        for TraceEntry { time, event, .. } in entries {
            collector.see(time, &event);
            match event {
                TraceEvent::Start(node) => {
                    // A reload has ended it without a trace.
                    self.end(node, self.now, Ended::Aborted);
                    self.start(node, time);
                }
                TraceEvent::End(node, outcome) => self.end(node, time, Ended::Itself(outcome)),
                TraceEvent::Aborted(node, _) => self.end(node, time, Ended::Aborted),
                _ => {}
            }
        }
        self.interruptions.extend(collector.take());
        self.correct(view);
        self.now = now;
        let first = self.first();
        self.bars.retain(|it| it.to.is_none_or(|(to, _)| to >= first));
        self.interruptions.retain(|it| it.time >= first);
    }

    /// Continues with a new version of the tree.
    pub fn follow(&mut self, tree: &Arc<Tree<H>>) {
        if !Arc::ptr_eq(&self.tree, tree) {
            self.tree = Arc::clone(tree);
            self.number();
        }
    }

    /// Finds the rows of the tree's nodes.
    fn number(&mut self) {
        self.rows.iter_mut().for_each(|it| it.node = None);
        self.by_node.clear();
        for (node, key) in self.tree.nodes().zip(keys(&self.tree)) {
            let (id, is_leaf) = (node.id(), node.subtree().len() == 1);
            let branch = branch_of(&self.tree, node);
            let is_named = branch.name().is_some_and(|it| it != self.tree.name());
            let is_branch = branch.id() == id && (is_named || is_leaf);
            let new = Row { node: Some(id), label: node.label().to_owned(), is_leaf, is_branch };
            let row = *self.by_labels.entry(key).or_insert(self.rows.len());
            match self.rows.get_mut(row) {
                Some(known) => *known = new,
                None => self.rows.push(new),
            }
            self.by_node.push(row);
        }
    }

    /// The index of the row of a node in any version of the tree.
    fn row_of(&self, tree: &Arc<Tree<H>>, node: NodeId) -> Option<usize> {
        if Arc::ptr_eq(tree, &self.tree) {
            return self.by_node.get(node.index()).copied();
        }
        self.by_labels.get(keys(tree).get(node.index())?).copied()
    }

    /// Adds what a reload has started or ended without a trace.
    fn correct(&mut self, view: &AgentView<H>) {
        let active: Vec<usize> = view.stacks.iter().flatten().map(|it| self.by_node[it.index()]).collect();
        let open: Vec<usize> = self.bars.iter().filter(|it| it.to.is_none()).map(|it| it.row).collect();
        for row in open.iter().filter(|it| !active.contains(it)) {
            self.end_row(*row, self.now, Ended::Aborted);
        }
        for (at, row) in active.iter().enumerate() {
            if !open.contains(row) && !active[..at].contains(row) {
                self.bars.push_back(Bar { row: *row, from: self.now, to: None });
            }
        }
    }

    fn start(&mut self, node: NodeId, time: f64) {
        self.bars.push_back(Bar { row: self.by_node[node.index()], from: time, to: None });
    }

    fn end(&mut self, node: NodeId, time: f64, how: Ended) {
        self.end_row(self.by_node[node.index()], time, how);
    }

    fn end_row(&mut self, row: usize, time: f64, how: Ended) {
        let Some(at) = self.bars.iter().rposition(|it| it.row == row && it.to.is_none()) else { return };
        if self.bars[at].from >= time {
            // It took no time, like most conditions.
            self.bars.remove(at);
        } else {
            self.bars[at].to = Some((time, how));
        }
    }

    /// The latest moment that it knows of.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The first moment that is shown: [`SPAN`] seconds ago.
    #[must_use]
    pub fn first(&self) -> f64 {
        self.now - SPAN
    }

    /// The start of what is known.
    #[must_use]
    pub fn since(&self) -> f64 {
        self.since
    }

    /// When each node was active, in the order of their starts.
    pub fn bars(&self) -> impl ExactSizeIterator<Item = &Bar> {
        self.bars.iter()
    }

    /// What was ended from outside, oldest first.
    pub fn interruptions(&self) -> impl ExactSizeIterator<Item = &Interruption> + DoubleEndedIterator {
        self.interruptions.iter()
    }

    /// The nodes of the tree that were active at that time, in its order.
    #[must_use]
    pub fn active_at(&self, time: f64) -> Vec<NodeId> {
        let was = |it: &&Bar| it.from <= time && it.to.is_none_or(|(to, _)| to > time);
        let mut nodes: Vec<NodeId> = self.bars.iter().filter(was).filter_map(|it| self.rows[it.row].node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The row with this index.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&Row> {
        self.rows.get(row)
    }

    /// The rows that have a bar and are chosen, at most `most`: those that ran last, in the order
    /// of the tree, followed by those that it no longer has.
    #[must_use]
    pub fn rows(&self, most: usize, chosen: impl Fn(&Row) -> bool) -> Vec<usize> {
        let mut rows: Vec<usize> = Vec::new();
        for bar in self.bars.iter().rev().filter(|it| chosen(&self.rows[it.row])) {
            if rows.len() < most && !rows.contains(&bar.row) {
                rows.push(bar.row);
            }
        }
        rows.sort_unstable_by_key(|it| (self.rows[*it].node.is_none(), self.rows[*it].node, *it));
        rows
    }
}

/// The labels that lead to each node of a tree.
fn keys<H: Host>(tree: &Tree<H>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::with_capacity(tree.len());
    for node in tree.nodes() {
        let (label, above) = (node.label(), node.parent());
        // The order distinguishes siblings with the same label.
        let before = above.into_iter().flat_map(|it| it.children()).take_while(|it| it.id() != node.id());
        let nth = before.filter(|it| it.label() == label).count();
        let above = above.map_or("", |it| &keys[it.id().index()]);
        let key = format!("{above}/{label}[{nth}]");
        keys.push(key);
    }
    keys
}

#[cfg(test)]
mod tests {
    use pleach::trace::Recorder;
    use pleach::{Forest, Host, Tree, nodes};

    use super::*;
    use crate::interruption::Cause;

    struct Plain;
    impl Host for Plain {
        type Cx<'a> = ();
    }

    #[test]
    fn bars_are_when_nodes_were_active() {
        let mut builder = Tree::<Plain>::builder("nap");
        let alarm = builder.key("alarm", false);
        let watch = nodes::sequence([nodes::check("alarm"), nodes::idle()]).aborts(nodes::Abort::LOWER_PRIORITY);
        let nap = nodes::repeat_forever(nodes::sequence([nodes::wait(1.0), nodes::wait(2.0)]));
        let tree = builder.build(nodes::selector([watch, nap])).unwrap();
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(tree).unwrap();
        let agent = forest.spawn(&mut (), tree).unwrap();
        let mut recorder = Recorder::of([agent]).only(kinds());
        let view = |forest: &Forest<Plain>| forest.agent(agent).unwrap().inspect();
        let mut timeline = Timeline::begin(&view(&forest), forest.time());
        let node = |at: usize| NodeId::new(at).unwrap();
        for tick in 0..100 {
            if tick == 35 {
                forest.keys_mut(agent).unwrap().set(alarm, true);
            }
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            timeline.extend(recorder.take(), forest.time(), &view(&forest));
        }
        // n0 Selector, n1 Sequence, n2 Check, n3 Idle, n4 Repeat, n5 Sequence, n6 and n7 Wait.
        assert_eq!(timeline.active_at(0.5), [node(0), node(4), node(5), node(6)]);
        assert_eq!(timeline.active_at(1.5), [node(0), node(4), node(5), node(7)]);
        assert_eq!(timeline.active_at(9.0), [node(0), node(1), node(3)]);
        let first = timeline.interruptions().next().unwrap();
        assert!((first.time - 3.6).abs() < 0.11, "{first:?}");
        assert_eq!((timeline.interruptions().len(), first.ended), (1, node(4)), "the outermost");
        assert_eq!(first.cause, Cause::Condition(node(2)));
        assert_eq!(timeline.rows(9, |it| it.node > Some(node(5))), [6, 7]);
        assert_eq!(timeline.rows(1, |_| true), [3]);
        assert!(timeline.bars().any(|it| matches!(it.to, Some((_, Ended::Aborted)))));
        for _ in 0..700 {
            forest.traced(&mut recorder).tick(&mut (), 0.1).unwrap();
            timeline.extend(recorder.take(), forest.time(), &view(&forest));
        }
        assert_eq!(timeline.interruptions().len(), 0);
        assert_eq!(timeline.active_at(timeline.first()), [node(0), node(1), node(3)]);
        assert_eq!(timeline.bars().len(), 3, "what ended long ago is forgotten");
    }
}
