//! What a tree declares about its events: a name each, and its payload (SEMANTICS 8.27).

use std::fmt;

use indexmap::IndexMap;
use pleach_expr::known;
use pleach_expr::names::{self, Help, Near};

use super::{FrameId, Schema};
use crate::limits::{MAX_EVENTS, MAX_NAME};
use crate::{Symbol, Type};

/// One declared event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDecl {
    name: Box<str>,
    payload: Option<Type>,
    of_host: bool,
}

impl EventDecl {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The type of its payload; `None` if it has none.
    #[must_use]
    pub fn payload(&self) -> Option<Type> {
        self.payload
    }
    /// Whether the host declares it, for all its trees.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        self.of_host
    }
}

impl Schema {
    /// Every declared event, in the order of declaration.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &EventDecl> {
        self.events.iter()
    }

    /// Whether the tree knows only these events (SEMANTICS 8.27).
    #[must_use]
    pub fn has_only_declared_events(&self) -> bool {
        self.events.is_strict()
    }

    pub(crate) fn known_events(&self) -> &Events {
        &self.events
    }

    /// The declaration of an event that a node names; an error if its file has to declare it.
    pub(crate) fn find_event(&self, frame: FrameId, name: &str) -> Result<Option<&EventDecl>, EventError> {
        let symbol = Symbol::new(name);
        match self.events.find(symbol, name)? {
            Some(decl) if !decl.of_host && self.events.is_strict() && !self.sees_event(frame, symbol) => {
                let seen = |it: &&EventDecl| it.of_host || self.sees_event(frame, Symbol::new(&it.name));
                Err(unknown(symbol, name, self.events.iter().filter(seen)))
            }
            found => Ok(found),
        }
    }

    /// Declares an event of an instance, which may be declared elsewhere in the tree, in the same
    /// way.
    pub(crate) fn declare_event_alike(&mut self, name: &str, payload: Option<Type>) -> Result<(), EventError> {
        match self.events.declared.get(&Symbol::new(name)) {
            Some(other) if *other.name == *name && other.payload == payload => Ok(()),
            Some(other) if *other.name == *name && !other.of_host => {
                Err(EventError::DeclaredOtherwise { name: name.into(), here: payload, there: other.payload })
            }
            _ => self.events.declare(name, payload, false),
        }
    }

    pub(crate) fn declare_event(&mut self, name: &str, payload: Option<Type>, of_host: bool) -> Result<(), EventError> {
        self.events.declare(name, payload, of_host)
    }

    pub(crate) fn set_strict_events(&mut self, on: bool) {
        self.events.set_strict(on);
    }
}

/// The events of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Events {
    declared: IndexMap<Symbol, EventDecl>,
    /// Whether only those are known, if that was set.
    strict: Option<bool>,
    /// Whether errors no longer name other events.
    silent: bool,
}

