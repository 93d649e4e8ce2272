//! The tree: immutable, validated once, shared by all its agents.
//!
//! [`node`] and [`build`] make it, [`flatten`] is the only door into it, [`compile`] compiles each
//! node's parameters, [`items`] and [`flow`] work out what load time can work out, [`record`] is
//! what the interpreter reads.

mod build;
mod compile;
mod flatten;
mod flow;
pub(crate) mod items;
mod memory;
mod node;
mod problem;
pub(crate) mod record;

use std::fmt;
use std::sync::Arc;

pub use build::*;
pub use flatten::TreeBuilder;
pub use node::{Abort, AnyLeaf, Arity, DeferredLeaf, HostLeaf, LeafError, Node, Policy, When};
pub use problem::{Field, Problem, ProblemKind, TreeError};

use crate::blackboard::{NodeView, Schema, SchemaError};
use crate::clock::Nanos;
use crate::expr::{Expr, KeyIndex};
use crate::leaf::Leaf;
use crate::{Host, Key, NodeId, text};
use record::{ExprId, LeafId, Record, Slot, Then};

/// What only people and tools ask of a node.
#[derive(Debug)]
struct Info {
    kind: Box<str>,
    name: Option<Box<str>>,
    id: Option<Box<str>>,
    note: Option<Box<str>>,
    detail: Box<str>,
    depth: u16,
    arity: Arity,
    origin: Option<u32>,
}

/// A service, compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceRecord {
    pub(crate) node: NodeId,
    /// Its place among the services of its node.
    pub(crate) index: usize,
    pub(crate) leaf: LeafId,
    pub(crate) interval: Nanos,
    /// The time of its last run.
    pub(crate) slot: Slot,
}

/// A behaviour tree.
///
/// Its invariants, which everything after validation relies on:
/// - **T1** There are 1 to [`MAX_NODES`](crate::limits::MAX_NODES) nodes, numbered in pre-order; a
///   node's subtree is the range from its index to its `end`.
/// - **T2** Composites have at least one child, decorators exactly one, leaves none.
/// - **T3** Every index in a record is in bounds: parent, end, leaf, expression, text, node memory,
///   item.
/// - **T4** Lanes (possible run stacks) are numbered so that counting up visits them in the order
///   of SEMANTICS 4: each parallel's left to right, and before the lane of the parallel. The lanes
///   below a node are a range.
/// - **T5** Items (what the reevaluation pass can look at) are numbered in pre-order; those of a
///   subtree are a range.
pub struct Tree<H: Host> {
    name: Box<str>,
    pub(crate) records: Vec<Record>,
    infos: Vec<Info>,
    /// All children lists, one after the other, and where each node's begins.
    children: Vec<NodeId>,
    child_from: Vec<u32>,
    /// The same for the conditions whose nearest composite ancestor a node is.
    conditions: Vec<NodeId>,
    condition_from: Vec<u32>,
    pub(crate) leaves: Vec<Arc<dyn Leaf<H>>>,
    /// The node of each leaf, for its context.
    pub(crate) leaf_nodes: Vec<NodeId>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) texts: Vec<Box<str>>,
    pub(crate) weights: Vec<Box<[f64]>>,
    pub(crate) services: Vec<ServiceRecord>,
    pub(crate) schema: Schema,
    /// Lane -> bottom.
    pub(crate) bottoms: Vec<NodeId>,
    pub(crate) items: items::ItemTable,
    /// What starting the root comes to.
    pub(crate) entry: Then,
    /// Words of node memory per agent.
    pub(crate) memory: usize,
    /// Whether a stack's resumption can outlive a tick (a conditional abort after a re-run in one
    /// pass).
    pub(crate) keeps_resume: bool,
    /// The most children of a composite that scores them.
    pub(crate) scores: usize,
    /// Leaves that want to know of awake and pause.
    pub(crate) lifecycle: Vec<LeafId>,
}

