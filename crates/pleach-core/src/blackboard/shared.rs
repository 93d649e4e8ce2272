//! What agents share: the keys of groups, and those of the whole forest (SEMANTICS 8.9).

mod declared;
#[cfg(feature = "save")]
pub(crate) mod saved;
mod table;

use std::sync::Arc;

use super::error::{AccessError, Difference};
use super::place::{KeyPlace, SharedPlace};
use super::{KeyDecl, Schema, Scope};
use crate::ids::salted::{Salt, SaltedMap};
use crate::ids::{AgentId, GroupId, StaleError};
use crate::value::Value;
use table::{Table, put};

/// Writes a value, and tells whether that changed the cell.
fn write(cell: &mut Value, value: Value) -> bool {
    let changed = *cell != value;
    *cell = value;
    changed
}

/// Where the group and global keys of a tree are among the forest's values. Most trees have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedMap(Option<Box<SharedPlaces>>);

impl SharedMap {
    /// Whether the tree has no such keys.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

#[derive(Clone, Debug, Default)]
struct SharedPlaces {
    group: Vec<SharedPlace>,
    global: Vec<SharedPlace>,
}

/// Whose keys a handle is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose {
    Group(GroupId),
    Forest,
}

/// One shared value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Group(GroupId, SharedPlace),
    Global(SharedPlace),
}

impl Cell {
    pub(super) fn of(map: &SharedMap, group: GroupId, scope: Scope, key: KeyPlace) -> Self {
        let places = map.0.as_ref().expect("a tree with such a key has a place for it");
        match scope {
            Scope::Group => Cell::Group(group, places.group[key.index()]),
            _ => Cell::Global(places.global[key.index()]),
        }
    }
}

/// The shared values of a forest.
#[derive(Debug)]
pub(crate) struct Shared {
    group_table: Table,
    global_table: Table,
    globals: Vec<Value>,
    groups: SaltedMap<GroupId, Values>,
}

/// A group's values.
#[derive(Debug)]
struct Values {
    values: Vec<Value>,
    members: Members,
}

/// The agents of a group.
#[derive(Clone, Debug)]
enum Members {
    /// The one that joined no group; the group is removed when that agent leaves.
    Single(AgentId),
    /// Those of a group that the host asked for. Snapshots have the same list until somebody comes
    /// or goes.
    Of(Arc<Vec<AgentId>>),
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        Shared {
            group_table: self.group_table.clone(),
            global_table: self.global_table.clone(),
            globals: self.globals.clone(),
            groups: self.groups.clone(),
        }
    }

    fn clone_from(&mut self, from: &Self) {
        self.group_table.clone_from(&from.group_table);
        self.global_table.clone_from(&from.global_table);
        self.globals.clone_from(&from.globals);
        self.groups.clone_from(&from.groups);
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        Values { values: self.values.clone(), members: self.members.clone() }
    }

    fn clone_from(&mut self, from: &Self) {
        self.values.clone_from(&from.values);
        self.members.clone_from(&from.members);
    }
}

impl Shared {
    pub(crate) fn new(salt: Salt) -> Self {
        Shared {
            group_table: Table::new(Scope::Group),
            global_table: Table::new(Scope::Global),
            globals: Vec::new(),
            groups: SaltedMap::new(salt),
        }
    }

    /// Adds a tree's shared keys, which are declared as those of the other trees are.
    pub(crate) fn admit(&mut self, schema: &Schema) -> SharedMap {
        self.make_room(schema)
    }

    /// What differs between the declaration of a key, and that of the trees here that stay when
    /// others go. `going` of those that declare it go.
    pub(crate) fn difference(&self, decl: &KeyDecl, going: usize) -> Option<Difference> {
        let (key, difference) = self.table(decl.scope())?.check(decl)?;
        (key.trees > going).then_some(difference)
    }

