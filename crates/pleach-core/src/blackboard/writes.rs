//! What the agents of a row write to shared keys while other rows are ticked at the same time (SEMANTICS 8.7).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::shared::{Cell, GroupId, Shared};
use crate::Value;

/// What was written over shared values that cannot be changed yet. It keeps its memory from tick to tick.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// The groups that were written to.
    groups: IndexSet<GroupId, FxBuildHasher>,
    /// A row for each of them: by place, what was written there last, even if it is what was there before.
    rows: Vec<Option<Value>>,
    width: usize,
    globals: Vec<Option<Value>>,
    /// The group that was written to last, with its row: an agent writes to its own several times.
    last: Option<(GroupId, usize)>,
}

impl Writes {
    /// What was written to a value, if anything was.
    pub(super) fn get(&self, cell: Cell) -> Option<Value> {
        match cell {
            Cell::Group(group, at) => self.row(group).and_then(|row| self.rows[row * self.width + at]),
            Cell::Global(at) => self.globals.get(at).copied().flatten(),
        }
    }

    /// Writes to a value, and tells whether that changed it.
    pub(super) fn put(&mut self, cell: Cell, value: Value, under: &Shared) -> bool {
        let written = match cell {
            Cell::Group(group, at) => {
                let row = self.row_made(group, under);
                &mut self.rows[row * self.width + at]
            }
            Cell::Global(at) => {
                if at >= self.globals.len() {
                    self.globals.resize(at + 1, None);
                }
                &mut self.globals[at]
            }
        };
        written.replace(value).unwrap_or_else(|| under.cell(cell)) != value
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
            self.width = under.group_width();
            self.rows.resize(self.rows.len() + self.width, None);
        }
        self.last = Some((group, row));
        row
    }

    /// Takes everything out: each value that was written to, with what was written last.
    pub(super) fn drain(&mut self, mut call: impl FnMut(Cell, Value)) {
        for (row, group) in self.groups.drain(..).enumerate() {
            for (at, value) in self.rows[row * self.width..][..self.width].iter().enumerate() {
                if let Some(value) = *value {
                    call(Cell::Group(group, at), value);
                }
            }
        }
        self.rows.clear();
        self.last = None;
        for (at, value) in self.globals.drain(..).enumerate() {
            if let Some(value) = value {
                call(Cell::Global(at), value);
            }
        }
    }
}
