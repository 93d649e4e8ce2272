//! The keys of the agents of one chunk, a column each, with the tracking of what changed.

use std::sync::Arc;

use super::{Schema, Scope};
use crate::{BlackboardType, Entity, Key, Symbol, Value};

/// One key's values, one per agent.
#[derive(Clone, Debug)]
pub enum Cells {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Float(Vec<f32>),
    Vec2(Vec<[f32; 2]>),
    Vec3(Vec<[f32; 3]>),
    Entity(Vec<Entity>),
    Symbol(Vec<Symbol>),
}

/// Runs `$do` on the vector inside, whatever its type.
macro_rules! any_cells {
    ($cells:expr, |$vec:ident| $do:expr) => {
        match $cells {
            Cells::Bool($vec) => $do,
            Cells::Int($vec) => $do,
            Cells::Float($vec) => $do,
            Cells::Vec2($vec) => $do,
            Cells::Vec3($vec) => $do,
            Cells::Entity($vec) => $do,
            Cells::Symbol($vec) => $do,
        }
    };
}

impl Cells {
    fn of(value: Value) -> Self {
        match value {
            Value::Bool(_) => Cells::Bool(Vec::new()),
            Value::Int(_) => Cells::Int(Vec::new()),
            Value::Float(_) => Cells::Float(Vec::new()),
            Value::Vec2(_) => Cells::Vec2(Vec::new()),
            Value::Vec3(_) => Cells::Vec3(Vec::new()),
            Value::Entity(_) => Cells::Entity(Vec::new()),
            Value::Symbol(_) => Cells::Symbol(Vec::new()),
        }
    }

    fn push(&mut self, value: Value) {
        match (self, value) {
            (Cells::Bool(v), Value::Bool(x)) => v.push(x),
            (Cells::Int(v), Value::Int(x)) => v.push(x),
            (Cells::Float(v), Value::Float(x)) => v.push(x),
            (Cells::Vec2(v), Value::Vec2(x)) => v.push(x),
            (Cells::Vec3(v), Value::Vec3(x)) => v.push(x),
            (Cells::Entity(v), Value::Entity(x)) => v.push(x),
            (Cells::Symbol(v), Value::Symbol(x)) => v.push(x),
            (cells, value) => unreachable!("B1: a column {cells:?} is filled from its own default {value:?}"),
        }
    }

    fn get(&self, agent: usize) -> Value {
        any_cells!(self, |v| v[agent].into())
    }

    fn bytes(&self) -> usize {
        fn each<T>(_: &[T]) -> usize {
            size_of::<T>()
        }
        any_cells!(self, |v| each(v))
    }
}

#[derive(Clone, Debug)]
struct Slot {
    tag: u32,
    default: Value,
    cells: Cells,
}

/// The node and agent keys of the agents of one chunk.
///
/// Invariant B1: every column has the type of its default, and as many cells as the chunk has agents.
#[derive(Debug)]
pub(crate) struct Board {
    slots: Vec<Slot>,
    /// Words of item bits per agent; see `tree::items`.
    words: usize,
    /// Per slot, the items whose answer depends on that key.
    watch: Arc<[u64]>,
    /// Per agent, the items of which a key changed since they were last evaluated.
    dirty: Vec<u64>,
}

/// A write met a key of another tree.
#[derive(Debug)]
pub(crate) struct Foreign;

impl Board {
    pub(crate) fn new(schema: &Schema, watch: Arc<[u64]>, words: usize) -> Self {
        let slots = schema
            .keys()
            .filter(|it| matches!(it.scope(), Scope::Node | Scope::Agent))
            .map(|it| Slot { tag: it.tag(), default: it.default(), cells: Cells::of(it.default()) })
            .collect();
        Board { slots, words, watch, dirty: Vec::new() }
    }

    pub(crate) fn push(&mut self) {
        for slot in &mut self.slots {
            slot.cells.push(slot.default);
        }
        self.dirty.resize(self.dirty.len() + self.words, 0);
    }

    pub(crate) fn swap_remove(&mut self, agent: usize) {
        for slot in &mut self.slots {
            any_cells!(&mut slot.cells, |v| {
                v.swap_remove(agent);
            });
        }
        crate::forest::swap_remove_row(&mut self.dirty, self.words, agent);
    }

