//! Which nodes of an old tree are which nodes of a new one (SEMANTICS 10.1), and what of an agent
//! would not go on (10.2). Both depend on the trees alone, so they are found out once, for all
//! agents.

use std::any::Any;

use indexmap::IndexMap;

use super::record::{GuardTest, Op};
use super::{NodeClass, NodeRef, ServiceRecord, Tree};
use crate::index::{ExprId, LeafId, ObserverId};
use crate::tree::amount::NodeCount;
use crate::{Host, NodeId};

/// Why a node ends when its agent's tree is replaced by another version (SEMANTICS 10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestartCause {
    /// The new tree has no node that is this one in the same place.
    Changed,
    /// Other children of a parallel, or in another order.
    Branches,
    /// Other children of a random composite or a utility selector.
    Children,
    /// A `Repeat` has got a count or lost it.
    Count,
    /// The new leaf asks for it: see [`Action::goes_on`](crate::Action::goes_on).
    Asked,
    /// All agents begin anew, as the call says.
    Restart,
}

/// What restarts if a node is active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Ends with everything below it, and is started again. If it is the root, the agent begins
    /// anew.
    pub(crate) at: NodeId,
    /// The node that does not go on, and why.
    pub(crate) node: NodeId,
    pub(crate) cause: RestartCause,
}

/// The nodes of two trees, matched.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// Old node -> new node.
    to: Vec<Option<NodeId>>,
    /// The old nodes that match in place, as do all nodes above them.
    in_place: Vec<bool>,
    /// Old node -> what restarts if it is active, or is to be started next.
    cuts: Vec<Option<Cut>>,
    /// The leaves of both trees that are the same, with those of services and guards.
    pub(crate) leaves: Vec<(LeafId, LeafId)>,
    /// The services of matched nodes that are the same.
    pub(crate) services: Vec<(ServiceRecord, ServiceRecord)>,
}

impl Pairs {
    /// Asks leaves, which is host code and may panic.
    pub(crate) fn of<H: Host>(old: &Tree<H>, new: &Tree<H>) -> Self {
        let to = matches(old, new);
        let mut pairs = Pairs { to, in_place: Vec::new(), cuts: Vec::new(), leaves: Vec::new(), services: Vec::new() };
        for node in old.nodes() {
            let other = pairs.to(node.id());
            let in_place = other.is_some_and(|other| match node.parent() {
                None => other == NodeId::ROOT,
                Some(parent) => pairs.in_place(parent.id()) && new.rec(other).parent.some() == pairs.to(parent.id()),
            });
            pairs.in_place.push(in_place);
            if let Some(other) = other.and_then(|it| new.node(it)) {
                pairs.add_leaves(node, other);
            }
        }
        for node in old.nodes() {
            let cut = pairs.find_cut(node, new);
            pairs.cuts.push(cut);
        }
        pairs
    }

    pub(crate) fn to(&self, old: NodeId) -> Option<NodeId> {
        self.to[old.index()]
    }

    pub(crate) fn in_place(&self, old: NodeId) -> bool {
        self.in_place[old.index()]
    }

    pub(crate) fn cut(&self, old: NodeId) -> Option<Cut> {
        self.cuts[old.index()]
    }

