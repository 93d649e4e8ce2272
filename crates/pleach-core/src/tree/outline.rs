//! The shape of a tree, without what its nodes do: enough to find its nodes again in another
//! version of it.

use std::borrow::Cow;

use pleach_expr::runtime;

use super::kind::{Arity, NodeKind};
use super::record::{GuardTest, Op};
use super::{NodeRef, Tree};
use crate::index::LeafId;
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::tree::amount::NodeCount;
use crate::{Host, NodeId};

/// The nodes of a tree, in pre-order.
#[derive(Clone, Debug)]
pub(crate) struct Outline<'t> {
    nodes: Vec<OutlineNode<'t>>,
    /// For each node, its first child and its next sibling.
    links: Vec<(NodeId, NodeId)>,
    /// For each node, its place among the children of its parent.
    places: Vec<u32>,
    /// For each node, one past the last node of its subtree.
    #[cfg_attr(not(feature = "save"), expect(dead_code, reason = "saves alone ask"))]
    ends: Vec<NodeId>,
    /// For each leaf of the host, its name: its kind as it is written, or its type if it is not a
    /// node.
    #[cfg_attr(not(feature = "save"), expect(dead_code, reason = "saves alone ask"))]
    pub(crate) leaves: Vec<Cow<'t, str>>,
}

/// A node of an outline.
#[derive(Clone, Debug)]
pub(crate) struct OutlineNode<'t> {
    pub(crate) node_kind: NodeKind,
    /// Its kind as it is written.
    pub(crate) kind: Cow<'t, str>,
    pub(crate) name: Option<Cow<'t, str>>,
    pub(crate) id: Option<Cow<'t, str>>,
    /// [`NodeId::NONE`] for the root.
    pub(crate) parent: NodeId,
    /// It is a `Repeat`, an `UntilSuccess` or an `UntilFailure` with a count.
    pub(crate) counted: bool,
    /// A condition's question, in words; for a Token, its token.
    pub(crate) asks: Option<Cow<'t, str>>,
    /// The host's leaf that it is, or that its guard asks.
    pub(crate) leaf: Option<LeafId>,
    /// The leaves of its services, in order.
    pub(crate) services: Vec<LeafId>,
}

