//! The keys of the agents of one chunk, a column each; and which of them changed.

use std::sync::Arc;

use super::{KeyDecl, Schema};
use crate::index::ObserverId;
use crate::{BlackboardType, Entity, Key, Symbol, Type, Value};

/// One key's values, one per agent.
#[derive(Debug)]
pub struct Column<T> {
    /// The tag that typed keys of this column carry.
    tag: u32,
    slot: u16,
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
    /// Its index among the columns of its type.
    cell: u16,
}

impl KeyColumn {
    fn cell(self) -> usize {
        usize::from(self.cell)
    }
}

/// The node and agent keys of the agents of one chunk.
///
/// Invariant B1: every column has the type of its default, and as many cells as the chunk has
/// agents.
#[derive(Debug)]
pub(crate) struct Board {
    slots: Vec<KeyColumn>,
    columns: Columns,
    /// Words of observer bits per agent; see `tree::observers`.
    words: usize,
    /// Per slot: the observers whose answer depends on that key.
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
            let (tag, slot) = (decl.tag(), decl.slot());
            let watched = watch_of(&watch, words, slot.into()).iter().any(|&it| it != 0);
            columns_of!(&mut columns, decl.ty(), |of| of.push(Column { tag, slot, watched, cells: Vec::new() }));
        }
        Board {
            slots: schema.columned().map(|it| KeyColumn { default: it.default(), cell: it.cell() }).collect(),
            columns,
            words,
            watch,
            dirty: Vec::new(),
            agents: 0,
            dirty_agents: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self) {
        fn grow<T: BlackboardType>(of: &mut [Column<T>], slot: KeyColumn) {
            of[slot.cell()].cells.push(T::from_value(slot.default).expect("B1"));
        }
        for &slot in &self.slots {
            columns_of!(&mut self.columns, slot.default.ty(), |of| grow(of, slot));
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
            let cells = &mut of[usize::from(key.cell())].cells;
            let Some(from) = from else { return cells.resize(agents, default) };
            *cells = std::mem::take(&mut T::of_mut(old)[usize::from(from.cell())].cells);
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

    pub(crate) fn swap_remove(&mut self, agent: usize) {
        for slot in &self.slots {
            columns_of!(&mut self.columns, slot.default.ty(), |of| {
                of[slot.cell()].cells.swap_remove(agent);
            });
        }
        crate::row::swap_remove_row(&mut self.dirty, self.words, agent);
        self.agents -= 1;
        let last = self.agents;
        let moved = self.dirty_agents[last / 64] >> (last % 64) & 1;
        self.dirty_agents[agent / 64] &= !(1 << (agent % 64));
        self.dirty_agents[agent / 64] |= moved << (agent % 64);
        // The next agent begins with nothing changed, and beyond the last agent no bit may be set.
        self.dirty_agents[last / 64] &= !(1 << (last % 64));
        self.dirty_agents.truncate(last.div_ceil(64));
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(&self, agent: usize, key: Key<T>) -> Result<T, Foreign> {
        match T::of(&self.columns).get(key.cell()) {
            Some(column) if column.tag == key.tag() => Ok(column.cells[agent]),
            _ => Err(Foreign),
        }
    }

    /// Writes a key, and tells whether that changed the value.
    #[inline]
    pub(crate) fn set<T: BlackboardType>(&mut self, agent: usize, key: Key<T>, value: T) -> Result<bool, Foreign> {
        let column = match T::of_mut(&mut self.columns).get_mut(key.cell()) {
            Some(column) if column.tag == key.tag() => column,
            _ => return Err(Foreign),
        };
        let cell = &mut column.cells[agent];
        if cell.same(value) {
            return Ok(false);
        }
        *cell = value;
        if column.watched {
            let slot = column.slot.into();
            self.mark_dirty(agent, slot);
        }
        Ok(true)
    }

    pub(crate) fn value(&self, agent: usize, slot: usize) -> Value {
        let slot = self.slots[slot];
        columns_of!(&self.columns, slot.default.ty(), |of| of[slot.cell()].cells[agent].into())
    }

    /// The value in a column of that type. For compiled expressions, whose types are checked at
    /// load.
    #[inline]
    pub(crate) fn cell<T: BlackboardType>(&self, agent: usize, decl: &KeyDecl) -> Option<T> {
        T::of(&self.columns).get(usize::from(decl.cell())).map(|it| it.cells[agent])
    }

    pub(crate) fn set_value(&mut self, agent: usize, slot: usize, value: Value) -> bool {
        /// If the write changed the value: whether any observer reads the key.
        fn write<T: BlackboardType>(column: &mut Column<T>, agent: usize, value: Value) -> Option<bool> {
            let value = T::from_value(value)?;
            let cell = &mut column.cells[agent];
            if cell.same(value) {
                return None;
            }
            *cell = value;
            Some(column.watched)
        }
        let place = self.slots[slot];
        let written =
            columns_of!(&mut self.columns, place.default.ty(), |of| write(&mut of[place.cell()], agent, value));
        if written == Some(true) {
            self.mark_dirty(agent, slot);
        }
        written.is_some()
    }

    pub(crate) fn reset(&mut self, agent: usize, slot: usize) -> bool {
        self.set_value(agent, slot, self.slots[slot].default)
    }

    pub(crate) fn clear(&mut self, agent: usize) {
        for slot in 0..self.slots.len() {
            self.reset(agent, slot);
        }
    }

    /// A whole column, to read.
    pub(crate) fn column<T: BlackboardType>(&self, key: Key<T>) -> Result<&[T], Foreign> {
        let column = T::of(&self.columns).get(key.cell()).filter(|it| it.tag == key.tag());
        column.map(|it| &*it.cells).ok_or(Foreign)
    }

    /// Rewrites a whole column. Returns how many cells changed.
    pub(crate) fn update_column<T: BlackboardType>(
        &mut self,
        key: Key<T>,
        mut value: impl FnMut(usize, T) -> T,
    ) -> Result<usize, Foreign> {
        let column =
            T::of_mut(&mut self.columns).get_mut(key.cell()).filter(|it| it.tag == key.tag()).ok_or(Foreign)?;
        let watched = column.watched;
        let watch = watch_of(&self.watch, self.words, column.slot.into());
        let mut changed = 0;
        for (agent, cell) in column.cells.iter_mut().enumerate() {
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
    pub(crate) fn dirty(&self, agent: usize) -> &[u64] {
        &self.dirty[agent * self.words..(agent + 1) * self.words]
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
    pub(crate) fn clear_dirty(&mut self, agent: usize, observer: ObserverId) {
        self.dirty[agent * self.words + observer.word()] &= !observer.bit();
    }

    /// A function of its own, so that a write to a key without observers stays short.
    #[inline(never)]
    fn mark_dirty(&mut self, agent: usize, slot: usize) {
        let watch = watch_of(&self.watch, self.words, slot);
        mark(&mut self.dirty, &mut self.dirty_agents, watch, agent);
    }

    /// The agents that may have a changed key to look at, one bit each.
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        &self.dirty_agents
    }

    /// An agent has been looked at: no changed key matters at its present place.
    #[inline]
    pub(crate) fn clear_dirty_agent(&mut self, agent: usize) {
        self.dirty_agents[agent / 64] &= !(1 << (agent % 64));
    }

    /// An agent has come to another place, where an observer may act that could not act before.
    #[inline]
    pub(crate) fn refresh_dirty_agent(&mut self, agent: usize) {
        let any = self.dirty(agent).iter().any(|&it| it != 0);
        let word = &mut self.dirty_agents[agent / 64];
        *word = *word & !(1 << (agent % 64)) | u64::from(any) << (agent % 64);
    }

    /// Bytes per agent: of the keys, and of the tracking.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        fn each<T>(_: &[Column<T>]) -> usize {
            size_of::<T>()
        }
        let cells = self.slots.iter().map(|it| columns_of!(&self.columns, it.default.ty(), |of| each(of)));
        (cells.sum(), self.words * 8)
    }
}

/// The observers that read a key.
#[inline]
fn watch_of(watch: &[u64], words: usize, slot: usize) -> &[u64] {
    &watch[slot * words..(slot + 1) * words]
}

/// A key that these observers read has changed.
#[inline]
fn mark(dirty: &mut [u64], dirty_agents: &mut [u64], watch: &[u64], agent: usize) {
    let dirty = &mut dirty[agent * watch.len()..(agent + 1) * watch.len()];
    for (dirty, watch) in dirty.iter_mut().zip(watch) {
        *dirty |= watch;
    }
    dirty_agents[agent / 64] |= 1 << (agent % 64);
}
