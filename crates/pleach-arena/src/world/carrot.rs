//! Carrots: they are planted, eaten, and grow again after a while at another place nearby.

use slotmap::SlotMap;

use super::World;
use crate::digest::{Dice, Fold};
use crate::error::{BadNumber, CarrotError, EatError};
use crate::geometry::{Point, distance, distance2, is_finite};
use crate::grid::{Grid, Lattice, Layer, Layers};
use crate::id::{ActorId, CarrotId};
use crate::limits::MAX_CARROTS;
use crate::map::Map;

/// How near an actor must be to eat a carrot, in metres.
const REACH: f32 = 0.5;
/// How long an eaten carrot takes to grow again, in seconds.
const GROWS_IN: f64 = 20.0;
/// The radius that is kept free around a carrot, so that an actor can stand there.
const ROOM: f32 = 0.5;
/// How many random places are tried for a carrot that grows again. If none is free, it grows where
/// it was planted.
const TRIES: u8 = 8;

/// Index into the patches, which are in the order of planting.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct PatchIndex(usize);

/// A place where one carrot grows again and again.
#[derive(Clone, Debug)]
struct Patch {
    /// Where the carrot was planted.
    centre: Point,
    /// How far from there it may grow again.
    reach: f32,
    state: Growth,
}

#[derive(Clone, Copy, Debug)]
enum Growth {
    /// The carrot is grown.
    Grown(CarrotId),
    /// It was eaten, and grows again at this world time.
    Eaten(f64),
}

#[derive(Clone, Debug)]
struct Carrot {
    position: Point,
    patch: PatchIndex,
}

/// The grown carrots, and the patches of all.
///
/// C1: a carrot is in the grid exactly while it is in `carrots`, and exactly then its patch is
/// `Grown` with its id.
#[derive(Clone, Debug)]
pub(super) struct Carrots {
    carrots: SlotMap<CarrotId, Carrot>,
    patches: Vec<Patch>,
    grid: Grid<CarrotId>,
}

impl Carrots {
    pub(super) fn over(lattice: Lattice) -> Self {
        Carrots { carrots: SlotMap::with_key(), patches: Vec::new(), grid: Grid::over(lattice, 1) }
    }

    fn grow(&mut self, patch: PatchIndex, position: Point) -> CarrotId {
        let id = self.carrots.insert(Carrot { position, patch });
        self.grid.insert(id, Layer(0), self.grid.cell(position));
        id
    }

    fn plant(&mut self, centre: Point, reach: f32) -> CarrotId {
        let id = self.grow(PatchIndex(self.patches.len()), centre);
        self.patches.push(Patch { centre, reach, state: Growth::Grown(id) });
        id
    }

    fn eat(&mut self, id: CarrotId, time: f64) {
        if let Some(carrot) = self.carrots.remove(id) {
            self.grid.remove(id);
            self.patches[carrot.patch.0].state = Growth::Eaten(time + GROWS_IN);
        }
    }

    pub(super) fn step(&mut self, time: f64, map: &Map, dice: &mut Dice) {
        for at in 0..self.patches.len() {
            let Patch { centre, reach, state } = self.patches[at];
            let Growth::Eaten(grows_at) = state else { continue };
            if grows_at > time {
                continue;
            }
            let place = (0..TRIES).map(|_| dice.around(centre, reach)).find(|at| map.is_free(*at, ROOM));
            let id = self.grow(PatchIndex(at), place.unwrap_or(centre));
            self.patches[at].state = Growth::Grown(id);
        }
    }

    pub(super) fn digest(&self, fold: &mut Fold) {
        for patch in &self.patches {
            fold.point(patch.centre);
            fold.float(patch.reach);
            match patch.state {
                Growth::Grown(id) => {
                    fold.id(id);
                    fold.point(self.carrots[id].position);
                }
                Growth::Eaten(grows_at) => fold.seconds(grows_at),
            }
        }
    }
}

impl World {
    /// Plants a carrot. Whenever it is eaten it grows again after 20 s, at a free place within
    /// `reach` (in either coordinate) of this one, with a new id.
    ///
    /// # Errors
    /// The place is not free for half a metre around, the reach is negative or not finite, or the
    /// world has all the carrots it can have.
    pub fn plant_carrot(&mut self, at: Point, reach: f32) -> Result<CarrotId, CarrotError> {
        BadNumber::check("the reach", reach)?;
        self.map.check_place(at, ROOM)?;
        if self.carrots.patches.len() == MAX_CARROTS {
            return Err(CarrotError::Full);
        }
        Ok(self.carrots.plant(at, reach))
    }

