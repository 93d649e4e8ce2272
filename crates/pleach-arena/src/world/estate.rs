//! The estate of a heist: a house with a vault in a garden, drawn as text, and a town around it
//! that is as large as its crowd.

use super::heist::Heist;
use super::paths::Paths;
use super::{ActorSpec, Cursor, DAY, World};
use crate::digest::Dice;
use crate::error::ActorSpawnError;
use crate::geometry::Point;
use crate::id::{ActorId, RouteId};
use crate::limits::MAX_ACTORS;
use crate::map::Map;

/// One letter per square metre.
const PLAN: &str = include_str!("estate/plan.txt");
/// The side of a plot of the town, in metres. The estate lies on three by two of them.
const PLOT: f32 = 24.0;
const ESTATE_PLOTS: [u32; 2] = [3, 2];
/// Where the estate begins on its plots.
const MARGIN: Point = [4.0, 3.0];
/// How many people of the town share a plot.
const PER_PLOT: u32 = 4;
/// How long a guard who was struck down stays down, in seconds.
const OUT_COLD: f32 = 25.0;
/// The health of the thief, in points.
const TOUGH: f32 = 120.0;
/// The hearing of all actors, in metres: how far a noise carries decides.
const EARS: f32 = 60.0;
/// How many seconds before dusk a heist begins.
const BEFORE_DUSK: f64 = 75.0;

/// The rounds of the guards, in metres from the corner of the estate, and how many walk each.
/// Guards on the same round are a squad.
const ROUNDS: [(&[Point], u16); 4] = [
    // The garden.
    (&[[6.0, 33.0], [28.0, 32.0], [36.0, 32.0], [57.0, 32.0], [57.0, 27.0], [6.0, 26.5]], 3),
    // The hall.
    (&[[12.0, 20.0], [31.0, 17.5], [52.0, 20.0], [32.0, 22.0]], 3),
    // The rooms beside the vault.
    (
        &[[12.0, 8.0], [22.0, 12.5], [32.0, 13.5], [42.0, 12.5], [51.0, 8.0], [42.0, 12.5], [32.0, 13.5], [22.0, 12.5]],
        2,
    ),
    // Behind the house.
    (&[[6.0, 4.0], [57.5, 4.0], [57.5, 15.0], [57.5, 4.0], [6.0, 4.0], [6.0, 15.0]], 2),
];
/// Where people stroll past the estate.
const STREET: [Point; 4] = [[4.0, 37.5], [60.0, 37.5], [60.0, 40.5], [4.0, 40.5]];
const STROLLERS: u32 = 10;

/// Who lives on an estate and around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estate {
    /// The seed of all random numbers.
    pub seed: u64,
    /// How many agents there are: 10 guards, a boss, and townspeople; one in ten is a rabbit.
    /// At least 30.
    pub crowd: u32,
}

/// What a wall is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Stone: the house of the estate.
    Stone,
    /// A hedge.
    Hedge,
    /// A pillar or a well.
    Pillar,
    /// The door of the vault.
    Door,
    /// A house of the town.
    House,
}

/// The places of everything on the estate.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The corners of the estate.
    pub corners: [Point; 2],
    /// The corners of the floor of the house.
    pub floor: [Point; 2],
    /// Where the thief begins, and where it leaves.
    pub exit: Point,
    /// The treasure.
    pub treasure: Point,
    /// The other pieces.
    pub pieces: Vec<Point>,
    /// The middles of the hiding places.
    pub hides: Vec<Point>,
    /// Where guards look for the thief: hiding places and corners of rooms.
    pub spots: Vec<Point>,
    /// The lock of the vault.
    pub lock: Point,
    boss: Point,
    /// How many walls are stone, hedges, pillars, doors; houses come after them.
    counts: [usize; 4],
}

impl Plan {
    /// What a wall of the map is made of, by its index.
    #[must_use]
    pub fn look(&self, wall: usize) -> Look {
        let looks = [Look::Stone, Look::Hedge, Look::Pillar, Look::Door];
        let mut end = 0;
        let found = looks.into_iter().zip(self.counts).find(|it| {
            end += it.1;
            wall < end
        });
        found.map_or(Look::House, |it| it.0)
    }

    /// The index of the vault's door among the walls.
    pub(super) fn door(&self) -> usize {
        self.counts[..3].iter().sum()
    }

