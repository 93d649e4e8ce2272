//! [`Argument`]: what an asset gives for a parameter of a leaf that is described by data.

use std::fmt;

use pleach_core::expr::KeyIndex;
use pleach_core::{BlackboardType, Entity, EventName, Key, Symbol, Time, Type};
use serde_core::Deserialize;
use serde_core::de::{DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, SeqAccess, Visitor};

use crate::FloatExpr;
use crate::info::ValueType;
use crate::suggest::list;

/// What an asset gives for a parameter of a leaf that is [described](crate::Registry::described),
/// or the parameter's default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Argument {
    /// Nothing: it is left out and has no default, or is `None`.
    Nothing,
    /// Of [`ValueType::Bool`].
    Bool(bool),
    /// Of [`ValueType::Int`]: an `i64` or a `u64`.
    Int(i128),
    /// Of [`ValueType::Float`].
    Float(f64),
    /// Of [`ValueType::Char`].
    Char(char),
    /// Of [`ValueType::Text`], [`ValueType::Word`], [`ValueType::OneOf`] and
    /// [`ValueType::Variant`]; of a variant with values of its own only the name.
    Text(String),
    /// Of [`ValueType::Event`].
    Event(EventName),
    /// Of [`ValueType::Key`].
    Key(AnyKey),
    /// Of [`ValueType::FloatExpr`].
    FloatExpr(FloatExpr),
    /// Of [`ValueType::List`] and [`ValueType::Array`].
    List(Vec<Argument>),
    /// Of [`ValueType::Unknown`]: as RON would write it.
    Written(String),
}

/// A key whose type is known only at run time.
#[derive(Clone, Copy, Debug)]
pub enum AnyKey {
    /// Of [`Type::Bool`].
    Bool(Key<bool>),
    /// Of [`Type::Int`].
    Int(Key<i64>),
    /// Of [`Type::Float`].
    Float(Key<f32>),
    /// Of [`Type::Vec2`].
    Vec2(Key<[f32; 2]>),
    /// Of [`Type::Vec3`].
    Vec3(Key<[f32; 3]>),
    /// Of [`Type::Entity`].
    Entity(Key<Entity>),
    /// Of [`Type::Time`].
    Time(Key<Time>),
    /// Of [`Type::Symbol`].
    Symbol(Key<Symbol>),
}

impl AnyKey {
    /// Its type.
    #[must_use]
    pub fn ty(self) -> Type {
        fn of<T: BlackboardType>(_: Key<T>) -> Type {
            T::TYPE
        }
        with_key!(self, it => of(it))
    }

    /// Its place in the schema of its tree.
    #[must_use]
    pub fn index(self) -> KeyIndex {
        with_key!(self, it => it.index())
    }

    fn read<'de, D: Deserializer<'de>>(ty: Type, it: D) -> Result<AnyKey, D::Error> {
        Ok(key_of_type!(ty, Key::deserialize(it)?))
    }
}

/// Reads a value of a type.
pub(crate) struct Of<'a>(pub(crate) &'a ValueType);

impl<'de> DeserializeSeed<'de> for Of<'_> {
    type Value = Argument;

    fn deserialize<D: Deserializer<'de>>(self, it: D) -> Result<Argument, D::Error> {
        Ok(match self.0 {
            // The text is known in `registry/arguments.rs`, which puts it in.
            ValueType::Unknown => Argument::Written(String::new()),
            ValueType::Bool => Argument::Bool(bool::deserialize(it)?),
            ValueType::Int => Argument::Int(it.deserialize_i64(Whole)?),
            ValueType::Float => Argument::Float(f64::deserialize(it)?),
            ValueType::Char => Argument::Char(char::deserialize(it)?),
            ValueType::Text => Argument::Text(it.deserialize_str(OneOf(None))?),
            ValueType::OneOf(words) => Argument::Text(it.deserialize_str(OneOf(Some(words)))?),
            ValueType::Variant(names) => Argument::Text(it.deserialize_enum("", &[], Variant(names))?),
            ValueType::Word => Argument::Text(it.deserialize_string(Word)?),
            ValueType::Event => Argument::Event(EventName::deserialize(it)?),
            ValueType::Key(ty) => Argument::Key(AnyKey::read(*ty, it)?),
            ValueType::FloatExpr => Argument::FloatExpr(FloatExpr::deserialize(it)?),
            ValueType::Option(of) => it.deserialize_option(Maybe(of))?,
            ValueType::List(of) => Argument::List(it.deserialize_seq(Items { of, count: None })?),
            ValueType::Array(of, count) => {
                Argument::List(it.deserialize_tuple(*count, Items { of, count: Some(*count) })?)
            }
        })
    }
}

struct Whole;

impl Visitor<'_> for Whole {
    type Value = i128;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }
    fn visit_i64<E: Error>(self, it: i64) -> Result<i128, E> {
        Ok(it.into())
    }
    fn visit_u64<E: Error>(self, it: u64) -> Result<i128, E> {
        Ok(it.into())
    }
}

/// A word of a symbol key that the node sees.
struct Word;

impl Visitor<'_> for Word {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word as a string")
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<String, E> {
        Symbol::deserialize(IntoDeserializer::<E>::into_deserializer(word))?;
        Ok(word.into())
    }
}

/// Any string, or one of these.
struct OneOf<'a>(Option<&'a [String]>);

impl Visitor<'_> for OneOf<'_> {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a word" } else { "a string" })
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<String, E> {
        match self.0 {
            Some(words) if !words.iter().any(|it| it == word) => {
                let words: Vec<&str> = words.iter().map(|it| &**it).collect();
                let words = list(&words).replace(" and ", " or ");
                Err(E::custom(format_args!("unknown word `{word}`: use {words}")))
            }
            _ => Ok(word.into()),
        }
    }
}

/// A variant of these, with any values of its own.
struct Variant<'a>(&'a [String]);

impl<'de> Visitor<'de> for Variant<'_> {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_enum<A: EnumAccess<'de>>(self, it: A) -> Result<String, A::Error> {
        let (name, _) = it.variant::<String>()?;
        OneOf(Some(self.0)).visit_str(&name)
    }
}

struct Maybe<'a>(&'a ValueType);

impl<'de> Visitor<'de> for Maybe<'_> {
    type Value = Argument;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or nothing", self.0)
    }
    fn visit_none<E: Error>(self) -> Result<Argument, E> {
        Ok(Argument::Nothing)
    }
    fn visit_some<D: Deserializer<'de>>(self, it: D) -> Result<Argument, D::Error> {
        Of(self.0).deserialize(it)
    }
}

struct Items<'a> {
    of: &'a ValueType,
    count: Option<usize>,
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Vec<Argument>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "an array of length {count}"),
            None => f.write_str("a list"),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Argument>, A::Error> {
        let mut found = Vec::new();
        while self.count.is_none_or(|it| found.len() < it) {
            match items.next_element_seed(Of(self.of))? {
                Some(it) => found.push(it),
                None => break,
            }
        }
        match self.count {
            Some(count) if found.len() < count => Err(A::Error::invalid_length(found.len(), &self)),
            _ => Ok(found),
        }
    }
}
