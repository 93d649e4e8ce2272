//! The keys that agents share, from outside: those of one group, and those of the forest.

use crate::blackboard::shared::{Shared, Whose};
use crate::{BlackboardType, Key, Value, error::AccessError};

/// The keys of one group, those of the whole forest, or those of a board, borrowed to read.
/// [`GroupRef::keys`](crate::handles::GroupRef::keys), [`Forest::globals`](crate::Forest::globals)
/// and [`SharedBoard::keys`](crate::SharedBoard::keys) lend it. For a board, "the trees of the
/// forest" means those that it has admitted. A typed key from any of the trees works: trees of one
/// forest declare a shared key alike. It is found by a search through the keys that the forest's
/// trees share. It is identified by a hash of thirty bits: of two keys with one hash neither is
/// found, but both are by name.
#[derive(Clone, Copy, Debug)]
pub struct SharedKeys<'a> {
    shared: &'a Shared,
    whose: Whose,
}

/// The same, borrowed to read and to write.
/// [`GroupMut::keys_mut`](crate::handles::GroupMut::keys_mut),
/// [`Forest::globals_mut`](crate::Forest::globals_mut) and
/// [`SharedBoard::keys_mut`](crate::SharedBoard::keys_mut) lend it.
///
/// Agents whose conditions read such a key notice a write in their next tick.
#[derive(Debug)]
pub struct SharedKeysMut<'a> {
    shared: &'a mut Shared,
    whose: Whose,
}

impl<'a> SharedKeys<'a> {
    /// Those of an existing group, or of the forest.
    pub(crate) fn new(shared: &'a Shared, whose: Whose) -> Self {
        SharedKeys { shared, whose }
    }

    /// What a key holds.
    ///
    /// # Panics
    /// If no tree of the forest declares it in this scope.
    #[must_use]
    #[track_caller]
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        match self.try_get(key) {
            Some(value) => value,
            None => refused(key, &self.shared.foreign(self.whose, key.tag())),
        }
    }

    /// What a key holds, or `None` if no tree of the forest declares it in this scope.
    #[must_use]
    pub fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        V::from_value(self.shared.tagged(self.whose, key.tag())?)
    }

    /// What the key of a name holds, of any type. The name is without its scope.
    ///
    /// # Errors
    /// If no tree of the forest declares the key.
    pub fn value(&self, name: &str) -> Result<Value, AccessError> {
        self.shared.named(self.whose, name)
    }
}

impl<'a> SharedKeysMut<'a> {
    /// Those of an existing group, or of the forest.
    pub(crate) fn new(shared: &'a mut Shared, whose: Whose) -> Self {
        SharedKeysMut { shared, whose }
    }

    fn view(&self) -> SharedKeys<'_> {
        SharedKeys { shared: self.shared, whose: self.whose }
    }

    /// As [`SharedKeys::get`].
    ///
    /// # Panics
    /// As that.
    #[must_use]
    #[track_caller]
    pub fn get<V: BlackboardType>(&self, key: Key<V>) -> V {
        self.view().get(key)
    }

    /// As [`SharedKeys::try_get`].
    #[must_use]
    pub fn try_get<V: BlackboardType>(&self, key: Key<V>) -> Option<V> {
        self.view().try_get(key)
    }

    /// Writes a key, and returns whether that changed its value.
    ///
    /// # Panics
    /// If no tree of the forest declares it in this scope, or the value is a symbol that is not one
    /// of the key's words.
    #[track_caller]
    pub fn set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> bool {
        match self.try_set(key, value) {
            Ok(changed) => changed,
            Err(error) => refused(key, &error),
        }
    }

    /// Writes a key, and returns whether that changed its value.
    ///
    /// # Errors
    /// If no tree of the forest declares it in this scope, or the value is a symbol that is not one
    /// of the key's words.
    pub fn try_set<V: BlackboardType>(&mut self, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.shared.set_tagged(self.whose, key.tag(), value.into_value())
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Panics
    /// If no tree of the forest declares it in this scope.
    #[track_caller]
    pub fn reset<V: BlackboardType>(&mut self, key: Key<V>) -> bool {
        match self.try_reset(key) {
            Ok(changed) => changed,
            Err(error) => refused(key, &error),
        }
    }

    /// Resets a key to its default, and returns whether that changed its value.
    ///
    /// # Errors
    /// If no tree of the forest declares it in this scope.
    pub fn try_reset<V: BlackboardType>(&mut self, key: Key<V>) -> Result<bool, AccessError> {
        self.shared.reset_tagged(self.whose, key.tag())
    }

    /// Resets all of these keys to their defaults.
    pub fn reset_all(&mut self) {
        self.shared.reset_all(self.whose);
    }

    /// As [`SharedKeys::value`].
    ///
    /// # Errors
    /// As that.
    pub fn value(&self, name: &str) -> Result<Value, AccessError> {
        self.view().value(name)
    }

    /// Writes the key of a name, and returns whether that changed its value. The value must have
    /// exactly the key's type; a `&str` is a word of a symbol key.
    ///
    /// # Errors
    /// If no tree of the forest declares the key, it has another type, or the value is a symbol
    /// that no tree lists among the key's words.
    pub fn set_value(&mut self, name: &str, value: impl Into<Value>) -> Result<bool, AccessError> {
        self.shared.set_named(self.whose, name, value.into())
    }

    /// Resets the key of a name to its default, and returns whether that changed its value.
    ///
    /// # Errors
    /// If no tree of the forest declares the key.
    pub fn reset_value(&mut self, name: &str) -> Result<bool, AccessError> {
        self.shared.reset_named(self.whose, name)
    }
}

#[cold]
#[track_caller]
fn refused<T: BlackboardType>(key: Key<T>, error: &AccessError) -> ! {
    panic!("{key:?}: {error}")
}
