//! Handles to keys: those of one agent, to read ([`Keys`]) and to write ([`KeysMut`]); in
//! [`shared`] those of a group and of the forest. [`rows`] has the operations on an agent's keys,
//! for handles and for what leaves see.

pub(crate) mod rows;
mod shared;

use pleach_expr::expr::KeyIndex;
use rows::{AgentKeys, KeyRows, foreign};

use crate::Symbol;
use crate::blackboard::board::BoardView;
use crate::blackboard::shared::{Shared, SharedMap};
use crate::blackboard::{KeyDecl, Schema, Scope};
use crate::row::Row;
use crate::ties::Ties;
use crate::{AgentId, BlackboardType, Entity, GroupId, Key, Value, error::AccessError};
pub use shared::{SharedKeys, SharedKeysMut};

/// A key of any type, as tools name it: by its name, as expressions do outside nodes (`plan`,
/// `group.plan`); or by its index in the schema of the tree, as [`Schema::keys`] lists it, or
/// [`Tree::key_index_at`](crate::Tree::key_index_at) finds it for a node.
pub trait KeyName: sealed::InSchema {}

impl KeyName for &str {}
impl KeyName for &String {}
impl KeyName for KeyIndex {}

mod sealed {
    use super::{AccessError, KeyIndex, Schema};

    pub trait InSchema {
        fn index_in(self, schema: &Schema) -> Result<KeyIndex, AccessError>;
    }

    impl InSchema for &str {
        fn index_in(self, schema: &Schema) -> Result<KeyIndex, AccessError> {
            Ok(schema.host_view().find(self)?)
        }
    }

    impl InSchema for &String {
        fn index_in(self, schema: &Schema) -> Result<KeyIndex, AccessError> {
            self.as_str().index_in(schema)
        }
    }

    impl InSchema for KeyIndex {
        fn index_in(self, schema: &Schema) -> Result<KeyIndex, AccessError> {
            if self.index() < schema.keys().len() { Ok(self) } else { Err(AccessError::ForeignKey) }
        }
    }
}

/// The keys of one agent, borrowed to read: its own, those of its nodes, of its group and of the
/// forest. [`Forest::keys`](crate::Forest::keys) and [`Brain::keys`](crate::Brain::keys) lend it.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    at: Row,
    schema: &'a Schema,
    board: BoardView<'a>,
    /// Group and global keys, if the tree declares any.
    shared: Option<(&'a Shared, &'a SharedMap, GroupId)>,
}

impl std::fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.schema.keys().map(|it| (it.name(), self.read(it)));
        f.debug_map().entries(values).finish()
    }
}

impl<'a> Keys<'a> {
    pub(crate) fn new(
        at: Row,
        schema: &'a Schema,
        board: BoardView<'a>,
        shared: Option<(&'a Shared, &'a SharedMap, GroupId)>,
    ) -> Self {
        Keys { at, schema, board, shared }
    }

    /// What a key holds.
    ///
    /// # Panics
    /// If the key belongs to another tree. A key from this tree's builder, schema or asset never
    /// panics, nor does one that is [bound](crate::Forest::bind).
    #[must_use]
    #[track_caller]
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        match self.try_get(key) {
            Some(value) => value,
            None => foreign(self.schema, key),
        }
    }

    /// What a key holds, or `None` if it belongs to another tree.
    #[must_use]
    pub fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        // The tag of a key of the agent's board differs from all others.
        self.board.get(self.at, key).ok().or_else(|| V::from_value(self.read(self.schema.own(key)?)))
    }

    /// What a key of any type holds: for tools, which have no typed keys. A symbol's word is
    /// [`Schema::word`]. Looks a name up, which may allocate.
    ///
    /// # Errors
    /// If the tree has no such key.
    pub fn value(&self, key: impl KeyName) -> Result<Value, AccessError> {
        Ok(self.read(self.schema.decl(key.index_in(self.schema)?)))
    }

    pub(crate) fn read(&self, decl: &KeyDecl) -> Value {
        match (decl.scope(), self.shared) {
            (scope @ (Scope::Group | Scope::Global), Some((shared, map, group))) => {
                shared.get(map, group, scope, decl.place())
            }
            _ => self.board.value(self.at, decl.place()),
        }
    }
}

/// The keys of one agent, borrowed to read and to write: its own, those of its nodes, of its group
/// and of the forest. [`Forest::keys_mut`](crate::Forest::keys_mut),
/// [`PopulationMut::update_agents`](crate::handles::PopulationMut::update_agents) and
/// [`Brain::keys_mut`](crate::Brain::keys_mut) lend it. Leaves reach the same keys through their
/// [`Context`](crate::Context).
///
/// A write that matters to a condition has it asked again, and wakes the agent if it sleeps. A
/// change matters if the condition can answer differently: to `Check("distance < 10")` it matters
/// that `distance` passes 10 (SEMANTICS 8.3). Writing the value that the key already holds does
/// nothing. Comparing a written value costs about a nanosecond for each comparison of the key.
pub struct KeysMut<'a> {
    /// The agent's row.
    pub(crate) at: Row,
    /// The ids of all agents of the chunk.
    pub(crate) ids: &'a [AgentId],
    /// Entities and groups, if an agent has any.
    pub(crate) ties: Option<&'a Ties>,
    pub(crate) rows: KeyRows<'a>,
}

