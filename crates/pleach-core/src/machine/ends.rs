//! Ends nodes from outside (SEMANTICS 3): deepest first, and the stacks of a parallel in child
//! order, before the parallel.
//!
//! By T4 these are the stacks below a node in ascending order, each from its top to its bottom, and
//! then the path from the top of the node's own stack to the node.

use super::Machine;
use crate::clock::Moment;
use crate::host::Callbacks;
use crate::index::{Observers, StackId, Stacks};
use crate::life::LastAbort;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::record::{Cools, Op, Record};
use crate::{End, Host, NodeId, Outcome, Reason, nodes::Ending};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Aborts, as the status of this watched condition has changed.
    pub(super) fn abort(&mut self, id: NodeId) {
        let agent = self.cx.agent.at;
        let Some((scope, running)) = self.tree.scope(id, self.columns.tops(agent)) else {
            debug_assert!(false, "the masks and the climb agree");
            return;
        };
        let was = self.columns.status(agent, self.tree.rec(id).monitor);
        self.end_subtree(running, Reason::Abort);
        let stack = self.tree.rec(scope).stack;
        let child = self.tree.child_towards(scope, id);
        self.scratch.stack(stack).verdict = None;
        self.scratch.stack(stack).resume = child;
        self.forget_from(scope, child);
        self.aborts += 1;
        let abort = LastAbort::new(running, id, was, self.cx.agent.moment());
        self.cx.agent.access.life_mut(agent).last_abort = abort;
        self.trace(TraceEvent::Abort { scope, by: id });
    }

    /// Deletes the monitors of the children of `scope` from the position of `child` on
    /// (SEMANTICS 8.14).
    fn forget_from(&mut self, scope: NodeId, child: NodeId) {
        let agent = self.cx.agent.at;
        if let Op::RandomSequence { order, .. } | Op::RandomSelector { order, .. } | Op::UtilitySelector { order, .. } =
            self.tree.rec(scope).op
        {
            let from = self.place_of(scope, order, child);
            for place in from..self.tree.children.of(scope).len() {
                let observers = self.tree.rec(self.ordered(scope, order, place)).observers;
                self.columns.clear_monitors(agent, observers);
            }
            self.put_tried(order, from);
        } else {
            let (from, to) = (self.tree.rec(child).observers.from, self.tree.rec(scope).observers.to);
            self.columns.clear_monitors(agent, Observers { from, to });
        }
    }

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
            match record.op {
                Op::Finally { on } => self.call_last(at, on, None),
                Op::Token { token, slot } => self.give_back(token, slot),
                _ => {}
            }
            if record.cools == Cools::End {
                self.cool(record.parent);
            }
            self.end_top(at, record, reason);
            if at == last {
                return;
            }
            at = record.parent;
        }
    }

    /// Ends the node on top of a stack.
    fn end_top(&mut self, at: NodeId, record: &Record, reason: Reason) {
        let below = if record.bottom { NodeId::NONE } else { record.parent };
        self.columns.put_top(self.cx.agent.at, record.stack, below);
        if let Some(leaf) = Self::calls(record, Callbacks::END)
            && !T::REPLAYS
        {
            self.cx.agent.node = at;
            self.leaves[leaf].end(&mut self.states, &mut self.cx, End::Aborted(reason));
        }
        self.trace(TraceEvent::Aborted(at, reason));
    }

    /// Calls the leaves of the `do` of a Finally, if `on` includes how it is about to end: with
    /// this outcome, or from outside (SEMANTICS 8.34). It is on top of its stack.
    #[cold]
    pub(super) fn call_last(&mut self, id: NodeId, on: Ending, outcome: Option<Outcome>) {
        if !on.includes(outcome) {
            return;
        }
        let tree = self.tree;
        for &leaf in tree.children.of(id).iter().skip(1) {
            self.start(leaf);
            let record = tree.rec(leaf);
            match self.run_leaf(leaf) {
                Some(outcome) => self.finish(leaf, record, outcome),
                None => self.end_top(leaf, record, Reason::NotInstant),
            }
        }
        // None of them may let the agent sleep.
        self.cx.agent.sleep = Moment::START;
    }
}
