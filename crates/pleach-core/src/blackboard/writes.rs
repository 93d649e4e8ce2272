//! What the agents of a chunk write to shared keys while other chunks are ticked at the same time
//! (SEMANTICS 8.7).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::place::SharedPlace;
use super::shared::{Cell, Shared};
use super::token_writes::TokenWrites;
use crate::Value;
use crate::ids::GroupId;

/// A shared value as a chunk sees it.
#[derive(Clone, Copy, Debug)]
struct SharedValue {
    value: Value,
    /// Whether the chunk wrote the value. If so, it counts even if it is the value from before.
    written: bool,
}

impl SharedValue {
    fn of(value: Value) -> Self {
        SharedValue { value, written: false }
    }

    /// Writes a value, and returns whether that changed it.
    fn put(&mut self, value: Value) -> bool {
        let changed = self.value != value;
        *self = SharedValue { value, written: true };
        changed
    }
}

/// How many values of a group are copied together. Usually that is everything that one tree
/// declares, and not everything that a forest has.
const BLOCK: usize = 8;

/// A block of a group's values: number 0 is the first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SharedBlock {
    group: GroupId,
    number: usize,
}

impl SharedBlock {
    /// The block of a value, and the value's index there.
    fn of(group: GroupId, at: SharedPlace) -> (Self, usize) {
        (SharedBlock { group, number: at.index() / BLOCK }, at.index() % BLOCK)
    }
}

/// Values written over shared values that cannot be changed yet. It keeps its memory from tick to
/// tick.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// The blocks that were written to.
    parts: IndexSet<SharedBlock, FxBuildHasher>,
    /// The values of each of them.
    blocks: Vec<[SharedValue; BLOCK]>,
    /// All values of the forest, once one has been written.
    globals: Vec<SharedValue>,
    /// The block that was written to last: an agent writes to its own group several times.
    last: Option<(SharedBlock, usize)>,
    /// What agents did with tokens.
    pub(crate) tokens: TokenWrites,
}

impl Writes {
    /// A value, if a value of its block was written.
    pub(super) fn get(&self, cell: Cell) -> Option<Value> {
        match cell {
            Cell::Group(group, at) => {
                let (part, at) = SharedBlock::of(group, at);
                Some(self.blocks[self.block(part)?][at].value)
            }
            Cell::Global(at) => self.globals.get(at.index()).map(|it| it.value),
        }
    }

    /// Writes to a value, and returns whether that changed it.
    pub(super) fn put(&mut self, cell: Cell, value: Value, under: &Shared) -> bool {
        match cell {
            Cell::Group(group, at) => {
                let (part, at) = SharedBlock::of(group, at);
                let block = self.block_made(part, under);
                self.blocks[block][at].put(value)
            }
            Cell::Global(at) => {
                if self.globals.is_empty() {
                    self.globals.extend(under.globals().iter().copied().map(SharedValue::of));
                }
                self.globals[at.index()].put(value)
            }
        }
    }

    fn block(&self, part: SharedBlock) -> Option<usize> {
        match self.last {
            Some((last, block)) if last == part => Some(block),
            _ if self.parts.is_empty() => None,
            _ => self.parts.get_index_of(&part),
        }
    }

    fn block_made(&mut self, part: SharedBlock, under: &Shared) -> usize {
        if let Some((last, block)) = self.last
            && last == part
        {
            return block;
        }
        let (block, new) = self.parts.insert_full(part);
        if new {
            let values = &under.group(part.group)[part.number * BLOCK..];
            let mut seen = [SharedValue::of(Value::Bool(false)); BLOCK];
            for (seen, &value) in seen.iter_mut().zip(values) {
                *seen = SharedValue::of(value);
            }
            self.blocks.push(seen);
        }
        self.last = Some((part, block));
        block
    }

    /// Writes everything to the shared values, and forgets it.
    pub(crate) fn apply(&mut self, under: &mut Shared) {
        for (part, block) in self.parts.drain(..).zip(&self.blocks) {
            let places = SharedPlace::all_from(part.number * BLOCK);
            let written = places.zip(block).filter(|it| it.1.written).map(|(at, seen)| (at, seen.value));
            under.set_group(part.group, written);
        }
        for (at, seen) in SharedPlace::all_from(0).zip(&self.globals).filter(|it| it.1.written) {
            under.set_cell(Cell::Global(at), seen.value);
        }
        self.blocks.clear();
        self.globals.clear();
        self.last = None;
    }
}
