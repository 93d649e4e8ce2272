//! Symbols and entities in serde formats.

use std::fmt;
use std::sync::OnceLock;

use serde_core::de::{self, Visitor};
use serde_core::{Deserialize, Deserializer};

use crate::Symbol;

/// Finds the symbol of a word of the tree that is being read, or returns why there is none.
type Find = fn(&str) -> Result<Symbol, String>;

static FIND: OnceLock<Find> = OnceLock::new();

/// Sets, once and for all, how words are found. A symbol is written as its word, which a symbol key
/// of the tree must have: any other would equal nothing. Only a runtime knows those keys.
pub fn find_words_by(find: Find) {
    FIND.get_or_init(|| find);
}

impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The inner error is that of a string, which is then looked up at its place.
        deserializer.deserialize_string(WordOrHash)?.map_err(de::Error::custom)
    }
}

/// A symbol as a parameter, which is a word of its key, or in the saved state of a leaf, which is a
/// number.
struct WordOrHash;

impl Visitor<'_> for WordOrHash {
    type Value = Result<Symbol, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word as a string")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Self::Value, E> {
        let nobody = || Err("this can only be read as a parameter of a leaf".into());
        Ok(FIND.get().map_or_else(nobody, |find| find(word)))
    }

    fn visit_bytes<E: de::Error>(self, word: &[u8]) -> Result<Self::Value, E> {
        match std::str::from_utf8(word) {
            Ok(word) => self.visit_str(word),
            Err(_) => Err(E::invalid_value(de::Unexpected::Bytes(word), &self)),
        }
    }

    #[cfg(feature = "save")]
    fn visit_u64<E: de::Error>(self, hash: u64) -> Result<Self::Value, E> {
        Ok(Ok(crate::value::of_hash(hash)))
    }
}

#[cfg(feature = "save")]
mod save {
    use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::{Entity, Symbol, Time};

    impl Serialize for Symbol {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(crate::value::hash_of(*self))
        }
    }

    /// In nanoseconds.
    impl Serialize for Time {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(self.as_nanos())
        }
    }

    impl<'de> Deserialize<'de> for Time {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u64::deserialize(deserializer).map(Time::from_nanos)
        }
    }

    impl Serialize for Entity {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(self.to_bits())
        }
    }

    impl<'de> Deserialize<'de> for Entity {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u64::deserialize(deserializer).map(Entity::from_bits)
        }
    }
}
