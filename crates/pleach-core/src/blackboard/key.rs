//! Typed keys: a name that was looked up once.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use pleach_expr::expr::{Expr, ExprError, KeyIndex};

use super::place::ColumnPlace;
use super::{EventError, KeyDecl, NodeView, Schema, SchemaError, Scope, Sight};
use crate::limits::MAX_NAME;
use crate::{BlackboardType, Symbol, Type};

/// A blackboard key of type `T`: it holds where the value is, so that nothing is left to look up.
/// Comes from [`TreeBuilder::key`](crate::TreeBuilder::key), from
/// [`Schema::key`](crate::schema::Schema::key), or from an asset as a leaf's parameter.
///
/// It works with other trees, too, such as later versions of its own
/// ([`Forest::replace_tree`](crate::Forest::replace_tree)). A key that was
/// [bound](crate::Forest::bind) is in all of them, as others are refused. With any other key that a
/// tree lacks, `get`, `set` and `reset` panic; `try_get`, `try_set`, `try_reset`, `column` and
/// `update_column` return an error or `None`. Where the key is at another place there, it is found
/// by name, scope and type (a node's key also by the node's id, or else its path), at the cost of a
/// look at all keys of the tree; look it up again to save that. The name is identified by a hash of
/// thirty bits: of two keys with one hash neither is found at another place.
pub struct Key<T> {
    // Eight bytes, so that it is passed in a register: leaves read their keys in every update.
    index: KeyIndex,
    column: ColumnPlace,
    tag: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    pub(crate) fn new(index: KeyIndex, decl: &KeyDecl) -> Self {
        Key { index, column: decl.column(), tag: decl.tag(), of: PhantomData }
    }

    /// A key of no tree, for a builder that will refuse to build.
    pub(crate) fn unusable() -> Self {
        let index = KeyIndex::new(usize::from(u16::MAX)).expect("fits");
        Key { index, column: ColumnPlace::NONE, tag: 0, of: PhantomData }
    }

    /// Its index in the schema of its tree.
    #[must_use]
    pub fn index(self) -> KeyIndex {
        self.index
    }

    /// Its scope.
    #[must_use]
    pub fn scope(self) -> Scope {
        Scope::of_tag(self.tag)
    }

    /// The key as a number, for bindings to other languages.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn to_bits(self) -> u64 {
        u64::from(self.tag) << 32 | (self.column.index() as u64) << 16 | self.index.index() as u64
    }

    /// The key with this number. Any other number gives a key of another tree, or some key of this
    /// one.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "parts of the number")]
    pub fn from_bits(bits: u64) -> Self {
        let Some(index) = KeyIndex::new((bits as u16).into()) else { return Key::unusable() };
        let column = ColumnPlace::of_number((bits >> 16) as u16);
        Key { index, column, tag: (bits >> 32) as u32, of: PhantomData }
    }

    pub(super) fn column(self) -> ColumnPlace {
        self.column
    }

    pub(crate) fn tag(self) -> u32 {
        self.tag
    }
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T> PartialEq for Key<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.tag) == (other.index, other.tag)
    }
}

impl<T> Eq for Key<T> {}

impl<T: BlackboardType> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key<{}>({} {:?})", T::TYPE, self.scope(), self.index)
    }
}

/// The keys that one node sees, while its tree is built.
#[derive(Clone, Copy, Debug)]
pub struct NodeKeys<'a> {
    schema: &'a Rc<Schema>,
    sight: &'a Rc<Sight>,
}

impl<'a> NodeKeys<'a> {
    pub(crate) fn new(schema: &'a Rc<Schema>, sight: &'a Rc<Sight>) -> Self {
        NodeKeys { schema, sight }
    }

