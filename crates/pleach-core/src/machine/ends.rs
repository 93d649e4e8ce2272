//! Ends nodes from outside (SEMANTICS 3): deepest first, and the stacks of a parallel in child
//! order, before the parallel.
//!
//! By T4 these are the stacks below a node in ascending order, each from its top to its bottom, and
//! then the path from the top of the node's own stack to the node.

use super::Machine;
use crate::host::Callbacks;
use crate::index::{StackId, Stacks};
use crate::trace::{TraceEvent, Tracer};
use crate::{End, Host, NodeId, Reason};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Ends the active nodes of `root`'s subtree. `root` is active.
    pub(super) fn end_subtree(&mut self, root: NodeId, reason: Reason) {
        let record = self.tree.rec(root);
        self.end_stacks(record.stacks, reason);
        self.end_path(record.stack, root, reason);
    }

    /// Ends whole stacks.
    pub(super) fn end_stacks(&mut self, stacks: Stacks, reason: Reason) {
        for stack in stacks.iter() {
            if self.columns.top(self.cx.agent.at, stack) != NodeId::NONE {
                self.end_path(stack, self.tree.bottoms[stack], reason);
            }
        }
    }

    /// Ends a stack's nodes from its top down to `last`.
    fn end_path(&mut self, stack: StackId, last: NodeId, reason: Reason) {
        let agent = self.cx.agent.at;
        self.scratch.stack(stack).verdict = None;
        self.scratch.stack(stack).resume = NodeId::NONE;
        let mut at = self.columns.top(agent, stack);
        loop {
            let record = self.tree.rec(at);
            if record.cools {
                self.cool(record.parent);
            }
            self.columns.put_top(agent, stack, if record.bottom { NodeId::NONE } else { record.parent });
            if let Some(leaf) = Self::calls(record, Callbacks::END) {
                self.cx.agent.node = at;
                self.leaves[leaf].end(&mut self.states, &mut self.cx, End::Aborted(reason));
            }
            self.trace(TraceEvent::Aborted(at, reason));
            if at == last {
                return;
            }
            at = record.parent;
        }
    }
}