    /// Takes the shared keys of these trees in place of those of others, when it is known that they
    /// agree. Values stay. A changed key that cannot hold its value, or holds the default that it
    /// had, gets its default. A key that no tree declares any more is removed.
    pub(crate) fn readmit<'a>(
        &mut self,
        old: impl IntoIterator<Item = &'a Schema>,
        new: impl IntoIterator<Item = &'a Schema, IntoIter: Clone>,
    ) -> Vec<SharedMap> {
        let new = new.into_iter();
        new.clone().flat_map(Schema::keys).for_each(|it| self.change(it));
        let maps = new.map(|it| self.make_room(it)).collect();
        old.into_iter().for_each(|it| self.release(it));
        maps
    }

    /// The trees that declare a key now declare it like this.
    fn change(&mut self, decl: &KeyDecl) {
        let table = match decl.scope() {
            Scope::Node | Scope::Agent => return,
            Scope::Group => &mut self.group_table,
            Scope::Global => &mut self.global_table,
        };
        if table.check(decl).is_none() {
            return;
        }
        let Some((place, was)) = table.change(decl) else { return };
        let settle = |cell: &mut Value| {
            if *cell == was || !decl.admits(*cell) {
                *cell = decl.default();
            }
        };
        match decl.scope() {
            Scope::Group => self.groups.values_mut().for_each(|it| settle(&mut it.values[place.index()])),
            Scope::Node | Scope::Agent | Scope::Global => settle(&mut self.globals[place.index()]),
        }
    }

    /// Removes a tree, and with it the keys that no other tree declares.
    pub(crate) fn release(&mut self, schema: &Schema) {
        for decl in schema.keys() {
            match decl.scope() {
                Scope::Node | Scope::Agent => {}
                Scope::Group => self.group_table.remove(decl),
                Scope::Global => self.global_table.remove(decl),
            }
        }
    }

    fn table(&self, scope: Scope) -> Option<&Table> {
        match scope {
            Scope::Node | Scope::Agent => None,
            Scope::Group => Some(&self.group_table),
            Scope::Global => Some(&self.global_table),
        }
    }

    fn make_room(&mut self, schema: &Schema) -> SharedMap {
        let mut map = SharedMap::default();
        for decl in schema.keys() {
            match decl.scope() {
                Scope::Node | Scope::Agent => {}
                Scope::Group => {
                    let (place, new) = self.group_table.add(decl);
                    if new {
                        self.groups.values_mut().for_each(|it| put(&mut it.values, place, decl.default()));
                    }
                    map.0.get_or_insert_default().group.push(place);
                }
                Scope::Global => {
                    let (place, new) = self.global_table.add(decl);
                    if new {
                        put(&mut self.globals, place, decl.default());
                    }
                    map.0.get_or_insert_default().global.push(place);
                }
            }
        }
        map
    }

    /// A group for one agent, which is its member.
    pub(crate) fn new_group(&mut self, agent: AgentId) -> GroupId {
        self.insert(Members::Single(agent))
    }

    /// A group that the host asked for.
    pub(crate) fn new_group_kept(&mut self) -> GroupId {
        self.insert(Members::Of(Arc::default()))
    }

    fn insert(&mut self, members: Members) -> GroupId {
        self.groups.insert(Values { values: self.group_table.defaults.clone(), members })
    }

    /// Adds an agent to a group that the host asked for. Returns its seat.
    pub(crate) fn join(&mut self, group: GroupId, agent: AgentId) -> Result<u32, StaleError> {
        match self.groups.get_mut(group).map(|it| &mut it.members) {
            Some(Members::Of(members)) => {
                let members = Arc::make_mut(members);
                members.push(agent);
                Ok(u32::try_from(members.len() - 1).expect("there are fewer agents"))
            }
            // Another agent's own group is none that can be joined.
            Some(Members::Single(_)) | None => Err(StaleError::Group(group)),
        }
    }

    /// An agent has left its group and this seat. Returns the agent that sits there now.
    pub(crate) fn leave(&mut self, group: GroupId, seat: u32) -> Option<AgentId> {
        match &mut self.groups.get_mut(group)?.members {
            Members::Single(_) => {
                self.groups.remove(group);
                None
            }
            Members::Of(members) => {
                let members = Arc::make_mut(members);
                members.swap_remove(seat as usize);
                members.get(seat as usize).copied()
            }
        }
    }

    /// The members of a group.
    pub(crate) fn members(&self, group: GroupId) -> Option<&[AgentId]> {
        Some(match &self.groups.get(group)?.members {
            Members::Single(agent) => std::slice::from_ref(agent),
            Members::Of(members) => members,
        })
    }

    /// Removes a group. Returns its members.
    pub(crate) fn drop_group(&mut self, group: GroupId) -> Option<Vec<AgentId>> {
        Some(match self.groups.remove(group)?.members {
            Members::Single(agent) => vec![agent],
            Members::Of(members) => Arc::unwrap_or_clone(members),
        })
    }

    /// Whether there is such a group that agents can join.
    pub(crate) fn has_group(&self, group: GroupId) -> bool {
        self.groups.get(group).is_some_and(|it| matches!(it.members, Members::Of(_)))
    }

    pub(crate) fn get(&self, map: &SharedMap, group: GroupId, scope: Scope, key: KeyPlace) -> Value {
        self.cell(Cell::of(map, group, scope, key))
    }

    pub(super) fn cell(&self, cell: Cell) -> Value {
        match cell {
            Cell::Group(group, at) => {
                self.groups.get(group).map_or(self.group_table.defaults[at.index()], |it| it.values[at.index()])
            }
            Cell::Global(at) => self.globals[at.index()],
        }
    }

    pub(super) fn set_cell(&mut self, cell: Cell, value: Value) -> bool {
        match cell {
            Cell::Group(group, at) => {
                self.groups.get_mut(group).is_some_and(|it| write(&mut it.values[at.index()], value))
            }
            Cell::Global(at) => write(&mut self.globals[at.index()], value),
        }
    }

    /// The values of a group, or the defaults if it is gone.
    #[cfg(feature = "rayon")]
    pub(super) fn group(&self, group: GroupId) -> &[Value] {
        self.groups.get(group).map_or(&self.group_table.defaults, |it| &it.values)
    }

    #[cfg(feature = "rayon")]
    pub(super) fn globals(&self) -> &[Value] {
        &self.globals
    }

    #[cfg(feature = "rayon")]
    pub(super) fn group_mut(&mut self, group: GroupId) -> &mut [Value] {
        self.groups.get_mut(group).map_or(&mut [], |it| &mut it.values)
    }

    #[cfg(feature = "rayon")]
    pub(super) fn globals_mut(&mut self) -> &mut [Value] {
        &mut self.globals
    }

    /// The groups that the host asked for, in the order of their slots.
    pub(crate) fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.groups.iter().filter(|it| matches!(it.1.members, Members::Of(_))).map(|it| it.0)
    }

    /// Whether that group is here. The forest always is.
    pub(crate) fn check_owner(&self, whose: Whose) -> Result<(), StaleError> {
        self.values(whose).map(|_| ())
    }

    /// What the key of a tag holds.
    pub(crate) fn tagged(&self, whose: Whose, tag: u32) -> Option<Value> {
        let (table, values) = self.values(whose).ok()?;
        Some(values[table.tagged(tag)?.1.place.index()])
    }

    /// Writes the key of a tag, and tells whether that changed its value.
    pub(crate) fn set_tagged(&mut self, whose: Whose, tag: u32, value: Value) -> Result<bool, AccessError> {
        let (table, values) = self.values_mut(whose)?;
        let (name, key) = table.tagged(tag).ok_or(AccessError::ForeignKey)?;
        AccessError::check(name, key.default.ty(), &key.words, value)?;
        Ok(write(&mut values[key.place.index()], value))
    }

    /// Puts the key of a tag back to its default, and tells whether that changed its value.
    pub(crate) fn reset_tagged(&mut self, whose: Whose, tag: u32) -> Option<bool> {
        let (table, values) = self.values_mut(whose).ok()?;
        let (_, key) = table.tagged(tag)?;
        Some(write(&mut values[key.place.index()], key.default))
    }

    /// Puts all keys back to their defaults.
    pub(crate) fn reset_all(&mut self, whose: Whose) {
        if let Ok((table, values)) = self.values_mut(whose) {
            values.copy_from_slice(&table.defaults);
        }
    }

    /// What the key of a name holds.
    pub(crate) fn named(&self, whose: Whose, name: &str) -> Result<Value, AccessError> {
        let (table, values) = self.values(whose)?;
        Ok(values[table.find(name)?.place.index()])
    }

    /// Writes the key of a name, and tells whether that changed its value.
    pub(crate) fn set_named(&mut self, whose: Whose, name: &str, value: Value) -> Result<bool, AccessError> {
        let (table, values) = self.values_mut(whose)?;
        let key = table.find(name)?;
        AccessError::check(name, key.default.ty(), &key.words, value)?;
        Ok(write(&mut values[key.place.index()], value))
    }

    /// Puts the key of a name back to its default, and tells whether that changed its value.
    pub(crate) fn reset_named(&mut self, whose: Whose, name: &str) -> Result<bool, AccessError> {
        let (table, values) = self.values_mut(whose)?;
        let key = table.find(name)?;
        Ok(write(&mut values[key.place.index()], key.default))
    }

    fn values(&self, whose: Whose) -> Result<(&Table, &[Value]), StaleError> {
        Ok(match whose {
            Whose::Group(group) => (&self.group_table, &self.groups.get(group).ok_or(StaleError::Group(group))?.values),
            Whose::Forest => (&self.global_table, &self.globals),
        })
    }

    fn values_mut(&mut self, whose: Whose) -> Result<(&Table, &mut [Value]), StaleError> {
        Ok(match whose {
            Whose::Group(group) => {
                (&self.group_table, &mut self.groups.get_mut(group).ok_or(StaleError::Group(group))?.values)
            }
            Whose::Forest => (&self.global_table, &mut self.globals),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::ids::salted::Salt;

    #[test]
    fn of_two_keys_with_one_tag_neither_is_found_by_it() {
        let mut seen = HashMap::new();
        let mut declare = |number: u32| {
            let (name, mut schema) = (format!("key_{number}"), Schema::default());
            schema.declare_or_tell(&name, Scope::Group, None, 7_i64.into()).expect("a good key");
            let tag = schema.keys().next().expect("declared").tag();
            seen.insert(tag, number).map(|other| (other, number, tag))
        };
        let (one, two, tag) = (0..10_000_000).find_map(&mut declare).expect("a tag has thirty bits");
        let mut shared = Shared::new(Salt::of(0));
        let group = shared.new_group_kept();
        let whose = Whose::Group(group);
        let mut found = Vec::new();
        for number in [one, two] {
            let mut schema = Schema::default();
            schema.declare_or_tell(&format!("key_{number}"), Scope::Group, None, 7_i64.into()).expect("a good key");
            shared.admit(&schema);
            found.push(shared.tagged(whose, tag));
        }
        assert_eq!(found, [Some(Value::Int(7)), None]);
        assert_eq!(shared.set_tagged(whose, tag, Value::Int(8)), Err(AccessError::ForeignKey));
        assert_eq!(shared.named(whose, &format!("key_{two}")), Ok(Value::Int(7)));
    }
}
