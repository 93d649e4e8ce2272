//! Health, skills with cooldowns, death and what comes after it.

use crate::actor::Actors;
use crate::error::{ActorError, BadNumber, Miss};
use crate::geometry::{distance, distance2};
use crate::{ActorId, World};

/// How near its home an actor heals, in metres.
const HOME_RADIUS: f32 = 2.0;
/// How much of its full health an actor heals at home, per second.
const HEALING: f32 = 0.1;
/// How much too early a skill is ready, in seconds: many frames of `f32` add up to a hair less than
/// a cooldown, and the hit would come a frame late.
const SOON: f64 = 1e-4;

pub(crate) const SLOTS: usize = 3;

/// Which of an actor's cooldowns a skill uses. Skills in one slot wait for each other, those in
/// different ones do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The first.
    #[default]
    First,
    /// The second.
    Second,
    /// The third.
    Third,
}

impl Slot {
    fn index(self) -> usize {
        match self {
            Slot::First => 0,
            Slot::Second => 1,
            Slot::Third => 2,
        }
    }
}

/// A way to hurt somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skill {
    /// From how far, centre to centre, in metres.
    pub range: f32,
    /// How much, in points.
    pub damage: f32,
    /// How long until the slot is ready again, in seconds.
    pub cooldown: f32,
    /// Whose cooldown it is.
    pub slot: Slot,
}

impl Skill {
    /// What a guard does: 2.5 m, 10 points, every 1.2 s.
    pub const GUARD: Skill = Skill { range: 2.5, damage: 10.0, cooldown: 1.2, slot: Slot::First };
    /// What a player does: as far as a guard, a little harder and quicker.
    pub const PLAYER: Skill = Skill { range: 2.5, damage: 15.0, cooldown: 1.0, slot: Slot::First };

    fn check(&self) -> Result<(), BadNumber> {
        BadNumber::check("the skill's range", self.range)?;
        BadNumber::check("the skill's damage", self.damage)?;
        BadNumber::check("the skill's cooldown", self.cooldown)
    }
}

/// What a skill did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// By how much the target's health fell, in points: less than the skill's damage if it had less
    /// left.
    pub damage: f32,
    /// Whether the target died of it.
    pub killed: bool,
}

impl Actors {
    pub(crate) fn set_hp(&mut self, slot: usize, hp: f32, time: f64) {
        let lived = self.alive[slot];
        self.hp[slot] = hp.clamp(0.0, self.max_hp[slot]);
        self.alive[slot] = self.hp[slot] > 0.0;
        if lived && !self.alive[slot] {
            self.velocity[slot] = [0.0; 2];
            self.moved[slot] = false;
            self.respawn_at[slot] = self.respawn[slot].map_or(f64::INFINITY, |after| time + f64::from(after));
        }
    }

    pub(crate) fn heal_at_home(&mut self, slot: usize, dt: f32) {
        let (hp, max) = (self.hp[slot], self.max_hp[slot]);
        if hp < max && distance2(self.position[slot], self.home[slot]) <= HOME_RADIUS * HOME_RADIUS {
            self.hp[slot] = (hp + max * HEALING * dt).min(max);
        }
    }
}

impl World {
    /// The health of an actor, from 0 (dead) to 1 (well).
    #[must_use]
    pub fn health(&self, id: ActorId) -> Option<f32> {
        self.actors.slot(id).map(|slot| self.actors.hp[slot] / self.actors.max_hp[slot])
    }