    pub(super) fn open(&mut self) {
        self.counts[3] = 0;
    }
}

/// The squares with this letter in the plan, row by row.
fn squares(letter: char) -> impl Iterator<Item = (u8, u8)> {
    (0..)
        .zip(PLAN.lines())
        .flat_map(move |(y, line)| (0..).zip(line.chars()).filter(move |it| it.1 == letter).map(move |it| (it.0, y)))
}

/// The boxes of a letter: runs within a row, with equal ones joined downward.
fn boxes(letter: char) -> Vec<[[f32; 2]; 2]> {
    let mut runs: Vec<[u8; 4]> = Vec::new();
    for (x, y) in squares(letter) {
        match runs.last_mut().filter(|it| it[3] == y + 1 && it[2] == x && it[1] == y) {
            Some(run) => run[2] = x + 1,
            None => runs.push([x, y, x + 1, y + 1]),
        }
    }
    let mut joined: Vec<[u8; 4]> = Vec::new();
    for run in runs {
        match joined.iter_mut().find(|it| it[0] == run[0] && it[2] == run[2] && it[3] == run[1]) {
            Some(above) => above[3] = run[3],
            None => joined.push(run),
        }
    }
    joined.into_iter().map(|it| it.map(f32::from)).map(|[x, y, u, v]| [[x, y], [u, v]]).collect()
}

impl Plan {
    /// Reads the plan and adds its walls to a map.
    fn draw(map: &mut Map, origin: Point) -> Plan {
        const FITS: &str = "the estate is on the map";
        let on = |at: Point| [at[0] + origin[0], at[1] + origin[1]];
        let middle = |(x, y): (u8, u8)| on([f32::from(x) + 0.5, f32::from(y) + 0.5]);
        let all = |letter| squares(letter).map(middle).collect::<Vec<Point>>();
        let one = |letter| all(letter).first().copied().expect("each of these letters is in the plan");
        let mut counts = [0; 4];
        for (letter, count) in ['#', 'h', 'c', 'D'].into_iter().zip(&mut counts) {
            for [min, max] in boxes(letter) {
                map.add_wall(on(min), on(max)).expect(FITS);
                *count += 1;
            }
        }
        let stone = boxes('#');
        let least = |axis: usize| stone.iter().map(|it| it[0][axis]).fold(f32::INFINITY, f32::min);
        let most = |axis: usize| stone.iter().map(|it| it[1][axis]).fold(0.0, f32::max);
        let door = all('D');
        let hides = all('b');
        Plan {
            corners: [origin, on(extent())],
            floor: [on([least(0), least(1)]), on([most(0), most(1)])],
            exit: one('X'),
            treasure: one('T'),
            pieces: all('$'),
            spots: hides.iter().copied().chain(all('s')).collect(),
            hides,
            lock: [0, 1].map(|axis| door.iter().map(|it| it[axis]).sum::<f32>() / door.len() as f32),
            boss: one('B'),
            counts,
        }
    }
}

/// The width and the height of the plan.
fn extent() -> Point {
    let rows = PLAN.lines().count();
    [PLAN.lines().next().map_or(0, str::len) as f32, rows as f32]
}

