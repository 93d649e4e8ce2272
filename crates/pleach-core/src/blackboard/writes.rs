//! What the agents of a row write to shared keys while other rows are ticked at the same time
//! (SEMANTICS 8.7).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::shared::{Cell, Shared};
use crate::Value;
use crate::ids::GroupId;

/// A shared value as a row sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: Value,
    /// It is what was written last, even if that is what was there before; else it is what was
    /// there.
    written: bool,
}

impl Seen {
    fn of(value: Value) -> Self {
        Seen { value, written: false }
    }

    /// Writes, and tells whether that changed the value.
    fn put(&mut self, value: Value) -> bool {
        let changed = self.value != value;
        *self = Seen { value, written: true };
        changed
    }
}

/// Values of a group that are copied together: as a rule all that a tree declares, and not all that
/// a forest knows.
const BLOCK: usize = 8;

/// Some values of a group: the first ones, the next ones, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Part {
    group: GroupId,
    number: usize,
}

/// What was written over shared values that cannot be changed yet. It keeps its memory from tick to
/// tick.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// What was written to.
    parts: IndexSet<Part, FxBuildHasher>,
    /// The values of each of them.
    blocks: Vec<[Seen; BLOCK]>,
    /// All values of the forest, once one has been written.
    globals: Vec<Seen>,
    /// What was written to last, with its block: an agent writes to its own group several times.
    last: Option<(Part, usize)>,
}

impl Writes {
    /// What a value is, if something of its group was written.
    pub(super) fn get(&self, cell: Cell) -> Option<Value> {
        match cell {
            Cell::Group(group, at) => {
                let block = self.block(Part { group, number: at / BLOCK })?;
                Some(self.blocks[block][at % BLOCK].value)
            }
            Cell::Global(at) => self.globals.get(at).map(|it| it.value),
        }
    }

    /// Writes to a value, and tells whether that changed it.
    pub(super) fn put(&mut self, cell: Cell, value: Value, under: &Shared) -> bool {
        match cell {
            Cell::Group(group, at) => {
                let block = self.block_made(Part { group, number: at / BLOCK }, under);
                self.blocks[block][at % BLOCK].put(value)
            }
            Cell::Global(at) => {
                if self.globals.is_empty() {
                    self.globals.extend(under.globals().iter().copied().map(Seen::of));
                }
                self.globals[at].put(value)
            }
        }
    }

    fn block(&self, part: Part) -> Option<usize> {
        match self.last {
            Some((last, block)) if last == part => Some(block),
            _ if self.parts.is_empty() => None,
            _ => self.parts.get_index_of(&part),
        }
    }

    fn block_made(&mut self, part: Part, under: &Shared) -> usize {
        if let Some((last, block)) = self.last
            && last == part
        {
            return block;
        }
        let (block, new) = self.parts.insert_full(part);
        if new {
            let values = &under.group(part.group)[part.number * BLOCK..];
            let mut seen = [Seen::of(Value::Bool(false)); BLOCK];
            for (seen, &value) in seen.iter_mut().zip(values) {
                *seen = Seen::of(value);
            }
            self.blocks.push(seen);
        }
        self.last = Some((part, block));
        block
    }

    /// Makes up for everything that was written, and forgets it.
    pub(crate) fn apply(&mut self, under: &mut Shared) {
        let put = |values: &mut [Value], seen: &[Seen]| {
            for (value, seen) in values.iter_mut().zip(seen).filter(|it| it.1.written) {
                *value = seen.value;
            }
        };
        for (part, block) in self.parts.drain(..).zip(&self.blocks) {
            put(&mut under.group_mut(part.group)[part.number * BLOCK..], block);
        }
        put(under.globals_mut(), &self.globals);
        self.blocks.clear();
        self.globals.clear();
        self.last = None;
    }
}
