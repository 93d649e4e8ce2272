//! Typed keys: a name that was looked up once.

use std::fmt;
use std::marker::PhantomData;

use super::place::ColumnPlace;
use super::{KeyDecl, Scope};
use crate::BlackboardType;
use crate::expr::KeyIndex;

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

#[cfg(feature = "serde")]
pub use from_asset::with_schema;

#[cfg(feature = "serde")]
mod from_asset {
    //! A leaf's parameter `target: Key<[f32; 3]>` is a name in the asset. Serde gives a type
    //! nothing but its input. So the schema in which the name is looked up is lent to this thread
    //! while the parameters of one leaf are read.

    use std::cell::RefCell;
    use std::rc::Rc;

    use serde::{Deserialize, Deserializer, de};

    use crate::blackboard::NodeView;
    use crate::{BlackboardType, Key, NodeId, Schema};

    thread_local! {
        static LENT: RefCell<Option<(Rc<Schema>, Vec<NodeId>)>> = const { RefCell::new(None) };
    }

    /// Runs `read` with a schema in which [`Key`]s are looked up by name, as a node sees them:
    /// `path` is the node and its ancestors, nearest first.
    pub fn with_schema<R>(schema: &Rc<Schema>, path: &[NodeId], read: impl FnOnce() -> R) -> R {
        struct Restore(Option<(Rc<Schema>, Vec<NodeId>)>);
        impl Drop for Restore {
            fn drop(&mut self) {
                LENT.with(|lent| *lent.borrow_mut() = self.0.take());
            }
        }
        let _restore = Restore(LENT.with(|lent| lent.borrow_mut().replace((Rc::clone(schema), path.to_vec()))));
        read()
    }

    impl<'de, T: BlackboardType> Deserialize<'de> for Key<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let name = String::deserialize(deserializer)?;
            LENT.with(|lent| match &*lent.borrow() {
                Some((schema, path)) => NodeView { schema, path }.typed(&name).map_err(de::Error::custom),
                None => Err(de::Error::custom("a blackboard key can only be read as a parameter of a leaf")),
            })
        }
    }
}
