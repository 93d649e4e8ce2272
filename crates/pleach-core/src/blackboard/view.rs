//! What agents see of group and global keys during a call.

use pleach_expr::Value;

use super::board::Foreign;
use super::changes::Changes;
use super::place::KeyPlace;
use super::shared::{Cell, Shared, SharedMap};
#[cfg(feature = "rayon")]
use super::token_writes::Homes;
use super::tokens::Deed;
use super::types::BlackboardType;
#[cfg(feature = "rayon")]
use super::writes::Writes;
use super::{Key, Schema, Scope};
use crate::bits::{Bits, each, those};
use crate::clock::Moment;
use crate::ids::{AgentId, GroupId};
use crate::row::Row;

/// The shared values as an agent sees them during a call.
#[derive(Debug)]
pub(crate) enum SharedView<'a> {
    /// As they are now.
    Own(&'a mut Shared),
    /// As they were when the call began, and what has been written since.
    #[cfg(feature = "rayon")]
    Over(&'a Shared, &'a mut Writes, &'a Homes<'a>),
    /// There are none, as no tree declares any.
    None,
}

pub(crate) const NO_KEYS: &str = "a tree that declares shared keys has values for them";

impl SharedView<'_> {
    pub(crate) fn reborrow(&mut self) -> SharedView<'_> {
        match self {
            SharedView::Own(shared) => SharedView::Own(shared),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, homes) => SharedView::Over(shared, writes, homes),
            SharedView::None => SharedView::None,
        }
    }

    /// The values, if no one else reads them at the same time.
    pub(crate) fn own(&mut self) -> Option<&mut Shared> {
        match self {
            SharedView::Own(shared) => Some(shared),
            #[cfg(feature = "rayon")]
            SharedView::Over(..) => None,
            SharedView::None => None,
        }
    }

    /// Whether this is the group of an agent that joined none.
    fn is_single(&self, group: GroupId) -> bool {
        match self {
            SharedView::Own(shared) => shared.is_single(group),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, ..) => shared.is_single(group),
            SharedView::None => true,
        }
    }

    pub(crate) fn get(&self, map: &SharedMap, group: GroupId, scope: Scope, key: KeyPlace) -> Value {
        let cell = Cell::of(map, group, scope, key);
        match self {
            SharedView::Own(shared) => shared.cell(cell),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, _) => writes.get(cell).unwrap_or_else(|| shared.cell(cell)),
            SharedView::None => unreachable!("{NO_KEYS}"),
        }
    }

    /// What a typed key holds, if it is a shared one of that schema.
    pub(crate) fn typed<T: BlackboardType>(
        &self,
        schema: &Schema,
        map: &SharedMap,
        group: GroupId,
        key: Key<T>,
    ) -> Option<T> {
        let decl = schema.own(key).filter(|it| it.scope() > Scope::Agent)?;
        T::from_value(self.get(map, group, decl.scope(), decl.place()))
    }

    /// Writes through a typed key, and leaves the key's words unchecked, if it is a shared one of
    /// that schema.
    pub(crate) fn set_typed<T: BlackboardType>(
        &mut self,
        schema: &Schema,
        map: &SharedMap,
        group: GroupId,
        key: Key<T>,
        value: T,
    ) -> Result<bool, Foreign> {
        let decl = schema.own(key).filter(|it| it.scope() > Scope::Agent).ok_or(Foreign)?;
        Ok(self.set(map, group, decl.scope(), decl.place(), value.into_value()))
    }

    pub(crate) fn set(&mut self, map: &SharedMap, group: GroupId, scope: Scope, key: KeyPlace, value: Value) -> bool {
        let cell = Cell::of(map, group, scope, key);
        match self {
            SharedView::Own(shared) => shared.set_cell(cell, value),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, _) => writes.put(cell, value, shared),
            SharedView::None => unreachable!("{NO_KEYS}"),
        }
    }
}

/// Tokens (SEMANTICS 8.36).
impl SharedView<'_> {
    /// Whether an agent would get one of the `count` places of a token.
    fn gives_place(&self, cell: Cell, agent: AgentId, count: u32) -> bool {
        match self {
            SharedView::Own(shared) => match shared.places(cell) {
                Some(places) => places.would_give(agent, count),
                None => count > 0,
            },
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, homes) => writes.tokens.gives_place(shared, homes, cell, agent, count),
            SharedView::None => unreachable!("{NO_KEYS}"),
        }
    }

    fn is_waiting(&self, cell: Cell, agent: AgentId) -> bool {
        match self {
            SharedView::Own(shared) => shared.places(cell).is_some_and(|it| it.is_waiting(agent)),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, _) => writes.tokens.is_waiting(shared, cell, agent),
            SharedView::None => unreachable!("{NO_KEYS}"),
        }
    }

    /// An agent does something with a place. Returns whether others may get another answer.
    fn note_deed(&mut self, cell: Cell, agent: AgentId, deed: Deed, now: Moment) -> bool {
        match self {
            SharedView::Own(shared) => shared.note_deed(cell, agent, deed, now),
            #[cfg(feature = "rayon")]
            SharedView::Over(shared, writes, homes) => writes.tokens.note(shared, homes, cell, agent, deed),
            SharedView::None => unreachable!("{NO_KEYS}"),
        }
    }
}