    /// The typed key of a name: the node's own keys and those of the nodes above it take
    /// precedence; `group.name` and the like name a scope.
    ///
    /// # Errors
    /// When there is none, or it has another type.
    pub fn key<T: BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        self.view().typed(name)
    }

    /// Compiles an expression over the keys that the node sees, as [`Expr::compile`] does.
    ///
    /// # Errors
    /// The syntax error, if there is one; otherwise every wrong name and type, in the order of the
    /// source.
    pub fn expr(&self, source: &str, expected: Option<Type>) -> Result<Expr, Vec<ExprError>> {
        Expr::compile(source, &self.view(), expected)
    }

    /// The event of a name.
    ///
    /// # Errors
    /// If the tree does not know it (SEMANTICS 8.27), or the name cannot be an event's.
    pub fn event(&self, name: &str) -> Result<EventName, EventError> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(EventError::BadName(name.chars().take(MAX_NAME).collect()));
        }
        self.schema.find_event(self.sight.frame, name)?;
        Ok(EventName(Symbol::new(name)))
    }

    fn view(&self) -> NodeView<'a> {
        self.schema.view(self.sight)
    }
}

/// The name of an event, as a parameter of a leaf. In assets it is a string with the name of an
/// event that the tree knows (SEMANTICS 8.27); any other is a problem at load.
///
/// ```
/// # use pleach_core::nodes::{action, deferred};
/// # use pleach_core::{Event, Host, Status, Tree};
/// # struct Game;
/// # impl Host for Game {
/// #     type Cx<'a> = ();
/// # }
/// let shout = deferred(|keys| {
///     let name = keys.event("shout")?;
///     Ok(action(move |cx| {
///         cx.emit(Event::from(name));
///         Status::Success
///     }))
/// });
/// let mut builder = Tree::<Game>::builder("crier");
/// builder.event("shout", None);
/// assert!(builder.build(shout).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventName(Symbol);

impl EventName {
    /// The name.
    #[must_use]
    pub fn symbol(self) -> Symbol {
        self.0
    }
}

#[cfg(feature = "serde")]
pub use from_asset::{LookupError, LookupFailure};

#[cfg(feature = "serde")]
mod from_asset {
    //! A leaf's parameter `target: Key<[f32; 3]>` is a name in the asset. Serde gives a type only
    //! its input, so the schema that the name is looked up in is lent to this thread while one
    //! leaf's parameters are read. In the same way the error comes back whole: serde's own errors
    //! take only text.

    use std::cell::RefCell;
    use std::fmt;
    use std::marker::PhantomData;
    use std::rc::Rc;

    use pleach_expr::expr::ExprError;
    use pleach_expr::names::Help;
    use pleach_expr::runtime::find_words_by;
    use serde_core::de::Visitor;
    use serde_core::{Deserialize, Deserializer, de};

    use super::{EventName, NodeKeys};
    use crate::blackboard::Sight;
    use crate::blackboard::{EventError, SchemaError};
    use crate::schema::{KeyDefault, Schema, Scope};
    use crate::{BlackboardType, Key};

    struct Borrowed {
        schema: Rc<Schema>,
        sight: Rc<Sight>,
        missed: Option<LookupFailure>,
    }

