//! What the thief of a heist does: walk, sneak, run, throw a coin, strike, pick the lock, take,
//! leave. After the end nothing does anything.

use std::sync::Arc;

use super::{Heist, Progress, Skill, Sound, Stage, World};
use crate::geometry::{Point, direction, distance, sub};
use crate::id::ActorId;

pub(super) const SNEAK: f32 = 1.8;
const WALK: f32 = 3.4;
const RUN: f32 = 6.2;
/// How often steps make a noise, in seconds.
const STEP_EVERY: f64 = 0.6;
/// How far a coin can be thrown, and how far it is heard, in metres.
const THROW: f32 = 14.0;
const COIN_CARRIES: f32 = 12.0;
/// How near the thief has to be to take something, to pick the lock, and to leave, in metres.
const REACH: f32 = 1.6;
const DOOR: f32 = 2.4;
const EXIT: f32 = 2.5;
/// How long picking the lock takes, in seconds.
const PICKING: f32 = 1.5;
/// How far the bell is heard when the treasure is taken, in metres.
const BELL_CARRIES: f32 = 60.0;
/// An open blow, and the damage of one that its victim does not see coming.
const BLOW: Skill = Skill { range: 2.2, damage: 20.0, cooldown: 0.7, slot: super::SkillSlot::First };
const AMBUSH: f32 = 100.0;

/// How the thief moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gait {
    /// Slow and silent.
    Sneak,
    /// Heard nearby.
    Walk,
    /// Heard from afar.
    Run,
}

impl Gait {
    /// In metres per second.
    #[must_use]
    pub fn speed(self) -> f32 {
        match self {
            Gait::Sneak => SNEAK,
            Gait::Walk => WALK,
            Gait::Run => RUN,
        }
    }

    /// How far its steps are heard, in metres.
    #[must_use]
    pub fn carries(self) -> f32 {
        match self {
            Gait::Sneak => 0.0,
            Gait::Walk => 3.0,
            Gait::Run => 9.0,
        }
    }
}

/// What the thief can do where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offer {
    /// Take the piece of loot with that index.
    Take(usize),
    /// Pick the lock of the vault, for some seconds.
    Pick,
    /// Leave with the treasure.
    Leave,
}

impl World {
    /// The heist and its thief, if it is not over and the thief lives.
    fn thief(&self) -> Option<(&Heist, ActorId, Point)> {
        let heist = self.heist().filter(|it| !it.is_over() && self.is_alive(it.thief()))?;
        Some((heist, heist.thief(), self.position(heist.thief())?))
    }

    /// Lets the thief go to a place for `dt` seconds, around walls and through doors.
    pub fn thief_goes(&mut self, to: Point, gait: Gait, dt: f32) -> Progress {
        let Some((heist, thief, at)) = self.thief() else { return Progress::Blocked };
        let heard = self.time >= heist.steps_at;
        let progress = self.move_towards(thief, to, 0.0, gait.speed(), dt).unwrap_or(Progress::Blocked);
        if progress == Progress::Moving && heard && gait.carries() > 0.0 {
            let next = self.time + STEP_EVERY;
            self.sound(Sound::Noise, at, gait.carries(), Some(thief));
            if let Some(heist) = &mut self.heist {
                heist.steps_at = next;
            }
        }
        progress
    }

    /// Lets the thief walk in a direction, of any length, for `dt` seconds.
    pub fn thief_walks(&mut self, way: Point, gait: Gait, dt: f32) -> Progress {
        let (Some((_, _, at)), Some(way)) = (self.thief(), direction(way)) else { return Progress::Blocked };
        let far = gait.speed() * dt.clamp(0.0, 1.0);
        self.thief_goes([at[0] + way[0] * far, at[1] + way[1] * far], gait, dt)
    }

    /// Throws a coin to a place, or as far towards it as possible. It is heard where it falls.
    /// Returns where; `None` without a coin.
    pub fn throw_coin(&mut self, to: Point) -> Option<Point> {
        let (_, _, at) = self.thief().filter(|it| it.0.coins > 0)?;
        let far = distance(at, to);
        let part = if far > THROW { THROW / far } else { 1.0 };
        let d = sub(to, at);
        let to = [at[0] + d[0] * part, at[1] + d[1] * part];
        self.make_noise(to, COIN_CARRIES, None).ok()?;
        self.heist.as_mut()?.coins -= 1;
        Some(to)
    }

    /// Strikes the nearest enemy in reach. One blow fells a guard who has not noticed the thief.
    /// Returns whether it hit.
    pub fn thief_strikes(&mut self) -> bool {
        let Some((_, thief, _)) = self.thief() else { return false };
        let Some(enemy) = self.nearest_enemy(thief, BLOW.range) else { return false };
        let noticed = self.can_see(enemy, thief, &super::Sight::SENTINEL);
        let damage = if noticed { BLOW.damage } else { AMBUSH };
        self.use_skill(thief, enemy, &Skill { damage, ..BLOW }).is_ok()
    }

    /// What the thief can do where it stands.
    #[must_use]
    pub fn offer(&self) -> Option<Offer> {
        let (heist, _, at) = self.thief()?;
        let near = |it: &super::Loot| !it.taken && distance(it.at, at) <= REACH && self.line_of_sight(at, it.at);
        if let Some(number) = heist.loot.iter().position(near) {
            return Some(Offer::Take(number));
        }
        if heist.lock.is_some() && distance(heist.plan.lock, at) <= DOOR {
            return Some(Offer::Pick);
        }
        let leaves = heist.stage == Stage::GetOut && distance(heist.plan.exit, at) <= EXIT;
        leaves.then_some(Offer::Leave)
    }

    /// Does what is offered, for `dt` seconds; the lock takes several. Returns what was done.
    pub fn thief_acts(&mut self, dt: f32) -> Option<Offer> {
        let offer = self.offer()?;
        let (now, mut opened, mut rings) = (self.time, false, None);
        let heist = self.heist.as_mut()?;
        match offer {
            Offer::Take(number) => {
                heist.loot[number].taken = true;
                if heist.loot[number].is_treasure {
                    (heist.stage, rings) = (Stage::GetOut, Some(heist.loot[number].at));
                }
            }
            Offer::Pick => {
                let picked = heist.lock.unwrap_or(1.0) + dt.max(0.0) / PICKING;
                opened = picked >= 1.0;
                heist.lock = (!opened).then_some(picked);
            }
            Offer::Leave => heist.end(Stage::Won, now),
        }
        if opened {
            self.open_vault();
        }
        if let Some(at) = rings {
            self.sound(Sound::Bell, at, BELL_CARRIES, None);
        }
        Some(offer)
    }

    /// Opens the vault: its door is a wall that is removed.
    fn open_vault(&mut self) {
        let Some(heist) = &mut self.heist else { return };
        self.map = Arc::new(self.map.without_wall(heist.plan.door()));
        heist.plan.open();
        heist.paths.read(&self.map);
    }
}
