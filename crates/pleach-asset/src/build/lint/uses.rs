//! Which keys the nodes of a tree read and write.

use std::collections::{HashMap, HashSet};

use pleach_core::{
    Host, NodeId, NodeRef, Type, Value,
    expr::{Expr, KeyIndex},
    kinds::{FieldShape, NodeKind},
};

use super::{Written, keys};
use crate::asset::{Argument, Param, Subtree};
use crate::build::place::Place;
use crate::span::Span;

/// What a test reads.
#[derive(Clone, Default)]
pub(super) struct Reads<'a> {
    pub(super) keys: HashSet<KeyIndex>,
    /// The time, the agent's or the forest's.
    pub(super) time: bool,
    /// What it asks that is not a key: a condition of the host, by its name, or an event.
    pub(super) others: HashSet<&'a str>,
}

impl<'a> Reads<'a> {
    /// Whether a change of one can be a change of the other.
    pub(super) fn meets(&self, other: &Reads<'a>) -> bool {
        (self.time && other.time) || !self.keys.is_disjoint(&other.keys) || !self.others.is_disjoint(&other.others)
    }

    /// Whether the answer is always the same.
    pub(super) fn is_constant(&self) -> bool {
        !self.time && self.keys.is_empty() && self.others.is_empty()
    }

    fn expr(&mut self, expr: &Expr) {
        self.keys.extend(expr.keys());
        self.time |= expr.reads_clock();
    }

    pub(super) fn extend(&mut self, other: &Reads<'a>) {
        self.keys.extend(&other.keys);
        self.time |= other.time;
        self.others.extend(&other.others);
    }
}

/// A `Set`.
pub(super) struct Set {
    pub(super) node: NodeId,
    pub(super) key: KeyIndex,
    /// The value, if it is the same each time.
    pub(super) value: Option<Value>,
}

/// Which keys the nodes of a tree read and write.
#[derive(Default)]
pub(super) struct Uses<'a> {
    reads: HashMap<NodeId, Reads<'a>>,
    /// In pre-order.
    pub(super) sets: Vec<Set>,
    /// The nodes that write a key.
    writers: HashMap<KeyIndex, Vec<NodeId>>,
    /// The keys that leaves of the host are given, which may read or write them.
    given: HashSet<KeyIndex>,
    /// The keys that the tree does more with than reset them.
    own: HashSet<KeyIndex>,
}

impl<'a> Uses<'a> {
    pub(super) fn of<H: Host>(written: &Written<'a, H>) -> Uses<'a> {
        let mut uses = Uses::default();
        for node in written.tree.nodes() {
            if let Some(reads) = written.reads(node) {
                uses.reads.insert(node.id(), reads);
            }
            if let Some(set) = written.set(node) {
                if set.value != Some(written.tree.schema().decl(set.key).default()) {
                    uses.own.insert(set.key);
                }
                uses.writers.entry(set.key).or_default().push(node.id());
                uses.sets.push(set);
            }
            let drawn = (node.node_kind() == NodeKind::Roll).then_some("key");
            if let Some(Param::Text(into)) = written.value(node, drawn.unwrap_or("into"))
                && let Some(key) = node.key(into)
            {
                uses.own.insert(key);
                uses.writers.entry(key).or_default().push(node.id());
            }
            // Services and the conditions of guards are not nodes.
            if let Some(Place::Node(it)) = written.origin(node).map(|it| it.place) {
                let names = keys::of_leaves(std::iter::once(it.node()), std::iter::empty());
                uses.given.extend(names.into_iter().filter_map(|it| node.key(it)));
            }
        }
        uses
    }

    /// What a condition, a guard or a `WaitUntil` asks.
    pub(super) fn reads(&self, node: NodeId) -> Option<&Reads<'a>> {
        self.reads.get(&node)
    }

    /// Whether a node asks for something of that.
    pub(super) fn asks<H: Host>(&self, node: NodeRef<'_, H>, of: &Reads<'a>) -> bool {
        self.reads(node.id()).is_some_and(|it| it.meets(of))
    }

    /// The nodes that write a key.
    pub(super) fn writers(&self, key: KeyIndex) -> &[NodeId] {
        self.writers.get(&key).map_or(&[], |it| it)
    }

    /// Whether a leaf of the host takes a key.
    pub(super) fn is_given(&self, key: KeyIndex) -> bool {
        self.given.contains(&key)
    }

    /// Whether the tree sets a key by itself. If it only sets it back to its default, others set
    /// it.
    pub(super) fn is_own(&self, key: KeyIndex) -> bool {
        self.own.contains(&key)
    }
}

/// An expression of a node: the place of its string, and the expected type.
pub(super) struct Expression<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
    pub(super) expected: Option<Type>,
}

impl<'a, H: Host> Written<'a, H> {
    /// A parameter of a built-in node.
    pub(super) fn value(&self, node: NodeRef<'_, H>, field: &str) -> Option<&'a Param<'a>> {
        Some(&self.built_in(node)?.node().built_in()?.field(field)?.value)
    }

