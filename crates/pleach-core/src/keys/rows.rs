//! The keys of agents in columns, to read and to write.

use crate::blackboard::board::BoardRows;
use crate::blackboard::view::{NO_KEYS, SharedRows};
use crate::blackboard::{KeyDecl, Refused, Schema, Scope};
use crate::expr::KeyIndex;
use crate::row::Row;
use crate::{BlackboardType, Key, Value, error::AccessError};

/// The keys of some agents of a tree.
pub(crate) struct KeyRows<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) board: BoardRows<'a>,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'a>>,
}

impl KeyRows<'_> {
    /// What a key holds. Panics if it is of another tree.
    #[inline]
    #[track_caller]
    pub(crate) fn get<V: BlackboardType>(&self, at: Row, key: Key<V>) -> V {
        match self.board.get(at, key) {
            Ok(value) => value,
            Err(_) => self.get_other(at, key),
        }
    }

    #[inline]
    pub(crate) fn try_get<V: BlackboardType>(&self, at: Row, key: Key<V>) -> Option<V> {
        // The tag of a key of the agent's board differs from all others.
        match self.board.get(at, key) {
            Ok(value) => Some(value),
            Err(_) => self.other_value(at, key),
        }
    }

    /// Writes a key, and tells whether that changed its value. Panics if the key is of another
    /// tree, or the value none of its words.
    #[inline]
    #[track_caller]
    pub(crate) fn set<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> bool {
        match self.checked_put(at, key, value) {
            Ok(changed) => changed,
            Err(Refused::Foreign) => foreign(self.schema, key),
            Err(Refused::NotAWord) => not_a_word(self.schema, key, value),
        }
    }

    #[inline]
    pub(crate) fn try_set<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.checked_put(at, key, value).map_err(|it| AccessError::of(it, self.schema, key))
    }

    /// Puts a key back to its default, and tells whether that changed its value. Panics if the key
    /// is of another tree.
    #[inline]
    #[track_caller]
    pub(crate) fn reset<V: BlackboardType>(&mut self, at: Row, key: Key<V>) -> bool {
        let default = self.schema.own(key).and_then(|it| V::from_value(it.default()));
        let Some(default) = default else { foreign(self.schema, key) };
        match self.put(at, key, default) {
            Ok(changed) => changed,
            Err(_) => foreign(self.schema, key),
        }
    }

    pub(crate) fn read(&self, at: Row, key: KeyIndex) -> Value {
        let decl = self.schema.decl(key);
        match decl.scope() {
            Scope::Node | Scope::Agent => self.board.value(at, decl.place()),
            scope => self.shared.as_ref().expect(NO_KEYS).get(at, scope, decl.place()),
        }
    }

    /// Writes a value that a key can hold, and tells whether that changed it.
    pub(crate) fn write(&mut self, at: Row, decl: &KeyDecl, value: Value) -> bool {
        match decl.scope() {
            Scope::Node | Scope::Agent => self.board.set_value(at, decl.place(), value),
            scope => self.shared.as_mut().expect(NO_KEYS).set(at, scope, decl.place(), value),
        }
    }

    #[inline]
    fn checked_put<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, Refused> {
        self.schema.check(key, value)?;
        self.put(at, key, value)
    }

    /// Writes through a typed key, and leaves the key's words unchecked.
    #[inline]
    fn put<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, Refused> {
        match self.board.set(at, key, value) {
            Ok(changed) => Ok(changed),
            Err(_) => self.put_other(at, key, value),
        }
    }

    /// As [`get`](KeyRows::get), for what [`other_value`](KeyRows::other_value) finds: one call, so
    /// that the way to the agent's own keys keeps nothing for it.
    #[inline(never)]
    #[track_caller]
    fn get_other<V: BlackboardType>(&self, at: Row, key: Key<V>) -> V {
        match self.other_value(at, key) {
            Some(value) => value,
            None => foreign(self.schema, key),
        }
    }

    /// What a shared key holds, or one that has another place than in the tree in which the typed
    /// key was looked up. A function of its own, so that the way to the agent's own keys stays
    /// short.
    #[inline(never)]
    fn other_value<V: BlackboardType>(&self, at: Row, key: Key<V>) -> Option<V> {
        let decl = self.schema.own(key)?;
        match (decl.scope(), &self.shared) {
            (Scope::Node | Scope::Agent, _) => V::from_value(self.board.value(at, decl.place())),
            (Scope::Group | Scope::Global, Some(shared)) => shared.typed(self.schema, at, key),
            (Scope::Group | Scope::Global, None) => None,
        }
    }

    #[inline(never)]
    fn put_other<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, Refused> {
        let decl = self.schema.own(key).ok_or(Refused::Foreign)?;
        match (decl.scope(), &mut self.shared) {
            (Scope::Node | Scope::Agent, _) => Ok(self.board.set_value(at, decl.place(), value.into_value())),
            (Scope::Group | Scope::Global, Some(shared)) => Ok(shared.set_typed(self.schema, at, key, value)?),
            (Scope::Group | Scope::Global, None) => Err(Refused::Foreign),
        }
    }
}

/// Never a part of its callers, which are short.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn foreign<T: BlackboardType>(schema: &Schema, key: Key<T>) -> ! {
    match AccessError::foreign(schema, key) {
        AccessError::ForeignKey => {
            panic!("{key:?} is a key of another tree: look keys up in the schema of the tree that uses them")
        }
        error => panic!("{error}"),
    }
}

#[cold]
#[track_caller]
fn not_a_word<T: BlackboardType>(schema: &Schema, key: Key<T>, value: T) -> ! {
    let decl = schema.own(key);
    let (name, words) = decl.map(|it| (it.name(), it.words().collect::<Vec<_>>().join("`, `"))).unwrap_or_default();
    panic!("{value:?} is none of the words of `{name}`, which are `{words}`")
}
