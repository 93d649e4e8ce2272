//! Declarations of events: `{ "noise": Vec2, "alarm": () }`.

use std::collections::HashMap;

use pleach_core::Type;
use pleach_core::limits::MAX_EVENTS;

use super::{AssetReader, suggest};
use crate::asset::EventEntry;
use crate::code::Code;
use crate::span::{Span, Word};
use crate::suggest::list;
use crate::syntax::{Args, Data, Value};

const TYPES: [(&str, Type); 8] = [
    ("Bool", Type::Bool),
    ("Int", Type::Int),
    ("Float", Type::Float),
    ("Vec2", Type::Vec2),
    ("Vec3", Type::Vec3),
    ("Entity", Type::Entity),
    ("Symbol", Type::Symbol),
    ("Time", Type::Time),
];

/// A type as assets write it; nothing is `()`.
pub(crate) fn payload_name(payload: Option<Type>) -> &'static str {
    TYPES.iter().find(|it| Some(it.1) == payload).map_or("()", |it| it.0)
}

impl AssetReader {
    pub(super) fn events<'a>(&mut self, value: Value<'a>) -> Vec<EventEntry<'a>> {
        let (span, what) = (value.span(), value.what());
        let Data::Map(entries) = value.data() else {
            self.error(
                Code::WrongValue,
                span,
                format!("events must be a map like {{ \"noise\": Vec2, \"alarm\": () }}, not {what}"),
            );
            self.broken.all_events = true;
            return Vec::new();
        };
        let mut events = Vec::new();
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (name, payload) in entries.entries() {
            let span = name.span();
            if seen.len() == MAX_EVENTS {
                // The core would report this too, but for each of them.
                self.error(Code::Limit, span, format!("more than {MAX_EVENTS} events"));
                break;
            }
            let Data::Text(text) = name.data() else {
                self.error(
                    Code::WrongValue,
                    span,
                    format!("the name of an event must be a string, not {}", name.what()),
                )
                .help = super::bare(name);
                continue;
            };
            if let Some(first) = seen.get(text).copied() {
                let finding = self.error(Code::DoubledName, span, format!("the event `{text}` is declared twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            seen.insert(text, span);
            let name = Word { text, span };
            let payload = self.payload(name, payload).unwrap_or_else(|| {
                self.broken.events.insert(text.to_owned());
                None
            });
            events.push(EventEntry { name, payload });
        }
        events
    }

    fn payload(&mut self, event: Word<'_>, value: Value<'_>) -> Option<Option<Type>> {
        match value.data() {
            Data::Call(None, Args::Tuple(values)) if values.count() == 0 => Some(None),
            Data::Call(None, Args::None) => Some(None),
            Data::Call(Some(name), Args::None) => {
                let found = TYPES.iter().find(|it| it.0 == name.text);
                if found.is_none() {
                    let names = TYPES.map(|it| it.0);
                    let help =
                        suggest(name.text, names).unwrap_or_else(|| format!("the types are {}", list(&names)).into());
                    self.error(Code::UnknownType, name.span, format!("unknown type `{}`", name.text)).help = Some(help);
                }
                found.map(|it| Some(it.1))
            }
            _ => {
                let help = "write the type of its payload, such as `Vec2`, or `()` if it has none";
                let message = format!("the event `{}` cannot be {}", event.text, value.what());
                self.error(Code::WrongValue, value.span(), message).help = Some(help.into());
                None
            }
        }
    }
}
