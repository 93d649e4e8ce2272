//! The tree: immutable, validated once, shared by all its agents.
//!
//! [`kind`] lists the kinds of nodes; [`node`], [`nodes`], [`options`], [`part`] and [`node_list`]
//! make nodes, with [`amount`]s among others; [`flatten`] is the only way into the tree, and
//! [`problem`] lists what can be wrong there. [`compile`] compiles each node's parameters into its
//! [`record`], which is what the interpreter reads; [`memory`] lays out node memory. [`finish`]
//! works out the rest at load time: [`lists`] of children and conditions, [`observers`], [`abort`]
//! scopes, and with [`flow`] what follows each leaf.

mod abort;
pub(crate) mod amount;
#[cfg(feature = "baked")]
pub(crate) mod baked;
mod builder;
mod compile;
mod find;
#[cfg(feature = "save")]
mod fingerprint;
mod finish;
mod flatten;
mod flow;
mod instance;
pub(crate) mod kind;
mod lists;
mod memory;
mod node;
mod node_list;
pub mod nodes;
pub(crate) mod observers;
mod options;
pub(crate) mod outline;
pub(crate) mod pairs;
mod part;
mod preorder;
mod problem;
pub(crate) mod record;
mod sees;
mod shown;
mod told;
pub(crate) mod watch;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use builder::TreeBuilder;
pub use find::FindError;
pub use instance::InstanceRef;
pub use kind::{Arity, ChildOrder, EveryNodeKind, FieldDefault, FieldShape, NodeClass, NodeField, NodeKind};
pub use node::LeafError;
pub(crate) use nodes::Abort;
pub use problem::{Field, Problem, ProblemKind, TokenProblem, TreeError};
pub use shown::NodeWords;

use crate::blackboard::layout::Layout;
use crate::blackboard::token_decl::TokenDecl;
use crate::blackboard::{FrameId, KeyNeed, KeySet, KeysError, Schema, SchemaError};
use crate::host::leaf::TreeLeaf;
use crate::host::leaf::states::LeafTypes;
use crate::index::{ExprId, LeafId, MemoryOffset, PerStack};
use crate::trace::TraceNames;
use crate::{
    Event, Host, Key, NodeId,
    error::{EventError, SendError},
    text,
};
use amount::{NodeSpan, SpanRule};
use instance::InstanceInfo;
use lists::Lists;
use observers::ObserverTable;
use pleach_expr::expr::{Expr, KeyIndex};
use record::{Cases, GuardTest, Op, Record, Then};

/// What only people and tools ask of a node.
#[derive(Debug)]
struct Info {
    /// The name under which its kind was written, if that is not the kind's own.
    kind: Option<Box<str>>,
    name: Option<Box<str>>,
    id: Option<Box<str>>,
    note: Option<Box<str>>,
    /// Its main parameters, unless they are one expression.
    detail: Box<str>,
    depth: u16,
    origin: Option<u32>,
}

/// A service, compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceRecord {
    pub(crate) node: NodeId,
    /// Its place among the services of its node.
    pub(crate) index: usize,
    pub(crate) leaf: LeafId,
    pub(crate) interval: NodeSpan,
    /// The time of its next run.
    pub(crate) slot: MemoryOffset,
}

