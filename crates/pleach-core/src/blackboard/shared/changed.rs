//! Which shared values have changed since the agents that read them last heard of it.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{Cell, Shared};

/// Shared values that have changed.
pub(crate) type Changed = IndexSet<Cell, FxBuildHasher>;

impl Shared {
    /// Whether an observer of a tree reads a shared key. Only then must agents be marked.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// Whether there is a change that the agents reading the value have not heard of yet.
    #[inline]
    pub(crate) fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The values that have changed and whose readers have not heard of it yet, of those that
    /// observers read.
    #[cfg(feature = "save")]
    pub(crate) fn untold(&self) -> impl Iterator<Item = Cell> {
        self.changed.iter().copied()
    }

    /// The values that have changed since they were last forgotten, of those that observers read.
    pub(crate) fn lend_changed(&mut self) -> Changed {
        std::mem::take(&mut self.changed)
    }

    /// Every agent that reads these values is marked. Takes their list back, to reuse its memory.
    pub(crate) fn forget_changed(&mut self, mut changed: Changed) {
        changed.clear();
        self.changed = changed;
    }
}
