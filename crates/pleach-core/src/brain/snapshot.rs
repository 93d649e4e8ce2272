//! Snapshots of brains: a whole agent in memory, to go back to (SEMANTICS 12.3).

use std::sync::Arc;

use super::row::LoneRow;
use super::{Brain, Rest};
use crate::blackboard::shared::{Shared, SharedMap};
use crate::error::{RollbackError, SnapshotError, TreeChange};
use crate::forest::lives::Lives;
use crate::host::call::Call;
use crate::row::Row;
use crate::{AgentId, Host, Tree};

/// A brain at one moment, with everything that its agent has. Made by [`Brain::snapshot`], and kept
/// for as long as you may want to go back to that moment.
pub struct BrainSnapshot<H: Host> {
    tree: Arc<Tree<H>>,
    row: LoneRow<H>,
    /// The brain's shared keys.
    shared: Option<Shared>,
    map: SharedMap,
    call: Call,
    frame: u64,
}

impl<H: Host> Brain<H> {
    /// The agent as it is now, to go back to: see [`Forest::snapshot`](crate::Forest::snapshot),
    /// which does the same for a forest. It holds the state of the agent, what it does and
    /// remembers, its keys, events and random stream, and its time. It does not hold the tree, nor
    /// the [`Settings`](crate::Settings), nor anything of the game. Costs a copy.
    ///
    /// ```
    /// # use pleach_core::{Brain, Host, Tree, nodes::wait};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// let mut brain = Brain::<Game>::new(&mut (), Tree::builder("guard").build(wait(0.3))?, 7);
    /// let before = brain.snapshot()?;
    /// brain.tick(&mut (), 0.1)?;
    /// brain.rollback(&before)?;
    /// assert_eq!(brain.time(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If leaves remember something and do not clone it: all of them are named.
    ///
    /// # Panics
    /// If the `clone` of a state does.
    pub fn snapshot(&self) -> Result<BrainSnapshot<H>, SnapshotError> {
        let tree = &self.shape.tree;
        let lost: Vec<_> = tree.uncopied().map(|it| (it, tree.name().to_owned())).collect();
        let states = self.row.states.copy().filter(|_| lost.is_empty());
        let Some(states) = states else { return Err(SnapshotError { leaves: lost }) };
        Ok(BrainSnapshot {
            tree: Arc::clone(tree),
            row: self.row.copy(states),
            shared: self.rest.as_ref().map(|it| it.shared.clone()),
            map: self.shape.map.clone(),
            call: self.call.clone(),
            frame: self.frame,
        })
    }

    /// Goes back to a snapshot, without a callback. What follows is the same again, to the line of
    /// the trace, if the game does the same. An agent that was despawned since is back. The
    /// [`Settings`](crate::Settings) stay as they are now. A snapshot serves any number of times.
    /// Costs a copy.
    ///
    /// # Errors
    /// If the snapshot belongs to an agent with another id, or the tree was replaced since. Nothing
    /// has changed then.
    ///
    /// # Panics
    /// If the `clone` of a state does; nothing has changed then. Also if the `drop` of one does;
    /// the agent is as in the snapshot then.
    pub fn rollback(&mut self, snapshot: &BrainSnapshot<H>) -> Result<(), RollbackError> {
        if snapshot.row.id != self.row.id {
            return Err(RollbackError::Foreign);
        }
        if !Arc::ptr_eq(&snapshot.tree, &self.shape.tree) {
            let tree = snapshot.tree.name().into();
            return Err(RollbackError::Trees { tree, change: TreeChange::Replaced });
        }
        // This is host code, which may panic, so it comes before anything has changed.
        let states = snapshot.row.states.copy().expect("a snapshot has only states that are copied");
        let old = std::mem::replace(&mut self.row, snapshot.row.copy(states));
        match &snapshot.shared {
            Some(shared) => self.rest().shared.clone_from(shared),
            // The present ones were made since, for ticks that need scratch.
            None => self.rest.iter_mut().for_each(|it| it.shared = Rest::new(self.row.id).shared),
        }
        self.shape.map = snapshot.map.clone();
        self.frame = snapshot.frame;
        self.brought = self.brought.wrapping_add(1);
        if self.call.roll_back(&snapshot.call) {
            Lives::<H>::wake(&mut self.row, Row::FIRST);
        }
        self.row.forget_fast_tick();
        // This is host code as well.
        drop(old);
        Ok(())
    }
}

impl<H: Host> BrainSnapshot<H> {
    /// The agent.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.row.id
    }

    /// The brain's time in it, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.call.now.seconds()
    }
}

impl<H: Host> std::fmt::Debug for BrainSnapshot<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrainSnapshot")
            .field("agent", &self.agent())
            .field("time", &self.time())
            .finish_non_exhaustive()
    }
}