impl std::fmt::Debug for KeysMut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeysMut").field("agent", &self.agent()).finish_non_exhaustive()
    }
}

impl KeysMut<'_> {
    /// The agent.
    #[inline]
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.ids[self.at.index()]
    }

    /// Which of the game's entities the agent is: see [`Context::entity`](crate::Context::entity).
    #[inline]
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.ties.map_or(Entity::NONE, |it| it.entity(self.at))
    }

    /// The agent's group, if it is in one.
    #[inline]
    #[must_use]
    pub fn group(&self) -> Option<GroupId> {
        self.ties?.group(self.at).map(|it| it.0)
    }

    /// What a key holds.
    ///
    /// # Panics
    /// If the key belongs to another tree (another name, scope or type). A key from this tree's
    /// builder, schema or asset never panics, nor does one that is [bound](crate::Forest::bind).
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        self.rows.get(self.at, key)
    }

    /// What a key holds, or `None` if it belongs to another tree.
    #[inline]
    #[must_use]
    pub fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        self.rows.try_get(self.at, key)
    }

    /// Writes a key, and returns whether that changed its value. A float need not be finite: see
    /// [`BlackboardType`].
    ///
    /// # Panics
    /// As [`get`](KeysMut::get), and if the value is a symbol that is not one of the key's words.
    #[inline]
    #[track_caller]
    pub fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        self.rows.set(self.at, key, value)
    }

    /// Writes a key, and returns whether that changed its value. For keys that may belong to
    /// another tree, and symbols that may not be one of the key's words.
    ///
    /// # Errors
    /// If the key belongs to another tree, or the value is a symbol that is not one of the key's
    /// words.
    #[inline]
    pub fn try_set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.rows.try_set(self.at, key, value)
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Panics
    /// As [`get`](KeysMut::get).
    #[inline]
    #[track_caller]
    pub fn reset<V: BlackboardType>(&mut self, key: Key<V>) -> bool {
        self.rows.reset(self.at, key)
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Errors
    /// If the key belongs to another tree.
    pub fn try_reset<V: BlackboardType>(&mut self, key: Key<V>) -> Result<bool, AccessError> {
        self.rows.try_reset(self.at, key)
    }

    /// Resets all node and agent keys to their defaults. Keys of the group and of the forest stay.
    #[inline]
    pub fn reset_all(&mut self) {
        self.rows.reset_all(self.at);
    }

    /// What a key of any type holds: as [`Keys::value`].
    ///
    /// # Errors
    /// If the tree has no such key.
    pub fn value(&self, key: impl KeyName) -> Result<Value, AccessError> {
        Ok(self.rows.read(self.at, key.index_in(self.rows.schema)?))
    }

    /// Writes a key of any type, and returns whether that changed its value. The value must have
    /// exactly the key's type: an int is not converted to a float. A `&str` is a word of a symbol
    /// key: `set_value("range", "near")`.
    ///
    /// # Errors
    /// If the tree has no such key, or the key cannot hold that value: it is of another type, or a
    /// symbol that is not one of the key's words.
    pub fn set_value(&mut self, key: impl KeyName, value: impl Into<Value>) -> Result<bool, AccessError> {
        let (key, value) = (key.index_in(self.rows.schema)?, value.into());
        let decl = self.rows.schema.decl(key);
        AccessError::check(decl.name(), decl.ty(), decl.symbols(), value)?;
        Ok(self.rows.write(self.at, decl, value))
    }

    /// Fills a slot with the tree of this name, or with `empty`, and returns whether that changed
    /// it (SEMANTICS 9.4). What runs in it is ended in the agent's next tick. Slots of instances
    /// have the names of these before their own: `fight.weapon`.
    ///
    /// # Errors
    /// If the tree has no such slot, or the slot no such tree.
    pub fn fill(&mut self, slot: &str, word: &str) -> Result<bool, AccessError> {
        let key = self.rows.schema.slot(slot, word)?;
        Ok(self.rows.write(self.at, self.rows.schema.decl(key), Symbol::new(word).into()))
    }

    /// Whether a slot can be filled with that word.
    pub(crate) fn find_slot(&self, slot: &str, word: &str) -> Result<(), AccessError> {
        Ok(self.rows.schema.slot(slot, word).map(|_| ())?)
    }

    /// Resets a key of any type to its default, and returns whether that changed its value.
    ///
    /// # Errors
    /// If the tree has no such key.
    pub fn reset_value(&mut self, key: impl KeyName) -> Result<bool, AccessError> {
        let decl = self.rows.schema.decl(key.index_in(self.rows.schema)?);
        Ok(self.rows.write(self.at, decl, decl.default()))
    }
}
