//! Which trees led to an agent that an `awake` requested, so that no chain of `awake`s continues
//! for ever (SEMANTICS 8.8).

use crate::ids::TreeId;
use crate::request::{Asker, Origin, Request, Requests};

/// The trees of agents that an `awake` requested, each with the asker of the agent. With these no
/// chain of `awake`s has a tree twice, so every chain ends. Empty unless requests wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins(Vec<(TreeId, Asker)>);

impl Origins {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The `awake`s of an agent have been called. The agent has this tree, and was itself requested
    /// by `asker`. Drops the requests that would repeat the chain, and notes where the others come
    /// from.
    pub(super) fn note(&mut self, tree: TreeId, asker: Asker, requests: &mut Requests, from: usize) {
        let mut origin = None;
        requests.retain_from(from, |request| {
            if let Request::Spawn(wanted, _, by, _) = request {
                if *wanted == tree || self.has(asker, *wanted) {
                    return false;
                }
                *by = Asker::Awake(*origin.get_or_insert_with(|| {
                    self.0.push((tree, asker));
                    Origin(u32::try_from(self.0.len() - 1).expect("fewer than there can be agents"))
                }));
            }
            true
        });
    }

    /// Whether a tree is in a chain.
    fn has(&self, mut asker: Asker, wanted: TreeId) -> bool {
        while let Asker::Awake(Origin(at)) = asker {
            let (tree, by) = self.0[at as usize];
            if tree == wanted {
                return true;
            }
            asker = by;
        }
        false
    }
}
