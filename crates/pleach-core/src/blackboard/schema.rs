//! What a tree declares about its blackboard: keys with a name, a scope, a type and a default.

mod instance;
mod view;

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use indexmap::IndexMap;
use pleach_expr::expr::{KeyIndex, Names, is_word};
use pleach_expr::runtime::is_key_name;

use super::board::Foreign;
use super::error::{SchemaError, bad_words};
use super::events::Events;
use super::former::Former;
use super::place::{ColumnPlace, KeyPlace};
use crate::limits::{MAX_KEYS, MAX_NAME, MAX_WORDS};
use crate::{BlackboardType, Key, NodeId, Symbol, Type, Value};

pub use instance::Direction;
pub(crate) use instance::FrameId;
use instance::Instances;
pub(crate) use view::{NodeView, Sight, describe};

/// What a key belongs to. An expression looks a bare name up in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One node, per agent; seen by that node and all nodes below it.
    Node,
    /// One agent.
    Agent,
    /// A group of agents (a squad), which share it. An agent that joined no group has a group of
    /// its own.
    Group,
    /// The forest: shared by all agents of all trees.
    Global,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Node => "node",
            Scope::Agent => "agent",
            Scope::Group => "group",
            Scope::Global => "global",
        })
    }
}

/// What a key holds before it is first written, and thereby its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Default {
    /// Any value but a symbol.
    Value(Value),
    /// A symbol, and all words that the key may hold. The first member is one of the words. An
    /// expression can write each of them: [`is_word`].
    Symbol(String, Vec<String>),
}

impl<T: Into<Value>> From<T> for Default {
    fn from(value: T) -> Self {
        Default::Value(value.into())
    }
}

/// One declared key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyDecl {
    name: Box<str>,
    scope: Scope,
    default: Value,
    words: Box<[Box<str>]>,
    /// The symbols of `words`, sorted, so that a write hashes nothing and need not search all of
    /// them.
    symbols: Box<[Symbol]>,
    node: Option<NodeId>,
    place: KeyPlace,
    column: ColumnPlace,
    tag: u32,
}

impl KeyDecl {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Its scope.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }
    /// Its type.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.default.ty()
    }
    /// What it holds before it is written and after it is removed. If several trees of a forest
    /// declare a group or global key, the default of the first of them counts.
    #[must_use]
    pub fn default(&self) -> Value {
        self.default
    }
    /// The words that a symbol key may hold; empty for the other types.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|it| &**it)
    }
    /// The node that declares it, for [`Scope::Node`].
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }
    /// Whether the key can hold that value: of its type, and one of its words.
    #[inline]
    pub(crate) fn admits(&self, value: Value) -> bool {
        match value {
            Value::Symbol(symbol) => self.symbols.contains(&symbol),
            _ => value.ty() == self.ty(),
        }
    }
    /// A word that only one of the two has, this key or the enum that it is looked up as.
    fn differs(&self, words: &[&str]) -> Option<String> {
        let unknown = self.words().find(|it| !words.contains(it));
        unknown.or_else(|| words.iter().copied().find(|it| !self.words().any(|own| own == *it))).map(Into::into)
    }
    pub(crate) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
    pub(crate) fn place(&self) -> KeyPlace {
        self.place
    }
    pub(super) fn column(&self) -> ColumnPlace {
        self.column
    }
    /// A hash of what identifies the key in any version of its tree: its name, scope, type and, for
    /// a node's key, that node. So a typed key of an earlier version is found in a later one, and
    /// one that is used with the wrong tree is not.
    pub(crate) fn tag(&self) -> u32 {
        self.tag
    }
}

/// Why a write through a typed key is refused. It is small, as every write returns it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refused {
    /// The key belongs to another tree.
    Foreign,
    /// The value is a symbol that is not one of the key's words.
    NotAWord,
}

impl From<Foreign> for Refused {
    fn from(_: Foreign) -> Self {
        Refused::Foreign
    }
}

