//! What the agents of a row write to shared keys while other rows are ticked at the same time (SEMANTICS 8.7).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::shared::{Cell, GroupId, Shared};
use crate::Value;

/// A shared value as a row sees it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: Value,
    /// It is what was written last, even if that is what was there before; else it is what was there.
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

/// What was written over shared values that cannot be changed yet. It keeps its memory from tick to tick.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// The groups that were written to.
    groups: IndexSet<GroupId, FxBuildHasher>,
    /// All values of each of them, one group after the other.
    rows: Vec<Seen>,
    width: usize,
    /// All values of the forest, once one has been written.
    globals: Vec<Seen>,
    /// The group that was written to last, with its row: an agent writes to its own several times.
    last: Option<(GroupId, usize)>,
}

impl Writes {
    /// What a value is, if something of its group was written.
    pub(super) fn get(&self, cell: Cell) -> Option<Value> {
        match cell {
            Cell::Group(group, at) => self.row(group).map(|row| self.rows[row * self.width + at].value),
            Cell::Global(at) => self.globals.get(at).map(|it| it.value),
        }
    }

    /// Writes to a value, and tells whether that changed it.
    pub(super) fn put(&mut self, cell: Cell, value: Value, under: &Shared) -> bool {
        match cell {
            Cell::Group(group, at) => {
                let row = self.row_made(group, under);
                self.rows[row * self.width + at].put(value)
            }
            Cell::Global(at) => {
                if self.globals.is_empty() {
                    self.globals.extend(under.globals().iter().copied().map(Seen::of));
                }
                self.globals[at].put(value)
            }
        }
    }

    fn row(&self, group: GroupId) -> Option<usize> {
        match self.last {
            Some((last, row)) if last == group => Some(row),
            _ if self.groups.is_empty() => None,
            _ => self.groups.get_index_of(&group),
        }
    }

    fn row_made(&mut self, group: GroupId, under: &Shared) -> usize {
        if let Some((last, row)) = self.last
            && last == group
        {
            return row;
        }
        let (row, new) = self.groups.insert_full(group);
        if new {
            let values = under.group(group);
            self.width = values.len();
            self.rows.extend(values.iter().copied().map(Seen::of));
        }
        self.last = Some((group, row));
        row
    }

    /// Makes up for everything that was written, and forgets it.
    pub(crate) fn apply(&mut self, under: &mut Shared) {
        let put = |values: &mut [Value], seen: &[Seen]| {
            for (value, seen) in values.iter_mut().zip(seen).filter(|it| it.1.written) {
                *value = seen.value;
            }
        };
        for (row, group) in self.groups.drain(..).enumerate() {
            put(under.group_mut(group), &self.rows[row * self.width..][..self.width]);
        }
        put(under.globals_mut(), &self.globals);
        self.rows.clear();
        self.globals.clear();
        self.last = None;
    }
}
