//! Health, skills with cooldowns, death, and coming back to life.

use super::World;
use super::actor::{Actor, Record};
use crate::error::{ActorError, BadNumber, Miss};
use crate::geometry::{distance, distance2};
use crate::id::ActorId;

/// How near its home an actor heals, in metres.
const HOME_RADIUS: f32 = 2.0;
/// How much of its full health an actor heals at home, per second.
const HEALING: f32 = 0.1;
/// How much earlier than its cooldown a skill is ready, in seconds. Many frames of `f32` add up to
/// slightly less than the cooldown, and the hit would come a frame late.
const SOON: f64 = 1e-4;

/// Which of an actor's cooldowns a skill uses. Skills in one slot share its cooldown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SkillSlot {
    /// The first.
    #[default]
    First,
    /// The second.
    Second,
    /// The third.
    Third,
}

impl SkillSlot {
    pub(super) const COUNT: usize = 3;

    pub(super) fn index(self) -> usize {
        match self {
            SkillSlot::First => 0,
            SkillSlot::Second => 1,
            SkillSlot::Third => 2,
        }
    }
}

/// A way to hurt an actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skill {
    /// From how far, centre to centre, in metres.
    pub range: f32,
    /// How much, in points.
    pub damage: f32,
    /// How long until the slot is ready again, in seconds.
    pub cooldown: f32,
    /// Which cooldown it uses.
    pub slot: SkillSlot,
}

impl Skill {
    /// The skill of a guard: 2.5 m, 10 points, every 1.2 s.
    pub const GUARD: Skill = Skill { range: 2.5, damage: 10.0, cooldown: 1.2, slot: SkillSlot::First };
    /// The skill of a player: the range of a guard, a little harder and quicker.
    pub const PLAYER: Skill = Skill { range: 2.5, damage: 15.0, cooldown: 1.0, slot: SkillSlot::First };

    fn check(&self) -> Result<(), BadNumber> {
        BadNumber::check("the skill's range", self.range)?;
        BadNumber::check("the skill's damage", self.damage)?;
        BadNumber::check("the skill's cooldown", self.cooldown)
    }
}

/// What a skill did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How many points the target lost: less than the skill's damage if the target had less left.
    pub damage: f32,
    /// Whether the target died of it.
    pub killed: bool,
}

impl Actor {
    /// Returns whether it died of that.
    fn set_hp(&mut self, hp: f32) -> bool {
        let lived = self.alive;
        self.hp = hp.clamp(0.0, self.max_hp);
        self.alive = self.hp > 0.0;
        let died = lived && !self.alive;
        if died {
            self.velocity = [0.0; 2];
            self.moved = false;
        }
        died
    }

    pub(super) fn heal_at_home(&mut self, dt: f32) {
        if self.hp < self.max_hp && distance2(self.position, self.home) <= HOME_RADIUS * HOME_RADIUS {
            self.heal(HEALING * dt);
        }
    }

    /// Heals a part of its full health.
    pub(super) fn heal(&mut self, part: f32) {
        self.hp = (self.hp + self.max_hp * part).min(self.max_hp);
    }

    /// Revives a dead actor that is due, with full health and all skills ready. Returns whether it
    /// did. The world then puts it at its home.
    pub(super) fn respawn_if_due(&mut self, record: &mut Record, time: f64) -> bool {
        let due = record.respawn_at <= time;
        if due {
            self.hp = self.max_hp;
            self.alive = true;
            record.ready = [0.0; SkillSlot::COUNT];
        }
        due
    }
}

impl Record {
    /// Its actor has died.
    fn died(&mut self, time: f64) {
        self.respawn_at = self.respawn.map_or(f64::INFINITY, |after| time + f64::from(after));
    }
}

impl World {
    /// The health of an actor, from 0 (dead) to 1 (full).
    #[must_use]
    pub fn health(&self, id: ActorId) -> Option<f32> {
        self.actors.get(id).map(|actor| actor.hp / actor.max_hp)
    }

    /// Sets the health of an actor, in points, up to its full health. At 0 it dies. A dead actor
    /// with more than 0 lives again.
    ///
    /// # Errors
    /// The id is stale, or the points are negative or not finite.
    pub fn set_hp(&mut self, id: ActorId, hp: f32) -> Result<(), ActorError> {
        let actor = self.actors.get_mut(id).ok_or(ActorError::Stale(id))?;
        BadNumber::check("hp", hp)?;
        if actor.set_hp(hp) {
            self.records[id].died(self.time);
        }
        Ok(())
    }

    /// Hits an actor of any team, walls or not. Ask [`World::can_see`] first if walls should count.
    ///
    /// # Errors
    /// In this order: a number of the skill is out of range, one of the two is stale or dead, the
    /// target is too far away, the slot is still cooling.
    pub fn use_skill(&mut self, attacker: ActorId, target: ActorId, skill: &Skill) -> Result<Hit, Miss> {
        skill.check()?;
        let living = |id| {
            let actor = self.actors.get(id).ok_or(Miss::Stale(id))?;
            if actor.alive { Ok(actor.position) } else { Err(Miss::Dead(id)) }
        };
        let distance = distance(living(attacker)?, living(target)?);
        if distance > skill.range {
            return Err(Miss::OutOfRange { distance });
        }
        let ready_in = self.ready_in(attacker, skill.slot).unwrap_or(0.0);
        if ready_in > 0.0 {
            return Err(Miss::Cooling { ready_in });
        }
        self.records[attacker].ready[skill.slot.index()] = self.time + f64::from(skill.cooldown);
        let actor = &mut self.actors[target];
        let hp = actor.hp;
        let killed = actor.set_hp(hp - skill.damage);
        if killed {
            self.records[target].died(self.time);
        }
        let damage = hp - actor.hp;
        self.note_blow(attacker, target, damage);
        Ok(Hit { damage, killed })
    }

    /// How long until an actor can use a skill in that slot, in seconds: 0 when it is ready. `None`
    /// for a stale id.
    #[must_use]
    pub fn ready_in(&self, id: ActorId, slot: SkillSlot) -> Option<f32> {
        let left = self.records.get(id)?.ready[slot.index()] - self.time;
        #[expect(clippy::cast_possible_truncation, reason = "some seconds; the nearest f32 will do")]
        Some(if left > SOON { left as f32 } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActorSpec;
    use super::*;
    use crate::map::Map;

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
                assert_eq!(world.ready_in(guard, SkillSlot::First), Some(0.0), "{dt}");
            }
        }
    }

    #[test]
    fn slots_cool_apart_and_a_miss_is_free() {
        let (mut world, guard, player) = duel();
        let lance = Skill { range: 1.0, damage: 1.0, cooldown: 9.0, slot: SkillSlot::Second };
        assert!(
            matches!(world.use_skill(guard, player, &lance), Err(Miss::OutOfRange { distance }) if distance == 2.0)
        );
        assert_eq!(world.ready_in(guard, SkillSlot::Second), Some(0.0));
        world.use_skill(guard, player, &Skill::GUARD).unwrap();
        assert!(world.use_skill(guard, player, &Skill { range: 2.0, ..lance }).is_ok());
        assert_eq!(world.ready_in(guard, SkillSlot::Second), Some(9.0));
        assert_eq!(world.ready_in(guard, SkillSlot::Third), Some(0.0));
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
        assert_eq!((world.health(player), world.ready_in(player, SkillSlot::First)), (None, None));
    }
}
