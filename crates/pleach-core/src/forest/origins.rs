//! Which trees led to an agent that an `awake` asked for, so that no chain of them goes on for ever.

use super::trees::{TreePlace, Trees};
use crate::host::Host;
use crate::request::{Asker, Origin, Request};

/// The trees of agents that were spawned for `awake`s, each with who asked for the agent: so that
/// no chain of `awake`s has a tree twice, and every chain ends. Empty unless requests wait.
#[derive(Debug, Default)]
pub(super) struct Origins(Vec<(TreePlace, Asker)>);

impl Origins {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// An agent of this tree that was asked for in this way has been told that it is awake, and
    /// asked for these: drops what would begin the chain anew, and notes where the others come
    /// from.
    pub(super) fn note<H: Host>(
        &mut self,
        tree: TreePlace,
        asker: Asker,
        trees: &Trees<H>,
        requests: &mut std::collections::VecDeque<Request>,
        from: usize,
    ) {
        let (mut origin, mut kept) = (None, from);
        for at in from..requests.len() {
            if let Request::Spawn(wanted, _, by) = &mut requests[at] {
                if trees.place(*wanted).is_some_and(|it| it == tree || self.has(asker, it)) {
                    continue;
                }
                *by = Asker::Awake(*origin.get_or_insert_with(|| {
                    self.0.push((tree, asker));
                    Origin(u32::try_from(self.0.len() - 1).expect("fewer than there can be agents"))
                }));
            }
            requests.swap(kept, at);
            kept += 1;
        }
        requests.truncate(kept);
    }

    /// Whether a tree is in a chain.
    fn has(&self, mut asker: Asker, wanted: TreePlace) -> bool {
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
