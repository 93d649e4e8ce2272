//! Square cells over the map, and their members: they make "what is near?" cheap. The members of a
//! cell form a doubly linked list. A move to another cell costs a few writes, nothing is ever
//! rebuilt, and every question is answered exactly at any moment.

use std::ops::RangeInclusive;

use slotmap::{Key, SecondaryMap};

use crate::geometry::Point;

/// The side of a cell, in metres, about as far as a guard sees. A look at 15 m then touches at most
/// nine cells, and the table of an arena with 10 000 guards fits in a processor's cache.
const CELL: f32 = 16.0;

/// Index of a cell in its lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell(u32);

impl Cell {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

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

    /// The number of the strip, as wide as a cell, that a coordinate is in. The last strip of a map
    /// may be exceeded.
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

    pub(crate) fn cell(&self, col: usize, row: usize) -> Cell {
        Cell(u32::try_from(row * self.cols + col).expect("a map of the longest sides has 2^20 cells"))
    }

    pub(crate) fn at(&self, p: Point) -> Cell {
        self.cell(self.col(p[0]), self.row(p[1]))
    }

    /// The columns and rows that the box between two corners touches. A point off the map counts to
    /// the cells at its edge.
    pub(crate) fn span(&self, min: Point, max: Point) -> (RangeInclusive<usize>, RangeInclusive<usize>) {
        (self.col(min[0])..=self.col(max[0]), self.row(min[1])..=self.row(max[1]))
    }
}

/// The members of each cell, in `LAYERS` lists per cell. An actor's team chooses its layer, so that
/// a search for enemies does not visit friends.
///
/// G1: a key is in `links` exactly while it is in one list, that of its cell and layer.
#[derive(Clone, Debug)]
pub(crate) struct Grid<K: Key, const LAYERS: usize> {
    lattice: Lattice,
    /// The first member of each list, by [`Cell`].
    heads: Vec<[Option<K>; LAYERS]>,
    links: SecondaryMap<K, Link<K>>,
}

/// A member's place in its list.
#[derive(Clone, Copy, Debug)]
struct Link<K> {
    next: Option<K>,
    prev: Option<K>,
    cell: Cell,
    layer: u8,
}

impl<K: Key, const LAYERS: usize> Grid<K, LAYERS> {
    pub(crate) fn over(lattice: Lattice) -> Self {
        Grid { lattice, heads: vec![[None; LAYERS]; lattice.len()], links: SecondaryMap::new() }
    }

    /// Adds a key that is not a member yet.
    pub(crate) fn insert(&mut self, key: K, layer: u8, at: Point) {
        self.link(key, layer, self.lattice.at(at));
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, key: K) {
        if let Some(link) = self.links.remove(key) {
            self.unlink(link);
        }
    }

    /// Follows a move of a member. Costs one comparison while it stays in its cell.
    pub(crate) fn relocate(&mut self, key: K, to: Point) {
        let cell = self.lattice.at(to);
        let link = self.links[key];
        if link.cell != cell {
            self.unlink(link);
            self.link(key, link.layer, cell);
        }
    }

    fn link(&mut self, key: K, layer: u8, cell: Cell) {
        let next = self.heads[cell.index()][usize::from(layer)].replace(key);
        if let Some(next) = next {
            self.links[next].prev = Some(key);
        }
        self.links.insert(key, Link { next, prev: None, cell, layer });
    }

    fn unlink(&mut self, link: Link<K>) {
        if let Some(next) = link.next {
            self.links[next].prev = link.prev;
        }
        match link.prev {
            Some(prev) => self.links[prev].next = link.next,
            None => self.heads[link.cell.index()][usize::from(link.layer)] = link.next,
        }
    }

    /// Calls `f` for every member of the chosen layers whose cell a circle touches. These are all
    /// that are within the circle, and some that are not. The range may be infinite. The order
    /// depends on the earlier moves.
    pub(crate) fn visit(&self, layers: [bool; LAYERS], centre: Point, range: f32, mut f: impl FnMut(K)) {
        let (cols, rows) =
            self.lattice.span([centre[0] - range, centre[1] - range], [centre[0] + range, centre[1] + range]);
        for row in rows {
            let (first, last) = (self.lattice.cell(*cols.start(), row), self.lattice.cell(*cols.end(), row));
            for heads in &self.heads[first.index()..=last.index()] {
                for (&head, _) in heads.iter().zip(&layers).filter(|(_, wanted)| **wanted) {
                    let mut at = head;
                    while let Some(key) = at {
                        f(key);
                        at = self.links[key].next;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use slotmap::{DefaultKey, SlotMap};

    use super::*;

    type Pair = Grid<DefaultKey, 2>;

    fn within(grid: &Pair, layers: [bool; 2], at: Point, range: f32) -> Vec<DefaultKey> {
        let mut found = Vec::new();
        grid.visit(layers, at, range, |key| found.push(key));
        found.sort_unstable();
        found
    }

    fn all(grid: &Pair, layers: [bool; 2]) -> Vec<DefaultKey> {
        within(grid, layers, [0.0, 0.0], f32::INFINITY)
    }

    #[test]
    fn lists_survive_every_order_of_moves() {
        let mut keys = SlotMap::new();
        let keys: [DefaultKey; 6] = std::array::from_fn(|_| keys.insert(()));
        let these = |at: &[usize]| at.iter().map(|it| keys[*it]).collect::<Vec<_>>();
        let mut grid = Pair::over(Lattice::over([100.0, 50.0]));
        for (key, at) in keys.into_iter().zip(0_u8..) {
            grid.insert(key, at % 2, [f32::from(at) * 4.0, 1.0]);
        }
        assert_eq!(all(&grid, [true, true]), keys);
        assert_eq!(all(&grid, [false, true]), these(&[1, 3, 5]));
        // The middle, the head and the tail of a list each leave it in another way.
        for moved in these(&[1, 3, 0, 2]) {
            grid.relocate(moved, [99.0, 49.0]);
            assert_eq!(all(&grid, [true, true]), keys);
        }
        assert_eq!(within(&grid, [true, true], [99.0, 49.0], 1.0), these(&[0, 1, 2, 3]));
        for (gone, left) in [(3, 5), (0, 4), (5, 3)] {
            grid.remove(keys[gone]);
            assert_eq!(all(&grid, [true, true]).len(), left);
        }
        grid.insert(keys[3], 0, [1.0, 1.0]);
        assert_eq!(all(&grid, [true, false]), these(&[2, 3, 4]));
    }

    #[test]
    fn cells_reach_the_far_edge() {
        let lattice = Lattice::over([32.0, 16.0]);
        assert_eq!((lattice.col(32.0), lattice.row(16.0)), (2, 1));
        assert_eq!((lattice.col(-5.0), lattice.col(f32::INFINITY), lattice.col(f32::NAN)), (0, 2, 0));
    }
}
