//! The map: the ground, the walls and the patrol routes, which do not move. Walls are axis-aligned
//! boxes. Each cell holds the walls that touch it, so that sight and movement read only the cells
//! on their path.

mod cells;

use crate::error::{BadNumber, MapError, PlaceError};
use crate::geometry::{Point, distance, is_finite, toward};
use crate::grid::Lattice;
use crate::id::RouteId;
use crate::limits::{MAX_ROUTES, MAX_SIDE, MAX_WALLS, MAX_WAYPOINTS};
use cells::Cells;

/// How far to both sides of a line of sight cells are read too, in metres. The rounding error of
/// the place where the line leaves a row of cells is smaller.
const SLACK: f32 = 0.1;

/// A box that actors cannot walk or see through. Its edge does not count: actors may walk and look
/// along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// The lower left corner.
    pub min: Point,
    /// The upper right corner.
    pub max: Point,
}

impl Wall {
    /// Whether a disk of that radius (as a square: corners are not rounded) cuts into the wall.
    fn cuts(&self, at: Point, radius: f32) -> bool {
        (0..2).all(|axis| self.spans(axis, at[axis], radius))
    }

    fn spans(&self, axis: usize, at: f32, radius: f32) -> bool {
        at > self.min[axis] - radius && at < self.max[axis] + radius
    }

    /// Whether the segment from `a` to `b` has a piece inside.
    fn hides(&self, a: Point, b: Point) -> bool {
        let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
        for axis in 0..2 {
            let d = b[axis] - a[axis];
            if d == 0.0 {
                if !self.spans(axis, a[axis], 0.0) {
                    return false;
                }
            } else {
                let (t, u) = ((self.min[axis] - a[axis]) / d, (self.max[axis] - a[axis]) / d);
                enter = enter.max(t.min(u));
                leave = leave.min(t.max(u));
            }
        }
        enter < leave
    }
}

/// A rectangle of ground from the origin to [`Map::side`], with walls and routes. Built once, then
/// given to [`World::new`](crate::World::new).
#[derive(Clone, Debug)]
pub struct Map {
    side: Point,
    lattice: Lattice,
    walls: Vec<Wall>,
    cells: Cells,
    routes: Vec<Box<[Point]>>,
}

impl Map {
    /// Open ground of that width and height.
    ///
    /// # Errors
    /// A side that is not above 0 and at most [`MAX_SIDE`].
    pub fn open(side: Point) -> Result<Map, MapError> {
        if let Some(bad) = side.into_iter().find(|s| !(*s > 0.0 && *s <= MAX_SIDE)) {
            return Err(MapError::BadSide(bad));
        }
        let lattice = Lattice::over(side);
        Ok(Map { side, lattice, walls: Vec::new(), cells: Cells::of(lattice.len()), routes: Vec::new() })
    }

    /// Adds a wall between its lower left and upper right corner.
    ///
    /// # Errors
    /// Corners that are off the map or in the wrong order, and more than [`MAX_WALLS`] walls.
    pub fn add_wall(&mut self, min: Point, max: Point) -> Result<(), MapError> {
        for corner in [min, max] {
            self.check_on_map(corner)?;
        }
        if min[0] >= max[0] || min[1] >= max[1] {
            return Err(MapError::EmptyWall { min, max });
        }
        if self.walls.len() == MAX_WALLS {
            return Err(MapError::TooManyWalls);
        }
        let wall = Wall { min, max };
        self.walls.push(wall);
        let (cols, rows) = self.lattice.span(min, max);
        for row in rows {
            for col in cols.clone() {
                self.cells.push(self.lattice.cell(col, row), wall)?;
            }
        }
        Ok(())
    }

    /// The same map without a wall, by its index in [`walls`](Map::walls).
    pub(crate) fn without_wall(&self, number: usize) -> Map {
        let mut map = Map {
            walls: Vec::with_capacity(self.walls.len()),
            cells: Cells::of(self.lattice.len()),
            routes: self.routes.clone(),
            ..*self
        };
        for (at, wall) in self.walls.iter().enumerate() {
            if at != number {
                map.add_wall(wall.min, wall.max).expect("it was on this map before");
            }
        }
        map
    }

