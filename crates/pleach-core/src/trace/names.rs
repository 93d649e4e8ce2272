//! The names of nodes in traces, apart from their tree.

use std::fmt;

use crate::blackboard::describe;
use crate::{NodeId, Symbol, Value};

/// The names of a tree's nodes in traces. A [`Recorder`](super::Recorder) keeps them, so that it
/// can name the nodes of trees that were replaced, and of agents that are gone. There is one for
/// each tree that was traced, made at the first event:
/// [`Tree::trace_names`](crate::Tree::trace_names).
#[derive(Clone, PartialEq, Eq)]
pub struct TraceNames {
    tree: Box<str>,
    nodes: Box<[Box<str>]>,
    /// Those of composites, in pre-order.
    services: Box<[(NodeId, Box<str>)]>,
    words: Box<[(Symbol, Box<str>)]>,
}

impl TraceNames {
    /// `services` in pre-order of their composites.
    pub(crate) fn new(
        tree: Box<str>,
        nodes: Box<[Box<str>]>,
        services: Box<[(NodeId, Box<str>)]>,
        words: Box<[(Symbol, Box<str>)]>,
    ) -> Self {
        TraceNames { tree, nodes, services, words }
    }

    /// The name of the tree.
    #[must_use]
    pub fn tree(&self) -> &str {
        &self.tree
    }

    /// The line of a node, the `Display` of [`NodeRef`](crate::NodeRef).
    #[must_use]
    pub fn node(&self, node: NodeId) -> Option<&str> {
        self.nodes.get(node.index()).map(|it| &**it)
    }

    /// The kind of the leaf of a composite's n-th service: see
    /// [`NodeRef::service_kinds`](crate::NodeRef::service_kinds).
    #[must_use]
    pub fn service(&self, node: NodeId, number: usize) -> Option<&str> {
        let first = self.services.partition_point(|it| it.0 < node);
        let (of, kind) = self.services.get(first.checked_add(number)?)?;
        (*of == node).then_some(&**kind)
    }

    /// A value for people: see [`Schema::describe`](crate::schema::Schema::describe).
    #[must_use]
    pub fn describe(&self, value: Value) -> String {
        describe(value, |it| self.words.iter().find(|word| word.0 == it).map(|word| &*word.1))
    }
}

impl fmt::Debug for TraceNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceNames").field("tree", &self.tree).finish_non_exhaustive()
    }
}