    #[inline]
    pub(crate) fn get<T: BlackboardType>(&self, agent: usize, key: Key<T>) -> Result<T, Foreign> {
        match self.slots.get(key.slot()) {
            Some(slot) if slot.tag == key.tag() => {
                T::cells(&slot.cells).and_then(|it| it.get(agent)).copied().ok_or(Foreign)
            }
            _ => Err(Foreign),
        }
    }

    /// Writes, and tells whether that changed the value.
    #[inline]
    pub(crate) fn set<T: BlackboardType>(&mut self, agent: usize, key: Key<T>, value: T) -> Result<bool, Foreign> {
        let slot = match self.slots.get_mut(key.slot()) {
            Some(slot) if slot.tag == key.tag() => slot,
            _ => return Err(Foreign),
        };
        let cell = T::cells_mut(&mut slot.cells).and_then(|it| it.get_mut(agent)).ok_or(Foreign)?;
        let changed = !cell.same(value);
        if changed {
            *cell = value;
            self.touch(agent, key.slot());
        }
        Ok(changed)
    }

    pub(crate) fn value(&self, agent: usize, slot: usize) -> Value {
        self.slots[slot].cells.get(agent)
    }

    /// The cell of a slot, if it is of that type. For compiled expressions, which checked the type at load.
    #[inline]
    pub(crate) fn cell<T: BlackboardType>(&self, agent: usize, slot: usize) -> Option<T> {
        T::cells(&self.slots[slot].cells).map(|it| it[agent])
    }

    pub(crate) fn set_value(&mut self, agent: usize, slot: usize, value: Value) -> bool {
        fn write<T: BlackboardType>(cells: &mut [T], agent: usize, value: Value) -> bool {
            match T::from_value(value) {
                Some(value) if !cells[agent].same(value) => {
                    cells[agent] = value;
                    true
                }
                _ => false,
            }
        }
        let changed = any_cells!(&mut self.slots[slot].cells, |v| write(v, agent, value));
        if changed {
            self.touch(agent, slot);
        }
        changed
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
        let slot = self.slots.get(key.slot()).filter(|it| it.tag == key.tag()).ok_or(Foreign)?;
        T::cells(&slot.cells).ok_or(Foreign)
    }

    /// Rewrites a whole column; how many cells changed.
    pub(crate) fn update_column<T: BlackboardType>(
        &mut self,
        key: Key<T>,
        mut value: impl FnMut(usize, T) -> T,
    ) -> Result<usize, Foreign> {
        let slot = self.slots.get_mut(key.slot()).filter(|it| it.tag == key.tag()).ok_or(Foreign)?;
        let words = self.words;
        let watch = &self.watch[key.slot() * words..(key.slot() + 1) * words];
        let mut changed = 0;
        for (agent, cell) in T::cells_mut(&mut slot.cells).ok_or(Foreign)?.iter_mut().enumerate() {
            let new = value(agent, *cell);
            if !cell.same(new) {
                *cell = new;
                changed += 1;
                for (dirty, watch) in self.dirty[agent * words..(agent + 1) * words].iter_mut().zip(watch) {
                    *dirty |= watch;
                }
            }
        }
        Ok(changed)
    }

    /// The items of an agent whose keys changed.
    #[inline]
    pub(crate) fn dirty(&self, agent: usize) -> &[u64] {
        &self.dirty[agent * self.words..(agent + 1) * self.words]
    }

    /// The same, for trees with one word of items.
    #[inline]
    pub(crate) fn dirty_word(&self, agent: usize) -> u64 {
        self.dirty[agent]
    }

    /// An item was evaluated, in a tree with one word of items.
    #[inline]
    pub(crate) fn settle_word(&mut self, agent: usize, item: u16) {
        self.dirty[agent] &= !(1 << (item % 64));
    }

    /// An item was evaluated.
    #[inline]
    pub(crate) fn settle(&mut self, agent: usize, item: u16) {
        self.dirty[agent * self.words + usize::from(item) / 64] &= !(1 << (item % 64));
    }

    #[inline]
    fn touch(&mut self, agent: usize, slot: usize) {
        let words = self.words;
        let watch = &self.watch[slot * words..(slot + 1) * words];
        for (dirty, watch) in self.dirty[agent * words..(agent + 1) * words].iter_mut().zip(watch) {
            *dirty |= watch;
        }
    }

    /// Bytes per agent: of the keys, and of the tracking.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        (self.slots.iter().map(|it| it.cells.bytes()).sum(), self.words * 8)
    }
}
