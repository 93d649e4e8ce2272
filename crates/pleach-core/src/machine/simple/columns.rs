//! The columns of agents of simple trees. Each has one top and one word of each kind per agent.

use super::super::state::RunColumns;
use crate::NodeId;
use crate::blackboard::changes::Changes;
use crate::row::Row;

impl RunColumns<'_> {
    /// The top of an agent's only stack.
    #[inline]
    pub(super) fn only_top(&self, agent: Row) -> NodeId {
        self.tops[agent.index()]
    }

    #[inline]
    pub(super) fn put_only_top(&mut self, agent: Row, top: NodeId) {
        self.tops[agent.index()] = top;
    }

    /// The tops of all agents.
    #[inline]
    pub(super) fn only_tops(&self) -> &[NodeId] {
        self.tops
    }

    /// Which monitors of an agent are set.
    #[inline]
    pub(super) fn monitor_word(&self, agent: Row) -> u64 {
        self.monitors[agent.index()]
    }

    /// Deletes an agent's monitors. There is no word of them if the tree has no observers.
    #[inline]
    pub(super) fn clear_monitor_word(&mut self, agent: Row) {
        if let Some(word) = self.monitors.get_mut(agent.index()) {
            *word = 0;
        }
    }

    /// Which monitors of an agent stored success.
    #[inline]
    pub(super) fn status_word(&self, agent: Row) -> u64 {
        self.statuses[agent.index()]
    }

    /// The same of all agents.
    #[inline]
    pub(super) fn status_words(&self) -> &[u64] {
        self.statuses
    }

    /// Which monitors of all agents are set.
    #[inline]
    pub(super) fn monitor_words(&self) -> &[u64] {
        self.monitors
    }
}

/// The observers of an agent that read a changed key.
#[inline]
pub(super) fn dirty_word(changes: &Changes<'_>, agent: Row) -> u64 {
    changes.dirty[agent.index()]
}
