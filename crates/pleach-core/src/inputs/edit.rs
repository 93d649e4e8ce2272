//! Maps nodes and keys of a recorded tree to those of an edited one.

use std::sync::Arc;

use pleach_expr::expr::KeyIndex;

use super::facts::TreeInputs;
use super::log::Input;
use crate::NodeId;
use crate::Value;

/// The nodes and keys of a recorded tree in an edited one.
#[derive(Debug)]
pub(crate) struct Edit {
    /// For each recorded node, the edited one.
    nodes: Vec<Option<NodeId>>,
    /// The edited nodes that were recorded.
    recorded: Vec<NodeId>,
    /// For each recorded key, the edited one.
    keys: Vec<Option<KeyIndex>>,
    facts: TreeInputs,
}

/// An input under an edited tree.
pub(crate) enum Edited {
    Input(Input),
    /// An expression read another value of a key than before.
    Key(KeyIndex, Value),
    /// It belongs to a node or a key that was removed.
    Gone,
}

impl Edit {
    /// `facts` are those of the recorded tree.
    pub(crate) fn new(nodes: Vec<Option<NodeId>>, keys: Vec<Option<KeyIndex>>, facts: TreeInputs) -> Arc<Self> {
        let mut recorded: Vec<NodeId> = nodes.iter().copied().flatten().collect();
        recorded.sort_unstable();
        Arc::new(Edit { nodes, recorded, keys, facts })
    }

    /// The edited node for a recorded one.
    pub(crate) fn node(&self, recorded: NodeId) -> Option<NodeId> {
        self.nodes.get(recorded.index()).copied().flatten()
    }

    /// Whether no recorded node is this one.
    pub(crate) fn is_new(&self, node: NodeId) -> bool {
        self.recorded.binary_search(&node).is_err()
    }

    /// The edited key for a place among those that recorded expressions read.
    pub(crate) fn key(&self, place: u16) -> Option<KeyIndex> {
        self.edited_key(*self.facts.keys.get(usize::from(place))?)
    }

    /// The edited key for a recorded one.
    pub(crate) fn edited_key(&self, recorded: KeyIndex) -> Option<KeyIndex> {
        self.keys.get(recorded.index()).copied().flatten()
    }

    pub(crate) fn input(&self, input: Input) -> Edited {
        let answer =
            |node, make: fn(NodeId) -> Input| self.node(node).map_or(Edited::Gone, |it| Edited::Input(make(it)));
        match input {
            Input::Success(node) => answer(node, Input::Success),
            Input::Failure(node) => answer(node, Input::Failure),
            Input::Running(node) => answer(node, Input::Running),
            Input::Key(expr, at, value) => {
                let place = self.facts.key_of(expr, at);
                place.and_then(|it| self.key(it)).map_or(Edited::Gone, |key| Edited::Key(key, value))
            }
            // Its agent is added in its state after the panic.
            Input::Panic => Edited::Gone,
            other => Edited::Input(other),
        }
    }
}