impl Events {
    pub(super) fn declare(&mut self, name: &str, payload: Option<Type>, of_host: bool) -> Result<(), EventError> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(EventError::BadName(name.chars().take(MAX_NAME).collect()));
        }
        let symbol = Symbol::new(name);
        match self.declared.get(&symbol) {
            Some(other) if *other.name != *name => Err(EventError::Collision(other.name.to_string(), name.into())),
            // A tree may also declare what the host declares for all trees.
            Some(host) if host.of_host != of_host && host.payload == payload => Ok(()),
            Some(host) if host.of_host != of_host => {
                let [tree, host] = if of_host { [host.payload, payload] } else { [payload, host.payload] };
                Err(EventError::Differs { name: name.into(), tree, host })
            }
            Some(_) => Err(EventError::Doubled(name.into())),
            None if self.declared.len() == MAX_EVENTS => Err(EventError::TooMany),
            None => {
                self.declared.insert(symbol, EventDecl { name: name.into(), payload, of_host });
                Ok(())
            }
        }
    }

    pub(super) fn set_strict(&mut self, on: bool) {
        self.strict = Some(on);
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &EventDecl> + Clone {
        self.declared.values()
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict.unwrap_or(!self.declared.is_empty())
    }

    /// The declaration of a name; an error if there has to be one. `name` is for people and may be
    /// empty.
    #[inline]
    pub(crate) fn find(&self, symbol: Symbol, name: &str) -> Result<Option<&EventDecl>, EventError> {
        if self.declared.is_empty() && self.strict != Some(true) {
            return Ok(None);
        }
        match self.declared.get(&symbol) {
            None if self.is_strict() => Err(self.unknown(symbol, name)),
            found => Ok(found),
        }
    }

    /// Whether an event is known, with that payload.
    #[inline]
    pub(crate) fn check(&self, symbol: Symbol, name: &str, found: Option<Type>) -> Result<(), EventError> {
        if self.knows(symbol, found)? { Ok(()) } else { Err(self.unknown(symbol, name)) }
    }

    /// Whether an event is known; an error if it is, with another payload. A send to several agents
    /// asks this of trees that need not know it: wording an error costs more than sending.
    #[inline]
    pub(crate) fn knows(&self, symbol: Symbol, found: Option<Type>) -> Result<bool, EventError> {
        match self.declared.get(&symbol) {
            Some(decl) if decl.payload != found => Err(decl.refuses(found)),
            Some(_) => Ok(true),
            None => Ok(!self.is_strict()),
        }
    }

    pub(super) fn stop_suggesting(&mut self) {
        self.silent = true;
    }

    #[cold]
    fn unknown(&self, symbol: Symbol, name: &str) -> EventError {
        if self.silent {
            return EventError::Unknown { name: shown(symbol, name), help: None };
        }
        unknown(symbol, name, self.iter())
    }
}

impl EventDecl {
    #[cold]
    pub(crate) fn refuses(&self, found: Option<Type>) -> EventError {
        EventError::Payload { name: self.name.to_string(), declared: self.payload, found }
    }
}

/// The error for an event that no tree knows, where these are declared.
#[cold]
pub(crate) fn unknown<'a>(
    symbol: Symbol,
    name: &str,
    declared: impl Iterator<Item = &'a EventDecl> + Clone,
) -> EventError {
    let names = || declared.clone().map(EventDecl::name);
    let help = names::near(name, names()).map(Near::help).unwrap_or_else(|| known::events(names()));
    EventError::Unknown { name: shown(symbol, name), help: Some(help) }
}

/// The name, or what is known about it.
fn shown(symbol: Symbol, name: &str) -> String {
    if name.is_empty() { format!("{symbol:?}") } else { name.chars().take(MAX_NAME).collect() }
}

