//! Paths through the rooms of an estate. A mover slides around one wall at a time, which does not
//! lead out of a room; this finds the doors.
//!
//! The estate is cut into squares of one metre. For each square that an actor wants to reach there
//! is a field: the distance from every other square. Following a field downhill leads to its goal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::geometry::{Point, distance, sub};
use crate::map::Map;

/// How much room a walker needs on each side, in metres. Doors are two metres wide.
const ROOM: f32 = 0.45;
/// How many squares a walker looks ahead to cut corners.
const AHEAD: usize = 12;
/// How many fields are kept; each has four bytes per square.
const FIELDS: usize = 48;
/// The costs of a sideways and of a diagonal step, and that of a square without a path.
const SIDE: u32 = 10;
const DIAGONAL: u32 = 14;
const NO_WAY: u32 = u32::MAX;

/// The squares of an estate and the latest fields. The fields follow from the map, so they are not
/// part of the world's state.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    origin: Point,
    cols: usize,
    rows: usize,
    free: Vec<bool>,
    fields: VecDeque<(usize, Vec<u32>)>,
}

impl Paths {
    /// The squares of an area: its upper left corner, its width and height in metres.
    pub(super) fn over(map: &Map, origin: Point, cols: usize, rows: usize) -> Self {
        let mut paths = Paths { origin, cols, rows, free: Vec::new(), fields: VecDeque::new() };
        paths.read(map);
        paths
    }

    /// Reads the walls again, because some have changed.
    pub(super) fn read(&mut self, map: &Map) {
        self.free = (0..self.cols * self.rows).map(|it| map.is_free(self.centre(it), ROOM)).collect();
        self.fields.clear();
    }

    fn centre(&self, square: usize) -> Point {
        let (col, row) = (square % self.cols, square / self.cols);
        [self.origin[0] + col as f32 + 0.5, self.origin[1] + row as f32 + 0.5]
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be on the estate")]
    fn square(&self, at: Point) -> Option<usize> {
        let [x, y] = sub(at, self.origin);
        let on = x >= 0.0 && y >= 0.0 && x < self.cols as f32 && y < self.rows as f32;
        on.then(|| y as usize * self.cols + x as usize)
    }

    /// The neighbours of a square that can be stepped to, with the costs.
    fn steps(&self, square: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let (col, row) = (square % self.cols, square / self.cols);
        let open = move |dx: isize, dy: isize| {
            let (x, y) = (col.checked_add_signed(dx)?, row.checked_add_signed(dy)?);
            (x < self.cols && y < self.rows && self.free[y * self.cols + x]).then(|| y * self.cols + x)
        };
        let all = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).filter(|it| *it != (0, 0));
        all.filter_map(move |(dx, dy)| {
            let to = open(dx, dy)?;
            if dx == 0 || dy == 0 {
                return Some((to, SIDE));
            }
            // Not around the edge of a wall.
            open(dx, 0).and(open(0, dy)).map(|_| (to, DIAGONAL))
        })
    }

    /// The free square nearest to a place; among equals the same one in every run.
    fn entry(&self, at: Point) -> Option<usize> {
        let own = self.square(at)?;
        let (col, row) = (own % self.cols, own / self.cols);
        let around = (row.saturating_sub(2)..(row + 3).min(self.rows))
            .flat_map(|row| (col.saturating_sub(2)..(col + 3).min(self.cols)).map(move |col| row * self.cols + col));
        let free = around.filter(|it| self.free[*it]);
        free.min_by(|a, b| distance(at, self.centre(*a)).total_cmp(&distance(at, self.centre(*b))).then(a.cmp(b)))
    }

    /// The index of the field of a goal.
    fn field(&mut self, goal: usize) -> usize {
        self.fields.iter().position(|it| it.0 == goal).unwrap_or_else(|| {
            if self.fields.len() == FIELDS {
                self.fields.pop_front();
            }
            let field = self.flood(goal);
            self.fields.push_back((goal, field));
            self.fields.len() - 1
        })
    }

