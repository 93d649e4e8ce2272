//! The world: its state, how it begins, how it is stepped, and how two worlds are compared. The
//! actions in it are in the modules below, one per subject.

mod actor;
mod bodies;
mod carrot;
mod combat;
mod daytime;
mod demo;
mod estate;
mod heist;
mod kind;
mod motion;
mod noise;
mod paths;
mod route;
mod sense;
mod thief;
mod wander;

use std::sync::Arc;

use slotmap::{SecondaryMap, SlotMap};

use crate::digest::{Dice, Fold};
use crate::error::BadNumber;
use crate::geometry::Point;
use crate::grid::{Grid, Lattice};
use crate::id::{ActorId, NoiseId};
use crate::map::Map;
use actor::{Actor, Record};
use carrot::Carrots;
use wander::Wanderer;

pub use actor::ActorSpec;
pub use combat::{Hit, Skill, SkillSlot};
pub use daytime::{DAY, Daytime, NIGHT};
pub use demo::{CAMP_SIDE, Demo};
pub use estate::{Estate, Look, Plan};
pub use heist::{Blow, Heist, Loot, Score, Stage};
pub use kind::{Kind, Kinds, Team};
pub use motion::Progress;
pub use noise::{Noise, Sound};
pub use route::{Cursor, PatrolMode};
pub use sense::Sight;
pub use thief::{Gait, Offer};

/// Everything that moves, on a map that does not. A clone shares the map and copies everything
/// else: keep one to roll back to.
#[derive(Clone, Debug)]
pub struct World {
    map: Arc<Map>,
    actors: SlotMap<ActorId, Actor>,
    records: SecondaryMap<ActorId, Record>,
    /// The places of the actors, one layer per team.
    grid: Grid<ActorId>,
    /// The ids of all despawned actors, in order. They decide which ids come next.
    despawned: Fold,
    /// Oldest first, at most `MAX_NOISES`.
    noises: Vec<Noise>,
    next_noise: NoiseId,
    carrots: Carrots,
    wanderers: Vec<Wanderer>,
    /// The rules of a heist, if the world is one.
    heist: Option<Box<Heist>>,
    dice: Dice,
    /// Seconds since the beginning, in 64 bits: small steps still add up after hours.
    time: f64,
}

impl World {
    /// An empty world on a map. All random numbers in it come from the seed.
    #[must_use]
    pub fn new(map: Map, seed: u64) -> World {
        let lattice = Lattice::over(map.side());
        World {
            map: Arc::new(map),
            actors: SlotMap::with_key(),
            records: SecondaryMap::new(),
            grid: Grid::over(lattice, Team::ALL.len()),
            despawned: Fold::new(),
            noises: Vec::new(),
            next_noise: NoiseId::default(),
            carrots: Carrots::over(lattice),
            wanderers: Vec::new(),
            heist: None,
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

    /// Lets time pass: cooldowns run, noises fade, carrots grow, wounded actors heal at home, dead
    /// actors come back to life when it is time, wanderers walk. Call it once per frame, after the
    /// agents have acted; a heist goes on. Costs some nanoseconds per actor.
    ///
    /// # Errors
    /// `dt` is negative or not finite. Nothing has happened then.
    pub fn step(&mut self, dt: f32) -> Result<(), BadNumber> {
        BadNumber::check("dt", dt)?;
        self.time += f64::from(dt);
        for (id, actor) in &mut self.actors {
            if !actor.moved {
                actor.velocity = [0.0; 2];
            }
            actor.moved = false;
            if actor.alive {
                actor.heal_at_home(dt);
            } else if actor.respawn_if_due(&mut self.records[id], self.time) {
                actor.go(id, actor.home, &mut self.grid);
            }
        }
        self.fade_noises();
        self.carrots.step(self.time, &self.map, &mut self.dice);
        self.step_wanderers(dt);
        self.step_heist(dt);
        Ok(())
    }

    /// One number for everything that moves: two worlds on the same map whose digests stay equal
    /// are in the same state. The map is not part of it. Costs a pass over all actors.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut fold = Fold::new();
        fold.seconds(self.time);
        fold.dice(&self.dice);
        fold.word(self.despawned.finish());
        for (id, actor) in &self.actors {
            let record = &self.records[id];
            fold.id(id);
            fold.word(u64::from(actor.team.layer().0));
            fold.word(u64::from(Kinds::from(actor.kind).bits()));
            for at in [actor.position, actor.facing(), actor.velocity, actor.home] {
                fold.point(at);
            }
            for value in [actor.hp, actor.max_hp, actor.radius, record.hearing] {
                fold.float(value);
            }
            fold.word(actor.route.map_or(0, |route| route.index() as u64 + 1));
            fold.word(u64::from(actor.cursor.at));
            fold.word(u64::from(actor.cursor.back));
            record.ready.iter().for_each(|ready| fold.seconds(*ready));
            fold.seconds(record.respawn_at);
            fold.float(record.respawn.unwrap_or(f32::INFINITY));
            fold.word(u64::from(record.meals));
            fold.word(u64::from(actor.moved));
        }
        fold.word(self.next_noise.number());
        for noise in &self.noises {
            fold.word(noise.id.number());
            fold.point(noise.at);
            fold.float(noise.radius);
            fold.id(noise.source.unwrap_or_default());
            fold.seconds(noise.made);
            if noise.sound != Sound::Noise {
                fold.word(noise.sound as u64);
            }
        }
        self.carrots.digest(&mut fold);
        self.wanderers.iter().for_each(|wanderer| wanderer.digest(&mut fold));
        if let Some(heist) = &self.heist {
            heist.digest(&mut fold);
        }
        fold.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame in which every actor acts.
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
