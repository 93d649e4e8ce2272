//! What agents share: the keys of groups, and those of the whole forest (SEMANTICS 8.9).

mod changed;
mod declared;
mod found;
#[cfg(feature = "save")]
pub(crate) mod saved;
mod table;
pub(crate) mod tokens;

use std::sync::Arc;

use super::error::Difference;
use super::layout::Layout;
use super::place::{KeyPlace, SharedPlace};
use super::{KeyDecl, Schema, Scope};
use crate::ids::salted::{Salt, SaltedMap};
use crate::ids::{AgentId, GroupId, StaleError};
pub(crate) use changed::Changed;
use pleach_expr::Value;
use table::{Table, put};
use tokens::{Rests, Tokens};

/// Writes a value, and returns whether that changed the cell.
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

    /// The observers that read this value, if it is a key of the tree and an observer reads it.
    pub(crate) fn readers<'l>(&self, layout: &'l Layout, cell: Cell) -> Option<&'l [u64]> {
        let places = self.0.as_ref()?;
        let (scope, keys, place) = match cell {
            Cell::Group(_, place) => (Scope::Group, &places.group, place),
            Cell::Global(place) => (Scope::Global, &places.global, place),
        };
        layout.watch_of_shared(scope, KeyPlace::behind(keys.iter().position(|&it| it == place)?))
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    Group(GroupId, SharedPlace),
    Global(SharedPlace),
}

impl Cell {
    pub(crate) fn of(map: &SharedMap, group: GroupId, scope: Scope, key: KeyPlace) -> Self {
        let places = map.0.as_ref().expect("a tree with such a key has a place for it");
        match scope {
            Scope::Group => Cell::Group(group, places.group[key.index()]),
            _ => Cell::Global(places.global[key.index()]),
        }
    }
}

/// What shared values belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Owner {
    Forest,
    Brain,
    Board,
}

/// The shared values of a forest, a brain, or a board.
#[derive(Debug)]
pub(crate) struct Shared {
    group_table: Table,
    global_table: Table,
    globals: Vec<Value>,
    groups: SaltedMap<GroupId, Values>,
    /// The places of global tokens.
    global_tokens: Tokens,
    /// When places of tokens have rested.
    rests: Rests,
    /// The values that have changed since the agents that read them last heard of it, of those that
    /// observers read. A brain has none: it hears of its own writes at once, and there are no other
    /// agents.
    changed: Changed,
    /// Whether an observer of a tree that is or was here reads a shared key.
    watched: bool,
    owner: Owner,
}

/// A group's values.
#[derive(Debug)]
struct Values {
    values: Vec<Value>,
    members: Members,
    /// The places of its tokens.
    tokens: Tokens,
}

/// The agents of a group.
#[derive(Clone, Debug)]
enum Members {
    /// An agent that joined no group; the group is removed when that agent leaves.
    Single(AgentId),
    /// Those of a group that the host asked for. Snapshots share the list until an agent joins or
    /// leaves.
    Of(Arc<Vec<AgentId>>),
}

impl Members {
    fn is_single(&self) -> bool {
        matches!(self, Members::Single(_))
    }
}

impl Clone for Shared {
    fn clone(&self) -> Self {
        let Shared { watched, owner, .. } = *self;
        let (group_table, global_table) = (self.group_table.clone(), self.global_table.clone());
        let (globals, groups, changed) = (self.globals.clone(), self.groups.clone(), self.changed.clone());
        let (global_tokens, rests) = (self.global_tokens.clone(), self.rests.clone());
        Shared { group_table, global_table, globals, groups, global_tokens, rests, changed, watched, owner }
    }

