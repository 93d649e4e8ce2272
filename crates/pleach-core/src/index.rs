//! The index types of a tree. Making one is checked. Using one needs no check, as they only come
//! out of a validated [`Tree`](crate::Tree).

use std::fmt;

/// A node of a tree: its index in pre-order, where the root is 0. Prints as `n12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u16);

impl NodeId {
    /// The root of every tree.
    pub const ROOT: NodeId = NodeId(0);
    /// "No node", where an `Option` would double the size. No tree has a node of this index.
    pub(crate) const NONE: NodeId = NodeId(u16::MAX);

    /// The node of this pre-order index; `None` if no tree can have so many nodes.
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().filter(|&it| it != u16::MAX).map(NodeId)
    }

    /// The pre-order index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// One past the last node of a subtree; at most [`MAX_NODES`](crate::limits::MAX_NODES).
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

/// Narrows an index that validation has bounded (invariant T1): there are at most
/// [`MAX_NODES`](crate::limits::MAX_NODES) nodes, and so at most as many stacks, leaves and
/// observers.
pub(crate) fn narrow(index: usize) -> u16 {
    u16::try_from(index).expect("bounded by MAX_NODES at load")
}
