//! The keys of the agents of one chunk, a column each; and which of them changed.

use std::sync::Arc;

use super::place::{ColumnPlace, KeyPlace};
use super::{KeyDecl, Schema};
use crate::index::ObserverId;
use crate::row::{Row, swap_remove_row};
use crate::{BlackboardType, Entity, Key, Symbol, Type, Value, bits};

/// One key's values, one per agent.
#[derive(Debug)]
pub struct Column<T> {
    /// The tag that typed keys of this column carry.
    tag: u32,
    key: KeyPlace,
    /// Whether any observer reads this key. If not, a change of it need not be kept.
    watched: bool,
    cells: Vec<T>,
}

/// The columns of a chunk by the type of their cells, so that a typed key leads to its column
/// without asking for the type.
#[derive(Debug, Default)]
pub struct Columns {
    pub(crate) bools: Vec<Column<bool>>,
    pub(crate) ints: Vec<Column<i64>>,
    pub(crate) floats: Vec<Column<f32>>,
    pub(crate) vec2s: Vec<Column<[f32; 2]>>,
    pub(crate) vec3s: Vec<Column<[f32; 3]>>,
    pub(crate) entities: Vec<Column<Entity>>,
    pub(crate) symbols: Vec<Column<Symbol>>,
}

/// Runs `$do` on the columns of a type.
macro_rules! columns_of {
    ($columns:expr, $ty:expr, |$of:ident| $do:expr) => {
        match ($columns, $ty) {
            (Columns { bools: $of, .. }, Type::Bool) => $do,
            (Columns { ints: $of, .. }, Type::Int) => $do,
            (Columns { floats: $of, .. }, Type::Float) => $do,
            (Columns { vec2s: $of, .. }, Type::Vec2) => $do,
            (Columns { vec3s: $of, .. }, Type::Vec3) => $do,
            (Columns { entities: $of, .. }, Type::Entity) => $do,
            (Columns { symbols: $of, .. }, Type::Symbol) => $do,
        }
    };
}

/// Where a key's column is, and what it holds at first.
#[derive(Clone, Copy, Debug)]
struct KeyColumn {
    default: Value,
    column: ColumnPlace,
}

impl KeyColumn {
    fn index(self) -> usize {
        self.column.index()
    }
}

/// The node and agent keys of the agents of one chunk.
///
/// Invariant B1: every column has the type of its default, and as many cells as the chunk has
/// agents.
#[derive(Debug)]
pub(crate) struct Board {
    keys: Vec<KeyColumn>,
    columns: Columns,
    /// Words of observer bits per agent; see `tree::observers`.
    words: usize,
    /// Per key: the observers whose answer depends on it.
    watch: Arc<[u64]>,
    /// Per agent: the observers that read a key which has changed since they were last evaluated.
    dirty: Vec<u64>,
    agents: usize,
    /// One bit per agent. Where the bit is not set, no observer that could act at the agent's
    /// present place has a changed key.
    dirty_agents: Vec<u64>,
}

/// A key of a board, and the key of an older board whose values it takes. That key is of the same
/// type, and no other key takes its values.
pub(crate) type Heir<'a> = (&'a KeyDecl, Option<&'a KeyDecl>);

/// The key of a write is of another tree.
#[derive(Debug)]
pub(crate) struct Foreign;

