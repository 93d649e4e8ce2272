//! Arenas of any size, laid out at random: camps with walls, between which guards patrol, fighters
//! wait, rabbits find carrots and players wander. Ten actors are as dense as a hundred thousand, so
//! that costs per actor can be compared.

use super::{ActorSpec, Cursor, Kind, World};
use crate::digest::Dice;
use crate::error::ActorSpawnError;
use crate::geometry::Point;
use crate::id::RouteId;
use crate::limits::MAX_ACTORS;
use crate::map::Map;

/// The side of a camp, in metres. Each of its fifty actors has 184 m², about as much as a guard
/// sees.
pub const CAMP_SIDE: f32 = 96.0;
/// How many guards, fighters and rabbits share a camp, with one player.
const PER_CAMP: u32 = 50;
/// The number of plots on each side of a camp. A plot has one wall, far enough from its edge that
/// actors can walk around it. Routes follow the edges.
const PLOTS: u8 = 4;
const PLOT: f32 = 24.0;
const ROUTES_PER_CAMP: u32 = 5;
const WAYPOINTS: u8 = 4;
/// After how many seconds dead guards and fighters come back to life, so that some are always
/// alive.
const RESPAWN: f32 = 20.0;

/// How many actors of each kind an arena has, and its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// The seed of all random numbers, of the layout and of the run.
    pub seed: u64,
    /// Guards, with routes and a home in the middle of their camp.
    pub guards: u32,
    /// Fighters, likewise.
    pub fighters: u32,
    /// Rabbits, with a carrot for each two.
    pub rabbits: u32,
    /// Players, which wander. `None` for one per camp, which is one per fifty others.
    pub players: Option<u32>,
}

impl Demo {
    /// No actors. Set the numbers that you want.
    #[must_use]
    pub fn new(seed: u64) -> Demo {
        Demo { seed, guards: 0, fighters: 0, rabbits: 0, players: None }
    }

    /// Guards and players only.
    #[must_use]
    pub fn guards(seed: u64, guards: u32) -> Demo {
        Demo { guards, ..Demo::new(seed) }
    }
}

/// The camps of an arena, which are laid out in a square.
struct Camps {
    count: u32,
    per_row: u32,
}

impl Camps {
    fn corner(&self, camp: u32) -> Point {
        [(camp % self.per_row) as f32 * CAMP_SIDE, (camp / self.per_row) as f32 * CAMP_SIDE]
    }

    fn centre(&self, camp: u32) -> Point {
        self.corner(camp).map(|v| v + CAMP_SIDE / 2.0)
    }

    /// The camp of the `i`-th of `n` actors, so that each kind is spread evenly.
    fn of(&self, i: u32, n: u32) -> u32 {
        let camp = u64::from(i) * u64::from(self.count) / u64::from(n);
        u32::try_from(camp).expect("below the number of camps, because i is below n")
    }
}

impl World {
    /// Lays out an arena and fills it. Actors are spawned kind by kind, guards first. Use
    /// [`World::actors_of`] to find the actors of a kind.
    ///
    /// # Errors
    /// More actors than [`MAX_ACTORS`].
    pub fn demo(demo: &Demo) -> Result<World, ActorSpawnError> {
        let Demo { seed, guards, fighters, rabbits, players } = *demo;
        let others = u64::from(guards) + u64::from(fighters) + u64::from(rabbits);
        let total = others + u64::from(players.unwrap_or(0)).max(others.div_ceil(PER_CAMP.into()));
        if total > MAX_ACTORS as u64 {
            return Err(ActorSpawnError::Full);
        }
        let others = u32::try_from(others).expect("at most MAX_ACTORS");
        let count = others.div_ceil(PER_CAMP).max(1);
        let per_row = (1..=count).find(|n| n * n >= count).expect("count * count >= count");
        let camps = Camps { count, per_row };
        let mut dice = Dice::new(seed);
        let (map, routes) = lay_out(&camps, &mut dice);
        // The run continues the random stream of the layout.
        let mut world = World::new(map, 0);
        world.dice = dice;
        world.make_room(usize::try_from(total).expect("at most MAX_ACTORS"));
        for (kind, n) in [(Kind::Guard, guards), (Kind::Fighter, fighters), (Kind::Rabbit, rabbits)] {
            for i in 0..n {
                world.settle(kind, camps.of(i, n), &camps, &routes)?;
            }
        }
        for i in 0..rabbits.div_ceil(2) {
            let centre = camps.centre(camps.of(i, rabbits.div_ceil(2)));
            let at = world.free_place(centre, CAMP_SIDE / 2.0, 0.5);
            // Carrots above MAX_CARROTS are left out: by then every rabbit has one nearby.
            let _ = world.plant_carrot(at, CAMP_SIDE / 4.0);
        }
        let players = players.unwrap_or(if others == 0 { 0 } else { count });
        for i in 0..players {
            let centre = camps.centre(camps.of(i, players));
            let home = world.free_place(centre, CAMP_SIDE / 2.0, 0.4);
            let id = world.spawn(&ActorSpec::player(home))?;
            // Players also wander into the neighbouring camps.
            let wandering = world.wander(id, centre, CAMP_SIDE);
            debug_assert_eq!(wandering, Ok(()));
        }
        Ok(world)
    }

