//! Shared keys that are declared one by one, for brains that share some.

#[cfg(feature = "save")]
use pleach_expr::Value;

use super::table::put;
use super::{Shared, Table};
use crate::blackboard::{Difference, KeyDecl, Scope};

impl Shared {
    /// The difference between a declaration of a key and the known one.
    pub(crate) fn differs(&self, decl: &KeyDecl) -> Option<Difference> {
        Some(self.table(decl.scope())?.check(decl)?.1)
    }

    /// Whether a key of this name and scope is declared.
    pub(crate) fn declares(&self, decl: &KeyDecl) -> bool {
        self.table(decl.scope()).is_some_and(|it| it.keys.contains_key(decl.name()))
    }

    /// Declares a group or global key, with its default in all groups. One that is declared
    /// differently changes as when a tree is replaced (SEMANTICS 8.10).
    pub(crate) fn declare(&mut self, decl: &KeyDecl) {
        let add = |table: &mut Table| (!table.keys.contains_key(decl.name())).then(|| table.add(decl).0);
        match decl.scope() {
            Scope::Node | Scope::Agent => {}
            Scope::Group => {
                if let Some(place) = add(&mut self.group_table) {
                    self.groups.values_mut().for_each(|it| put(&mut it.values, place, decl.default()));
                }
            }
            Scope::Global => {
                if let Some(place) = add(&mut self.global_table) {
                    put(&mut self.globals, place, decl.default());
                }
            }
        }
        self.change(decl);
    }

    /// The names of all keys of a scope that do not hold their defaults, with their values.
    #[cfg(feature = "save")]
    pub(crate) fn changed(&self, whose: super::Whose) -> Vec<(String, Value)> {
        let Ok((table, values)) = self.values(whose) else { return Vec::new() };
        let all = table.keys.iter().map(|(name, key)| (name, key.default, values[key.place.index()]));
        all.filter(|it| it.1 != it.2).map(|(name, _, value)| (name.to_string(), value)).collect()
    }
}