/// A behaviour tree.
///
/// Its invariants, which everything after validation relies on:
/// - **T1** There are 1 to [`MAX_NODES`](crate::limits::MAX_NODES) nodes, numbered in pre-order; a
///   node's subtree is the range from its index to its `end`.
/// - **T2** Composites have at least one child, decorators exactly one, leaves none.
/// - **T3** Every index in a record is in bounds: parent, end, leaf, expression, text, node memory,
///   observer.
/// - **T4** Stacks (possible run stacks) are numbered so that counting up visits them in the order
///   of SEMANTICS 4: each parallel's left to right, and before the stack of the parallel. The
///   stacks below a node are a range.
/// - **T5** Observers (what the reevaluation pass can look at) are numbered in pre-order; those of
///   a subtree are a range.
///
/// The fields that each tick reads come first, so that they share cache lines.
#[repr(C)]
pub struct Tree<H: Host> {
    pub(crate) records: Vec<Record>,
    pub(crate) leaves: Vec<TreeLeaf<H>>,
    /// What the fast path needs, and the same for ticks in which every observer is asked.
    watch: [watch::WatchSets; 2],
    /// What starting the root leads to.
    pub(crate) entry: Then,
    /// Whether a tick of an agent needs no room in a [`Scratch`](crate::machine::scratch::Scratch).
    pub(crate) needs_no_scratch: bool,
    pub(crate) observers: ObserverTable,
    name: Box<str>,
    infos: Vec<Info>,
    /// The children of each node, in order.
    pub(crate) children: Lists,
    /// For each composite, the conditions whose nearest composite ancestor it is, in order.
    child_conditions: Lists,
    /// What its leaves remember about each agent.
    pub(crate) stateful: LeafTypes<H>,
    /// The node of each leaf, for its context.
    pub(crate) leaf_nodes: Vec<NodeId>,
    pub(crate) exprs: Vec<Expr>,
    /// The spans that are not plain literals.
    pub(crate) spans: Vec<SpanRule>,
    pub(crate) texts: Vec<Box<str>>,
    pub(crate) weights: Vec<Box<[f64]>>,
    /// The cases of each switch.
    pub(crate) cases: Vec<Cases>,
    /// The tokens of its Token nodes, in the order of their first nodes.
    pub(crate) tokens: Vec<TokenDecl>,
    pub(crate) services: Vec<ServiceRecord>,
    /// The keys that nodes reset when they start, in pre-order.
    pub(crate) resets: Vec<(NodeId, KeyIndex)>,
    /// For each service, the name of its leaf's kind, if it has one.
    service_kinds: Vec<Option<Box<str>>>,
    /// For each service, its leaf's parameters, for people.
    service_details: Vec<Box<str>>,
    trace_names: OnceLock<Arc<TraceNames>>,
    /// The parts that come from other files, in pre-order.
    instances: Vec<InstanceInfo>,
    /// What each node sees; empty if the tree has no instances.
    frames: Box<[FrameId]>,
    pub(crate) schema: Schema,
    /// The keys that the game relies on, as given to its builder.
    pub(crate) needs: Vec<KeyNeed>,
    /// Where an agent's keys are.
    pub(crate) layout: Layout,
    /// Stack -> bottom.
    pub(crate) bottoms: PerStack<NodeId>,
    /// Words of node memory per agent.
    pub(crate) memory: usize,
    /// Where in node memory the resumptions of the stacks begin, one word each, if one can outlive
    /// a tick: a conditional abort after a re-run in one pass.
    pub(crate) resume: Option<MemoryOffset>,
    /// The most children of a composite that scores them.
    pub(crate) scores: usize,
    /// Leaves that implement awake or pause.
    pub(crate) lifecycle: Vec<LeafId>,
    #[cfg(feature = "save")]
    fingerprint: OnceLock<u64>,
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