    /// The pairs, in the order of the old tree.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let id = |index| NodeId::new(index).expect("T1");
        self.to.iter().enumerate().filter_map(move |(index, to)| Some((id(index), (*to)?)))
    }

    /// The leaves of two matched nodes, and of their services, that are the same.
    fn add_leaves<H: Host>(&mut self, node: NodeRef<'_, H>, other: NodeRef<'_, H>) {
        let (old, new) = (node.tree, other.tree);
        let leaf = |op: Op| match op {
            Op::Action { leaf, .. } | Op::Condition { leaf, .. } | Op::Guard { when: GuardTest::Leaf(leaf) } => {
                Some(leaf)
            }
            _ => None,
        };
        let pair = leaf(node.record().op).zip(leaf(other.record().op));
        self.leaves.extend(pair.filter(|it| same_type(old, it.0, new, it.1)));
        let mut taken = Vec::new();
        for service in old.services_of(node.id) {
            let same = |it: &&ServiceRecord| !taken.contains(&it.index) && same_type(old, service.leaf, new, it.leaf);
            if let Some(other) = new.services_of(other.id).iter().find(same) {
                taken.push(other.index);
                self.leaves.push((service.leaf, other.leaf));
                self.services.push((*service, *other));
            }
        }
    }

    /// What restarts if this node is active. What stands above it is known.
    fn find_cut<H: Host>(&self, node: NodeRef<'_, H>, new: &Tree<H>) -> Option<Cut> {
        let parent = node.parent();
        if let Some(cut) = parent.and_then(|it| self.cut(it.id())) {
            return Some(cut);
        }
        let id = node.id();
        if !self.in_place(id) {
            let mut at = id;
            let composite = loop {
                let above = node.tree.rec(at).parent;
                match above.some() {
                    None => break NodeId::ROOT,
                    // A parallel that has all its children loses the branch alone.
                    Some(above) if node.tree.rec(above).is_parallel() => break at,
                    Some(above) if node.tree.rec(above).kind.class() == NodeClass::Composite => break above,
                    Some(above) => at = above,
                }
            };
            return Some(Cut { at: composite, node: id, cause: RestartCause::Changed });
        }
        let other = new.node(self.to(id)?)?;
        let cause = self.forces(node, other)?;
        Some(Cut { at: id, node: id, cause })
    }

    /// Why a node that matches restarts all the same.
    fn forces<H: Host>(&self, node: NodeRef<'_, H>, other: NodeRef<'_, H>) -> Option<RestartCause> {
        let children = || node.children().map(|it| self.to(it.id()));
        let theirs = || other.children().map(|it| it.id());
        match (node.record().op, other.record().op) {
            (Op::Parallel { .. }, _) => (!children().eq(theirs().map(Some))).then_some(RestartCause::Branches),
            (Op::RandomSequence { .. } | Op::RandomSelector { .. } | Op::UtilitySelector { .. }, _) => {
                let all =
                    children().len() == theirs().len() && theirs().all(|it| children().any(|own| own == Some(it)));
                (!all).then_some(RestartCause::Children)
            }
            (Op::Repeat { count, .. }, Op::Repeat { count: now, .. }) => {
                let endless = |it: NodeCount| matches!(it, NodeCount::Fixed(0));
                (endless(count) != endless(now)).then_some(RestartCause::Count)
            }
            (Op::Action { leaf, .. }, Op::Action { leaf: now, .. })
            | (Op::Condition { leaf, .. }, Op::Condition { leaf: now, .. }) => {
                (!goes_on(node.tree, leaf, other.tree, now)).then_some(RestartCause::Asked)
            }
            _ => None,
        }
    }

    /// The monitors that stay (SEMANTICS 10.3), by their observers in both trees.
    pub(crate) fn monitors<H: Host>(&self, old: &Tree<H>, new: &Tree<H>) -> Vec<(ObserverId, ObserverId)> {
        let stays = |(node, other): (NodeId, NodeId)| {
            let pair = (old.rec(node).monitor.some()?, new.rec(other).monitor.some()?);
            (self.in_place(node) && asks_the_same(old.node(node)?, new.node(other)?)).then_some(pair)
        };
        self.iter().filter_map(stays).collect()
    }
}

impl<H: Host> Tree<H> {
    /// Whether a `Repeat` has a count.
    pub(crate) fn has_count(&self, node: NodeId) -> bool {
        matches!(self.rec(node).op, Op::Repeat { count, .. } if !matches!(count, NodeCount::Fixed(0)))
    }

    /// The services of a node, in order.
    pub(crate) fn services_of(&self, node: NodeId) -> &[ServiceRecord] {
        let first = self.services.partition_point(|it| it.node < node);
        let end = self.services.partition_point(|it| it.node <= node);
        &self.services[first..end]
    }
}

