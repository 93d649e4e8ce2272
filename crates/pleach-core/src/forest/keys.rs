//! The blackboard of a forest's agents, from outside: single keys, keys by name, whole columns,
//! globals; and those of groups.

use super::chunk::Chunk;
use super::population::Population;
use super::{AgentId, Forest, TreeId};
use crate::blackboard::shared::Whose;
use crate::blackboard::{KeyDecl, Schema, SchemaError, Scope};
use crate::row::Row;
use crate::{AccessError, BlackboardType, GroupId, Host, Key, NodeId, StaleError, Tree, Value};

impl<H: Host> Forest<H> {
    /// What a key of an agent holds.
    ///
    /// # Errors
    /// If the agent is not here, or the key is of another tree.
    pub fn get<V: BlackboardType>(&self, agent: AgentId, key: Key<V>) -> Result<V, AccessError> {
        let (population, chunk, at) = self.find(agent)?;
        if let Scope::Node | Scope::Agent = key.scope() {
            return chunk.keys_view(&population.shape).get(at, key).map_err(|_| AccessError::ForeignKey);
        }
        let decl = own_decl(&population.shape.tree, key)?;
        V::from_value(self.read(population, chunk, at, decl)).ok_or(AccessError::ForeignKey)
    }

    /// Writes a key of an agent, and tells whether that changed its value. A float need not be
    /// finite: see [`BlackboardType`].
    ///
    /// # Errors
    /// If the agent is not here, the key is of another tree, or the value is a symbol that is not
    /// one of the key's words.
    pub fn set<V: BlackboardType>(&mut self, agent: AgentId, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.put(agent, key, value, |schema| schema.check(key, value).map_err(|it| AccessError::of(it, schema, key)))
    }

