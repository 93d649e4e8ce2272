//! What can be asked of a replay beside its forest.

use pleach_expr::expr::KeyIndex;

use super::Replay;
use crate::{AgentId, Host, Tree};

impl<H: Host> Replay<H> {
    /// All agents that have come so far, in the order in which they came; `None` for one that is
    /// gone. An agent keeps its place.
    #[must_use]
    pub fn agents(&self) -> &[Option<AgentId>] {
        &self.numbers
    }

    /// Whether a key of this tree is recorded: whether an expression reads it. It then holds what
    /// an expression last read. Another key holds what it held when its agent was last noted as a
    /// whole, or what the tree itself has written since.
    #[must_use]
    pub fn records(tree: &Tree<H>, key: KeyIndex) -> bool {
        tree.exprs.iter().any(|it| it.keys().contains(&key))
    }

    /// The number of the frame that was played last, as the recorded forest counted it.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.forest.frame()
    }

    /// How many seconds the frame that was played last took.
    #[must_use]
    pub fn last_step(&self) -> f64 {
        self.step.seconds()
    }

    /// How many bytes the frames take, without the trees and the texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.frames.len()
    }

    /// The trees that were recorded, in the order in which agents of them came.
    pub fn trees(&self) -> impl Iterator<Item = &Tree<H>> {
        self.trees.iter().map(|it| &*it.tree)
    }
}
