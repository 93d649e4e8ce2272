//! Ticking in batches: agents of a chunk that stand on the same action are updated by one call, and
//! go on together to the next one if that is all that follows. Whoever has anything else to do
//! leaves the batch, and does it alone.
//!
//! A sweep over the actions in pre-order is enough: within a tick agents only go on to later ones.
//! Agents are in sets of one bit each.
//!
//! Invariant G1: at every call of a leaf, each agent that the sweep has to do with is in exactly
//! one of: a set, the batch in work, those done. So a panic costs nobody else a step: the sweep
//! goes on where it was.

use std::mem::take;

use super::panics::Panics;
use super::tick::{Ticking, is_plain};
use crate::bits::{Bits, each, is_empty, those, within};
use crate::host::leaf::Batch;
use crate::index::narrow;
use crate::life::Flags;
use crate::trace::Tracer;
use crate::tree::record::{Hooks, Record, Then};
use crate::{Host, NodeId, Outcome, Tree};

/// Who is where in the sweep over a chunk. Empty between sweeps.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    /// Per host leaf: who stands on it and has not been updated.
    sets: Vec<Bits>,
    /// Host leaves whose set may have somebody in it.
    live: Vec<u64>,
    /// Who came to where it stands in this tick. Its stack does not say so yet.
    moved: Bits,
    /// Whose watched conditions have been asked.
    asked: Bits,
    /// The leaf in work.
    leaf: Option<usize>,
    /// Whom it has begun to update.
    begun: Bits,
    pub(crate) current: Batch,
}

impl Batches {
    pub(crate) fn fit<H: Host>(&mut self, tree: &Tree<H>) {
        let leaves = tree.leaves.len().max(self.sets.len());
        self.sets.resize(leaves, Bits::default());
        self.live.resize(leaves.div_ceil(64), 0);
    }

    fn put(&mut self, leaf: usize, word: usize, bits: u64) {
        if bits != 0 {
            self.sets[leaf][word] |= bits;
            self.live[leaf / 64] |= 1 << (leaf % 64);
        }
    }

    /// The leaf to go on with.
    fn next(&mut self) -> Option<usize> {
        let word = self.live.iter().position(|&it| it != 0)?;
        Some(word * 64 + self.live[word].trailing_zeros() as usize)
    }

    /// Removes an agent from wherever it is.
    fn remove(&mut self, at: usize) {
        let (word, bit) = (at / 64, 1 << (at % 64));
        if let Some(leaf) = self.next() {
            self.sets[leaf][word] &= !bit;
        }
        let Batch { to_do, succeeded, failed } = &mut self.current;
        for bits in [to_do, succeeded, failed, &mut self.begun] {
            bits[word] &= !bit;
        }
    }
}