    fn clone_from(&mut self, from: &Self) {
        self.group_table.clone_from(&from.group_table);
        self.global_table.clone_from(&from.global_table);
        self.globals.clone_from(&from.globals);
        self.groups.clone_from(&from.groups);
        self.global_tokens.clone_from(&from.global_tokens);
        self.rests.clone_from(&from.rests);
        self.changed.clone_from(&from.changed);
        (self.watched, self.owner) = (from.watched, from.owner);
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        Values { values: self.values.clone(), members: self.members.clone(), tokens: self.tokens.clone() }
    }

    fn clone_from(&mut self, from: &Self) {
        self.values.clone_from(&from.values);
        self.members.clone_from(&from.members);
        self.tokens.clone_from(&from.tokens);
    }
}

impl Shared {
    pub(crate) fn new(salt: Salt, owner: Owner) -> Self {
        Shared {
            group_table: Table::new(Scope::Group),
            global_table: Table::new(Scope::Global),
            globals: Vec::new(),
            groups: SaltedMap::new(salt),
            global_tokens: Tokens::default(),
            rests: Rests::default(),
            changed: Changed::default(),
            watched: false,
            owner,
        }
    }

    /// Adds a tree's shared keys, which are declared as those of the other trees are.
    pub(crate) fn admit(&mut self, schema: &Schema, layout: &Layout) -> SharedMap {
        self.make_room(schema, layout)
    }

    /// The difference between a declaration of a key and that of the trees that stay when others
    /// are removed. `going` of the trees that declare it are removed.
    pub(crate) fn difference(&self, decl: &KeyDecl, going: usize) -> Option<Difference> {
        let (key, difference) = self.table(decl.scope())?.check(decl)?;
        (key.trees > going).then_some(difference)
    }