    /// A node by its index, or `None` if the tree has fewer nodes.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeRef<'_, H>> {
        (id.index() < self.len()).then_some(NodeRef { tree: self, id })
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> NodeRef<'_, H> {
        NodeRef { tree: self, id: NodeId::ROOT }
    }

    /// The lowest node whose subtree holds both. Its cost grows with the depth of the first.
    pub(crate) fn lowest_common_ancestor(&self, a: NodeId, b: NodeId) -> NodeId {
        let mut at = a;
        while !self.contains(at, b) {
            at = self.records[at.index()].parent;
        }
        at
    }

    /// Whether `node` is `ancestor` or below it. Two comparisons.
    ///
    /// If `ancestor` belongs to a larger tree.
    #[must_use]
    pub fn contains(&self, ancestor: NodeId, node: NodeId) -> bool {
        ancestor <= node && node < self.records[ancestor.index()].end
    }

    /// The blackboard keys that it declares.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Whether its agents know an event, with this payload (SEMANTICS 8.27).
    ///
    /// # Errors
    /// If not.
    pub fn check_event(&self, event: &Event) -> Result<(), EventError> {
        event.check(&self.schema)
    }

    /// An error if its agents refuse an event.
    #[inline]
    pub(crate) fn hears(&self, event: &Event) -> Result<(), SendError> {
        self.check_event(event).map_err(|error| SendError::Refused { tree: self.name().into(), error, sender: None })
    }

    /// The typed key of a name; `group.name` and the like name a scope.
    ///
    /// # Errors
    /// When there is none, or it has another type.
    pub fn key<T: crate::BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        self.schema.key(name)
    }

    /// All keys of a set that the game relies on. Later versions of the tree may lack one:
    /// [`Forest::bind`](crate::Forest::bind) and [`Brain::bind`](crate::Brain::bind) see to that.
    ///
    /// # Errors
    /// Everything that is wrong with them in this tree.
    pub fn bind<K: KeySet>(&self) -> Result<K, KeysError> {
        self.schema.bind_set(self.name()).map(|it| it.0)
    }

    /// The typed key of a name as a node sees it: its own keys and those of the nodes above it take
    /// precedence.
    ///
    /// # Errors
    /// When there is none, it has another type, or the node is not in this tree.
    pub fn key_at<T: crate::BlackboardType>(&self, node: NodeId, name: &str) -> Result<Key<T>, SchemaError> {
        self.schema.typed(self.key_index_at(node, name)?)
    }

    /// The index of the key of a name, of any type, as a node sees it: for tools, which have no
    /// typed keys. See [`KeyName`](crate::schema::KeyName).
    ///
    /// # Errors
    /// When there is none, or the node is not in this tree.
    pub fn key_index_at(&self, node: NodeId, name: &str) -> Result<KeyIndex, SchemaError> {
        if node.index() >= self.records.len() {
            return Err(SchemaError::ForeignNode(node));
        }
        let found = self.with_view(node, |view| view.find(name))?;
        if found.index() < self.schema.keys().len() { Ok(found) } else { Err(SchemaError::Constant) }
    }

    /// How many run stacks an agent can have at most: one, and one more per child of a parallel.
    #[must_use]
    pub fn run_stacks(&self) -> usize {
        self.bottoms.len()
    }

    /// The types of the leaves whose states are not copied.
    pub(crate) fn uncopied(&self) -> impl Iterator<Item = &'static str> {
        let mut types: Vec<_> = self.leaves.iter().filter_map(|it| self.stateful.uncopied(it)).collect();
        types.sort_unstable();
        types.dedup();
        types.into_iter()
    }

    #[inline]
    pub(crate) fn rec(&self, id: NodeId) -> &Record {
        &self.records[id.index()]
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }
}

impl<H: Host> fmt::Debug for Tree<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("name", &self.name).field("nodes", &self.len()).finish_non_exhaustive()
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

/// The longest parameters shown in a line of text.
const LONGEST_DETAIL: usize = 60;

