//! What a tick needs and no agent keeps.

use super::simple::batch::Batches;
use crate::index::{PerStack, StackId};
use crate::{Host, NodeId, Outcome, Tree};

/// What a tick needs of a run stack and no agent keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackScratch {
    /// Until its turn: the verdict that the pass gave to the parent on top.
    pub(crate) verdict: Option<Outcome>,
    /// Until its turn: the child at which the composite on top goes on.
    pub(crate) resume: NodeId,
    /// Whether it was there when the tick began.
    pub(crate) old: bool,
    /// Whether the pass has left a new running child on it, which has been visited.
    pub(crate) done: bool,
}

impl StackScratch {
    const NONE: StackScratch = StackScratch { verdict: None, resume: NodeId::NONE, old: false, done: false };
}

/// What a tick needs and no agent keeps. Made once, for the largest tree, but for the batches. For
/// a tree that is [`light`](Tree::light), it needs no room.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The first stack, for trees that have no other.
    only: StackScratch,
    stacks: PerStack<StackScratch>,
    /// The observers whose nodes the pass has started anew.
    pub(crate) restarted: Vec<u64>,
    /// The observers that are asked every so often and are due in this tick.
    pub(crate) periodic: Vec<u64>,
    /// Scores, while children are being ordered.
    pub(crate) scores: Vec<f32>,
    /// Made with the first batch.
    batches: Option<Box<Batches>>,
}

impl Default for Scratch {
    #[inline]
    fn default() -> Self {
        Scratch {
            only: StackScratch::NONE,
            stacks: PerStack::default(),
            restarted: Vec::new(),
            periodic: Vec::new(),
            scores: Vec::new(),
            batches: None,
        }
    }
}

impl Scratch {
    /// Makes room for a tree, but not yet for its batches. Costs nearly nothing if there is room.
    pub(crate) fn fit<H: Host>(&mut self, tree: &Tree<H>) {
        let stacks = tree.bottoms.len();
        if stacks > 1 {
            self.stacks.fit(stacks, StackScratch::NONE);
        }
        self.restarted.resize(tree.observers.words.max(self.restarted.len()), 0);
        self.periodic.resize(self.restarted.len(), 0);
        self.scores.resize(tree.scores.max(self.scores.len()), 0.0);
    }

    /// Makes room for the batches of a tree. Few agents have none, so it comes with the first
    /// batch.
    #[inline]
    pub(crate) fn fit_batches<H: Host>(&mut self, tree: &Tree<H>) {
        if self.batches.as_ref().is_none_or(|it| !it.fits(tree)) {
            self.batches.get_or_insert_default().fit(tree);
        }
    }

    /// What is known of a stack.
    #[inline]
    pub(crate) fn stack(&mut self, stack: StackId) -> &mut StackScratch {
        if self.stacks.len() == 0 { &mut self.only } else { &mut self.stacks[stack] }
    }

    /// The sets of agents that are ticked in batches.
    #[inline]
    pub(crate) fn batches(&mut self) -> &mut Batches {
        self.batches.as_mut().expect("they are made before the first agent is in one")
    }

    /// Clears what belongs to the stacks of one tree, as the scratch is as long as the largest tree
    /// needs.
    pub(crate) fn reset(&mut self, stacks: usize) {
        if self.stacks.len() == 0 {
            self.only = StackScratch::NONE;
        } else {
            self.stacks.fill(stacks, StackScratch::NONE);
        }
    }
}
