//! Leaves whose answers a tool forces.

use std::fmt;
use std::sync::Arc;

use super::Recording;
use crate::forest::record::facts;
use crate::ids::StaleError;
use crate::inputs::Forced;
use crate::tree::record::Op;
use crate::{AgentId, Forest, Host, NodeId, NodeRef, Status};

/// Why a leaf cannot be forced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForceError {
    /// The agent does not exist.
    Stale(StaleError),
    /// The node is not a leaf of the game: this one.
    NotOfTheGame(String),
}

impl fmt::Display for ForceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForceError::Stale(it) => it.fmt(f),
            ForceError::NotOfTheGame(node) => write!(
                f,
                "{node} is not an action or a condition of the game, so its result cannot be forced: set the keys that \
                 it reads, or force the leaves below it"
            ),
        }
    }
}

impl std::error::Error for ForceError {}

impl Recording {
    /// Forces the result of a leaf of the game, for one agent of a forest that this records: from
    /// its next tick on the leaf returns `status`, and its `update` is not called. With `None` the
    /// leaf answers by itself again. `start` and `end` are called as always, services run, and a
    /// replay needs no information about it. A game calls this on behalf of a tool, such as the
    /// studio.
    ///
    /// It applies as long as the agent has the same version of its tree. While any leaf is forced,
    /// the forest does not tick agents in batches.
    ///
    /// ```
    /// # use pleach_core::{Context, Forest, Host, Outcome, Status, Tree, nodes, record::Recording};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let open = nodes::action(|_: &mut Context<'_, '_, Game>| Status::Running);
    /// let mut forest = Forest::<Game>::new(7);
    /// let doors = forest.add_tree(Tree::builder("door").build(open)?)?;
    /// let door = forest.spawn(&mut (), doors)?;
    /// let mut recording = Recording::new();
    /// let root = forest.agent(door)?.tree().root().id();
    /// recording.force(&mut forest, door, root, Some(Status::Success))?;
    /// forest.traced(&mut recording).tick(&mut (), 0.1)?;
    /// assert_eq!(forest.agent(door)?.last_outcome(), Some(Outcome::Success));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the agent does not exist, or the node is not an action or a condition of the game.
    pub fn force<H: Host>(
        &mut self,
        forest: &mut Forest<H>,
        agent: AgentId,
        node: NodeId,
        status: Option<Status>,
    ) -> Result<(), ForceError> {
        self.inputs.forced.retain(|it| (it.agent, it.node) != (agent, node));
        let tree = Arc::clone(forest.agent(agent).map_err(ForceError::Stale)?.tree());
        let op = tree.records.get(node.index()).map(|it| it.op);
        if !matches!(op, Some(Op::Action { .. } | Op::Condition { .. })) {
            return Err(ForceError::NotOfTheGame(tree.node(node).map_or_else(|| node.to_string(), NodeRef::path)));
        }
        if let Some(status) = status {
            let (_, tree) = facts(&mut self.inputs, &tree);
            self.inputs.forced.push(Forced { agent, node, tree, status });
        }
        forest.ask_anew(agent);
        Ok(())
    }

    /// The leaves whose results are forced, in the order in which they were forced.
    pub fn forced(&self) -> impl Iterator<Item = (AgentId, NodeId, Status)> {
        self.inputs.forced.iter().map(|it| (it.agent, it.node, it.status))
    }
}
