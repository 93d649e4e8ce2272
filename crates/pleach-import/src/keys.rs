//! The keys of trees: their uses, and the types they must have.
//!
//! The mapping runs over all trees several times. Each run reports what it finds about keys, and
//! writes nodes from what the previous run has found; the last run finds nothing new.

use std::collections::{BTreeMap, BTreeSet};

use pleach::tools::{is_name, is_word};

use crate::place::Place;

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    #[default]
    Unknown,
    Bool,
    Int,
    Float,
    /// A text that stands for itself: a word of a symbol.
    Word,
    Vec2,
    Vec3,
    /// A thing of the game: a pose, a path.
    Object,
}

impl Kind {
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::Float)
    }

    /// The type that holds both, if there is one.
    fn join(self, other: Kind) -> Option<Kind> {
        match (self.min(other), self.max(other)) {
            (Kind::Unknown, it) => Some(it),
            (a, b) if a == b => Some(a),
            // A type of the game that is written as a text or a number is an enum, or an alias.
            (a, Kind::Object) => Some(a),
            // A bool of another system is often a number.
            (Kind::Bool | Kind::Int, b) if b.is_number() => Some(b),
            _ => None,
        }
    }

    /// The type of a key.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Bool => "Bool",
            Kind::Int => "Int",
            Kind::Float => "Float",
            Kind::Word => "Symbol",
            Kind::Vec2 => "Vec2",
            Kind::Vec3 => "Vec3",
            Kind::Unknown | Kind::Object => "Entity",
        }
    }

    /// Whether a text is a value of a type that pleach lacks: a list, a pose.
    pub(crate) fn is_foreign(text: &str) -> bool {
        let has_digits_alone = text.contains(|it: char| it.is_ascii_digit()) && !text.contains(char::is_alphabetic);
        Kind::of(text) == Kind::Word && (text.contains(';') || has_digits_alone)
    }

    /// The type of a text, at a place where any type is allowed.
    pub(crate) fn of(text: &str) -> Kind {
        let text = text.trim();
        if matches!(text, "true" | "false") {
            Kind::Bool
        } else if text.parse::<i64>().is_ok() {
            Kind::Int
        } else if text.parse::<f64>().is_ok_and(f64::is_finite) {
            Kind::Float
        } else {
            Kind::Word
        }
    }
}

/// What a use of a key says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
    /// It is not known which.
    Either,
}

#[derive(Debug)]
struct Key {
    tree: usize,
    name: String,
    at: Place,
    is_read: bool,
    is_written: bool,
    /// Whether something uses it that may write it.
    is_unsure: bool,
    /// Whether a tree that includes this one gives it a value instead of a key.
    has_literal: bool,
    /// The value it begins with, as it is written.
    default: Option<String>,
    /// The key that stands for all keys that are one: itself, or one before it.
    same_as: usize,
    /// For a key that stands for others, what is known about all of them.
    kind: Kind,
    words: BTreeSet<String>,
    clash: Option<Kind>,
}

/// All keys of all trees.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    ids: BTreeMap<(usize, String), usize>,
    all: Vec<Key>,
    /// Keys that come from outside.
    ports: BTreeSet<usize>,
    /// Texts that are not words, with their places and their new names.
    renamed: BTreeSet<(Place, String, String)>,
    /// Names in capitals that are taken for words.
    constants: BTreeSet<(Place, String)>,
    is_changed: bool,
    /// How often a key was looked at.
    work: usize,
}

/// A key as its tree declares it.
#[derive(Clone, Debug)]
pub(crate) struct Declared<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: Kind,
    pub(crate) words: Vec<&'a str>,
    pub(crate) at: Place,
    pub(crate) is_port: bool,
    /// How a port says that it is used.
    pub(crate) direction: &'static str,
    pub(crate) default: Option<&'a str>,
    /// It would also have to be of this type.
    pub(crate) clash: Option<Kind>,
}

/// The prefix of the name of a key of the outermost tree: `@key`.
pub(crate) const FROM_ROOT: &str = "root_";

/// The longest name, in bytes. Longer ones are cut.
const MAX_NAME: usize = 100;

/// A name that a key can have.
pub(crate) fn key_name(foreign: &str) -> String {
    if let Some(name) = foreign.strip_prefix('@') {
        return format!("{FROM_ROOT}{}", key_name(name));
    }
    let mut name: String = foreign.chars().map(|it| if it.is_alphanumeric() { it } else { '_' }).collect();
    if !is_name(&name) {
        name.insert_str(0, "key_");
    }
    let end = name.char_indices().map(|it| it.0).find(|it| *it > MAX_NAME);
    name.truncate(end.unwrap_or(name.len()));
    name
}

