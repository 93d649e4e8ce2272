//! What a new version of a tree would change for its agents: [`Comparison`].

use super::replaced::{KeyChange, changes};
use crate::tree::outline::Outline;
use crate::tree::pairs::{LoadedTrees, Pairs, RestartCause};
use crate::{Host, NodeId, Tree};

/// Two versions of a tree, compared as [`Forest::replace_tree`](crate::Forest::replace_tree) does:
/// see [`Tree::compare`].
#[derive(Debug)]
pub struct Comparison {
    pairs: Pairs,
    keys: Vec<KeyChange>,
}

/// What restarts if a node is active when its agent gets the new version of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct WouldRestart {
    /// The node of the old tree that restarts, with everything below it. If it is the root, the
    /// agent starts from the beginning.
    pub at: NodeId,
    /// The node that does not carry on: this one, or one below it.
    pub because_of: NodeId,
    /// Why that one does not carry on.
    pub cause: RestartCause,
}

impl<H: Host> Tree<H> {
    /// Compares this version of a tree with a new one, without an agent: which nodes match, which
    /// of them would restart, and which keys differ (SEMANTICS 10). Asks the leaves of the new tree
    /// whether they can resume. Costs a walk over both trees.
    ///
    /// ```
    /// # mod pleach { pub use pleach_core::{Host, NodeId, Tree, inspect, nodes}; }
    /// use pleach::inspect::RestartCause;
    /// use pleach::nodes::{idle, log, sequence, wait};
    /// use pleach::{Host, NodeId, Tree};
    /// struct Game;
    /// impl Host for Game {
    ///     type Cx<'a> = ();
    /// }
    /// let old = Tree::<Game>::builder("a").build(sequence([wait(1.0), idle()]))?;
    /// let new = Tree::<Game>::builder("a").build(sequence([log("new"), wait(2.0)]))?;
    /// let compared = old.compare(&new);
    /// let [wait, idle] = [1, 2].map(|it| old.nodes().nth(it).unwrap().id());
    /// assert_eq!(compared.new_of(wait).map(NodeId::index), Some(2));
    /// assert!(compared.would_restart(wait).is_none());
    /// assert_eq!(compared.would_restart(idle).unwrap().cause, RestartCause::Changed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the `can_resume` of a leaf does.
    #[must_use]
    pub fn compare(&self, new: &Tree<H>) -> Comparison {
        let pairs = Pairs::of(&Outline::of(self), &Outline::of(new), &LoadedTrees(self, new));
        Comparison { pairs, keys: changes(self, new) }
    }
}

impl Comparison {
    /// The node of the new tree that a node of the old one becomes; `None` if it is gone.
    ///
    /// # Panics
    /// If the old tree has no such node.
    #[must_use]
    pub fn new_of(&self, old: NodeId) -> Option<NodeId> {
        self.pairs.to(old)
    }

    /// What restarts if this node of the old tree is active; `None` if it carries on.
    ///
    /// # Panics
    /// If the old tree has no such node.
    #[must_use]
    pub fn would_restart(&self, old: NodeId) -> Option<WouldRestart> {
        self.pairs.cut(old).map(|it| WouldRestart { at: it.at, because_of: it.node, cause: it.cause })
    }

    /// The keys that have changed, in the order of the new tree; removed ones come last.
    #[must_use]
    pub fn keys(&self) -> &[KeyChange] {
        &self.keys
    }
}
