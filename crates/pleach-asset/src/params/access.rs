//! The parts of a value as serde asks for them: elements, entries, fields, variants.

use serde_core::de::value::StrDeserializer;
use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{De, Fail, Owner};
use crate::syntax::{Args, Data, Fields, List, Value};

pub(super) struct Items<'a> {
    pub(super) de: De<'a>,
    pub(super) left: List<'a>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Fail;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fail> {
        self.left.next().map(|it| seed.deserialize(self.de.to(it)).map_err(|fail| fail.at(it.span()))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.count())
    }
}

pub(super) struct Entries<'a> {
    pub(super) de: De<'a>,
    pub(super) left: List<'a>,
    pub(super) value: Option<Value<'a>>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Fail;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fail> {
        let Some(key) = self.left.next() else { return Ok(None) };
        self.value = self.left.next();
        seed.deserialize(self.de.to(key)).map(Some).map_err(|it| it.at(key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fail> {
        let value = self.value.take().expect("serde asks for the key first");
        seed.deserialize(self.de.to(value)).map_err(|it| it.at(value.span()))
    }
}

/// Named fields, without those that are not `known`, which have been reported.
pub(super) struct NamedFields<'a> {
    pub(super) de: De<'a>,
    pub(super) left: Option<Fields<'a, 'a>>,
    pub(super) known: Option<&'static [&'static str]>,
    pub(super) value: Option<Value<'a>>,
}

impl<'de> MapAccess<'de> for NamedFields<'_> {
    type Error = Fail;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fail> {
        let known = self.known;
        let mut left = self.left.iter_mut().flatten();
        let Some((field, value)) = left.find(|it| known.is_none_or(|known| known.contains(&it.0.text))) else {
            return Ok(None);
        };
        self.value = Some(value);
        let name: StrDeserializer<'_, Fail> = field.text.into_deserializer();
        seed.deserialize(name).map(Some).map_err(|it| it.at(field.span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fail> {
        let value = self.value.take().expect("serde asks for the key first");
        seed.deserialize(self.de.to(value)).map_err(|it| it.at(value.span()))
    }
}

impl<'de> EnumAccess<'de> for De<'_> {
    type Error = Fail;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fail> {
        let Data::Call(Some(name), _) = self.data else { return Err(self.wrong("a name")) };
        let text: StrDeserializer<'_, Fail> = name.text.into_deserializer();
        Ok((seed.deserialize(text).map_err(|it| it.at(name.span))?, self))
    }
}

impl<'de> VariantAccess<'de> for De<'_> {
    type Error = Fail;

    fn unit_variant(self) -> Result<(), Fail> {
        match self.data {
            Data::Call(_, Args::None) => Ok(()),
            _ => Err(self.wrong("a name without parentheses")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fail> {
        if let Data::Call(_, Args::Tuple(items)) = self.data
            && let Some(it) = items.only()
        {
            return seed.deserialize(self.to(it));
        }
        Err(self.wrong("one value in parentheses"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fail> {
        match self.data {
            Data::Call(_, Args::Tuple(_)) => De { root: true, ..self }.deserialize_seq(visitor),
            _ => Err(self.wrong("values in parentheses")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fail> {
        let Data::Call(Some(name), args) = self.data else { return Err(self.wrong("a name")) };
        let Args::Named(written) = args else { return Err(self.wrong("named fields in parentheses")) };
        for (field, _) in written.filter(|it| !fields.contains(&it.0.text)) {
            self.sink.unknown(field.span, Owner::Variant(name.text), field.text, fields);
        }
        visitor.visit_map(NamedFields { de: self, left: Some(written), known: Some(fields), value: None })
    }
}

/// An enum's value as a map of one entry: its name and its content.
pub(super) struct EnumEntry<'a> {
    pub(super) de: De<'a>,
    pub(super) done: bool,
}

impl<'de> MapAccess<'de> for EnumEntry<'_> {
    type Error = Fail;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fail> {
        let Data::Call(Some(name), _) = self.de.data else { return Ok(None) };
        if std::mem::replace(&mut self.done, true) {
            return Ok(None);
        }
        let text: StrDeserializer<'_, Fail> = name.text.into_deserializer();
        seed.deserialize(text).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fail> {
        if let Data::Call(_, Args::Tuple(items)) = self.de.data
            && let Some(it) = items.only()
        {
            return seed.deserialize(self.de.to(it));
        }
        seed.deserialize(De { root: true, ..self.de })
    }
}
