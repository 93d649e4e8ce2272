//! What agents of a crowd share, and how much of it the agents of one chunk see while others are
//! ticked on other threads (SEMANTICS 8.7).

use pleach_core::GroupId;

use super::GroupNumber;
use crate::oracle::Places;
use crate::scenario::{KeyName, Scope, Values};

/// The values of shared keys, as far as the scenario writes them.
#[derive(Clone)]
pub(super) struct Shared {
    /// The global keys.
    pub(super) world: Values,
    /// The groups that share keys, and the keys' values.
    pub(super) groups: Vec<(GroupId, Values)>,
    /// The places of global tokens, and of each group's.
    pub(super) world_places: Places,
    pub(super) group_places: Vec<Places>,
}

impl Shared {
    /// A frame begins.
    pub(super) fn pass(&mut self, seconds: u64) {
        self.group_places.iter_mut().chain([&mut self.world_places]).for_each(|it| it.pass(seconds));
    }

    /// The values of a key's scope, for an agent of this group.
    fn of(&mut self, scope: Scope, group: Option<GroupNumber>) -> Option<&mut Values> {
        match scope {
            Scope::Agent => None,
            Scope::Group => group.map(|it| &mut self.groups[it.0].1),
            Scope::Global => Some(&mut self.world),
        }
    }
}

/// The shared keys during a frame on threads.
pub(super) struct Chunks<'s> {
    /// The values of the keys when the frame began.
    before: Shared,
    /// What the agents of the chunk at work see.
    seen: Shared,
    /// The number of that chunk.
    chunk: Option<usize>,
    /// The values of the keys after the frame: of several chunks that write a key, the last one
    /// counts.
    after: &'s mut Shared,
}

impl Chunks<'_> {
    /// A frame begins.
    pub(super) fn new(shared: &mut Shared) -> Chunks<'_> {
        Chunks { before: shared.clone(), seen: shared.clone(), chunk: None, after: shared }
    }

    /// What the next agent of this chunk sees. Chunks come in order.
    pub(super) fn seen_in(&mut self, chunk: usize) -> &mut Shared {
        if self.chunk.replace(chunk) != Some(chunk) {
            self.seen.clone_from(&self.before);
        }
        &mut self.seen
    }

    /// An agent of the chunk at work has written these keys.
    pub(super) fn write(&mut self, written: &[&KeyName], group: Option<GroupNumber>) {
        // On threads no two agents share places: see `Crowd::roll_in_chunks`.
        self.after.world_places.clone_from(&self.seen.world_places);
        for name in written {
            let new = self.seen.of(name.scope, group).and_then(|it| it.get(*name)).cloned();
            let held = self.after.of(name.scope, group).and_then(|it| it.get_mut(*name));
            if let (Some(new), Some(held)) = (new, held) {
                *held = new;
            }
        }
    }
}
