//! What is known of the leaves of a registry, for tools.

use std::cell::Cell;

use serde_core::de::value::Error as AnyError;
use serde_core::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_core::forward_to_deserialize_any;

use crate::parameter::ParameterInfo;

/// What is known of a leaf of a registry. All of it of a function with `#[leaf]`; of others its
/// name, and where serde tells them, the names of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeafInfo<'a> {
    /// Its name in assets.
    pub name: &'a str,
    /// Its documentation.
    pub doc: &'static str,
    /// Whether it is a condition, if that is known before one is made.
    pub is_condition: Option<bool>,
    /// Its parameters.
    pub parameters: Vec<ParameterInfo>,
}

/// What a registry knows of a leaf besides its name.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub(super) doc: &'static str,
    pub(super) is_condition: Option<bool>,
    pub(super) parameters: Parameters,
}

#[derive(Clone, Copy)]
pub(super) enum Parameters {
    Known(&'static [ParameterInfo]),
    /// The names of the fields of a struct.
    Fields(fn() -> &'static [&'static str]),
}

impl About {
    /// A leaf that is made from these parameters.
    pub(super) fn made_from<P: DeserializeOwned>(is_condition: Option<bool>) -> Self {
        About { doc: "", is_condition, parameters: Parameters::Fields(fields::<P>) }
    }

    pub(super) fn of(self, name: &str) -> LeafInfo<'_> {
        let About { doc, is_condition, parameters } = self;
        let parameters = match parameters {
            Parameters::Known(it) => it.to_vec(),
            Parameters::Fields(names) => names().iter().map(|it| ParameterInfo::field(it)).collect(),
        };
        LeafInfo { name, doc, is_condition, parameters }
    }
}

/// The names of a struct's fields, if it is one.
fn fields<P: DeserializeOwned>() -> &'static [&'static str] {
    let seen = Cell::new(&[][..]);
    // What asks for a struct names its fields first. It gets none.
    let _refused = P::deserialize(Asked(&seen));
    seen.get()
}

/// Gives nothing, and notes which fields were asked for.
struct Asked<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = AnyError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, AnyError> {
        Err(AnyError::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, AnyError> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, AnyError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, AnyError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}
