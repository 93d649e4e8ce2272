//! Node memory: which words of an agent belong to which node. Two nodes that are never active at
//! once share theirs: a node's memory begins after its parent's, so that siblings overlap, unless
//! their parent runs them together. Every start sets what it will read (SEMANTICS 3), so no node
//! reads what another one left.

use crate::index::{MemoryOffset, NodeId};

/// The layout, built node by node in pre-order.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Words that outlive an activation, numbered separately until the layout is complete.
    pub(super) kept: u32,
    /// The next word of the node that is being compiled.
    next: u32,
    /// For each node so far, by its index: where its own memory ends, where that of everything
    /// below it so far ends, and whether its children run together.
    ends: Vec<(u32, u32, bool)>,
    most: u32,
}

impl Memory {
    /// Makes room for this many nodes.
    pub(super) fn reserve(&mut self, nodes: usize) {
        self.ends.reserve_exact(nodes);
    }

    /// Begins a node: `path` is the node and its ancestors, nearest first.
    pub(super) fn enter(&mut self, path: &[NodeId], together: bool) {
        self.next = match path.get(1).map(|parent| self.ends[parent.index()]) {
            None => 0,
            Some((own, _, false)) => own,
            Some((_, below, true)) => below,
        };
        self.ends.push((self.next, self.next, together));
    }

    pub(super) fn words(&mut self, count: u32) -> MemoryOffset {
        let slot = MemoryOffset::new(self.next);
        self.next += count;
        slot
    }

    pub(super) fn kept(&mut self, count: u32) -> MemoryOffset {
        let slot = MemoryOffset::new(self.kept);
        self.kept += count;
        slot
    }

    /// Ends the node: passes what it took on to its ancestors.
    pub(super) fn leave(&mut self, path: &[NodeId]) {
        let end = self.next;
        self.most = self.most.max(end);
        self.ends[path[0].index()].0 = end;
        for node in path {
            let (_, below, _) = &mut self.ends[node.index()];
            *below = end.max(*below);
        }
    }

    /// How many words all activations together need.
    pub(super) fn shared(&self) -> u32 {
        self.most
    }
}
