//! The index types of a tree. Making one is checked; using one is not our caller's worry: they only
//! come out of a validated [`Tree`](crate::Tree).

use std::fmt;

/// A node of a tree: its place in pre-order, the root is 0. Prints as `n12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u16);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);
    /// "No node", where a whole `Option` would double the size. No tree has a node of this index.
    pub(crate) const NONE: NodeId = NodeId(u16::MAX);

    /// The node of this pre-order index, if an index can be that large at all.
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().filter(|&it| it != u16::MAX).map(NodeId)
    }

    /// The pre-order index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// One past the last node of a subtree: up to [`MAX_NODES`](crate::limits::MAX_NODES) itself.
    pub(crate) fn end(index: usize) -> NodeId {
        NodeId(narrow(index))
    }

    /// The next node in pre-order, which is the first child of a parent.
    pub(crate) const fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }

    /// This node, or `None` for [`NodeId::NONE`].
    pub(crate) fn some(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// Narrows an index that validation has bounded (invariant T1: at most
/// [`MAX_NODES`](crate::limits::MAX_NODES) nodes, and so at most as many stacks, leaves and
/// observers).
pub(crate) fn narrow(index: usize) -> u16 {
    u16::try_from(index).expect("bounded by MAX_NODES at load")
}
