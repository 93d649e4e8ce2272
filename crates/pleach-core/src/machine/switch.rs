//! Switches (SEMANTICS 8.24): which child their value selects.

use super::Machine;
use crate::index::{CasesId, ExprId, MemoryOffset};
use crate::trace::{TraceEvent, Tracer};
use crate::{Host, NodeId, Reason};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// The child of a switch for its present value.
    pub(super) fn select(&mut self, id: NodeId, on: ExprId, cases: CasesId, latch: bool) -> Option<NodeId> {
        // A latched switch has no observer, except for its services.
        if !latch {
            let observer = self.tree.rec(id).observers.from;
            let agent = self.cx.agent.at;
            self.cx.agent.clear_dirty(agent, observer);
        }
        let value = self.expr(on).eval(&self.cx.agent);
        self.tree.cases[cases.index()].select(value)
    }

    /// The child that a switch has selected.
    pub(super) fn selected(&self, slot: MemoryOffset) -> Option<NodeId> {
        self.columns.node(self.cx.agent.at, slot)
    }

    pub(super) fn put_selected(&mut self, slot: MemoryOffset, selected: Option<NodeId>) {
        self.columns.put_node(self.cx.agent.at, slot, selected);
    }

    /// Evaluates a switch with a running child again. If its value selects another child or none,
    /// the running one is ended, and the switch is visited when its stack has its turn.
    pub(super) fn reselect(&mut self, id: NodeId, top: NodeId, on: ExprId, cases: CasesId, slot: MemoryOffset) {
        let running = self.tree.child_towards(id, top);
        let selected = self.select(id, on, cases, false);
        let switches = selected != Some(running);
        if !switches || !self.switched(id) {
            return;
        }
        self.put_selected(slot, selected);
        self.end_subtree(running, Reason::Switched);
        if selected.is_some() {
            self.trace(TraceEvent::Switch(id));
        }
    }
}
