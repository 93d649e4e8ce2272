//! The rules of a heist: a thief gets in, takes the treasure out of the vault, and gets out. A
//! thief who is struck down starts again outside, without the loot, three times at most.

use super::World;
use super::bodies::Bodies;
use super::estate::Plan;
use super::paths::Paths;
use super::sense::Sight;
use super::thief::SNEAK;
use crate::digest::Fold;
use crate::geometry::{Point, distance, length};
use crate::grid::Layers;
use crate::id::ActorId;

/// How often the thief may be struck down.
const LIVES: u8 = 3;
/// How many coins the thief has to throw.
const COINS: u8 = 6;
/// How near to the middle of a hiding place an actor is hidden, in metres.
const HIDING: f32 = 1.0;
/// Bodies keep apart within this distance of the thief, in metres: those farther away are not seen.
const AROUND: f32 = 50.0;
/// How long a blow can be seen, in seconds.
const BLOW: f64 = 0.6;
/// How much of its health the thief regains per second while no guard sees it.
const BREATH: f32 = 0.05;
/// How far a blow is heard, in metres.
const CLASH_CARRIES: f32 = 9.0;
/// After how many seconds a place may be searched again.
const SEARCHED: f64 = 20.0;
/// What the treasure and each other piece are worth, in points.
const TREASURE: u32 = 1_000;
const PIECE: u32 = 200;
/// The bonus for never being seen, and the cost of being struck down.
const UNSEEN: u32 = 500;
const FALL: u32 = 200;
/// The bonus for being quick is a point per second below this number of seconds.
const QUICK: f64 = 600.0;

/// The stage of a heist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The treasure is in the vault.
    GetIn,
    /// The thief has it.
    GetOut,
    /// The thief has left with it.
    Won,
    /// The thief was struck down too often.
    Lost,
}

/// Something to steal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loot {
    /// Where it stands.
    pub at: Point,
    /// Whether it is the treasure.
    pub is_treasure: bool,
    /// Whether the thief carries it.
    pub taken: bool,
}

/// A blow that can still be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// Where it came from.
    pub from: Point,
    /// Where it hit.
    pub to: Point,
    /// By how many points it hurt.
    pub damage: f32,
    /// World time.
    pub made: f64,
}

/// The points of a heist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// For the loot that the thief carries.
    pub loot: u32,
    /// For being quick; counts with the treasure outside.
    pub quick: u32,
    /// For not being seen; counts likewise.
    pub unseen: u32,
    /// For being struck down, which is subtracted.
    pub falls: u32,
}

impl Score {
    /// The total, at least 0.
    #[must_use]
    pub fn total(&self) -> u32 {
        (self.loot + self.quick + self.unseen).saturating_sub(self.falls)
    }
}

/// A place where guards look for the thief.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: Point,
    /// World time at which a guard was last sent there.
    searched: f64,
}

/// The state of a heist.
#[derive(Clone, Debug)]
pub struct Heist {
    pub(super) thief: ActorId,
    pub(super) plan: Plan,
    pub(super) stage: Stage,
    pub(super) loot: Vec<Loot>,
    pub(super) coins: u8,
    lives: u8,
    /// How far the lock of the vault is picked, from 0 to 1; `None` once it is open.
    pub(super) lock: Option<f32>,
    spots: Vec<Spot>,
    blows: Vec<Blow>,
    began: f64,
    ended: Option<f64>,
    /// How many times a guard began to see the thief, and whether one sees it now.
    sightings: u32,
    seen: bool,
    down: bool,
    pub(super) steps_at: f64,
    pub(super) paths: Paths,
    bodies: Bodies,
}

impl Heist {
    pub(super) fn new(thief: ActorId, plan: Plan, paths: Paths, now: f64) -> Self {
        let loot = |at: &Point, is_treasure| Loot { at: *at, is_treasure, taken: false };
        let treasure = std::iter::once(loot(&plan.treasure, true));
        Heist {
            thief,
            stage: Stage::GetIn,
            loot: treasure.chain(plan.pieces.iter().map(|it| loot(it, false))).collect(),
            coins: COINS,
            lives: LIVES,
            lock: Some(0.0),
            spots: plan.spots.iter().map(|at| Spot { at: *at, searched: f64::NEG_INFINITY }).collect(),
            blows: Vec::new(),
            began: now,
            ended: None,
            sightings: 0,
            seen: false,
            down: false,
            steps_at: now,
            paths,
            bodies: Bodies::default(),
            plan,
        }
    }

    /// The actor that the user plays.
    #[must_use]
    pub fn thief(&self) -> ActorId {
        self.thief
    }

