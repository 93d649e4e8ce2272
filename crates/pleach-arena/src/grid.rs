//! Square cells over the map, and their members: they make "what is near?" cheap, and "nothing" its
//! cheapest answer. The members of a cell form a doubly linked list, and each cell counts those
//! around it. Both change only when a member moves to another cell. Nothing is ever rebuilt, and
//! every question is answered exactly at any moment.

use std::ops::RangeInclusive;

use slotmap::{Key, SecondaryMap};

use crate::geometry::Point;

/// The side of a cell, in metres, a little more than a guard sees. Whoever a look at 15 m can find is
/// then in the same cell or one of the eight around it, and the tables of an arena with 10 000
/// guards fit in a processor's cache.
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
    cols: u32,
    rows: u32,
}

impl Lattice {
    pub(crate) fn over(side: Point) -> Self {
        Lattice { cols: Self::count(side[0]), rows: Self::count(side[1]) }
    }

    fn count(side: f32) -> u32 {
        Self::whole(side / CELL) + 1
    }

    /// The number of the strip, as wide as a cell, that a coordinate is in. The last strip of a map
    /// may be exceeded.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and callers clamp")]
    fn whole(strips: f32) -> u32 {
        strips as u32
    }

    /// How many cells there are: at most 2^21, for a map of the longest sides.
    pub(crate) fn len(&self) -> usize {
        self.cols as usize * self.rows as usize
    }

    pub(crate) fn col(&self, x: f32) -> u32 {
        Self::whole(x / CELL).min(self.cols - 1)
    }

    pub(crate) fn row(&self, y: f32) -> u32 {
        Self::whole(y / CELL).min(self.rows - 1)
    }

    /// The lower and the upper edge of a row.
    pub(crate) fn edges(row: u32) -> (f32, f32) {
        (row as f32 * CELL, (row + 1) as f32 * CELL)
    }

    pub(crate) fn cell(&self, col: u32, row: u32) -> Cell {
        Cell(row * self.cols + col)
    }

    pub(crate) fn at(&self, p: Point) -> Cell {
        self.cell(self.col(p[0]), self.row(p[1]))
    }

    /// The columns and rows that the box between two corners touches. A point off the map counts to
    /// the cells at its edge.
    pub(crate) fn span(&self, min: Point, max: Point) -> (RangeInclusive<u32>, RangeInclusive<u32>) {
        (self.col(min[0])..=self.col(max[0]), self.row(min[1])..=self.row(max[1]))
    }

    /// A cell and those around it. There are up to nine, fewer at the edge of the map.
    fn around(&self, cell: Cell) -> impl Iterator<Item = Cell> + use<> {
        let Lattice { cols, rows } = *self;
        let (col, row) = (cell.0 % cols, cell.0 / cols);
        let (left, right) = (col.saturating_sub(1), (col + 1).min(cols - 1));
        let (low, high) = (row.saturating_sub(1), (row + 1).min(rows - 1));
        (low..=high).flat_map(move |row| (left..=right).map(move |col| Cell(row * cols + col)))
    }
}

