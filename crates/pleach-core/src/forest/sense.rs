//! What a game's sensors read and write of the agents of a tree, agent by agent: several keys of
//! one agent, then those of the next.

use super::parts::Shape;
use super::population::Population;
use super::{AgentId, Forest, TreeId};
use crate::blackboard::board::BoardRows;
use crate::blackboard::shared::SharedMap;
use crate::blackboard::view::SharedView;
use crate::blackboard::{Refused, Schema};
use crate::host::context::{foreign, not_a_word};
use crate::row::Row;
use crate::ties::Ties;
use crate::{AccessError, BlackboardType, Entity, GroupId, Host, Key, StaleError};

/// One agent's blackboard, as [`Forest::update_agents`] lends it. Keys are read and written as
/// leaves do it through their [`Context`](crate::Context). That includes the keys of the agent's
/// group and of the forest.
pub struct AgentKeys<'a> {
    row: Row,
    ids: &'a [AgentId],
    ties: Option<&'a Ties>,
    board: BoardRows<'a>,
    schema: &'a Schema,
    map: &'a SharedMap,
    shared: SharedView<'a>,
}

impl std::fmt::Debug for AgentKeys<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentKeys").field("id", &self.id()).finish_non_exhaustive()
    }
}

impl AgentKeys<'_> {
    /// The agent.
    #[inline]
    #[must_use]
    pub fn id(&self) -> AgentId {
        self.ids[self.row.index()]
    }

    /// Which of the game's entities the agent is: see [`Context::entity`](crate::Context::entity).
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.ties.map_or(Entity::NONE, |it| it.entity(self.row))
    }

    /// What a key holds.
    ///
    /// # Panics
    /// If the key is of another tree. A key that comes out of this tree's builder, schema or asset
    /// never panics.
    #[inline]
    #[must_use]
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        self.try_get(key).unwrap_or_else(|| foreign(key))
    }

    /// What a key holds, or `None` if it is of another tree.
    #[inline]
    #[must_use]
    pub fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        // The tag of a key of the agent's board differs from all others.
        match self.board.get(self.row, key) {
            Ok(value) => Some(value),
            Err(_) => self.shared_value(key),
        }
    }

    /// Writes a key, and tells whether that changed its value. Only if it did, conditions that
    /// observe the key are asked again, and a sleeper that waits for it wakes. A float need not be
    /// finite: see [`BlackboardType`].
    ///
    /// # Panics
    /// As [`get`](AgentKeys::get), and if the value is a symbol that is not one of the key's words.
    #[inline]
    pub fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        match self.put(key, value) {
            Ok(changed) => changed,
            Err(Refused::Foreign) => foreign(key),
            Err(Refused::NotAWord) => not_a_word(self.schema, key, value),
        }
    }

    /// Writes a key, and tells whether that changed its value. For keys that may be of another
    /// tree, and symbols that may not be one of the key's words.
    ///
    /// # Errors
    /// If the key is of another tree, or the value is a symbol that is not one of the key's words.
    #[inline]
    pub fn try_set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.put(key, value).map_err(|it| AccessError::of(it, self.schema, key))
    }

    #[inline]
    fn put<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, Refused> {
        self.schema.check(key, value)?;
        match self.board.set(self.row, key, value) {
            Ok(changed) => Ok(changed),
            Err(_) => self.put_shared(key, value),
        }
    }

    /// A function of its own, so that the way to the agent's own keys stays short.
    #[inline(never)]
    fn shared_value<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        self.shared.typed(self.schema, self.map, self.group(), key)
    }

    #[inline(never)]
    fn put_shared<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, Refused> {
        Ok(self.shared.set_typed(self.schema, self.map, self.group(), key, value)?)
    }

    fn group(&self) -> GroupId {
        self.ties.and_then(|it| it.group(self.row)).map(|it| it.0).unwrap_or_default()
    }
}

impl<H: Host> Forest<H> {
    /// Lends the blackboards of all agents of a tree, one after the other in the order in which
    /// they are ticked, to read and to write. It is for sensors that look at several keys of an
    /// agent before they write some of them.
    ///
    /// Does what [`get`](Forest::get) and [`set`](Forest::set) of each agent would do, tracks
    /// changes too, and looks no agent up: the keys of up to 1 024 agents lie side by side, and a
    /// key that is neither read nor written costs nothing. For a single key of all agents there is
    /// [`update_column`](Forest::update_column).
    ///
    /// A shared key is written at once: the next agents of the group, or of the forest, see that.
    ///
    /// # Errors
    /// If the tree is not here.
    ///
    /// # Panics
    /// If `update` does, as [`AgentKeys::get`] and [`AgentKeys::set`] do with keys of another tree.
    /// What was written before stays written, and the forest stays usable.
    ///
    /// # Examples
    /// ```
    /// # use pleach_core::nodes::idle;
    /// # use pleach_core::{Forest, Host, StaleError, Tree};
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
    ///     let damage = if agent.id() == hurt { 0.75 } else { 0.25 };
    ///     let left = agent.get(health) - damage;
    ///     agent.set(health, left);
    ///     agent.set(afraid, left < 0.5);
    /// })?;
    /// assert_eq!((forest.get(hurt, afraid), forest.get(well, afraid)), (Ok(true), Ok(false)));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn update_agents(
        &mut self,
        tree: TreeId,
        mut update: impl FnMut(&mut AgentKeys<'_>),
    ) -> Result<(), StaleError> {
        let Population { shape, chunks, .. } = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        let Shape { tree, map, .. } = &*shape;
        for chunk in chunks {
            let (ids, ties, board) = chunk.ids_and_keys(shape);
            let shared = SharedView::Own(&mut self.shared);
            let mut keys = AgentKeys { row: Row::FIRST, ids, ties, board, schema: tree.schema(), map, shared };
            for row in Row::of_agents(ids.len()) {
                keys.row = row;
                update(&mut keys);
            }
        }
        Ok(())
    }
}
