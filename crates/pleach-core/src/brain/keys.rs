//! The keys of a brain.

use super::Brain;
use crate::Host;
use crate::blackboard::board::BoardView;
use crate::blackboard::view::SharedRows;
use crate::blackboard::{KeyNeed, KeySet, needs};
use crate::error::{AccessError, KeysError};
use crate::forest::parts::groups;
use crate::keys::rows::KeyRows;
use crate::keys::{Keys, KeysMut};
use crate::row::Row;

impl<H: Host> Brain<H> {
    /// The keys of the agent, to read. Those of its group and the global ones are its own, unless
    /// it [shares](Brain::sharing) them. If a leaf despawned the agent, they hold their last
    /// values.
    #[must_use]
    pub fn keys(&self) -> Keys<'_> {
        let tree = &*self.shape.tree;
        let group = self.row.group().unwrap_or_default();
        let shared = self.rest.as_ref().map(|it| (&it.shared, &self.shape.map, group));
        let board = BoardView::of_one(&tree.layout, &self.row.columns);
        Keys::new(Row::FIRST, tree.schema(), board, shared)
    }

    /// The keys of the agent, to read and to write.
    pub fn keys_mut(&mut self) -> KeysMut<'_> {
        let tree = &*self.shape.tree;
        let (ids, ties, board) = self.row.ids_and_keys(tree);
        let shared =
            self.rest.as_mut().and_then(|it| SharedRows::own(&mut it.shared, &self.shape.map, 1, groups(ties)));
        let rows = KeyRows { schema: tree.schema(), board, shared };
        KeysMut { at: Row::FIRST, ids, ties, rows }
    }

    /// Looks up the keys that the game relies on, and from now on refuses every version of the tree
    /// that lacks one of them: see [`Forest::bind`](crate::Forest::bind).
    ///
    /// # Errors
    /// Everything that is wrong with them in this tree.
    pub fn bind<K: KeySet>(&mut self) -> Result<K, KeysError> {
        let (keys, needs) = self.shape.tree.schema.bind_set(self.shape.tree.name())?;
        needs::add(&mut self.rest().needs, needs);
        Ok(keys)
    }

    /// The keys that the game relies on: those of all sets that were [bound](Brain::bind).
    #[must_use]
    pub fn key_needs(&self) -> &[KeyNeed] {
        self.rest.as_ref().map_or(&[], |it| &it.needs)
    }

    /// Fills a slot of the tree: see [`AgentMut::fill`](crate::handles::AgentMut::fill).
    ///
    /// # Errors
    /// If the tree has no such slot, or the slot no such tree.
    pub fn fill(&mut self, slot: &str, word: &str) -> Result<bool, AccessError> {
        self.keys_mut().fill(slot, word)
    }
}
