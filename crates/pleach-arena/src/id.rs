//! The ids of actors, carrots, routes and noises.

use std::fmt;

use slotmap::{Key, new_key_type};

new_key_type! {
    /// An actor of one world. After the actor is despawned its id is stale: it never means an actor
    /// that is spawned later. Ids of different worlds are not distinguished.
    pub struct ActorId;

    /// A carrot of one world. The carrot that grows in place of an eaten one has another id.
    pub struct CarrotId;
}

/// A patrol route of one map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub(crate) u16);

impl RouteId {
    /// The position of the route among the routes of its map, in the order in which they were
    /// added.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The number of a noise. Noises are counted from 0, and a number is never used again.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoiseId(pub(crate) u64);

impl NoiseId {
    /// How many noises the world had made before this one.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a{:?}", self.data())
    }
}

impl fmt::Display for CarrotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{:?}", self.data())
    }
}

impl fmt::Display for RouteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Display for NoiseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "z{}", self.0)
    }
}

macro_rules! debug_as_display {
    ($($id:ty),*) => {$(
        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}
debug_as_display!(RouteId, NoiseId);
