//! Noises: they are made at a place, heard within a radius, and fade after a while. The world does
//! not notify the actors. The game asks which noises are new, and sends an event to their hearers.

use super::World;
use crate::error::{BadNumber, NoiseError};
use crate::geometry::Point;
use crate::grid::Layers;
use crate::id::{ActorId, NoiseId};
use crate::limits::MAX_NOISES;

/// After how many seconds a noise fades.
const LIFE: f64 = 3.0;

/// What a noise sounds like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum Sound {
    /// Steps, or something that falls.
    #[default]
    Noise,
    /// A blow.
    Clash,
    /// A scream of fear.
    Scream,
    /// An alarm bell.
    Bell,
}

impl Sound {
    /// The event for its hearers: `noise` is worth a look, `alarm` is urgent.
    #[must_use]
    pub fn event(self) -> &'static str {
        match self {
            Sound::Noise => "noise",
            Sound::Clash | Sound::Scream | Sound::Bell => "alarm",
        }
    }
}

/// A noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Its number, which grows from noise to noise.
    pub id: NoiseId,
    /// Where it was made.
    pub at: Point,
    /// How far it carries, in metres.
    pub radius: f32,
    /// The actor that made it, which does not hear it.
    pub source: Option<ActorId>,
    /// The world time when it was made.
    pub made: f64,
    /// What it sounds like.
    pub sound: Sound,
}

impl World {
    /// Makes a noise, which can be heard from now on and fades after 3 s.
    ///
    /// # Errors
    /// The place or the radius is not finite, the radius is negative, or there are [`MAX_NOISES`]
    /// noises already.
    pub fn make_noise(&mut self, at: Point, radius: f32, source: Option<ActorId>) -> Result<NoiseId, NoiseError> {
        self.make_sound(Sound::Noise, at, radius, source)
    }

    /// As [`make_noise`](World::make_noise), of any sound.
    ///
    /// # Errors
    /// As [`make_noise`](World::make_noise).
    pub fn make_sound(
        &mut self,
        sound: Sound,
        at: Point,
        radius: f32,
        source: Option<ActorId>,
    ) -> Result<NoiseId, NoiseError> {
        BadNumber::check_point("the place of the noise", at)?;
        BadNumber::check("the radius of the noise", radius)?;
        if self.noises.len() == MAX_NOISES {
            return Err(NoiseError::Full);
        }
        let id = self.next_noise;
        self.next_noise = NoiseId(id.0 + 1);
        self.noises.push(Noise { id, at, radius, source, made: self.time, sound });
        Ok(id)
    }

    /// As [`make_sound`](World::make_sound), but in a world with [`MAX_NOISES`] noises it is lost.
    pub(crate) fn sound(&mut self, sound: Sound, at: Point, radius: f32, source: Option<ActorId>) {
        let made = self.make_sound(sound, at, radius, source);
        debug_assert!(!matches!(made, Err(NoiseError::BadNumber(_))), "{made:?}");
    }

    /// The noises that have not faded, oldest first.
    #[must_use]
    pub fn noises(&self) -> &[Noise] {
        &self.noises
    }

    /// The number that the next noise will have. Give it to [`World::noises_since`] next time.
    #[must_use]
    pub fn next_noise(&self) -> NoiseId {
        self.next_noise
    }

    /// The noises with that number or a later one that have not faded, oldest first. If more than
    /// 3 s pass between two calls, some noises are missed.
    #[must_use]
    pub fn noises_since(&self, first: NoiseId) -> &[Noise] {
        &self.noises[self.noises.partition_point(|noise| noise.id < first)..]
    }

    /// Calls `f` for every actor that hears a noise: it lives, has not made the noise, and its
    /// distance is within the noise's radius and its own hearing. The order is arbitrary, as in
    /// [`World::neighbours`].
    pub fn hearers(&self, noise: &Noise, mut f: impl FnMut(ActorId)) {
        self.each_within(Layers::ALL, noise.at, noise.radius, |id, _, far2| {
            let hearing = self.records[id].hearing;
            // A deaf actor does not even hear a noise at its own place.
            if hearing > 0.0 && far2 <= hearing * hearing && noise.source != Some(id) {
                f(id);
            }
        });
    }