    /// Writes a key, if `check` allows it.
    fn put<V: BlackboardType>(
        &mut self,
        agent: AgentId,
        key: Key<V>,
        value: V,
        check: impl FnOnce(&Schema) -> Result<(), AccessError>,
    ) -> Result<bool, AccessError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (shape, chunk) = self.trees.find_mut(place);
        check(shape.tree.schema())?;
        if let Scope::Node | Scope::Agent = key.scope() {
            return chunk.keys(shape).set(place.row(), key, value).map_err(|_| AccessError::ForeignKey);
        }
        let decl = own_decl(&shape.tree, key)?;
        let group = chunk.group(place.row());
        // Observers that read shared keys are polled, and an agent with such an observer does not
        // sleep. So there is no agent to wake.
        Ok(self.shared.set(&shape.map, group, decl.scope(), decl.place(), value.into_value()))
    }

    /// What a key of an agent holds, or `otherwise` if that is still its default.
    ///
    /// # Errors
    /// As [`get`](Forest::get).
    pub fn get_or<V: BlackboardType>(&self, agent: AgentId, key: Key<V>, otherwise: V) -> Result<V, AccessError> {
        let value = self.get(agent, key)?;
        Ok(if value.same(self.default(agent, key)?) { otherwise } else { value })
    }

    /// Puts a key of an agent back to its default, and tells whether that changed its value.
    ///
    /// # Errors
    /// As [`get`](Forest::get).
    pub fn remove<V: BlackboardType>(&mut self, agent: AgentId, key: Key<V>) -> Result<bool, AccessError> {
        self.put(agent, key, self.default(agent, key)?, |_| Ok(()))
    }

    /// What a key of an agent holds before it is written.
    fn default<V: BlackboardType>(&self, agent: AgentId, key: Key<V>) -> Result<V, AccessError> {
        let (population, ..) = self.find(agent)?;
        let default = own_decl(&population.shape.tree, key)?.default();
        V::from_value(default).ok_or(AccessError::ForeignKey)
    }

    /// Puts all node and agent keys of an agent back to their defaults.
    ///
    /// # Errors
    /// If the agent is not here.
    pub fn clear(&mut self, agent: AgentId) -> Result<(), StaleError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (shape, chunk) = self.trees.find_mut(place);
        chunk.keys(shape).clear(place.row());
        Ok(())
    }

    /// What the key of a name holds, of whatever type: for tools, which have no typed keys. As in
    /// expressions, the name may begin with a scope (`group.plan`); for node keys see
    /// [`value_at`](Forest::value_at). A symbol's word is [`Schema::word`]. Looks the name up and
    /// may allocate.
    ///
    /// # Errors
    /// If the agent is not here, or its tree has no such key.
    pub fn value(&self, agent: AgentId, name: &str) -> Result<Value, AccessError> {
        self.value_seen(agent, None, name)
    }

    /// As [`value`](Forest::value), with the name as a node of the agent's tree sees it: its own
    /// keys and those of the nodes above it come first, as in [`Tree::key_at`].
    ///
    /// # Errors
    /// As [`value`](Forest::value), and if the node is not in the agent's tree.
    pub fn value_at(&self, agent: AgentId, node: NodeId, name: &str) -> Result<Value, AccessError> {
        self.value_seen(agent, Some(node), name)
    }

    fn value_seen(&self, agent: AgentId, node: Option<NodeId>, name: &str) -> Result<Value, AccessError> {
        let (population, chunk, at) = self.find(agent)?;
        let tree = &population.shape.tree;
        Ok(self.read(population, chunk, at, tree.schema().decl(tree.find_key(node, name)?)))
    }

    /// What a key of that agent's tree holds.
    pub(super) fn read(&self, population: &Population<H>, chunk: &Chunk<H>, at: Row, decl: &KeyDecl) -> Value {
        match decl.scope() {
            Scope::Node | Scope::Agent => chunk.keys_view(&population.shape).value(at, decl.place()),
            scope => {
                let group = chunk.group(at);
                self.shared.get(&population.shape.map, group, scope, decl.place())
            }
        }
    }

    /// Writes the key of a name, looked up as by [`value`](Forest::value), and tells whether that
    /// changed its value. The value must have exactly the key's type: an int is not converted to a
    /// float.
    ///
    /// # Errors
    /// If the agent is not here, its tree has no such key, or the key cannot hold that value: it is
    /// of another type, or a symbol that is not one of the key's words.
    pub fn set_value(&mut self, agent: AgentId, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.set_value_seen(agent, None, name, value.into())
    }

    /// As [`set_value`](Forest::set_value), with the name looked up as by
    /// [`value_at`](Forest::value_at).
    ///
    /// # Errors
    /// As [`set_value`](Forest::set_value), and if the node is not in the agent's tree.
    pub fn set_value_at(
        &mut self,
        agent: AgentId,
        node: NodeId,
        name: &str,
        value: impl Into<Value>,
    ) -> Result<bool, AccessError> {
        self.set_value_seen(agent, Some(node), name, value.into())
    }

    fn set_value_seen(
        &mut self,
        agent: AgentId,
        node: Option<NodeId>,
        name: &str,
        value: Value,
    ) -> Result<bool, AccessError> {
        let place = *self.places.get(agent).ok_or(StaleError::Agent(agent))?;
        let (shape, chunk) = self.trees.find_mut(place);
        let decl = shape.tree.schema().decl(shape.tree.find_key(node, name)?);
        AccessError::check(decl.name(), decl.ty(), decl.symbols(), value)?;
        Ok(match decl.scope() {
            Scope::Node | Scope::Agent => chunk.keys(shape).set_value(place.row(), decl.place(), value),
            scope => {
                let group = chunk.group(place.row());
                self.shared.set(&shape.map, group, scope, decl.place(), value)
            }
        })
    }

    /// What a key of a group holds.
    ///
    /// # Errors
    /// If the group is not here, or no tree of this forest declares the key.
    pub fn group_value(&self, group: GroupId, name: &str) -> Result<Value, AccessError> {
        self.shared.named(Whose::Group(group), name)
    }

    /// Writes a key of a group, and tells whether that changed its value.
    ///
    /// # Errors
    /// If the group is not here, no tree of this forest declares the key, it has another type, or
    /// the value is a symbol that no tree lists among the key's words.
    pub fn set_group_value(
        &mut self,
        group: GroupId,
        name: &str,
        value: impl Into<Value>,
    ) -> Result<bool, AccessError> {
        self.shared.set_named(Whose::Group(group), name, value.into())
    }

    /// Puts a key of a group back to its default, and tells whether that changed its value.
    ///
    /// # Errors
    /// If the group is not here, or no tree of this forest declares the key.
    pub fn remove_group_value(&mut self, group: GroupId, name: &str) -> Result<bool, AccessError> {
        self.shared.remove_named(Whose::Group(group), name)
    }

    /// What a global key holds; `None` if no tree declares it.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Value> {
        self.shared.global(name)
    }

    /// Writes a global key, and tells whether that changed its value.
    ///
    /// # Errors
    /// If no tree of this forest declares the key, it has another type, or the value is a symbol
    /// that no tree lists among the key's words.
    pub fn set_global(&mut self, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.shared.set_named(Whose::Forest, name, value.into())
    }

    /// Puts a global key back to its default, and tells whether that changed its value.
    ///
    /// # Errors
    /// If no tree of this forest declares the key.
    pub fn remove_global(&mut self, name: &str) -> Result<bool, AccessError> {
        self.shared.remove_named(Whose::Forest, name)
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

fn own_decl<H: Host, V: BlackboardType>(tree: &Tree<H>, key: Key<V>) -> Result<&KeyDecl, AccessError> {
    tree.schema().own(key).ok_or(AccessError::ForeignKey)
}

fn own_column<H: Host, V: BlackboardType>(tree: &Tree<H>, key: Key<V>) -> Result<&KeyDecl, AccessError> {
    let decl = own_decl(tree, key)?;
    match decl.scope() {
        Scope::Node | Scope::Agent => Ok(decl),
        found => Err(SchemaError::WrongScope { name: decl.name().into(), found, wanted: Scope::Agent }.into()),
    }
}
