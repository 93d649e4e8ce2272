//! The quick way through a chunk of a simple tree: agents that go on with what they did cost one
//! look each, and those next to each other that do the same one indirect call in all.

use super::Machine;
use crate::bits::{Bits, those};
use crate::host::leaf::Answers;
use crate::trace::Tracer;
use crate::tree::observers::{Ask, NO_LEAF};
use crate::tree::record::Hooks;
use crate::{Host, Status};

/// Agents in a block.
const BLOCK: usize = 8;

/// Why a cruise stopped at an agent.
pub(crate) enum Stop {
    /// Nothing of its tick has been done.
    Untouched,
    /// The pass of its tick is done.
    Passed,
    /// The pass and the first update of its tick are done, and gave this.
    Updated(Status),
}

impl<H: Host, T: Tracer> Machine<'_, '_, H, T> {
    /// Ticks agents from `at` on while they are `plain` (of which there is one answer per agent),
    /// have an action on top that says it is running, and nothing aborts. Which agent is different,
    /// and how; past the last there is none.
    #[inline]
    pub(crate) fn cruise<P: Copy>(&mut self, mut at: usize, states: &[P], plain: impl Fn(P) -> bool) -> (usize, Stop) {
        let records = self.records;
        while at < states.len() && plain(states[at]) {
            let top = self.columns.only_top(at);
            let record = &records[top.index()];
            if !record.hooks.contains(Hooks::HOST) {
                break;
            }
            self.cx.agent.at = at;
            let next = if record.mask & self.polled != 0 {
                if !self.pass_simple() {
                    return (at, Stop::Passed);
                }
                at + 1
            } else if self.changed(at) & record.mask != 0 {
                break;
            } else {
                self.alike(at, record.mask, states, &plain)
            };
            self.cx.agent.node = top;
            let leaf = &mut self.leaves[usize::from(record.leaf)];
            let status = if next == at + 1 {
                self.cx.agent.sleep = None;
                leaf.update(at, &mut self.cx)
            } else {
                leaf.update_all(next, &mut self.cx)
            };
            at = self.cx.agent.at;
            if status != Status::Running || self.cx.agent.sleep.is_some() {
                return (at, Stop::Updated(status));
            }
            at += 1;
        }
        (at, Stop::Untouched)
    }

    /// Where a row of agents ends that have the same node on top as the one at `at`, and nothing to
    /// reevaluate. Agents are looked at in blocks without a branch: in a mixed crowd the answer is
    /// nearly always "at the next", and a processor that guesses so is right.
    #[inline]
    fn alike<P: Copy>(&self, at: usize, mask: u64, states: &[P], plain: impl Fn(P) -> bool) -> usize {
        let tops = self.columns.only_tops();
        let top = tops[at];
        let dirty = self.cx.agent.board.dirty_words();
        let mut end = at;
        while let (Some(states), Some(tops)) =
            (states[end..].first_chunk::<BLOCK>(), tops[end..].first_chunk::<BLOCK>())
        {
            let alike = states.iter().zip(tops).fold(true, |all, (&state, &it)| all & plain(state) & (it == top));
            let words = dirty.get(end..end + BLOCK).unwrap_or(&[]);
            if !alike || words.iter().fold(0, |all, word| all | word) & mask != 0 {
                break;
            }
            end += BLOCK;
        }
        end.max(at + 1)
    }

    /// Updates the agents in the batch until one of them wants to sleep; see
    /// [`LeafColumn::update_batch`].
    ///
    /// [`LeafColumn::update_batch`]: crate::host::leaf::LeafColumn::update_batch
    pub(crate) fn update_batch(&mut self, leaf: usize) -> Option<Status> {
        self.leaves[leaf].update_batch(&mut self.scratch.batches.current, &mut self.cx)
    }

    /// Asks agents an observer that is a host's condition: those that say something else than
    /// before, or all of them if it is none.
    pub(crate) fn ask_batch(&mut self, observer: u32, batch: &Bits) -> Bits {
        let Ask { node, leaf } = self.tree.observers.asks[observer as usize % 64];
        if leaf == NO_LEAF {
            return *batch;
        }
        self.cx.agent.node = node;
        let Answers { mut yes, neither } = self.leaves[usize::from(leaf)].ask_batch(batch, &mut self.cx);
        for ((word, yes), said) in yes.iter_mut().enumerate().zip(self.columns.only_values().chunks(64)) {
            let said = those(said, |it| it >> observer & 1 != 0);
            *yes = (*yes ^ said) & batch[word] | neither[word];
        }
        yes
    }

    /// Which set observers' keys have changed. Asks the tree first, not the node on top: that
    /// branch is the same for all agents.
    #[inline]
    pub(crate) fn changed(&self, agent: usize) -> u64 {
        if self.tree.observers.words == 0 {
            return 0;
        }
        self.cx.agent.board.dirty_word(agent) & (self.columns.only_monitors(agent) | self.always)
    }
}
