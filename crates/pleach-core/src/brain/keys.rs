//! The keys of a brain.

use super::Brain;
use crate::blackboard::shared::Whose;
use crate::blackboard::{KeyDecl, Schema, Scope};
use crate::row::Row;
use crate::{AccessError, BlackboardType, Host, Key, NodeId, StaleError, Value};

impl<H: Host> Brain<H> {
    /// What a key holds.
    ///
    /// # Errors
    /// If the key is of another tree, or a leaf despawned the agent.
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> Result<V, AccessError> {
        V::from_value(self.read(self.own(key)?)).ok_or(AccessError::ForeignKey)
    }

    /// Writes a key, and tells whether that changed its value. A float need not be finite: see
    /// [`BlackboardType`].
    ///
    /// # Errors
    /// If the key is of another tree, the value is a symbol that is not one of the key's words, or
    /// a leaf despawned the agent.
    pub fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.here()?;
        let schema: &Schema = self.shape.tree.schema();
        schema.check(key, value).map_err(|it| AccessError::of(it, schema, key))?;
        self.put(key, value)
    }

    /// What a key holds, or `otherwise` if that is still its default.
    ///
    /// # Errors
    /// As [`get`](Brain::get).
    pub fn get_or<V: BlackboardType>(&self, key: Key<V>, otherwise: V) -> Result<V, AccessError> {
        let value = self.get(key)?;
        Ok(if value.same(self.default(key)?) { otherwise } else { value })
    }

    /// Puts a key back to its default, and tells whether that changed its value.
    ///
    /// # Errors
    /// As [`get`](Brain::get).
    pub fn remove<V: BlackboardType>(&mut self, key: Key<V>) -> Result<bool, AccessError> {
        let default = self.default(key)?;
        self.put(key, default)
    }

    /// Puts all node and agent keys back to their defaults.
    pub fn clear(&mut self) {
        if !self.row.gone {
            self.row.board(&self.shape.tree).clear(Row::FIRST);
        }
    }

    /// What the key of a name holds, of whatever type; see
    /// [`Forest::value`](crate::Forest::value).
    ///
    /// # Errors
    /// If the tree has no such key, or a leaf despawned the agent.
    pub fn value(&self, name: &str) -> Result<Value, AccessError> {
        self.value_seen(None, name)
    }

    /// As [`value`](Brain::value), with the name as a node of the tree sees it.
    ///
    /// # Errors
    /// As [`value`](Brain::value), and if the node is not in the tree.
    pub fn value_at(&self, node: NodeId, name: &str) -> Result<Value, AccessError> {
        self.value_seen(Some(node), name)
    }

    /// Writes the key of a name, and tells whether that changed its value; see
    /// [`Forest::set_value`](crate::Forest::set_value).
    ///
    /// # Errors
    /// If the tree has no such key, the key cannot hold that value, or a leaf despawned the agent.
    pub fn set_value(&mut self, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.set_value_seen(None, name, value.into())
    }

    /// As [`set_value`](Brain::set_value), with the name as a node of the tree sees it.
    ///
    /// # Errors
    /// As [`set_value`](Brain::set_value), and if the node is not in the tree.
    pub fn set_value_at(&mut self, node: NodeId, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.set_value_seen(Some(node), name, value.into())
    }

    /// What a global key holds; `None` if the tree does not declare it.
    #[must_use]
    pub fn global(&self, name: &str) -> Option<Value> {
        self.rest.as_ref()?.shared.global(name)
    }

    /// Writes a global key, and tells whether that changed its value.
    ///
    /// # Errors
    /// If the tree does not declare the key, it has another type, or the value is a symbol that is
    /// not one of its words.
    pub fn set_global(&mut self, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.rest().shared.set_named(Whose::Forest, name, value.into())
    }

    /// Puts a global key back to its default, and tells whether that changed its value.
    ///
    /// # Errors
    /// If the tree does not declare the key.
    pub fn remove_global(&mut self, name: &str) -> Result<bool, AccessError> {
        self.rest().shared.remove_named(Whose::Forest, name)
    }

    fn here(&self) -> Result<(), StaleError> {
        if self.row.gone { Err(StaleError::Agent(self.row.id)) } else { Ok(()) }
    }

    /// The declaration of a typed key.
    fn own<V: BlackboardType>(&self, key: Key<V>) -> Result<&KeyDecl, AccessError> {
        self.here()?;
        self.shape.tree.schema().own(key).ok_or(AccessError::ForeignKey)
    }

    fn default<V: BlackboardType>(&self, key: Key<V>) -> Result<V, AccessError> {
        V::from_value(self.own(key)?.default()).ok_or(AccessError::ForeignKey)
    }

    /// Writes a key, and leaves its words unchecked.
    fn put<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        let tree = &self.shape.tree;
        if let Ok(changed) = self.row.board(tree).set(Row::FIRST, key, value) {
            return Ok(changed);
        }
        let decl = tree.schema().own(key).ok_or(AccessError::ForeignKey)?;
        let (group, rest) = (self.row.group().unwrap_or_default(), self.rest.as_mut().ok_or(AccessError::ForeignKey)?);
        Ok(rest.shared.set(&self.shape.map, group, decl.scope(), decl.place(), value.into_value()))
    }

    fn value_seen(&self, node: Option<NodeId>, name: &str) -> Result<Value, AccessError> {
        self.here()?;
        let tree = &self.shape.tree;
        Ok(self.read(tree.schema().decl(tree.find_key(node, name)?)))
    }

    fn set_value_seen(&mut self, node: Option<NodeId>, name: &str, value: Value) -> Result<bool, AccessError> {
        self.here()?;
        let tree = &self.shape.tree;
        let decl = tree.schema().decl(tree.find_key(node, name)?);
        AccessError::check(decl.name(), decl.ty(), decl.symbols(), value)?;
        Ok(match (decl.scope(), &mut self.rest) {
            (scope @ (Scope::Group | Scope::Global), Some(rest)) => {
                let group = self.row.group().unwrap_or_default();
                rest.shared.set(&self.shape.map, group, scope, decl.place(), value)
            }
            _ => self.row.board(tree).set_value(Row::FIRST, decl.place(), value),
        })
    }

    /// What a key of the tree holds.
    pub(super) fn read(&self, decl: &KeyDecl) -> Value {
        match (decl.scope(), &self.rest) {
            (scope @ (Scope::Group | Scope::Global), Some(rest)) => {
                rest.shared.get(&self.shape.map, self.row.group().unwrap_or_default(), scope, decl.place())
            }
            _ => self.row.columns.value_of_one(&self.shape.tree.layout, decl.place()),
        }
    }
}
