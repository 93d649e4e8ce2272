//! The keys of the agents of one chunk, a column each; and which of them changed. Data shared by
//! all agents of a tree is in its [`Layout`].

use super::changes::Changes;
use super::columns::{Columns, TYPES, typed};
use super::layout::{ColumnOf, Layout, Watched};
use super::place::KeyPlace;
use super::rank::Rank;
use super::types::stored::Stored;
use super::{KeyDecl, Scope};
use crate::row::{Row, restride};
use crate::{BlackboardType, Entity, Key, Symbol, Type, Value};

/// With room for this many agents or more, columns are further apart than their length: if the
/// distance were a multiple of a page, the cells of one agent would share few sets of the
/// processor's cache.
const PADDED: usize = 256;
const PADDING: usize = 16;

/// How far apart columns are on a board with room for `room` agents.
#[inline]
fn stride(room: usize) -> usize {
    if room < PADDED { room } else { room + PADDING }
}

/// The node and agent keys of the agents of one chunk. The chunk knows how many agents there are,
/// and how many it has room for.
///
/// Invariant B1: there are as many columns of each type as the layout of the tree has, each with
/// room for as many agents.
#[derive(Debug, Default)]
pub(crate) struct Board {
    columns: Columns,
}

/// A key of a board, and the key of an older board whose values it takes. That key is of the same
/// type, and no other key takes its values.
pub(crate) type Heir<'a> = (&'a KeyDecl, Option<&'a KeyDecl>);

/// The key of a write belongs to another tree.
#[derive(Debug)]
pub(crate) struct Foreign;

impl Clone for Board {
    fn clone(&self) -> Self {
        Board { columns: self.columns.clone() }
    }

    fn clone_from(&mut self, from: &Self) {
        self.columns.clone_from(&from.columns);
    }
}

impl Board {
    /// Resizes from `from` to `to`; keeps the first `agents`.
    pub(crate) fn fit(&mut self, layout: &Layout, agents: usize, from: usize, to: usize) {
        if to == 0 {
            self.columns = Columns::default();
            return;
        }
        let (from, to) = (stride(from), stride(to));
        for ty in TYPES {
            typed!(ty, T => {
                let columns = layout.columns::<T>().len();
                if columns > 0 {
                    restride(T::boxed(&mut self.columns), columns, from, to, agents, T::BLANK);
                }
            });
        }
    }

    /// Adds an agent, with room for `room` agents.
    pub(crate) fn push(&mut self, layout: &Layout, agent: Row, room: usize) {
        for key in &layout.keys {
            typed!(key.default.ty(), T => {
                let cell = key.index() * stride(room) + agent.index();
                T::of_mut(&mut self.columns)[cell] = T::from_value(key.default).expect("B1");
            });
        }
    }

    /// Takes over `agents` agents of an older board, with as much room. A key without an older key
    /// gets its default, and so does one that holds the older key's default, or a symbol whose word
    /// the key lacks. This board has no agents yet; `heirs` has all of its keys.
    pub(crate) fn inherit(&mut self, layout: &Layout, old: &Board, agents: usize, room: usize, heirs: &[Heir<'_>]) {
        self.fit(layout, 0, 0, room);
        self.columns.inherit(layout, stride(room), &old.columns, agents, heirs);
    }

    /// Removes an agent; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, layout: &Layout, agent: Row, last: Row, room: usize) {
        for key in &layout.keys {
            typed!(key.default.ty(), T => {
                let first = key.index() * stride(room);
                let cells = T::of_mut(&mut self.columns);
                cells[first + agent.index()] = cells[first + last.index()];
            });
        }
    }

    /// The cells of all agents, to read and to write, with room for `room` agents.
    #[inline]
    pub(crate) fn rows<'m>(&'m mut self, layout: &'m Layout, room: usize, changes: Changes<'m>) -> BoardRows<'m> {
        BoardRows { cells: self.cells(layout, room), changes }
    }

    /// The same, without tracking changes.
    #[inline]
    pub(crate) fn cells<'m>(&'m mut self, layout: &'m Layout, room: usize) -> CellRows<'m> {
        CellRows { layout, columns: &mut self.columns, stride: stride(room) }
    }

    /// The cells of `agents` agents, to read, in columns with room for `room`.
    pub(crate) fn view<'m>(&'m self, layout: &'m Layout, agents: usize, room: usize) -> BoardView<'m> {
        BoardView { layout, columns: &self.columns, stride: stride(room), agents }
    }
}

