//! The keys of the agents of one chunk, a column each; and which of them changed. What is the same
//! for all agents of a tree is in its [`Layout`].

use super::KeyDecl;
use super::layout::{ColumnOf, Layout};
use super::place::KeyPlace;
use super::types::stored::Stored;
use crate::index::{ObserverId, narrow};
use crate::row::{Row, restride};
use crate::{BlackboardType, Entity, Key, Symbol, Type, Value, bits};

/// The cells of a board by their type, so that a typed key leads to its cell without asking for the
/// type. The columns of one type stand side by side, a stride apart.
#[derive(Debug, Default)]
pub struct Columns {
    pub(super) bools: Box<[bool]>,
    pub(super) ints: Box<[i64]>,
    pub(super) floats: Box<[f32]>,
    pub(super) vec2s: Box<[[f32; 2]]>,
    pub(super) vec3s: Box<[[f32; 3]]>,
    pub(super) entities: Box<[Entity]>,
    pub(super) symbols: Box<[Symbol]>,
}

/// Runs `$do` with the type of a key as `$t`.
macro_rules! typed {
    ($ty:expr, $t:ident => $do:expr) => {
        match $ty {
            Type::Bool => {
                type $t = bool;
                $do
            }
            Type::Int => {
                type $t = i64;
                $do
            }
            Type::Float => {
                type $t = f32;
                $do
            }
            Type::Vec2 => {
                type $t = [f32; 2];
                $do
            }
            Type::Vec3 => {
                type $t = [f32; 3];
                $do
            }
            Type::Entity => {
                type $t = Entity;
                $do
            }
            Type::Symbol => {
                type $t = Symbol;
                $do
            }
        }
    };
}

const TYPES: [Type; 7] = [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol];

/// From so many agents on, columns stand further apart than their length: if the distance were a
/// multiple of a page, the cells of one agent would share few places of the processor's cache.
const PADDED: usize = 256;
const PADDING: usize = 16;

/// How far columns stand apart on a board with room for so many agents.
#[inline]
fn stride(room: usize) -> usize {
    if room < PADDED { room } else { room + PADDING }
}

/// The node and agent keys of the agents of one chunk.
///
/// Invariant B1: there are as many columns of each type as the layout of the tree has, each with
/// room for as many agents.
#[derive(Debug, Default)]
pub(crate) struct Board {
    columns: Columns,
    /// One bit per agent; where the bit is not set, no observer that could act at the agent's
    /// present place has a changed key. Then, per agent, the observers that read a key which has
    /// changed since they were last evaluated.
    tracking: Box<[u64]>,
    words: u16,
    room: u16,
    agents: u16,
}

/// A key of a board, and the key of an older board whose values it takes. That key is of the same
/// type, and no other key takes its values.
pub(crate) type Heir<'a> = (&'a KeyDecl, Option<&'a KeyDecl>);

/// The key of a write is of another tree.
#[derive(Debug)]
pub(crate) struct Foreign;

impl Board {
    /// Changes for how many agents there is room.
    pub(crate) fn fit(&mut self, layout: &Layout, room: usize) {
        let (from, to, kept) = (stride(self.room.into()), stride(room), self.agents.into());
        for ty in TYPES {
            typed!(ty, T => restride(T::of_mut(&mut self.columns), layout.columns::<T>().len(), from, to, kept, T::BLANK));
        }
        let (old, new) = (usize::from(self.room).div_ceil(64), room.div_ceil(64));
        let mut tracking = vec![0; new + room * layout.words];
        let bits = kept.div_ceil(64);
        tracking[..bits].copy_from_slice(&self.tracking[..bits]);
        let rows = kept * layout.words;
        tracking[new..][..rows].copy_from_slice(&self.tracking[old..][..rows]);
        self.tracking = tracking.into();
        (self.words, self.room) = (narrow(layout.words), narrow(room));
    }