    pub(super) fn fade_noises(&mut self) {
        // All noises fade after the same time, so the faded ones are at the front.
        let faded = self.noises.partition_point(|noise| noise.made + LIFE <= self.time);
        self.noises.drain(..faded);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ActorSpec;
    use super::*;
    use crate::map::Map;

    #[test]
    fn a_noise_is_heard_within_its_radius_and_the_hearing() {
        let mut world = World::new(Map::open([60.0, 60.0]).unwrap(), 1);
        let near = world.spawn(&ActorSpec::guard([25.0, 20.0])).unwrap();
        let edge = world.spawn(&ActorSpec::guard([30.0, 20.0])).unwrap();
        let past = world.spawn(&ActorSpec::guard([30.1, 20.0])).unwrap();
        let keen = world.spawn(&ActorSpec { hearing: 30.0, ..ActorSpec::guard([35.0, 20.0]) }).unwrap();
        let dead = world.spawn(&ActorSpec::guard([20.0, 20.0])).unwrap();
        world.spawn(&ActorSpec::fighter([20.0, 20.0])).unwrap();
        world.set_hp(dead, 0.0).unwrap();
        let hearers = |world: &World, radius, source| {
            let noise = Noise { id: NoiseId(0), at: [20.0, 20.0], radius, source, made: 0.0, sound: Sound::Noise };
            let mut heard = Vec::new();
            world.hearers(&noise, |id| heard.push(id));
            heard.sort_unstable();
            heard
        };
        assert_eq!(hearers(&world, 100.0, None), [near, edge, keen], "{past} is out of its hearing");
        assert_eq!(hearers(&world, 5.0, None), [near]);
        assert_eq!(hearers(&world, 4.9, None), []);
        assert_eq!(hearers(&world, 100.0, Some(near)), [edge, keen]);
        assert_eq!(hearers(&world, f32::NAN, None), []);
    }

    #[test]
    fn noises_are_numbered_and_fade() {
        let mut world = World::new(Map::open([60.0, 60.0]).unwrap(), 1);
        let first = world.make_noise([1.0, 1.0], 5.0, None).unwrap();
        world.step(2.0).unwrap();
        let second = world.make_noise([2.0, 1.0], 5.0, None).unwrap();
        assert_eq!(world.noises().iter().map(|n| n.id).collect::<Vec<_>>(), [first, second]);
        assert_eq!(world.noises_since(second).len(), 1);
        assert_eq!(world.noises_since(world.next_noise()), []);
        world.step(1.0).unwrap();
        assert_eq!(world.noises().iter().map(|n| n.id).collect::<Vec<_>>(), [second]);
        assert_eq!(world.noises_since(first).len(), 1);
        world.step(9.0).unwrap();
        assert_eq!(world.noises(), []);
        assert_eq!(world.next_noise().number(), 2);
    }

    #[test]
    fn bad_noises_are_refused() {
        let mut world = World::new(Map::open([60.0, 60.0]).unwrap(), 1);
        assert!(matches!(world.make_noise([f32::NAN, 1.0], 5.0, None), Err(NoiseError::BadNumber(_))));
        assert!(matches!(world.make_noise([1.0, 1.0], -5.0, None), Err(NoiseError::BadNumber(_))));
        for _ in 0..MAX_NOISES {
            world.make_noise([1.0, 1.0], 5.0, None).unwrap();
        }
        assert_eq!(world.make_noise([1.0, 1.0], 5.0, None), Err(NoiseError::Full));
        world.step(3.0).unwrap();
        assert!(world.make_noise([1.0, 1.0], 5.0, None).is_ok());
    }
}
