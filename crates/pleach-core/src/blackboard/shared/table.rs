//! What the trees of a forest declare about the keys that their agents share.

use indexmap::IndexMap;
use pleach_expr::names::{self, Help, Near};
use pleach_expr::{Symbol, Type, Value};

use crate::blackboard::error::Difference;
use crate::blackboard::place::SharedPlace;
use crate::blackboard::{KeyDecl, Scope};
use crate::blackboard::{columns::TYPES, schema::tag as tag_of};

/// What trees declare about one shared key.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) default: Value,
    pub(super) words: Vec<Symbol>,
    /// The tag that typed keys of it carry, whichever tree they come from.
    tag: u32,
    pub(super) place: SharedPlace,
    /// How many trees declare it. With none it is removed (SEMANTICS 8.9).
    pub(super) trees: usize,
}

/// The shared keys of one scope, by name.
///
/// Invariant S1: every place is either one key's or free, and every list of values is as long as
/// `defaults`, as is `watched`.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) scope: Scope,
    pub(super) keys: IndexMap<Box<str>, Declared>,
    /// The initial value of each key.
    pub(super) defaults: Vec<Value>,
    /// Places of removed keys.
    free: Vec<SharedPlace>,
    /// Whether an observer of a tree may read the key of a place.
    pub(super) watched: Vec<bool>,
}

impl Table {
    pub(super) fn new(scope: Scope) -> Self {
        Table { scope, keys: IndexMap::new(), defaults: Vec::new(), free: Vec::new(), watched: Vec::new() }
    }

    /// The difference between a declaration of a key and the known one.
    pub(super) fn check(&self, decl: &KeyDecl) -> Option<(&Declared, Difference)> {
        let there = self.keys.get(decl.name())?;
        Some((there, Difference::of(decl, there.default, &there.words)?))
    }

    /// One more tree declares a key. Returns the key's place, and whether the key is new: then its
    /// value has to be set to the default.
    pub(super) fn add(&mut self, decl: &KeyDecl) -> (SharedPlace, bool) {
        if let Some(known) = self.keys.get_mut(decl.name()) {
            known.trees += 1;
            return (known.place, false);
        }
        let place = self.free.pop().unwrap_or_else(|| SharedPlace::behind(self.defaults.len()));
        put(&mut self.defaults, place, decl.default());
        put(&mut self.watched, place, false);
        let declared =
            Declared { default: decl.default(), words: decl.symbols().to_vec(), tag: decl.tag(), place, trees: 1 };
        self.keys.insert(decl.name().into(), declared);
        (place, true)
    }

    /// One tree fewer declares a key. Returns its place if it was the last one.
    pub(super) fn remove(&mut self, decl: &KeyDecl) -> Option<SharedPlace> {
        let known = self.keys.get_mut(decl.name())?;
        known.trees -= 1;
        if known.trees > 0 {
            return None;
        }
        let place = known.place;
        self.free.push(place);
        self.keys.swap_remove(decl.name());
        Some(place)
    }

    /// The trees that declare a key now declare it differently. Returns its place, and its old
    /// default.
    pub(super) fn change(&mut self, decl: &KeyDecl) -> Option<(SharedPlace, Value)> {
        let known = self.keys.get_mut(decl.name())?;
        (known.words, known.tag) = (decl.symbols().to_vec(), decl.tag());
        self.defaults[known.place.index()] = decl.default();
        Some((known.place, std::mem::replace(&mut known.default, decl.default())))
    }

    /// The key of a tag. A tag is a hash: of two keys with one tag neither is found, as a typed key
    /// does not tell which of them it is.
    pub(super) fn tagged(&self, tag: u32) -> Option<(&str, &Declared)> {
        let mut all = self.keys.iter().map(|(name, key)| (&**name, key)).filter(|it| it.1.tag == tag);
        all.next().filter(|_| all.next().is_none())
    }

    /// The key of a tag whose type has changed: its name, and both types.
    pub(super) fn retyped(&self, tag: u32) -> Option<(&str, Type, Type)> {
        self.keys.iter().find_map(|(name, key)| {
            let now = key.default.ty();
            let mut others = TYPES.into_iter().filter(|it| *it != now);
            Some((&**name, now, others.find(|it| tag_of(name, self.scope, *it, "") == tag)?))
        })
    }

    /// Which key was probably meant by an unknown name.
    pub(super) fn meant(&self, name: &str) -> Option<Help> {
        names::near(name, self.keys.keys().map(|it| &**it)).map(Near::help)
    }
}

/// Writes a value to its place, which may be the one after the last value.
pub(super) fn put<T: Copy>(values: &mut Vec<T>, place: SharedPlace, value: T) {
    if place.index() == values.len() {
        values.push(value);
    }
    values[place.index()] = value;
}
