//! Declarations of blackboard keys: `{ "health": Float(1.0), "mode": Symbol("idle", ["idle",
//! "alert"]) }`.

use std::collections::HashMap;

use pleach_core::expr::{is_name, is_word};
use pleach_core::limits::{MAX_KEYS, MAX_WORDS};
use pleach_core::names::nearest;
use pleach_core::{
    Entity, Time, Value as CoreValue,
    error::SchemaError,
    schema::{KeyDefault, Scope},
};

use super::{AssetReader, first, suggest};
use crate::asset::{KeyEntry, PortEntry};
use crate::code::Code;
use crate::finding::Finding;
use crate::literal;
use crate::span::{Span, Word};
use crate::suggest::write;
use crate::syntax::{Args, Data, List, Value};

pub(super) const TYPES: [&str; 8] = ["Bool", "Int", "Float", "Vec2", "Vec3", "Entity", "Symbol", "Time"];

impl AssetReader {
    pub(super) fn keys<'a>(&mut self, scope: Scope, value: Value<'a>, keys: &mut Vec<KeyEntry<'a>>) {
        let Data::Map(entries) = value.data() else {
            let message = format!("keys must be a map like {{ \"health\": Float(1.0) }}, not {}", value.what());
            self.error(Code::WrongValue, value.span(), message);
            self.broken.all_keys = true;
            return;
        };
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (key, value) in entries.entries() {
            let span = key.span();
            self.keys += 1;
            if self.keys > MAX_KEYS {
                // The core would report this too, but for each of them.
                if self.keys == MAX_KEYS + 1 {
                    self.error(Code::Limit, span, format!("more than {MAX_KEYS} keys"));
                }
                return;
            }
            let Data::Text(text) = key.data() else {
                self.error(Code::WrongValue, span, format!("the name of a key must be a string, not {}", key.what()))
                    .help = super::bare(key);
                if let Data::Call(Some(word), _) = key.data() {
                    self.broken.keys.insert(word.text.to_owned());
                }
                continue;
            };
            if let Some(first) = seen.get(text).copied() {
                let finding = self.error(Code::DoubledName, span, format!("{scope} key `{text}` is declared twice"));
                finding.also = Some(Box::new((first, "the first".into())));
                continue;
            }
            seen.insert(text, span);
            // Any unknown name may mean it.
            self.broken.all_keys |= !is_name(text);
            let name = Word { text, span };
            let meant = || match value.data() {
                Data::Call(Some(ty), _) => nearest(ty.text, TYPES),
                _ => guess(value),
            };
            // With a wrong default the key still has a type, so its uses are not errors too.
            let mut words = Vec::new();
            match self.default(name, value, &mut words).or_else(|| meant().and_then(placeholder)) {
                Some(default) => keys.push(KeyEntry { scope, name, default, words, local: false }),
                None => _ = self.broken.keys.insert(text.to_owned()),
            }
        }
    }

    /// Keys that get their defaults back when their node, or the root of their file or template,
    /// starts.
    pub(super) fn locals<'a>(&mut self, value: Value<'a>, keys: &mut Vec<KeyEntry<'a>>) {
        let mut locals = Vec::new();
        self.keys(Scope::Node, value, &mut locals);
        keys.extend(locals.into_iter().map(|it| KeyEntry { local: true, ..it }));
    }

    /// Removes and reports locals that share a name with something beside them.
    pub(super) fn doubled_locals(&mut self, keys: &mut Vec<KeyEntry<'_>>, ports: &[PortEntry<'_>]) {
        if !keys.iter().any(|it| it.local) {
            return;
        }
        let others = keys.iter().filter(|it| !it.local && matches!(it.scope, Scope::Node | Scope::Agent));
        let others: HashMap<&str, (Span, &str)> = (others
            .map(|it| (it.name.text, (it.name.span, "a key of the blackboard"))))
        .chain(ports.iter().map(|it| (it.name.text, (it.name.span, "a port"))))
        .collect();
        let mut doubled = Vec::new();
        for local in keys.iter().filter(|it| it.local) {
            if let Some((there, what)) = others.get(local.name.text) {
                let message = format!("`{}` is a local and {what}: rename one of them", local.name.text);
                doubled.push(Finding::new(Code::DoubledName, local.name.span, message).also(*there, "the other"));
            }
        }
        // All spans are equal, as equal assets may be written differently.
        let starts: Vec<usize> = doubled.iter().map(|it| it.span.start()).collect();
        keys.retain(|it| !starts.contains(&it.name.span.start()));
        doubled.into_iter().for_each(|it| _ = self.findings.push(it));
    }

    /// The type and default of a key; for a symbol it also records where the words are.
    fn default(&mut self, key: Word<'_>, value: Value<'_>, words: &mut Vec<Span>) -> Option<KeyDefault> {
        let span = value.span();
        let example = "write a type and a default, as in `Float(1.0)`, `Vec2(0, 0)` or `Symbol(\"a\", [\"a\", \"b\"])`";
        let (name, args) = match value.data() {
            Data::Call(Some(name), Args::Tuple(args)) => (name, args),
            Data::Call(Some(name), Args::None) if TYPES.contains(&name.text) => {
                self.error(Code::KeyDefault, name.span, format!("the key `{}` has no default", key.text)).help =
                    Some(example.into());
                return None;
            }
            Data::Call(Some(_), _)
            | Data::Call(None, _)
            | Data::Text(_)
            | Data::Literal(_)
            | Data::List(_)
            | Data::Map(_) => {
                self.error(Code::KeyDefault, span, format!("the key `{}` cannot be {}", key.text, value.what())).help =
                    Some(example.into());
                return None;
            }
        };
        let ty = name.text;
        let wanted = match ty {
            "Bool" | "Int" | "Float" | "Entity" | "Time" => 1,
            "Vec2" | "Symbol" => 2,
            "Vec3" => 3,
            other => {
                let help =
                    suggest(other, TYPES).unwrap_or_else(|| format!("the types are {}", super::list(&TYPES)).into());
                self.error(Code::UnknownType, name.span, format!("unknown type `{other}` of a key")).help = Some(help);
                return None;
            }
        };
        let found = args.count();
        if found != wanted {
            let values = if wanted == 1 { "value" } else { "values" };
            self.error(Code::KeyDefault, span, format!("`{ty}` takes {wanted} {values}, not {found}")).help =
                Some(example.into());
            return None;
        }
        let mut rest = args;
        let first = rest.next()?;
        match ty {
            "Bool" => match boolean(first) {
                Some(it) => Some(CoreValue::Bool(it).into()),
                None => self.wrong(first, "`true` or `false`"),
            },
            "Int" => match literal::signed(first.data()) {
                Some(it) => Some(CoreValue::Int(it).into()),
                None => self.wrong(first, "a whole number"),
            },
            "Entity" => match literal::unsigned(first.data()) {
                Some(it) => Some(CoreValue::Entity(Entity::from_bits(it)).into()),
                None if is_none(first) => Some(CoreValue::Entity(Entity::NONE).into()),
                None => self.wrong(first, "a whole number from 0, or `none`"),
            },
            "Time" => match time(first) {
                Some(it) => Some(it.into()),
                None => self.wrong(first, &format!("a number of seconds from 0 to {}", Time::END)),
            },
            "Float" => self.floats(args).map(|[x]: [f32; 1]| CoreValue::Float(x).into()),
            "Vec2" => self.floats(args).map(|it| CoreValue::Vec2(it).into()),
            "Vec3" => self.floats(args).map(|it| CoreValue::Vec3(it).into()),
            _ => self.symbol(key, [first, rest.next()?], words),
        }
    }

    fn wrong<T>(&mut self, value: Value<'_>, wanted: &str) -> Option<T> {
        let word = match value.data() {
            Data::Text(text) if ["true", "false"].contains(&text) => Some(write(text)),
            Data::Call(Some(word), Args::None) if wanted.contains("`true`") => {
                ["true", "false"].into_iter().find(|it| it.eq_ignore_ascii_case(word.text)).map(write)
            }
            Data::Call(Some(word), Args::None) if wanted.contains("`none`") => {
                ["null", "nil", "None", "nobody"].contains(&word.text).then(|| write("none"))
            }
            _ => None,
        };
        self.error(Code::KeyDefault, value.span(), format!("expected {wanted}, found {}", value.what())).help = word;
        None
    }

    fn floats<const N: usize>(&mut self, args: List<'_>) -> Option<[f32; N]> {
        let mut floats = [0.0; N];
        let mut whole = true;
        for (float, value) in floats.iter_mut().zip(args) {
            match literal::float32(value.data()) {
                Some(it) if it.is_finite() => *float = it,
                Some(_) => {
                    self.error(Code::KeyDefault, value.span(), "a default must be a finite 32-bit number");
                    whole = false;
                }
                None => whole = self.wrong(value, "a number").unwrap_or(false),
            }
        }
        whole.then_some(floats)
    }

    fn symbol(&mut self, key: Word<'_>, [default, words]: [Value<'_>; 2], spans: &mut Vec<Span>) -> Option<KeyDefault> {
        let Data::Text(text) = default.data() else { return self.wrong(default, "a string") };
        let Data::List(items) = words.data() else { return self.wrong(words, "a list of strings") };
        let count = items.count();
        if count > MAX_WORDS {
            let message = format!("{count} words are too many for one key: at most {MAX_WORDS}");
            self.error(Code::Limit, first(words.span()), message);
            return None;
        }
        let mut list: Vec<String> = Vec::new();
        // Reported words are left out, so that the rest can be checked.
        let mut is_bad = false;
        for item in items {
            let Data::Text(word) = item.data() else { return self.wrong(item, "a string") };
            if is_word(word) {
                list.push(word.to_string());
                spans.push(item.span());
            } else {
                self.error(Code::BadName, item.span(), SchemaError::bad_word(key.text, word).to_string());
                is_bad |= word == text;
            }
        }
        if is_bad {
            return list.first().cloned().map(|it| KeyDefault::Symbol(it, list));
        }
        if !list.iter().any(|it| it == text) {
            let help = suggest(text, list.iter().map(String::as_str));
            self.error(Code::UnknownWord, default.span(), format!("the default `{text}` is not one of the words"))
                .help = help;
            return None;
        }
        Some(KeyDefault::Symbol(text.to_string(), list))
    }
}

