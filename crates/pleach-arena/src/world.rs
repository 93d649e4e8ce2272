//! The world itself: what it is made of, how it is begun, stepped and compared.

use crate::actor::{Actors, Team};
use crate::carrot::Carrots;
use crate::digest::{Dice, Fold};
use crate::error::BadNumber;
use crate::grid::{Grid, Lattice};
use crate::map::Map;
use crate::noise::Noise;
use crate::wander::Wanderer;
use crate::{NoiseId, Point};
use std::sync::Arc;

/// Everything that moves, on a map that does not. A clone is a full copy but for the map, which is
/// shared: keep one to roll back to.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) map: Arc<Map>,
    pub(crate) actors: Actors,
    pub(crate) grid: Grid<{ Team::COUNT }>,
    /// How many actors are present.
    pub(crate) present: usize,
    /// Oldest first, at most `MAX_NOISES`.
    pub(crate) noises: Vec<Noise>,
    pub(crate) next_noise: NoiseId,
    pub(crate) carrots: Carrots,
    pub(crate) wanderers: Vec<Wanderer>,
    pub(crate) dice: Dice,
    /// Seconds since the beginning; 64 bits, so that hours of small steps do not stall.
    pub(crate) time: f64,
}

impl World {
    /// An empty world on a map. All chance in it comes from the seed.
    #[must_use]
    pub fn new(map: Map, seed: u64) -> World {
        let lattice = Lattice::over(map.side());
        World {
            map: Arc::new(map),
            actors: Actors::default(),
            grid: Grid::over(lattice),
            present: 0,
            noises: Vec::new(),
            next_noise: NoiseId::default(),
            carrots: Carrots::over(lattice),
            wanderers: Vec::new(),
            dice: Dice::new(seed),
            time: 0.0,
        }
    }

    /// The ground, the walls and the routes.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Seconds since the beginning.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Whether no wall lies between two points; see [`Map::line_of_sight`].
    #[must_use]
    pub fn line_of_sight(&self, a: Point, b: Point) -> bool {
        self.map.line_of_sight(a, b)
    }

    /// Lets time pass: cooldowns run, noises fade, carrots grow, the wounded heal at home, the dead
    /// whose time has come return, wanderers walk. Meant to be called once per frame, after the
    /// agents have acted. Costs some nanoseconds per actor.
    ///
    /// # Errors
    /// A `dt` that is negative or not finite; nothing has happened then.
    pub fn step(&mut self, dt: f32) -> Result<(), BadNumber> {
        BadNumber::check("dt", dt)?;
        self.time += f64::from(dt);
        for slot in 0..self.actors.len() {
            if !self.actors.present[slot] {
                continue;
            }
            if !self.actors.moved[slot] {
                self.actors.velocity[slot] = [0.0; 2];
            }
            self.actors.moved[slot] = false;
            if self.actors.alive[slot] {
                self.actors.heal_at_home(slot, dt);
            } else {
                self.respawn_if_due(slot);
            }
        }
        self.fade_noises();
        self.carrots.step(self.time, &self.map, &mut self.dice);
        self.step_wanderers(dt);
        Ok(())
    }