    /// The grown carrots, with their places, in the order in which they were first planted.
    pub fn carrots(&self) -> impl Iterator<Item = (CarrotId, Point)> + '_ {
        self.carrots.patches.iter().filter_map(|patch| match patch.state {
            Growth::Grown(id) => Some((id, self.carrots.carrots[id].position)),
            Growth::Eaten(_) => None,
        })
    }

    /// Where a carrot is. `None` once it has been eaten.
    #[must_use]
    pub fn carrot_position(&self, id: CarrotId) -> Option<Point> {
        self.carrots.carrots.get(id).map(|carrot| carrot.position)
    }

    /// The nearest carrot within range of a point. Of two equally near ones it is the one that was
    /// planted first.
    #[must_use]
    pub fn nearest_carrot(&self, at: Point, range: f32) -> Option<CarrotId> {
        if !is_finite(at) || range.is_nan() || range < 0.0 {
            return None;
        }
        let mut best: Option<(f32, PatchIndex, CarrotId)> = None;
        let grid = &self.carrots.grid;
        grid.visit(grid.inhabited(Layers::ALL, grid.cell(at), range), at, range, |id| {
            let carrot = &self.carrots.carrots[id];
            let far2 = distance2(at, carrot.position);
            if far2 <= range * range && best.is_none_or(|best| (far2, carrot.patch) < (best.0, best.1)) {
                best = Some((far2, carrot.patch, id));
            }
        });
        best.map(|it| it.2)
    }

    /// Lets an actor eat a carrot, which must be within half a metre.
    ///
    /// # Errors
    /// The carrot is gone or too far away, or the eater is dead or stale.
    pub fn eat(&mut self, eater: ActorId, carrot: CarrotId) -> Result<(), EatError> {
        let actor = self.actors.get(eater).ok_or(EatError::Stale(eater))?;
        if !actor.alive {
            return Err(EatError::Dead(eater));
        }
        let place = self.carrots.carrots.get(carrot).ok_or(EatError::Gone(carrot))?.position;
        let distance = distance(actor.position, place);
        if distance > REACH {
            return Err(EatError::TooFar { distance });
        }
        let record = &mut self.records[eater];
        record.meals = record.meals.saturating_add(1);
        self.carrots.eat(carrot, self.time);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ActorSpec, Demo, Kinds};
    use super::*;

    fn world() -> World {
        let mut map = Map::open([40.0, 40.0]).unwrap();
        map.add_wall([20.0, 10.0], [30.0, 30.0]).unwrap();
        World::new(map, 4)
    }

    #[test]
    fn a_carrot_is_eaten_once_and_grows_again_elsewhere() {
        let mut world = world();
        let carrot = world.plant_carrot([18.0, 20.0], 6.0).unwrap();
        let rabbit = world.spawn(&ActorSpec::rabbit([17.0, 20.0])).unwrap();
        let other = world.spawn(&ActorSpec::rabbit([17.6, 20.0])).unwrap();
        assert!(matches!(world.eat(rabbit, carrot), Err(EatError::TooFar { .. })));
        assert_eq!(world.eat(other, carrot), Ok(()));
        world.place(rabbit, [18.0, 20.0]).unwrap();
        assert_eq!(world.eat(rabbit, carrot), Err(EatError::Gone(carrot)));
        assert_eq!((world.meals(other), world.meals(rabbit)), (Some(1), Some(0)));
        assert_eq!((world.nearest_carrot([18.0, 20.0], 9.0), world.carrots().count()), (None, 0));
        for _ in 0..39 {
            world.step(0.5).unwrap();
        }
        assert_eq!(world.carrots().count(), 0, "19.5 s");
        world.step(0.5).unwrap();
        let (grown, at) = world.carrots().next().unwrap();
        assert_ne!(grown, carrot);
        assert_eq!(world.carrot_position(carrot), None);
        assert_eq!(world.carrot_position(grown), Some(at));
        assert!(world.map().is_free(at, ROOM) && (at[0] - 18.0).abs() <= 6.0 && (at[1] - 20.0).abs() <= 6.0, "{at:?}");
    }

    #[test]
    fn who_cannot_eat_is_told_why() {
        let mut world = world();
        let carrot = world.plant_carrot([5.0, 5.0], 0.0).unwrap();
        let rabbit = world.spawn(&ActorSpec::rabbit([5.0, 5.0])).unwrap();
        world.set_hp(rabbit, 0.0).unwrap();
        assert_eq!(world.eat(rabbit, carrot), Err(EatError::Dead(rabbit)));
        world.despawn(rabbit).unwrap();
        assert_eq!(world.eat(rabbit, carrot), Err(EatError::Stale(rabbit)));
        assert_eq!(world.carrots().count(), 1);
        assert_eq!(world.carrot_position(CarrotId::default()), None);
    }

    #[test]
    fn bad_carrots_are_refused() {
        let mut world = world();
        assert!(matches!(world.plant_carrot([25.0, 20.0], 1.0), Err(CarrotError::Place(_))));
        assert!(matches!(world.plant_carrot([f32::NAN, 20.0], 1.0), Err(CarrotError::Place(_))));
        assert!(matches!(world.plant_carrot([5.0, 5.0], f32::INFINITY), Err(CarrotError::BadNumber(_))));
        for _ in 0..MAX_CARROTS {
            world.plant_carrot([5.0, 5.0], 0.0).unwrap();
        }
        assert_eq!(world.plant_carrot([5.0, 5.0], 0.0), Err(CarrotError::Full));
    }

    #[test]
    fn the_nearest_carrot_equals_brute_force() {
        let mut world = World::demo(&Demo { rabbits: 400, ..Demo::new(5) }).unwrap();
        let mut found = 0;
        for round in 0..30_u8 {
            let rabbits: Vec<ActorId> = world.actors_of(Kinds::RABBIT).collect();
            for id in rabbits {
                let at = world.position(id).unwrap();
                let range = f32::from(round);
                let all = || world.carrots().map(|(carrot, place)| (distance2(at, place), carrot));
                // `min_by` takes the first of several: `carrots` begins with the one planted first.
                let expected = all().filter(|it| it.0 <= range * range).min_by(|a, b| a.0.total_cmp(&b.0));
                let nearest = world.nearest_carrot(at, range);
                assert_eq!(nearest, expected.map(|(_, carrot)| carrot));
                if let Some(carrot) = nearest {
                    found += 1;
                    let place = world.carrot_position(carrot).unwrap();
                    if world.move_towards(id, place, 0.2, 3.0, 1.0).unwrap().has_arrived() {
                        world.eat(id, carrot).unwrap();
                    }
                }
            }
            world.step(1.0).unwrap();
        }
        assert!(found > 1_000, "{found}");
        assert!(
            world.nearest_carrot([f32::NAN, 1.0], 9.0).is_none() && world.nearest_carrot([1.0, 1.0], -1.0).is_none()
        );
    }
}
