//! Square cells over the map, and their members: they make "what is near?" cheap, and "nothing" the
//! cheapest answer. The members of a cell form a doubly linked list, and each cell counts those
//! around it. Both change only when a member moves to another cell. Nothing is ever rebuilt, and
//! every query is exact at any moment.

use std::ops::Range;

use slotmap::{Key, SecondaryMap};

use crate::geometry::Point;

/// The side of a cell, in metres, a little more than a guard sees. Anything that a look at 15 m can
/// find is then in the same cell or one of the eight around it, and the tables of an arena with 10
/// 000 guards fit in a processor's cache.
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

    /// The index of the strip, as wide as a cell, that a coordinate is in. The last strip of a map
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

    /// The columns and rows that the box between two corners touches. A point off the map counts as
    /// in the cells at its edge.
    pub(crate) fn span(&self, min: Point, max: Point) -> (Range<u32>, Range<u32>) {
        (self.col(min[0])..self.col(max[0]) + 1, self.row(min[1])..self.row(max[1]) + 1)
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

/// The index of a layer in a grid, below 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer(pub(crate) u8);

/// A set of layers, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layers(u8);

impl Layers {
    pub(crate) const NONE: Layers = Layers(0);
    pub(crate) const ALL: Layers = Layers(!0);

    pub(crate) fn of(layer: Layer) -> Self {
        Layers(1 << layer.0)
    }

    pub(crate) fn with(self, layer: Layer) -> Self {
        Layers(self.0 | Self::of(layer).0)
    }

    pub(crate) fn without(self, layer: Layer) -> Self {
        Layers(self.0 & !Self::of(layer).0)
    }

    pub(crate) fn contains(self, layer: Layer) -> bool {
        self.0 & Self::of(layer).0 != 0
    }

    fn and(self, other: Layers) -> Self {
        Layers(self.0 & other.0)
    }
}

/// The members of each cell, in several layers. An actor's team chooses its layer, so that a search
/// for enemies does not visit friends.
///
/// G1: a key is in `links` exactly while it is in one list, that of its cell and layer. G2: `near`
/// of a layer counts, for each cell, the layer's members in it and in the cells around it, and
/// `inhabited` has the layers with a count above 0.
#[derive(Clone, Debug)]
pub(crate) struct Grid<K: Key> {
    lattice: Lattice,
    layers: Vec<Members<K>>,
    /// The layers that have members in a cell or around it, by [`Cell`]. Most looks of a crowd find
    /// no one, and read nothing but this.
    inhabited: Vec<Layers>,
    links: SecondaryMap<K, Link<K>>,
}

/// The members of one layer, by [`Cell`].
#[derive(Clone, Debug)]
struct Members<K> {
    /// The first member of each list.
    heads: Vec<Option<K>>,
    /// How many members there are in the cell and around it.
    near: Vec<u32>,
}

/// A member's place in its list.
#[derive(Clone, Copy, Debug)]
struct Link<K> {
    next: Option<K>,
    prev: Option<K>,
    cell: Cell,
    layer: Layer,
}

impl<K: Key> Grid<K> {
    /// An empty grid of `layers` layers, at most eight.
    pub(crate) fn over(lattice: Lattice, layers: usize) -> Self {
        let cells = lattice.len();
        let layers = vec![Members { heads: vec![None; cells], near: vec![0; cells] }; layers];
        Grid { lattice, layers, inhabited: vec![Layers::NONE; cells], links: SecondaryMap::new() }
    }

    /// Makes room for keys below that index.
    pub(crate) fn make_room(&mut self, keys: usize) {
        self.links.set_capacity(keys);
    }

    /// Adds a key that is not a member yet.
    pub(crate) fn insert(&mut self, key: K, layer: Layer, cell: Cell) {
        self.link(key, layer, cell);
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, key: K) {
        if let Some(link) = self.links.remove(key) {
            self.unlink(link);
        }
    }

    /// Follows a member's move out of a cell that its owner has kept, and returns its current cell.
    /// Costs one comparison while that is the same.
    pub(crate) fn relocate(&mut self, key: K, from: Cell, to: Point) -> Cell {
        let cell = self.lattice.at(to);
        if cell != from {
            let link = self.links[key];
            self.unlink(link);
            self.link(key, link.layer, cell);
        }
        cell
    }

    /// The cell of a point.
    pub(crate) fn cell(&self, at: Point) -> Cell {
        self.lattice.at(at)
    }

    fn link(&mut self, key: K, layer: Layer, cell: Cell) {
        let Members { heads, near } = &mut self.layers[usize::from(layer.0)];
        let next = heads[cell.index()].replace(key);
        if let Some(next) = next {
            self.links[next].prev = Some(key);
        }
        self.links.insert(key, Link { next, prev: None, cell, layer });
        for around in self.lattice.around(cell) {
            near[around.index()] += 1;
            let inhabited = &mut self.inhabited[around.index()];
            *inhabited = inhabited.with(layer);
        }
    }

    fn unlink(&mut self, link: Link<K>) {
        let Members { heads, near } = &mut self.layers[usize::from(link.layer.0)];
        if let Some(next) = link.next {
            self.links[next].prev = link.prev;
        }
        match link.prev {
            Some(prev) => self.links[prev].next = link.next,
            None => heads[link.cell.index()] = link.next,
        }
        for around in self.lattice.around(link.cell) {
            near[around.index()] -= 1;
            if near[around.index()] == 0 {
                let inhabited = &mut self.inhabited[around.index()];
                *inhabited = inhabited.without(link.layer);
            }
        }
    }

    /// Those of some layers that may have members within a circle around a point of a cell; the
    /// others have none. Costs one look into a table.
    pub(crate) fn inhabited(&self, layers: Layers, centre: Cell, range: f32) -> Layers {
        // A circle of that radius stays within the cells around its centre's, because rounding
        // keeps the order of numbers.
        if range <= CELL { layers.and(self.inhabited[centre.index()]) } else { layers }
    }

    /// Calls `f` for every member of some layers whose cell a circle touches: all members within
    /// the circle, and some outside it. The range may be infinite. The order depends on the earlier
    /// moves.
    pub(crate) fn visit(&self, layers: Layers, centre: Point, range: f32, mut f: impl FnMut(K)) {
        let (cols, rows) =
            self.lattice.span([centre[0] - range, centre[1] - range], [centre[0] + range, centre[1] + range]);
        let wanted = self.layers.iter().zip((0..).map(Layer)).filter(|(_, layer)| layers.contains(*layer));
        for (members, _) in wanted {
            for row in rows.clone() {
                let first = self.lattice.cell(cols.start, row).index();
                for &head in &members.heads[first..first + cols.len()] {
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

    type Pair = Grid<DefaultKey>;

    fn within(grid: &Pair, layers: Layers, at: Point, range: f32) -> Vec<DefaultKey> {
        let mut found = Vec::new();
        grid.visit(grid.inhabited(layers, grid.cell(at), range), at, range, |key| found.push(key));
        found.sort_unstable();
        found
    }

    fn all(grid: &Pair, layers: Layers) -> Vec<DefaultKey> {
        within(grid, layers, [0.0, 0.0], f32::INFINITY)
    }

    #[test]
    fn lists_survive_every_order_of_moves() {
        let mut keys = SlotMap::new();
        let keys: [DefaultKey; 6] = std::array::from_fn(|_| keys.insert(()));
        let these = |at: &[usize]| at.iter().map(|it| keys[*it]).collect::<Vec<_>>();
        let mut grid = Pair::over(Lattice::over([100.0, 50.0]), 2);
        for (key, at) in keys.into_iter().zip(0_u8..) {
            grid.insert(key, Layer(at % 2), grid.cell([f32::from(at) * 4.0, 1.0]));
        }
        assert_eq!(all(&grid, Layers::ALL), keys);
        assert_eq!(all(&grid, Layers::of(Layer(1))), these(&[1, 3, 5]));
        // The middle, the head and the tail of a list each leave it differently.
        for moved in these(&[1, 3, 0, 2]) {
            grid.relocate(moved, grid.links[moved].cell, [99.0, 49.0]);
            assert_eq!(all(&grid, Layers::ALL), keys);
        }
        assert_eq!(within(&grid, Layers::ALL, [99.0, 49.0], 1.0), these(&[0, 1, 2, 3]));
        for (gone, left) in [(3, 5), (0, 4), (5, 3)] {
            grid.remove(keys[gone]);
            assert_eq!(all(&grid, Layers::ALL).len(), left);
        }
        grid.insert(keys[3], Layer(0), grid.cell([1.0, 1.0]));
        assert_eq!(all(&grid, Layers::of(Layer(0))), these(&[2, 3, 4]));
    }

    #[test]
    fn a_circle_finds_all_that_are_in_it_and_near_counts_them() {
        let mut dice = Dice::new(3);
        let mut keys = SlotMap::new();
        for side in [[5.0, 70.0], [100.0, 50.0], [16.0, 16.0]] {
            let mut grid = Pair::over(Lattice::over(side), 2);
            let mut places: Vec<(DefaultKey, Layer, Point)> = Vec::new();
            for round in 0..250_u8 {
                let at = [dice.between(0.0, side[0]), dice.between(0.0, side[1])];
                if places.len() < 6 {
                    let (key, layer) = (keys.insert(()), Layer(round % 2));
                    grid.insert(key, layer, grid.cell(at));
                    places.push((key, layer, at));
                } else if round % 5 == 0 {
                    grid.remove(places.remove(usize::from(round) % 6).0);
                } else {
                    let (key, _, from) = &mut places[usize::from(round) % 6];
                    grid.relocate(*key, grid.cell(*from), at);
                    *from = at;
                }
                let centre = [dice.between(-20.0, side[0] + 20.0), dice.between(-20.0, side[1] + 20.0)];
                for range in [0.0, dice.between(0.0, CELL), CELL, CELL + 0.1, 40.0] {
                    let found = within(&grid, Layers::of(Layer(0)), centre, range);
                    for (key, layer, at) in &places {
                        if *layer == Layer(1) {
                            assert!(!found.contains(key), "of the other layer");
                        } else if distance2(*at, centre) <= range * range {
                            assert!(found.contains(key), "{at:?} is within {range} of {centre:?}");
                        }
                    }
                }
                let touches = |cell: Cell, at: Point| grid.lattice.around(cell).any(|it| it == grid.lattice.at(at));
                for (members, layer) in grid.layers.iter().zip((0..).map(Layer)) {
                    for (cell, near) in (0..).map(Cell).zip(&members.near) {
                        let count = places.iter().filter(|it| it.1 == layer && touches(cell, it.2)).count();
                        let inhabited = grid.inhabited[cell.index()].contains(layer);
                        assert_eq!((*near as usize, inhabited), (count, count > 0));
                    }
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
