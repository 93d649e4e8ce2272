//! Reads a manifest from RON, and reports every problem.

mod keys;

use std::collections::HashMap;
use std::sync::Arc;

use pleach_core::limits::MAX_NAME;
use pleach_core::{Type, schema::Access};

use super::{MANIFEST_VERSION, Manifest};
use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::info::{LeafInfo, LeafKind, ParameterInfo, Presence, ValueType};
use crate::literal;
use crate::registry::{RegistryError, check_name};
use crate::report::Report;
use crate::span::{Span, Word};
use crate::suggest::{list, suggest};
use crate::syntax::{self, Args, Data, List, Value};

/// How deep types may be nested: `Option(List(Int))` is three.
const MAX_TYPE_DEPTH: usize = 8;

pub(super) fn manifest(file: &str, source: &str) -> Result<Manifest, Report> {
    let (file, source): (Arc<str>, Arc<str>) = (file.into(), source.into());
    let mut reader = Reader::default();
    let manifest = if source.trim_start_matches('\u{feff}').trim().is_empty() {
        reader.error(Span::default(), "the file is empty").help = Some(BEGIN.into());
        None
    } else {
        match syntax::read(&source) {
            Ok(values) => reader.manifest(values.root()),
            Err(it) => {
                let message = it.message.replace("nothing more after the tree", "nothing more after the manifest");
                reader.findings.push(Finding { message, ..it });
                None
            }
        }
    };
    match manifest.filter(|_| reader.findings.is_empty()) {
        Some(it) => Ok(it),
        None => Err(Report::new(&file, &source, reader.findings)),
    }
}

/// Help for what is not a manifest.
const BEGIN: &str = "a manifest is `Manifest(version: 1, leaves: [..])`: `pleach nodes --manifest` writes one";

const TYPES: [&str; 15] = [
    "Unknown",
    "Bool",
    "Int",
    "Float",
    "Char",
    "Text",
    "Word",
    "OneOf",
    "Variant",
    "Event",
    "Key",
    "FloatExpr",
    "Option",
    "List",
    "Array",
];

#[derive(Default)]
struct Reader {
    findings: Findings,
}

/// A struct's fields, by the index of each in the list of known ones.
type Found<'a, const N: usize> = [Option<Value<'a>>; N];

