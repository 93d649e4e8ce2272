//! Saves: agents in any format of serde (SEMANTICS 11). [`model`] defines the contents, [`number`]
//! and [`packed`] how values and the states of leaves are written. [`brain`] is the save of a
//! brain, [`board`] that of keys that brains share.

pub(crate) mod board;
pub(crate) mod brain;
pub(crate) mod model;
mod number;
pub(crate) mod packed;

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use model::Body;

/// The format of saves that this version writes. It reads this one and all before it.
const VERSION: u32 = 3;

/// Agents with everything that they do, remember and share, to be written to a file and restored
/// later, also into another process and under changed trees. Made by
/// [`Forest::save`](crate::Forest::save) and [`Forest::save_agents`](crate::Forest::save_agents).
///
/// It is written and read with serde, in a format of the game's choice: RON or JSON for people, or
/// a compact binary one. A format must keep all bits of a `u64`. JSON has no NaN, and only strings
/// as keys of maps: leaves whose states have others need another format. It begins with the version
/// of its contents; saves of earlier versions are read, later ones are refused. The contents are
/// checked when they are restored.
///
/// ```
/// # use pleach_core::{Forest, Host, Save, Tree, nodes::wait};
/// # struct Game;
/// # impl Host for Game { type Cx<'a> = (); }
/// let guard = || Tree::<Game>::builder("guard").build(wait(0.3));
/// let mut forest = Forest::new(7);
/// let guards = forest.add_tree(guard()?)?;
/// let agent = forest.spawn(&mut (), guards)?;
/// forest.tick(&mut (), 0.1)?;
/// let text = ron::to_string(&forest.save()?)?;
///
/// // In another process:
/// let save: Save = ron::from_str(&text)?;
/// let mut forest = Forest::new(0);
/// forest.add_tree(guard()?)?;
/// forest.restore(&mut (), &save)?;
/// assert!(forest.contains(agent));
/// assert!((forest.time() - 0.1).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Save {
    pub(crate) body: Body,
}

impl Save {
    /// How many agents it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.trees.iter().map(|it| it.agents.len()).sum()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it holds a whole forest, with its time, its groups and its global keys, and not just
    /// some agents.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.body.whole.is_some()
    }

    /// The seed of its forest. A save of some agents is restored into a forest of that seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.body.seed
    }

    /// The forest's time in it, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.body.time.seconds()
    }

    /// The names of the trees of its agents, each with how many agents it has.
    pub fn trees(&self) -> impl Iterator<Item = (&str, usize)> {
        self.body.trees.iter().map(|it| (&*it.name, it.agents.len()))
    }
}

impl fmt::Debug for Save {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Save").field("agents", &self.len()).field("time", &self.time()).finish_non_exhaustive()
    }
}

impl Serialize for Save {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_tuple(4)?;
        parts.serialize_element(&VERSION)?;
        parts.serialize_element(&self.body)?;
        parts.serialize_element(&self.body.waiting)?;
        parts.serialize_element(&self.body.tokens)?;
        parts.end()
    }
}

/// Why a save of this version cannot be read here, if it cannot.
fn unreadable(version: u32) -> Option<String> {
    (version == 0 || version > VERSION).then(|| {
        format!(
            "the save is of version {version}, and this game reads versions up to {VERSION}: it is from a later version \
             of the game, or it is not a save"
        )
    })
}

/// An error if a save of this version cannot be read here.
fn readable<E: Error>(version: u32) -> Result<(), E> {
    unreadable(version).map_or(Ok(()), |it| Err(E::custom(it)))
}

impl<'de> Deserialize<'de> for Save {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Save;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a save: its version, and what it holds")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Save, A::Error> {
                let missing = |at| A::Error::invalid_length(at, &self);
                let Version(version) = parts.next_element()?.ok_or_else(|| missing(0))?;
                readable(version)?;
                let mut body: Body = parts.next_element()?.ok_or_else(|| missing(1))?;
                // Each version appends its additions.
                if version > 1 {
                    body.waiting = parts.next_element()?.ok_or_else(|| missing(2))?;
                }
                if version > 2 {
                    body.tokens = parts.next_element()?.ok_or_else(|| missing(3))?;
                }
                Ok(Save { body })
            }
        }
        deserializer.deserialize_tuple(4, Parts)
    }
}

/// The number that a save of a forest begins with.
struct Version(u32);

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Version;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the version of a forest's save (a brain's save begins with the word `brain`)")
            }
            fn visit_u64<E: Error>(self, version: u64) -> Result<Version, E> {
                Ok(Version(u32::try_from(version).unwrap_or(u32::MAX)))
            }
        }
        // Formats for people then say what was expected.
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Number)
        } else {
            deserializer.deserialize_u32(Number)
        }
    }
}