impl World {
    /// Lays out an estate and a town for that crowd, and begins a heist, shortly before dusk.
    /// Guards are spawned first, then the boss, civilians, rabbits, and the thief.
    ///
    /// # Errors
    /// More actors than [`MAX_ACTORS`].
    pub fn estate(estate: &Estate) -> Result<World, ActorSpawnError> {
        let guards: u32 = ROUNDS.iter().map(|it| u32::from(it.1)).sum();
        let crowd = estate.crowd.max(30);
        if u64::from(crowd) >= MAX_ACTORS as u64 {
            return Err(ActorSpawnError::Full);
        }
        let rabbits = crowd / 10;
        let people = crowd - guards - 1 - rabbits;
        let town = Town::of(people);
        let mut dice = Dice::new(estate.seed);
        let (map, plan, rounds, streets) = town.lay_out(&mut dice);
        let (origin, [w, h]) = (plan.corners[0], extent());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some dozens")]
        let paths = Paths::over(&map, origin, w as usize, h as usize);
        let mut world = World::new(map, 0);
        (world.dice, world.time) = (dice, DAY - BEFORE_DUSK);
        world.make_room(crowd as usize + 1);
        for ((_, count), route) in ROUNDS.iter().zip(&rounds) {
            for nth in 0..*count {
                world.post(*route, nth, *count)?;
            }
        }
        world.spawn(&ActorSpec { facing: [0.0, 1.0], hearing: EARS, ..ActorSpec::boss(plan.boss) })?;
        for nth in 0..people {
            let street = if nth < STROLLERS { 0 } else { 1 + nth as usize % (streets.len() - 1).max(1) };
            world.lodge(streets[street.min(streets.len() - 1)], nth)?;
        }
        let garden = [origin[0] + w / 2.0, origin[1] + h - 11.0];
        for nth in 0..rabbits {
            // Some live in the garden, the others all over the town.
            let (centre, reach, route) = match nth < 4 {
                true => (garden, 5.0, rounds[0]),
                false => (world.somewhere(), 20.0, streets[nth as usize % streets.len()]),
            };
            let at = world.free_place(centre, reach, 0.3);
            let id = world.spawn(&ActorSpec { route: Some(route), ..ActorSpec::rabbit(at) })?;
            debug_assert!(world.contains(id));
            if nth % 2 == 0 {
                // Above MAX_CARROTS there is one nearby.
                let _ = world.plant_carrot(world.position(id).unwrap_or(centre), 6.0);
            }
        }
        let thief = world.spawn(&ActorSpec { respawn: Some(3.0), max_hp: TOUGH, ..ActorSpec::player(plan.exit) })?;
        world.heist = Some(Box::new(Heist::new(thief, plan, paths, world.time)));
        Ok(world)
    }

    /// Spawns the `nth` guard of its round, that far along it.
    fn post(&mut self, route: RouteId, nth: u16, of: u16) -> Result<ActorId, ActorSpawnError> {
        let points = self.map.route(route).unwrap_or_default();
        let at = u16::try_from(points.len()).unwrap_or(u16::MAX) * nth / of;
        let place = points.get(usize::from(at)).copied().unwrap_or_default();
        let beside = [place[0] + f32::from(nth % 2), place[1]];
        let place = if self.map.is_free(beside, 0.5) { beside } else { place };
        let spec = ActorSpec { route: Some(route), respawn: Some(OUT_COLD), hearing: EARS, ..ActorSpec::guard(place) };
        let id = self.spawn(&spec)?;
        let placed = self.set_route(id, Some(route), Cursor { at, back: false });
        debug_assert_eq!(placed, Ok(()));
        Ok(id)
    }

    /// Spawns a civilian on a street.
    fn lodge(&mut self, street: RouteId, nth: u32) -> Result<ActorId, ActorSpawnError> {
        let points = self.map.route(street).unwrap_or_default();
        let at = nth as usize % points.len().max(1);
        let next = (at + 1) % points.len().max(1);
        let (from, to) = (points[at], points[next]);
        let part = self.dice.between(0.0, 1.0);
        let on = [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
        let place = self.free_place(on, 1.5, 0.5);
        let id = self.spawn(&ActorSpec { route: Some(street), hearing: EARS, ..ActorSpec::civilian(place) })?;
        let cursor = Cursor { at: u16::try_from(next).unwrap_or(0), back: false };
        let placed = self.set_route(id, Some(street), cursor);
        debug_assert_eq!(placed, Ok(()));
        Ok(id)
    }

    fn somewhere(&mut self) -> Point {
        let side = self.map.side();
        [self.dice.between(20.0, side[0] - 20.0), self.dice.between(20.0, side[1] - 20.0)]
    }
}

/// The plots of a town, with the estate in the middle.
struct Town {
    side: u32,
    estate: [u32; 2],
}

impl Town {
    fn of(people: u32) -> Town {
        let plots = people.div_ceil(PER_PLOT) + ESTATE_PLOTS[0] * ESTATE_PLOTS[1];
        let side = (5..=1_000).find(|n| n * n >= plots).unwrap_or(1_000);
        Town { side, estate: ESTATE_PLOTS.map(|it| (side - it) / 2) }
    }

    fn is_estate(&self, plot: [u32; 2]) -> bool {
        (0..2).all(|axis| (self.estate[axis]..self.estate[axis] + ESTATE_PLOTS[axis]).contains(&plot[axis]))
    }

