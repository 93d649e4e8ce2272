//! Square cells over the map, and who is in which: what makes "near me" cheap. Members of a cell
//! form a doubly linked list through columns indexed by slot, so that a move to another cell costs
//! a few writes, nothing is ever rebuilt and a question asked between two moves is answered
//! exactly.

use crate::geometry::Point;
use std::ops::RangeInclusive;

/// The side of a cell, in metres. About the guards' view: with fewer, larger cells a look at 15 m
/// touches at most nine, and the whole table of an arena for 10 000 guards stays in a processor's
/// cache.
const CELL: f32 = 16.0;

const NONE: u32 = u32::MAX;

/// How a map is cut into cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    cols: usize,
    rows: usize,
}

impl Lattice {
    pub(crate) fn over(side: Point) -> Self {
        Lattice { cols: Self::count(side[0]), rows: Self::count(side[1]) }
    }

    fn count(side: f32) -> usize {
        Self::whole(side / CELL) + 1
    }

    /// The number of the cell-wide strip that a coordinate falls in, were there strips without end.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and callers clamp")]
    fn whole(strips: f32) -> usize {
        strips as usize
    }

    pub(crate) fn len(&self) -> usize {
        self.cols * self.rows
    }

    pub(crate) fn col(&self, x: f32) -> usize {
        Self::whole(x / CELL).min(self.cols - 1)
    }

    pub(crate) fn row(&self, y: f32) -> usize {
        Self::whole(y / CELL).min(self.rows - 1)
    }

    /// The lower and the upper edge of a row.
    pub(crate) fn edges(row: usize) -> (f32, f32) {
        (row as f32 * CELL, (row + 1) as f32 * CELL)
    }

    pub(crate) fn cell(&self, col: usize, row: usize) -> usize {
        row * self.cols + col
    }

    pub(crate) fn at(&self, p: Point) -> usize {
        self.cell(self.col(p[0]), self.row(p[1]))
    }

    /// The columns and rows that the box between two corners touches; what is off the map counts to
    /// its edge.
    pub(crate) fn span(&self, min: Point, max: Point) -> (RangeInclusive<usize>, RangeInclusive<usize>) {
        (self.col(min[0])..=self.col(max[0]), self.row(min[1])..=self.row(max[1]))
    }
}

/// The members of each cell, in `LANES` lists per cell (an actor's team chooses), so that who looks
/// for enemies does not wade through friends.
///
/// G1: a slot is in exactly one list if `home` of it is not `NONE`, and in none otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Grid<const LANES: usize> {
    lattice: Lattice,
    heads: Vec<[u32; LANES]>,
    next: Vec<u32>,
    prev: Vec<u32>,
    /// The cell of each slot.
    home: Vec<u32>,
    lane: Vec<u8>,
}

impl<const LANES: usize> Grid<LANES> {
    pub(crate) fn over(lattice: Lattice) -> Self {
        let heads = vec![[NONE; LANES]; lattice.len()];
        Grid { lattice, heads, next: Vec::new(), prev: Vec::new(), home: Vec::new(), lane: Vec::new() }
    }

    /// Puts a slot that is in no list into the one of its place.
    pub(crate) fn insert(&mut self, slot: usize, lane: u8, at: Point) {
        if slot >= self.home.len() {
            self.next.resize(slot + 1, NONE);
            self.prev.resize(slot + 1, NONE);
            self.home.resize(slot + 1, NONE);
            self.lane.resize(slot + 1, 0);
        }
        self.lane[slot] = lane;
        self.link(slot, self.lattice.at(at));
    }

    pub(crate) fn remove(&mut self, slot: usize) {
        self.unlink(slot);
        self.home[slot] = NONE;
    }

    /// Follows a move. Costs one comparison while the slot stays in its cell.
    pub(crate) fn relocate(&mut self, slot: usize, to: Point) {
        let cell = self.lattice.at(to);
        if self.home[slot] as usize != cell {
            self.unlink(slot);
            self.link(slot, cell);
        }
    }

    fn link(&mut self, slot: usize, cell: usize) {
        let me = u32::try_from(slot).expect("limits keep slots below 2^32");
        let head = &mut self.heads[cell][usize::from(self.lane[slot])];
        self.next[slot] = *head;
        self.prev[slot] = NONE;
        if *head != NONE {
            self.prev[*head as usize] = me;
        }
        *head = me;
        self.home[slot] = u32::try_from(cell).expect("a map of the longest sides has 2^20 cells");
    }

    fn unlink(&mut self, slot: usize) {
        let (next, prev) = (self.next[slot], self.prev[slot]);
        if next != NONE {
            self.prev[next as usize] = prev;
        }
        if prev == NONE {
            self.heads[self.home[slot] as usize][usize::from(self.lane[slot])] = next;
        } else {
            self.next[prev as usize] = next;
        }
    }

    /// Calls `f` with every slot of the chosen lanes whose cell a circle touches: all that are
    /// within, and some that are not. The range may be infinite. The order depends on the history
    /// of moves.
    pub(crate) fn visit(&self, lanes: [bool; LANES], centre: Point, range: f32, mut f: impl FnMut(usize)) {
        let (cols, rows) =
            self.lattice.span([centre[0] - range, centre[1] - range], [centre[0] + range, centre[1] + range]);
        for row in rows {
            for heads in &self.heads[self.lattice.cell(*cols.start(), row)..=self.lattice.cell(*cols.end(), row)] {
                for (&head, &wanted) in heads.iter().zip(&lanes) {
                    let mut at = if wanted { head } else { NONE };
                    while at != NONE {
                        f(at as usize);
                        at = self.next[at as usize];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(grid: &Grid<2>, lanes: [bool; 2]) -> Vec<usize> {
        let mut found = Vec::new();
        grid.visit(lanes, [0.0, 0.0], f32::INFINITY, |slot| found.push(slot));
        found.sort_unstable();
        found
    }

    #[test]
    fn lists_survive_every_order_of_moves() {
        let mut grid = Grid::<2>::over(Lattice::over([100.0, 50.0]));
        for slot in 0..6_u8 {
            grid.insert(usize::from(slot), slot % 2, [f32::from(slot) * 4.0, 1.0]);
        }
        assert_eq!(all(&grid, [true, true]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(all(&grid, [false, true]), [1, 3, 5]);
        // The middle, the head and the tail of a list each leave it in another way.
        for slot in [1, 3, 0, 2] {
            grid.relocate(slot, [99.0, 49.0]);
            assert_eq!(all(&grid, [true, true]), [0, 1, 2, 3, 4, 5]);
        }
        let mut near = Vec::new();
        grid.visit([true, true], [99.0, 49.0], 1.0, |slot| near.push(slot));
        near.sort_unstable();
        assert_eq!(near, [0, 1, 2, 3]);
        for (gone, left) in [(3, 5), (0, 4), (5, 3)] {
            grid.remove(gone);
            assert_eq!(all(&grid, [true, true]).len(), left);
        }
        grid.insert(3, 0, [1.0, 1.0]);
        assert_eq!(all(&grid, [true, false]), [2, 3, 4]);
    }

    #[test]
    fn cells_reach_the_far_edge() {
        let lattice = Lattice::over([32.0, 16.0]);
        assert_eq!((lattice.col(32.0), lattice.row(16.0)), (2, 1));
        assert_eq!((lattice.col(-5.0), lattice.col(f32::INFINITY), lattice.col(f32::NAN)), (0, 2, 0));
    }
}
