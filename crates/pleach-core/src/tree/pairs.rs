//! Matches the nodes of an old tree to those of a new one (SEMANTICS 10.1), and finds what would
//! not carry on in an agent (10.2). Both depend only on the trees, so they are worked out once, for
//! all agents.

use std::any::TypeId;
use std::collections::VecDeque;
use std::hash::Hash;

use indexmap::IndexMap;

use super::kind::{NodeClass, NodeKind};
use super::outline::{Outline, OutlineNode};
use super::{ServiceRecord, Tree};
use crate::index::LeafId;
use crate::{Host, NodeId};

/// Why a node ends when its agent's tree is replaced by another version (SEMANTICS 10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestartCause {
    /// The new tree has no matching node in the same place.
    Changed,
    /// A parallel has other children, or in another order.
    Branches,
    /// A random composite or a utility selector has other children.
    Children,
    /// A `Repeat`, an `UntilSuccess` or an `UntilFailure` has gained or lost a count.
    Count,
    /// A Token is about another token.
    Token,
    /// The new leaf asks for it: see [`Action::can_resume`](crate::Action::can_resume).
    Asked,
    /// All agents start from the beginning, as the call says.
    Restart,
}

/// What restarts if a node is active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Ends with everything below it, and is started again. If it is the root, the agent starts
    /// from the beginning.
    pub(crate) at: NodeId,
    /// The node that does not carry on, and why.
    pub(crate) node: NodeId,
    pub(crate) cause: RestartCause,
}

/// The leaves of the host in two versions of a tree.
pub(crate) trait Versions {
    /// What a leaf is. An old leaf and a new one are the same if they have the same identity.
    type Identity: Eq + Hash;
    fn of_old(&self, leaf: LeafId) -> Self::Identity;
    fn of_new(&self, leaf: LeafId) -> Self::Identity;
    /// Whether the new leaf continues what the old one began. They are the same.
    fn can_resume(&self, old: LeafId, new: LeafId) -> bool;
}

/// The leaves of two loaded trees.
pub(crate) struct LoadedTrees<'t, H: Host>(pub(crate) &'t Tree<H>, pub(crate) &'t Tree<H>);

impl<H: Host> Versions for LoadedTrees<'_, H> {
    type Identity = TypeId;
    fn of_old(&self, leaf: LeafId) -> TypeId {
        self.0.inner(leaf).type_id()
    }
    fn of_new(&self, leaf: LeafId) -> TypeId {
        self.1.inner(leaf).type_id()
    }
    fn can_resume(&self, old: LeafId, new: LeafId) -> bool {
        self.1.stateful.can_resume(&self.1.leaves[new.index()], self.0.inner(old))
    }
}

/// The nodes of two trees, matched.
#[derive(Debug)]
pub(crate) struct Pairs {
    /// Old node -> new node.
    to: Vec<Option<NodeId>>,
    /// The old nodes that match in place, as do all nodes above them.
    in_place: Vec<bool>,
    /// Old node -> what restarts if it is active, or about to be started.
    cuts: Vec<Option<Cut>>,
    /// The conditions whose monitors stay (SEMANTICS 10.3), if they have any.
    pub(crate) monitors: Vec<(NodeId, NodeId)>,
    /// The leaves of both trees that are the same, with those of services and guards.
    pub(crate) leaves: Vec<(LeafId, LeafId)>,
    /// The services of matched nodes that are the same, by their places among those of the node.
    pub(crate) services: Vec<(ServicePlace, ServicePlace)>,
}

/// A node, and a place among its services.
pub(crate) type ServicePlace = (NodeId, usize);

impl Pairs {
    /// Asks leaves, which is host code and may panic.
    pub(crate) fn of(old: &Outline<'_>, new: &Outline<'_>, leaves: &impl Versions) -> Self {
        let to = matches(old, new, leaves);
        let (in_place, cuts, monitors) = (Vec::new(), Vec::new(), Vec::new());
        let mut pairs = Pairs { to, in_place, cuts, monitors, leaves: Vec::new(), services: Vec::new() };
        for (id, node) in old.nodes() {
            let other = pairs.to(id);
            let in_place = other.is_some_and(|other| match node.parent.some() {
                None => other == NodeId::ROOT,
                Some(parent) => {
                    pairs.in_place(parent)
                        && new.node(other).parent.some() == pairs.to(parent)
                        && old.is_in_do(id) == new.is_in_do(other)
                }
            });
            pairs.in_place.push(in_place);
            if let Some(other) = other {
                pairs.add_leaves((id, node), (other, new.node(other)), leaves);
            }
        }
        for (id, node) in old.nodes() {
            let cut = pairs.find_cut(id, old, new, leaves);
            pairs.cuts.push(cut);
            let other = pairs.to(id).filter(|_| pairs.in_place(id));
            let asks = other.is_some_and(|it| node.asks.is_some() && asks_the_same(node, new.node(it), leaves));
            pairs.monitors.extend(other.filter(|_| asks).map(|it| (id, it)));
        }
        pairs
    }