    /// The map, the plan, the rounds of the guards, and the streets: first that of the estate.
    fn lay_out(&self, dice: &mut Dice) -> (Map, Plan, Vec<RouteId>, Vec<RouteId>) {
        const FITS: &str = "MAX_ACTORS keeps a town below the limits of a map";
        let side = self.side as f32 * PLOT;
        let mut map = Map::open([side; 2]).expect(FITS);
        let origin = [0, 1].map(|axis| self.estate[axis] as f32 * PLOT + MARGIN[axis]);
        let plan = Plan::draw(&mut map, origin);
        let walk = |points: &[Point], map: &mut Map| {
            let points: Vec<Point> = points.iter().map(|it| [it[0] + origin[0], it[1] + origin[1]]).collect();
            map.add_route(&points).expect(FITS)
        };
        let rounds = ROUNDS.iter().map(|it| walk(it.0, &mut map)).collect();
        let mut streets = vec![walk(&STREET, &mut map)];
        for plot in 0..self.side * self.side {
            let plot = [plot % self.side, plot / self.side];
            if self.is_estate(plot) {
                continue;
            }
            let corner = plot.map(|it| it as f32 * PLOT);
            let centre = [corner[0] + PLOT / 2.0, corner[1] + PLOT / 2.0];
            let half = [dice.between(4.5, 8.5), dice.between(4.0, 8.0)];
            map.add_wall([centre[0] - half[0], centre[1] - half[1]], [centre[0] + half[0], centre[1] + half[1]])
                .expect(FITS);
            // Around the house, in the middle of the streets or a little beside.
            let out = dice.between(-1.0, 1.0);
            let low = corner.map(|it| (it + out).max(1.5));
            let high = corner.map(|it| (it + PLOT - out).min(side - 1.5));
            streets.push(map.add_route(&[low, [high[0], low[1]], high, [low[0], high[1]]]).expect(FITS));
        }
        (map, plan, rounds, streets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance;
    use crate::world::{Kinds, Sight};

    #[test]
    fn everything_on_the_estate_can_be_reached() {
        let world = World::estate(&Estate { seed: 7, crowd: 60 }).unwrap();
        let plan = world.heist().unwrap().plan().clone();
        let mut world = world.clone();
        let thief = world.heist().unwrap().thief();
        let places = plan.hides.iter().chain(&plan.spots).chain(&plan.pieces).chain(ROUNDS.iter().flat_map(|it| it.0));
        for place in places {
            assert!(world.map().is_free(*place, 0.0) || place[0] < 64.0, "{place:?}");
        }
        for goal in plan.pieces.iter().chain(&plan.spots) {
            world.place(thief, plan.exit).unwrap();
            let arrived = (0..900).any(|_| world.move_towards(thief, *goal, 0.3, 5.0, 0.1).unwrap().has_arrived());
            assert!(arrived, "{goal:?}: at {:?}", world.position(thief));
        }
        let vault = (0..900).any(|_| world.move_towards(thief, plan.treasure, 0.3, 5.0, 0.1).unwrap().has_arrived());
        assert!(!vault, "the vault is locked");
    }

    #[test]
    fn a_town_is_as_large_as_its_crowd() {
        for crowd in [0, 100, 2_000] {
            let world = World::estate(&Estate { seed: 3, crowd }).unwrap();
            let of = |kinds: Kinds| world.actors_of(kinds).count();
            assert_eq!(world.len(), crowd.max(30) as usize + 1);
            assert_eq!((of(Kinds::GUARD), of(Kinds::BOSS), of(Kinds::PLAYER)), (10, 1, 1));
            let walls = world.map().walls().len();
            let looks = (0..walls).map(|it| world.heist().unwrap().plan().look(it));
            assert_eq!(looks.filter(|it| *it == Look::Door).count(), 1);
            let guards: Vec<_> = world.actors_of(Kinds::GUARD).collect();
            let thief = world.heist().unwrap().thief();
            assert!(
                guards.iter().all(|it| !world.can_see(*it, thief, &Sight::GUARD)),
                "no guard sees where the thief begins"
            );
            assert!(distance(world.position(thief).unwrap(), world.heist().unwrap().plan().exit) < 0.1);
        }
        assert!(World::estate(&Estate { seed: 3, crowd: u32::MAX }).is_err());
    }
}
