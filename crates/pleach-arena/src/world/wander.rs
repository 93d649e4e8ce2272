//! Actors that the world drives at random: the players of a demo. They stroll and run, make noises,
//! and hit enemies, so that agents have something to react to.

use super::{Progress, Skill, World};
use crate::digest::{Dice, Fold};
use crate::error::{ActorError, BadNumber};
use crate::geometry::Point;
use crate::id::ActorId;

const STROLL: f32 = 2.0;
const RUN: f32 = 4.5;
/// How far the steps of a runner and the blows of a fight are heard, in metres.
const STEPS_CARRY: f32 = 8.0;
const BLOWS_CARRY: f32 = 12.0;
/// How often a runner's steps make a noise, in seconds.
const STEP_EVERY: f64 = 1.5;
/// After how many seconds a wanderer gives up a goal. No pocket of walls holds it for longer.
const PATIENCE: f64 = 20.0;

/// An actor that wanders.
#[derive(Clone, Debug)]
pub(super) struct Wanderer {
    actor: ActorId,
    centre: Point,
    reach: f32,
    aim: Point,
    runs: bool,
    /// World times: when it sets off again, when it gives up, when its steps are heard next.
    rests_until: f64,
    gives_up: f64,
    steps_at: f64,
}

impl Wanderer {
    fn choose(&mut self, time: f64, dice: &mut Dice) {
        self.aim = dice.around(self.centre, self.reach);
        self.runs = dice.below(3) == 0;
        self.rests_until = time + f64::from(dice.between(0.0, 3.0));
        self.gives_up = self.rests_until + PATIENCE;
        self.steps_at = self.rests_until;
    }

    pub(super) fn digest(&self, fold: &mut Fold) {
        fold.id(self.actor);
        fold.word(u64::from(self.runs));
        fold.point(self.centre);
        fold.float(self.reach);
        fold.point(self.aim);
        fold.seconds(self.rests_until);
        fold.seconds(self.gives_up);
        fold.seconds(self.steps_at);
    }
}

impl World {
    /// Lets the world drive an actor from the next step on: it walks or runs to places within
    /// `reach` (in either coordinate) of a centre, rests there a moment, and hits the nearest enemy
    /// with [`Skill::PLAYER`] whenever it can. Running and fighting make noises. An actor that
    /// already wanders gets the new centre.
    ///
    /// # Errors
    /// The id is stale, the centre is not finite, or the reach is negative or not finite.
    pub fn wander(&mut self, id: ActorId, centre: Point, reach: f32) -> Result<(), ActorError> {
        let actor = self.actors.get(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check_point("the centre", centre)?;
        BadNumber::check("the reach", reach)?;
        let wanderer = Wanderer {
            actor: id,
            centre,
            reach,
            // It is at its goal, so it chooses another one in the next step.
            aim: actor.position,
            runs: false,
            rests_until: 0.0,
            gives_up: f64::INFINITY,
            steps_at: 0.0,
        };
        match self.wanderers.iter_mut().find(|w| w.actor == id) {
            Some(old) => *old = wanderer,
            None => self.wanderers.push(wanderer),
        }
        Ok(())
    }

    pub(super) fn step_wanderers(&mut self, dt: f32) {
        // The vector is taken out while its wanderers act on the world. It keeps its capacity.
        let mut wanderers = std::mem::take(&mut self.wanderers);
        wanderers.retain_mut(|wanderer| self.step_wanderer(wanderer, dt).is_ok());
        self.wanderers = wanderers;
    }

    /// # Errors
    /// The actor is gone.
    fn step_wanderer(&mut self, w: &mut Wanderer, dt: f32) -> Result<(), ActorError> {
        let at = self.position(w.actor).ok_or(ActorError::Stale(w.actor))?;
        if !self.is_alive(w.actor) {
            return Ok(());
        }
        let enemy = self.nearest_enemy(w.actor, Skill::PLAYER.range);
        if let Some(enemy) = enemy
            && self.use_skill(w.actor, enemy, &Skill::PLAYER).is_ok()
        {
            // If the world is full of noises, this one is left out.
            let _ = self.make_noise(at, BLOWS_CARRY, Some(w.actor));
        }
        if self.time < w.rests_until {
            return Ok(());
        }
        let speed = if w.runs { RUN } else { STROLL };
        let progress = self.move_towards(w.actor, w.aim, 0.5, speed, dt)?;
        if w.runs && self.time >= w.steps_at {
            w.steps_at = self.time + STEP_EVERY;
            let _ = self.make_noise(at, STEPS_CARRY, Some(w.actor));
        }
        if progress != Progress::Moving || self.time >= w.gives_up {
            w.choose(self.time, &mut self.dice);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActorSpec;
    use super::*;
    use crate::map::Map;

    #[test]
    fn a_wanderer_walks_makes_noise_fights_and_stays_near() {
        let mut map = Map::open([60.0, 60.0]).unwrap();
        map.add_wall([28.0, 28.0], [32.0, 32.0]).unwrap();
        let mut world = World::new(map, 3);
        let player = world.spawn(&ActorSpec::player([20.0, 20.0])).unwrap();
        let dummies: Vec<ActorId> =
            (1..6_u8).map(|i| world.spawn(&ActorSpec::dummy([f32::from(i) * 7.0 + 5.0, 25.0])).unwrap()).collect();
        world.wander(player, [30.0, 30.0], 15.0).unwrap();
        let (mut way, mut last) = (0.0, [20.0, 20.0]);
        for _ in 0..6_000 {
            world.step(0.05).unwrap();
            let at = world.position(player).unwrap();
            way += crate::geometry::distance(last, at);
            last = at;
            assert!((14.0..46.0).contains(&at[0]) && (14.0..46.0).contains(&at[1]), "{at:?}");
        }
        assert!(way > 200.0, "{way} m in 300 s");
        assert!(world.next_noise().number() > 20);
        assert!(dummies.iter().any(|d| world.health(*d) < Some(1.0)));
    }

    #[test]
    fn a_wanderer_that_leaves_is_forgotten() {
        let mut world = World::new(Map::open([60.0, 60.0]).unwrap(), 3);
        let player = world.spawn(&ActorSpec::player([20.0, 20.0])).unwrap();
        world.wander(player, [30.0, 30.0], 15.0).unwrap();
        world.wander(player, [20.0, 20.0], 15.0).unwrap();
        assert_eq!(world.wanderers.len(), 1);
        assert!(world.wander(player, [f32::NAN, 30.0], 15.0).is_err());
        assert!(world.wander(player, [30.0, 30.0], -1.0).is_err());
        world.despawn(player).unwrap();
        world.step(0.1).unwrap();
        assert!(world.wanderers.is_empty());
        assert_eq!(world.wander(player, [30.0, 30.0], 15.0), Err(ActorError::Stale(player)));
    }
}