    /// Replaces the shared keys of some trees with those of others, which are known to agree.
    /// Values stay. A changed key that cannot hold its value, or holds its old default, gets its
    /// new default. A key that no tree declares any more is removed.
    pub(crate) fn readmit<'a>(
        &mut self,
        old: impl IntoIterator<Item = &'a Schema>,
        new: impl IntoIterator<Item = (&'a Schema, &'a Layout), IntoIter: Clone>,
    ) -> Vec<SharedMap> {
        let new = new.into_iter();
        new.clone().flat_map(|it| it.0.keys()).for_each(|it| self.change(it));
        let maps = new.map(|(schema, layout)| self.make_room(schema, layout)).collect();
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
            let gone = match decl.scope() {
                Scope::Node | Scope::Agent => None,
                Scope::Group => self.group_table.remove(decl),
                Scope::Global => self.global_table.remove(decl),
            };
            self.forget_token(decl, gone);
        }
    }

    fn table(&self, scope: Scope) -> Option<&Table> {
        match scope {
            Scope::Node | Scope::Agent => None,
            Scope::Group => Some(&self.group_table),
            Scope::Global => Some(&self.global_table),
        }
    }

    fn make_room(&mut self, schema: &Schema, layout: &Layout) -> SharedMap {
        let mut map = SharedMap::default();
        let told = self.owner != Owner::Brain;
        self.watched |= told && layout.watches_shared();
        for decl in schema.keys() {
            let watched = |scope| told && layout.watch_of_shared(scope, decl.place()).is_some();
            match decl.scope() {
                Scope::Node | Scope::Agent => {}
                Scope::Group => {
                    let (place, new) = self.group_table.add(decl);
                    if new {
                        self.groups.values_mut().for_each(|it| put(&mut it.values, place, decl.default()));
                    }
                    self.group_table.watched[place.index()] |= watched(Scope::Group);
                    map.0.get_or_insert_default().group.push(place);
                }
                Scope::Global => {
                    let (place, new) = self.global_table.add(decl);
                    if new {
                        put(&mut self.globals, place, decl.default());
                    }
                    self.global_table.watched[place.index()] |= watched(Scope::Global);
                    map.0.get_or_insert_default().global.push(place);
                }
            }
        }
        map
    }

    /// A group for one agent, which is its only member.
    pub(crate) fn new_group(&mut self, agent: AgentId) -> GroupId {
        self.insert(Members::Single(agent))
    }

    /// A group that the host asked for.
    pub(crate) fn new_group_kept(&mut self) -> GroupId {
        self.insert(Members::Of(Arc::default()))
    }

    fn insert(&mut self, members: Members) -> GroupId {
        let values = self.group_table.defaults.clone();
        self.groups.insert(Values { values, members, tokens: Tokens::default() })
    }

    /// Adds an agent to a group that the host asked for. Returns its seat.
    pub(crate) fn join(&mut self, group: GroupId, agent: AgentId) -> Result<u32, StaleError> {
        match self.groups.get_mut(group).map(|it| &mut it.members) {
            Some(Members::Of(members)) => {
                let members = Arc::make_mut(members);
                members.push(agent);
                Ok(u32::try_from(members.len() - 1).expect("there are fewer agents"))
            }
            // Another agent's own group cannot be joined.
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

    /// Writes a value for an agent that sees it, and returns whether that changed it.
    pub(super) fn set_cell(&mut self, cell: Cell, value: Value) -> bool {
        match cell {
            Cell::Group(group, at) => self.set_group(group, [(at, value)]),
            Cell::Global(at) => {
                let changed = write(&mut self.globals[at.index()], value);
                if changed && self.global_table.watched[at.index()] {
                    self.changed.insert(cell);
                }
                changed
            }
        }
    }

    /// Writes values of a group for an agent that is in it, and returns whether that changed one.
    pub(super) fn set_group(
        &mut self,
        group: GroupId,
        written: impl IntoIterator<Item = (SharedPlace, Value)>,
    ) -> bool {
        let Some(Values { values, members, .. }) = self.groups.get_mut(group) else { return false };
        let mut any = false;
        for (at, value) in written {
            let changed = write(&mut values[at.index()], value);
            any |= changed;
            // An agent alone in its group has no one to notify.
            if changed && self.group_table.watched[at.index()] && !members.is_single() {
                self.changed.insert(Cell::Group(group, at));
            }
        }
        any
    }

    /// Whether this is the group of an agent that joined none.
    pub(super) fn is_single(&self, group: GroupId) -> bool {
        self.groups.get(group).is_some_and(|it| it.members.is_single())
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

    /// The groups that the host asked for, in the order of their slots.
    pub(crate) fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.groups.iter().filter(|it| matches!(it.1.members, Members::Of(_))).map(|it| it.0)
    }

    /// Whether that group exists. The forest always does.
    pub(crate) fn check_owner(&self, whose: Whose) -> Result<(), StaleError> {
        self.values(whose).map(|_| ())
    }

    /// Resets all keys to their defaults.
    pub(crate) fn reset_all(&mut self, whose: Whose) {
        let Ok((table, _)) = self.values(whose) else { return };
        for (place, default) in SharedPlace::all_from(0).zip(table.defaults.clone()) {
            self.write_of(whose, place, default);
        }
    }

    fn values(&self, whose: Whose) -> Result<(&Table, &[Value]), StaleError> {
        Ok(match whose {
            Whose::Group(group) => (&self.group_table, &self.groups.get(group).ok_or(StaleError::Group(group))?.values),
            Whose::Forest => (&self.global_table, &self.globals),
        })
    }

    /// Writes a value for a caller that is not an agent, and returns whether that changed it.
    fn write_of(&mut self, whose: Whose, place: SharedPlace, value: Value) -> bool {
        let cell = match whose {
            Whose::Group(group) => Cell::Group(group, place),
            Whose::Forest => Cell::Global(place),
        };
        let changed = self.set_cell(cell, value);
        if changed
            && let Whose::Group(group) = whose
            && self.is_single(group)
            && self.group_table.watched[place.index()]
        {
            // The agent in the group must hear of it, too.
            self.changed.insert(cell);
        }
        changed
    }
}

#[cfg(test)]
mod tests;