/// FNV-1a, as for [`Symbol`]: names are short, few and looked up often.
#[derive(Clone, Copy, Default)]
struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &it| (hash ^ u64::from(it)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// All the keys of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    keys: Vec<KeyDecl>,
    /// What the tree's own file sees, and every key that an instance has for itself by its full
    /// name.
    by_name: ByName,
    /// Rarely used parts.
    instances: Option<Box<Instances>>,
    words: IndexMap<Symbol, Box<str>>,
    columns: [u16; 3],
    pub(super) events: Events,
    /// Whether errors no longer name similar keys and words.
    silent: bool,
    pub(super) former: Former,
}

type ByName = IndexMap<Box<str>, Namesakes, BuildHasherDefault<NameHasher>>;

/// The keys that share one name.
#[derive(Clone, Debug, Default, PartialEq)]
struct Namesakes {
    /// The keys of nodes, in ascending order.
    nodes: Vec<(NodeId, KeyIndex)>,
    agent: Option<KeyIndex>,
    group: Option<KeyIndex>,
    global: Option<KeyIndex>,
    /// Whether it is a port that built-ins only read.
    read_only: bool,
    /// Whether only instances declare the group or global key: the tree's own nodes do not see it.
    hidden_group: bool,
    hidden_global: bool,
}

impl Namesakes {
    /// Notes a key. Returns whether it is the first of its name there.
    fn add(&mut self, scope: Scope, node: Option<NodeId>, key: KeyIndex) -> bool {
        let place = match (scope, node) {
            (Scope::Node, Some(node)) => {
                let place = self.nodes.binary_search_by_key(&node, |it| it.0);
                if let Err(place) = place {
                    self.nodes.insert(place, (node, key));
                }
                return place.is_err();
            }
            // A node key without its node: no node sees it.
            (Scope::Node, None) => return true,
            (Scope::Agent, _) => &mut self.agent,
            (Scope::Group, _) => &mut self.group,
            (Scope::Global, _) => &mut self.global,
        };
        // The first counts: another one is refused, and not entered anywhere.
        let is_first = place.is_none();
        place.get_or_insert(key);
        is_first
    }
}

