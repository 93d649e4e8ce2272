//! Carrots: planted, eaten, and grown again after a while at another place nearby.

use crate::digest::{Dice, Fold};
use crate::error::{BadNumber, CarrotError, EatError};
use crate::geometry::{Point, distance, distance2, is_finite};
use crate::grid::{Grid, Lattice};
use crate::map::Map;
use crate::{ActorId, CarrotId, MAX_CARROTS, World};

/// How near an actor has to be to eat a carrot, in metres.
const REACH: f32 = 0.5;
/// How long an eaten carrot takes to grow again, in seconds.
const GROWS_IN: f64 = 20.0;
/// The room that a carrot needs, so that whoever comes for it can stand there.
const ROOM: f32 = 0.5;
/// How many throws of the dice look for a free place before the carrot grows where it was planted
/// first.
const TRIES: u8 = 8;

/// The columns of the carrots. A slot is in the grid exactly while its carrot is there.
#[derive(Clone, Debug)]
pub(crate) struct Carrots {
    generation: Vec<u32>,
    there: Vec<bool>,
    position: Vec<Point>,
    /// Where it was planted, and how far from there it may grow again.
    patch: Vec<(Point, f32)>,
    /// World time of growing again, for the eaten ones.
    grows_at: Vec<f64>,
    grid: Grid<1>,
}

impl Carrots {
    pub(crate) fn over(lattice: Lattice) -> Self {
        Carrots {
            generation: Vec::new(),
            there: Vec::new(),
            position: Vec::new(),
            patch: Vec::new(),
            grows_at: Vec::new(),
            grid: Grid::over(lattice),
        }
    }

    fn id(&self, slot: usize) -> CarrotId {
        CarrotId::new(u32::try_from(slot).expect("below MAX_CARROTS"), self.generation[slot])
    }

    fn slot(&self, id: CarrotId) -> Option<usize> {
        let slot = id.slot().filter(|slot| *slot < self.there.len())?;
        (self.there[slot] && self.id(slot) == id).then_some(slot)
    }

    fn remove(&mut self, slot: usize, time: f64) {
        self.there[slot] = false;
        self.grid.remove(slot);
        self.grows_at[slot] = time + GROWS_IN;
    }

    pub(crate) fn step(&mut self, time: f64, map: &Map, dice: &mut Dice) {
        for slot in 0..self.there.len() {
            if self.there[slot] || self.grows_at[slot] > time {
                continue;
            }
            let (centre, reach) = self.patch[slot];
            let place = (0..TRIES).map(|_| dice.around(centre, reach)).find(|at| map.is_free(*at, ROOM));
            self.position[slot] = place.unwrap_or(centre);
            self.there[slot] = true;
            self.generation[slot] = self.generation[slot].wrapping_add(1);
            self.grid.insert(slot, 0, self.position[slot]);
        }
    }

    pub(crate) fn digest(&self, fold: &mut Fold) {
        for slot in 0..self.there.len() {
            fold.word(self.id(slot).bits());
            fold.word(u64::from(self.there[slot]));
            fold.point(self.position[slot]);
            fold.point(self.patch[slot].0);
            fold.float(self.patch[slot].1);
            fold.seconds(self.grows_at[slot]);
        }
    }
}

impl World {
    /// Plants a carrot. Whenever it is eaten it grows again after 20 s, somewhere free within
    /// `reach` (in either coordinate) of this place, under a new name.
    ///
    /// # Errors
    /// A place without half a metre of room, a reach that is negative or not finite, a world full
    /// of carrots.
    pub fn plant_carrot(&mut self, at: Point, reach: f32) -> Result<CarrotId, CarrotError> {
        BadNumber::check("the reach", reach)?;
        self.map.check_place(at, ROOM)?;
        let slot = self.carrots.there.len();
        if slot == MAX_CARROTS {
            return Err(CarrotError::Full);
        }
        self.carrots.generation.push(0);
        self.carrots.there.push(true);
        self.carrots.position.push(at);
        self.carrots.patch.push((at, reach));
        self.carrots.grows_at.push(0.0);
        self.carrots.grid.insert(slot, 0, at);
        Ok(self.carrots.id(slot))
    }

    /// The carrots that are there, with their places.
    pub fn carrots(&self) -> impl Iterator<Item = (CarrotId, Point)> + '_ {
        let carrots = &self.carrots;
        (0..carrots.there.len())
            .filter(|slot| carrots.there[*slot])
            .map(|slot| (carrots.id(slot), carrots.position[slot]))
    }

    /// Where a carrot is; `None` once it has been eaten.
    #[must_use]
    pub fn carrot_position(&self, id: CarrotId) -> Option<Point> {
        self.carrots.slot(id).map(|slot| self.carrots.position[slot])
    }

    /// The nearest carrot within range of a point; of two equally near ones, the one planted first.
    #[must_use]
    pub fn nearest_carrot(&self, at: Point, range: f32) -> Option<CarrotId> {
        if !is_finite(at) || range.is_nan() || range < 0.0 {
            return None;
        }
        let mut best: Option<(f32, usize)> = None;
        self.carrots.grid.visit([true], at, range, |slot| {
            let far2 = distance2(at, self.carrots.position[slot]);
            if far2 <= range * range && best.is_none_or(|best| (far2, slot) < best) {
                best = Some((far2, slot));
            }
        });
        best.map(|(_, slot)| self.carrots.id(slot))
    }

    /// Lets an actor eat a carrot, which it must be within half a metre of.
    ///
    /// # Errors
    /// The carrot is gone or too far, or the eater is dead or stale.
    pub fn eat(&mut self, eater: ActorId, carrot: CarrotId) -> Result<(), EatError> {
        let me = self.actors.slot(eater).ok_or(EatError::Stale(eater))?;
        if !self.actors.alive[me] {
            return Err(EatError::Dead(eater));
        }
        let slot = self.carrots.slot(carrot).ok_or(EatError::Gone(carrot))?;
        let distance = distance(self.actors.position[me], self.carrots.position[slot]);
        if distance > REACH {
            return Err(EatError::TooFar { distance });
        }
        self.carrots.remove(slot, self.time);
        self.actors.meals[me] = self.actors.meals[me].saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActorSpec, Demo};

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
        assert_eq!(world.carrot_position(CarrotId::from_bits(u64::MAX)), None);
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
            let rabbits: Vec<ActorId> = world.actors_of(crate::Kinds::RABBIT).collect();
            for id in rabbits {
                let at = world.position(id).unwrap();
                let range = f32::from(round);
                let all = || world.carrots().map(|(carrot, place)| (distance2(at, place), carrot));
                let expected = all()
                    .filter(|(far2, _)| *far2 <= range * range)
                    .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.slot().cmp(&b.1.slot())));
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