    fn set(&self, node: NodeRef<'_, H>) -> Option<Set> {
        if node.node_kind() != NodeKind::Set {
            return None;
        }
        let (Some(Param::Text(key)), Some(Param::Text(to))) = (self.value(node, "key"), self.value(node, "to")) else {
            return None;
        };
        let key = node.key(key)?;
        let ty = self.tree.schema().decl(key).ty();
        Some(Set { node: node.id(), key, value: node.expr(to, Some(ty)).ok()?.constant() })
    }

    /// What a condition, a guard or a `WaitUntil` asks.
    fn reads(&self, node: NodeRef<'_, H>) -> Option<Reads<'a>> {
        let mut reads = Reads::default();
        match node.node_kind() {
            NodeKind::Check | NodeKind::WaitUntil | NodeKind::Guard => {
                let when = match self.origin(node)?.place {
                    Place::Interrupt(it) => Some(&it.when.value),
                    _ => self.value(node, "when"),
                };
                match (node.test(), when) {
                    (Some(test), _) => reads.expr(test),
                    (None, Some(Param::Leaf(leaf))) => _ = reads.others.insert(leaf.whole().kind.text),
                    _ => return None,
                }
            }
            NodeKind::OnEvent | NodeKind::Free => {
                let field = if node.node_kind() == NodeKind::Free { "token" } else { "event" };
                match self.value(node, field)? {
                    Param::Text(name) => _ = reads.others.insert(name),
                    _ => return None,
                }
            }
            NodeKind::Condition => match self.origin(node)?.place {
                Place::Node(it) => _ = reads.others.insert(it.kind.text),
                _ => return None,
            },
            _ => return None,
        }
        Some(reads)
    }

    /// What selects among the children of a composite while one of them runs.
    pub(super) fn selects(&self, node: NodeRef<'_, H>) -> Reads<'a> {
        let mut reads = Reads::default();
        let mut read = |text: &str, expected| node.expr(text, expected).iter().for_each(|it| reads.expr(it));
        match node.node_kind() {
            NodeKind::Switch if self.value(node, "latch") != Some(&Param::Bool(true)) => {
                if let Some(Param::Text(on)) = self.value(node, "on") {
                    read(on, None);
                }
            }
            NodeKind::UtilitySelector if self.value(node, "reevaluate") == Some(&Param::Bool(true)) => {
                if let Some(Param::Texts(scores)) = self.value(node, "score") {
                    scores.iter().for_each(|it| read(it.text, Some(Type::Float)));
                }
            }
            _ => {}
        }
        reads
    }

    /// All expressions of a built-in node, those of its services too.
    pub(super) fn expressions(&self, node: NodeRef<'_, H>) -> Vec<Expression<'a>> {
        let mut all = Vec::new();
        match self.origin(node).map(|it| it.place) {
            Some(Place::Interrupt(it)) => all.extend(expression(&it.when, Some(Type::Bool))),
            Some(Place::Node(it)) => {
                if let Some(own) = it.node().built_in() {
                    for argument in own.fields.iter() {
                        self.of_argument(node, it, argument, &mut all);
                    }
                }
                let services = it.node().rest().services.iter().filter(|it| !it.run.whole().disabled);
                all.extend(services.filter_map(|it| expression(&it.every, Some(Type::Float))));
            }
            Some(Place::Whole | Place::Include(..)) | None => {}
        }
        all
    }

    fn of_argument(
        &self,
        node: NodeRef<'_, H>,
        it: Subtree<'a>,
        argument: &'a Argument<'a>,
        all: &mut Vec<Expression<'a>>,
    ) {
        let expected = match (argument.field.shape, argument.field.name) {
            (FieldShape::Number | FieldShape::Expr, "from" | "to") => {
                let Some(Param::Text(key)) = self.value(node, "key") else { return };
                let Some(key) = node.key(key) else { return };
                Some(self.tree.schema().decl(key).ty())
            }
            (FieldShape::Number, _) | (FieldShape::Expr, "score") => Some(Type::Float),
            (FieldShape::Count, _) => Some(Type::Int),
            (FieldShape::Test, _) | (FieldShape::Expr, "expr") => Some(Type::Bool),
            (FieldShape::Expr, "payload") => {
                let Some(Param::Text(event)) = self.value(node, "event") else { return };
                self.tree.schema().events().find(|it| it.name() == *event).and_then(|it| it.payload())
            }
            (FieldShape::Expr, _) => None,
            _ => return,
        };
        match &argument.value {
            Param::Texts(texts) => {
                all.extend(it.enabled(texts).map(|it| Expression { text: it.text, span: it.span, expected }));
            }
            _ => all.extend(expression(argument, expected)),
        }
    }
}

fn expression<'a>(argument: &'a Argument<'a>, expected: Option<Type>) -> Option<Expression<'a>> {
    let Param::Text(text) = argument.value else { return None };
    Some(Expression { text, span: argument.span, expected })
}