    /// Adds an agent, for which there is room.
    pub(crate) fn push(&mut self, layout: &Layout) {
        let row = Row::behind(self.agents.into());
        self.agents += 1;
        let mut rows = self.rows(layout);
        for key in &layout.keys {
            typed!(key.default.ty(), T => *rows.cell_mut(row, key.index()) = T::from_value(key.default).expect("B1"));
        }
        for cell in row.cells(layout.words) {
            rows.dirty[cell] = 0;
        }
        bits::remove(rows.dirty_agents, row);
    }

    /// Takes over the agents of an older board. A key without an older key gets its default, and so
    /// does a symbol whose word the key lacks. This board has no agents yet; `heirs` has all of its
    /// keys.
    pub(crate) fn inherit(&mut self, layout: &Layout, old: &Board, heirs: &[Heir<'_>]) {
        self.fit(layout, old.room.into());
        self.agents = old.agents;
        self.rows(layout).inherit(old.agents.into(), (&old.columns, stride(old.room.into())), heirs);
    }

    pub(crate) fn swap_remove(&mut self, layout: &Layout, agent: Row) {
        self.agents -= 1;
        let last = Row::behind(self.agents.into());
        let mut rows = self.rows(layout);
        for key in &layout.keys {
            typed!(key.default.ty(), T => {
                let column: &mut [T] = rows.column_mut(key.index());
                column[agent.index()] = column[last.index()];
            });
        }
        rows.dirty.copy_within(last.cells(layout.words), agent.cell(layout.words));
        let moved = bits::has(rows.dirty_agents, last);
        bits::put(rows.dirty_agents, agent, moved);
        // Beyond the last agent no bit may be set.
        bits::remove(rows.dirty_agents, last);
    }

    /// The cells of all agents, to read and to write.
    #[inline]
    pub(crate) fn rows<'m>(&'m mut self, layout: &'m Layout) -> BoardRows<'m> {
        let room = usize::from(self.room);
        let (dirty_agents, dirty) = self.tracking.split_at_mut(room.div_ceil(64));
        BoardRows { layout, columns: &mut self.columns, stride: stride(room), dirty, dirty_agents }
    }

    /// The cells of all agents, to read.
    pub(crate) fn view<'m>(&'m self, layout: &'m Layout) -> BoardView<'m> {
        BoardView { layout, columns: &self.columns, stride: stride(self.room.into()), agents: self.agents.into() }
    }

    /// The agents that may have a changed key to look at, one bit each.
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        &self.tracking[..usize::from(self.agents).div_ceil(64)]
    }

    /// An agent has come to another place, where an observer may act that could not act before.
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let (dirty_agents, dirty) = self.tracking.split_at_mut(usize::from(self.room).div_ceil(64));
        let any = dirty[agent.cells(self.words.into())].iter().any(|&it| it != 0);
        bits::put(dirty_agents, agent, any);
    }

    /// Rewrites a whole column. Returns how many cells changed.
    pub(crate) fn update_column<T: BlackboardType>(
        &mut self,
        layout: &Layout,
        key: Key<T>,
        mut value: impl FnMut(Row, T) -> T,
    ) -> Result<usize, Foreign> {
        let &ColumnOf { key: place, watched, .. } = layout.column(key).ok_or(Foreign)?;
        let agents = self.agents.into();
        let BoardRows { columns, stride, dirty, dirty_agents, .. } = self.rows(layout);
        let cells = &mut T::of_mut(columns)[key.column().index() * stride..][..agents];
        let watch = layout.watch_of(place);
        let mut changed = 0;
        for (agent, cell) in Row::all().zip(cells) {
            let new = value(agent, *cell);
            if !cell.same(new) {
                *cell = new;
                changed += 1;
                if watched {
                    mark(dirty, dirty_agents, watch, agent);
                }
            }
        }
        Ok(changed)
    }
}

/// The cells of some agents, borrowed to read.
#[derive(Clone, Copy)]
pub(crate) struct BoardView<'m> {
    layout: &'m Layout,
    columns: &'m Columns,
    stride: usize,
    agents: usize,
}

impl<'m> BoardView<'m> {
    pub(crate) fn get<T: BlackboardType>(self, agent: Row, key: Key<T>) -> Result<T, Foreign> {
        Ok(self.column(key)?[agent.index()])
    }