    pub(crate) fn to(&self, old: NodeId) -> Option<NodeId> {
        self.to[old.index()]
    }

    fn in_place(&self, old: NodeId) -> bool {
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
    fn add_leaves(
        &mut self,
        (id, node): (NodeId, &OutlineNode<'_>),
        (other_id, other): (NodeId, &OutlineNode<'_>),
        leaves: &impl Versions,
    ) {
        self.leaves.extend(node.leaf.zip(other.leaf).filter(|it| leaves.of_old(it.0) == leaves.of_new(it.1)));
        let theirs = other.services.iter().enumerate().map(|(at, leaf)| (leaves.of_new(*leaf), (at, *leaf)));
        let mut left = Unpaired::of(theirs);
        for (place, service) in node.services.iter().enumerate() {
            if let Some((at, leaf)) = left.take(&leaves.of_old(*service)) {
                self.leaves.push((*service, leaf));
                self.services.push(((id, place), (other_id, at)));
            }
        }
    }

    /// What restarts if this node is active. The nodes above it are done.
    fn find_cut(&self, id: NodeId, old: &Outline<'_>, new: &Outline<'_>, leaves: &impl Versions) -> Option<Cut> {
        if let Some(cut) = old.node(id).parent.some().and_then(|it| self.cut(it)) {
            return Some(cut);
        }
        if !self.in_place(id) {
            let mut at = id;
            let composite = loop {
                match old.node(at).parent.some() {
                    None => break NodeId::ROOT,
                    // A parallel that has all its children loses only the branch.
                    Some(above) if old.node(above).node_kind == NodeKind::Parallel => break at,
                    Some(above) if old.node(above).node_kind.class() == NodeClass::Composite => break above,
                    Some(above) => at = above,
                }
            };
            return Some(Cut { at: composite, node: id, cause: RestartCause::Changed });
        }
        let cause = self.forces((id, old), (self.to(id)?, new), leaves)?;
        Some(Cut { at: id, node: id, cause })
    }

    /// Why a matched node restarts nevertheless.
    fn forces(
        &self,
        (id, old): (NodeId, &Outline<'_>),
        (other, new): (NodeId, &Outline<'_>),
        leaves: &impl Versions,
    ) -> Option<RestartCause> {
        let (node, now) = (old.node(id), new.node(other));
        let children = || old.children(id).map(|it| self.to(it));
        let theirs = || new.children(other);
        match node.node_kind {
            NodeKind::Parallel => (!children().eq(theirs().map(Some))).then_some(RestartCause::Branches),
            NodeKind::RandomSequence | NodeKind::RandomSelector | NodeKind::UtilitySelector => {
                // No two nodes match the same one, so equal numbers make it one to one.
                let is_theirs = |it: NodeId| new.node(it).parent == other;
                let all = children().count() == theirs().count() && children().all(|it| it.is_some_and(is_theirs));
                (!all).then_some(RestartCause::Children)
            }
            NodeKind::Repeat | NodeKind::UntilSuccess | NodeKind::UntilFailure => {
                (node.counted != now.counted).then_some(RestartCause::Count)
            }
            NodeKind::Token => (node.asks != now.asks).then_some(RestartCause::Token),
            NodeKind::Action | NodeKind::Condition => {
                let goes_on = node.leaf.zip(now.leaf).is_some_and(|it| leaves.can_resume(it.0, it.1));
                (!goes_on).then_some(RestartCause::Asked)
            }
            _ => None,
        }
    }
}

impl<H: Host> Tree<H> {
    /// The services of a node, in order.
    pub(crate) fn services_of(&self, node: NodeId) -> &[ServiceRecord] {
        let first = self.services.partition_point(|it| it.node < node);
        let end = self.services.partition_point(|it| it.node <= node);
        &self.services[first..end]
    }

    /// The leaf itself, of any type.
    fn inner(&self, leaf: LeafId) -> &dyn std::any::Any {
        self.stateful.inner(&self.leaves[leaf.index()])
    }
}

/// Whether two conditions that match ask the same.
fn asks_the_same(node: &OutlineNode<'_>, other: &OutlineNode<'_>, leaves: &impl Versions) -> bool {
    let leaf = node.leaf.zip(other.leaf);
    node.asks == other.asks && leaf.is_none_or(|it| leaves.can_resume(it.0, it.1))
}

/// What makes two nodes the same kind: the same built-in, or the same leaf of the host under the
/// same name.
fn kind_of<'t, I>(node: &'t OutlineNode<'_>, identity: impl Fn(LeafId) -> I) -> (NodeKind, Option<(&'t str, I)>) {
    let is_leaf = matches!(node.node_kind, NodeKind::Action | NodeKind::Condition);
    let leaf = node.leaf.filter(|_| is_leaf).map(|it| (&*node.kind, identity(it)));
    (node.node_kind, leaf)
}

/// Items that have not been taken yet, by a key. Those of one key are taken in their order.
struct Unpaired<K, V>(IndexMap<K, VecDeque<V>>);

impl<K: Eq + Hash, V> Unpaired<K, V> {
    fn of(items: impl Iterator<Item = (K, V)>) -> Self {
        let mut left = IndexMap::<K, VecDeque<V>>::new();
        items.for_each(|(key, item)| left.entry(key).or_default().push_back(item));
        Unpaired(left)
    }

    fn take(&mut self, key: &K) -> Option<V> {
        self.0.get_mut(key)?.pop_front()
    }
}

/// Old node -> new node.
fn matches<V: Versions>(old: &Outline<'_>, new: &Outline<'_>, leaves: &V) -> Vec<Option<NodeId>> {
    let mut to = vec![None; old.len()];
    let mut taken = vec![false; new.len()];
    let old_kind = |it| kind_of(old.node(it), |leaf| leaves.of_old(leaf));
    let new_kind = |it| kind_of(new.node(it), |leaf| leaves.of_new(leaf));
    let ids: IndexMap<&str, NodeId> = new.nodes().filter_map(|(id, it)| Some((&**it.id.as_ref()?, id))).collect();
    for (id, node) in old.nodes() {
        if let Some(&other) = node.id.as_ref().and_then(|it| ids.get(&**it))
            && old_kind(id) == new_kind(other)
        {
            to[id.index()] = Some(other);
            taken[other.index()] = true;
        }
    }
    if to[0].is_none() && !taken[0] && old_kind(NodeId::ROOT) == new_kind(NodeId::ROOT) {
        to[0] = Some(NodeId::ROOT);
        taken[0] = true;
    }
    for (id, _) in old.nodes() {
        let Some(other) = to[id.index()] else { continue };
        // The remaining ones by kind and name, in order: the k-th with the k-th. What is in the
        // `do` of a Finally never matches its child.
        let theirs = new.children(other).filter(|it| !taken[it.index()]);
        let key = |it| (new_kind(it), new.node(it).name.as_deref(), new.is_in_do(it));
        let mut left = Unpaired::of(theirs.map(|it| (key(it), it)));
        for child in old.children(id) {
            if to[child.index()].is_none()
                && let Some(them) = left.take(&(old_kind(child), old.node(child).name.as_deref(), old.is_in_do(child)))
            {
                to[child.index()] = Some(them);
                taken[them.index()] = true;
            }
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::Status;
    use crate::nodes::{action, idle, selector, wait};

    struct Game;
    impl Host for Game {
        type Cx<'a> = ();
    }

    /// Counts how often leaves are asked what they are.
    struct Counted<'t>(LoadedTrees<'t, Game>, Cell<usize>);

    impl Versions for Counted<'_> {
        type Identity = TypeId;
        fn of_old(&self, leaf: LeafId) -> TypeId {
            self.1.set(self.1.get() + 1);
            self.0.of_old(leaf)
        }
        fn of_new(&self, leaf: LeafId) -> TypeId {
            self.1.set(self.1.get() + 1);
            self.0.of_new(leaf)
        }
        fn can_resume(&self, old: LeafId, new: LeafId) -> bool {
            self.0.can_resume(old, new)
        }
    }

    #[test]
    fn the_cost_of_a_match_is_linear_in_services_and_children() {
        const MANY: usize = 4_000;
        let root = || {
            let children = (0..MANY).map(|_| wait(1.0)).chain([idle()]);
            (0..MANY).fold(selector(children), |it, _| it.with_service(1.0, action(|_| Status::Success)))
        };
        let tree = || Tree::<Game>::builder("many").build(root()).expect("a good tree");
        let (old, new) = (tree(), tree());
        let leaves = Counted(LoadedTrees(&old, &new), Cell::new(0));
        let pairs = Pairs::of(&Outline::of(&old), &Outline::of(&new), &leaves);
        assert_eq!(pairs.services.len(), MANY);
        assert!(pairs.services.iter().all(|(own, theirs)| own == theirs));
        assert!(pairs.iter().all(|(own, theirs)| own == theirs));
        assert_eq!(leaves.1.get(), 2 * MANY);
    }
}