impl Keys {
    /// Whether something was found since this was last asked.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// How often a key was looked at, in all runs.
    pub(crate) fn work(&self) -> usize {
        self.work
    }

    /// The key of this name, which is created if it is new.
    fn id(&mut self, tree: usize, name: &str, at: Place) -> usize {
        self.work += 1;
        let next = self.all.len();
        let id = *self.ids.entry((tree, name.to_owned())).or_insert(next);
        if id == next {
            self.is_changed = true;
            self.all.push(Key {
                tree,
                name: name.into(),
                at,
                is_read: false,
                is_written: false,
                is_unsure: false,
                has_literal: false,
                default: None,
                same_as: id,
                kind: Kind::Unknown,
                words: BTreeSet::new(),
                clash: None,
            });
        }
        id
    }

    fn root(&self, mut id: usize) -> usize {
        while self.all[id].same_as != id {
            id = self.all[id].same_as;
        }
        id
    }

    /// A use of a key by a name that [`key_name`] gave. Returns what is known about it.
    pub(crate) fn used(&mut self, tree: usize, name: &str, at: Place, how: Use, kind: Kind) -> Kind {
        let id = self.id(tree, name, at);
        let key = &mut self.all[id];
        let now = (
            key.is_read || how != Use::Write,
            key.is_written || how == Use::Write,
            key.is_unsure || how == Use::Either,
        );
        self.is_changed |= now != (key.is_read, key.is_written, key.is_unsure);
        (key.is_read, key.is_written, key.is_unsure) = now;
        self.is(id, kind)
    }

    /// The key is of this type.
    fn is(&mut self, id: usize, kind: Kind) -> Kind {
        let root = self.root(id);
        let key = &mut self.all[root];
        match key.kind.join(kind) {
            Some(joined) => {
                self.is_changed |= joined != key.kind;
                key.kind = joined;
            }
            None => {
                self.is_changed |= key.clash.is_none();
                key.clash.get_or_insert(kind);
            }
        }
        key.kind
    }

    pub(crate) fn kind(&self, tree: usize, name: &str) -> Kind {
        let id = self.ids.get(&(tree, name.to_owned()));
        id.map_or(Kind::Unknown, |it| self.all[self.root(*it)].kind)
    }

    /// A word that the key can hold, as pleach can write it.
    pub(crate) fn word(&mut self, tree: usize, name: &str, at: Place, word: &str) -> String {
        let text = word;
        let mut word = if is_word(text) { text.to_owned() } else { key_name(text) };
        // In an expression, the name of a key is that key.
        while self.ids.contains_key(&(tree, word.clone())) {
            word.push('_');
        }
        if word != text {
            self.renamed.insert((at, text.into(), word.clone()));
        }
        let id = self.id(tree, name, at);
        let root = self.root(id);
        self.is_changed |= self.all[root].words.insert(word.clone());
        self.is(id, Kind::Word);
        word
    }

    /// A name in capitals occurs in a script, and is taken for a word.
    pub(crate) fn constant(&mut self, at: Place, name: &str) {
        self.constants.insert((at, name.into()));
    }

    pub(crate) fn constants(&self) -> impl Iterator<Item = (Place, &str)> {
        self.constants.iter().map(|it| (it.0, &*it.1))
    }

    /// Both keys are one.
    pub(crate) fn unite(&mut self, a: (usize, &str), b: (usize, &str), at: Place) {
        let (a, b) = (self.id(a.0, a.1, at), self.id(b.0, b.1, at));
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (first, second) = (a.min(b), a.max(b));
        let words = std::mem::take(&mut self.all[second].words);
        let kind = self.all[second].kind;
        self.all[second].same_as = first;
        self.all[first].words.extend(words);
        self.is(first, kind);
        self.is_changed = true;
    }

    /// The key of a tree is a key of the including tree.
    pub(crate) fn port(&mut self, tree: usize, name: &str, at: Place) {
        let id = self.id(tree, name, at);
        self.is_changed |= self.ports.insert(id);
    }

    /// A tree gives the port a value.
    pub(crate) fn literal(&mut self, tree: usize, name: &str, at: Place) {
        let id = self.id(tree, name, at);
        self.is_changed |= !std::mem::replace(&mut self.all[id].has_literal, true);
    }

    pub(crate) fn has_literal(&self, tree: usize, name: &str) -> bool {
        self.ids.get(&(tree, name.to_owned())).is_some_and(|it| self.all[*it].has_literal)
    }