/// The shared values as the agents of a tree that declares some see them.
#[derive(Debug)]
pub(crate) struct SharedRows<'a> {
    view: SharedView<'a>,
    map: &'a SharedMap,
    groups: &'a [GroupId],
    /// How many agents there are.
    agents: usize,
    /// Whether an agent was marked since this was last read.
    pub(crate) told: bool,
    /// The group to which an agent last wrote, and its members here. The agents of a group are
    /// often adjacent, so that the next writer is one of them.
    members: Option<(GroupId, Bits)>,
}

impl<'a> SharedRows<'a> {
    /// Those of `agents` agents in these groups, if their tree declares any.
    #[inline(always)]
    pub(crate) fn of(
        view: &'a mut SharedView<'_>,
        map: &'a SharedMap,
        agents: usize,
        groups: impl FnOnce() -> &'a [GroupId],
    ) -> Option<Self> {
        (!map.is_empty()).then(|| SharedRows {
            view: view.reborrow(),
            map,
            groups: groups(),
            agents,
            told: false,
            members: None,
        })
    }

    /// The same outside a call, where no one else has borrowed the values.
    pub(crate) fn own(
        shared: &'a mut Shared,
        map: &'a SharedMap,
        agents: usize,
        groups: &'a [GroupId],
    ) -> Option<Self> {
        (!map.is_empty()).then_some(SharedRows {
            view: SharedView::Own(shared),
            map,
            groups,
            agents,
            told: false,
            members: None,
        })
    }

    fn group(&self, agent: Row) -> GroupId {
        self.groups.get(agent.index()).copied().unwrap_or_default()
    }

    pub(crate) fn get(&self, agent: Row, scope: Scope, key: KeyPlace) -> Value {
        self.view.get(self.map, self.group(agent), scope, key)
    }

    pub(crate) fn set(&mut self, agent: Row, scope: Scope, key: KeyPlace, value: Value) -> bool {
        let group = self.group(agent);
        self.view.set(self.map, group, scope, key, value)
    }

    /// An agent has changed a shared key that these observers read. Marks every agent here that
    /// sees the key, the writer included.
    pub(crate) fn mark(&mut self, changes: &mut Changes<'_>, watch: &[u64], scope: Scope, writer: Row) {
        if scope == Scope::Global {
            self.told = true;
            changes.mark_all(watch, self.agents);
            return;
        }
        self.mark_group(changes, watch, self.group(writer), writer);
    }

    /// The same for every agent here that is in a group.
    fn mark_group(&mut self, changes: &mut Changes<'_>, watch: &[u64], group: GroupId, writer: Row) {
        if self.view.is_single(group) {
            changes.mark(watch, writer);
            return;
        }
        self.told = true;
        let members = match &self.members {
            Some((of, members)) if *of == group => members,
            _ => {
                let mut members = Bits::default();
                for (members, groups) in members.iter_mut().zip(self.groups.chunks(64)) {
                    *members = those(groups, |it| it == group);
                }
                &self.members.insert((group, members)).1
            }
        };
        each(members).for_each(|agent| changes.mark(watch, agent));
    }

    /// What a typed key holds, if it is a shared one of that schema.
    pub(crate) fn typed<T: BlackboardType>(&self, schema: &Schema, agent: Row, key: Key<T>) -> Option<T> {
        self.view.typed(schema, self.map, self.group(agent), key)
    }

    /// Writes through a typed key, and leaves the key's words unchecked, if it is a shared one of
    /// that schema.
    pub(crate) fn set_typed<T: BlackboardType>(
        &mut self,
        schema: &Schema,
        agent: Row,
        key: Key<T>,
        value: T,
    ) -> Result<bool, Foreign> {
        let group = self.group(agent);
        self.view.set_typed(schema, self.map, group, key, value)
    }
}

/// Tokens (SEMANTICS 8.36).
impl SharedRows<'_> {
    /// Where the places of a token are that an agent asks for.
    pub(crate) fn token(&self, agent: Row, scope: Scope, key: KeyPlace) -> Cell {
        Cell::of(self.map, self.group(agent), scope, key)
    }

    /// Where the places are that it has taken in this group.
    pub(crate) fn token_of(&self, group: GroupId, scope: Scope, key: KeyPlace) -> Cell {
        Cell::of(self.map, group, scope, key)
    }

    /// Whether an agent would get one of `count` places.
    pub(crate) fn gives_place(&self, cell: Cell, agent: AgentId, count: u32) -> bool {
        self.view.gives_place(cell, agent, count)
    }

    pub(crate) fn is_waiting(&self, cell: Cell, agent: AgentId) -> bool {
        self.view.is_waiting(cell, agent)
    }

    /// An agent does something with a place. Marks the observers, if any, of all agents here that
    /// may get another answer.
    pub(crate) fn note_deed(
        &mut self,
        changes: &mut Changes<'_>,
        watch: Option<&[u64]>,
        (cell, agent, at): (Cell, AgentId, Row),
        deed: Deed,
        now: Moment,
    ) {
        let changed = self.view.note_deed(cell, agent, deed, now);
        let Some(watch) = watch else { return };
        // Its own answer depends on its own place in the queue.
        changes.mark(watch, at);
        match cell {
            Cell::Group(group, _) if changed => self.mark_group(changes, watch, group, at),
            Cell::Global(_) if changed => self.mark(changes, watch, Scope::Global, at),
            _ => {}
        }
    }
}
