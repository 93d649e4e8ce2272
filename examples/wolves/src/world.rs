//! The meadow and the animals on it. Nothing here knows of trees.

use pleach::{AgentId, Entity};

/// A place on the meadow, in metres.
pub type Place = [f32; 2];

/// How long each side of the meadow is.
pub const SIDE: f32 = 240.0;

/// What an animal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hunts.
    Wolf,
    /// Is hunted.
    Sheep,
}

/// A wolf or a sheep.
#[derive(Clone, Debug, PartialEq)]
pub struct Animal {
    /// What it is.
    pub kind: Kind,
    /// The agent that thinks for it.
    pub agent: AgentId,
    /// Where it is.
    pub at: Place,
    /// At 0 it is dead.
    pub health: f32,
}

impl Animal {
    /// Goes a step towards a place, and says whether it is there.
    pub fn go(&mut self, to: Place, step: f32) -> bool {
        let left = distance(self.at, to);
        let part = if left <= step { 1.0 } else { step / left };
        self.at = inside([0, 1].map(|i| self.at[i] + (to[i] - self.at[i]) * part));
        left <= step
    }
}

/// A sheep that was eaten, and by which wolf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meal {
    /// Who ate.
    pub wolf: Entity,
    /// Who was eaten.
    pub sheep: Entity,
}

/// All that leaves see and change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// The dead ones among them. The first is entity 1, as 0 is no entity.
    pub animals: Vec<Animal>,
    /// Of this step.
    pub meals: Vec<Meal>,
    /// How often a pack gave up a prey.
    pub given_up: u32,
}

impl World {
    /// The entity that the next animal will be.
    pub fn next(&self) -> Entity {
        Entity(self.animals.len() as u64 + 1)
    }

    /// An animal; `None` for no entity.
    pub fn animal(&self, who: Entity) -> Option<&Animal> {
        self.animals.get(usize::try_from(who.0).ok()?.checked_sub(1)?)
    }

    /// The same, to be changed.
    pub fn animal_mut(&mut self, who: Entity) -> Option<&mut Animal> {
        self.animals.get_mut(usize::try_from(who.0).ok()?.checked_sub(1)?)
    }

    /// Where an animal is.
    pub fn place(&self, who: Entity) -> Place {
        self.animal(who).map_or([0.0; 2], |it| it.at)
    }

    /// The nearest living animal of a kind, and how far away it is.
    pub fn nearest(&self, kind: Kind, from: Place) -> Option<(Entity, f32)> {
        let all = (1..).map(Entity).zip(&self.animals);
        all.filter(|(_, it)| it.kind == kind && it.health > 0.0)
            .map(|(who, it)| (who, distance(it.at, from)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// How far two places are from each other.
pub fn distance(a: Place, b: Place) -> f32 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// The place on the meadow that is nearest to this one.
pub fn inside(place: Place) -> Place {
    place.map(|it| it.clamp(0.0, SIDE))
}
