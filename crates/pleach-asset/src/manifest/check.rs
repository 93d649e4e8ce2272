//! Whether the parameters of a leaf are as a manifest describes them.

use std::fmt;

use pleach_core::{Entity, EventName, Key, Symbol, Time, Type};
use serde_core::Deserialize;
use serde_core::de::{DeserializeSeed, Deserializer, EnumAccess, Error, SeqAccess, Visitor};

use crate::FloatExpr;
use crate::code::Code;
use crate::finding::Finding;
use crate::info::{LeafInfo, ParameterInfo, Presence, ValueType};
use crate::params::{De, Fail, Owner, Sink};
use crate::registry::{Call, help_with};
use crate::suggest::list;
use crate::syntax::{Args, Value};

/// Notes all that is wrong with the parameters of a leaf. Returns whether nothing is.
pub(super) fn parameters(leaf: &LeafInfo, call: Call<'_>) -> bool {
    let Call { of: written, keys, findings, is_test: _ } = call;
    let Some(known) = &leaf.parameters else { return true };
    let head = written.head();
    let names: Vec<&str> = known.iter().map(|it| &*it.name).collect();
    let before = findings.count();
    let mut sink = Sink::new(head.text);
    let mut given = vec![false; known.len()];
    let mut values: Vec<(&ParameterInfo, Value<'_>)> = Vec::new();
    match written.args() {
        Args::None => {}
        Args::Named(fields) => {
            for (field, value) in fields {
                match known.iter().position(|it| it.name == field.text) {
                    Some(at) => {
                        given[at] = true;
                        values.push((&known[at], value));
                    }
                    None => sink.unknown(field.span, Owner::Leaf(head.text), field.text, &names),
                }
            }
        }
        Args::Tuple(items) => {
            for (at, value) in items.enumerate() {
                match known.get(at) {
                    Some(it) => {
                        given[at] = true;
                        values.push((it, value));
                    }
                    None => {
                        let message = match known.len() {
                            0 => format!("`{}`: it takes no parameters", head.text),
                            _ => format!("`{}`: too many values", head.text),
                        };
                        let help = (!names.is_empty()).then(|| format!("it takes {}", list(&names)).into());
                        findings.push(Finding::new(Code::Parameters, value.span(), message).maybe_help(help));
                        break;
                    }
                }
            }
        }
    }
    findings.append(sink.take());
    // What is misspelt is not missing.
    let is_complete = findings.count() == before;
    for (parameter, value) in values {
        let de = De { data: value.data(), span: value.span(), root: false, sink: &sink };
        let (result, missed) = keys.lend(|| Of(&parameter.ty).deserialize(de));
        let Err(fail) = result else { continue };
        let Fail { message, help, span, missing: _ } = fail;
        let help = help.or_else(|| missed.as_ref().and_then(|it| help_with(it, &message)));
        let message = format!("`{}` of `{}`: {message}", parameter.name, head.text);
        findings.push(Finding::new(Code::Parameters, span.unwrap_or(value.span()), message).maybe_help(help));
    }
    let missing = known.iter().zip(given).filter(|it| !it.1 && it.0.presence == Presence::Required);
    for (parameter, _) in missing.filter(|_| is_complete) {
        let message = format!("`{}`: the parameter `{}` is missing", head.text, parameter.name);
        let help = (names.len() > 1).then(|| format!("it takes {}", list(&names)).into());
        findings.push(Finding::new(Code::Parameters, head.span, message).maybe_help(help));
    }
    findings.count() == before
}

/// Reads a value of a type and forgets it.
struct Of<'a>(&'a ValueType);

impl<'de> DeserializeSeed<'de> for Of<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, it: D) -> Result<(), D::Error> {
        match self.0 {
            ValueType::Unknown => Ok(()),
            ValueType::Bool => bool::deserialize(it).map(drop),
            ValueType::Int => it.deserialize_i64(Whole),
            ValueType::Float => f64::deserialize(it).map(drop),
            ValueType::Char => char::deserialize(it).map(drop),
            ValueType::Text => it.deserialize_str(OneOf(None)),
            ValueType::OneOf(words) => it.deserialize_str(OneOf(Some(words))),
            ValueType::Variant(names) => it.deserialize_enum("", &[], Variant(names)),
            ValueType::Word => Symbol::deserialize(it).map(drop),
            ValueType::Event => EventName::deserialize(it).map(drop),
            ValueType::Key(Type::Bool) => Key::<bool>::deserialize(it).map(drop),
            ValueType::Key(Type::Int) => Key::<i64>::deserialize(it).map(drop),
            ValueType::Key(Type::Float) => Key::<f32>::deserialize(it).map(drop),
            ValueType::Key(Type::Vec2) => Key::<[f32; 2]>::deserialize(it).map(drop),
            ValueType::Key(Type::Vec3) => Key::<[f32; 3]>::deserialize(it).map(drop),
            ValueType::Key(Type::Entity) => Key::<Entity>::deserialize(it).map(drop),
            ValueType::Key(Type::Time) => Key::<Time>::deserialize(it).map(drop),
            ValueType::Key(Type::Symbol) => Key::<Symbol>::deserialize(it).map(drop),
            ValueType::FloatExpr => FloatExpr::deserialize(it).map(drop),
            ValueType::Option(of) => it.deserialize_option(Maybe(of)),
            ValueType::List(of) => it.deserialize_seq(Items { of, count: None }),
            ValueType::Array(of, count) => it.deserialize_tuple(*count, Items { of, count: Some(*count) }),
        }
    }
}

struct Whole;

impl Visitor<'_> for Whole {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
}

/// Any string, or one of these.
struct OneOf<'a>(Option<&'a [String]>);

impl Visitor<'_> for OneOf<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "a word" } else { "a string" })
    }
    fn visit_str<E: Error>(self, word: &str) -> Result<(), E> {
        match self.0 {
            Some(words) if !words.iter().any(|it| it == word) => {
                let words: Vec<&str> = words.iter().map(|it| &**it).collect();
                let words = list(&words).replace(" and ", " or ");
                Err(E::custom(format_args!("unknown word `{word}`: use {words}")))
            }
            _ => Ok(()),
        }
    }
}

/// A variant of these, with any values of its own.
struct Variant<'a>(&'a [String]);

impl<'de> Visitor<'de> for Variant<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_enum<A: EnumAccess<'de>>(self, it: A) -> Result<(), A::Error> {
        let (name, _) = it.variant::<String>()?;
        OneOf(Some(self.0)).visit_str(&name)
    }
}

struct Maybe<'a>(&'a ValueType);

impl<'de> Visitor<'de> for Maybe<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or nothing", self.0)
    }
    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_some<D: Deserializer<'de>>(self, it: D) -> Result<(), D::Error> {
        Of(self.0).deserialize(it)
    }
}

struct Items<'a> {
    of: &'a ValueType,
    count: Option<usize>,
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "an array of length {count}"),
            None => f.write_str("a list"),
        }
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut found = 0;
        while self.count.is_none_or(|it| found < it) {
            if items.next_element_seed(Of(self.of))?.is_none() {
                break;
            }
            found += 1;
        }
        match self.count {
            Some(count) if found < count => Err(A::Error::invalid_length(found, &self)),
            _ => Ok(()),
        }
    }
}
