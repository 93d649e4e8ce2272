//! The meadow and the animals on it. Nothing here knows trees.

use pleach::{AgentId, Entity, Host};

/// A place on the meadow, in metres.
pub type Place = [f32; 2];

#[derive(Clone, Copy, Debug, Default)]
pub struct Animal {
    pub agent: AgentId,
    pub at: Place,
    pub sheep: bool,
    pub alive: bool,
}

impl Animal {
    /// Goes a step towards a place, or to where the meadow ends, and says whether it is there.
    pub fn go(&mut self, to: Place, step: f32) -> bool {
        let to = to.map(|it| it.clamp(0.0, 240.0));
        let left = distance(self.at, to);
        let part = if left <= step { 1.0 } else { step / left };
        self.at = [0, 1].map(|i| self.at[i] + (to[i] - self.at[i]) * part);
        left <= step
    }
}

/// What leaves see and change.
#[derive(Debug)]
pub struct World {
    /// An animal's entity is its index here. The first is unused, as `Entity::NONE` is 0.
    pub animals: Vec<Animal>,
    /// What has happened, in plain words.
    pub story: String,
}

/// The host: its leaves borrow the world.
#[derive(Debug)]
pub struct Meadow;
impl Host for Meadow {
    type Cx<'a> = World;
}

impl World {
    pub fn animal(&self, who: Entity) -> &Animal {
        &self.animals[who.to_bits() as usize]
    }

    pub fn animal_mut(&mut self, who: Entity) -> &mut Animal {
        &mut self.animals[who.to_bits() as usize]
    }

    /// The nearest sheep, or the nearest wolf, that is alive, and how far away it is.
    pub fn nearest(&self, sheep: bool, from: Place) -> Option<(Entity, f32)> {
        let all = (0..).map(Entity::from_bits).zip(&self.animals).filter(|(_, it)| it.alive && it.sheep == sheep);
        all.map(|(who, it)| (who, distance(it.at, from))).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

pub fn distance(a: Place, b: Place) -> f32 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}
