//! What only a valid tree has: child conditions, observers, masks, continuations, node memory.

use std::rc::Rc;

use super::flatten::Flatten;
use super::kind::ChildOrder;
use super::lists::Lists;
use super::record::{Hooks, Op, Record};
use super::{SimpleTree, flow, observers};
use crate::host::{Callbacks, Host};
use crate::index::{NodeId, ObserverId};

impl<H: Host> Flatten<H> {
    /// What only a valid tree has: observers, masks, continuations.
    pub(super) fn finish(&mut self) {
        let tree = &mut self.tree;
        tree.schema = std::mem::take(Rc::make_mut(&mut self.schema));
        let conditions = tree.records.iter().enumerate().filter(|(_, record)| record.is_condition());
        let pairs = conditions
            .filter_map(|(index, record)| Some((record.nearest_composite.some()?, NodeId::new(index).expect("T1"))));
        tree.child_conditions = Lists::new(tree.records.len(), pairs);
        let children = &tree.children;
        let kids = |id: NodeId| children.of(id).len();
        let nodes = observers::number(&mut tree.records, kids);
        tree.observers = observers::table::<H>(
            &tree.records,
            nodes,
            &tree.exprs,
            &tree.leaves,
            kids,
            &tree.child_conditions,
            &tree.schema,
        );
        for index in 0..tree.records.len() {
            let id = NodeId::new(index).expect("T1");
            if let (1, Some(&[mask])) = (tree.bottoms.len(), tree.observers.mask(id)) {
                tree.records[index].mask = mask;
            }
            let record = &mut tree.records[index];
            if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = record.op {
                record.leaf = leaf.0;
                record
                    .hooks
                    .set(Hooks::HOST, matches!(record.op, Op::Action { .. }) || record.monitor == ObserverId::NONE);
                record.hooks.set(Hooks::START, calls.contains(Callbacks::START));
                record.hooks.set(Hooks::END, calls.contains(Callbacks::END));
            }
            if let Op::Wait { .. } | Op::WaitTicks { .. } = record.op {
                record.hooks |= Hooks::START;
            }
            if record.monitor != ObserverId::NONE {
                record.hooks |= Hooks::END;
            }
            if tree.records[index].is_leaf() {
                let after = |outcome| flow::after(&tree.records, id, outcome);
                tree.records[index].then = [after(crate::Outcome::Failure), after(crate::Outcome::Success)];
            }
        }
        flow::mark_streaks(&mut tree.records);
        tree.entry = flow::descend(&tree.records, NodeId::ROOT);
        let shared = self.memory.shared();
        for record in &mut tree.records {
            if let Op::Cooldown { slot, .. } | Op::Limit { slot, .. } = &mut record.op {
                *slot = slot.after(shared);
            }
        }
        tree.memory = (shared + self.memory.kept) as usize;
        let is_reactive = |it: &Record| it.kind.order() == Some(ChildOrder::Reactive);
        tree.keeps_resume = tree.records.iter().any(|it| is_reactive(it) && !it.observers.is_empty());
        if tree.keeps_resume {
            tree.memory += tree.bottoms.len();
        }
        tree.simple = SimpleTree::of(tree);
    }
}