    fn flood(&self, goal: usize) -> Vec<u32> {
        let mut far = vec![NO_WAY; self.free.len()];
        let mut next = BinaryHeap::from([Reverse((0, goal))]);
        far[goal] = 0;
        while let Some(Reverse((cost, square))) = next.pop() {
            if cost > far[square] {
                continue;
            }
            for (to, step) in self.steps(square) {
                if cost + step < far[to] {
                    far[to] = cost + step;
                    next.push(Reverse((cost + step, to)));
                }
            }
        }
        far
    }

    /// Where to walk now, on the way to a target: the target itself if nothing is between, or if
    /// the estate has no path to it.
    pub(super) fn aim(&mut self, map: &Map, from: Point, target: Point) -> Point {
        if is_walkable(map, from, target) {
            return target;
        }
        let (Some(start), Some(goal)) = (self.entry(from), self.entry(target)) else { return target };
        if start == goal {
            return target;
        }
        let at = self.field(goal);
        let field = &self.fields[at].1;
        if field[start] == NO_WAY {
            return target;
        }
        let (mut square, mut aim) = (start, self.centre(start));
        for _ in 0..AHEAD {
            let below = self.steps(square).map(|it| it.0).min_by_key(|it| (field[*it], *it));
            let Some(below) = below.filter(|it| field[*it] < field[square]) else { break };
            square = below;
            if !is_walkable(map, from, self.centre(square)) {
                break;
            }
            aim = self.centre(square);
        }
        aim
    }
}

/// Whether a walker can go straight from one place to another.
fn is_walkable(map: &Map, from: Point, to: Point) -> bool {
    let d = sub(to, from);
    let far = (d[0] * d[0] + d[1] * d[1]).sqrt();
    if far < 1e-3 {
        return true;
    }
    let aside = [-d[1] / far * ROOM, d[0] / far * ROOM];
    [-1.0_f32, 0.0, 1.0].into_iter().all(|side| {
        let by = |at: Point| [at[0] + aside[0] * side, at[1] + aside[1] * side];
        map.line_of_sight(by(from), by(to))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rooms, and a door between them at the far end.
    fn rooms() -> Map {
        let mut map = Map::open([20.0, 12.0]).unwrap();
        map.add_wall([10.0, 0.0], [11.0, 9.0]).unwrap();
        map
    }

    #[test]
    fn a_walker_finds_the_door() {
        let map = rooms();
        let mut paths = Paths::over(&map, [0.0, 0.0], 20, 12);
        let (mut at, goal) = ([3.0, 2.0], [17.0, 2.0]);
        let mut steps = 0;
        while distance(at, goal) > 0.01 {
            let aim = paths.aim(&map, at, goal);
            let far = distance(at, aim);
            let part = (0.25 / far).min(1.0);
            let to = [at[0] + (aim[0] - at[0]) * part, at[1] + (aim[1] - at[1]) * part];
            at = map.slide(at, to, aim, 0.4);
            steps += 1;
            assert!(steps < 200, "it hangs at {at:?}");
        }
        assert!((80..95).contains(&steps), "{steps} steps of 25 cm");
    }

    #[test]
    fn without_a_way_or_off_the_estate_it_goes_straight() {
        let mut map = rooms();
        map.add_wall([10.0, 9.0], [11.0, 12.0]).unwrap();
        let mut paths = Paths::over(&map, [0.0, 0.0], 20, 12);
        assert_eq!(paths.aim(&map, [3.0, 2.0], [17.0, 2.0]), [17.0, 2.0]);
        assert_eq!(paths.aim(&map, [3.0, 2.0], [f32::MAX, 2.0]), [f32::MAX, 2.0]);
        assert_eq!(paths.aim(&map, [3.0, 2.0], [5.0, 2.0]), [5.0, 2.0]);
        assert!(paths.fields.len() <= FIELDS);
    }
}