    /// Where everything is.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The current stage.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether it is won or lost.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Won | Stage::Lost)
    }

    /// What there is to steal; the treasure first.
    #[must_use]
    pub fn loot(&self) -> &[Loot] {
        &self.loot
    }

    /// How many coins are left to throw.
    #[must_use]
    pub fn coins(&self) -> u8 {
        self.coins
    }

    /// How many lives are left, including the current one.
    #[must_use]
    pub fn lives(&self) -> u8 {
        self.lives
    }

    /// How far the lock of the vault is picked, from 0 to 1; `None` once it is open.
    #[must_use]
    pub fn lock(&self) -> Option<f32> {
        self.lock
    }

    /// Whether a guard sees the thief.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.seen
    }

    /// How many times a guard has begun to see the thief.
    #[must_use]
    pub fn sightings(&self) -> u32 {
        self.sightings
    }

    /// The blows of the last moment, oldest first.
    #[must_use]
    pub fn blows(&self) -> &[Blow] {
        &self.blows
    }

    /// How long it has lasted at this world time, in seconds. It stops at the end.
    #[must_use]
    pub fn seconds(&self, now: f64) -> f64 {
        self.ended.unwrap_or(now) - self.began
    }

    /// The points at this world time.
    #[must_use]
    pub fn score(&self, now: f64) -> Score {
        let worth = |it: &Loot| if it.is_treasure { TREASURE } else { PIECE };
        let won = self.stage == Stage::Won;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 600")]
        let quick = (QUICK - self.seconds(now)).clamp(0.0, QUICK) as u32;
        Score {
            loot: self.loot.iter().filter(|it| it.taken).map(worth).sum(),
            quick: if won { quick } else { 0 },
            unseen: if won && self.sightings == 0 { UNSEEN } else { 0 },
            falls: u32::from(LIVES - self.lives) * FALL,
        }
    }

    pub(super) fn end(&mut self, stage: Stage, now: f64) {
        (self.stage, self.ended) = (stage, Some(now));
    }

    /// The thief falls: the loot is back in its place, and a life is lost.
    fn fall(&mut self, now: f64) {
        self.loot.iter_mut().for_each(|it| it.taken = false);
        self.lives = self.lives.saturating_sub(1);
        self.stage = Stage::GetIn;
        if self.lives == 0 {
            self.end(Stage::Lost, now);
        }
    }

    pub(super) fn digest(&self, fold: &mut Fold) {
        fold.id(self.thief);
        fold.word(self.stage as u64);
        self.loot.iter().for_each(|it| fold.word(it.taken.into()));
        [self.coins, self.lives].into_iter().for_each(|it| fold.word(it.into()));
        fold.float(self.lock.unwrap_or(2.0));
        self.spots.iter().for_each(|it| fold.seconds(it.searched));
        fold.word(self.sightings.into());
        fold.word(u64::from(self.seen) | u64::from(self.down) << 1);
        [self.began, self.ended.unwrap_or(-1.0), self.steps_at].into_iter().for_each(|it| fold.seconds(it));
    }
}

impl World {
    /// The heist, if the world is an [`Estate`](super::Estate).
    #[must_use]
    pub fn heist(&self) -> Option<&Heist> {
        self.heist.as_deref()
    }

    /// Whether an actor is in a hiding place, where only actors next to it see it. False for a
    /// stale id.
    #[must_use]
    pub fn is_hidden(&self, id: ActorId) -> bool {
        self.actors.get(id).is_some_and(|actor| actor.hidden)
    }

    /// The nearest place to a point that was not searched lately, at most `within` metres away.
    /// From now on it counts as searched, so that several guards share the work. `None` if there is
    /// none, or no heist.
    pub fn next_spot(&mut self, around: Point, within: f32) -> Option<Point> {
        let now = self.time;
        let spots = &mut self.heist.as_mut()?.spots;
        let free = spots.iter_mut().filter(|it| it.searched + SEARCHED <= now && distance(it.at, around) <= within);
        let spot = free.min_by(|a, b| distance(a.at, around).total_cmp(&distance(b.at, around)))?;
        spot.searched = now;
        Some(spot.at)
    }

    /// Records a blow, which is seen and heard.
    pub(super) fn note_blow(&mut self, attacker: ActorId, target: ActorId, damage: f32) {
        let (Some(from), Some(to)) = (self.position(attacker), self.position(target)) else { return };
        let Some(heist) = &mut self.heist else { return };
        heist.blows.push(Blow { from, to, damage, made: self.time });
        self.sound(super::Sound::Clash, to, CLASH_CARRIES, Some(attacker));
    }

    pub(super) fn step_heist(&mut self, dt: f32) {
        // The heist is taken out while it looks at the world.
        let Some(mut heist) = self.heist.take() else { return };
        heist.blows.retain(|it| it.made + BLOW > self.time);
        let thief = heist.thief;
        let down = !self.is_alive(thief);
        if down && !heist.down && !heist.is_over() {
            heist.fall(self.time);
        }
        heist.down = down;
        let at = self.position(thief).unwrap_or_default();
        let seen = !down && self.is_guarded(thief, at);
        heist.sightings += u32::from(seen && !heist.seen);
        heist.seen = seen;
        let slow = self.velocity(thief).is_some_and(|it| length(it) <= SNEAK + 0.1);
        let inside = heist.plan.hides.iter().any(|it| distance(*it, at) <= HIDING);
        if let Some(actor) = self.actors.get_mut(thief) {
            // A thief who is seen on the way in is not hidden.
            actor.hidden = !down && inside && slow && (actor.hidden || !seen);
            if !down && !seen {
                actor.heal(BREATH * dt);
            }
        }
        heist.bodies.part(&mut self.actors, &mut self.grid, &self.map, at, AROUND);
        self.heist = Some(heist);
    }

    /// Whether a guard sees the thief.
    fn is_guarded(&self, thief: ActorId, at: Point) -> bool {
        let sight = Sight::SENTINEL.in_light_of(self.daytime());
        let enemies = self.actors.get(thief).map_or(Layers::NONE, |it| it.team.enemy_layers());
        let mut seen = false;
        self.each_within(enemies, at, sight.range, |id, _, _| seen = seen || self.can_see(id, thief, &sight));
        seen
    }
}
