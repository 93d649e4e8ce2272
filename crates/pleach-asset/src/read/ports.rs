//! Ports of a file: `{ "target": In(Vec2), "speed": In(Float, 3.0), "mode": InOut(Symbol(["idle",
//! "alert"])) }`.

use std::collections::HashMap;

use pleach_core::expr::{is_name, is_word};
use pleach_core::limits::{MAX_KEYS, MAX_NAME, MAX_WORDS};
use pleach_core::{Entity, Value as CoreValue, error::SchemaError, nodes::Direction, schema::KeyDefault};

use super::{AssetReader, first, keys, suggest};
use crate::asset::PortEntry;
use crate::code::Code;
use crate::literal;
use crate::span::{Span, Word};
use crate::suggest::list;
use crate::syntax::{Args, Data, List, Value};

const DIRECTIONS: [(&str, Direction); 3] =
    [("In", Direction::In), ("Out", Direction::Out), ("InOut", Direction::InOut)];

impl AssetReader {
    pub(super) fn ports<'a>(&mut self, value: Value<'a>) -> Vec<PortEntry<'a>> {
        let Data::Map(entries) = value.data() else {
            let what = value.what();
            self.error(
                Code::WrongValue,
                value.span(),
                format!("ports must be a map like {{ \"target\": In(Vec2) }}, not {what}"),
            );
            self.broken.all_keys = true;
            return Vec::new();
        };
        let mut ports = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (name, value) in entries.entries() {
            let span = name.span();
            if seen.len() == MAX_KEYS {
                self.error(Code::Limit, span, format!("more than {MAX_KEYS} ports"));
                break;
            }
            let Data::Text(text) = name.data() else {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("the name of a port must be a string, not {}", name.what()),
                )
                .help = super::bare(name);
                continue;
            };
            if let Some(first) = seen.insert(text, span) {
                let finding = self.error(Code::DoubledName, span, format!("the port `{text}` is declared twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            if !is_name(text) || text.len() > MAX_NAME {
                self.error(Code::BadName, span, SchemaError::BadName(text.into()).to_string());
                continue;
            }
            match self.port(Word { text, span }, value) {
                Some(port) => ports.push(port),
                None => _ = self.broken.keys.insert(text.to_owned()),
            }
        }
        ports
    }

    fn port<'a>(&mut self, name: Word<'a>, value: Value<'a>) -> Option<PortEntry<'a>> {
        let example = "write a direction and a type, as in `In(Vec2)`, `In(Float, 3.0)` or `Out(Bool)`";
        let (head, args) = match value.data() {
            Data::Call(Some(head), Args::Tuple(args)) => (head, args),
            _ => {
                let message = format!("the port `{}` cannot be {}", name.text, value.what());
                self.error(Code::WrongValue, first(value.span()), message).help = Some(example.into());
                return None;
            }
        };
        let Some((_, direction)) = DIRECTIONS.iter().find(|it| it.0 == head.text) else {
            let names = DIRECTIONS.map(|it| it.0);
            let help =
                suggest(head.text, names).unwrap_or_else(|| format!("the directions are {}", list(&names)).into());
            self.error(Code::UnknownType, head.span, format!("there is no direction `{}`", head.text)).help =
                Some(help);
            return None;
        };
        let mut rest = args;
        let (Some(ty), default, None) = (rest.next(), rest.next(), rest.next()) else {
            self.error(
                Code::WrongValue,
                value.span(),
                format!("`{}` takes a type and an optional default", head.text),
            )
            .help = Some(example.into());
            return None;
        };
        let mut words = Vec::new();
        let wanted = self.port_type(name, ty, &mut words)?;
        let Some(given) = default else {
            return Some(PortEntry { name, direction: *direction, default: wanted, has_default: false, words });
        };
        if *direction != Direction::In {
            let message = format!("the port `{}` is `{direction}`: only `In` ports have defaults", name.text);
            self.error(Code::KeyDefault, given.span(), message);
        }
        let default = literal(&wanted, given);
        if default.is_none() {
            let message =
                format!("the default of the port `{}` must be {}, not {}", name.text, type_name(&wanted), given.what());
            self.error(Code::KeyDefault, first(given.span()), message);
        }
        let default = default.unwrap_or(wanted);
        Some(PortEntry { name, direction: *direction, default, has_default: true, words })
    }

    /// A type, with any value of it.
    fn port_type(&mut self, port: Word<'_>, ty: Value<'_>, spans: &mut Vec<Span>) -> Option<KeyDefault> {
        let types = keys::TYPES;
        match ty.data() {
            Data::Call(Some(name), Args::Tuple(args)) if name.text == "Symbol" => {
                let Some(Data::List(words)) = args.only().map(Value::data) else {
                    self.error(
                        Code::WrongValue,
                        ty.span(),
                        "`Symbol` takes a list of its words: `Symbol([\"idle\", \"alert\"])`",
                    );
                    return None;
                };
                self.port_words(port, ty, words, spans)
            }
            Data::Call(Some(name), Args::None) if name.text == "Symbol" => {
                self.error(Code::MissingField, name.span, format!("the port `{}` must list its words", port.text))
                    .help = Some("write `Symbol([\"idle\", \"alert\"])`".into());
                None
            }
            Data::Call(Some(name), Args::None) => {
                let it = keys::placeholder(name.text).filter(|_| types.contains(&name.text));
                if it.is_none() {
                    let help =
                        suggest(name.text, types).unwrap_or_else(|| format!("the types are {}", list(&types)).into());
                    self.error(Code::UnknownType, name.span, format!("unknown type `{}`", name.text)).help = Some(help);
                }
                it
            }
            _ => {
                let message = format!("the type of the port `{}` cannot be {}", port.text, ty.what());
                self.error(Code::UnknownType, first(ty.span()), message).help =
                    Some(format!("the types are {}", list(&types)).into());
                None
            }
        }
    }

    fn port_words(
        &mut self,
        port: Word<'_>,
        ty: Value<'_>,
        items: List<'_>,
        spans: &mut Vec<Span>,
    ) -> Option<KeyDefault> {
        let count = items.count();
        if count == 0 || count > MAX_WORDS {
            self.error(Code::Limit, first(ty.span()), format!("a symbol has 1 to {MAX_WORDS} words, not {count}"));
            return None;
        }
        let mut words: Vec<String> = Vec::new();
        for item in items {
            match item.data() {
                Data::Text(word) if is_word(word) => {
                    words.push(word.to_owned());
                    spans.push(item.span());
                }
                Data::Text(word) => {
                    _ = self.error(Code::BadName, item.span(), SchemaError::bad_word(port.text, word).to_string())
                }
                _ => _ = self.error(Code::WrongValue, item.span(), format!("expected a string, found {}", item.what())),
            }
        }
        words.first().cloned().map(|it| KeyDefault::Symbol(it, words))
    }
}

