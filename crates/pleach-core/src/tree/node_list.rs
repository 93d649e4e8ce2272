//! [`NodeList`]: nodes before they are a tree, for code that makes many.

use super::instance::{Border, Instance};
use super::node::{Node, Spec};
use crate::Host;

/// Nodes that are made children first and are not moved, for code that has trees in another form:
/// putting [`Node`]s together copies them at each level.
///
/// ```
/// # use pleach_core::nodes::{idle, sequence, succeed};
/// # use pleach_core::{Host, Tree, nodes::NodeList};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let mut list = NodeList::<Game>::default();
/// list.push(succeed(), 0);
/// list.push(idle(), 0);
/// list.push(sequence([]), 2);
/// let root = list.into_node().expect("one node is left");
/// assert_eq!(Tree::builder("two").build(root).unwrap().len(), 3);
/// ```
#[derive(Debug)]
pub struct NodeList<H: Host> {
    pub(super) specs: Vec<Spec<H>>,
    /// Size and height of each node that has no parent yet.
    whole: Vec<(usize, usize)>,
}

impl<H: Host> Default for NodeList<H> {
    fn default() -> Self {
        NodeList { specs: Vec::new(), whole: Vec::new() }
    }
}

impl<H: Host> NodeList<H> {
    /// With room for this many nodes.
    #[must_use]
    pub fn with_capacity(nodes: usize) -> Self {
        NodeList { specs: Vec::with_capacity(nodes), whole: Vec::new() }
    }

    /// Adds a node. Its children are the last `children` of those that have no parent yet; they
    /// replace any that it was made with.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn push(&mut self, node: Node<H>, children: usize) {
        self.push_spec(Spec { children, ..node.own });
    }

    pub(super) fn push_spec(&mut self, spec: Spec<H>) {
        let below = self.whole.drain(self.whole.len() - spec.children..);
        let (size, height) = below.fold((1, 1), |(size, height), it| (size + it.0, height.max(it.1 + 1)));
        self.whole.push((size, height));
        self.specs.push(spec);
    }

    /// How many nodes have no parent yet.
    #[cfg(feature = "baked")]
    pub(super) fn parentless(&self) -> usize {
        self.whole.len()
    }

    /// Makes the node that was pushed last, with everything below it, an instance; around those
    /// that it was made before.
    ///
    /// # Panics
    /// If there is no node.
    pub fn instance(&mut self, instance: Instance) {
        self.specs.last_mut().expect("a node was pushed").rest().borders.push(Border::Instance(Box::new(instance)));
    }

    /// Marks the last `count` of the nodes that have no parent yet, with everything below them, as
    /// nodes given to the instance around them (SEMANTICS 9.6): they see the keys and events that
    /// the node sees in whose place the instance stands. Around the instances that they were made
    /// before. Outside any instance this has no effect.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn given(&mut self, count: usize) {
        let mut end = self.specs.len();
        for (size, _) in self.whole[self.whole.len() - count..].iter().rev() {
            self.specs[end - 1].rest().borders.push(Border::Given);
            end -= size;
        }
    }

    /// The node that has no parent, if there is exactly one.
    #[must_use]
    pub fn into_node(mut self) -> Option<Node<H>> {
        let &[(size, height)] = &*self.whole else { return None };
        Some(Node { own: self.specs.pop()?, below: self.specs, size, height })
    }
}