impl<H: Host> Tree<H> {
    /// Begins a tree.
    #[must_use]
    pub fn builder(name: impl Into<String>) -> TreeBuilder<H> {
        TreeBuilder::new(name)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many nodes it has.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "T1: no tree is empty")]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Every node, in pre-order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeRef<'_, H>> {
        (0..self.len()).map(|index| NodeRef { tree: self, id: NodeId::new(index).expect("T1") })
    }

    /// A node by its index, if the tree has so many.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeRef<'_, H>> {
        (id.index() < self.len()).then_some(NodeRef { tree: self, id })
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> NodeRef<'_, H> {
        NodeRef { tree: self, id: NodeId::ROOT }
    }

    /// Every node of that name, in pre-order. Walks all nodes.
    pub fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeRef<'a, H>> {
        self.nodes().filter(move |it| it.name() == Some(name))
    }

    /// The node of that id. Walks all nodes.
    #[must_use]
    pub fn find_id(&self, id: &str) -> Option<NodeRef<'_, H>> {
        self.nodes().find(|it| it.id_text() == Some(id))
    }

    /// The node of a path as [`NodeRef::path`] prints it. Walks down from the root.
    #[must_use]
    pub fn find_path(&self, path: &str) -> Option<NodeRef<'_, H>> {
        let mut at = self.root();
        let mut rest = path.strip_prefix(at.label())?;
        while !rest.is_empty() {
            // By the labels, not by the slashes: a name may hold one.
            (at, rest) = at.children().enumerate().find_map(|(place, child)| {
                let after = rest.strip_prefix('/')?.strip_prefix(child.label())?.strip_prefix(&format!("[{place}]"))?;
                (after.is_empty() || after.starts_with('/')).then_some((child, after))
            })?;
        }
        Some(at)
    }

    /// The lowest node whose subtree holds both. Costs the depth of the first.
    ///
    /// # Panics
    /// If a node is of a larger tree.
    #[must_use]
    pub fn lowest_common_ancestor(&self, a: NodeId, b: NodeId) -> NodeId {
        let mut at = a;
        while !self.contains(at, b) {
            at = self.records[at.index()].parent;
        }
        at
    }

    /// Whether `node` is `ancestor` or below it. Two comparisons.
    ///
    /// # Panics
    /// If `ancestor` is of a larger tree.
    #[must_use]
    pub fn contains(&self, ancestor: NodeId, node: NodeId) -> bool {
        ancestor <= node && node < self.records[ancestor.index()].end
    }

    /// The blackboard keys that it declares.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The typed key of a name; `group.name` and the like name a scope.
    ///
    /// # Errors
    /// When there is none, or it has another type.
    pub fn key<T: crate::BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        self.schema.key(name)
    }

    /// The typed key of a name as a node sees it: its own keys and those of the nodes above it come
    /// first.
    ///
    /// # Errors
    /// When there is none, it has another type, or the node is not in this tree.
    pub fn key_at<T: crate::BlackboardType>(&self, node: NodeId, name: &str) -> Result<Key<T>, SchemaError> {
        self.schema.typed(self.find_key(Some(node), name)?)
    }

    /// The key of a name, as a node sees it or from outside.
    pub(crate) fn find_key(&self, node: Option<NodeId>, name: &str) -> Result<KeyIndex, SchemaError> {
        if let Some(node) = node.filter(|it| it.index() >= self.records.len()) {
            return Err(SchemaError::ForeignNode(node));
        }
        let path: Vec<NodeId> = std::iter::successors(node, |it| self.rec(*it).parent.some()).collect();
        NodeView { schema: &self.schema, path: &path }.find(name)
    }

    /// How many run stacks an agent can have at most: one, and one more per child of a parallel.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.bottoms.len()
    }

    /// The bytes that an agent of this tree takes, by what they are for.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        crate::forest::footprint(self)
    }

    #[inline]
    pub(crate) fn rec(&self, id: NodeId) -> &Record {
        &self.records[id.index()]
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub(crate) fn kids(&self, id: NodeId) -> &[NodeId] {
        &self.children[self.child_from[id.index()] as usize..self.child_from[id.index() + 1] as usize]
    }

    /// The composite at which a condition is watched while these are the tops of the stacks, if it
    /// is, with its running child: the lowest active composite above the condition, if the abort
    /// types of all between allow it (SEMANTICS 5).
    pub(crate) fn scope(&self, condition: NodeId, tops: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let first = self.rec(condition).composite;
        let (mut by_self, mut by_priority) = (true, true);
        let mut at = first.some()?;
        loop {
            let record = self.rec(at);
            by_self &= record.abort.contains(Abort::SELF);
            let top = tops[usize::from(record.lane)];
            if top != NodeId::NONE && self.contains(at, top) {
                let watched = by_self || (by_priority && at != first);
                if !watched || record.is_parallel() || top == at {
                    return None;
                }
                let running = self.child_towards(at, top);
                return (!self.contains(running, condition)).then_some((at, running));
            }
            by_priority &= record.abort.contains(Abort::LOWER_PRIORITY);
            if !by_self && !by_priority {
                return None;
            }
            at = record.composite.some()?;
        }
    }

    /// The child of `above` that is `node` or holds it.
    pub(crate) fn child_towards(&self, above: NodeId, node: NodeId) -> NodeId {
        let mut at = node;
        while self.rec(at).parent != above {
            at = self.rec(at).parent;
        }
        at
    }
}

impl<H: Host> fmt::Debug for Tree<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("name", &self.name).field("nodes", &self.len()).finish_non_exhaustive()
    }
}

/// The memory of one agent, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// What a tick touches: run stacks, monitors, flags, change tracking, node memory.
    pub hot: usize,
    /// The rest that the runtime keeps: handle, clock, random stream, last abort.
    pub cold: usize,
    /// Its node and agent keys.
    pub blackboard: usize,
    /// The states of its host leaves.
    pub leaves: usize,
}

