//! Sample values, and what was asked for when they were read.

use std::cell::RefCell;
use std::fmt;

use pleach_core::Type;
use serde_core::de::value::StrDeserializer;
use serde_core::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_core::forward_to_deserialize_any;

use crate::float_expr::FLOAT_EXPR;
use crate::info::ValueType;

/// A string that is a word and an event.
pub(super) const SAMPLE: &str = "sample";
/// The depth of samples: a type may contain itself.
const MAX_DEPTH: usize = 8;

/// What the parameters of a leaf are as a whole.
pub(super) enum ParamShape {
    /// A struct of these fields.
    Struct(&'static [&'static str]),
    /// Nothing.
    Nothing,
    /// Anything else.
    Other,
}

/// Why a sample was not taken.
#[derive(Debug)]
pub(super) enum NotRead {
    /// This field is missing.
    Missing(&'static str),
    /// This field is given by two names.
    Twice,
    /// It has to be one of these.
    NoWord(&'static [&'static str]),
    Other,
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sample is not taken")
    }
}

impl std::error::Error for NotRead {}

impl Error for NotRead {
    fn custom<T: fmt::Display>(_: T) -> Self {
        NotRead::Other
    }
    fn missing_field(field: &'static str) -> Self {
        NotRead::Missing(field)
    }
    fn duplicate_field(_: &'static str) -> Self {
        NotRead::Twice
    }
    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        NotRead::NoWord(expected)
    }
}

/// The parameters of a leaf, of which some are given.
pub(super) struct Fields<'a, 't> {
    pub(super) asked: &'a RefCell<ParamShape>,
    /// Where the type of a given field is recorded.
    pub(super) fields: &'a dyn Fn(usize) -> Option<&'t RefCell<ValueType>>,
}

impl<'de> Deserializer<'de> for Fields<'_, '_> {
    type Error = NotRead;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotRead> {
        Err(NotRead::Other)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        self.asked.replace(ParamShape::Nothing);
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, NotRead> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        self.asked.replace(ParamShape::Struct(names));
        let given = names.iter().enumerate().filter_map(|(at, name)| Some((*name, (self.fields)(at)?)));
        visitor.visit_map(Named { given: given.collect(), next: 0, depth: 1 })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, NotRead> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf seq tuple tuple_struct map
        enum identifier ignored_any
    }
}

/// Fields with their names.
struct Named<'a> {
    given: Vec<(&'static str, &'a RefCell<ValueType>)>,
    next: usize,
    depth: usize,
}

impl<'de> MapAccess<'de> for Named<'_> {
    type Error = NotRead;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, NotRead> {
        let name = self.given.get(self.next).map(|it| it.0);
        name.map(|it| seed.deserialize(StrDeserializer::new(it))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, NotRead> {
        let ty = self.given.get(self.next).ok_or(NotRead::Other)?.1;
        self.next += 1;
        seed.deserialize(Sample { ty, depth: self.depth })
    }
}

/// A value that is anything it is asked for, and records what that was.
struct Sample<'a> {
    /// What is known of the type: of words or variants, the sample is the first.
    ty: &'a RefCell<ValueType>,
    depth: usize,
}

impl Sample<'_> {
    fn note(&self, ty: ValueType) {
        self.ty.replace(ty);
    }

    /// A string, which may be more than that.
    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        if let ValueType::OneOf(words) = &*self.ty.borrow() {
            return visitor.visit_str(words.first().map_or(SAMPLE, |it| it));
        }
        let wanted = Wanted(&visitor).to_string();
        let (ty, text) = if let Some(of) = wanted.strip_prefix("the name of a key of type ") {
            let ty = TYPES.iter().find(|it| it.to_string() == of);
            (ty.map_or(ValueType::Text, |it| ValueType::Key(*it)), of)
        } else {
            match &*wanted {
                "a word as a string" => (ValueType::Word, SAMPLE),
                "the name of an event" => (ValueType::Event, SAMPLE),
                _ => (ValueType::Text, SAMPLE),
            }
        };
        self.note(ty);
        visitor.visit_str(text).inspect_err(|error| {
            if let NotRead::NoWord(words) = error {
                self.note(ValueType::OneOf(words.iter().map(|it| (*it).into()).collect()));
            }
        })
    }

    /// Some values, and their common type, if they have one.
    fn items<'de, V: Visitor<'de>>(&self, count: usize, visitor: V) -> Result<(V::Value, ValueType), NotRead> {
        let mut items = Items { types: Vec::new(), left: count, depth: self.depth + 1 };
        let value = visitor.visit_seq(&mut items)?;
        let first = items.types.first().cloned().unwrap_or_default();
        let same = items.types.iter().all(|it| *it == first);
        Ok((value, if same { first } else { ValueType::Unknown }))
    }

    fn is_too_deep(&self) -> bool {
        self.depth >= MAX_DEPTH
    }
}

