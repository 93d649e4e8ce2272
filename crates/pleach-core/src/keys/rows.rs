//! The keys of an agent, to read and to write, wherever their parts are stored: for handles, and
//! for what leaves see.

use pleach_expr::expr::KeyIndex;

use crate::blackboard::board::{BoardRows, CellRows, Written};
use crate::blackboard::place::KeyPlace;
use crate::blackboard::view::{NO_KEYS, SharedRows};
use crate::blackboard::{KeyDecl, Refused, Schema, Scope};
use crate::row::Row;
use crate::{BlackboardType, Key, Value, error::AccessError};

/// The keys of some agents. Implementors say where the parts are.
pub(crate) trait AgentKeys<'a> {
    fn schema(&self) -> &'a Schema;
    fn cells(&self) -> &CellRows<'a>;
    fn cells_mut(&mut self) -> &mut CellRows<'a>;
    /// A key has been written, which may matter to observers.
    fn mark(&mut self, at: Row, written: Written);
    /// A shared key that observers of this tree read has changed.
    fn mark_shared(&mut self, at: Row, scope: Scope, key: KeyPlace);
    /// Group and global keys, if the tree declares any.
    fn shared(&self) -> Option<&SharedRows<'a>>;
    fn shared_mut(&mut self) -> Option<&mut SharedRows<'a>>;

    /// What a key holds. Panics if it belongs to another tree.
    #[inline(always)]
    #[track_caller]
    fn get<V: BlackboardType>(&self, at: Row, key: Key<V>) -> V {
        match self.cells().get(at, key) {
            Ok(value) => value,
            Err(_) => self.get_other(at, key),
        }
    }

    #[inline(always)]
    fn try_get<V: BlackboardType>(&self, at: Row, key: Key<V>) -> Option<V> {
        // The tag of a key of the agent's board differs from all others.
        match self.cells().get(at, key) {
            Ok(value) => Some(value),
            Err(_) => self.other_value(at, key),
        }
    }

    /// Writes a key, and returns whether that changed its value. Panics if the key belongs to
    /// another tree, or the value is not one of its words.
    #[inline(always)]
    #[track_caller]
    fn set<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> bool {
        match self.put(at, key, value) {
            Ok(changed) => changed,
            Err(Refused::Foreign) => foreign(self.schema(), key),
            Err(Refused::NotAWord) => not_a_word(self.schema(), key, value),
        }
    }

    #[inline]
    fn try_set<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, AccessError> {
        self.put(at, key, value).map_err(|it| AccessError::of(it, self.schema(), key))
    }

    /// Resets a key to its default, and returns whether that changed its value. Panics if the key
    /// belongs to another tree.
    #[inline]
    #[track_caller]
    fn reset<V: BlackboardType>(&mut self, at: Row, key: Key<V>) -> bool {
        let default = self.schema().own(key).and_then(|it| V::from_value(it.default()));
        let Some(default) = default else { foreign(self.schema(), key) };
        match self.put(at, key, default) {
            Ok(changed) => changed,
            Err(_) => foreign(self.schema(), key),
        }
    }

    fn try_reset<V: BlackboardType>(&mut self, at: Row, key: Key<V>) -> Result<bool, AccessError> {
        let default = self.schema().own(key).and_then(|it| V::from_value(it.default()));
        let default = default.ok_or_else(|| AccessError::foreign(self.schema(), key))?;
        self.put(at, key, default).map_err(|it| AccessError::of(it, self.schema(), key))
    }

    /// Resets all node and agent keys to their defaults.
    fn reset_all(&mut self, at: Row) {
        for (key, default) in self.cells().defaults() {
            let written = self.cells_mut().set_value(at, key, default);
            self.note(at, written);
        }
    }

    fn read(&self, at: Row, key: KeyIndex) -> Value {
        let decl = self.schema().decl(key);
        match decl.scope() {
            Scope::Node | Scope::Agent => self.cells().value(at, decl.place()),
            scope => self.shared().expect(NO_KEYS).get(at, scope, decl.place()),
        }
    }

    /// Writes a value that a key can hold, and returns whether that changed it.
    fn write(&mut self, at: Row, decl: &KeyDecl, value: Value) -> bool {
        match decl.scope() {
            Scope::Node | Scope::Agent => {
                let written = self.cells_mut().set_value(at, decl.place(), value);
                self.note(at, written)
            }
            scope => {
                let changed = self.shared_mut().expect(NO_KEYS).set(at, scope, decl.place(), value);
                self.note_shared(at, decl, changed)
            }
        }
    }

    /// Writes through a typed key.
    #[inline(always)]
    fn put<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, Refused> {
        self.schema().check(key, value)?;
        match self.cells_mut().set(at, key, value) {
            Ok(written) => Ok(self.note(at, written)),
            Err(_) => self.put_other(at, key, value),
        }
    }

    /// Notifies observers of a write, and returns whether it changed the value.
    #[inline(always)]
    fn note(&mut self, at: Row, written: Written) -> bool {
        if written.may_matter() {
            self.mark(at, written);
        }
        written.changed()
    }

    /// The same for a write to a shared key.
    #[inline]
    fn note_shared(&mut self, at: Row, decl: &KeyDecl, changed: bool) -> bool {
        if changed && self.cells().watches_shared() {
            self.mark_shared(at, decl.scope(), decl.place());
        }
        changed
    }

    /// As [`get`](AgentKeys::get), for what [`other_value`](AgentKeys::other_value) finds: one
    /// call, so that the path to the agent's own keys keeps nothing for it.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn get_other<V: BlackboardType>(&self, at: Row, key: Key<V>) -> V {
        match self.other_value(at, key) {
            Some(value) => value,
            None => foreign(self.schema(), key),
        }
    }

    /// The value of a shared key, or of one that has another place than in the tree in which the
    /// typed key was looked up. A separate function, so that the path to the agent's own keys stays
    /// short.
    #[inline(never)]
    fn other_value<V: BlackboardType>(&self, at: Row, key: Key<V>) -> Option<V> {
        let decl = self.schema().own(key)?;
        match (decl.scope(), self.shared()) {
            (Scope::Node | Scope::Agent, _) => V::from_value(self.cells().value(at, decl.place())),
            (Scope::Group | Scope::Global, Some(shared)) => shared.typed(self.schema(), at, key),
            (Scope::Group | Scope::Global, None) => None,
        }
    }

    #[inline(never)]
    fn put_other<V: BlackboardType>(&mut self, at: Row, key: Key<V>, value: V) -> Result<bool, Refused> {
        let schema = self.schema();
        let decl = schema.own(key).ok_or(Refused::Foreign)?;
        match (decl.scope(), self.shared_mut()) {
            (Scope::Node | Scope::Agent, _) => Ok(self.write(at, decl, value.into_value())),
            (Scope::Group | Scope::Global, Some(shared)) => {
                let changed = shared.set_typed(schema, at, key, value)?;
                Ok(self.note_shared(at, decl, changed))
            }
            (Scope::Group | Scope::Global, None) => Err(Refused::Foreign),
        }
    }
}