impl<'t> Outline<'t> {
    /// The outline of a tree.
    pub(crate) fn of<H: Host>(tree: &'t Tree<H>) -> Self {
        let mut leaves = vec![Cow::Borrowed(""); tree.leaves.len()];
        let type_of = |leaf: LeafId| Cow::Borrowed(tree.stateful.type_name(&tree.leaves[leaf.index()]));
        let node = |it: NodeRef<'t, H>| {
            let record = it.record();
            let leaf = match record.op {
                Op::Action { leaf, .. } | Op::Condition { leaf, .. } => {
                    leaves[leaf.index()] = Cow::Borrowed(it.kind());
                    Some(leaf)
                }
                Op::Guard { when: GuardTest::Leaf(leaf), .. } => {
                    leaves[leaf.index()] = type_of(leaf);
                    Some(leaf)
                }
                _ => None,
            };
            let services = if record.serves { tree.services_of(it.id()) } else { &[] };
            services.iter().for_each(|it| leaves[it.leaf.index()] = type_of(it.leaf));
            OutlineNode {
                node_kind: record.kind,
                kind: Cow::Borrowed(it.kind()),
                name: it.name().map(Cow::Borrowed),
                id: it.id_text().map(Cow::Borrowed),
                parent: record.parent,
                counted: match record.op {
                    Op::Repeat { count, .. } => count != NodeCount::Fixed(0),
                    Op::Attempts { .. } => true,
                    _ => false,
                },
                asks: it.asks(),
                leaf,
                services: services.iter().map(|it| it.leaf).collect(),
            }
        };
        let nodes = tree.nodes().map(node).collect();
        Outline::link(nodes, leaves).expect("T1")
    }

    /// Links nodes that are in pre-order; `None` if they are not, if a decorator or a leaf has the
    /// wrong number of children, or if they are too many or too deep.
    pub(crate) fn link(nodes: Vec<OutlineNode<'t>>, leaves: Vec<Cow<'t, str>>) -> Option<Self> {
        if nodes.len() > MAX_NODES {
            return None;
        }
        let mut links = vec![(NodeId::NONE, NodeId::NONE); nodes.len()];
        let mut ends = vec![NodeId::end(nodes.len()); nodes.len()];
        let mut children = vec![0_u32; nodes.len()];
        let mut places = vec![0; nodes.len()];
        // The path to the previous node, with the last child of each node on it.
        let mut path: Vec<(NodeId, NodeId)> = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let id = NodeId::new(index)?;
            while let Some(&(last, _)) = path.last().filter(|it| it.0 != node.parent) {
                ends[last.index()] = id;
                path.pop();
            }
            match path.last_mut() {
                None if index > 0 || node.parent != NodeId::NONE => return None,
                None => {}
                Some((parent, before)) => {
                    match before.some() {
                        None => links[parent.index()].0 = id,
                        Some(before) => links[before.index()].1 = id,
                    }
                    *before = id;
                    places[index] = children[parent.index()];
                    children[parent.index()] += 1;
                }
            }
            path.push((id, NodeId::NONE));
            if path.len() > MAX_DEPTH {
                return None;
            }
        }
        let fits = |(node, children): (&OutlineNode<'_>, u32)| match node.node_kind.arity() {
            Arity::Leaf => children == 0,
            Arity::Decorator => children == 1 || children > 1 && node.node_kind == NodeKind::Finally,
            Arity::Composite => children > 0,
        };
        let fits = !nodes.is_empty() && nodes.iter().zip(children).all(fits);
        fits.then_some(Outline { nodes, links, places, ends, leaves })
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &OutlineNode<'t> {
        &self.nodes[id.index()]
    }

    /// All nodes, in pre-order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, &OutlineNode<'t>)> {
        self.nodes.iter().enumerate().map(|(index, node)| (NodeId::new(index).expect("T1"), node))
    }

    /// The children of a node, in order.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.links[id.index()].0.some(), |it| self.links[it.index()].1.some())
    }

    /// Whether a node is a leaf of the `do` of a Finally: a child after the first.
    pub(crate) fn is_in_do(&self, id: NodeId) -> bool {
        let is_finally = |it: NodeId| self.node(it).node_kind == NodeKind::Finally;
        self.places[id.index()] > 0 && self.node(id).parent.some().is_some_and(is_finally)
    }

    /// The place of a node among the children of its parent.
    #[cfg(feature = "save")]
    pub(crate) fn place(&self, id: NodeId) -> u32 {
        self.places[id.index()]
    }

    /// Whether `node` is `ancestor` or below it.
    #[cfg(feature = "save")]
    pub(crate) fn contains(&self, ancestor: NodeId, node: NodeId) -> bool {
        ancestor <= node && node < self.ends[ancestor.index()]
    }
}

impl<'t, H: Host> NodeRef<'t, H> {
    /// A condition's question, if two versions of it can be compared by that; or which token a node
    /// refers to.
    fn asks(self) -> Option<Cow<'t, str>> {
        let key = |it| {
            let key = self.tree.schema.decl(it);
            format!("{}.{}", key.scope(), key.name())
        };
        match self.record().op {
            Op::Check { expr } => Some(Cow::Owned(runtime::asks(self.tree.expr(expr), key))),
            Op::Condition { .. } => Some(Cow::Borrowed(self.detail())),
            Op::OnEvent { event, into } => Some(Cow::Owned(format!("{event:?} {}", into.map(key).unwrap_or_default()))),
            // A Token is not a condition, but restarts if its token changes.
            Op::Token { token, .. } | Op::Free { token } => {
                let token = &self.tree.tokens[token.index()];
                Some(Cow::Owned(format!("{} {}", token.scope, token.name)))
            }
            _ => None,
        }
    }
}
