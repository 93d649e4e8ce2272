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
use std::ops::Range;

use super::words::dirty_word;
use super::{Machine, Simple};
use crate::bits::{Bits, each, is_empty, those, within};
use crate::host::leaf::{Answers, Batch};
use crate::index::narrow;
use crate::life::{Flags, is_fresh, is_plain};
use crate::trace::Tracer;
use crate::tree::observers::{Ask, NO_LEAF};
use crate::tree::record::{Hooks, Record, Then};
use crate::{Host, NodeId, Outcome, Status, Tree};

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
    current: Batch,
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
const MOST_SETS: usize = 4;

/// Where the sweep writes down what the ticks of agents came to.
pub(crate) trait Store<H: Host, T: Tracer> {
    /// The flags of the chunk's agents.
    fn flags(&mut self) -> &mut [Flags];
    /// So many agents were updated, and nothing else happened in their ticks.
    fn add_updated(&mut self, agents: u32);
    /// The tick of the machine's agent is over: how its root ended, if it did.
    fn store(&mut self, machine: &mut Machine<'_, '_, H, T>, ended: Option<Outcome>);
}

/// Whether batches pay for so many agents of a range.
pub(crate) fn pays(due: &Bits, range: &Range<usize>) -> bool {
    let words = range.start / 64..range.end.div_ceil(64);
    let least = LEAST.max(narrow(words.len() * LEAST_PER_WORD).into());
    due[words].iter().map(|it| it.count_ones()).sum::<u32>() >= least
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Puts those of a range who are due and stand on an action, or begin with one, into sets; the
    /// others stay due.
    pub(crate) fn gather(&mut self, range: &Range<usize>, flags: &[Flags], due: &mut Bits, batched: &mut Bits) {
        let records = self.machine.records;
        let batches = &mut self.machine.scratch.batches;
        (batches.moved, batches.asked) = Default::default();
        let begins = match self.machine.tree.entry {
            Then::Leaf { to, .. } => joins(&records[to.index()]),
            Then::Next | Then::Done(_) | Then::Climb => None,
        };
        for word in range.start / 64..range.end.div_ceil(64) {
            let from = word * 64;
            let bits = due[word] & within(word, range);
            let flags = &flags[from..range.end.min(from + 64)];
            let mut plain = bits & those(flags, is_plain);
            let mut dirty_agents = plain & self.machine.cx.agent.board.dirty_agents().get(word).copied().unwrap_or(0);
            while dirty_agents != 0 {
                let at = from + dirty_agents.trailing_zeros() as usize;
                let record = &records[self.machine.columns.only_top(at).index()];
                if self.changed(at) & record.mask & !self.machine.words.polled == 0 {
                    self.machine.cx.agent.board.clear_dirty_agent(at);
                } else {
                    plain &= !(1 << (at % 64));
                }
                dirty_agents &= dirty_agents - 1;
            }
            let batches = &mut self.machine.scratch.batches;
            if let Some(leaf) = begins {
                let fresh = bits & those(flags, is_fresh);
                batches.put(leaf, word, fresh);
                batches.moved[word] |= fresh;
                batched[word] |= fresh;
            }
            let tops = &self.machine.columns.only_tops()[from..range.end.min(from + 64)];
            while plain != 0 {
                let top = tops[plain.trailing_zeros() as usize];
                let record = &records[top.index()];
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

    /// Ticks the agents in sets, or up to a panic.
    pub(crate) fn sweep(self, store: &mut impl Store<H, T>, due: &mut Bits, batched: &mut Bits) {
        Sweep { simple: self, store, due, batched }.run();
    }

    /// An agent of a sweep panicked: the others go on without it.
    pub(crate) fn remove_from_batches(&mut self) {
        let at = self.machine.cx.agent.at;
        self.machine.scratch.batches.remove(at);
    }

    /// Updates the agents in the batch until one of them wants to sleep; see
    /// [`LeafColumn::update_batch`].
    ///
    /// [`LeafColumn::update_batch`]: crate::host::leaf::LeafColumn::update_batch
    fn update_batch(&mut self, leaf: usize) -> Option<Status> {
        let machine = &mut *self.machine;
        machine.leaves[leaf].update_batch(&mut machine.scratch.batches.current, &mut machine.cx)
    }

    /// Asks agents an observer that is a condition of the host: those whose status is another than
    /// the stored one, or all of them if it is anything else.
    fn ask_batch(&mut self, observer: u32, batch: &Bits) -> Bits {
        let machine = &mut *self.machine;
        let Ask { node, leaf } = machine.tree.observers.asks[observer as usize % 64];
        if leaf == NO_LEAF {
            return *batch;
        }
        machine.cx.agent.node = node;
        let Answers { mut yes, neither } = machine.leaves[usize::from(leaf)].ask_batch(batch, &mut machine.cx);
        for ((word, yes), stored) in yes.iter_mut().enumerate().zip(machine.columns.status_words().chunks(64)) {
            let stored = those(stored, |it| it >> observer & 1 != 0);
            *yes = (*yes ^ stored) & batch[word] | neither[word];
        }
        yes
    }
}

/// A sweep over the agents in sets.
struct Sweep<'a, 'm, 'h, H: Host, T: Tracer, S> {
    simple: Simple<'a, 'm, 'h, H, T>,
    store: &'a mut S,
    /// The agents that are due and in no set.
    due: &'a mut Bits,
    /// The agents that have been in a set.
    batched: &'a mut Bits,
}

impl<H: Host, T: Tracer, S: Store<H, T>> Sweep<'_, '_, '_, H, T, S> {
    fn run(&mut self) {
        loop {
            let batches = &mut self.simple.machine.scratch.batches;
            let Some(leaf) = batches.next() else { break };
            if batches.leaf != Some(leaf) {
                self.ask(leaf);
                let batches = &mut self.simple.machine.scratch.batches;
                batches.leaf = Some(leaf);
                batches.begun = take(&mut batches.sets[leaf]);
                batches.current.to_do = batches.begun;
            }
            let node = self.simple.machine.tree.leaf_nodes[leaf];
            self.update(leaf, node);
            self.stay(node);
            self.go(node);
            let batches = &mut self.simple.machine.scratch.batches;
            batches.leaf = None;
            batches.live[leaf / 64] &= !(1 << (leaf % 64));
        }
    }

    /// Asks the watched conditions of those who stand on an action. For whom something changed, the
    /// tick goes on alone.
    fn ask(&mut self, leaf: usize) {
        let record = &self.simple.machine.records[self.simple.machine.tree.leaf_nodes[leaf].index()];
        if record.mask & self.simple.machine.words.polled == 0 {
            return;
        }
        for _ in 0..MOST_SETS {
            let batches = &self.simple.machine.scratch.batches;
            let mut alike = batches.sets[leaf];
            for (word, alike) in alike.iter_mut().enumerate() {
                *alike &= !(batches.moved[word] | batches.asked[word]);
            }
            let Some(first) = each(&alike).next() else { return };
            let watched = self.simple.watched(record, first);
            for at in each(&alike.clone()) {
                if self.simple.watched(record, at) != watched {
                    alike[at / 64] &= !(1 << (at % 64));
                }
            }
            self.ask_alike(leaf, watched, alike);
        }
        let batches = &mut self.simple.machine.scratch.batches;
        for word in 0..batches.asked.len() {
            let left = batches.sets[leaf][word] & !(batches.moved[word] | batches.asked[word]);
            batches.sets[leaf][word] &= !left;
            self.due[word] |= left;
            self.batched[word] &= !left;
        }
    }

    /// Asks agents the conditions that they all watch, of those that are asked in every tick.
    fn ask_alike(&mut self, leaf: usize, watched: u64, mut alike: Bits) {
        let observed = watched & !self.simple.machine.words.polled;
        let mut observers = watched & self.simple.machine.words.polled;
        while observers != 0 {
            let observer = observers.trailing_zeros();
            observers &= observers - 1;
            let others = self.simple.ask_batch(observer, &alike);
            for at in each(&others) {
                self.leave(leaf, &mut alike, at);
                self.simple.pass_from(observer);
                self.finish();
            }
            // Conditions may write, too.
            let ahead = observed & (u64::MAX << observer) << 1;
            for at in each(&if ahead == 0 { Bits::default() } else { alike }) {
                if dirty_word(self.simple.machine.cx.agent.board, at) & ahead != 0 {
                    self.leave(leaf, &mut alike, at);
                    self.simple.pass_behind(observer);
                    self.finish();
                }
            }
        }
        let asked = &mut self.simple.machine.scratch.batches.asked;
        for (word, &alike) in alike.iter().enumerate() {
            asked[word] |= alike;
        }
    }

    /// An agent that was asked goes on alone.
    fn leave(&mut self, leaf: usize, alike: &mut Bits, at: usize) {
        let (word, bit) = (at / 64, 1 << (at % 64));
        alike[word] &= !bit;
        self.simple.machine.scratch.batches.sets[leaf][word] &= !bit;
        self.simple.machine.cx.agent.at = at;
    }

    /// The rest of the tick of an agent whose pass is done.
    fn finish(&mut self) {
        let ended = self.simple.tick_after_pass();
        self.store.store(self.simple.machine, ended);
    }

    /// Updates the batch in work.
    fn update(&mut self, leaf: usize, node: NodeId) {
        self.simple.machine.cx.agent.node = node;
        self.simple.machine.cx.agent.sleep = None;
        while let Some(status) = self.simple.update_batch(leaf) {
            let at = self.simple.machine.cx.agent.at;
            self.simple.machine.scratch.batches.remove(at);
            let ended = self.simple.tick_after_update_of(node, status);
            self.store.store(self.simple.machine, ended);
            self.simple.machine.cx.agent.node = node;
            self.simple.machine.cx.agent.sleep = None;
        }
    }

    /// Those of the batch that are running stay where they are.
    fn stay(&mut self, node: NodeId) {
        let batches = &mut self.simple.machine.scratch.batches;
        let Batch { succeeded, failed, .. } = &batches.current;
        for word in 0..batches.begun.len() {
            let running = take(&mut batches.begun[word]) & !(succeeded[word] | failed[word]);
            self.store.add_updated(running.count_ones());
            let mut moved = running & batches.moved[word];
            while moved != 0 {
                let at = word * 64 + moved.trailing_zeros() as usize;
                moved &= moved - 1;
                self.simple.machine.columns.put_only_top(at, node);
                self.simple.machine.cx.agent.board.refresh_dirty_agent(at);
                self.store.flags()[at] -= Flags::FRESH;
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
                let batches = &mut self.simple.machine.scratch.batches;
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
                    self.simple.machine.cx.agent.at = at;
                    let ended = self.simple.tick_after_update_of(node, outcome.into());
                    self.store.store(self.simple.machine, ended);
                }
            }
        }
    }

    fn done(&mut self, outcome: Outcome) -> &mut Bits {
        let batch = &mut self.simple.machine.scratch.batches.current;
        match outcome {
            Outcome::Success => &mut batch.succeeded,
            Outcome::Failure => &mut batch.failed,
        }
    }

    /// The leaf that follows, if there is nothing to do on the way.
    fn together(&self, node: NodeId, outcome: Outcome) -> Option<usize> {
        let records = self.simple.machine.records;
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