/// Whether two conditions that match ask the same.
fn asks_the_same<H: Host>(node: NodeRef<'_, H>, other: NodeRef<'_, H>) -> bool {
    let (old, new) = (node.tree, other.tree);
    match (node.record().op, other.record().op) {
        (Op::Check { expr }, Op::Check { expr: now }) => node.asked(expr) == other.asked(now),
        (Op::OnEvent { event, into }, Op::OnEvent { event: now, into: into_now }) => {
            let into = into.map(|it| old.schema.decl(it)).map(|it| (it.scope(), it.name()));
            event == now && into == into_now.map(|it| new.schema.decl(it)).map(|it| (it.scope(), it.name()))
        }
        (Op::Condition { leaf, .. }, Op::Condition { leaf: now, .. }) => {
            node.detail() == other.detail() && goes_on(old, leaf, new, now)
        }
        _ => false,
    }
}

impl<H: Host> NodeRef<'_, H> {
    /// What the expression of a condition asks.
    fn asked(self, expr: ExprId) -> String {
        let key = |it| self.tree.schema.decl(it);
        self.tree.expr(expr).asked(|it| format!("{}.{}", key(it).scope(), key(it).name()))
    }
}

/// The leaf itself, of whatever type.
fn inner<H: Host>(tree: &Tree<H>, leaf: LeafId) -> &dyn Any {
    tree.stateful.inner(&tree.leaves[leaf.index()])
}

fn same_type<H: Host>(old: &Tree<H>, leaf: LeafId, new: &Tree<H>, other: LeafId) -> bool {
    inner(old, leaf).type_id() == inner(new, other).type_id()
}

/// Whether the new leaf goes on with what the old one began.
fn goes_on<H: Host>(old: &Tree<H>, leaf: LeafId, new: &Tree<H>, now: LeafId) -> bool {
    new.stateful.goes_on(&new.leaves[now.index()], inner(old, leaf))
}

/// Whether two nodes are of one kind: the same built-in, or the same leaf of the host.
fn same_kind<H: Host>(node: NodeRef<'_, H>, other: NodeRef<'_, H>) -> bool {
    if node.node_kind() != other.node_kind() {
        return false;
    }
    match (node.record().op, other.record().op) {
        (Op::Action { leaf, .. }, Op::Action { leaf: now, .. })
        | (Op::Condition { leaf, .. }, Op::Condition { leaf: now, .. }) => {
            node.kind() == other.kind() && same_type(node.tree, leaf, other.tree, now)
        }
        _ => true,
    }
}

/// Old node -> new node.
fn matches<H: Host>(old: &Tree<H>, new: &Tree<H>) -> Vec<Option<NodeId>> {
    let mut to = vec![None; old.len()];
    let mut taken = vec![false; new.len()];
    let ids: IndexMap<&str, NodeRef<'_, H>> = new.nodes().filter_map(|it| Some((it.id_text()?, it))).collect();
    for node in old.nodes() {
        if let Some(&other) = node.id_text().and_then(|it| ids.get(it))
            && same_kind(node, other)
        {
            to[node.id().index()] = Some(other.id());
            taken[other.id().index()] = true;
        }
    }
    if to[0].is_none() && !taken[0] && same_kind(old.root(), new.root()) {
        to[0] = Some(NodeId::ROOT);
        taken[0] = true;
    }
    for node in old.nodes() {
        let Some(other) = to[node.id().index()].and_then(|it| new.node(it)) else { continue };
        // By kind and name, those that are left, in order: the k-th with the k-th.
        let mut left: IndexMap<_, Vec<NodeRef<'_, H>>> = IndexMap::new();
        for child in other.children().filter(|it| !taken[it.id().index()]) {
            left.entry((child.node_kind(), child.name())).or_default().push(child);
        }
        left.values_mut().for_each(|it| it.reverse());
        for child in node.children() {
            if to[child.id().index()].is_none()
                && let Some(them) = left.get_mut(&(child.node_kind(), child.name()))
                && let Some(at) = them.iter().rposition(|it| same_kind(child, *it))
            {
                let them = them.remove(at);
                to[child.id().index()] = Some(them.id());
                taken[them.id().index()] = true;
            }
        }
    }
    to
}
