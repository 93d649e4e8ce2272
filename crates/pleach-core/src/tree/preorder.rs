//! The order in which a tree keeps its nodes: parents before their children, which are in a list
//! the other way round while the tree is being built.

use super::node::Spec;
use crate::Host;
use crate::index::narrow;

/// The position of each node, in pre-order.
pub(super) struct PreOrder {
    /// Its place in post-order.
    pub(super) post: Vec<u16>,
    /// The index of its parent; [`PreOrder::NONE`] for the root.
    parents: Vec<u16>,
    pub(super) depths: Vec<u16>,
}

impl PreOrder {
    const NONE: u16 = u16::MAX;

    /// The parent of each node.
    pub(super) fn parents(&self) -> impl ExactSizeIterator<Item = Option<usize>> + Clone {
        self.parents.iter().map(|&it| (it != Self::NONE).then_some(usize::from(it)))
    }
}

/// Finds the pre-order of a post-order list of at most 65 535 nodes. The nodes stay where they are.
pub(super) fn preorder<H: Host>(specs: &[Spec<H>]) -> PreOrder {
    // Read backwards, a post-order list is a pre-order list with every list of children reversed. A
    // first pass finds the sizes of the subtrees, a second gives each node its index.
    let total = specs.len();
    // For each node, how many children it has, and the size of its subtree. The nodes themselves
    // are large: they are looked at once.
    let mut sizes: Vec<(u16, u16)> = Vec::with_capacity(total);
    let mut open: Vec<u16> = Vec::new();
    for spec in specs {
        let first = open.len() - spec.children;
        let size = 1 + open[first..].iter().sum::<u16>();
        open.truncate(first);
        open.push(size);
        sizes.push((narrow(spec.children), size));
    }
    let mut index = vec![0_u16; total];
    let mut layout = PreOrder { post: vec![0; total], parents: vec![PreOrder::NONE; total], depths: vec![1; total] };
    // (place in post-order of the next child from the right, one past the last index of the
    // remaining children)
    for at in (0..total).rev() {
        let own = index[at];
        layout.post[usize::from(own)] = narrow(at);
        let (children, size) = sizes[at];
        let mut end = own + size;
        let mut child = at;
        for _ in 0..children {
            child -= 1;
            end -= sizes[child].1;
            index[child] = end;
            layout.parents[usize::from(end)] = own;
            layout.depths[usize::from(end)] = layout.depths[usize::from(own)] + 1;
            child -= usize::from(sizes[child].1) - 1;
        }
    }
    layout
}
