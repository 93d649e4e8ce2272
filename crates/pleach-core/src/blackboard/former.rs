//! Typed keys of other trees, such as earlier versions of a tree: how they are found by name, and
//! the names of removed ones.

use std::sync::OnceLock;

use indexmap::IndexSet;
use pleach_expr::expr::KeyIndex;

use super::{Key, KeyDecl, Schema};
use crate::Type;
use crate::limits::MAX_KEYS;

/// A key of an earlier version.
#[derive(Clone, Debug)]
struct FormerKey {
    name: Box<str>,
    ty: Type,
    tag: u32,
}

#[derive(Clone, Debug)]
struct Past {
    /// The name of the tree.
    tree: Box<str>,
    keys: Box<[FormerKey]>,
}

/// What a tree knows about the versions that it replaced. It is noted once, when it replaces them,
/// and serves only messages: a typed key holds a hash of its name, which cannot be read back. So
/// schemas are equal whether or not they hold it.
#[derive(Clone, Debug, Default)]
pub(super) struct Former(OnceLock<Box<Past>>);

impl PartialEq for Former {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Schema {
    /// The declaration of a typed key. A key of another tree counts, such as an earlier version of
    /// this one, if this one has a key of the same name, scope and type.
    #[inline]
    pub(crate) fn own<T>(&self, key: Key<T>) -> Option<&KeyDecl> {
        self.index_of(key).map(|it| &self.all()[it.index()])
    }

    /// A typed key as this tree has it, with its declaration, if [`own`](Schema::own) finds it.
    pub(crate) fn adopt<T>(&self, key: Key<T>) -> Option<(Key<T>, &KeyDecl)> {
        let index = self.index_of(key)?;
        let decl = self.decl(index);
        Some((Key::new(index, decl), decl))
    }

    #[inline]
    fn index_of<T>(&self, key: Key<T>) -> Option<KeyIndex> {
        match self.all().get(key.index().index()) {
            Some(it) if it.tag() == key.tag() => Some(key.index()),
            _ => self.tagged(key.tag()),
        }
    }

    /// The key of a tag. A tag is a hash: of two keys with one tag neither is found, as a typed key
    /// does not tell which of them it is.
    #[cold]
    fn tagged(&self, tag: u32) -> Option<KeyIndex> {
        let mut all = (0..self.all().len()).filter(|&it| self.all()[it].tag() == tag);
        all.next().filter(|_| all.next().is_none()).and_then(KeyIndex::new)
    }

    /// Notes that a tree of this name has replaced one with these keys.
    pub(crate) fn follows(&self, old: &Schema, tree: &str) {
        let here: IndexSet<u32> = self.keys().map(KeyDecl::tag).collect();
        let declared = old.keys().map(|it| FormerKey { name: it.name().into(), ty: it.ty(), tag: it.tag() });
        let before = old.former.0.get().into_iter().flat_map(|it| it.keys.iter().cloned());
        // The latest come first. There may be many versions while people work.
        let gone = declared.chain(before).filter(|it| !here.contains(&it.tag));
        let keys: Box<[FormerKey]> = gone.take(MAX_KEYS).collect();
        // A tree that is in several forests keeps what the first of them has noted.
        let _noted_before = self.former.0.set(Box::new(Past { tree: tree.into(), keys }));
    }

    /// The name and the type of a key that an earlier version had, and the tree's name.
    pub(super) fn former(&self, tag: u32) -> Option<(&str, Type, &str)> {
        let past = self.former.0.get()?;
        let key = past.keys.iter().find(|it| it.tag == tag)?;
        Some((&key.name, key.ty, &past.tree))
    }
}
