//! Reads JSON objects field by field. Every object knows its path and which fields were read, so
//! that an unknown, missing or duplicate field is an error with its place.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Problem, ScenarioError, Value};

/// A JSON value. Unlike `serde_json::Value` it rejects a duplicate field.
#[derive(Debug)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// Too large for an `i64`.
    BigInt(u64),
    Float(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// A place in the text: the value there, and its path.
#[derive(Clone, Debug)]
pub(super) struct Spot<'a> {
    pub(super) json: &'a Json,
    pub(super) at: String,
}

/// An object whose fields are taken one by one.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    fields: &'a [(String, Json)],
    at: String,
    asked: Vec<&'static str>,
}

pub(super) fn error(at: impl Into<String>, problem: Problem) -> ScenarioError {
    ScenarioError { file: None, at: at.into(), problem }
}

impl<'a> Spot<'a> {
    pub(super) fn expected(&self, what: impl Into<String>) -> ScenarioError {
        error(self.at.clone(), Problem::Expected { expected: what.into(), found: self.json.to_string() })
    }

    pub(super) fn string(&self) -> Result<&'a str, ScenarioError> {
        match self.json {
            Json::String(s) => Ok(s),
            _ => Err(self.expected("a string")),
        }
    }

    pub(super) fn bool(&self) -> Result<bool, ScenarioError> {
        match self.json {
            Json::Bool(b) => Ok(*b),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A whole number that fits into the requested type.
    pub(super) fn int<T: TryFrom<i128>>(&self, what: &str) -> Result<T, ScenarioError> {
        let number = match self.json {
            Json::Int(n) => Some(i128::from(*n)),
            Json::BigInt(n) => Some(i128::from(*n)),
            _ => None,
        };
        number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| self.expected(what))
    }

    /// Any number.
    pub(super) fn number(&self) -> Result<f64, ScenarioError> {
        match self.json {
            // Beyond 2^53 this is the nearest float, as for the same digits with a point.
            Json::Int(n) => Ok(*n as f64),
            Json::BigInt(n) => Ok(*n as f64),
            Json::Float(x) => Ok(*x),
            _ => Err(self.expected("a number")),
        }
    }

    /// A value of the blackboard.
    pub(super) fn value(&self) -> Result<Value, ScenarioError> {
        match self.json {
            Json::Bool(b) => Ok(Value::Bool(*b)),
            Json::Int(n) => Ok(Value::Int(*n)),
            Json::Float(_) => self.float().map(Value::Float),
            Json::String(word) => Ok(Value::Symbol(word.clone())),
            Json::Array(_) => {
                let floats: Vec<f32> = self.array()?.iter().map(Spot::float).collect::<Result<_, _>>()?;
                match *floats {
                    [x, y] => Ok(Value::Vec2([x, y])),
                    [x, y, z] => Ok(Value::Vec3([x, y, z])),
                    _ => Err(self.expected("a list of two or three numbers")),
                }
            }
            Json::Object(_) => {
                let mut f = self.fields()?;
                let value = match f.get("time") {
                    Some(it) => {
                        let nanos: i64 = it.int("a whole number from 0 to 2^63 - 1")?;
                        let nanos =
                            u64::try_from(nanos).map_err(|_| it.expected("a whole number from 0 to 2^63 - 1"))?;
                        Value::Time(nanos)
                    }
                    None => Value::Entity(f.need("entity")?.int("a whole number >= 0")?),
                };
                f.done()?;
                Ok(value)
            }
            Json::Null | Json::BigInt(_) => {
                Err(self.expected("a bool, a whole number, a float, a vector, an entity, a time or a word"))
            }
        }
    }

    /// Any number, as the nearest of 32 bits.
    fn float(&self) -> Result<f32, ScenarioError> {
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest f32 is what is meant")]
        let x = self.number()? as f32;
        if x.is_finite() { Ok(x) } else { Err(self.expected("a number that fits into 32 bits")) }
    }

    pub(super) fn array(&self) -> Result<Vec<Spot<'a>>, ScenarioError> {
        match self.json {
            Json::Array(items) => {
                Ok(items.iter().enumerate().map(|(i, json)| Spot { json, at: format!("{}[{i}]", self.at) }).collect())
            }
            _ => Err(self.expected("a list")),
        }
    }

    /// The entries of an object whose field names are data.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Spot<'a>)>, ScenarioError> {
        match self.json {
            Json::Object(entries) => {
                let spot = |(name, json): &'a (String, Json)| (name.as_str(), Spot { json, at: below(&self.at, name) });
                Ok(entries.iter().map(spot).collect())
            }
            _ => Err(self.expected("an object")),
        }
    }

    pub(super) fn fields(&self) -> Result<Fields<'a>, ScenarioError> {
        match self.json {
            Json::Object(fields) => Ok(Fields { fields, at: self.at.clone(), asked: Vec::new() }),
            _ => Err(self.expected("an object")),
        }
    }
}

impl<'a> Fields<'a> {
    /// The field, if it exists.
    pub(super) fn get(&mut self, name: &'static str) -> Option<Spot<'a>> {
        self.asked.push(name);
        let (_, json) = self.fields.iter().find(|(n, _)| n == name)?;
        Some(Spot { json, at: below(&self.at, name) })
    }

    /// The required field.
    pub(super) fn need(&mut self, name: &'static str) -> Result<Spot<'a>, ScenarioError> {
        self.get(name).ok_or_else(|| error(self.at.clone(), Problem::Missing(name)))
    }

    /// The field as read by `read`, or the default without it.
    pub(super) fn or<T>(
        &mut self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&Spot<'a>) -> Result<T, ScenarioError>,
    ) -> Result<T, ScenarioError> {
        self.get(name).map_or(Ok(default), |spot| read(&spot))
    }

    /// Checks that every field was read.
    pub(super) fn done(self) -> Result<(), ScenarioError> {
        match self.fields.iter().find(|(name, _)| !self.asked.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let allowed = self.asked.join(", ");
                Err(error(self.at, Problem::UnknownField { field: name.clone(), allowed }))
            }
        }
    }
}

fn below(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// A short form, for error messages.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Int(n) => write!(f, "{n}"),
            Json::BigInt(n) => write!(f, "{n}"),
            Json::Float(x) => write!(f, "{x:?}"),
            Json::String(s) => write!(f, "{s:?}"),
            Json::Array(items) => write!(f, "a list of {}", items.len()),
            Json::Object(_) => f.write_str("an object"),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Json, E> {
        Ok(Json::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Json, E> {
        Ok(Json::Int(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Json, E> {
        Ok(i64::try_from(v).map_or(Json::BigInt(v), Json::Int))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Json, E> {
        Ok(Json::Float(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Json, E> {
        Ok(Json::String(v.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.iter().any(|(n, _)| *n == name) {
                return Err(A::Error::custom(format_args!("field `{name}` is given twice")));
            }
            fields.push((name, map.next_value()?));
        }
        Ok(Json::Object(fields))
    }
}