/// With fewer agents than this, or fewer per word of bits, a look at each is cheaper.
const LEAST: u32 = 16;
const LEAST_PER_WORD: usize = 4;
/// How many different sets of monitors agents on one action may have to be asked together; the rest
/// is ticked alone.
const SORTS: usize = 4;

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// Ticks those who are due and stand on an action, or begin with one; the others stay due.
    /// After a panic the others are ticked all the same.
    pub(super) fn tick_batches(&mut self, panics: &mut Panics) {
        let words = self.range.start / 64..self.range.end.div_ceil(64);
        let least = LEAST.max(narrow(words.len() * LEAST_PER_WORD).into());
        if self.due[words].iter().map(|it| it.count_ones()).sum::<u32>() < least {
            self.prefetch();
            return;
        }
        self.gather();
        self.prefetch();
        while panics.catch(|| self.sweep()) {
            self.mark_panicked();
            self.machine.scratch.batches.remove(self.machine.cx.agent.at);
        }
    }

    /// Puts the agents into sets.
    fn gather(&mut self) {
        let Ticking { machine, flags, due, batched, range, .. } = self;
        let batches = &mut machine.scratch.batches;
        (batches.moved, batches.asked) = Default::default();
        let begins = match machine.tree.entry {
            Then::Leaf { to, .. } => joins(&machine.records[to.index()]),
            Then::Next | Then::Done(_) | Then::Climb => None,
        };
        for word in range.start / 64..range.end.div_ceil(64) {
            let from = word * 64;
            let bits = due[word] & within(word, range);
            let flags = &flags[from..range.end.min(from + 64)];
            let mut plain = bits & those(flags, is_plain);
            let mut dirty_agents = plain & machine.cx.agent.board.dirty_agents().get(word).copied().unwrap_or(0);
            while dirty_agents != 0 {
                let at = from + dirty_agents.trailing_zeros() as usize;
                let record = &machine.records[machine.columns.only_top(at).index()];
                if machine.changed(at) & record.mask & !machine.polled == 0 {
                    machine.cx.agent.board.clear_dirty_agent(at);
                } else {
                    plain &= !(1 << (at % 64));
                }
                dirty_agents &= dirty_agents - 1;
            }
            let batches = &mut machine.scratch.batches;
            if let Some(leaf) = begins {
                let fresh = bits & those(flags, is_fresh);
                batches.put(leaf, word, fresh);
                batches.moved[word] |= fresh;
                batched[word] |= fresh;
            }
            let tops = &machine.columns.only_tops()[from..range.end.min(from + 64)];
            while plain != 0 {
                let top = tops[plain.trailing_zeros() as usize];
                let record = &machine.records[top.index()];
                let alike = plain & those(tops, |it| it == top);
                plain &= !alike;
                if record.hooks.contains(Hooks::HOST) {
                    batches.put(usize::from(record.leaf), word, alike);
                    batched[word] |= alike;
                }
            }
            due[word] &= !batched[word];
        }
    }

    /// Ticks all who are in sets, or up to a panic.
    fn sweep(&mut self) {
        loop {
            let batches = &mut self.machine.scratch.batches;
            let Some(leaf) = batches.next() else { break };
            if batches.leaf != Some(leaf) {
                self.ask(leaf);
                let batches = &mut self.machine.scratch.batches;
                batches.leaf = Some(leaf);
                batches.begun = take(&mut batches.sets[leaf]);
                batches.current.to_do = batches.begun;
            }
            let node = self.machine.tree.leaf_nodes[leaf];
            self.update(leaf, node);
            self.stay(node);
            self.go(node);
            let batches = &mut self.machine.scratch.batches;
            batches.leaf = None;
            batches.live[leaf / 64] &= !(1 << (leaf % 64));
        }
        self.report.aborts += u64::from(take(&mut self.machine.aborts));
    }

    /// Asks the watched conditions of those who stand on an action. For whom something changed, the
    /// tick goes on alone.
    fn ask(&mut self, leaf: usize) {
        let record = &self.machine.records[self.machine.tree.leaf_nodes[leaf].index()];
        if record.mask & self.machine.polled == 0 {
            return;
        }
        for _ in 0..SORTS {
            let batches = &self.machine.scratch.batches;
            let mut sort = batches.sets[leaf];
            for (word, sort) in sort.iter_mut().enumerate() {
                *sort &= !(batches.moved[word] | batches.asked[word]);
            }
            let Some(first) = each(&sort).next() else { return };
            let watched = self.machine.watched(record, first);
            for at in each(&sort.clone()) {
                if self.machine.watched(record, at) != watched {
                    sort[at / 64] &= !(1 << (at % 64));
                }
            }
            self.ask_sort(leaf, watched, sort);
        }
        let batches = &mut self.machine.scratch.batches;
        for word in 0..batches.asked.len() {
            let left = batches.sets[leaf][word] & !(batches.moved[word] | batches.asked[word]);
            batches.sets[leaf][word] &= !left;
            self.due[word] |= left;
            self.batched[word] &= !left;
        }
    }

    /// Asks agents the conditions that they all watch, of those that are asked in every tick.
    fn ask_sort(&mut self, leaf: usize, watched: u64, mut sort: Bits) {
        let observed = watched & !self.machine.polled;
        let mut observers = watched & self.machine.polled;
        while observers != 0 {
            let observer = observers.trailing_zeros();
            observers &= observers - 1;
            let others = self.machine.ask_batch(observer, &sort);
            for at in each(&others) {
                self.leave(leaf, &mut sort, at);
                self.machine.pass_on(observer);
                self.finish();
            }
            // Conditions may write, too.
            let ahead = observed & (u64::MAX << observer) << 1;
            for at in each(&if ahead == 0 { Bits::default() } else { sort }) {
                if self.machine.cx.agent.board.dirty_word(at) & ahead != 0 {
                    self.leave(leaf, &mut sort, at);
                    self.machine.pass_behind(observer);
                    self.finish();
                }
            }
        }
        let asked = &mut self.machine.scratch.batches.asked;
        for (word, &sort) in sort.iter().enumerate() {
            asked[word] |= sort;
        }
    }

    /// An agent that was asked goes on alone.
    fn leave(&mut self, leaf: usize, sort: &mut Bits, at: usize) {
        let (word, bit) = (at / 64, 1 << (at % 64));
        sort[word] &= !bit;
        self.machine.scratch.batches.sets[leaf][word] &= !bit;
        self.machine.cx.agent.at = at;
    }

    /// The rest of the tick of an agent whose pass is done.
    fn finish(&mut self) {
        let ended = self.machine.tick_passed();
        self.store(self.machine.cx.agent.at, ended);
    }

    /// Updates the batch in work.
    fn update(&mut self, leaf: usize, node: NodeId) {
        self.machine.cx.agent.node = node;
        self.machine.cx.agent.sleep = None;
        while let Some(status) = self.machine.update_batch(leaf) {
            let at = self.machine.cx.agent.at;
            self.machine.scratch.batches.remove(at);
            let ended = self.machine.go_on_behind(node, status);
            self.store(at, ended);
            self.machine.cx.agent.node = node;
            self.machine.cx.agent.sleep = None;
        }
    }

    /// Those of the batch that are running stay where they are.
    fn stay(&mut self, node: NodeId) {
        let batches = &mut self.machine.scratch.batches;
        let Batch { succeeded, failed, .. } = &batches.current;
        for word in 0..batches.begun.len() {
            let running = take(&mut batches.begun[word]) & !(succeeded[word] | failed[word]);
            self.report.ticked += u64::from(running.count_ones());
            let mut moved = running & batches.moved[word];
            while moved != 0 {
                let at = word * 64 + moved.trailing_zeros() as usize;
                moved &= moved - 1;
                self.machine.columns.put_top(at, 0, node);
                self.machine.cx.agent.board.refresh_dirty_agent(at);
                self.flags[at] -= Flags::FRESH;
            }
        }
    }

    /// Those that are done go on to the next action together, or on their own.
    fn go(&mut self, node: NodeId) {
        for outcome in [Outcome::Success, Outcome::Failure] {
            let done = self.done(outcome);
            if is_empty(done) {
                continue;
            }
            if let Some(next) = self.together(node, outcome) {
                let done = take(self.done(outcome));
                let batches = &mut self.machine.scratch.batches;
                for (word, bits) in done.into_iter().enumerate() {
                    batches.moved[word] |= bits;
                    batches.put(next, word, bits);
                }
                continue;
            }
            for word in 0..self.done(outcome).len() {
                while self.done(outcome)[word] != 0 {
                    let bits = &mut self.done(outcome)[word];
                    let at = word * 64 + bits.trailing_zeros() as usize;
                    *bits &= *bits - 1;
                    self.machine.cx.agent.at = at;
                    let ended = self.machine.go_on_behind(node, outcome.into());
                    self.store(at, ended);
                }
            }
        }
    }

    fn done(&mut self, outcome: Outcome) -> &mut Bits {
        let batch = &mut self.machine.scratch.batches.current;
        match outcome {
            Outcome::Success => &mut batch.succeeded,
            Outcome::Failure => &mut batch.failed,
        }
    }

    /// The leaf that follows, if there is nothing to do on the way.
    fn together(&self, node: NodeId, outcome: Outcome) -> Option<usize> {
        let records = self.machine.records;
        let record = &records[node.index()];
        let to = match record.then[outcome as usize] {
            Then::Next => node.next(),
            Then::Leaf { to, clear } if clear.from >= clear.to => to,
            Then::Leaf { .. } | Then::Done(_) | Then::Climb => return None,
        };
        if to <= node || record.hooks.contains(Hooks::END) { None } else { joins(&records[to.index()]) }
    }
}

/// The host leaf of a node, if a batch can begin it: it is an action, and its start does nothing.
fn joins(record: &Record) -> Option<usize> {
    (record.hooks.contains(Hooks::HOST) && !record.hooks.contains(Hooks::START)).then_some(usize::from(record.leaf))
}

/// Enabled, about to begin, and nothing else that a tick has to know.
fn is_fresh(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED | Flags::FRESH
}