    /// One number for all that moves: two worlds on the same map whose digests stay equal are in
    /// the same state. The map is not part of it. Costs a pass over all columns.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut fold = Fold::new();
        fold.seconds(self.time);
        fold.dice(&self.dice);
        let actors = &self.actors;
        // Which slots are let next decides which ids come next.
        fold.word(actors.len() as u64);
        actors.free.iter().for_each(|slot| fold.word((*slot).into()));
        for slot in (0..actors.len()).filter(|slot| actors.present[*slot]) {
            fold.word(u64::from(actors.id(slot).bits()));
            fold.word(
                u64::from(actors.team[slot].lane()) << 8 | u64::from(crate::Kinds::from(actors.kind[slot]).bits()),
            );
            for at in [actors.position[slot], actors.facing[slot], actors.velocity[slot], actors.home[slot]] {
                fold.point(at);
            }
            for value in [actors.hp[slot], actors.max_hp[slot], actors.radius[slot], actors.hearing[slot]] {
                fold.float(value);
            }
            let cursor = actors.cursor[slot];
            fold.word(actors.route[slot].map_or(0, |route| route.index() as u64 + 1));
            fold.word(u64::from(cursor.at) << 1 | u64::from(cursor.back));
            actors.ready[slot].iter().for_each(|ready| fold.seconds(*ready));
            fold.seconds(actors.respawn_at[slot]);
            fold.float(actors.respawn[slot].unwrap_or(f32::INFINITY));
            fold.word(u64::from(actors.meals[slot]) << 1 | u64::from(actors.moved[slot]));
        }
        fold.word(self.next_noise.number());
        for noise in &self.noises {
            fold.word(noise.id.number());
            fold.point(noise.at);
            fold.float(noise.radius);
            fold.word(noise.source.map_or(u64::MAX, |id| id.bits().into()));
            fold.seconds(noise.made);
        }
        self.carrots.digest(&mut fold);
        self.wanderers.iter().for_each(|wanderer| wanderer.digest(&mut fold));
        fold.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActorSpec, Cursor, Demo, Kinds, PatrolMode, Sight, Skill};

    /// A frame in which everybody acts upon all they can.
    fn frame(world: &mut World, dt: f32) {
        let ids: Vec<_> = world.actors_of(!Kinds::PLAYER).collect();
        for id in ids {
            if let Some(enemy) = world.nearest_visible(id, &Sight::GUARD, Kinds::PLAYER) {
                let at = world.position(enemy).unwrap();
                let _ = world.move_towards(id, at, 2.0, 4.0, dt).unwrap();
                let _ = world.use_skill(id, enemy, &Skill::GUARD);
            } else if let Some(at) = world.waypoint(id)
                && world.move_towards(id, at, 0.1, 1.5, dt).unwrap().has_arrived()
            {
                world.advance_waypoint(id, PatrolMode::Loop).unwrap();
            }
            let at = world.position(id).unwrap();
            if let Some(carrot) = world.nearest_carrot(at, 0.5) {
                let _ = world.eat(id, carrot);
            }
        }
        world.step(dt).unwrap();
    }

    #[test]
    fn the_same_calls_give_the_same_world() {
        let demo = Demo { guards: 200, fighters: 50, rabbits: 100, ..Demo::new(42) };
        let (mut a, mut b) = (World::demo(&demo).unwrap(), World::demo(&demo).unwrap());
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..400 {
            frame(&mut a, 0.05);
            frame(&mut b, 0.05);
            assert_eq!(a.digest(), b.digest());
            assert!(seen.insert(a.digest()), "every frame differs from all before");
        }
        let mut copy = a.clone();
        frame(&mut a, 0.05);
        assert_ne!(a.digest(), copy.digest());
        frame(&mut copy, 0.05);
        assert_eq!(a.digest(), copy.digest());
        let hurt = a.actors().filter(|id| a.health(*id) < Some(1.0)).count();
        assert!(hurt > 0 && a.next_noise().number() > 0, "there was some life in it");
        assert_ne!(World::demo(&Demo { seed: 43, ..demo }).unwrap().digest(), World::demo(&demo).unwrap().digest());
    }

    #[test]
    fn the_digest_sees_every_change() {
        let mut map = Map::open([40.0, 40.0]).unwrap();
        let route = map.add_route(&[[1.0, 1.0], [5.0, 1.0]]).unwrap();
        let mut world = World::new(map, 1);
        let a = world.spawn(&ActorSpec::guard([5.0, 5.0])).unwrap();
        let b = world.spawn(&ActorSpec::player([6.0, 5.0])).unwrap();
        let carrot = world.plant_carrot([5.0, 5.0], 1.0).unwrap();
        let mut seen = vec![world.digest()];
        let mut check = |world: &World, what: &str| {
            assert!(!seen.contains(&world.digest()), "{what}");
            seen.push(world.digest());
        };
        world.face(a, [5.0, 9.0]).unwrap();
        check(&world, "face");
        world.place(a, [5.2, 5.0]).unwrap();
        check(&world, "place");
        world.set_hp(a, 50.0).unwrap();
        check(&world, "hp");
        world.set_route(a, Some(route), Cursor::default()).unwrap();
        check(&world, "route");
        world.advance_waypoint(a, PatrolMode::Loop).unwrap();
        check(&world, "cursor");
        world.use_skill(a, b, &Skill { damage: 0.0, ..Skill::GUARD }).unwrap();
        check(&world, "cooldown");
        world.make_noise([1.0, 1.0], 1.0, None).unwrap();
        check(&world, "noise");
        world.eat(a, carrot).unwrap();
        check(&world, "carrot");
        world.wander(b, [6.0, 6.0], 3.0).unwrap();
        check(&world, "wander");
        world.step(0.0).unwrap();
        check(&world, "dice");
        world.despawn(b).unwrap();
        check(&world, "despawn");
    }

    #[test]
    fn a_bad_dt_is_refused() {
        let mut world = World::demo(&Demo { guards: 10, ..Demo::new(1) }).unwrap();
        let before = world.digest();
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.1] {
            assert!(world.step(bad).is_err(), "{bad}");
        }
        assert_eq!((world.digest(), world.time()), (before, 0.0));
        for _ in 0..10 {
            world.step(f32::MAX).unwrap();
        }
        let ids: Vec<_> = world.actors().collect();
        assert!(ids.iter().all(|id| world.map().is_free(world.position(*id).unwrap(), 0.0)));
    }
}
