//! What happened to the nodes of a tree.
//!
//! A selector starts each of its children that fail at their first condition. So a composite counts
//! as started in a case when an action in it starts, or when it succeeds: when it got past its
//! conditions. Coverage counts every start.

use std::collections::BTreeSet;

use pleach::trace::TraceEvent;
use pleach::{Host, NodeId, NodeRef, Outcome, Reason, Symbol, Tree};

use crate::counts::{self, Counts};
use crate::test::file::What;

/// What happened: in the whole case, and since its last step.
#[derive(Clone, Debug)]
pub(crate) struct NodeHistory {
    /// All starts and ends.
    counts: Vec<Counts>,
    /// Those that got past their conditions.
    passed: Vec<Counts>,
    /// The same at the last step.
    before: Vec<Counts>,
    /// Whether the running activation of a node got past its conditions.
    is_past: Vec<bool>,
    nodes: Vec<Place>,
    /// How many starts came before the latest start of each node.
    began: Vec<u64>,
    starts: u64,
    /// The nodes that got past their conditions in this tick, each with how many starts came before
    /// its own.
    past: Vec<(u64, NodeId)>,
    /// Nodes that an abort has ended, whose cause is not known yet.
    pending: Vec<NodeId>,
    /// Nodes that were aborted since the last step, and the conditions that did it.
    aborts: BTreeSet<(NodeId, NodeId)>,
    emitted: Vec<Symbol>,
}

/// What is to be known of a node.
#[derive(Clone, Copy, Debug)]
struct Place {
    parent: Option<NodeId>,
    is_leaf: bool,
    is_condition: bool,
}

impl NodeHistory {
    pub(crate) fn new<H: Host>(tree: &Tree<H>) -> Self {
        let counts = vec![Counts::default(); tree.len()];
        let place = |it: NodeRef<'_, H>| Place {
            parent: it.parent().map(NodeRef::id),
            is_leaf: it.children().len() == 0,
            is_condition: it.is_condition(),
        };
        NodeHistory {
            before: counts.clone(),
            passed: counts.clone(),
            counts,
            is_past: vec![false; tree.len()],
            began: vec![0; tree.len()],
            starts: 0,
            past: Vec::new(),
            nodes: tree.nodes().map(place).collect(),
            pending: Vec::new(),
            aborts: BTreeSet::new(),
            emitted: Vec::new(),
        }
    }

    pub(crate) fn note(&mut self, event: &TraceEvent) {
        counts::count(&mut self.counts, event);
        match *event {
            TraceEvent::Start(node) => self.start(node),
            TraceEvent::End(node, Outcome::Success) => {
                self.ended_above(Some(node));
                self.pass(node);
                self.count_passed(node, |it| it.succeeded += 1);
            }
            TraceEvent::End(node, Outcome::Failure) => {
                self.ended_above(Some(node));
                self.count_passed(node, |it| it.failed += 1);
            }
            TraceEvent::Aborted(node, Reason::Abort | Reason::Switched) => self.pending.push(node),
            TraceEvent::Abort { by, .. } => self.aborts.extend(self.pending.drain(..).map(|it| (it, by))),
            TraceEvent::Emit(_, event) if !self.emitted.contains(&event.name()) => self.emitted.push(event.name()),
            TraceEvent::Switch(node) => self.aborts.extend(self.pending.drain(..).map(|it| (it, node))),
            TraceEvent::TickEnd => self.ended_above(None),
            _ => {}
        }
    }

    fn count_passed(&mut self, node: NodeId, count: impl FnOnce(&mut Counts)) {
        if self.is_past.get(node.index()) == Some(&true) {
            count(&mut self.passed[node.index()]);
        }
    }

    fn start(&mut self, node: NodeId) {
        let Some(&Place { is_leaf, is_condition, .. }) = self.nodes.get(node.index()) else { return };
        self.is_past[node.index()] = false;
        self.began[node.index()] = self.starts;
        self.starts += 1;
        if is_condition {
            self.pass(node);
        } else if is_leaf {
            let mut at = Some(node);
            while let Some(it) = at.filter(|it| !self.is_past[it.index()]) {
                self.pass(it);
                at = self.nodes[it.index()].parent;
            }
        }
    }

    /// The running activation of a node got past its conditions.
    fn pass(&mut self, node: NodeId) {
        if let Some(is_past) = self.is_past.get_mut(node.index())
            && !std::mem::replace(is_past, true)
        {
            self.passed[node.index()].started += 1;
            self.past.push((self.began[node.index()], node));
        }
    }

    /// The nodes that count as started since the last call, in the order of their starts.
    pub(crate) fn take_started(&mut self) -> Vec<NodeId> {
        let mut past = std::mem::take(&mut self.past);
        past.sort_by_key(|it| it.0);
        past.into_iter().map(|it| it.1).collect()
    }

    /// Guards, timeouts and reactive composites end nodes below them without an abort of their own:
    /// what ended the pending nodes is the node above all of them, if it is this one or any.
    fn ended_above(&mut self, node: Option<NodeId>) {
        let parent = |it: NodeId| self.nodes.get(it.index()).and_then(|it| it.parent);
        // Nodes end from the bottom to the top.
        let Some(above) = self.pending.last().and_then(|it| parent(*it)) else { return };
        if node.is_none_or(|it| it == above) {
            self.aborts.extend(self.pending.drain(..).map(|it| (it, above)));
        }
    }

    /// From now on something else is asked.
    pub(crate) fn step(&mut self) {
        self.before.clone_from(&self.passed);
        self.aborts.clear();
        self.emitted.clear();
    }

    pub(crate) fn counts(&self) -> &[Counts] {
        &self.counts
    }

    pub(crate) fn started(&self, node: NodeId) -> u64 {
        self.passed.get(node.index()).map_or(0, |it| it.started)
    }

    /// Whether it happened since the last step.
    pub(crate) fn since(&self, what: What, node: NodeId) -> bool {
        let of = |counts: &[Counts]| {
            counts.get(node.index()).map_or(0, |it| match what {
                What::Started => it.started,
                What::Succeeded => it.succeeded,
                What::Failed => it.failed,
            })
        };
        of(&self.passed) > of(&self.before)
    }

    /// The nodes that were aborted since the last step, each with the condition that did it.
    pub(crate) fn aborts(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.aborts.iter().copied()
    }

    pub(crate) fn has_emitted(&self, event: Symbol) -> bool {
        self.emitted.contains(&event)
    }
}