/// The members of each cell, in `LAYERS` lists per cell. An actor's team chooses its layer, so that
/// a search for enemies does not visit friends.
///
/// G1: a key is in `links` exactly while it is in one list, that of its cell and layer. G2: `near`
/// of a cell and layer counts the members of that layer in the cell and in those around it.
#[derive(Clone, Debug)]
pub(crate) struct Grid<K: Key, const LAYERS: usize> {
    lattice: Lattice,
    /// The first member of each list, by [`Cell`].
    heads: Vec<[Option<K>; LAYERS]>,
    /// How many members there are in a cell and around it, by [`Cell`]. Most looks of a crowd find
    /// nobody, and read nothing but this.
    near: Vec<[u32; LAYERS]>,
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
        let (heads, near) = (vec![[None; LAYERS]; lattice.len()], vec![[0; LAYERS]; lattice.len()]);
        Grid { lattice, heads, near, links: SecondaryMap::new() }
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
    pub(crate) fn relocate(&mut self, key: K, from: Point, to: Point) {
        let cell = self.lattice.at(to);
        if cell != self.lattice.at(from) {
            let link = self.links[key];
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
        for around in self.lattice.around(cell) {
            self.near[around.index()][usize::from(layer)] += 1;
        }
    }

    fn unlink(&mut self, link: Link<K>) {
        if let Some(next) = link.next {
            self.links[next].prev = link.prev;
        }
        match link.prev {
            Some(prev) => self.links[prev].next = link.next,
            None => self.heads[link.cell.index()][usize::from(link.layer)] = link.next,
        }
        for around in self.lattice.around(link.cell) {
            self.near[around.index()][usize::from(link.layer)] -= 1;
        }
    }

    /// Those of the chosen layers that may have a member within a circle.
    fn inhabited(&self, mut layers: [bool; LAYERS], centre: Point, range: f32) -> [bool; LAYERS] {
        // A circle of that radius stays within the cells around its centre's, for rounding keeps
        // the order of numbers.
        if range <= CELL {
            let near = &self.near[self.lattice.at(centre).index()];
            layers.iter_mut().zip(near).for_each(|(wanted, near)| *wanted &= *near > 0);
        }
        layers
    }

    /// Calls `f` for every member of the chosen layers whose cell a circle touches. These are all
    /// that are within the circle, and some that are not. The range may be infinite. The order
    /// depends on the earlier moves.
    pub(crate) fn visit(&self, layers: [bool; LAYERS], centre: Point, range: f32, mut f: impl FnMut(K)) {
        let layers = self.inhabited(layers, centre, range);
        if layers == [false; LAYERS] {
            return;
        }
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
    use crate::digest::Dice;
    use crate::geometry::distance2;

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
            let from = [keys.iter().position(|key| *key == moved).unwrap() as f32 * 4.0, 1.0];
            grid.relocate(moved, from, [99.0, 49.0]);
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
    fn a_circle_finds_all_that_are_in_it_and_near_counts_them() {
        let mut dice = Dice::new(3);
        let mut keys = SlotMap::new();
        for side in [[5.0, 70.0], [100.0, 50.0], [16.0, 16.0]] {
            let mut grid = Pair::over(Lattice::over(side));
            let mut places: Vec<(DefaultKey, u8, Point)> = Vec::new();
            for round in 0..250_u8 {
                let at = [dice.between(0.0, side[0]), dice.between(0.0, side[1])];
                if places.len() < 6 {
                    let (key, layer) = (keys.insert(()), round % 2);
                    grid.insert(key, layer, at);
                    places.push((key, layer, at));
                } else if round % 5 == 0 {
                    grid.remove(places.remove(usize::from(round) % 6).0);
                } else {
                    let (key, _, from) = &mut places[usize::from(round) % 6];
                    grid.relocate(*key, *from, at);
                    *from = at;
                }
                let centre = [dice.between(-20.0, side[0] + 20.0), dice.between(-20.0, side[1] + 20.0)];
                for range in [0.0, dice.between(0.0, CELL), CELL, CELL + 0.1, 40.0] {
                    let found = within(&grid, [true, false], centre, range);
                    for (key, layer, at) in &places {
                        if *layer == 1 {
                            assert!(!found.contains(key), "of the other layer");
                        } else if distance2(*at, centre) <= range * range {
                            assert!(found.contains(key), "{at:?} is within {range} of {centre:?}");
                        }
                    }
                }
                let touches = |cell: Cell, at: Point| grid.lattice.around(cell).any(|it| it == grid.lattice.at(at));
                for (cell, near) in (0..).map(Cell).zip(&grid.near) {
                    let count = |wanted| places.iter().filter(|it| it.1 == wanted && touches(cell, it.2)).count();
                    assert_eq!(near.map(|it| it as usize), [count(0), count(1)]);
                }
            }
        }
    }

    #[test]
    fn cells_reach_the_far_edge() {
        let lattice = Lattice::over([32.0, 16.0]);
        assert_eq!((lattice.col(32.0), lattice.row(16.0)), (2, 1));
        assert_eq!((lattice.col(-5.0), lattice.col(f32::INFINITY), lattice.col(f32::NAN)), (0, 2, 0));
    }
}