    /// Spawns one inhabitant of a camp beside a waypoint of one of its routes.
    fn settle(&mut self, kind: Kind, camp: u32, camps: &Camps, routes: &[RouteId]) -> Result<(), ActorSpawnError> {
        let route = routes[(camp * ROUTES_PER_CAMP + self.dice.below(ROUTES_PER_CAMP)) as usize];
        let at = u16::try_from(self.dice.below(WAYPOINTS.into())).expect("there are few");
        let waypoint = self.map.route(route).map_or([0.0; 2], |route| route[usize::from(at)]);
        let position = self.free_place(waypoint, 3.0, 0.5);
        let home = self.free_place(camps.centre(camp), 12.0, 0.5);
        let facing = self.dice.around([0.0; 2], 1.0);
        let spec = match kind {
            Kind::Guard => ActorSpec { respawn: Some(RESPAWN), ..ActorSpec::guard(position) },
            Kind::Fighter => ActorSpec { respawn: Some(RESPAWN), ..ActorSpec::fighter(position) },
            Kind::Rabbit => ActorSpec::rabbit(position),
            Kind::Player => ActorSpec::player(position),
            Kind::Dummy => ActorSpec::dummy(position),
            Kind::Civilian => ActorSpec::civilian(position),
            Kind::Boss => ActorSpec::boss(position),
        };
        let facing = if facing == [0.0; 2] { spec.facing } else { facing };
        let id = self.spawn(&ActorSpec { home, facing, route: Some(route), ..spec })?;
        let placed = self.set_route(id, Some(route), Cursor { at, back: false });
        debug_assert_eq!(placed, Ok(()));
        Ok(())
    }

    /// A random free place around a point. Walls cover less than half of any neighbourhood, so a
    /// few tries are enough.
    pub(super) fn free_place(&mut self, centre: Point, reach: f32, radius: f32) -> Point {
        loop {
            let at = self.dice.around(centre, reach);
            if self.map.is_free(at, radius) {
                return at;
            }
        }
    }
}

