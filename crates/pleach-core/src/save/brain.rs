//! The save of a brain: that of a forest with one agent, under its own name.

use std::fmt;

use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::VERSION;
use super::model::Body;

/// The first word in each save of a brain.
const WHAT: &str = "brain";

/// A brain with everything that it does and remembers, to be written to a file and restored later,
/// also into another process and under a changed tree. Made by [`Brain::save`](crate::Brain::save).
///
/// Serde writes and reads it, in a format of the game's choice, as it does a [`Save`](crate::Save).
/// It begins with the word `brain` and the version of its contents. Saves of earlier versions are
/// read. A later version, or a save of a forest, is an error of serde.
#[derive(Clone)]
pub struct BrainSave {
    /// The save of a forest in which the brain's agent is alone.
    pub(crate) body: Body,
}

impl BrainSave {
    /// The brain's time in it, in seconds.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.body.time.seconds()
    }

    /// The name of the brain's tree.
    #[must_use]
    pub fn tree(&self) -> &str {
        self.body.trees.first().map_or("", |it| &it.name)
    }
}

impl fmt::Debug for BrainSave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrainSave").field("tree", &self.tree()).field("time", &self.time()).finish_non_exhaustive()
    }
}

impl Serialize for BrainSave {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_tuple(5)?;
        all.serialize_element(WHAT)?;
        all.serialize_element(&VERSION)?;
        all.serialize_element(&self.body)?;
        all.serialize_element(&self.body.waiting)?;
        all.serialize_element(&self.body.tokens)?;
        all.end()
    }
}

impl<'de> Deserialize<'de> for BrainSave {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = BrainSave;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a save of a brain: the word `brain`, its version, and what it holds")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<BrainSave, A::Error> {
                let missing = |at| A::Error::invalid_length(at, &self);
                all.next_element::<Word>()?.ok_or_else(|| missing(0))?;
                let version: u32 = all.next_element()?.ok_or_else(|| missing(1))?;
                super::readable(version)?;
                let mut body: Body = all.next_element()?.ok_or_else(|| missing(2))?;
                body.waiting = all.next_element()?.ok_or_else(|| missing(3))?;
                if version > 2 {
                    body.tokens = all.next_element()?.ok_or_else(|| missing(4))?;
                }
                Ok(BrainSave { body })
            }
        }
        deserializer.deserialize_tuple(5, Parts)
    }
}

/// The word that a save of a brain begins with.
struct Word;

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Formats for people then say what was expected.
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Word)
        } else {
            deserializer.deserialize_str(Word)
        }
    }
}

impl Visitor<'_> for Word {
    type Value = Word;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the word `brain`, which begins a brain's save (this may be a forest's save)")
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<Word, E> {
        if word == WHAT { Ok(Word) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
    }
}
