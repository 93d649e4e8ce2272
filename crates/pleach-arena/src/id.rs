//! The names of things: small, ordered, hashable numbers. Actors and carrots come and go, so theirs
//! carry a generation and an old name never means a newer thing.

use std::fmt;

/// An actor of one world: 18 bits say which slot, 14 bits which tenant of it. A slot that has had
/// all its tenants is not let again, so a stale id stays stale.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorId(u32);

const SLOT_BITS: u32 = 18;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;

impl ActorId {
    pub(crate) const LAST_GENERATION: u16 = (1 << (32 - SLOT_BITS)) - 1;

    /// The slot must be below `MAX_ACTORS` and the generation at most `LAST_GENERATION`, as
    /// spawning sees to.
    pub(crate) fn new(slot: u32, generation: u16) -> Self {
        debug_assert!(slot <= SLOT_MASK && generation <= Self::LAST_GENERATION);
        ActorId(u32::from(generation) << SLOT_BITS | slot)
    }

    pub(crate) fn slot(self) -> usize {
        (self.0 & SLOT_MASK) as usize
    }

    pub(crate) fn generation(self) -> u16 {
        (self.0 >> SLOT_BITS).try_into().expect("14 bits fit in 16")
    }

    /// The id as a number, for a blackboard or a foreign caller.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The id that [`ActorId::bits`] gave. Any number will do: one that names nobody is a stale id.
    #[must_use]
    pub fn from_bits(bits: u32) -> Self {
        ActorId(bits)
    }
}

/// A carrot of one world. What grows in an eaten one's stead, at another place, has another name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CarrotId(u64);

impl CarrotId {
    pub(crate) fn new(slot: u32, generation: u32) -> Self {
        CarrotId(u64::from(generation) << 32 | u64::from(slot))
    }

    /// `None` for bits that no world could have given.
    pub(crate) fn slot(self) -> Option<usize> {
        usize::try_from(self.0 & 0xffff_ffff).ok()
    }

    /// The id as a number, for a blackboard or a foreign caller.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The id that [`CarrotId::bits`] gave. Any number will do: one that names nothing is a stale
    /// id.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        CarrotId(bits)
    }
}

/// A patrol route of one map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteId(pub(crate) u16);

impl RouteId {
    /// Which of the map's routes this is, in the order of their adding.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A noise, numbered from 0 in the order in which they were made; never reused.
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
        write!(f, "a{}", self.slot())?;
        // Most slots never see a second tenant, and then the number alone reads best.
        if self.generation() > 0 { write!(f, ".{}", self.generation()) } else { Ok(()) }
    }
}

impl fmt::Display for CarrotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0 & 0xffff_ffff)?;
        if self.0 >> 32 > 0 { write!(f, ".{}", self.0 >> 32) } else { Ok(()) }
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
debug_as_display!(ActorId, CarrotId, RouteId, NoiseId);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_ACTORS;

    #[test]
    fn ids_pack_and_print() {
        let last = ActorId::new(u32::try_from(MAX_ACTORS - 1).unwrap(), ActorId::LAST_GENERATION);
        assert_eq!(last.bits(), u32::MAX);
        assert_eq!((last.slot(), last.generation()), (MAX_ACTORS - 1, ActorId::LAST_GENERATION));
        assert_eq!(ActorId::from_bits(last.bits()), last);
        assert_eq!(format!("{} {:?}", ActorId::new(7, 0), ActorId::new(7, 2)), "a7 a7.2");
        assert_eq!(format!("{} {}", CarrotId::new(3, 0), CarrotId::new(3, 1)), "c3 c3.1");
        assert_eq!(CarrotId::from_bits(CarrotId::new(3, 1).bits()), CarrotId::new(3, 1));
    }
}
