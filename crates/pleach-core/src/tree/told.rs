//! What a tree says about its nodes to code that does not have it: tracers, and hosts that hear of
//! an event.

use std::sync::Arc;

use super::record::Op;
use super::{NodeKind, NodeRef, Tree};
use crate::event::EventSender;
use crate::trace::TraceNames;
use crate::{AgentId, Host, NodeId, error::SendError};

impl<H: Host> Tree<H> {
    /// The names of its nodes in traces. Made at the first call, at the cost of a line of text for
    /// each node.
    pub fn trace_names(&self) -> &Arc<TraceNames> {
        self.trace_names.get_or_init(|| {
            let nodes = self.nodes().map(|it| it.to_string().into()).collect();
            let services = self.nodes().flat_map(|node| node.service_kinds().map(move |it| (node.id(), it.into())));
            let words = self.schema.all_words().map(|(symbol, word)| (symbol, word.into()));
            Arc::new(TraceNames::new(self.name().into(), nodes, services.collect(), words.collect()))
        })
    }

    /// The error for an event that a node of an agent of this tree sent.
    #[cold]
    pub(crate) fn sent(&self, error: SendError, agent: AgentId, node: NodeId) -> SendError {
        match error {
            SendError::Refused { tree, error, .. } => {
                let what = self.node(node).map_or_else(|| format!("{node:?}"), |it| it.to_string());
                let sender = EventSender { agent, tree: self.name().into(), node, what };
                SendError::Refused { tree, error, sender: Some(Box::new(sender)) }
            }
            stale @ SendError::Stale(_) => stale,
        }
    }
}

impl<H: Host> Tree<H> {
    /// Whether a node is a leaf of the `do` of a Finally: a child after the first.
    pub(crate) fn is_in_do(&self, node: NodeId) -> bool {
        let parent = self.rec(node).parent.some();
        parent.is_some_and(|it| matches!(self.rec(it).op, Op::Finally { .. }) && node != it.next())
    }
}

impl<'a, H: Host> NodeRef<'a, H> {
    /// Whether it is a leaf of the `do` of a [`Finally`](NodeKind::Finally), which calls it when
    /// its child has ended.
    #[must_use]
    pub fn is_in_do(self) -> bool {
        self.tree.is_in_do(self.id)
    }

    /// How many services it has.
    #[must_use]
    pub fn services(self) -> usize {
        self.tree.services_of(self.id).len()
    }

    /// The kinds of the leaves of its services, in their order, as [`kind`](NodeRef::kind) gives
    /// those of nodes: the name under which the leaf is registered, else `Action`.
    pub fn service_kinds(self) -> impl ExactSizeIterator<Item = &'a str> {
        let first = self.tree.services.partition_point(|it| it.node < self.id);
        let kinds = &self.tree.service_kinds[first..][..self.services()];
        kinds.iter().map(|it| it.as_deref().unwrap_or(NodeKind::Action.name()))
    }
}