/// All types of keys.
const TYPES: [Type; 8] =
    [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol, Type::Time];

/// What a visitor says it takes.
struct Wanted<'a, E>(&'a E);

impl<E: Expected> fmt::Display for Wanted<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! numbers {
    ($($asked:ident $ty:ident $visit:ident $sample:expr,)*) => {$(
        fn $asked<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
            self.note(ValueType::$ty);
            visitor.$visit($sample)
        }
    )*};
}

impl<'de> Deserializer<'de> for Sample<'_> {
    type Error = NotRead;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NotRead> {
        Err(NotRead::Other)
    }

    numbers! {
        deserialize_bool Bool visit_bool false,
        deserialize_char Char visit_char 'a',
        deserialize_i8 Int visit_i64 1,
        deserialize_i16 Int visit_i64 1,
        deserialize_i32 Int visit_i64 1,
        deserialize_i64 Int visit_i64 1,
        deserialize_u8 Int visit_u64 1,
        deserialize_u16 Int visit_u64 1,
        deserialize_u32 Int visit_u64 1,
        deserialize_u64 Int visit_u64 1,
        deserialize_f32 Float visit_f32 1.0,
        deserialize_f64 Float visit_f64 1.0,
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        if self.is_too_deep() {
            return visitor.visit_none();
        }
        let ty = match &*self.ty.borrow() {
            ValueType::Option(it) => (**it).clone(),
            _ => ValueType::Unknown,
        };
        let inner = RefCell::new(ty);
        let result = visitor.visit_some(Sample { ty: &inner, depth: self.depth + 1 });
        self.note(ValueType::Option(inner.into_inner().into()));
        result
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        // A list may be empty where its items are not known.
        let count = if self.is_too_deep() { 0 } else { 1 };
        let (value, ty) = self.items(count, visitor)?;
        self.note(ValueType::List(ty.into()));
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, NotRead> {
        let (value, ty) = self.items(if self.is_too_deep() { 0 } else { count }, visitor)?;
        if ty != ValueType::Unknown {
            self.note(ValueType::Array(ty.into(), count));
        }
        Ok(value)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        Ok(self.items(if self.is_too_deep() { 0 } else { count }, visitor)?.0)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        visitor.visit_map(Named { given: Vec::new(), next: 0, depth: 0 })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        if self.is_too_deep() {
            return Err(NotRead::Other);
        }
        let types: Vec<RefCell<ValueType>> = names.iter().map(|_| RefCell::default()).collect();
        let given = names.iter().copied().zip(&types).collect();
        visitor.visit_map(Named { given, next: 0, depth: self.depth + 1 })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, NotRead> {
        if name == FLOAT_EXPR {
            self.note(ValueType::FloatExpr);
            return visitor.visit_f32(1.0);
        }
        // `Metres(2.0)` can be written as well as `2.0`.
        let inner = RefCell::new(self.ty.borrow().clone());
        visitor.visit_newtype_struct(Sample { ty: &inner, depth: self.depth })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotRead> {
        let name = match &*self.ty.borrow() {
            ValueType::Variant(names) => names.first().cloned(),
            _ => variants.first().map(|it| (*it).to_owned()),
        };
        self.note(ValueType::Variant(variants.iter().map(|it| (*it).into()).collect()));
        visitor.visit_enum(First(name.ok_or(NotRead::Other)?))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotRead> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, NotRead> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 bytes byte_buf identifier ignored_any }
}

/// Values in a row, with their types.
struct Items {
    types: Vec<ValueType>,
    left: usize,
    depth: usize,
}

impl<'de> SeqAccess<'de> for &mut Items {
    type Error = NotRead;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, NotRead> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let ty = RefCell::default();
        let value = seed.deserialize(Sample { ty: &ty, depth: self.depth })?;
        self.types.push(ty.into_inner());
        Ok(Some(value))
    }
}

/// A variant of an enum, if it has no fields.
struct First(String);

impl<'de> EnumAccess<'de> for First {
    type Error = NotRead;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), NotRead> {
        Ok((seed.deserialize(StrDeserializer::<NotRead>::new(&self.0))?, self))
    }
}

impl<'de> VariantAccess<'de> for First {
    type Error = NotRead;

    fn unit_variant(self) -> Result<(), NotRead> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, NotRead> {
        Err(NotRead::Other)
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, NotRead> {
        Err(NotRead::Other)
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, NotRead> {
        Err(NotRead::Other)
    }
}
