//! Noises: made at a place, heard within a radius, gone after a while. Nobody is told: whoever
//! drives the agents asks which noises are new since last time, and sends the hearers of each an
//! event.

use crate::actor::Team;
use crate::error::{BadNumber, NoiseError};
use crate::geometry::Point;
use crate::{ActorId, MAX_NOISES, NoiseId, World};

/// How long a noise can still be asked for, in seconds.
pub(crate) const LIFE: f64 = 3.0;

/// Something to hear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Its number; later noises have higher ones.
    pub id: NoiseId,
    /// Where it was made.
    pub at: Point,
    /// How far it carries, in metres.
    pub radius: f32,
    /// Who made it; that actor does not hear it.
    pub source: Option<ActorId>,
    /// World time of its making.
    pub made: f64,
}

impl World {
    /// Makes a noise, which can be heard from now on and fades after 3 s.
    ///
    /// # Errors
    /// A place or radius that is not a number, and more than [`MAX_NOISES`] noises at once.
    pub fn make_noise(&mut self, at: Point, radius: f32, source: Option<ActorId>) -> Result<NoiseId, NoiseError> {
        BadNumber::check_point("the place of the noise", at)?;
        BadNumber::check("the radius of the noise", radius)?;
        if self.noises.len() == MAX_NOISES {
            return Err(NoiseError::Full);
        }
        let id = self.next_noise;
        self.next_noise = NoiseId(id.0 + 1);
        self.noises.push(Noise { id, at, radius, source, made: self.time });
        Ok(id)
    }

    /// The noises that have not faded, oldest first.
    #[must_use]
    pub fn noises(&self) -> &[Noise] {
        &self.noises
    }

    /// The number that the next noise will have: what to give [`World::noises_since`] next time.
    #[must_use]
    pub fn next_noise(&self) -> NoiseId {
        self.next_noise
    }

    /// The noises with that number or a later one that have not faded, oldest first. Ask every 3 s
    /// or sooner, or some are missed.
    #[must_use]
    pub fn noises_since(&self, first: NoiseId) -> &[Noise] {
        &self.noises[self.noises.partition_point(|noise| noise.id < first)..]
    }

    /// Calls `f` for everybody who hears a noise: who lives, did not make it, and has it within
    /// both its radius and their own hearing. The order means nothing, as in [`World::neighbours`].
    pub fn hearers(&self, noise: &Noise, mut f: impl FnMut(ActorId)) {
        self.each_within([true; Team::COUNT], noise.at, noise.radius, |slot, far2| {
            let hearing = self.actors.hearing[slot];
            let id = self.actors.id(slot);
            // Who hears nothing does not hear what is made on top of them either.
            if hearing > 0.0 && far2 <= hearing * hearing && noise.source != Some(id) {
                f(id);
            }
        });
    }

    pub(crate) fn fade_noises(&mut self) {
        // All live equally long, so the faded ones are at the front.
        let faded = self.noises.partition_point(|noise| noise.made + LIFE <= self.time);
        self.noises.drain(..faded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActorSpec, Map};

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
            let noise = Noise { id: NoiseId(0), at: [20.0, 20.0], radius, source, made: 0.0 };
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
