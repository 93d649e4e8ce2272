//! The branches, counts and verdicts of parallels (SEMANTICS 3, 8.22).
//!
//! The memory of a parallel is two words: branches started and succeeded, then branches failed and
//! the verdict.

use super::Machine;
use crate::index::MemoryOffset;
use crate::trace::Tracer;
use crate::tree::record::Op;
use crate::{Host, NodeId, Outcome};

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// The next branch of a parallel that has no verdict. From here on it counts as started.
    pub(super) fn next_branch(&mut self, id: NodeId, slot: MemoryOffset) -> Option<NodeId> {
        let kids = self.tree.children.of(id);
        if self.scratch.branches {
            for &child in kids {
                let resume = &mut self.scratch.stack(self.tree.rec(child).stack).resume;
                if *resume == child {
                    *resume = NodeId::NONE;
                    return Some(child);
                }
            }
        }
        let word = self.columns.word(self.cx.agent.at, slot);
        let started = (*word & 0xffff) as usize;
        let child = kids.get(started).copied()?;
        *word += 1;
        Some(child)
    }

    /// The verdict of a parallel. The upper half of its second word is 1 for failure and 2 for
    /// success.
    pub(super) fn verdict_of(&self, id: NodeId) -> Option<Outcome> {
        let Op::Parallel { slot, .. } = self.tree.rec(id).op else { return None };
        match self.columns.memory(self.cx.agent.at)[slot.next().index()] >> 16 {
            0 => None,
            1 => Some(Outcome::Failure),
            _ => Some(Outcome::Success),
        }
    }

    /// A branch of a parallel ended by itself: counts it, and sets the verdict if a policy is met.
    pub(super) fn tell_parallel(&mut self, id: NodeId, outcome: Outcome) {
        let Op::Parallel { success, failure, slot } = self.tree.rec(id).op else { return };
        let agent = self.cx.agent.at;
        let children = self.tree.children.of(id).len();
        match outcome {
            Outcome::Success => *self.columns.word(agent, slot) += 1 << 16,
            Outcome::Failure => *self.columns.word(agent, slot.next()) += 1,
        }
        let succeeded = *self.columns.word(agent, slot) >> 16;
        let second = self.columns.word(agent, slot.next());
        let failed = *second & 0xffff;
        if *second >> 16 == 0 {
            if failed >= u32::from(failure) {
                *second |= 1 << 16;
            } else if succeeded >= u32::from(success) {
                *second |= 2 << 16;
            } else if (succeeded + failed) as usize == children {
                *second |= 1 << 16;
            }
        }
    }
}