/// The keys of agents, and which of them changed.
pub(crate) struct KeyRows<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) board: BoardRows<'a>,
    /// Group and global keys, if the tree declares any.
    pub(crate) shared: Option<SharedRows<'a>>,
}

impl<'a> AgentKeys<'a> for KeyRows<'a> {
    #[inline(always)]
    fn schema(&self) -> &'a Schema {
        self.schema
    }
    #[inline(always)]
    fn cells(&self) -> &CellRows<'a> {
        &self.board.cells
    }
    #[inline(always)]
    fn cells_mut(&mut self) -> &mut CellRows<'a> {
        &mut self.board.cells
    }
    /// A separate function, so that a write to a key without observers stays short.
    #[inline(never)]
    fn mark(&mut self, at: Row, written: Written) {
        self.board.cells.mark(at, written, &mut self.board.changes);
    }
    fn mark_shared(&mut self, at: Row, scope: Scope, key: KeyPlace) {
        let KeyRows { board, shared, .. } = self;
        if let (Some(watch), Some(shared)) = (board.cells.watch_of_shared(scope, key), shared) {
            shared.mark(&mut board.changes, watch, scope, at);
        }
    }
    fn shared(&self) -> Option<&SharedRows<'a>> {
        self.shared.as_ref()
    }
    fn shared_mut(&mut self) -> Option<&mut SharedRows<'a>> {
        self.shared.as_mut()
    }
}

/// Never inlined into its callers, which are short.
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