    pub(crate) fn value(self, agent: Row, key: KeyPlace) -> Value {
        value(self.layout, self.columns, self.stride, agent, key)
    }

    /// A whole column.
    pub(crate) fn column<T: BlackboardType>(self, key: Key<T>) -> Result<&'m [T], Foreign> {
        self.layout.column(key).ok_or(Foreign)?;
        Ok(&T::of(self.columns)[key.column().index() * self.stride..][..self.agents])
    }
}

fn value(layout: &Layout, columns: &Columns, stride: usize, agent: Row, key: KeyPlace) -> Value {
    let key = layout.keys[key.index()];
    typed!(key.default.ty(), T => T::of(columns)[key.index() * stride + agent.index()].into())
}

/// The cells of some agents with their change tracking, borrowed to read and to write.
#[derive(Debug)]
pub(crate) struct BoardRows<'m> {
    layout: &'m Layout,
    columns: &'m mut Columns,
    stride: usize,
    dirty: &'m mut [u64],
    dirty_agents: &'m mut [u64],
}

impl<'m> BoardRows<'m> {
    /// The cells of an agent that is in no chunk.
    #[inline]
    pub(crate) fn of_one(
        layout: &'m Layout,
        columns: &'m mut Columns,
        dirty: &'m mut [u64],
        dirty_agents: &'m mut u64,
    ) -> Self {
        BoardRows { layout, columns, stride: 1, dirty, dirty_agents: std::slice::from_mut(dirty_agents) }
    }
}

impl Columns {
    /// Makes the cells of an agent that is in no chunk.
    pub(crate) fn of_one(&mut self, layout: &Layout) {
        for ty in TYPES {
            typed!(ty, T => restride(T::of_mut(self), layout.columns::<T>().len(), 0, 1, 0, T::BLANK));
        }
        for key in &layout.keys {
            typed!(key.default.ty(), T => T::of_mut(self)[key.index()] = T::from_value(key.default).expect("B1"));
        }
    }