impl Schema {
    /// Every key, in the order of declaration.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &KeyDecl> {
        self.keys.iter()
    }

    /// The same as a slice.
    #[inline]
    pub(super) fn all(&self) -> &[KeyDecl] {
        &self.keys
    }

    /// The node and agent keys: those that have a column among an agent's.
    pub(crate) fn columned(&self) -> impl Iterator<Item = &KeyDecl> {
        self.keys.iter().filter(|it| matches!(it.scope, Scope::Node | Scope::Agent))
    }

    /// The declaration of a key.
    ///
    /// # Panics
    /// If the index belongs to another, longer schema.
    #[must_use]
    pub fn decl(&self, key: KeyIndex) -> &KeyDecl {
        &self.keys[key.index()]
    }

    /// The typed key of that name, looked up as agent, group and global key; `group.name` names a
    /// scope.
    ///
    /// # Errors
    /// If there is none, or it has another type.
    pub fn key<T: BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        self.host_view().typed(name)
    }

    /// The key of that name, of any type; looked up as [`key`](Schema::key) does.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<KeyIndex, SchemaError> {
        self.host_view().find(name)
    }

    /// Declares a key, or returns everything that is wrong with its words.
    pub(crate) fn declare_or_tell(
        &mut self,
        name: &str,
        scope: Scope,
        node: Option<NodeId>,
        default: Default,
    ) -> Result<KeyIndex, Vec<SchemaError>> {
        let bad = bad_words(name, &default);
        self.declare(name, scope, node, default).map_err(|first| first.with(bad))
    }

    /// Whether any key has that name in a frame.
    pub(crate) fn is_named(&self, frame: FrameId, name: &str) -> bool {
        self.names_in(frame).contains_key(name) || self.names_in(self.file_of(frame)).contains_key(name)
    }

    /// Whether a word means a symbol key at the first node of `sight`, or at a node below that one.
    pub(crate) fn is_hidden(&self, word: &str, sight: &Sight, is_below: impl Fn(NodeId) -> bool) -> bool {
        let Some(namesakes) = self.names_in(sight.frame).get(word) else { return false };
        let is_symbol = |key: KeyIndex| self.value_type(key) == Type::Symbol;
        // Where a nearer key of another type has the name, the word is itself again.
        let mut nearer = namesakes.nodes.iter().filter(|(node, _)| is_below(*node));
        let here = self.view(sight).resolve(None, word);
        here.is_some_and(is_symbol) && nearer.all(|&(_, key)| is_symbol(key))
    }

    /// The word of a symbol, if any key of this tree declares it.
    #[must_use]
    pub fn word(&self, symbol: Symbol) -> Option<&str> {
        self.words.get(&symbol).map(|it| &**it)
    }

    /// The words of all its symbol keys.
    pub(crate) fn all_words(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.words.iter().map(|(symbol, word)| (*symbol, &**word))
    }

    /// The symbol of a word that a key of this tree has.
    #[cfg(feature = "serde")]
    pub(crate) fn declared_word(&self, word: &str) -> Result<Symbol, SchemaError> {
        let symbol = Symbol::new(word);
        if self.word(symbol) == Some(word) {
            return Ok(symbol);
        }
        let words = if self.silent { Vec::new() } else { self.words.values().map(|it| &**it).collect() };
        Err(SchemaError::UnknownWord {
            word: word.into(),
            help: crate::names::near(word, words).map(crate::names::Near::help),
        })
    }

    /// How many columns an agent, a group and the forest need for this tree's keys.
    pub(crate) fn columns(&self) -> [usize; 3] {
        self.columns.map(usize::from)
    }

    /// Whether a typed key can hold that value. Only symbols need a check; for all other types the
    /// compiler removes it.
    #[inline]
    pub(crate) fn check<T: BlackboardType>(&self, key: Key<T>, value: T) -> Result<(), Refused> {
        match value.into_value() {
            Value::Symbol(symbol) if self.own(key).ok_or(Refused::Foreign)?.symbols.binary_search(&symbol).is_err() => {
                Err(Refused::NotAWord)
            }
            _ => Ok(()),
        }
    }

    /// From now on errors do not name similar keys, words and events: for loaders that have found
    /// more problems than anyone reads. Each suggestion costs a comparison with every other name.
    pub(crate) fn stop_suggesting(&mut self) {
        self.silent = true;
        self.events.stop_suggesting();
    }

    pub(crate) fn typed<T: BlackboardType>(&self, index: KeyIndex) -> Result<Key<T>, SchemaError> {
        let Some(decl) = self.keys.get(index.index()) else { return Err(SchemaError::Constant) };
        if decl.ty() == T::TYPE {
            match T::KEY_WORDS.and_then(|it| decl.differs(it)) {
                Some(word) => Err(SchemaError::OtherWords { name: decl.name().into(), word }),
                None => Ok(Key::new(index, decl)),
            }
        } else {
            Err(SchemaError::WrongType { name: decl.name().into(), found: decl.ty(), wanted: T::TYPE })
        }
    }

    /// A value for people: `0.3`, `(1, 2)`, `alert`, `#7`, `none` for the entity 0.
    #[must_use]
    pub fn describe(&self, value: Value) -> String {
        describe(value, |it| self.word(it))
    }

    /// Declares a key; `node` is the one that declares it: given for [`Scope::Node`], and for no
    /// other scope. The schema of a tree cannot be changed.
    ///
    /// # Errors
    /// The name is taken or malformed, the default is unusable, the scope and the node do not fit,
    /// or there are too many keys.
    pub fn declare(
        &mut self,
        name: &str,
        scope: Scope,
        node: Option<NodeId>,
        default: Default,
    ) -> Result<KeyIndex, SchemaError> {
        let owner = node.map_or_else(String::new, |it| it.to_string());
        self.declare_in(FrameId::WHOLE, name, None, scope, (node, &owner), default)
    }

    /// Declares a key that a frame sees by its name. If it belongs only to that frame, `full` is
    /// its name in the tree. A node that declares it comes with what identifies it in any version
    /// of the tree.
    pub(super) fn declare_in(
        &mut self,
        frame: FrameId,
        name: &str,
        full: Option<String>,
        scope: Scope,
        (node, owner): (Option<NodeId>, &str),
        default: Default,
    ) -> Result<KeyIndex, SchemaError> {
        if !is_key_name(name) || name.len() > MAX_NAME {
            return Err(SchemaError::BadName(name.into()));
        }
        if (scope == Scope::Node) != node.is_some() {
            return Err(SchemaError::Misplaced { name: name.into(), scope });
        }
        let (default, words) = match default {
            Default::Value(Value::Symbol(_)) => return Err(SchemaError::NoWords(name.into())),
            Default::Value(value) if !value.is_finite() => return Err(SchemaError::NotFinite(name.into())),
            Default::Value(value) => (value, Vec::new()),
            Default::Symbol(_, words) if words.len() > MAX_WORDS => {
                return Err(SchemaError::TooManyWords { name: name.into(), count: words.len() });
            }
            Default::Symbol(default, words) => {
                if let Some(bad) = words.iter().find(|it| !is_word(it)) {
                    return Err(SchemaError::bad_word(name, bad));
                }
                if !words.contains(&default) {
                    return Err(SchemaError::NotAWord { name: name.into(), default });
                }
                (Value::Symbol(Symbol::new(&default)), words)
            }
        };
        let index = KeyIndex::new(self.keys.len()).filter(|it| it.index() < MAX_KEYS).ok_or(SchemaError::TooMany)?;
        for word in &words {
            if let Some(other) = self.words.insert(Symbol::new(word), word.as_str().into())
                && *other != **word
            {
                return Err(SchemaError::Collision(other.into(), word.clone()));
            }
        }
        let doubled = |name: &str| SchemaError::Doubled { name: name.into(), scope };
        if !self.names_mut(frame).entry(name.into()).or_default().add(scope, node, index) {
            return Err(doubled(name));
        }
        if let Some(full) = &full
            && !self.by_name.entry(full.as_str().into()).or_default().add(scope, node, index)
        {
            // What uses it is not wrong too.
            let other = self.full_name(full);
            self.names_mut(frame).entry(name.into()).or_default().agent = other;
            return Err(doubled(full));
        }
        let name = full.as_deref().unwrap_or(name);
        let place = KeyPlace::behind(self.columns[kind(scope)].into());
        self.columns[kind(scope)] += 1;
        let alike = |it: &&KeyDecl| kind(it.scope) == 0 && it.ty() == default.ty();
        let column = match scope {
            Scope::Node | Scope::Agent => ColumnPlace::behind(self.keys.iter().filter(alike).count()),
            Scope::Group | Scope::Global => ColumnPlace::FIRST,
        };
        let mut symbols: Box<[Symbol]> = words.iter().map(|it| Symbol::new(it)).collect();
        symbols.sort_unstable();
        let words = words.into_iter().map(String::into_boxed_str).collect();
        self.keys.push(KeyDecl {
            name: name.into(),
            scope,
            default,
            words,
            symbols,
            node,
            place,
            column,
            tag: tag(name, scope, default.ty(), owner),
        });
        Ok(index)
    }
}

impl Scope {
    const ALL: [Scope; 4] = [Scope::Node, Scope::Agent, Scope::Group, Scope::Global];

    /// Its name with an article.
    pub(crate) fn with_article(self) -> String {
        format!("{} {self}", if self == Scope::Agent { "an" } else { "a" })
    }

    /// The scope of a tagged key: the lowest two bits.
    pub(crate) fn of_tag(tag: u32) -> Scope {
        Scope::ALL[tag as usize % 4]
    }
}

/// The FNV-1a hash of what identifies a key, with the scope in its lowest two bits.
pub(super) fn tag(name: &str, scope: Scope, ty: Type, owner: &str) -> u32 {
    let text = format!("{scope}.{name}:{ty}{owner}");
    let hash = text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash & !3 | scope as u32
}

/// Which columns a scope's keys are in.
fn kind(scope: Scope) -> usize {
    match scope {
        Scope::Node | Scope::Agent => 0,
        Scope::Group => 1,
        Scope::Global => 2,
    }
}