/// The walls and routes of all camps; the routes of a camp are consecutive.
fn lay_out(camps: &Camps, dice: &mut Dice) -> (Map, Vec<RouteId>) {
    const FITS: &str = "MAX_ACTORS keeps an arena far below the limits of a map";
    let rows = camps.count.div_ceil(camps.per_row);
    let mut map = Map::open([camps.per_row as f32 * CAMP_SIDE, rows as f32 * CAMP_SIDE]).expect(FITS);
    let mut routes = Vec::new();
    for camp in 0..camps.count {
        let [x, y] = camps.corner(camp);
        for plot in 0..PLOTS * PLOTS {
            let centre = [
                x + (f32::from(plot % PLOTS) + 0.5) * PLOT + dice.between(-2.0, 2.0),
                y + (f32::from(plot / PLOTS) + 0.5) * PLOT + dice.between(-2.0, 2.0),
            ];
            // A house, a horizontal wall, a vertical wall, or open ground.
            let half = match dice.below(4) {
                0 => [dice.between(1.0, 4.0), dice.between(1.0, 4.0)],
                1 => [dice.between(2.0, 6.0), 0.25],
                2 => [0.25, dice.between(2.0, 6.0)],
                _ => continue,
            };
            let (min, max) = ([centre[0] - half[0], centre[1] - half[1]], [centre[0] + half[0], centre[1] + half[1]]);
            map.add_wall(min, max).expect(FITS);
        }
        for _ in 0..ROUTES_PER_CAMP {
            // Around a block of plots, corner by corner.
            let (left, low) = (dice.below(PLOTS.into()), dice.below(PLOTS.into()));
            let (right, high) =
                (dice.below(u32::from(PLOTS) - left) + left + 1, dice.below(u32::from(PLOTS) - low) + low + 1);
            let corners = [[left, low], [right, low], [right, high], [left, high]];
            let waypoints: [Point; WAYPOINTS as usize] = corners.map(|[col, row]| {
                // Two metres inside the camp, so that waypoints on the arena's edge can be reached.
                let crossing = [x + col as f32 * PLOT, y + row as f32 * PLOT];
                let inner = |v: f32, low: f32| v.clamp(low + 2.0, low + CAMP_SIDE - 2.0);
                dice.around([inner(crossing[0], x), inner(crossing[1], y)], 1.0)
            });
            routes.push(map.add_route(&waypoints).expect(FITS));
        }
    }
    (map, routes)
}

#[cfg(test)]
mod tests {
    use super::super::{Kinds, PatrolMode};
    use super::*;

    #[test]
    fn an_arena_grows_with_its_population() {
        for (guards, players, side) in [(0, 0, [96.0, 96.0]), (1, 1, [96.0, 96.0]), (200, 4, [192.0, 192.0])] {
            let world = World::demo(&Demo::guards(1, guards)).unwrap();
            assert_eq!(world.actors_of(Kinds::GUARD).count(), guards as usize);
            assert_eq!(world.actors_of(Kinds::PLAYER).count(), players);
            assert_eq!(world.map().side(), side);
        }
        let big = World::demo(&Demo { fighters: 3_000, rabbits: 1_000, ..Demo::guards(1, 6_000) }).unwrap();
        assert_eq!((big.len(), big.map().side()), (10_200, [15.0 * CAMP_SIDE, 14.0 * CAMP_SIDE]));
        assert_eq!(big.carrots().count(), 500);
        assert!(big.actors().all(|id| big.map().is_free(big.position(id).unwrap(), big.radius(id).unwrap())));
        let few = World::demo(&Demo { players: Some(3), ..Demo::guards(1, 500) }).unwrap();
        assert_eq!(few.actors_of(Kinds::PLAYER).count(), 3);
    }

    #[test]
    fn too_many_are_refused() {
        assert_eq!(World::demo(&Demo::guards(1, u32::MAX)).unwrap_err(), ActorSpawnError::Full);
        assert_eq!(World::demo(&Demo { players: Some(u32::MAX), ..Demo::new(1) }).unwrap_err(), ActorSpawnError::Full);
        let most = u32::try_from(MAX_ACTORS).unwrap() / 51 * 50;
        assert!(World::demo(&Demo::guards(1, most)).is_ok());
    }

    #[test]
    fn every_patrol_can_be_walked() {
        let mut world = World::demo(&Demo { players: Some(0), ..Demo::guards(8, 300) }).unwrap();
        let ids: Vec<_> = world.actors().collect();
        let mut rounds = vec![0; ids.len()];
        for _ in 0..2_500 {
            for (i, id) in ids.iter().enumerate() {
                let at = world.waypoint(*id).unwrap();
                if world.move_towards(*id, at, 0.1, 4.0, 0.1).unwrap().has_arrived() {
                    world.advance_waypoint(*id, PatrolMode::Loop).unwrap();
                    rounds[i] += 1;
                }
            }
        }
        // The longest round is four sides of a camp: 380 m, and 1 000 m were walked.
        assert!(rounds.iter().all(|n| *n >= 8), "{rounds:?}");
    }
}