/// What is wrong with an event, or with its declaration.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// The tree does not know it.
    Unknown {
        /// Its name. For an event made from a [`Symbol`] alone, the symbol's hash.
        name: String,
        /// Which event was meant, or which events exist.
        help: Option<Help>,
    },
    /// It comes with another payload.
    Payload {
        /// Its name.
        name: String,
        /// The type of the payload that it is declared with; `None` if it has none.
        declared: Option<Type>,
        /// The type of this payload, or of the key to store it in.
        found: Option<Type>,
    },
    /// One tree, or the host, declares it twice.
    Doubled(String),
    /// A tree and its host declare it differently.
    Differs {
        /// Its name.
        name: String,
        /// The payload that the tree declares.
        tree: Option<Type>,
        /// The payload that the host declares.
        host: Option<Type>,
    },
    /// Two files of a tree declare it differently.
    DeclaredOtherwise {
        /// Its name.
        name: String,
        /// The payload that this file declares.
        here: Option<Type>,
        /// The payload that another one declares.
        there: Option<Type>,
    },
    /// The name is empty, or longer than [`MAX_NAME`].
    BadName(String),
    /// Two names with the same hash.
    Collision(String, String),
    /// More than [`MAX_EVENTS`].
    TooMany,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventError::Unknown { name, help } => {
                write!(f, "unknown event `{name}`")?;
                help.as_ref().map_or(Ok(()), |it| write!(f, ": {it}"))
            }
            EventError::Payload { name, declared, found } => {
                write!(f, "the event `{name}` comes with {}, not with {}", payload(*declared), payload(*found))
            }
            EventError::Doubled(it) => write!(f, "the event `{it}` is declared twice"),
            EventError::Differs { name, tree, host } => write!(
                f,
                "the event `{name}` comes with {} in this tree, and with {} in the declarations of the host: declare it the same way, or only there",
                payload(*tree),
                payload(*host)
            ),
            EventError::DeclaredOtherwise { name, here, there } => write!(
                f,
                "the event `{name}` comes with {} here, and with {} in another file of this tree",
                payload(*here),
                payload(*there)
            ),
            EventError::BadName(it) => {
                write!(f, "{it:?} cannot be the name of an event: it must have 1 to {MAX_NAME} bytes")
            }
            EventError::Collision(one, other) => {
                write!(f, "the events `{one}` and `{other}` have the same hash: rename one")
            }
            EventError::TooMany => write!(f, "more than {MAX_EVENTS} events"),
        }
    }
}

impl fmt::Debug for EventError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for EventError {}

impl EventError {
    /// Takes out what to do about it, for callers that show that in another place: the rest only
    /// says what is wrong.
    pub fn take_help(&mut self) -> Option<Help> {
        if let EventError::Unknown { name: _, help } = self { help.take() } else { None }
    }
}

/// A payload in words.
fn payload(ty: Option<Type>) -> String {
    ty.map_or_else(|| "no payload".into(), |it| it.to_string())
}

/// Two trees of one forest declare an event differently (SEMANTICS 8.27).
#[derive(Clone, PartialEq, Eq)]
pub struct EventConflict {
    /// The event.
    pub event: String,
    /// The names of the trees: the new one, and one that is in the forest or is added with it.
    pub trees: [String; 2],
    /// The types of its payload in these trees; `None` where it has none.
    pub payloads: [Option<Type>; 2],
}

impl fmt::Display for EventConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EventConflict { event, trees: [new, old], payloads } = self;
        let [here, there] = payloads.map(payload);
        write!(
            f,
            "the event `{event}` comes with {here} in the tree `{new}`, and with {there} in the tree `{old}`: all trees of a forest must declare it in the same way"
        )
    }
}

impl fmt::Debug for EventConflict {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for EventConflict {}

/// The events of all trees of a forest, each with its payload and how many trees declare it.
#[derive(Debug, Default)]
pub(crate) struct ForestEvents(IndexMap<Symbol, (Option<Type>, u32)>);

impl ForestEvents {
    /// The first of these events that the trees here declare differently. `going` returns how many
    /// of the trees that declare it are removed.
    pub(crate) fn conflict<'a>(&self, new: &'a Events, going: impl Fn(&EventDecl) -> usize) -> Option<&'a EventDecl> {
        let differs = |(symbol, decl): &(&Symbol, &EventDecl)| {
            self.0.get(*symbol).is_some_and(|it| it.0 != decl.payload && it.1 as usize > going(decl))
        };
        new.declared.iter().find(differs).map(|it| it.1)
    }

    pub(crate) fn admit(&mut self, new: &Events) {
        for (&symbol, decl) in &new.declared {
            self.0.entry(symbol).or_insert((decl.payload, 0)).1 += 1;
        }
    }

    pub(crate) fn release(&mut self, old: &Events) {
        for symbol in old.declared.keys() {
            if let Some(it) = self.0.get_mut(symbol) {
                it.1 -= 1;
                if it.1 == 0 {
                    self.0.swap_remove(symbol);
                }
            }
        }
        if self.0.is_empty() {
            self.0 = IndexMap::new();
        }
    }
}
