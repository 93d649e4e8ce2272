//! What an agent of a tree takes, in bytes.

use super::chunk::Chunk;
use super::trees::Place;
use crate::host::Host;
use crate::ids::GroupId;
use crate::life::Flags;
use crate::machine::state::RunState;
use crate::tree::Tree;

/// The memory of one agent, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// What a tick reads and writes: run stacks, monitors, flags, change tracking, node memory.
    pub hot: usize,
    /// The rest of the runtime's data: handle, clock, random stream, last abort.
    pub cold: usize,
    /// Its node and agent keys.
    pub blackboard: usize,
    /// The states of its host leaves.
    pub leaves: usize,
}

impl Footprint {
    /// The sum.
    #[must_use]
    pub fn total(&self) -> usize {
        self.hot + self.cold + self.blackboard + self.leaves
    }
}

impl<H: Host> Tree<H> {
    /// The bytes that an agent of this tree takes, by purpose.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let group = if self.schema.columns()[1] > 0 { size_of::<GroupId>() } else { 0 };
        Footprint {
            hot: RunState::new(self).bytes() + self.layout.tracking_bytes() + size_of::<Flags>(),
            // A slot of the slot map is a place and a version.
            cold: Chunk::<H>::bytes() + group + size_of::<Place>() + size_of::<u32>(),
            blackboard: self.layout.bytes(),
            leaves: self.stateful.bytes(),
        }
    }
}