impl Board {
    pub(crate) fn new(schema: &Schema, watch: Arc<[u64]>, words: usize) -> Self {
        let mut columns = Columns::default();
        for decl in schema.columned() {
            let (tag, key) = (decl.tag(), decl.place());
            let watched = watch_of(&watch, words, key).iter().any(|&it| it != 0);
            columns_of!(&mut columns, decl.ty(), |of| of.push(Column { tag, key, watched, cells: Vec::new() }));
        }
        Board {
            keys: schema.columned().map(|it| KeyColumn { default: it.default(), column: it.column() }).collect(),
            columns,
            words,
            watch,
            dirty: Vec::new(),
            agents: 0,
            dirty_agents: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self) {
        fn grow<T: BlackboardType>(of: &mut [Column<T>], key: KeyColumn) {
            of[key.index()].cells.push(T::from_value(key.default).expect("B1"));
        }
        for &key in &self.keys {
            columns_of!(&mut self.columns, key.default.ty(), |of| grow(of, key));
        }
        self.dirty.resize(self.dirty.len() + self.words, 0);
        self.agents += 1;
        self.dirty_agents.resize(self.agents.div_ceil(64), 0);
    }

    /// Takes over the agents of an older board. A key without an older key gets its default, and so
    /// does a symbol whose word the key lacks. This board has no agents yet; `heirs` has all of its
    /// keys.
    pub(crate) fn inherit(&mut self, mut old: Board, heirs: &[Heir<'_>]) {
        fn fill<T: BlackboardType>(of: &mut [Column<T>], old: &mut Columns, agents: usize, (key, from): Heir<'_>) {
            let default = T::from_value(key.default()).expect("B1");
            let cells = &mut of[key.column().index()].cells;
            let Some(from) = from else { return cells.resize(agents, default) };
            *cells = std::mem::take(&mut T::of_mut(old)[from.column().index()].cells);
            if key.symbols() != from.symbols() {
                for cell in cells.iter_mut().filter(|it| !key.admits(it.into_value())) {
                    *cell = default;
                }
            }
        }
        for &heir in heirs {
            columns_of!(&mut self.columns, heir.0.ty(), |of| fill(of, &mut old.columns, old.agents, heir));
        }
        self.agents = old.agents;
        self.dirty.resize(self.agents * self.words, 0);
        self.dirty_agents.resize(self.agents.div_ceil(64), 0);
    }

    pub(crate) fn swap_remove(&mut self, agent: Row) {
        for key in &self.keys {
            columns_of!(&mut self.columns, key.default.ty(), |of| {
                of[key.index()].cells.swap_remove(agent.index());
            });
        }
        swap_remove_row(&mut self.dirty, self.words, agent);
        self.agents -= 1;
        let last = Row::behind(self.agents);
        let moved = bits::has(&self.dirty_agents, last);
        bits::put(&mut self.dirty_agents, agent, moved);
        // The next agent begins with nothing changed, and beyond the last agent no bit may be set.
        bits::remove(&mut self.dirty_agents, last);
        self.dirty_agents.truncate(self.agents.div_ceil(64));
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(&self, agent: Row, key: Key<T>) -> Result<T, Foreign> {
        match T::of(&self.columns).get(key.column().index()) {
            Some(column) if column.tag == key.tag() => Ok(column.cells[agent.index()]),
            _ => Err(Foreign),
        }
    }

    /// Writes a key, and tells whether that changed the value.
    #[inline]
    pub(crate) fn set<T: BlackboardType>(&mut self, agent: Row, key: Key<T>, value: T) -> Result<bool, Foreign> {
        let column = match T::of_mut(&mut self.columns).get_mut(key.column().index()) {
            Some(column) if column.tag == key.tag() => column,
            _ => return Err(Foreign),
        };
        let cell = &mut column.cells[agent.index()];
        if cell.same(value) {
            return Ok(false);
        }
        *cell = value;
        if column.watched {
            let key = column.key;
            self.mark_dirty(agent, key);
        }
        Ok(true)
    }

    pub(crate) fn value(&self, agent: Row, key: KeyPlace) -> Value {
        let key = self.keys[key.index()];
        columns_of!(&self.columns, key.default.ty(), |of| of[key.index()].cells[agent.index()].into())
    }

    /// The value in a column of that type. For compiled expressions, whose types are checked at
    /// load.
    #[inline]
    pub(crate) fn cell<T: BlackboardType>(&self, agent: Row, decl: &KeyDecl) -> Option<T> {
        T::of(&self.columns).get(decl.column().index()).map(|it| it.cells[agent.index()])
    }

    pub(crate) fn set_value(&mut self, agent: Row, key: KeyPlace, value: Value) -> bool {
        /// If the write changed the value: whether any observer reads the key.
        fn write<T: BlackboardType>(column: &mut Column<T>, agent: Row, value: Value) -> Option<bool> {
            let value = T::from_value(value)?;
            let cell = &mut column.cells[agent.index()];
            if cell.same(value) {
                return None;
            }
            *cell = value;
            Some(column.watched)
        }
        let to = self.keys[key.index()];
        let written = columns_of!(&mut self.columns, to.default.ty(), |of| write(&mut of[to.index()], agent, value));
        if written == Some(true) {
            self.mark_dirty(agent, key);
        }
        written.is_some()
    }

    pub(crate) fn reset(&mut self, agent: Row, key: KeyPlace) -> bool {
        self.set_value(agent, key, self.keys[key.index()].default)
    }

    pub(crate) fn clear(&mut self, agent: Row) {
        for key in (0..self.keys.len()).map(KeyPlace::behind) {
            self.reset(agent, key);
        }
    }

    /// A whole column, to read.
    pub(crate) fn column<T: BlackboardType>(&self, key: Key<T>) -> Result<&[T], Foreign> {
        let column = T::of(&self.columns).get(key.column().index()).filter(|it| it.tag == key.tag());
        column.map(|it| &*it.cells).ok_or(Foreign)
    }

    /// Rewrites a whole column. Returns how many cells changed.
    pub(crate) fn update_column<T: BlackboardType>(
        &mut self,
        key: Key<T>,
        mut value: impl FnMut(Row, T) -> T,
    ) -> Result<usize, Foreign> {
        let column = T::of_mut(&mut self.columns)
            .get_mut(key.column().index())
            .filter(|it| it.tag == key.tag())
            .ok_or(Foreign)?;
        let watched = column.watched;
        let watch = watch_of(&self.watch, self.words, column.key);
        let mut changed = 0;
        for (agent, cell) in Row::all().zip(&mut column.cells) {
            let new = value(agent, *cell);
            if !cell.same(new) {
                *cell = new;
                changed += 1;
                if watched {
                    mark(&mut self.dirty, &mut self.dirty_agents, watch, agent);
                }
            }
        }
        Ok(changed)
    }

    /// The observers of an agent that read a changed key.
    #[inline]
    pub(crate) fn dirty(&self, agent: Row) -> &[u64] {
        &self.dirty[agent.cells(self.words)]
    }

    /// The same of all agents, one after the other.
    #[inline]
    pub(crate) fn dirty_rows(&self) -> &[u64] {
        &self.dirty
    }

    #[inline]
    pub(crate) fn dirty_rows_mut(&mut self) -> &mut [u64] {
        &mut self.dirty
    }

    /// An observer has been evaluated.
    #[inline]
    pub(crate) fn clear_dirty(&mut self, agent: Row, observer: ObserverId) {
        self.dirty[agent.cell(self.words) + observer.word()] &= !observer.bit();
    }

    /// A function of its own, so that a write to a key without observers stays short.
    #[inline(never)]
    fn mark_dirty(&mut self, agent: Row, key: KeyPlace) {
        let watch = watch_of(&self.watch, self.words, key);
        mark(&mut self.dirty, &mut self.dirty_agents, watch, agent);
    }

    /// The agents that may have a changed key to look at, one bit each.
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        &self.dirty_agents
    }

    /// An agent has been looked at: no changed key matters at its present place.
    #[inline]
    pub(crate) fn clear_dirty_agent(&mut self, agent: Row) {
        bits::remove(&mut self.dirty_agents, agent);
    }

    /// An agent has come to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let any = self.dirty(agent).iter().any(|&it| it != 0);
        bits::put(&mut self.dirty_agents, agent, any);
    }

    /// Bytes per agent: of the keys, and of the tracking.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        fn each<T>(_: &[Column<T>]) -> usize {
            size_of::<T>()
        }
        let cells = self.keys.iter().map(|it| columns_of!(&self.columns, it.default.ty(), |of| each(of)));
        (cells.sum(), self.words * 8)
    }
}

/// The observers that read a key.
#[inline]
fn watch_of(watch: &[u64], words: usize, key: KeyPlace) -> &[u64] {
    &watch[key.index() * words..(key.index() + 1) * words]
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