impl Reader {
    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding::new(Code::Manifest, span, message))
    }

    fn manifest(&mut self, value: Value<'_>) -> Option<Manifest> {
        let (head, args) = match value.data() {
            Data::Call(Some(head), args) if head.text == "Manifest" => (head, args),
            _ => {
                let span = value.span();
                let first = Span::new(span.start(), span.end().min(span.start() + 1));
                let message = format!("this is not a manifest: expected `Manifest(..)`, found {}", value.what());
                self.error(first, message).help = Some(BEGIN.into());
                return None;
            }
        };
        let known = ["version", "any_event", "events", "leaves", "keys"];
        let [version, any_event, events, leaves, keys] = self.fields(head.span, args, "the manifest", known)?;
        // What another version means is not known.
        self.version(head.span, version)?;
        let any_event = any_event.and_then(|it| self.boolean(it, "any_event")).unwrap_or_default();
        let events = events.and_then(|it| self.list(it, "events")).map(|it| self.events(it)).unwrap_or_default();
        if leaves.is_none() {
            self.error(head.span, "the manifest has no `leaves`").help =
                Some("write `leaves: []` if there are none".into());
        }
        let leaves = leaves.and_then(|it| self.list(it, "leaves")).map(|it| self.leaves(it)).unwrap_or_default();
        let keys = keys.and_then(|it| self.list(it, "keys")).map(|it| self.keys(it)).unwrap_or_default();
        Some(Manifest { any_event, events, leaves, keys })
    }

    fn version(&mut self, head: Span, version: Option<Value<'_>>) -> Option<()> {
        let Some(value) = version else {
            self.error(head, "the manifest does not say its `version`").help =
                Some(format!("write `version: {MANIFEST_VERSION}`").into());
            return Some(());
        };
        match literal::unsigned(value.data()) {
            Some(MANIFEST_VERSION) => Some(()),
            Some(other) => {
                // In another version, other findings need not be problems.
                self.findings = Findings::default();
                let message = format!("unknown manifest version {other}: this pleach reads version {MANIFEST_VERSION}");
                self.error(value.span(), message).help =
                    Some("rewrite it with this `pleach`, or read it with the one that wrote it".into());
                None
            }
            None => {
                self.error(value.span(), format!("`version` must be a number, not {}", value.what()));
                None
            }
        }
    }

    /// The fields of a struct. Reports fields that are doubled or unknown.
    fn fields<'a, const N: usize>(
        &mut self,
        at: Span,
        args: Args<'a>,
        owner: &str,
        known: [&str; N],
    ) -> Option<Found<'a, N>> {
        let mut found = [None; N];
        let fields = match args {
            Args::Named(fields) => fields,
            Args::Tuple(items) if items.is_empty() => return Some(found),
            Args::None | Args::Tuple(_) => {
                self.error(at, format!("the fields of {owner} have names: {}", list(&known)));
                return None;
            }
        };
        for (field, value) in fields {
            match known.iter().position(|it| *it == field.text) {
                Some(at) if found[at].is_some() => {
                    self.error(field.span, format!("{owner} has two fields `{}`", field.text));
                }
                Some(at) => found[at] = Some(value),
                None => {
                    let help =
                        suggest(field.text, known).unwrap_or_else(|| format!("its fields are {}", list(&known)).into());
                    self.error(field.span, format!("{owner} has no field `{}`", field.text)).help = Some(help);
                }
            }
        }
        Some(found)
    }

    /// The fields of an entry of a list, which has a name.
    fn entry<'a, const N: usize>(
        &mut self,
        value: Value<'a>,
        owner: &str,
        known: [&str; N],
    ) -> Option<(Word<'a>, Found<'a, N>)> {
        let span = value.span();
        let first = Span::new(span.start(), span.end().min(span.start() + 1));
        let Data::Call(None, args) = value.data() else {
            self.error(first, format!("expected {owner} as `(name: \"..\", ..)`, found {}", value.what()));
            return None;
        };
        let before = self.findings.count();
        let found = self.fields(first, args, owner, known)?;
        let Some(name) = found[0] else {
            // A misspelt field is not missing.
            if self.findings.count() == before {
                self.error(first, format!("{owner} has no `name`"));
            }
            return None;
        };
        Some((self.text(name, "name")?, found))
    }

    fn list<'a>(&mut self, value: Value<'a>, field: &str) -> Option<List<'a>> {
        if let Data::List(items) = value.data() {
            return Some(items);
        }
        self.error(value.span(), format!("`{field}` must be a list, not {}", value.what()));
        None
    }

    fn text<'a>(&mut self, value: Value<'a>, field: &str) -> Option<Word<'a>> {
        if let Data::Text(text) = value.data() {
            return Some(Word { text, span: value.span() });
        }
        self.error(value.span(), format!("`{field}` must be a string, not {}", value.what()));
        None
    }

    fn boolean(&mut self, value: Value<'_>, field: &str) -> Option<bool> {
        match value.data() {
            Data::Call(Some(it), Args::None) if it.text == "true" => Some(true),
            Data::Call(Some(it), Args::None) if it.text == "false" => Some(false),
            _ => {
                self.error(value.span(), format!("`{field}` must be `true` or `false`, not {}", value.what()));
                None
            }
        }
    }

    /// Records a name, or reports that it comes a second time.
    fn is_new<'a>(&mut self, seen: &mut HashMap<&'a str, Span>, name: Word<'a>, what: &str) -> bool {
        match seen.insert(name.text, name.span) {
            None => true,
            Some(first) => {
                let finding = self.error(name.span, format!("{what} `{}` is declared twice", name.text));
                finding.also = Some(Box::new((first, "the first".into())));
                false
            }
        }
    }

    fn events(&mut self, items: List<'_>) -> Vec<(String, Option<Type>)> {
        let mut events = Vec::new();
        let mut seen = HashMap::new();
        for item in items {
            let Some((name, [_, payload])) = self.entry(item, "an event", ["name", "payload"]) else { continue };
            if name.text.is_empty() || name.text.len() > MAX_NAME {
                let error = RegistryError::EventName(name.text.chars().take(MAX_NAME).collect());
                self.error(name.span, error.to_string());
            }
            if self.is_new(&mut seen, name, "the event") {
                let payload = payload.and_then(|it| self.optional(it)).and_then(|it| self.key_type(it));
                events.push((name.text.to_owned(), payload));
            }
        }
        events
    }

    fn leaves(&mut self, items: List<'_>) -> Vec<LeafInfo> {
        let mut leaves = Vec::new();
        let mut seen = HashMap::new();
        for item in items {
            let known = ["name", "kind", "doc", "parameters"];
            let Some((name, [_, kind, doc, parameters])) = self.entry(item, "a leaf", known) else { continue };
            if let Err(error) = check_name(name.text) {
                self.error(name.span, error.to_string());
            }
            if !self.is_new(&mut seen, name, "the leaf") {
                continue;
            }
            let kind = kind.and_then(|it| {
                let known = ["Action", "Condition", "Unknown"];
                let at = self.word(it, "kind", &known)?.0;
                Some([LeafKind::Action, LeafKind::Condition, LeafKind::Unknown][at])
            });
            let doc = doc.and_then(|it| self.text(it, "doc")).map_or("", |it| it.text).to_owned();
            let parameters = parameters.and_then(|it| self.parameters(it));
            leaves.push(LeafInfo { kind: kind.unwrap_or_default(), doc, parameters, ..LeafInfo::named(name.text) });
        }
        leaves
    }

    fn parameters(&mut self, value: Value<'_>) -> Option<Vec<ParameterInfo>> {
        let (at, mut args) = self.word(value, "parameters", &["Unknown", "Known"])?;
        if at == 0 {
            return None;
        }
        let Some(items) = args.next().filter(|_| args.is_empty()) else {
            self.error(value.span(), "`Known` takes the list of the parameters: `Known([..])`");
            return None;
        };
        let items = self.list(items, "parameters")?;
        let mut parameters = Vec::new();
        let mut seen = HashMap::new();
        for item in items {
            let known = ["name", "type", "presence", "access", "doc"];
            let Some((name, [_, ty, presence, access, doc])) = self.entry(item, "a parameter", known) else { continue };
            if !self.is_new(&mut seen, name, "the parameter") {
                continue;
            }
            let ty = ty.and_then(|it| self.value_type(it, 1)).unwrap_or_default();
            let presence = presence.and_then(|it| self.presence(it)).unwrap_or_default();
            let access = access.and_then(|it| self.access(it));
            let doc = doc.and_then(|it| self.text(it, "doc")).map_or("", |it| it.text).to_owned();
            parameters.push(ParameterInfo { ty, presence, access, doc, ..ParameterInfo::named(name.text) });
        }
        Some(parameters)
    }

    /// The content of `Some(..)`, or the value without it.
    fn optional<'a>(&mut self, value: Value<'a>) -> Option<Value<'a>> {
        match value.data() {
            Data::Call(Some(name), Args::None) if name.text == "None" => None,
            Data::Call(Some(name), Args::Tuple(items)) if name.text == "Some" => {
                if items.only().is_none() {
                    self.error(value.span(), "`Some` holds one value");
                }
                items.only()
            }
            _ => Some(value),
        }
    }

    /// One of some names, with the content of the parentheses behind it.
    fn word<'a>(&mut self, value: Value<'a>, field: &str, known: &[&str]) -> Option<(usize, List<'a>)> {
        let (name, args) = match value.data() {
            Data::Call(Some(name), Args::None) => (name, None),
            Data::Call(Some(name), Args::Tuple(items)) => (name, Some(items)),
            _ => {
                let message =
                    format!("`{field}` must be {}, not {}", list(known).replace(" and ", " or "), value.what());
                self.error(value.span(), message);
                return None;
            }
        };
        let Some(at) = known.iter().position(|it| *it == name.text) else {
            let help = suggest(name.text, known.iter().copied());
            let help = help.unwrap_or_else(|| format!("use {}", list(known).replace(" and ", " or ")).into());
            self.error(name.span, format!("unknown {field} `{}`", name.text)).help = Some(help);
            return None;
        };
        Some((at, args.unwrap_or_else(|| value.alone().nothing())))
    }

    fn access(&mut self, value: Value<'_>) -> Option<Access> {
        let value = self.optional(value)?;
        let at = self.word(value, "access", &["Read", "Write", "ReadWrite"])?.0;
        Some([Access::Read, Access::Write, Access::ReadWrite][at])
    }

    fn presence(&mut self, value: Value<'_>) -> Option<Presence> {
        let (at, args) = self.word(value, "presence", &["Required", "Optional", "Unknown", "Default"])?;
        Some(match at {
            0 => Presence::Required,
            1 => Presence::Optional,
            2 => Presence::Unknown,
            _ => match args.only() {
                Some(it) => Presence::Default(self.text(it, "Default")?.text.to_owned()),
                None => {
                    self.error(value.span(), "`Default` takes a string: `Default(\"2.0\")`");
                    return None;
                }
            },
        })
    }

    fn key_type(&mut self, value: Value<'_>) -> Option<Type> {
        const KEYS: [Type; 8] =
            [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol, Type::Time];
        let names = KEYS.map(|it| it.to_string());
        let names: Vec<&str> = names.iter().map(|it| &**it).collect();
        Some(KEYS[self.word(value, "type", &names)?.0])
    }

    fn value_type(&mut self, value: Value<'_>, depth: usize) -> Option<ValueType> {
        if depth > MAX_TYPE_DEPTH {
            self.error(
                value.span(),
                format!("types are nested too deep: more than {MAX_TYPE_DEPTH} inside each other"),
            );
            return None;
        }
        let (at, mut args) = self.word(value, "type", &TYPES)?;
        let takes = |this: &mut Self, what: &str| {
            this.error(value.span(), format!("`{}` takes {what}", TYPES[at]));
            None
        };
        Some(match TYPES[at] {
            "Bool" => ValueType::Bool,
            "Int" => ValueType::Int,
            "Float" => ValueType::Float,
            "Char" => ValueType::Char,
            "Text" => ValueType::Text,
            "Word" => ValueType::Word,
            "Event" => ValueType::Event,
            "FloatExpr" => ValueType::FloatExpr,
            name @ ("OneOf" | "Variant") => {
                let Some(Data::List(words)) = args.only().map(Value::data) else {
                    return takes(self, "a list of strings: `OneOf([\"calm\", \"angry\"])`");
                };
                let words: Option<Vec<String>> = words.map(|it| Some(self.text(it, name)?.text.to_owned())).collect();
                if name == "OneOf" { ValueType::OneOf(words?) } else { ValueType::Variant(words?) }
            }
            "Key" => match args.only() {
                Some(it) => ValueType::Key(self.key_type(it)?),
                None => return takes(self, "the type of the key: `Key(Float)`"),
            },
            "Option" => match args.only() {
                Some(it) => ValueType::Option(self.value_type(it, depth + 1)?.into()),
                None => return takes(self, "a type: `Option(Int)`"),
            },
            "List" => match args.only() {
                Some(it) => ValueType::List(self.value_type(it, depth + 1)?.into()),
                None => return takes(self, "a type: `List(Float)`"),
            },
            "Array" => match (args.next(), args.only()) {
                (Some(it), Some(count)) => {
                    let Some(count) = literal::unsigned(count.data()).and_then(|it| usize::try_from(it).ok()) else {
                        self.error(
                            count.span(),
                            format!("the length of an `Array` must be a whole number, not {}", count.what()),
                        );
                        return None;
                    };
                    ValueType::Array(self.value_type(it, depth + 1)?.into(), count)
                }
                _ => return takes(self, "a type and a length: `Array(Float, 2)`"),
            },
            _ => ValueType::Unknown,
        })
    }
}
