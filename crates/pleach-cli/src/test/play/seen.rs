//! What happened to the nodes of a tree.

use std::collections::BTreeSet;

use pleach::trace::TraceEvent;
use pleach::{NodeId, Outcome, Reason, Symbol};

use crate::test::file::What;

/// How often things happened to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// What happened: in the whole case, and since its last step.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    counts: Vec<Counts>,
    /// The counts at the last step.
    before: Vec<Counts>,
    /// Nodes that an abort has ended, whose cause is not known yet.
    pending: Vec<NodeId>,
    /// Nodes that were aborted since the last step, and the conditions that did it.
    aborts: BTreeSet<(NodeId, NodeId)>,
    emitted: Vec<Symbol>,
}

impl Seen {
    pub(crate) fn new(nodes: usize) -> Self {
        let counts = vec![Counts::default(); nodes];
        Seen { before: counts.clone(), counts, pending: Vec::new(), aborts: BTreeSet::new(), emitted: Vec::new() }
    }

    pub(crate) fn note(&mut self, event: &TraceEvent) {
        match *event {
            TraceEvent::Start(node) => self.count(node, |it| it.started += 1),
            TraceEvent::End(node, Outcome::Success) => self.count(node, |it| it.succeeded += 1),
            TraceEvent::End(node, Outcome::Failure) => self.count(node, |it| it.failed += 1),
            TraceEvent::Aborted(node, reason) => {
                self.count(node, |it| it.aborted += 1);
                if reason == Reason::Abort {
                    self.pending.push(node);
                }
            }
            TraceEvent::Abort { by, .. } => self.aborts.extend(self.pending.drain(..).map(|it| (it, by))),
            TraceEvent::Emit(_, event) if !self.emitted.contains(&event.name()) => self.emitted.push(event.name()),
            // A guard or a timeout that ended nodes says so by its own end, not by an abort.
            TraceEvent::Tick => self.pending.clear(),
            _ => {}
        }
    }

    fn count(&mut self, node: NodeId, count: impl FnOnce(&mut Counts)) {
        if let Some(it) = self.counts.get_mut(node.index()) {
            count(it);
        }
    }

    /// From now on something else is asked.
    pub(crate) fn step(&mut self) {
        self.before.clone_from(&self.counts);
        self.aborts.clear();
        self.emitted.clear();
    }

    pub(crate) fn counts(&self) -> &[Counts] {
        &self.counts
    }

    pub(crate) fn started(&self, node: NodeId) -> u32 {
        self.counts.get(node.index()).map_or(0, |it| it.started)
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
        of(&self.counts) > of(&self.before)
    }

    /// The nodes that were aborted since the last step, each with the condition that did it.
    pub(crate) fn aborts(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.aborts.iter().copied()
    }

    pub(crate) fn has_emitted(&self, event: Symbol) -> bool {
        self.emitted.contains(&event)
    }
}
