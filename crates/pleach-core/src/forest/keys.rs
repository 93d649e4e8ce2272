//! The blackboard of a forest's agents, from outside: handles to the keys of an agent and of the
//! forest.

use super::chunk::Chunk;
use super::parts::groups;
use super::population::Population;
use super::trees::Place;
use super::{AgentId, Forest};
use crate::blackboard::shared::Whose;
use crate::blackboard::view::SharedRows;
use crate::keys::rows::KeyRows;
use crate::keys::{Keys, KeysMut, SharedKeys, SharedKeysMut};
use crate::row::Row;
use crate::{Host, error::StaleError};

impl<H: Host> Forest<H> {
    /// The keys of an agent, to read.
    ///
    /// # Errors
    /// If the agent does not exist.
    ///
    /// # Examples
    /// ```
    /// # use pleach_core::{Forest, Host, Tree, nodes::idle};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let mut builder = Tree::<Game>::builder("guard");
    /// let health = builder.key("health", 1.0_f32);
    /// let mut forest = Forest::new(0);
    /// let guards = forest.add_tree(builder.build(idle())?)?;
    /// let guard = forest.spawn(&mut (), guards)?;
    ///
    /// forest.keys_mut(guard)?.set(health, 0.5);
    /// assert_eq!(forest.keys(guard)?.get(health), 0.5);
    /// // Tools and consoles have names.
    /// forest.keys_mut(guard)?.set_value("health", 0.25_f32)?;
    /// assert_eq!(forest.keys(guard)?.value("health")?, 0.25_f32.into());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn keys(&self, agent: AgentId) -> Result<Keys<'_>, StaleError> {
        let (population, chunk, at) = self.find(agent)?;
        Ok(self.keys_of(population, chunk, at))
    }

    /// The keys of an agent, to read and to write.
    ///
    /// # Errors
    /// If the agent does not exist.
    pub fn keys_mut(&mut self, agent: AgentId) -> Result<KeysMut<'_>, StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        Ok(self.keys_at(place))
    }

    pub(super) fn keys_at(&mut self, place: Place) -> KeysMut<'_> {
        let (shape, chunk) = self.trees.find_mut(place);
        let (ids, ties, board) = chunk.ids_and_keys(shape);
        let shared = SharedRows::own(&mut self.shared, &shape.map, ids.len(), groups(ties));
        let rows = KeyRows { schema: shape.tree.schema(), board, shared };
        KeysMut { at: place.row(), ids, ties, rows }
    }

    /// The keys of the whole forest, to read.
    #[must_use]
    pub fn globals(&self) -> SharedKeys<'_> {
        SharedKeys::new(&self.shared, Whose::Forest)
    }

    /// The keys of the whole forest, to read and to write.
    pub fn globals_mut(&mut self) -> SharedKeysMut<'_> {
        SharedKeysMut::new(&mut self.shared, Whose::Forest)
    }

    /// The keys of an agent that is at this place.
    pub(super) fn keys_of<'a>(&'a self, population: &'a Population<H>, chunk: &'a Chunk<H>, at: Row) -> Keys<'a> {
        let shape = &population.shape;
        let shared = (&self.shared, &shape.map, chunk.group(at));
        Keys::new(at, shape.tree.schema(), chunk.keys_view(shape), Some(shared))
    }
}