/// The type that a default without one seems to have.
fn guess(value: Value<'_>) -> Option<&'static str> {
    match value.data() {
        Data::Call(None, Args::Tuple(values)) => match values.count() {
            2 => Some("Vec2"),
            3 => Some("Vec3"),
            _ => None,
        },
        _ if boolean(value).is_some() => Some("Bool"),
        // A whole number may be meant as either.
        Data::Literal(text) if text.contains('.') && literal::float(value.data()).is_some() => Some("Float"),
        _ => None,
    }
}

/// Any default of a type.
pub(super) fn placeholder(ty: &str) -> Option<KeyDefault> {
    Some(match ty {
        "Bool" => CoreValue::Bool(false).into(),
        "Int" => CoreValue::Int(0).into(),
        "Float" => CoreValue::Float(0.0).into(),
        "Vec2" => CoreValue::Vec2([0.0; 2]).into(),
        "Vec3" => CoreValue::Vec3([0.0; 3]).into(),
        "Entity" => CoreValue::Entity(Entity::NONE).into(),
        "Time" => Time::ZERO.into(),
        // A symbol's words are missing.
        _ => return None,
    })
}

/// A moment, as seconds since 0.
pub(super) fn time(value: Value<'_>) -> Option<Time> {
    let Data::Literal(text) = value.data() else { return None };
    let float = || literal::float(value.data()).filter(|it| (0.0..=Time::END.as_secs_f64()).contains(it));
    text.parse().ok().or_else(|| float().map(Time::from_secs))
}

/// Whether it is `none`, the null entity in expressions.
pub(super) fn is_none(value: Value<'_>) -> bool {
    matches!(value.data(), Data::Call(Some(name), Args::None) if name.text == "none")
}

pub(super) fn boolean(value: Value<'_>) -> Option<bool> {
    match value.data() {
        Data::Call(Some(name), Args::None) if name.text == "true" => Some(true),
        Data::Call(Some(name), Args::None) if name.text == "false" => Some(false),
        _ => None,
    }
}