    /// Adds a patrol route, which any number of actors may share.
    ///
    /// # Errors
    /// No waypoint, one that is off the map, and more than [`MAX_WAYPOINTS`] of them or
    /// [`MAX_ROUTES`] routes.
    pub fn add_route(&mut self, waypoints: &[Point]) -> Result<RouteId, MapError> {
        if waypoints.is_empty() {
            return Err(MapError::EmptyRoute);
        }
        if waypoints.len() > MAX_WAYPOINTS {
            return Err(MapError::RouteTooLong(waypoints.len()));
        }
        for &at in waypoints {
            self.check_on_map(at)?;
        }
        debug_assert_eq!(MAX_ROUTES - 1, usize::from(u16::MAX));
        let id = RouteId(u16::try_from(self.routes.len()).map_err(|_| MapError::TooManyRoutes)?);
        self.routes.push(waypoints.into());
        Ok(id)
    }

    fn check_on_map(&self, at: Point) -> Result<(), MapError> {
        let on = (0..2).all(|axis| at[axis] >= 0.0 && at[axis] <= self.side[axis]);
        if on { Ok(()) } else { Err(MapError::Outside(at)) }
    }

    /// The far corner; the near one is the origin.
    #[must_use]
    pub fn side(&self) -> Point {
        self.side
    }

    /// All walls, in the order in which they were added.
    #[must_use]
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// The waypoints of a route: at least one.
    #[must_use]
    pub fn route(&self, id: RouteId) -> Option<&[Point]> {
        self.routes.get(id.index()).map(|route| &route[..])
    }

    /// How many routes there are.
    #[must_use]
    pub fn route_count(&self) -> usize {
        self.routes.len()
    }

    /// Whether something of that radius may stand there.
    #[must_use]
    pub fn is_free(&self, at: Point, radius: f32) -> bool {
        self.check_place(at, radius).is_ok()
    }

    pub(crate) fn check_place(&self, at: Point, radius: f32) -> Result<(), PlaceError> {
        BadNumber::check_point("a coordinate", at)?;
        BadNumber::check("the radius", radius)?;
        let (low, high) = ([at[0] - radius, at[1] - radius], [at[0] + radius, at[1] + radius]);
        // The same expressions as in `sweep`, to the last bit: an actor that has walked to the edge
        // may stand there.
        if (0..2).any(|axis| at[axis] < radius || at[axis] > self.side[axis] - radius) {
            return Err(PlaceError::Outside { at, radius, side: self.side });
        }
        let (cols, rows) = self.lattice.span(low, high);
        for row in rows {
            for col in cols.clone() {
                if self.cells.walls(self.lattice.cell(col, row)).any(|wall| wall.cuts(at, radius)) {
                    return Err(PlaceError::InWall { at, radius });
                }
            }
        }
        Ok(())
    }

    /// Whether no wall lies between two points, in either order. False if a coordinate is not
    /// finite. Costs a check of the walls of each 16 m cell on the line.
    #[must_use]
    pub fn line_of_sight(&self, a: Point, b: Point) -> bool {
        if !is_finite(a) || !is_finite(b) {
            return false;
        }
        // Always from the lower end to the upper one, so that rounding is the same both ways.
        let (a, b) = if (a[1], a[0]) <= (b[1], b[0]) { (a, b) } else { (b, a) };
        let d = [b[0] - a[0], b[1] - a[1]];
        for row in self.lattice.row(a[1])..=self.lattice.row(b[1]) {
            // The stretch of the line within this row of cells, or all of it when it is level.
            let (low, high) = Lattice::edges(row);
            let (t, u) = if d[1] > 0.0 {
                (((low - a[1]) / d[1]).clamp(0.0, 1.0), ((high - a[1]) / d[1]).clamp(0.0, 1.0))
            } else {
                (0.0, 1.0)
            };
            let (x, y) = (a[0] + d[0] * t, a[0] + d[0] * u);
            for col in self.lattice.col(x.min(y) - SLACK)..=self.lattice.col(x.max(y) + SLACK) {
                if self.cells.walls(self.lattice.cell(col, row)).any(|wall| wall.hides(a, b)) {
                    return false;
                }
            }
        }
        true
    }

