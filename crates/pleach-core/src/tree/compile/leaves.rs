//! The host's leaves of a tree: made in the order of the nodes, after everything else about them is
//! known.
//!
//! This is a separate pass because the code that compiles expressions and the code that makes
//! leaves would not fit together into a processor's instruction cache, node by node.

use pleach_expr::expr::KeyIndex;

use super::super::flatten::Flatten;
use super::super::kind::NodeKind;
use super::super::node::LeafError;
use super::super::part::{HostLeaf, Make, NewLeaf, Part, Source};
use super::super::problem::{Field, ProblemKind};
use super::super::record::{GuardTest, Op};
use super::super::{NodeSpan, ServiceRecord};
use crate::blackboard::NodeKeys;
use crate::host::Callbacks;
use crate::host::leaf::Leaf;
use crate::index::{LeafId, MemoryOffset};
use crate::limits::MAX_NODES;
use crate::{Host, NodeId, Observes, Outcome};

/// A leaf, with its parameters for people.
type MadeLeaf<H> = (Box<dyn Leaf<H>>, Box<str>);

/// A leaf that has not been made yet.
pub(in super::super) struct Waiting<H: Host> {
    node: NodeId,
    leaf: HostLeaf<H>,
    of: Use,
}

/// The use of a leaf in a node.
pub(in super::super) enum Use {
    /// It is the node.
    Node,
    /// A guard asks it; with the name under which its kind was written, if it has one, and how the
    /// guard ends when it does not hold.
    Guard(Option<Box<str>>, Outcome),
    /// It is a service of a composite.
    Service { index: usize, interval: NodeSpan, slot: MemoryOffset },
}

impl<H: Host> Flatten<H> {
    /// Has a leaf made later. Until then its node fails.
    pub(in super::super) fn later(&mut self, node: NodeId, leaf: HostLeaf<H>, of: Use) -> Op {
        self.waiting.push(Waiting { node, leaf, of });
        Op::Fail
    }

    /// Makes the leaves that wait.
    pub(in super::super) fn make_leaves(&mut self) {
        for Waiting { node, leaf, of } in std::mem::take(&mut self.waiting) {
            self.see_from(node);
            match of {
                Use::Node => self.node_leaf(node, leaf),
                Use::Guard(kind, result) => self.guard_leaf(node, leaf, kind, result),
                Use::Service { index, interval, slot } => self.service_leaf(node, leaf, index, interval, slot),
            }
        }
    }

    fn node_leaf(&mut self, id: NodeId, leaf: HostLeaf<H>) {
        let Some((leaf, detail)) = self.made(id, None, leaf) else { return };
        self.tree.infos[id.index()].detail = detail;
        let calls = leaf.callbacks();
        let condition = leaf.is_condition();
        let leaf = self.leaf(id, leaf);
        let record = &mut self.tree.records[id.index()];
        // Its kind is known only now.
        (record.kind, record.op) = if condition {
            (NodeKind::Condition, Op::Condition { leaf, calls })
        } else {
            (NodeKind::Action, Op::Action { leaf, calls })
        };
    }

    fn guard_leaf(&mut self, id: NodeId, leaf: HostLeaf<H>, kind: Option<Box<str>>, result: Outcome) {
        let field = Some(Field::Param("when"));
        let Some((leaf, detail)) = self.made(id, field.clone(), leaf) else { return };
        if !leaf.is_condition() {
            self.problem(id, field, ProblemKind::ActionAsTest);
        }
        self.tree.infos[id.index()].detail = match kind {
            None => detail,
            Some(kind) if detail.is_empty() => kind,
            Some(kind) => format!("{kind}({detail})").into(),
        };
        let when = GuardTest::Leaf(self.leaf(id, leaf));
        self.tree.records[id.index()].op = Op::Guard { when, result };
    }

    fn service_leaf(&mut self, node: NodeId, leaf: HostLeaf<H>, index: usize, interval: NodeSpan, slot: MemoryOffset) {
        let field = Field::Service(index);
        let Some((leaf, detail)) = self.made(node, Some(field.clone()), leaf) else { return };
        if leaf.is_condition() {
            self.problem(node, Some(field), ProblemKind::ConditionAsService);
        }
        let leaf = self.leaf(node, leaf);
        self.tree.service_details.push(detail);
        self.tree.services.push(ServiceRecord { node, index, leaf, interval, slot });
        self.tree.records[node.index()].serves = true;
    }

    /// The leaf itself, with its parameters for people. Makes a deferred one; reports what is wrong
    /// with it.
    fn made(&mut self, id: NodeId, field: Option<Field>, leaf: HostLeaf<H>) -> Option<MadeLeaf<H>> {
        let HostLeaf { source, mut detail, mut observes } = leaf;
        let mut leaf = match source {
            Source::Made(leaf) => leaf,
            Source::Deferred(make) => {
                let own = self.make(id, field, make)?;
                // Set both on the node and on the leaf that it became.
                let doubled = (!detail.is_empty() && !own.1.is_empty()).then_some("described");
                for option in doubled.into_iter().chain(observes.as_ref().and(own.2.as_deref()).map(option_of)) {
                    self.problem(id, Some(Field::Param(option)), ProblemKind::OptionTwice { option });
                }
                detail = if detail.is_empty() { own.1 } else { detail };
                observes = observes.or(own.2);
                own.0
            }
        };
        match observes {
            Some(observes) if !leaf.is_condition() => {
                let option = option_of(&observes);
                let kind = NodeKind::Action.name().into();
                self.problem(id, Some(Field::Param(option)), ProblemKind::NoOption { kind, option });
            }
            Some(observes) => leaf.observe(*observes),
            None => {}
        }
        Some((leaf, detail))
    }

    /// Makes a deferred leaf, and takes its parts.
    fn make(&mut self, id: NodeId, field: Option<Field>, make: Make<H>) -> Option<NewLeaf<H>> {
        let made = make(&NodeKeys::new(&self.schema, &self.sight));
        let reason = |error| match error {
            LeafError::Key(error) => self.problem(id, field.clone(), ProblemKind::Key(error)),
            LeafError::Event(error) => self.problem(id, field.clone(), ProblemKind::Event(error)),
            LeafError::Other(reason) => self.problem(id, field.clone(), ProblemKind::Leaf(reason)),
            LeafError::Told(count) => self.told_elsewhere(count),
        };
        let node = made.map_err(reason).ok()?;
        let mut wrong = Vec::new();
        let made = Part::deferred(node, field.as_ref(), &mut wrong);
        for (field, kind) in wrong {
            self.problem(id, field, kind);
        }
        made
    }

    fn leaf(&mut self, id: NodeId, leaf: Box<dyn Leaf<H>>) -> LeafId {
        if let Observes::Keys(keys) = leaf.observes() {
            let own = |key: &KeyIndex| key.index() < self.schema.keys().len();
            if !keys.iter().all(own) {
                self.problem(id, None, ProblemKind::Observes);
            }
        }
        if self.tree.leaves.len() == MAX_NODES {
            self.problem(id, None, ProblemKind::TooManyLeaves);
        }
        let at = LeafId::new(self.tree.leaves.len().min(MAX_NODES));
        if leaf.callbacks().contains(Callbacks::LIFECYCLE) {
            self.tree.lifecycle.push(at);
        }
        let placed = leaf.place(&mut self.tree.stateful);
        self.tree.leaves.push(placed);
        self.tree.leaf_nodes.push(id);
        at
    }
}

/// The option that says what a condition observes.
fn option_of(observes: &Observes) -> &'static str {
    if let Observes::Every(_) = observes { "every" } else { "observes" }
}
