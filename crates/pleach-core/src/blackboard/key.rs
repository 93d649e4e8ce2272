//! Typed keys: a name that was looked up once.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use super::place::ColumnPlace;
use super::{KeyDecl, NodeView, Schema, SchemaError, Scope};
use crate::expr::KeyIndex;
use crate::{BlackboardType, NodeId};

/// A blackboard key of type `T`: it holds where the value is, so that nothing is left to look up.
/// Comes from [`TreeBuilder::key`](crate::TreeBuilder::key), from
/// [`Schema::key`](crate::Schema::key), or out of an asset as a leaf's parameter.
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
    /// The node and its ancestors, nearest first.
    path: &'a Rc<Vec<NodeId>>,
}

impl<'a> NodeKeys<'a> {
    pub(crate) fn new(schema: &'a Rc<Schema>, path: &'a Rc<Vec<NodeId>>) -> Self {
        NodeKeys { schema, path }
    }

    /// The typed key of a name: the node's own keys and those of the nodes above it come first;
    /// `group.name` and the like name a scope.
    ///
    /// # Errors
    /// When there is none, or it has another type.
    pub fn key<T: BlackboardType>(&self, name: &str) -> Result<Key<T>, SchemaError> {
        NodeView { schema: self.schema, path: self.path }.typed(name)
    }
}

#[cfg(feature = "serde")]
mod from_asset {
    //! A leaf's parameter `target: Key<[f32; 3]>` is a name in the asset. Serde hands a type
    //! nothing but its input, so the schema that the name is looked up in is lent to this thread
    //! while one leaf's parameters are read. In the same way the error comes back whole: serde's
    //! own errors take nothing but text.

    use std::cell::RefCell;
    use std::fmt;
    use std::marker::PhantomData;
    use std::rc::Rc;

    use serde_core::de::Visitor;
    use serde_core::{Deserialize, Deserializer, de};

    use super::NodeKeys;
    use crate::blackboard::{NodeView, SchemaError};
    use crate::{BlackboardType, Key, NodeId, Schema, Symbol};

    struct Lent {
        schema: Rc<Schema>,
        path: Rc<Vec<NodeId>>,
        missed: Option<SchemaError>,
    }

    thread_local! {
        static LENT: RefCell<Option<Lent>> = const { RefCell::new(None) };
    }

    /// Puts back what was lent before, after a panic too.
    struct Restore(Option<Lent>);

    impl Drop for Restore {
        fn drop(&mut self) {
            LENT.set(self.0.take());
        }
    }

    impl NodeKeys<'_> {
        /// Runs `read`, in which [`Key`]s can be deserialized: from their names, as the node sees
        /// them. Returns also why the last key that could not be was not. The errors of
        /// deserializers have the text of that without its help, as they cannot hold it apart.
        pub fn lend<R>(&self, read: impl FnOnce() -> R) -> (R, Option<SchemaError>) {
            let lent = Lent { schema: Rc::clone(self.schema), path: Rc::clone(self.path), missed: None };
            let _restore = Restore(LENT.replace(Some(lent)));
            let result = read();
            (result, LENT.with_borrow_mut(|it| it.as_mut().and_then(|it| it.missed.take())))
        }
    }

    impl<'de, T: BlackboardType> Deserialize<'de> for Key<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            // That of a string, which is then looked up where it stands.
            deserializer.deserialize_string(Named(PhantomData))?.map_err(|error| match error {
                Some(error) => de::Error::custom(error),
                None => de::Error::custom("a blackboard key can only be read as a parameter of a leaf"),
            })
        }
    }

    /// A symbol is written as its word, which a symbol key of the tree must have: another one could
    /// equal nothing.
    impl<'de> Deserialize<'de> for Symbol {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_string(Named(PhantomData))?.map_err(|error| match error {
                Some(error) => de::Error::custom(error),
                None => de::Error::custom("a symbol can only be read as a parameter of a leaf"),
            })
        }
    }

    /// What a schema knows by a name.
    trait FromSchema: Sized {
        fn find(name: &str, view: &NodeView<'_>) -> Result<Self, SchemaError>;
    }

    impl<T: BlackboardType> FromSchema for Key<T> {
        fn find(name: &str, view: &NodeView<'_>) -> Result<Self, SchemaError> {
            view.typed(name)
        }
    }

    impl FromSchema for Symbol {
        fn find(word: &str, view: &NodeView<'_>) -> Result<Self, SchemaError> {
            view.schema.declared_word(word)
        }
    }

    /// Looks up what has the name that it is given. `None`: there is nothing to look it up in.
    struct Named<T>(PhantomData<fn() -> T>);

    impl<T: FromSchema> Visitor<'_> for Named<T> {
        type Value = Result<T, Option<SchemaError>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
            Ok(LENT.with_borrow_mut(|lent| {
                let Lent { schema, path, missed } = lent.as_mut().ok_or(None)?;
                T::find(name, &NodeView { schema, path }).map_err(|mut error| {
                    *missed = Some(error.clone());
                    error.take_help();
                    Some(error)
                })
            }))
        }

        fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<Self::Value, E> {
            match std::str::from_utf8(name) {
                Ok(name) => self.visit_str(name),
                Err(_) => Err(E::invalid_value(de::Unexpected::Bytes(name), &self)),
            }
        }
    }
}
