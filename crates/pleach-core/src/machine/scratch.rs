//! What a tick needs but agents do not store.

use super::simple::batch::Batches;
use crate::index::{PerStack, StackId};
use crate::{Host, NodeId, Outcome, Tree};

/// What a tick needs for a run stack but agents do not store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackScratch {
    /// Until its turn: the verdict that the pass gave to the parent on top.
    pub(crate) verdict: Option<Outcome>,
    /// Until its turn: the child at which the composite on top carries on.
    pub(crate) resume: NodeId,
    /// Whether it was there when the tick began.
    pub(crate) old: bool,
    /// Whether the pass has left a new running child on it, which has been visited.
    pub(crate) done: bool,
}

impl StackScratch {
    const NONE: StackScratch = StackScratch { verdict: None, resume: NodeId::NONE, old: false, done: false };
}

/// What a tick needs but agents do not store. For a tree with `needs_no_scratch` it needs no room:
/// then it costs nearly nothing to make.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// A branch of a parallel has to be started again: its stack is resumed at its bottom.
    pub(crate) branches: bool,
    /// The tokens that the agent has asked for in this tick, and those that it was refused, one bit
    /// each.
    pub(crate) asked: u64,
    pub(crate) refused: u64,
    /// The first stack, for trees that have no other.
    only: StackScratch,
    lists: Option<Box<Lists>>,
    /// Made with the first batch.
    batches: Option<Box<Batches>>,
}

/// The lists of a [`Scratch`], made once, for the largest tree.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    stacks: PerStack<StackScratch>,
    /// The observers whose nodes the pass has restarted.
    pub(crate) restarted: Vec<u64>,
    /// The observers that are asked at intervals and are due in this tick.
    pub(crate) periodic: Vec<u64>,
    /// Scores, while children are being ordered.
    pub(crate) scores: Vec<f32>,
}

impl Default for Scratch {
    #[inline]
    fn default() -> Self {
        Scratch { branches: false, asked: 0, refused: 0, only: StackScratch::NONE, lists: None, batches: None }
    }
}

impl Scratch {
    /// Makes room for a tree, but not yet for its batches. Costs nearly nothing if there is room.
    pub(crate) fn fit<H: Host>(&mut self, tree: &Tree<H>) {
        let (stacks, words) = (tree.bottoms.len(), tree.observers.words);
        if stacks > 1 || words > 0 || tree.scores > 0 {
            let lists = self.lists.get_or_insert_default();
            if stacks > 1 {
                lists.stacks.fit(stacks, StackScratch::NONE);
            }
            lists.restarted.resize(words.max(lists.restarted.len()), 0);
            lists.periodic.resize(lists.restarted.len(), 0);
            lists.scores.resize(tree.scores.max(lists.scores.len()), 0.0);
        }
    }

    /// Makes room for the batches of a tree. Few agents have none, so it is made with the first
    /// batch.
    #[inline]
    pub(crate) fn fit_batches<H: Host>(&mut self, tree: &Tree<H>) {
        if self.batches.as_ref().is_none_or(|it| !it.fits(tree)) {
            self.batches.get_or_insert_default().fit(tree);
        }
    }

    /// The scratch of a stack.
    #[inline]
    pub(crate) fn stack(&mut self, stack: StackId) -> &mut StackScratch {
        match &mut self.lists {
            Some(lists) if lists.stacks.len() > 0 => &mut lists.stacks[stack],
            _ => &mut self.only,
        }
    }

    /// The lists of a tree without `needs_no_scratch`.
    #[inline]
    pub(crate) fn lists(&self) -> &Lists {
        self.lists.as_ref().expect("they are made before the first agent of the tree")
    }

    #[inline]
    pub(crate) fn lists_mut(&mut self) -> &mut Lists {
        self.lists.as_mut().expect("they are made before the first agent of the tree")
    }

    /// The sets of agents that are ticked in batches.
    #[inline]
    pub(crate) fn batches(&mut self) -> &mut Batches {
        self.batches.as_mut().expect("they are made before the first agent is in one")
    }

    /// Drops it. Inlined, unlike a `drop`, as most trees need no lists.
    #[inline(always)]
    pub(crate) fn end(self) {
        if self.lists.is_none() && self.batches.is_none() {
            std::mem::forget(self);
        }
    }

    /// Clears what belongs to the stacks of one tree, as the scratch is as long as the largest tree
    /// needs.
    #[inline]
    pub(crate) fn reset(&mut self, stacks: usize) {
        self.branches = false;
        match &mut self.lists {
            Some(lists) if lists.stacks.len() > 0 => lists.stacks.fill(stacks, StackScratch::NONE),
            _ => self.only = StackScratch::NONE,
        }
    }
}
