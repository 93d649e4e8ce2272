//! The ids that a forest gives out: of agents, trees and groups.

pub(crate) mod salted;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;

/// What all ids are: keys of a map, which the game sees as 64 bits.
pub(crate) trait Id: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

/// A slot of a map, and the version of its value, with the salt of the map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
struct Parts {
    idx: u32,
    version: NonZeroU32,
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "save", serde(transparent))]
        pub struct $name(Parts);

        impl $name {
            /// The id as a number: for a map of the game, or for a script. The lower 32 bits are
            /// small, and only ids that are never there at once share them.
            #[must_use]
            #[inline]
            pub const fn to_bits(self) -> u64 {
                (self.0.version.get() as u64) << 32 | self.0.idx as u64
            }

            /// The id with this number. Any other number gives a stale id, or, if it happens to be
            /// the number of an id, that id.
            #[must_use]
            #[inline]
            pub const fn from_bits(bits: u64) -> Self {
                // Versions that are in use are odd.
                let Some(version) = NonZeroU32::new((bits >> 32) as u32 | 1) else { unreachable!() };
                #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
                let idx = bits as u32;
                $name(Parts { idx, version })
            }
        }

        impl Id for $name {
            #[inline]
            fn of(bits: u64) -> Self {
                $name::from_bits(bits)
            }

            #[inline]
            fn bits(self) -> u64 {
                self.to_bits()
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, to: &mut H) {
                to.write_u64(self.to_bits());
            }
        }

        /// One that is always stale.
        impl Default for $name {
            fn default() -> Self {
                $name(Parts { idx: u32::MAX, version: NonZeroU32::MIN })
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if *self == $name::default() {
                    return f.write_str(concat!(stringify!($name), "(null)"));
                }
                write!(f, concat!(stringify!($name), "({}v{})"), self.0.idx, self.0.version)
            }
        }
    )*};
}

ids! {
    /// An agent of a forest. The id of a despawned agent stays stale for ever.
    ///
    /// The id of an agent of another forest is stale as well, if the seeds of the two forests are
    /// below 2^20 and differ. Larger seeds do not fit into an id completely: one pair of them in a
    /// million shares its ids. The same seed and calls give the same ids.
    AgentId;
    /// A tree in a forest.
    TreeId;
    /// A group of agents (a squad) with keys of its own.
    GroupId;
}

/// What [`Context::spawn`](crate::Context::spawn) returns for an agent that will be spawned at the
/// end of the call: [`Context::spawned`](crate::Context::spawned) returns the agent's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "save", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "save", serde(transparent))]
pub struct Ticket(pub(crate) u64);

/// A call about an agent, tree or group that does not exist in this forest, or no longer.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StaleError {
    /// The agent was despawned, or belongs to another forest.
    Agent(AgentId),
    /// The tree was removed, or belongs to another forest.
    Tree(TreeId),
    /// The group was removed, or belongs to another forest. Or an agent was to join it, and it is
    /// another agent's own: one that an agent has because it joined none.
    Group(GroupId),
}

impl fmt::Display for StaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StaleError::Agent(it) => {
                write!(f, "{it:?} is not in this forest (any more): it was despawned, or belongs to another forest")
            }
            StaleError::Tree(it) => {
                write!(f, "{it:?} is not in this forest (any more): it was removed, or belongs to another forest")
            }
            StaleError::Group(it) => write!(
                f,
                "{it:?} was removed, belongs to another forest, or is the private group of an agent that has joined none, \
                 which no other agent can join"
            ),
        }
    }
}

impl fmt::Debug for StaleError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StaleError {}