    /// How the tree uses the key.
    pub(crate) fn uses(&self, tree: usize, name: &str) -> Use {
        let key = self.ids.get(&(tree, name.to_owned())).map(|it| &self.all[*it]);
        match key {
            Some(it) if it.is_written => {
                if it.is_read {
                    Use::Either
                } else {
                    Use::Write
                }
            }
            Some(it) if it.is_unsure => Use::Either,
            _ => Use::Read,
        }
    }

    /// The initial value of the key.
    pub(crate) fn begins_with(&mut self, tree: usize, name: &str, at: Place, value: &str) {
        let id = self.id(tree, name, at);
        if self.all[id].default.is_none() {
            self.all[id].default = Some(value.into());
            self.is_changed = true;
        }
    }

    pub(crate) fn has(&self, tree: usize, name: &str) -> bool {
        self.ids.contains_key(&(tree, name.to_owned()))
    }

    pub(crate) fn is_written(&self, tree: usize, name: &str) -> bool {
        self.ids.get(&(tree, name.to_owned())).is_some_and(|it| self.all[*it].is_written)
    }

    /// Texts that are words of another name here, with their places.
    pub(crate) fn renamed(&self) -> impl Iterator<Item = (Place, &str, &str)> {
        self.renamed.iter().map(|it| (it.0, &*it.1, &*it.2))
    }

    /// The keys of a tree, by their names.
    pub(crate) fn of(&self, tree: usize) -> impl Iterator<Item = Declared<'_>> {
        self.ids.range((tree, String::new())..(tree + 1, String::new())).map(move |(_, id)| {
            let (key, root) = (&self.all[*id], &self.all[self.root(*id)]);
            debug_assert_eq!(key.tree, tree);
            Declared {
                name: &key.name,
                kind: root.kind,
                words: root.words.iter().map(|it| &**it).collect(),
                at: key.at,
                is_port: self.ports.contains(id),
                direction: match (key.is_read, key.is_written || key.is_unsure && !key.has_literal) {
                    (true, true) => "InOut",
                    (false, true) => "Out",
                    _ => "In",
                },
                default: key.default.as_deref(),
                clash: root.clash,
            }
        })
    }
}

impl Declared<'_> {
    /// Whether the key has an initial value or a word that this declaration lacks.
    pub(crate) fn differs_from(&self, declared: &str) -> bool {
        let Some((_, values)) = declared.split_once('(') else { return false };
        let first = values.split([',', ')']).next().unwrap_or_default().trim().replace('_', "");
        let differs = |it: &str| match self.kind {
            Kind::Bool => it != first,
            Kind::Int | Kind::Float => it.parse::<f64>().ok() != first.parse().ok(),
            Kind::Word => !values.trim_start().starts_with(&format!("\"{it}\"")),
            _ => false,
        };
        let lacks = |word: &str| self.kind == Kind::Word && !values.contains(&format!("\"{word}\""));
        self.default.is_some_and(differs) || self.words.iter().any(|it| lacks(it))
    }

    /// The type, as a port declares it.
    pub(crate) fn port_type(&self) -> String {
        match self.kind {
            Kind::Word => format!("Symbol([{}])", self.quoted_words()),
            kind => kind.name().into(),
        }
    }

    /// The type and the value, as a blackboard declares them.
    pub(crate) fn declaration(&self) -> String {
        let default = self.default.filter(|it| Kind::of(it).join(self.kind) == Some(self.kind));
        // A bool of another system is often a number.
        let default = default.map(|it| match (it, self.kind.is_number()) {
            ("true", true) => "1",
            ("false", true) => "0",
            _ => it,
        });
        match self.kind {
            Kind::Bool => format!("Bool({})", default.unwrap_or("false")),
            Kind::Int => format!("Int({})", default.map_or("0".into(), crate::ron::number)),
            Kind::Float => format!("Float({})", default.map_or("0.0".into(), crate::ron::float)),
            Kind::Word => {
                let first = default.filter(|it| self.words.contains(it)).or(self.words.first().copied());
                format!("Symbol(\"{}\", [{}])", first.unwrap_or("none_yet"), self.quoted_words())
            }
            Kind::Vec2 => format!("Vec2({})", self.default.unwrap_or("0, 0")),
            Kind::Vec3 => format!("Vec3({})", self.default.unwrap_or("0, 0, 0")),
            Kind::Unknown | Kind::Object => "Entity(none)".into(),
        }
    }

    fn quoted_words(&self) -> String {
        let words = if self.words.is_empty() { &["none_yet"][..] } else { &self.words };
        words.iter().map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(", ")
    }
}