impl Footprint {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> usize {
        self.hot + self.cold + self.blackboard + self.leaves
    }
}

/// A node of a tree, to look at.
pub struct NodeRef<'a, H: Host> {
    tree: &'a Tree<H>,
    id: NodeId,
}

impl<H: Host> Clone for NodeRef<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H: Host> Copy for NodeRef<'_, H> {}

impl<H: Host> fmt::Debug for NodeRef<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.id.index(), self.label())
    }
}

/// The longest parameters in a line of text.
const LONGEST_DETAIL: usize = 60;

/// In a line: `n5 Check(health < 0.3)`, `n4 Sequence "fight"`. Long parameters are cut.
impl<H: Host> fmt::Display for NodeRef<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, text::plain(self.kind()))?;
        if !self.detail().is_empty() {
            write!(f, "({})", text::plain(&text::shorten(self.detail(), LONGEST_DETAIL)))?;
        }
        match self.name() {
            Some(name) => write!(f, " \"{}\"", text::plain(name)),
            None => Ok(()),
        }
    }
}

impl<'a, H: Host> NodeRef<'a, H> {
    fn info(self) -> &'a Info {
        &self.tree.infos[self.id.index()]
    }
    fn record(self) -> &'a Record {
        self.tree.rec(self.id)
    }
    fn at(self, id: NodeId) -> Self {
        NodeRef { tree: self.tree, id }
    }
    /// Its index in pre-order.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }
    /// Its kind as it is written in assets: `Sequence`, `Wait`, or a registered leaf's name.
    #[must_use]
    pub fn kind(self) -> &'a str {
        &self.info().kind
    }
    /// The name that it was given.
    #[must_use]
    pub fn name(self) -> Option<&'a str> {
        self.info().name.as_deref()
    }
    /// Its name, or else its kind.
    #[must_use]
    pub fn label(self) -> &'a str {
        self.name().unwrap_or(self.kind())
    }
    /// The stable id that it was given.
    #[must_use]
    pub fn id_text(self) -> Option<&'a str> {
        self.info().id.as_deref()
    }
    /// The note that it was given.
    #[must_use]
    pub fn note(self) -> Option<&'a str> {
        self.info().note.as_deref()
    }
    /// Its main parameters, for drawings: an expression, a duration, a count; of a leaf of the
    /// host, what [`HostLeaf::described`] was given, which for one from an asset is what stands
    /// there. Empty if there are none.
    #[must_use]
    pub fn detail(self) -> &'a str {
        &self.info().detail
    }
    /// How many children its kind takes.
    #[must_use]
    pub fn arity(self) -> Arity {
        self.info().arity
    }
    /// Whether it is a condition.
    #[must_use]
    pub fn is_condition(self) -> bool {
        self.record().is_condition()
    }
    /// Its abort type; empty for all but composites.
    #[must_use]
    pub fn abort(self) -> Abort {
        self.record().abort
    }
    /// How many services it has.
    #[must_use]
    pub fn services(self) -> usize {
        self.tree.services.iter().filter(|it| it.node == self.id).count()
    }
    /// Its depth; the root has 1.
    #[must_use]
    pub fn depth(self) -> usize {
        usize::from(self.info().depth)
    }
    /// The origin that it was built with.
    #[must_use]
    pub fn origin(self) -> Option<u32> {
        self.info().origin
    }
    /// Its parent; the root has none.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        self.record().parent.some().map(|it| self.at(it))
    }
    /// Its nearest composite ancestor.
    #[must_use]
    pub fn composite(self) -> Option<Self> {
        self.record().composite.some().map(|it| self.at(it))
    }
    /// Its children, in order.
    pub fn children(self) -> impl ExactSizeIterator<Item = Self> {
        self.tree.kids(self.id).iter().map(move |&it| self.at(it))
    }
    /// The conditions whose nearest composite ancestor it is, in order.
    pub fn child_conditions(self) -> impl ExactSizeIterator<Item = Self> {
        let Tree { conditions, condition_from, .. } = self.tree;
        let range = condition_from[self.id.index()] as usize..condition_from[self.id.index() + 1] as usize;
        conditions[range].iter().map(move |&it| self.at(it))
    }
    /// It and everything below it, in pre-order.
    pub fn subtree(self) -> impl ExactSizeIterator<Item = Self> {
        (self.id.index()..self.record().end.index()).map(move |it| self.at(NodeId::new(it).expect("T1")))
    }
    /// Its path from the root: `guard/fight[1]/MoveTo[0]`, each part a label and the place among
    /// its siblings.
    #[must_use]
    pub fn path(self) -> String {
        let mut parts = Vec::new();
        let mut at = self;
        while let Some(parent) = at.parent() {
            let place = at.tree.kids(parent.id).binary_search(&at.id).expect("a child of its parent");
            parts.push(format!("/{}[{place}]", at.label()));
            at = parent;
        }
        parts.push(at.label().into());
        parts.into_iter().rev().collect()
    }
}