    /// Sets the health of an actor, in points, at most to what it has when well. At 0 it dies;
    /// above, the dead live.
    ///
    /// # Errors
    /// A stale id, or points that are negative or not finite.
    pub fn set_hp(&mut self, id: ActorId, hp: f32) -> Result<(), ActorError> {
        let slot = self.actors.slot(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check("hp", hp)?;
        self.actors.set_hp(slot, hp, self.time);
        Ok(())
    }

    /// Hits somebody, whatever their team, walls or not: who wants a clear line asks
    /// [`World::can_see`] first.
    ///
    /// # Errors
    /// In this order: the skill makes no sense, one of the two is stale or dead, the target is out
    /// of range, the slot is still cooling.
    pub fn use_skill(&mut self, attacker: ActorId, target: ActorId, skill: &Skill) -> Result<Hit, Miss> {
        skill.check()?;
        let living = |id| {
            let slot = self.actors.slot(id).ok_or(Miss::Stale(id))?;
            if self.actors.alive[slot] { Ok(slot) } else { Err(Miss::Dead(id)) }
        };
        let (me, them) = (living(attacker)?, living(target)?);
        let distance = distance(self.actors.position[me], self.actors.position[them]);
        if distance > skill.range {
            return Err(Miss::OutOfRange { distance });
        }
        let ready_in = self.ready_in(attacker, skill.slot).unwrap_or(0.0);
        if ready_in > 0.0 {
            return Err(Miss::Cooling { ready_in });
        }
        self.actors.ready[me][skill.slot.index()] = self.time + f64::from(skill.cooldown);
        let hp = self.actors.hp[them];
        self.actors.set_hp(them, hp - skill.damage, self.time);
        Ok(Hit { damage: hp - self.actors.hp[them], killed: !self.actors.alive[them] })
    }

    /// How long until an actor can use a skill in that slot, in seconds; 0 when it is ready, `None`
    /// for a stale id.
    #[must_use]
    pub fn ready_in(&self, id: ActorId, skill: Slot) -> Option<f32> {
        let slot = self.actors.slot(id)?;
        let left = self.actors.ready[slot][skill.index()] - self.time;
        #[expect(clippy::cast_possible_truncation, reason = "some seconds; the nearest f32 will do")]
        Some(if left > SOON { left as f32 } else { 0.0 })
    }

    /// Lets the dead whose time has come live again: at home, well, and with all skills ready.
    pub(crate) fn respawn_if_due(&mut self, slot: usize) {
        if self.actors.respawn_at[slot] > self.time {
            return;
        }
        let actors = &mut self.actors;
        actors.hp[slot] = actors.max_hp[slot];
        actors.alive[slot] = true;
        actors.ready[slot] = [0.0; SLOTS];
        actors.position[slot] = actors.home[slot];
        self.grid.relocate(slot, actors.home[slot]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActorSpec, Map};

    fn duel() -> (World, ActorId, ActorId) {
        let mut world = World::new(Map::open([40.0, 40.0]).unwrap(), 1);
        let guard = world.spawn(&ActorSpec::guard([10.0, 10.0])).unwrap();
        let player = world.spawn(&ActorSpec { home: [30.0, 30.0], ..ActorSpec::player([12.0, 10.0]) }).unwrap();
        (world, guard, player)
    }

    #[test]
    fn a_cooldown_runs_by_world_time() {
        for (dt, frames) in [(0.1_f32, 12), (1.0 / 60.0, 72), (0.4, 3), (1.2, 1)] {
            let (mut world, guard, player) = duel();
            for _ in 0..3 {
                assert_eq!(world.use_skill(guard, player, &Skill::GUARD), Ok(Hit { damage: 10.0, killed: false }));
                for frame in 0..frames {
                    let miss = world.use_skill(guard, player, &Skill::GUARD);
                    assert!(matches!(miss, Err(Miss::Cooling { ready_in }) if ready_in > 0.0), "{dt} {frame}");
                    world.step(dt).unwrap();
                }
                assert_eq!(world.ready_in(guard, Slot::First), Some(0.0), "{dt}");
            }
        }
    }

    #[test]
    fn slots_cool_apart_and_a_miss_is_free() {
        let (mut world, guard, player) = duel();
        let lance = Skill { range: 1.0, damage: 1.0, cooldown: 9.0, slot: Slot::Second };
        assert!(
            matches!(world.use_skill(guard, player, &lance), Err(Miss::OutOfRange { distance }) if distance == 2.0)
        );
        assert_eq!(world.ready_in(guard, Slot::Second), Some(0.0));
        world.use_skill(guard, player, &Skill::GUARD).unwrap();
        assert!(world.use_skill(guard, player, &Skill { range: 2.0, ..lance }).is_ok());
        assert_eq!(world.ready_in(guard, Slot::Second), Some(9.0));
        assert_eq!(world.ready_in(guard, Slot::Third), Some(0.0));
    }

    #[test]
    fn death_and_respawn() {
        let (mut world, guard, player) = duel();
        let blow = Skill { damage: 70.0, cooldown: 0.0, ..Skill::GUARD };
        assert_eq!(world.use_skill(guard, player, &blow), Ok(Hit { damage: 70.0, killed: false }));
        assert_eq!(world.health(player), Some(0.3));
        assert_eq!(world.use_skill(guard, player, &blow), Ok(Hit { damage: 30.0, killed: true }));
        assert_eq!((world.is_alive(player), world.health(player)), (false, Some(0.0)));
        assert_eq!(world.use_skill(guard, player, &blow), Err(Miss::Dead(player)));
        assert_eq!(world.use_skill(player, guard, &blow), Err(Miss::Dead(player)));
        for _ in 0..9 {
            world.step(0.5).unwrap();
        }
        assert_eq!((world.is_alive(player), world.position(player)), (false, Some([12.0, 10.0])));
        world.step(0.5).unwrap();
        assert_eq!((world.is_alive(player), world.hp(player)), (true, Some(100.0)));
        assert_eq!(world.position(player), Some([30.0, 30.0]));
        let mut found = Vec::new();
        world.neighbours([30.0, 30.0], 1.0, |id| found.push(id));
        assert_eq!(found, [player], "found at the new place");
        world.set_hp(guard, 0.0).unwrap();
        world.step(1e6).unwrap();
        assert!(!world.is_alive(guard), "who has no respawn stays dead");
        world.set_hp(guard, 5.0).unwrap();
        assert!(world.is_alive(guard));
    }

    #[test]
    fn home_heals() {
        let (mut world, guard, player) = duel();
        world.set_hp(guard, 25.0).unwrap();
        world.set_hp(player, 25.0).unwrap();
        world.place(guard, [10.0, 12.0]).unwrap();
        world.step(3.0).unwrap();
        assert_eq!((world.hp(guard), world.hp(player)), (Some(55.0), Some(25.0)));
        world.step(100.0).unwrap();
        assert_eq!((world.health(guard), world.hp(player)), (Some(1.0), Some(25.0)));
    }

    #[test]
    fn bad_skills_and_points_are_refused() {
        let (mut world, guard, player) = duel();
        let before = world.digest();
        for bad in [f32::NAN, f32::INFINITY, -1.0] {
            let skills = [
                Skill { range: bad, ..Skill::GUARD },
                Skill { damage: bad, ..Skill::GUARD },
                Skill { cooldown: bad, ..Skill::GUARD },
            ];
            for skill in &skills {
                assert!(matches!(world.use_skill(guard, player, skill), Err(Miss::BadSkill(_))));
            }
            assert!(matches!(world.set_hp(guard, bad), Err(ActorError::BadNumber(_))));
        }
        assert_eq!(world.digest(), before);
        world.despawn(player).unwrap();
        assert_eq!(world.use_skill(guard, player, &Skill::GUARD), Err(Miss::Stale(player)));
        assert_eq!(world.set_hp(player, 1.0), Err(ActorError::Stale(player)));
        assert_eq!((world.health(player), world.ready_in(player, Slot::First)), (None, None));
    }
}
