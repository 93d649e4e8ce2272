//! Replays under edited trees (SEMANTICS 13.5).

use std::sync::Arc;

use super::Replay;
use crate::forest::heirs::same_keys;
use crate::forest::saved_tree::Understood;
use crate::inputs::Mode;
use crate::inputs::edit::Edit;
use crate::machine::inputs::facts_of;
use crate::record::ReplayError;
use crate::{AgentId, Host, NodeId, Tree};

impl<H: Host> Replay<H> {
    /// Plays the same recording under edited trees, from the first frame on: what would agents have
    /// done? `edited` gets each recorded tree, and returns the version to play, or `None` for the
    /// tree as it was. Nodes and keys are matched as in
    /// [`Forest::replace_tree`](crate::Forest::replace_tree), and may be added, removed and moved.
    ///
    /// Leaves answer as recorded at their nodes, keys change and events arrive as they did, and
    /// everything else is decided again. So an edited tree does what it would have done until an
    /// agent does something different from then: the world did not react to that. An action for
    /// which nothing was recorded keeps running, and a condition repeats its last answer. A new
    /// leaf has no answers: an action keeps running, a condition fails, and the first time that an
    /// agent asks it is a [divergence](Replay::divergences).
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Status, Tree, nodes, record::{Recording, Replay}};
    /// # use std::sync::Arc;
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let tree = |pause: f64| {
    ///     let walk = nodes::action(|_| Status::Running).named("walk");
    ///     Tree::<Game>::builder("guard").build(nodes::sequence([nodes::wait(pause), walk])).map(Arc::new)
    /// };
    /// let (short, long) = (tree(0.5)?, tree(2.0)?);
    /// # let mut forest = Forest::new(7);
    /// # let guards = forest.add_tree(Arc::clone(&short))?;
    /// # let guard = forest.spawn(&mut (), guards)?;
    /// # let mut recording = Recording::new();
    /// # for _ in 0..10 { forest.traced(&mut recording).tick(&mut (), 0.1)?; }
    /// # let bytes = recording.to_bytes();
    /// let then = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&short)))?;
    /// let mut what_if = then.edited(|_| Some(Arc::clone(&long)))?;
    /// while what_if.step(&mut ())? {}
    /// let agent = what_if.forest().agent(guard)?;
    /// let running = agent.current().next().and_then(|it| agent.tree().node(it));
    /// assert_eq!(running.unwrap().to_string(), "n1 Wait(2 s)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the recording's description of a tree is damaged.
    pub fn edited(
        mut self,
        mut edited: impl FnMut(&Arc<Tree<H>>) -> Option<Arc<Tree<H>>>,
    ) -> Result<Self, ReplayError> {
        self.begin();
        self.divergences.clear();
        for it in &mut self.trees {
            // An edit of an edit applies to the recorded tree.
            if let Some((recorded, _)) = it.edit.take() {
                it.outlined.tree.name = recorded.name().to_owned();
                it.tree = recorded;
            }
            let Some(new) = edited(&it.tree) else { continue };
            let understood = Understood::of(&it.outlined.tree)
                .map_err(|what| ReplayError::NotARecording(format!("a tree of the recording is damaged: {what}")))?;
            let nodes = understood.nodes_in(&new);
            let edit = Edit::new(nodes, same_keys(&it.tree, &new), facts_of(&it.tree));
            it.outlined.tree.name = new.name().to_owned();
            let recorded = std::mem::replace(&mut it.tree, new);
            it.edit = Some((recorded, edit));
        }
        Ok(self)
    }

    /// The node of the played tree that matches a recorded node of an agent's tree; `None` if it
    /// was removed. Without an [edit](Replay::edited), and for an agent that has left, it is the
    /// same.
    #[must_use]
    pub fn edited_node(&self, agent: AgentId, recorded: NodeId) -> Option<NodeId> {
        let Mode::Replay(replayer) = &self.inputs.mode else { return Some(recorded) };
        match replayer.edit(agent) {
            Some(edit) => edit.node(recorded),
            None => Some(recorded),
        }
    }
}
