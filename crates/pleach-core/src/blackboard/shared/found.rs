//! Shared keys that are found by their names, or by the tags of typed keys.

use pleach_expr::Value;

use super::table::Declared;
use super::{Owner, Shared, Whose};
use crate::blackboard::Scope;
use crate::blackboard::error::{AccessError, SchemaError};

impl Shared {
    /// What the key of a tag holds.
    pub(crate) fn tagged(&self, whose: Whose, tag: u32) -> Option<Value> {
        let (table, values) = self.values(whose).ok()?;
        Some(values[table.tagged(tag)?.1.place.index()])
    }

    /// Writes the key of a tag, and returns whether that changed its value.
    pub(crate) fn set_tagged(&mut self, whose: Whose, tag: u32, value: Value) -> Result<bool, AccessError> {
        let (table, _) = self.values(whose)?;
        let (name, key) = table.tagged(tag).ok_or_else(|| self.foreign(whose, tag))?;
        AccessError::check(name, key.default.ty(), &key.words, value)?;
        Ok(self.write_of(whose, key.place, value))
    }

    /// Resets the key of a tag to its default, and returns whether that changed its value.
    pub(crate) fn reset_tagged(&mut self, whose: Whose, tag: u32) -> Result<bool, AccessError> {
        let (table, _) = self.values(whose)?;
        let (_, key) = table.tagged(tag).ok_or_else(|| self.foreign(whose, tag))?;
        Ok(self.write_of(whose, key.place, key.default))
    }

    /// Why a typed key cannot be used here.
    #[cold]
    pub(crate) fn foreign(&self, whose: Whose, tag: u32) -> AccessError {
        let table = match self.values(whose) {
            Ok((table, _)) => table,
            Err(stale) => return stale.into(),
        };
        let (scope, wanted) = (Scope::of_tag(tag), table.scope);
        if scope != wanted {
            return AccessError::OtherScope { found: scope, wanted };
        }
        if let Some((key, _)) = table.tagged(tag) {
            return AccessError::OtherWord { key: key.into() };
        }
        match table.retyped(tag) {
            Some((name, found, wanted)) => SchemaError::WrongType { name: name.into(), found, wanted }.into(),
            None => AccessError::Undeclared { scope, board: self.owner == Owner::Board },
        }
    }

    /// What the key of a name holds.
    pub(crate) fn named(&self, whose: Whose, name: &str) -> Result<Value, AccessError> {
        let (key, values) = self.find(whose, name)?;
        Ok(values[key.place.index()])
    }

    /// Writes the key of a name, and returns whether that changed its value.
    pub(crate) fn set_named(&mut self, whose: Whose, name: &str, value: Value) -> Result<bool, AccessError> {
        let (key, _) = self.find(whose, name)?;
        AccessError::check(name, key.default.ty(), &key.words, value)?;
        Ok(self.write_of(whose, key.place, value))
    }

    /// Resets the key of a name to its default, and returns whether that changed its value.
    pub(crate) fn reset_named(&mut self, whose: Whose, name: &str) -> Result<bool, AccessError> {
        let (key, _) = self.find(whose, name)?;
        Ok(self.write_of(whose, key.place, key.default))
    }

    fn find(&self, whose: Whose, name: &str) -> Result<(&Declared, &[Value]), AccessError> {
        let (table, values) = self.values(whose)?;
        let key = table.keys.get(name).ok_or_else(|| {
            let (name, help) = (name.into(), table.meant(name));
            match (self.owner, table.scope) {
                (Owner::Board, scope) => AccessError::UnknownOnBoard { name, scope, help },
                (_, Scope::Group) => AccessError::UnknownGroupKey { name, help },
                _ => AccessError::UnknownGlobal { name, help },
            }
        })?;
        Ok((key, values))
    }
}