    /// Why the last of those parameters that are looked up in the tree could not be read.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LookupFailure {
        /// What is wrong, in the words of the deserializer's error.
        pub message: String,
        /// What to do about it.
        pub help: Help,
    }

    /// An error of a look-up.
    pub trait LookupError: fmt::Display {
        /// Takes out what to do about it.
        fn take_help(&mut self) -> Option<Help>;
    }

    impl LookupError for SchemaError {
        fn take_help(&mut self) -> Option<Help> {
            SchemaError::take_help(self)
        }
    }

    impl LookupError for EventError {
        fn take_help(&mut self) -> Option<Help> {
            EventError::take_help(self)
        }
    }

    impl LookupError for ExprError {
        fn take_help(&mut self) -> Option<Help> {
            self.kind.take_help()
        }
    }

    thread_local! {
        static LENT: RefCell<Option<Borrowed>> = const { RefCell::new(None) };
    }

    /// Restores what was lent before, after a panic too.
    struct Restore(Option<Borrowed>);

    impl Drop for Restore {
        fn drop(&mut self) {
            LENT.set(self.0.take());
        }
    }

    impl NodeKeys<'_> {
        /// Runs `read`. In it [`Key`]s can be deserialized from their names, as the node sees them;
        /// so can [`Symbol`](crate::Symbol)s, [`EventName`]s and any type that calls
        /// [`lent`](NodeKeys::lent). Also returns why the last of these failed, if there is help
        /// for it. The errors of deserializers hold that text without its help, as they cannot keep
        /// the two apart.
        pub fn lend<R>(&self, read: impl FnOnce() -> R) -> (R, Option<LookupFailure>) {
            find_words_by(|word| NodeKeys::lent(|keys| keys.schema.declared_word(word)));
            let lent = Borrowed { schema: Rc::clone(self.schema), sight: Rc::clone(self.sight), missed: None };
            let _restore = Restore(LENT.replace(Some(lent)));
            let result = read();
            (result, LENT.with_borrow_mut(|it| it.as_mut().and_then(|it| it.missed.take())))
        }

        /// Runs `read` with keys of these names and an event that no tree has, to find out which
        /// parameters a leaf asks for. Keys that cannot be declared are left out.
        #[doc(hidden)]
        pub fn lend_samples<R>(
            keys: impl IntoIterator<Item = (&'static str, KeyDefault)>,
            event: &str,
            read: impl FnOnce() -> R,
        ) -> R {
            let mut schema = Schema::default();
            for (name, default) in keys {
                _ = schema.declare_or_tell(name, Scope::Agent, None, default);
            }
            _ = schema.declare_event(event, None, false);
            NodeKeys::new(&Rc::new(schema), &Rc::default()).lend(read).0
        }

        /// Looks something up in the keys that are lent while the parameters of a leaf are read:
        /// for types of parameters that need them, in their `Deserialize`.
        ///
        /// # Errors
        /// What is wrong, without its help, which [`lend`](NodeKeys::lend) returns; or that nothing
        /// is lent.
        pub fn lent<T, E: LookupError>(find: impl FnOnce(&NodeKeys<'_>) -> Result<T, E>) -> Result<T, String> {
            LENT.with_borrow_mut(|lent| {
                let Some(Borrowed { schema, sight, missed }) = lent else {
                    return Err("this can only be read as a parameter of a leaf".into());
                };
                find(&NodeKeys { schema, sight }).map_err(|mut error| {
                    let help = error.take_help();
                    let message = error.to_string();
                    *missed = help.map(|help| LookupFailure { message: message.clone(), help });
                    message
                })
            })
        }
    }

    /// Things that are looked up by a name.
    trait ByName: Sized {
        type Error: LookupError;
        /// What has to be written.
        fn wanted(f: &mut fmt::Formatter<'_>) -> fmt::Result;
        fn find(name: &str, keys: &NodeKeys<'_>) -> Result<Self, Self::Error>;
    }

    impl<T: BlackboardType> ByName for Key<T> {
        type Error = SchemaError;
        fn wanted(f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "the name of a key of type {}", T::TYPE)
        }
        fn find(name: &str, keys: &NodeKeys<'_>) -> Result<Self, SchemaError> {
            keys.key(name)
        }
    }

    impl ByName for EventName {
        type Error = EventError;
        fn wanted(f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the name of an event")
        }
        fn find(name: &str, keys: &NodeKeys<'_>) -> Result<Self, EventError> {
            keys.event(name)
        }
    }

    impl<'de, T: BlackboardType> Deserialize<'de> for Key<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            // A string's error; the name is then looked up where it stands.
            deserializer.deserialize_string(Named(PhantomData))?.map_err(de::Error::custom)
        }
    }

    impl<'de> Deserialize<'de> for EventName {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_string(Named(PhantomData))?.map_err(de::Error::custom)
        }
    }

    /// Looks up the thing with the given name.
    struct Named<T>(PhantomData<fn() -> T>);

    impl<T: ByName> Visitor<'_> for Named<T> {
        type Value = Result<T, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            T::wanted(f)
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
            Ok(NodeKeys::lent(|keys| T::find(name, keys)))
        }

        fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<Self::Value, E> {
            match std::str::from_utf8(name) {
                Ok(name) => self.visit_str(name),
                Err(_) => Err(E::invalid_value(de::Unexpected::Bytes(name), &self)),
            }
        }
    }
}
