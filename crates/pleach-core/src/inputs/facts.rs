//! What a recording has to know about a tree.

use std::any::Any;
use std::sync::Arc;

use pleach_expr::expr::KeyIndex;

use crate::index::{ExprId, NodeId};

/// Which keys the expressions of a tree read, and which of its nodes ask for something from
/// outside.
#[derive(Debug)]
pub(crate) struct TreeInputs {
    /// The tree, so that no other one takes its place in memory.
    tree: Arc<dyn Any + Send + Sync>,
    /// The keys that expressions read, in the order of the schema.
    pub(crate) keys: Vec<KeyIndex>,
    /// The keys of agents and of nodes.
    pub(crate) own_keys: Vec<KeyIndex>,
    /// For each expression, the places of its keys in `keys`.
    of_expr: Vec<Box<[u16]>>,
    /// For each node, its place among those whose answers are remembered; `NONE` for the others.
    questions: Vec<u16>,
    /// How many there are.
    pub(crate) asked: usize,
    /// The tree as a save describes it, as bytes.
    pub(crate) outline: Vec<u8>,
}

const NONE: u16 = u16::MAX;

impl TreeInputs {
    /// For a tree whose agents and nodes have the keys `own_keys`, whose expressions each read
    /// these keys, and whose nodes ask something or not.
    pub(crate) fn new<'e>(
        tree: Arc<dyn Any + Send + Sync>,
        own_keys: Vec<KeyIndex>,
        exprs: impl Iterator<Item = &'e [KeyIndex]> + Clone,
        asks: impl Iterator<Item = bool>,
    ) -> Self {
        let mut keys: Vec<KeyIndex> = exprs.clone().flatten().copied().collect();
        keys.sort_unstable_by_key(|it| it.index());
        keys.dedup();
        let place = |key: &KeyIndex| {
            let place = keys.binary_search_by_key(&key.index(), |it| it.index()).expect("all keys are listed");
            u16::try_from(place).expect("a schema has fewer keys")
        };
        let of_expr = exprs.map(|it| it.iter().map(place).collect()).collect();
        let mut asked = 0;
        let questions = asks.map(|asks| {
            asked += u16::from(asks);
            if asks { asked - 1 } else { NONE }
        });
        let questions = questions.collect();
        TreeInputs { tree, keys, own_keys, of_expr, questions, asked: asked.into(), outline: Vec::new() }
    }

    /// Whether they are those of this tree.
    pub(crate) fn are_of<T>(&self, tree: &Arc<T>) -> bool {
        self.is_of(&**tree)
    }

    /// The same for a tree that is borrowed.
    pub(crate) fn is_of<T>(&self, tree: &T) -> bool {
        std::ptr::addr_eq(Arc::as_ptr(&self.tree), tree)
    }

    /// The places of the keys that an expression reads.
    pub(crate) fn of_expr(&self, expr: ExprId) -> &[u16] {
        &self.of_expr[expr.index()]
    }

    /// The place of a key among those that expressions read.
    pub(crate) fn place(&self, key: KeyIndex) -> Option<usize> {
        self.keys.binary_search_by_key(&key.index(), |it| it.index()).ok()
    }

    /// The place of the key at `at` among those that an expression reads, if there is one.
    pub(crate) fn key_of(&self, expr: u32, at: u32) -> Option<u16> {
        self.of_expr.get(expr as usize)?.get(at as usize).copied()
    }

    /// The nodes whose answers are remembered, and their places.
    pub(crate) fn questions(&self) -> impl Iterator<Item = (NodeId, usize)> {
        let all = (0..).map(NodeId::new).map_while(|it| it).zip(&self.questions);
        all.filter(|it| *it.1 != NONE).map(|(node, at)| (node, usize::from(*at)))
    }

    /// The place of a node among those whose answers are remembered.
    pub(crate) fn question(&self, node: NodeId) -> Option<usize> {
        Some(usize::from(self.questions[node.index()])).filter(|it| *it != usize::from(NONE))
    }
}