/// In a line: `n5 Check(health < 0.3)`, `n4 Sequence "fight"`; for an instance, after its name: `n9
/// fight: Strike`. Long parameters are cut.
impl<H: Host> fmt::Display for NodeRef<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.id)?;
        if let Some(instance) = self.instance() {
            write!(f, "{}: ", text::plain(instance.full_name()))?;
        }
        f.write_str(&text::plain(self.kind()))?;
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
        match &self.info().kind {
            Some(it) => it,
            None => self.node_kind().name(),
        }
    }
    /// Its kind; for a leaf of the host, whether it is an action or a condition.
    #[must_use]
    pub fn node_kind(self) -> NodeKind {
        self.record().kind
    }
    /// The name given to it.
    #[must_use]
    pub fn name(self) -> Option<&'a str> {
        self.info().name.as_deref()
    }
    /// Its name, or else its kind.
    #[must_use]
    pub fn label(self) -> &'a str {
        self.name().unwrap_or(self.kind())
    }
    /// The stable id given to it.
    #[must_use]
    pub fn id_text(self) -> Option<&'a str> {
        self.info().id.as_deref()
    }
    /// The note given to it.
    #[must_use]
    pub fn note(self) -> Option<&'a str> {
        self.info().note.as_deref()
    }
    /// How many children its kind takes.
    #[must_use]
    pub fn arity(self) -> Arity {
        self.node_kind().arity()
    }
    /// Whether it is a condition.
    #[must_use]
    pub fn is_condition(self) -> bool {
        self.record().is_condition()
    }
    /// Whether it calls a leaf of the host by itself: an action, a condition, or a guard that asks
    /// one. A composite does not, even if it has services.
    #[must_use]
    pub fn calls_leaf(self) -> bool {
        let op = &self.record().op;
        matches!(op, Op::Action { .. } | Op::Condition { .. } | Op::Guard { when: GuardTest::Leaf(_), .. })
    }
    /// Its abort type; empty for all but composites.
    #[must_use]
    pub fn abort(self) -> Abort {
        self.record().abort
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
    pub fn nearest_composite(self) -> Option<Self> {
        self.record().nearest_composite.some().map(|it| self.at(it))
    }
    /// The lowest node whose subtree holds both this node and another one of the same tree. Climbs:
    /// its cost grows with the depth of this node.
    ///
    /// # Panics
    /// If the other node's index is beyond this tree.
    #[must_use]
    pub fn lowest_common_ancestor(self, other: Self) -> Self {
        self.at(self.tree.lowest_common_ancestor(self.id, other.id))
    }
    /// The composites at which this condition is watched while they are active, lowest first, each
    /// with the abort types that allow it (SEMANTICS 5); for another node, those at which a
    /// condition in its place would be watched. `abort` gives the abort type of each composite:
    /// [`NodeRef::abort`], or another function for "what if" questions.
    pub fn watched_at(self, abort: impl Fn(Self) -> Abort) -> impl Iterator<Item = (Self, Abort)> {
        let nearest = move |it| self.tree.rec(it).nearest_composite.some();
        abort::chain(nearest(self.id), nearest, move |it| abort(self.at(it)))
            .map(move |(at, by)| (self.at(at), by))
            // The other children of a switch are not alternatives.
            .filter(|(at, _)| at.node_kind().order() != Some(ChildOrder::Selected))
    }
    /// Its children, in order.
    pub fn children(self) -> impl ExactSizeIterator<Item = Self> {
        self.tree.children.of(self.id).iter().map(move |&it| self.at(it))
    }
    /// The conditions whose nearest composite ancestor it is, in order.
    pub fn child_conditions(self) -> impl ExactSizeIterator<Item = Self> {
        self.tree.child_conditions.of(self.id).iter().map(move |&it| self.at(it))
    }
    /// It and everything below it, in pre-order.
    pub fn subtree(self) -> impl ExactSizeIterator<Item = Self> {
        (self.id.index()..self.record().end.index()).map(move |it| self.at(NodeId::new(it).expect("T1")))
    }
    /// Its path from the root: `guard/fight[1]/MoveTo[0]`, each part a label and the index among
    /// its siblings. The names of instances come before the label of their first node:
    /// `guard/combat:Sequence[1]/MoveTo[0]`.
    #[must_use]
    pub fn path(self) -> String {
        let mut parts = Vec::new();
        let mut at = self;
        while let Some(parent) = at.parent() {
            let place = at.tree.children.of(parent.id).binary_search(&at.id).expect("a child of its parent");
            parts.push(format!("/{}[{place}]", at.step()));
            at = parent;
        }
        [at.step()].into_iter().chain(parts.into_iter().rev()).collect()
    }
}