    /// Takes over the values of such an agent's older cells.
    pub(crate) fn inherit_one(&mut self, layout: &Layout, old: &Columns, heirs: &[Heir<'_>]) {
        BoardRows::of_one(layout, self, &mut [], &mut 0).inherit(1, (old, 1), heirs);
    }

    /// A value of such an agent.
    pub(crate) fn value_of_one(&self, layout: &Layout, key: KeyPlace) -> Value {
        value(layout, self, 1, Row::FIRST, key)
    }
}

impl BoardRows<'_> {
    /// Takes over the values of so many agents from older cells, whose columns are so far apart.
    fn inherit(&mut self, agents: usize, old: (&Columns, usize), heirs: &[Heir<'_>]) {
        fn fill<T: BlackboardType>(cells: &mut [T], (old, stride): (&Columns, usize), (key, from): Heir<'_>) {
            let default = T::from_value(key.default()).expect("B1");
            let Some(from) = from else { return cells.fill(default) };
            cells.copy_from_slice(&T::of(old)[from.column().index() * stride..][..cells.len()]);
            if key.symbols() != from.symbols() {
                for cell in cells.iter_mut().filter(|it| !key.admits(it.into_value())) {
                    *cell = default;
                }
            }
        }
        for &heir in heirs {
            let column = heir.0.column().index();
            typed!(heir.0.ty(), T => fill::<T>(&mut self.column_mut(column)[..agents], old, heir));
        }
    }

    #[inline(always)]
    fn cell_mut<T: BlackboardType>(&mut self, agent: Row, column: usize) -> &mut T {
        &mut T::of_mut(self.columns)[column * self.stride + agent.index()]
    }

    fn column_mut<T: BlackboardType>(&mut self, column: usize) -> &mut [T] {
        &mut T::of_mut(self.columns)[column * self.stride..][..self.stride]
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(&self, agent: Row, key: Key<T>) -> Result<T, Foreign> {
        match self.layout.column(key) {
            Some(_) => Ok(T::of(self.columns)[key.column().index() * self.stride + agent.index()]),
            None => Err(Foreign),
        }
    }

    /// Writes a key, and tells whether that changed the value.
    #[inline]
    pub(crate) fn set<T: BlackboardType>(&mut self, agent: Row, key: Key<T>, value: T) -> Result<bool, Foreign> {
        let Some(&ColumnOf { key: place, watched, .. }) = self.layout.column(key) else { return Err(Foreign) };
        let cell = self.cell_mut::<T>(agent, key.column().index());
        if cell.same(value) {
            return Ok(false);
        }
        *cell = value;
        if watched {
            self.mark_dirty(agent, place);
        }
        Ok(true)
    }

    pub(crate) fn value(&self, agent: Row, key: KeyPlace) -> Value {
        value(self.layout, self.columns, self.stride, agent, key)
    }

    /// The value in a column of that type. For compiled expressions, whose types are checked at
    /// load.
    #[inline]
    pub(crate) fn cell<T: BlackboardType>(&self, agent: Row, decl: &KeyDecl) -> Option<T> {
        T::of(self.columns).get(decl.column().index() * self.stride + agent.index()).copied()
    }

    pub(crate) fn set_value(&mut self, agent: Row, key: KeyPlace, value: Value) -> bool {
        /// Writes a cell, and tells whether that changed it.
        fn write<T: BlackboardType>(cell: &mut T, value: Value) -> bool {
            let Some(value) = T::from_value(value).filter(|&it| !cell.same(it)) else { return false };
            *cell = value;
            true
        }
        let to = self.layout.keys[key.index()];
        let (changed, watched) = typed!(to.default.ty(), T => {
            let watched = self.layout.columns::<T>()[to.index()].watched;
            (write::<T>(self.cell_mut(agent, to.index()), value), watched)
        });
        if changed && watched {
            self.mark_dirty(agent, key);
        }
        changed
    }

    /// Puts all keys of an agent back to their defaults.
    pub(crate) fn clear(&mut self, agent: Row) {
        for key in (0..self.layout.keys.len()).map(KeyPlace::behind) {
            self.set_value(agent, key, self.layout.keys[key.index()].default);
        }
    }

    /// The observers of an agent that read a changed key.
    #[inline]
    pub(crate) fn dirty(&self, agent: Row) -> &[u64] {
        &self.dirty[agent.cells(self.layout.words)]
    }

    /// The same of all agents, one after the other.
    #[inline]
    pub(crate) fn dirty_rows(&self) -> &[u64] {
        self.dirty
    }

    #[inline]
    pub(crate) fn dirty_rows_mut(&mut self) -> &mut [u64] {
        self.dirty
    }

    /// An observer has been evaluated.
    #[inline]
    pub(crate) fn clear_dirty(&mut self, agent: Row, observer: ObserverId) {
        self.dirty[agent.cell(self.layout.words) + observer.word()] &= !observer.bit();
    }

    /// A function of its own, so that a write to a key without observers stays short.
    #[inline(never)]
    fn mark_dirty(&mut self, agent: Row, key: KeyPlace) {
        mark(self.dirty, self.dirty_agents, self.layout.watch_of(key), agent);
    }

    /// The agents that may have a changed key to look at, one bit each.
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        self.dirty_agents
    }

    /// An agent has been looked at: no changed key matters at its present place.
    #[inline]
    pub(crate) fn clear_dirty_agent(&mut self, agent: Row) {
        bits::remove(self.dirty_agents, agent);
    }

    /// An agent has come to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let any = self.dirty(agent).iter().any(|&it| it != 0);
        bits::put(self.dirty_agents, agent, any);
    }
}

/// A key that these observers read has changed.
#[inline]
fn mark(dirty: &mut [u64], dirty_agents: &mut [u64], watch: &[u64], agent: Row) {
    let dirty = &mut dirty[agent.cells(watch.len())];
    for (dirty, watch) in dirty.iter_mut().zip(watch) {
        *dirty |= watch;
    }
    bits::add(dirty_agents, agent);
}
