//! The blackboard of a forest's agents, from outside: handles to the keys of an agent, of a group
//! and of the forest; whole columns.

use super::chunk::Chunk;
use super::parts::groups;
use super::population::Population;
use super::{AgentId, Forest, TreeId};
use crate::blackboard::shared::Whose;
use crate::blackboard::view::SharedRows;
use crate::blackboard::{KeyDecl, SchemaError, Scope};
use crate::keys::{Keys, KeysMut, SharedKeys, SharedKeysMut};
use crate::row::Row;
use crate::{
    BlackboardType, GroupId, Host, Key, Tree, Value,
    error::{AccessError, StaleError},
};

impl<H: Host> Forest<H> {
    /// The keys of an agent, to read.
    ///
    /// # Errors
    /// If the agent is not here.
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
    /// If the agent is not here.
    pub fn keys_mut(&mut self, agent: AgentId) -> Result<KeysMut<'_>, StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (shape, chunk) = self.trees.find_mut(place);
        let (ids, ties, board) = chunk.ids_and_keys(shape);
        // Observers that read shared keys are polled, and an agent with such an observer does not
        // sleep. So there is no agent to wake.
        let shared = SharedRows::own(&mut self.shared, &shape.map, groups(ties));
        Ok(KeysMut { at: place.row(), ids, ties, schema: shape.tree.schema(), board, shared })
    }

    /// The keys of a group, to read.
    ///
    /// # Errors
    /// If the group is not here.
    pub fn group_keys(&self, group: GroupId) -> Result<SharedKeys<'_>, StaleError> {
        SharedKeys::new(&self.shared, Whose::Group(group))
    }

    /// The keys of a group, to read and to write.
    ///
    /// # Errors
    /// If the group is not here.
    pub fn group_keys_mut(&mut self, group: GroupId) -> Result<SharedKeysMut<'_>, StaleError> {
        SharedKeysMut::new(&mut self.shared, Whose::Group(group))
    }

    /// The keys of the whole forest, to read.
    #[must_use]
    pub fn globals(&self) -> SharedKeys<'_> {
        SharedKeys::of_forest(&self.shared)
    }

    /// The keys of the whole forest, to read and to write.
    pub fn globals_mut(&mut self) -> SharedKeysMut<'_> {
        SharedKeysMut::of_forest(&mut self.shared)
    }

    /// The keys of an agent that is at this place.
    pub(super) fn keys_of<'a>(&'a self, population: &'a Population<H>, chunk: &'a Chunk<H>, at: Row) -> Keys<'a> {
        let shape = &population.shape;
        let shared = (&self.shared, &shape.map, chunk.group(at));
        Keys::new(at, shape.tree.schema(), chunk.keys_view(shape), Some(shared))
    }

    /// Reads a key of all agents of a tree, chunk by chunk: the agents and their values side by
    /// side.
    ///
    /// # Errors
    /// If the tree is not here, or the key is not a node or agent key of it.
    pub fn column<V: BlackboardType<Stored = V>>(
        &self,
        tree: TreeId,
        key: Key<V>,
    ) -> Result<impl Iterator<Item = (&[AgentId], &[V])>, AccessError> {
        let population = self.trees.get(tree).ok_or(StaleError::Tree(tree))?;
        own_column(&population.shape.tree, key)?;
        let shape = &population.shape;
        Ok(population.chunks.iter().map(move |it| (it.ids(), it.keys_view(shape).column(key).unwrap_or(&[]))))
    }

    /// Writes a key of all agents of a tree, and tracks the changes: `value` gets each agent and
    /// what the key holds, and returns what the key shall hold. For sensors that look at thousands
    /// of agents at once. Returns how many changed.
    ///
    /// # Errors
    /// If the tree is not here, or the key is not a node or agent key of it. If a value is a symbol
    /// that is not one of the key's words: that agent's key stays as it is, and the other agents'
    /// are written all the same.
    pub fn update_column<V: BlackboardType>(
        &mut self,
        tree: TreeId,
        key: Key<V>,
        mut value: impl FnMut(AgentId, V) -> V,
    ) -> Result<usize, AccessError> {
        let Population { shape, chunks, .. } = self.trees.get_mut(tree).ok_or(StaleError::Tree(tree))?;
        let decl = own_column(&shape.tree, key)?;
        let (mut changed, mut all_words) = (0, true);
        for chunk in chunks {
            let (ids, _, keys) = chunk.ids_and_keys(shape);
            let checked = |row: Row, old| {
                let new: V = value(ids[row.index()], old);
                match new.into_value() {
                    Value::Symbol(symbol) if !decl.symbols().contains(&symbol) => {
                        all_words = false;
                        old
                    }
                    _ => new,
                }
            };
            changed += keys.update_column(ids.len(), key, checked).map_err(|_| AccessError::ForeignKey)?;
        }
        if all_words { Ok(changed) } else { Err(AccessError::NotAWord { key: decl.name().into() }) }
    }
}

fn own_column<H: Host, V: BlackboardType>(tree: &Tree<H>, key: Key<V>) -> Result<&KeyDecl, AccessError> {
    let decl = tree.schema().own(key).ok_or(AccessError::ForeignKey)?;
    match decl.scope() {
        Scope::Node | Scope::Agent => Ok(decl),
        found => Err(SchemaError::WrongScope { name: decl.name().into(), found, wanted: Scope::Agent }.into()),
    }
}