impl BoardRows<'_> {
    /// Rewrites a whole column of `agents` agents. Returns how many cells changed.
    pub(crate) fn update_column<T: BlackboardType>(
        mut self,
        agents: usize,
        key: Key<T>,
        mut value: impl FnMut(Row, T) -> T,
    ) -> Result<usize, Foreign> {
        let layout = self.cells.layout;
        let &ColumnOf { key: place, watched, .. } = layout.column(key).ok_or(Foreign)?;
        let mut changed = 0;
        let flips = layout.flips(place);
        if flips.is_some_and(|it| !it.are_of_constants()) {
            // Each write reads another column.
            for agent in Row::of_agents(agents) {
                let old = self.cells.get(agent, key)?;
                let new = value(agent, old);
                if !new.same(old) {
                    let written = self.cells.set(agent, key, new)?;
                    self.cells.mark(agent, written, &mut self.changes);
                    changed += usize::from(written.changed());
                }
            }
            return Ok(changed);
        }
        let BoardRows { cells: CellRows { columns, stride, .. }, mut changes } = self;
        let cells = &mut T::Stored::of_mut(columns)[key.column().index() * stride..][..agents];
        let watch = layout.watch_of(place);
        let flips = flips.map(|it| (it.quick, it));
        // Few writes flip a comparison.
        #[cold]
        #[inline(never)]
        fn mark_flips(changes: &mut Changes<'_>, layout: &Layout, key: KeyPlace, agent: Row, write: [Rank; 2]) {
            changes.mark_flips(layout, key, agent, write, |_| unreachable!("the key is compared with no other"));
        }
        for (agent, cell) in Row::all().zip(cells) {
            let old = T::load(*cell).ok_or(Foreign)?;
            let new = value(agent, old);
            // An unchanged value is not written: not every type reads everything that its cells can
            // hold.
            if !new.same(old) && !cell.same(new.store()) {
                let from = std::mem::replace(cell, new.store());
                changed += 1;
                match flips {
                    None if watched == Watched::Never => {}
                    None => changes.mark(watch, agent),
                    Some((quick, flips)) if quick.may_matter(flips, from, *cell) => {
                        mark_flips(&mut changes, layout, place, agent, [from.rank(), cell.rank()]);
                    }
                    Some(_) => {}
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
    /// The cells of an agent outside any chunk.
    pub(crate) fn of_one(layout: &'m Layout, columns: &'m Columns) -> Self {
        BoardView { layout, columns, stride: 1, agents: 1 }
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(self, agent: Row, key: Key<T>) -> Result<T, Foreign> {
        self.layout.column(key).ok_or(Foreign)?;
        T::load(T::Stored::of(self.columns)[key.column().index() * self.stride + agent.index()]).ok_or(Foreign)
    }

    pub(crate) fn value(self, agent: Row, key: KeyPlace) -> Value {
        value(self.layout, self.columns, self.stride, agent, key)
    }

    /// A whole column.
    pub(crate) fn column<T: BlackboardType>(self, key: Key<T>) -> Result<&'m [T::Stored], Foreign> {
        self.layout.column(key).ok_or(Foreign)?;
        Ok(&T::Stored::of(self.columns)[key.column().index() * self.stride..][..self.agents])
    }
}

fn value(layout: &Layout, columns: &Columns, stride: usize, agent: Row, key: KeyPlace) -> Value {
    let key = layout.keys[key.index()];
    typed!(key.default.ty(), T => T::of(columns)[key.index() * stride + agent.index()].into())
}

/// The cells of some agents, borrowed to read and to write. The writer must make sure that
/// observers learn of the change: see [`Written`].
#[derive(Debug)]
pub(crate) struct CellRows<'m> {
    layout: &'m Layout,
    columns: &'m mut Columns,
    stride: usize,
}

/// What a write did.
#[must_use]
#[derive(Clone, Copy)]
pub(crate) enum Written {
    /// The key already held the value.
    Nothing,
    Changed,
    /// The same, for a key whose every change matters to observers.
    Watched(KeyPlace),
    /// The same, for a key that observers compare, to which it may matter; with the ranks of the
    /// old and of the new value.
    Compared(KeyPlace, [Rank; 2]),
}

/// The cells of some agents, and which keys have changed.
#[derive(Debug)]
pub(crate) struct BoardRows<'m> {
    pub(crate) cells: CellRows<'m>,
    pub(crate) changes: Changes<'m>,
}

/// A separate function, so that writes that do not matter stay short.
#[inline(never)]
fn ranks<T: Stored>(from: T, to: T) -> [Rank; 2] {
    [from.rank(), to.rank()]
}

impl Written {
    /// For a key that changed.
    #[inline(always)]
    fn of<T: Stored>(layout: &Layout, key: KeyPlace, watched: Watched, from: T, to: T) -> Written {
        match watched {
            Watched::Never => Written::Changed,
            Watched::Always => Written::Watched(key),
            Watched::Compared if !layout.may_matter(key, from, to) => Written::Changed,
            Watched::Compared | Watched::Mixed => Written::Compared(key, ranks(from, to)),
        }
    }

    /// Whether the key holds another value now.
    #[inline(always)]
    pub(crate) fn changed(self) -> bool {
        !matches!(self, Written::Nothing)
    }

    /// Whether the write may matter to an observer.
    #[inline(always)]
    pub(crate) fn may_matter(self) -> bool {
        matches!(self, Written::Watched(_) | Written::Compared(..))
    }
}

impl<'m> BoardRows<'m> {
    /// The cells of an agent outside any chunk.
    #[inline]
    pub(crate) fn of_one(layout: &'m Layout, columns: &'m mut Columns, changes: Changes<'m>) -> Self {
        BoardRows { cells: CellRows::of_one(layout, columns), changes }
    }
}

impl Columns {
    /// Takes over the values of an agent outside any chunk from its older cells.
    pub(crate) fn inherit_one(&mut self, layout: &Layout, old: &Columns, heirs: &[Heir<'_>]) {
        self.inherit(layout, 1, old, 1, heirs);
    }

    /// Takes over the values of `agents` agents from older cells. Columns are `stride` cells apart.
    fn inherit(&mut self, layout: &Layout, stride: usize, old: &Columns, agents: usize, heirs: &[Heir<'_>]) {
        CellRows { layout, columns: self, stride }.inherit(agents, old, heirs);
    }
}

impl<'m> CellRows<'m> {
    /// The cells of an agent outside any chunk.
    #[inline]
    pub(crate) fn of_one(layout: &'m Layout, columns: &'m mut Columns) -> Self {
        CellRows { layout, columns, stride: 1 }
    }

    /// Takes over the values of `agents` agents from older cells, whose columns are as far apart.
    fn inherit(&mut self, agents: usize, old: &Columns, heirs: &[Heir<'_>]) {
        let old = (old, self.stride);
        fn fill<T: Stored>(cells: &mut [T], (old, stride): (&Columns, usize), (key, from): Heir<'_>) {
            let default = T::from_value(key.default()).expect("B1");
            let Some(from) = from else { return cells.fill(default) };
            cells.copy_from_slice(&T::of(old)[from.column().index() * stride..][..cells.len()]);
            let was = T::from_value(from.default()).expect("B1");
            if !default.same(was) || key.symbols() != from.symbols() {
                for cell in cells.iter_mut().filter(|it| it.same(was) || !key.admits(it.into_value())) {
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
    fn cell_mut<T: Stored>(&mut self, agent: Row, column: usize) -> &mut T {
        &mut T::of_mut(self.columns)[column * self.stride + agent.index()]
    }

    fn column_mut<T: Stored>(&mut self, column: usize) -> &mut [T] {
        &mut T::of_mut(self.columns)[column * self.stride..][..self.stride]
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(&self, agent: Row, key: Key<T>) -> Result<T, Foreign> {
        match self.layout.column(key) {
            Some(_) => {
                T::load(T::Stored::of(self.columns)[key.column().index() * self.stride + agent.index()]).ok_or(Foreign)
            }
            None => Err(Foreign),
        }
    }

    /// A key of all agents.
    #[inline]
    pub(crate) fn column<T: BlackboardType>(&self, key: Key<T>) -> Result<&[T::Stored], Foreign> {
        self.layout.column(key).ok_or(Foreign)?;
        Ok(&T::Stored::of(self.columns)[key.column().index() * self.stride..][..self.stride])
    }

    /// A key of all agents, to write, if writes to it do not matter to observers.
    #[inline]
    pub(crate) fn unwatched<T: BlackboardType>(&mut self, key: Key<T>) -> Option<&mut [T::Stored]> {
        let column = self.layout.column(key)?;
        matches!(column.watched, Watched::Never).then(|| self.column_mut(key.column().index()))
    }

    /// Writes a key.
    #[inline]
    pub(crate) fn set<T: BlackboardType>(&mut self, agent: Row, key: Key<T>, value: T) -> Result<Written, Foreign> {
        let Some(&ColumnOf { key: place, watched, .. }) = self.layout.column(key) else { return Err(Foreign) };
        let value = value.store();
        let cell = self.cell_mut::<T::Stored>(agent, key.column().index());
        if cell.same(value) {
            return Ok(Written::Nothing);
        }
        let old = std::mem::replace(cell, value);
        Ok(Written::of(self.layout, place, watched, old, value))
    }

    pub(crate) fn value(&self, agent: Row, key: KeyPlace) -> Value {
        value(self.layout, self.columns, self.stride, agent, key)
    }

    /// The value in a column of that type. For compiled expressions, whose types are checked at
    /// load.
    #[inline]
    pub(crate) fn cell<T: Stored>(&self, agent: Row, decl: &KeyDecl) -> Option<T> {
        T::of(self.columns).get(decl.column().index() * self.stride + agent.index()).copied()
    }

    pub(crate) fn set_value(&mut self, agent: Row, key: KeyPlace, value: Value) -> Written {
        let to = self.layout.keys[key.index()];
        typed!(to.default.ty(), T => {
            let watched = self.layout.columns::<T>()[to.index()].watched;
            let cell = self.cell_mut::<T>(agent, to.index());
            let Some(value) = T::from_value(value).filter(|&it| !cell.same(it)) else { return Written::Nothing };
            let old = std::mem::replace(cell, value);
            Written::of(self.layout, key, watched, old, value)
        })
    }

    /// All keys with their defaults.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = (KeyPlace, Value)> + use<'m> {
        let keys = &self.layout.keys;
        keys.iter().enumerate().map(|(at, key)| (KeyPlace::behind(at), key.default))
    }

    /// Marks the observers of an agent to which a write of its key matters.
    #[inline]
    pub(crate) fn mark(&self, agent: Row, written: Written, changes: &mut Changes<'_>) {
        match written {
            Written::Nothing | Written::Changed => {}
            Written::Watched(key) => changes.mark(self.layout.watch_of(key), agent),
            Written::Compared(key, write) => {
                let rank = |key: KeyPlace| {
                    let key = self.layout.keys[key.index()];
                    typed!(key.default.ty(), T => T::of(self.columns)[key.index() * self.stride + agent.index()].rank())
                };
                changes.mark_flips(self.layout, key, agent, write, rank);
            }
        }
    }

    /// The observers that read a shared key; `None` if there are none.
    pub(crate) fn watch_of_shared(&self, scope: Scope, key: KeyPlace) -> Option<&'m [u64]> {
        self.layout.watch_of_shared(scope, key)
    }

    /// Whether an observer reads a shared key.
    #[inline(always)]
    pub(crate) fn watches_shared(&self) -> bool {
        self.layout.watches_shared()
    }

    /// How many words of observers an agent has.
    #[inline(always)]
    pub(crate) fn words(&self) -> usize {
        self.layout.words
    }
}
