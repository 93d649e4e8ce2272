//! What a game's sensors read and write of the agents of a tree, agent by agent: several keys of
//! one agent, then those of the next.

use super::parts::{Shape, groups};
use super::population::Population;
use super::{Forest, TreeId};
use crate::blackboard::view::SharedRows;
use crate::keys::KeysMut;
use crate::row::Row;
use crate::{Host, error::StaleError};

impl<H: Host> Forest<H> {
    /// Lends the blackboards of all agents of a tree, one after the other in the order in which
    /// they are ticked, to read and to write. It is for sensors that look at several keys of an
    /// agent before they write some of them.
    ///
    /// Does what [`keys_mut`](Forest::keys_mut) of each agent would do, and looks no agent up: the
    /// keys of up to 1 024 agents lie side by side, and a key that is neither read nor written
    /// costs nothing. For a single key of all agents there is
    /// [`update_column`](Forest::update_column).
    ///
    /// A shared key is written at once: the next agents of the group, or of the forest, see that.
    ///
    /// # Errors
    /// If the tree is not here.
    ///
    /// # Panics
    /// If `update` does, as [`KeysMut::get`] and [`KeysMut::set`] do with keys of another tree.
    /// What was written before stays written, and the forest stays usable.
    ///
    /// # Examples
    /// ```
    /// # use pleach_core::nodes::idle;
    /// # use pleach_core::{Forest, Host, Tree, error::StaleError};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let mut builder = Tree::<Game>::builder("guard");
    /// let (health, afraid) = (builder.key("health", 1.0_f32), builder.key("afraid", false));
    /// let mut forest = Forest::new(0);
    /// let guards = forest.add_tree(builder.build(idle())?)?;
    /// let hurt = forest.spawn(&mut (), guards)?;
    /// let well = forest.spawn(&mut (), guards)?;
    ///
    /// // It rains arrows.
    /// forest.update_agents(guards, |agent| {
    ///     let damage = if agent.agent() == hurt { 0.75 } else { 0.25 };
    ///     let left = agent.get(health) - damage;
    ///     agent.set(health, left);
    ///     agent.set(afraid, left < 0.5);
    /// })?;
    /// assert!(forest.keys(hurt)?.get(afraid));
    /// assert!(!forest.keys(well)?.get(afraid));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn update_agents(&mut self, tree: TreeId, mut update: impl FnMut(&mut KeysMut<'_>)) -> Result<(), StaleError> {
        let Population { shape, chunks, .. } = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        let Shape { tree, map, .. } = &*shape;
        for chunk in chunks {
            let (ids, ties, board) = chunk.ids_and_keys(shape);
            let shared = SharedRows::own(&mut self.shared, map, groups(ties));
            let mut keys = KeysMut { at: Row::FIRST, ids, ties, schema: tree.schema(), board, shared };
            for row in Row::of_agents(ids.len()) {
                keys.at = row;
                update(&mut keys);
            }
        }
        Ok(())
    }
}
