//! The walls that touch each cell of a map.

use super::Wall;
use crate::error::MapError;
use crate::grid::Cell;

/// The walls that touch each cell. A crowd reads it for every step of every actor, each at another
/// place, so it is small: four bytes for a cell, and the walls of all cells in one list, in the
/// order in which they were added.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The first entry of each cell, or `NONE`.
    first: Vec<u32>,
    /// The last entry of each cell that has a first one.
    last: Vec<u32>,
    entries: Vec<Entry>,
}

/// A wall in a cell.
#[derive(Clone, Copy, Debug)]
struct Entry {
    wall: Wall,
    /// The next one of the same cell, or `NONE`.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Cells {
    pub(super) fn of(cells: usize) -> Self {
        Cells { first: vec![NONE; cells], last: vec![NONE; cells], entries: Vec::new() }
    }

    /// Adds a wall after those of a cell.
    pub(super) fn push(&mut self, cell: Cell, wall: Wall) -> Result<(), MapError> {
        let new = u32::try_from(self.entries.len()).ok().filter(|it| *it != NONE).ok_or(MapError::TooManyWalls)?;
        let last = std::mem::replace(&mut self.last[cell.index()], new);
        match self.entries.get_mut(last as usize) {
            Some(last) => last.next = new,
            None => self.first[cell.index()] = new,
        }
        self.entries.push(Entry { wall, next: NONE });
        Ok(())
    }

    /// The walls of a cell, in the order in which they were added.
    #[inline]
    pub(super) fn walls(&self, cell: Cell) -> impl Iterator<Item = &Wall> {
        let entry = |at: u32| self.entries.get(at as usize);
        std::iter::successors(entry(self.first[cell.index()]), move |it| entry(it.next)).map(|it| &it.wall)
    }
}
