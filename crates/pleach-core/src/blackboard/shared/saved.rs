//! What agents share, in saves.

use std::sync::Arc;

use indexmap::IndexMap;
use pleach_expr::Value;

use super::{Members, Shared, Values};
use crate::blackboard::Scope;
use crate::blackboard::shared::table::Table;
use crate::ids::salted::{Salt, SaltedMap, Vacant};
use crate::ids::{AgentId, GroupId};
use crate::save::model::{SavedGroup, SavedKey, SavedValue};

/// The values that differ from the defaults, by their keys.
fn saved_values(table: &Table, values: &[Value]) -> Vec<(u32, SavedValue)> {
    let all = (0..).zip(table.keys.values()).map(|(at, key)| (at, key.default, values[key.place.index()]));
    all.filter(|it| it.1 != it.2).map(|(at, _, value)| (at, value.into())).collect()
}

impl Table {
    fn saved(&self) -> Vec<SavedKey> {
        let key = |(name, default): (&str, Value)| SavedKey {
            name: name.into(),
            node: None,
            default: default.into(),
            words: Vec::new(),
        };
        self.keys.iter().map(|it| key((&**it.0, it.1.default))).collect()
    }

    /// Writes saved values over the defaults. Skips keys that no longer exist, and values that the
    /// key can no longer hold.
    fn restore(&self, keys: &[SavedKey], saved: &[(u32, SavedValue)], values: &mut [Value]) {
        for (at, value) in saved {
            let (key, value) = (&keys[*at as usize], Value::from(*value));
            if let Some(now) = self.keys.get(&*key.name)
                && now.admits(value)
            {
                values[now.place.index()] = value;
            }
        }
    }
}

impl super::table::Declared {
    fn admits(&self, value: Value) -> bool {
        match value {
            Value::Symbol(it) => self.words.contains(&it),
            _ => self.default.ty() == value.ty(),
        }
    }
}

impl Shared {
    /// The keys of a scope, in the order by which values name them.
    pub(crate) fn saved_keys(&self, scope: Scope) -> Vec<SavedKey> {
        self.table(scope).map_or_else(Vec::new, Table::saved)
    }

    pub(crate) fn saved_globals(&self) -> Vec<(u32, SavedValue)> {
        saved_values(&self.global_table, &self.globals)
    }

    pub(crate) fn vacant_groups(&self) -> Vacant {
        self.groups.vacant()
    }

    pub(crate) fn group_ids(&self) -> impl Iterator<Item = GroupId> {
        let salt = self.groups.salt();
        self.groups.entries().map(move |it| salt.key(it.0))
    }

    /// A group with the selected ones of its members.
    pub(crate) fn saved_group(&self, group: GroupId, meant: impl Fn(AgentId) -> bool) -> Option<SavedGroup> {
        let it = self.groups.get(group)?;
        let salt = self.groups.salt();
        let members = self.members(group)?.iter().filter(|it| meant(**it)).map(|it| salt.plain(*it)).collect();
        let own = matches!(it.members, Members::Single(_));
        Some(SavedGroup { id: salt.plain(group), own, members, values: saved_values(&self.group_table, &it.values) })
    }

    /// The groups of this forest with those of a save; `None` if they do not fit together. A group
    /// that exists already only gets the members that it lacks. With what is `vacant` in the forest
    /// of the save they are those of the save alone.
    pub(crate) fn with_groups(
        &self,
        salt: Salt,
        keys: &[SavedKey],
        saved: &[SavedGroup],
        vacant: Option<&Vacant>,
    ) -> Option<Groups> {
        let mut groups: IndexMap<u64, Values> = IndexMap::new();
        let mut free = match vacant {
            Some(vacant) => vacant.clone(),
            None => {
                groups.extend(self.groups.entries().map(|(id, values)| (id, values.clone())));
                self.groups.vacant()
            }
        };
        let mut slots = u32::try_from(groups.len() + free.len()).ok()?;
        for group in saved {
            let members = group.members.iter().map(|it| salt.key(*it));
            if let Some(here) = groups.get_mut(&group.id) {
                match &mut here.members {
                    Members::Of(all) if vacant.is_none() && !group.own => Arc::make_mut(all).extend(members),
                    _ => return None,
                }
                continue;
            }
            if vacant.is_none() && !free.take(group.id, &mut slots) {
                return None;
            }
            let mut values = self.group_table.defaults.clone();
            self.group_table.restore(keys, &group.values, &mut values);
            let members = if group.own {
                Members::Single(salt.key(*group.members.first()?))
            } else {
                Members::Of(Arc::new(members.collect()))
            };
            groups.insert(group.id, Values { values, members, tokens: super::tokens::Tokens::default() });
        }
        SaltedMap::rebuilt(salt, groups.into_iter().collect(), &free).map(Groups)
    }

    pub(crate) fn set_groups(&mut self, groups: Groups) {
        self.groups = groups.0;
    }

    /// Takes over the values of global keys, for agents of a save. The save says what they have to
    /// look at: earlier writes here need no notification.
    pub(crate) fn restore_globals(&mut self, keys: &[SavedKey], saved: &[(u32, SavedValue)]) {
        self.globals.copy_from_slice(&self.global_table.defaults);
        self.global_table.restore(keys, saved, &mut self.globals);
        self.changed.clear();
    }

    /// Whether there are groups.
    pub(crate) fn has_groups(&self) -> bool {
        self.groups.len() > 0
    }
}

/// Groups to add to a forest.
pub(crate) struct Groups(SaltedMap<GroupId, Values>);