/// A literal as a value of the type of `wanted`. Words of symbols are unquoted.
pub(crate) fn literal(wanted: &KeyDefault, value: Value<'_>) -> Option<KeyDefault> {
    let data = value.data();
    Some(match wanted {
        KeyDefault::Value(CoreValue::Bool(_)) => keys::boolean(value)?.into(),
        KeyDefault::Value(CoreValue::Int(_)) => literal::signed(data)?.into(),
        KeyDefault::Value(CoreValue::Float(_)) => finite(value)?.into(),
        KeyDefault::Value(CoreValue::Vec2(_)) => floats::<2>("Vec2", value)?.into(),
        KeyDefault::Value(CoreValue::Vec3(_)) => floats::<3>("Vec3", value)?.into(),
        KeyDefault::Value(CoreValue::Entity(_)) if keys::is_none(value) => Entity::NONE.into(),
        KeyDefault::Value(CoreValue::Entity(_)) => Entity::from_bits(literal::unsigned(data)?).into(),
        KeyDefault::Value(CoreValue::Symbol(_)) => return None,
        KeyDefault::Value(CoreValue::Time(_)) => keys::time(value)?.into(),
        KeyDefault::Symbol(_, words) => match data {
            Data::Call(Some(word), Args::None) if words.iter().any(|it| it == word.text) => {
                KeyDefault::Symbol(word.text.to_owned(), words.clone())
            }
            _ => return None,
        },
    })
}

fn finite(value: Value<'_>) -> Option<f32> {
    literal::float32(value.data()).filter(|it| it.is_finite())
}

/// `(1, 2)`, or with the name of the type before it.
fn floats<const N: usize>(name: &str, value: Value<'_>) -> Option<[f32; N]> {
    let Data::Call(head, Args::Tuple(values)) = value.data() else { return None };
    if head.is_some_and(|it| it.text != name) || values.count() != N {
        return None;
    }
    let mut floats = [0.0; N];
    for (float, value) in floats.iter_mut().zip(values) {
        *float = finite(value)?;
    }
    Some(floats)
}

/// The type of a port, for messages.
pub(crate) fn type_name(it: &KeyDefault) -> String {
    match it {
        KeyDefault::Value(it) => it.ty().to_string(),
        KeyDefault::Symbol(_, words) => {
            let words: Vec<&str> = words.iter().map(|it| &**it).collect();
            format!("one of the words {}", list(&words))
        }
    }
}