    /// How far a disk gets that goes straight from `from` to `to`, on its way to `goal`. It may
    /// stand at `from`. Walls stop it however long the step is. It then goes along the wall,
    /// towards the corner with the shorter detour. The choice depends only on places, and the
    /// detour never turns back. So the disk gets round every isolated convex obstacle, but not out
    /// of a pocket of several.
    pub(crate) fn slide(&self, from: Point, to: Point, goal: Point, radius: f32) -> Point {
        if self.is_clear(from, to, radius) { to } else { self.slide_along(from, to, goal, radius) }
    }

    /// Whether neither the map's edge nor a wall can stop a disk on its way between two points.
    /// Most steps of a crowd are like that, and most cells have no wall. No wall is nearer than
    /// `radius` to the box between the points; where one is, [`sweep`](Map::sweep) looks closer.
    fn is_clear(&self, from: Point, to: Point, radius: f32) -> bool {
        // Rounded as in `sweep`, so that both agree to the last bit.
        if !(0..2).all(|axis| to[axis] >= radius && to[axis] <= self.side[axis] - radius) {
            return false;
        }
        let (low, high) = ([from[0].min(to[0]), from[1].min(to[1])], [from[0].max(to[0]), from[1].max(to[1])]);
        let (cols, rows) = self.lattice.span(low.map(|v| v - radius), high.map(|v| v + radius));
        let avoids = |wall: &Wall| {
            (0..2).any(|axis| high[axis] <= wall.min[axis] - radius || low[axis] >= wall.max[axis] + radius)
        };
        rows.into_iter().all(|row| cols.clone().all(|col| self.cells.walls(self.lattice.cell(col, row)).all(avoids)))
    }

    /// [`slide`](Map::slide) where something may be in the way.
    fn slide_along(&self, from: Point, to: Point, goal: Point, radius: f32) -> Point {
        let reach = distance(from, to);
        // Either axis may go first. At a corner one order can be stuck where the other is not.
        for first in 0..2 {
            let second = 1 - first;
            let (mid, hit_first) = self.sweep(from, first, to[first], radius);
            let (end, hit_second) = self.sweep(mid, second, to[second], radius);
            let (along, wall, start) = match (hit_first, hit_second) {
                (None, None) => return end,
                (Some(wall), _) => (second, wall, mid),
                // The wall was met on the second axis. Go as near to it as possible from the start,
                // then along it.
                (None, Some(wall)) => (first, wall, self.sweep(from, second, end[second], radius).0),
            };
            let rest = reach - distance(from, start);
            let (low, high) = (wall.min[along] - radius, wall.max[along] + radius);
            let aim = if goal[along] <= low || goal[along] >= high {
                goal[along]
            } else if start[along] + goal[along] > low + high {
                high
            } else {
                low
            };
            let (end, _) = self.sweep(start, along, toward(start[along], aim, rest), radius);
            if end != from {
                return end;
            }
        }
        from
    }

