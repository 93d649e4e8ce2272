//! Values of keys in a save.

use std::fmt;

use pleach_expr::runtime::{hash_of, of_hash};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Entity, Time, Value};

/// A value of a key.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) enum SavedValue {
    Bool(bool),
    Int(i64),
    Float(Float),
    Vec2(Float, Float),
    Vec3(Float, Float, Float),
    Entity(u64),
    Symbol(u64),
    /// In nanoseconds.
    Time(u64),
}

impl From<Value> for SavedValue {
    fn from(it: Value) -> Self {
        match it {
            Value::Bool(it) => SavedValue::Bool(it),
            Value::Int(it) => SavedValue::Int(it),
            Value::Float(it) => SavedValue::Float(Float(it)),
            Value::Vec2([x, y]) => SavedValue::Vec2(Float(x), Float(y)),
            Value::Vec3([x, y, z]) => SavedValue::Vec3(Float(x), Float(y), Float(z)),
            Value::Entity(it) => SavedValue::Entity(it.to_bits()),
            Value::Symbol(it) => SavedValue::Symbol(hash_of(it)),
            Value::Time(it) => SavedValue::Time(it.as_nanos()),
        }
    }
}

impl From<SavedValue> for Value {
    fn from(it: SavedValue) -> Self {
        match it {
            SavedValue::Bool(it) => Value::Bool(it),
            SavedValue::Int(it) => Value::Int(it),
            SavedValue::Float(it) => Value::Float(it.0),
            SavedValue::Vec2(x, y) => Value::Vec2([x.0, y.0]),
            SavedValue::Vec3(x, y, z) => Value::Vec3([x.0, y.0, z.0]),
            SavedValue::Entity(it) => Value::Entity(Entity::from_bits(it)),
            SavedValue::Symbol(it) => Value::Symbol(of_hash(it)),
            SavedValue::Time(it) => Value::Time(Time::from_nanos(it)),
        }
    }
}

/// A number that formats for people write as a word if it is not finite: JSON has no other way.
#[derive(Clone, Copy)]
pub(crate) struct Float(f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() && !self.0.is_finite() {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_f32(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Float;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or one of the words NaN, inf, -inf")
            }
            #[expect(clippy::cast_possible_truncation, reason = "it was written as an f32")]
            fn visit_f64<E: Error>(self, it: f64) -> Result<Float, E> {
                Ok(Float(it as f32))
            }
            fn visit_f32<E: Error>(self, it: f32) -> Result<Float, E> {
                Ok(Float(it))
            }
            #[expect(clippy::cast_precision_loss, reason = "it was written as an f32")]
            fn visit_i64<E: Error>(self, it: i64) -> Result<Float, E> {
                Ok(Float(it as f32))
            }
            #[expect(clippy::cast_precision_loss, reason = "it was written as an f32")]
            fn visit_u64<E: Error>(self, it: u64) -> Result<Float, E> {
                Ok(Float(it as f32))
            }
            fn visit_str<E: Error>(self, it: &str) -> Result<Float, E> {
                it.parse().map(Float).map_err(|_| E::invalid_value(serde::de::Unexpected::Str(it), &self))
            }
        }
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Word)
        } else {
            deserializer.deserialize_f32(Word)
        }
    }
}
