//! The states of leaves in a save: MessagePack (rmp-serde) with the names of fields, one value
//! after the other, so that a state can be read that has gained or lost a field since. Formats for
//! people show the values themselves.

use std::fmt;

use rmp_serde::config::{DefaultConfig, StructMapConfig};
use rmp_serde::{Deserializer as Unpack, Serializer as Pack};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Some states.
#[derive(Clone, Default)]
pub(crate) struct Packed(Vec<u8>);

type Packer<'a> = Pack<&'a mut Vec<u8>, StructMapConfig<DefaultConfig>>;

fn packer(to: &mut Vec<u8>) -> Packer<'_> {
    Pack::new(to).with_struct_map()
}

impl Packed {
    /// Adds a state.
    pub(crate) fn push<S: Serialize>(&mut self, state: &S) -> Result<(), String> {
        state.serialize(&mut packer(&mut self.0)).map_err(|it| it.to_string())
    }

    pub(crate) fn read(&self) -> Unpacking<'_> {
        Unpacking(&self.0)
    }
}

/// The remaining states to read.
pub(crate) struct Unpacking<'a>(&'a [u8]);

impl Unpacking<'_> {
    /// Takes the next state out.
    pub(crate) fn next<S: DeserializeOwned>(&mut self) -> Result<S, String> {
        S::deserialize(&mut Unpack::new(&mut self.0)).map_err(|it| it.to_string())
    }

    /// Skips the next state.
    pub(crate) fn skip(&mut self) -> Result<(), String> {
        self.next::<serde::de::IgnoredAny>().map(|_| ())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.0);
        }
        let mut count = 0;
        let mut left = self.read();
        while !left.is_empty() {
            left.skip().map_err(S::Error::custom)?;
            count += 1;
        }
        let mut states = serializer.serialize_seq(Some(count))?;
        let mut left = &self.0[..];
        for _ in 0..count {
            let mut one = Unpack::new(&mut left);
            states.serialize_element(&serde_transcode::Transcoder::new(&mut one))?;
        }
        states.end()
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_seq(Values)
        } else {
            deserializer.deserialize_byte_buf(Bytes)
        }
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Packed;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the states of an agent's leaves, as bytes")
    }
    fn visit_bytes<E>(self, it: &[u8]) -> Result<Packed, E> {
        Ok(Packed(it.to_vec()))
    }
    fn visit_byte_buf<E>(self, it: Vec<u8>) -> Result<Packed, E> {
        Ok(Packed(it))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Packed, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = seq.next_element()? {
            bytes.push(byte);
        }
        Ok(Packed(bytes))
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Packed;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the states of an agent's leaves")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Packed, A::Error> {
        struct Value<'a>(&'a mut Vec<u8>);
        impl<'de> DeserializeSeed<'de> for Value<'_> {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                serde_transcode::transcode(deserializer, &mut packer(self.0)).map_err(D::Error::custom)
            }
        }
        let mut packed = Packed::default();
        while seq.next_element_seed(Value(&mut packed.0))?.is_some() {}
        Ok(packed)
    }
}
