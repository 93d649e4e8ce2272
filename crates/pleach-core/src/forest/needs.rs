//! The keys of a forest's trees that the game relies on.

use super::error::ReplaceTreeError;
use super::replaced::Replace;
use super::{Forest, StaleError, TreeId};
use crate::blackboard::{BindError, KeyNeed, KeySet, needs};
use crate::{Host, error::KeysError};

impl<H: Host> Forest<H> {
    /// Looks up the keys that the game relies on, and from now on refuses every version of the tree
    /// that lacks one of them or declares one differently: [`replace_tree`](Forest::replace_tree)
    /// and the like are errors then, and change nothing (SEMANTICS 10.7). So these keys work after
    /// every replacement, as long as the forest has the tree. See [`KeySet`].
    ///
    /// An optional key that the tree has now, and the present words of a key that is looked up as a
    /// [`Symbol`](crate::Symbol), must stay as well. An optional key that is added later is found
    /// by binding again. Several sets may be bound to a tree, and one of them several times.
    ///
    /// # Errors
    /// If the tree does not exist, or lacks keys: then everything that is wrong with them.
    pub fn bind<K: KeySet>(&mut self, tree: TreeId) -> Result<K, BindError> {
        let found = self.tree(tree)?;
        let (keys, needs) = found.schema.bind_set(found.name())?;
        needs::add(self.trees.needs_mut(tree), needs);
        Ok(keys)
    }

    /// The keys of a tree that the game relies on: those of all sets that were
    /// [bound](Forest::bind) to it.
    ///
    /// # Errors
    /// If the tree does not exist.
    pub fn key_needs(&self, tree: TreeId) -> Result<&[KeyNeed], StaleError> {
        self.tree(tree).map(|_| self.trees.needs(tree))
    }

    /// Whether these trees, in place of the present ones, have all keys that the game relies on.
    pub(super) fn meet_needs(&self, trees: &[(TreeId, Replace<H>)]) -> Result<(), ReplaceTreeError> {
        let lacks =
            |(id, new): &(TreeId, Replace<H>)| new.tree.schema.meets(self.trees.needs(*id), new.tree.name()).err();
        let errors: Vec<KeysError> = trees.iter().filter_map(lacks).collect();
        if errors.is_empty() { Ok(()) } else { Err(ReplaceTreeError::Keys(errors)) }
    }
}
