//! What only a valid tree has: child conditions, observers, masks, continuations, the size of node
//! memory, and whether it is simple.

use std::rc::Rc;

use super::flatten::Flatten;
use super::kind::{ChildOrder, NodeMemory};
use super::lists::Lists;
use super::record::{Hooks, Op, Record};
use super::watch::WatchSets;
use super::{flow, observers};
use crate::blackboard::layout::Layout;
use crate::host::{Callbacks, Host};
use crate::index::{MemoryOffset, NodeId, ObserverId};

impl<H: Host> Flatten<H> {
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
        observers::mark_loud(&mut tree.records, &tree.exprs);
        let (observers, watches) = observers::table(
            &tree.records,
            nodes,
            (&tree.exprs, &tree.cases, &tree.tokens),
            &|leaf| tree.stateful.observes(&tree.leaves[leaf.index()]),
            &kids,
            &tree.child_conditions,
            &tree.schema,
        );
        tree.observers = observers;
        tree.layout = Layout::new(&tree.schema, watches, tree.observers.words);
        for index in 0..tree.records.len() {
            let id = NodeId::new(index).expect("T1");
            let record = &mut tree.records[index];
            if let Op::Action { leaf, calls } | Op::Condition { leaf, calls } = record.op {
                record.leaf = leaf;
                record
                    .hooks
                    .set(Hooks::HOST, matches!(record.op, Op::Action { .. }) || record.monitor == ObserverId::NONE);
                record.hooks.set(Hooks::START, calls.contains(Callbacks::START));
                record.hooks.set(Hooks::END, calls.contains(Callbacks::END));
            }
            if record.is_leaf() && (record.op.slot().is_some() || record.resets) {
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
            let remembers = match record.kind.memory() {
                NodeMemory::Nothing => false,
                NodeMemory::Cache => record.op.slot().is_some(),
                // It remembers nothing without a count.
                NodeMemory::Rounds => !matches!(record.op, Op::UntilSuccess | Op::UntilFailure),
                _ => true,
            };
            assert_eq!(record.op.slot().is_some(), remembers, "{:?} has room for what it remembers", record.kind);
            if let Op::Cooldown { slot, .. } | Op::Limit { slot, .. } | Op::Token { slot, .. } = &mut record.op {
                *slot = slot.after(shared);
            }
        }
        let memory = shared + self.memory.kept;
        tree.memory = memory as usize;
        let is_reactive = |it: &Record| it.kind.order() == Some(ChildOrder::Reactive);
        if tree.records.iter().any(|it: &Record| is_reactive(it) && !it.observers.is_empty()) {
            tree.resume = Some(MemoryOffset::new(memory));
            tree.memory += tree.bottoms.len();
        }
        tree.watch = WatchSets::of(tree);
        tree.needs_no_scratch = tree.is_simple() && tree.scores == 0 && !tree.records.iter().any(is_reactive);
        let is_simple = tree.is_simple();
        for index in 0..tree.records.len() {
            if is_simple {
                let record = &mut tree.records[index];
                record.hooks.set(Hooks::FAST, record.hooks.contains(Hooks::HOST));
            }
            if let Some(&[mask]) = tree.observers.mask(NodeId::new(index).expect("T1")) {
                tree.records[index].mask = mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::index::{NodeId, ObserverId};
    use crate::kinds::NodeKind;
    use crate::nodes::{
        action, check, cooldown, delay, idle, limit, parallel, random_choice, random_selector, random_sequence,
        reactive_selector, reactive_sequence, repeat, selector, sequence, switch, timeout, token, until_failure,
        until_success, utility_selector, wait, wait_for, wait_ticks,
    };
    use crate::tree::kind::NodeMemory;
    use crate::{Host, Status, Tree, nodes::Abort};

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    /// Add a kind with memory here: `finish` panics if its record has no room.
    #[test]
    fn every_kind_that_remembers_something_has_room() {
        let tree = Tree::<Game>::builder("all").build(parallel([
            timeout(1.0, delay(1.0, wait(1.0))),
            cooldown(1.0, limit(1, repeat(2, wait_ticks(1)))),
            random_choice([wait_for("answer")]),
            random_sequence([random_selector([utility_selector([("1.0", idle())])])]),
            switch("1 < 2", [(true, idle())]),
            until_success(until_failure(token("t", 1, idle())).count(2)).count(3),
            reactive_sequence([reactive_selector([check("1 < 2"), idle()])]),
        ]));
        let tree = tree.unwrap();
        for kind in NodeKind::ALL.iter().filter(|it| it.memory() != NodeMemory::Nothing) {
            assert!(tree.records.iter().any(|it| it.kind == *kind), "{kind:?} is not in this tree");
        }
    }

    /// The tree that `docs/design/abort.md` draws, and its arrays as drawn there.
    #[test]
    fn the_tree_of_the_design_page_has_its_arrays() {
        let mut tree = Tree::<Game>::builder("drawn");
        tree.key("health", 1.0_f32);
        let flee = sequence([check("health < 0.3"), action(|_| Status::Running)]).aborts(Abort::LOWER_PRIORITY);
        let tree = tree.build(selector([flee, action(|_| Status::Running)])).unwrap();
        let node = |it| NodeId::new(it).unwrap();
        let of = |field: fn(&super::Record) -> NodeId| tree.records.iter().map(field).collect::<Vec<_>>();
        let none = NodeId::NONE;
        assert_eq!(of(|it| it.parent), [none, node(0), node(1), node(1), node(0)]);
        assert_eq!(of(|it| it.end), [5, 4, 3, 4, 5].map(NodeId::end));
        assert_eq!(of(|it| it.nearest_composite), [none, node(0), node(1), node(1), node(0)]);
        let lists = |of: &dyn Fn(NodeId) -> Vec<NodeId>| (0..5).map(|it| of(node(it))).collect::<Vec<_>>();
        let (one, none) = (|it| vec![node(it)], Vec::new());
        assert_eq!(
            lists(&|it| tree.children.of(it).to_vec()),
            [vec![node(1), node(4)], vec![node(2), node(3)], none.clone(), none.clone(), none.clone()]
        );
        assert_eq!(
            lists(&|it| tree.child_conditions.of(it).to_vec()),
            [none.clone(), one(2), none.clone(), none.clone(), none]
        );
        assert_eq!(tree.records[2].monitor, ObserverId::new(0));
        assert_eq!(tree.records.iter().map(|it| it.mask).collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
        assert_eq!(tree.scope(node(2), &[node(4)]), Some((node(0), node(4))));
        assert_eq!(tree.scope(node(2), &[node(3)]), None);
        assert!(tree.is_simple());
    }
}
