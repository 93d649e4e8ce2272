//! What a drawing shows of an agent.

use std::collections::{BTreeMap, BTreeSet};

use pleach_core::{Host, NodeId, Outcome, inspect::AgentView};

/// The parts of an [`AgentView`] that a drawing shows. The default shows no agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Highlight {
    active: BTreeSet<NodeId>,
    current: BTreeSet<NodeId>,
    /// The monitors by condition: the stored status, and whether a change could abort something
    /// now.
    monitors: BTreeMap<NodeId, (Outcome, bool)>,
    aborted_by: Option<NodeId>,
    shown: bool,
}

impl Highlight {
    /// What this agent is doing.
    #[must_use]
    pub fn of<H: Host>(view: &AgentView<H>) -> Self {
        Highlight {
            active: view.stacks.iter().flatten().copied().collect(),
            current: view.current().collect(),
            monitors: view.monitors.iter().map(|it| (it.condition, (it.stored, it.watched))).collect(),
            aborted_by: view.last_abort.map(|it| it.by),
            shown: true,
        }
    }

    /// Whether an agent is shown. It may have no active node.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.shown
    }

    pub(crate) fn is_active(&self, node: NodeId) -> bool {
        self.active.contains(&node)
    }

    pub(crate) fn is_top(&self, node: NodeId) -> bool {
        self.current.contains(&node)
    }

    pub(crate) fn monitor(&self, node: NodeId) -> Option<(Outcome, bool)> {
        self.monitors.get(&node).copied()
    }

    pub(crate) fn is_last_abort(&self, node: NodeId) -> bool {
        self.aborted_by == Some(node)
    }
}

/// A monitor in words.
pub(crate) fn monitor_words((stored, watched): (Outcome, bool)) -> String {
    if watched { format!("watched, was {stored}") } else { format!("was {stored}") }
}