    /// Moves a disk along one axis until it reaches `to`, the map's edge, or a wall. The wall is
    /// returned too.
    fn sweep(&self, from: Point, axis: usize, to: f32, radius: f32) -> (Point, Option<Wall>) {
        let other = 1 - axis;
        let start = from[axis];
        let mut end = to.max(radius).min(self.side[axis] - radius);
        let mut hit = None;
        let (mut low, mut high) = (from, from);
        low[axis] = start.min(end);
        high[axis] = start.max(end);
        let (cols, rows) = self.lattice.span([low[0] - radius, low[1] - radius], [high[0] + radius, high[1] + radius]);
        for row in rows {
            for col in cols.clone() {
                for wall in self.cells.walls(self.lattice.cell(col, row)) {
                    if !wall.spans(other, from[other], radius) {
                        continue;
                    }
                    let (near, far) = (wall.min[axis] - radius, wall.max[axis] + radius);
                    if start <= near && near < end {
                        (end, hit) = (near, Some(*wall));
                    } else if start >= far && far > end {
                        (end, hit) = (far, Some(*wall));
                    }
                }
            }
        }
        let mut at = from;
        at[axis] = end;
        (at, hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Dice;

    fn walled(side: f32, walls: &[(Point, Point)]) -> Map {
        let mut map = Map::open([side, side]).unwrap();
        for (min, max) in walls {
            map.add_wall(*min, *max).unwrap();
        }
        map
    }

    /// A wall of random size in each of `n` x `n` plots of 12 m, clear of the plots' edges.
    fn plots(n: u8, dice: &mut Dice) -> Map {
        let mut map = Map::open([f32::from(n) * 12.0; 2]).unwrap();
        for plot in 0..u16::from(n) * u16::from(n) {
            let (x, y) = (f32::from(plot % u16::from(n)) * 12.0 + 6.0, f32::from(plot / u16::from(n)) * 12.0 + 6.0);
            let (w, h) = (dice.between(0.2, 5.0), dice.between(0.2, 5.0));
            map.add_wall([x - w, y - h], [x + w, y + h]).unwrap();
        }
        map
    }

    #[test]
    fn a_step_that_nothing_stops_is_the_step_that_was_meant() {
        let mut dice = Dice::new(2);
        let (mut clear, mut stopped) = (0, 0);
        for radius in [0.0, 0.4, 1.5] {
            let map = plots(5, &mut dice);
            for _ in 0..20_000 {
                // Including starts near edges and corners of walls, and exactly on them.
                let from = match (dice.below(3), &map.walls[dice.below(25) as usize]) {
                    (0, wall) => dice.around(wall.min, 2.0),
                    (1, wall) => [wall.max[0] + radius, dice.between(wall.min[1] - 1.0, wall.max[1] + 1.0)],
                    _ => dice.around([30.0, 30.0], 31.0),
                };
                if !map.is_free(from, radius) {
                    continue;
                }
                let mut to = dice.around(from, 4.0);
                if dice.below(4) == 0 {
                    to[dice.below(2) as usize] = from[0];
                }
                let goal = dice.around(to, 9.0);
                let end = map.slide_along(from, to, goal, radius);
                assert_eq!(map.slide(from, to, goal, radius), end, "{from:?} {to:?} {radius}");
                *if end == to { &mut clear } else { &mut stopped } += 1;
            }
        }
        assert!(clear > 1_000 && stopped > 1_000, "{clear} {stopped}");
    }

    #[test]
    fn a_wall_blocks_sight_and_its_edge_does_not() {
        let map = walled(100.0, &[([40.0, 40.0], [60.0, 42.0])]);
        assert!(!map.line_of_sight([50.0, 30.0], [50.0, 50.0]));
        assert!(!map.line_of_sight([30.0, 41.0], [90.0, 41.0]));
        assert!(map.line_of_sight([39.0, 30.0], [39.0, 50.0]));
        assert!(map.line_of_sight([30.0, 40.0], [70.0, 40.0]), "along the lower edge");
        assert!(map.line_of_sight([35.0, 45.0], [45.0, 35.0]), "past the corner");
        assert!(!map.line_of_sight([50.0, 41.0], [50.0, 41.0]), "inside");
        assert!(map.line_of_sight([10.0, 10.0], [10.0, 10.0]));
        assert!(!map.line_of_sight([f32::NAN, 10.0], [10.0, 10.0]));
        assert!(!map.line_of_sight([1.0, 1.0], [1.0, f32::INFINITY]));
    }

    #[test]
    fn sight_through_cells_equals_sight_through_all_walls() {
        let mut dice = Dice::new(3);
        let map = plots(10, &mut dice);
        let mut blocked = 0;
        for _ in 0..20_000 {
            let a = [dice.between(0.0, 120.0), dice.between(0.0, 120.0)];
            let b = if dice.below(2) == 0 {
                [dice.between(0.0, 120.0), dice.between(0.0, 120.0)]
            } else {
                [a[0] + dice.between(-9.0, 9.0), a[1]]
            };
            let (low, high) = if (a[1], a[0]) <= (b[1], b[0]) { (a, b) } else { (b, a) };
            let expected = !map.walls().iter().any(|wall| wall.hides(low, high));
            assert_eq!(map.line_of_sight(a, b), expected, "{a:?} {b:?}");
            assert_eq!(map.line_of_sight(b, a), expected);
            blocked += u32::from(!expected);
        }
        assert!((2_000..18_000).contains(&blocked), "{blocked}");
    }

    #[test]
    fn a_step_slides_along_a_wall() {
        let map = walled(100.0, &[([50.0, 20.0], [52.0, 80.0])]);
        let end = map.slide([49.0, 50.0], [51.0, 52.0], [70.0, 95.0], 0.5);
        assert_eq!(end[0], 49.5);
        assert!(end[1] > 51.0 && end[1] < 53.0, "{end:?}");
        let far = map.slide([49.0, 50.0], [99.0, 50.0], [99.0, 50.0], 0.5);
        assert_eq!(far[0], 49.5, "no step is long enough to jump a wall");
    }

    #[test]
    fn the_edge_of_the_map_holds() {
        let map = walled(10.0, &[]);
        assert_eq!(map.slide([5.0, 5.0], [-50.0, 5.0], [-50.0, 5.0], 0.5), [0.5, 5.0]);
        assert_eq!(map.slide([5.0, 5.0], [50.0, 50.0], [50.0, 50.0], 0.5), [9.5, 9.5]);
    }

    #[test]
    fn whoever_walks_rounds_every_single_wall() {
        let mut dice = Dice::new(11);
        for _ in 0..20 {
            let map = plots(6, &mut dice);
            for _ in 0..50 {
                let mut free = || {
                    loop {
                        let at = [dice.between(0.5, 71.5), dice.between(0.5, 71.5)];
                        if map.is_free(at, 0.4) {
                            return at;
                        }
                    }
                };
                let (start, goal) = (free(), free());
                let mut at = start;
                let mut steps = 0;
                while at != goal {
                    let left = distance(at, goal);
                    let part = (0.25 / left).min(1.0);
                    let to = if part == 1.0 {
                        goal
                    } else {
                        [at[0] + (goal[0] - at[0]) * part, at[1] + (goal[1] - at[1]) * part]
                    };
                    let next = map.slide(at, to, goal, 0.4);
                    assert!(map.is_free(next, 0.4), "{start:?} -> {goal:?} is at {next:?} in a wall");
                    assert!(distance(at, next) <= 0.2501, "{at:?} -> {next:?}");
                    at = next;
                    steps += 1;
                    assert!(steps < 2_000, "{start:?} -> {goal:?} hangs at {at:?}");
                }
            }
        }
    }

    #[test]
    fn bad_maps_are_refused() {
        for side in [0.0, -1.0, f32::NAN, f32::INFINITY, MAX_SIDE * 1.001] {
            assert!(matches!(Map::open([10.0, side]), Err(MapError::BadSide(_))), "{side}");
        }
        let mut map = Map::open([MAX_SIDE, 10.0]).unwrap();
        assert!(matches!(map.add_wall([1.0, 1.0], [2.0, f32::NAN]), Err(MapError::Outside(_))));
        assert!(matches!(map.add_wall([1.0, 1.0], [2.0, 11.0]), Err(MapError::Outside(_))));
        assert!(matches!(map.add_wall([3.0, 1.0], [2.0, 5.0]), Err(MapError::EmptyWall { .. })));
        assert!(matches!(map.add_route(&[]), Err(MapError::EmptyRoute)));
        assert!(matches!(map.add_route(&[[1.0, -1.0]]), Err(MapError::Outside(_))));
        assert!(map.add_route(&vec![[1.0, 1.0]; MAX_WAYPOINTS]).is_ok());
        assert!(matches!(map.add_route(&vec![[1.0, 1.0]; MAX_WAYPOINTS + 1]), Err(MapError::RouteTooLong(_))));
        for _ in 1..MAX_ROUTES {
            map.add_route(&[[1.0, 1.0]]).unwrap();
        }
        assert_eq!(map.route_count(), MAX_ROUTES);
        assert_eq!(map.add_route(&[[1.0, 1.0]]), Err(MapError::TooManyRoutes));
        assert!(map.walls().is_empty());
    }

    #[test]
    fn the_walls_have_a_limit() {
        let mut map = Map::open([8.0, 8.0]).unwrap();
        for _ in 0..MAX_WALLS {
            map.add_wall([1.0, 1.0], [2.0, 2.0]).unwrap();
        }
        assert_eq!(map.add_wall([1.0, 1.0], [2.0, 2.0]), Err(MapError::TooManyWalls));
    }
}
