//! Ticks agents of a chunk in batches (SEMANTICS 8.11). One call updates all agents that are at the
//! same action. They go on to the next action together, if nothing else follows. An agent that has
//! anything else to do leaves the batch and does it alone.
//!
//! A sweep over the actions in pre-order is enough, as within a tick agents only go on to later
//! ones. A set of agents has one bit per agent.
//!
//! Invariant G1: at every call of a leaf, each agent of the sweep is in exactly one of these: a
//! set, the batch in work, the agents that are done. So a panic costs no other agent a step: the
//! sweep carries on where it was.
//!
//! With a tracer the same calls are made in the same order: [`traced`] calls leaves one by one, and
//! traces what they do.

mod traced;

use std::mem::take;
use std::ops::Range;

use super::super::leaves::{Follower, first_leaf, follower};
use super::super::notes::{Counted, Notes};
use super::Simple;
use super::columns::dirty_word;
use crate::bits::{self, Bits, each, is_empty, pop, those, within};
use crate::clock::Moment;
use crate::host::leaf::{Answers, Batch};
use crate::index::{LeafId, ObserverId, narrow};
use crate::life::{Flags, is_fresh, is_plain};
use crate::row::Row;
use crate::trace::{TraceEvent, Tracer};
use crate::tree::observers::Ask;
use crate::tree::record::Hooks;
use crate::{Host, NodeId, Outcome, Status, Tree};
use traced::Wanted;

/// Where each agent is in the sweep over a chunk. Empty between sweeps.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    /// Per host leaf: the agents that are at it and have not been updated.
    sets: Vec<Bits>,
    /// The host leaves whose set may have an agent.
    live: Vec<u64>,
    /// The agents that reached their leaf in this tick. Their stacks do not yet show it.
    moved: Bits,
    /// The agents whose watched conditions have been asked.
    asked: Bits,
    /// The leaf in work.
    leaf: Option<LeafId>,
    /// The agents that it has begun to update.
    begun: Bits,
    current: Batch,
    traced: Wanted,
}

impl Batches {
    /// Whether there is room for a tree.
    pub(crate) fn fits<H: Host>(&self, tree: &Tree<H>) -> bool {
        tree.leaves.len() <= self.sets.len()
    }

    pub(crate) fn fit<H: Host>(&mut self, tree: &Tree<H>) {
        let leaves = tree.leaves.len().max(self.sets.len());
        self.sets.resize(leaves, Bits::default());
        self.live.resize(leaves.div_ceil(64), 0);
    }

    fn put(&mut self, leaf: LeafId, word: usize, bits: u64) {
        if bits != 0 {
            self.sets[leaf.index()][word] |= bits;
            self.live[leaf.index() / 64] |= 1 << (leaf.index() % 64);
        }
    }

    /// The next leaf to work on.
    fn next(&mut self) -> Option<LeafId> {
        let word = self.live.iter().position(|&it| it != 0)?;
        Some(LeafId::new(word * 64 + self.live[word].trailing_zeros() as usize))
    }

    /// Removes an agent from all sets.
    fn remove(&mut self, at: Row) {
        if let Some(leaf) = self.next() {
            bits::remove(&mut self.sets[leaf.index()], at);
        }
        // The list of sleepers has an agent once, and it has left that by now.
        let Batch { to_do, succeeded, failed, .. } = &mut self.current;
        for bits in [to_do, succeeded, failed, &mut self.begun] {
            bits::remove(bits, at);
        }
    }
}

/// With fewer agents than this, or fewer per word of bits, a look at each agent is cheaper.
pub(crate) const LEAST: u32 = 16;
const LEAST_PER_WORD: usize = 4;
/// How many different sets of monitors the agents at one action may have in a batch. Agents with
/// further sets are ticked alone.
const MOST_SETS: usize = 4;

/// Whether batches are worth it for the due agents of a range.
#[inline]
pub(crate) fn pays(due: &Bits, range: &Range<Row>) -> bool {
    let words = bits::words(range);
    let least = LEAST.max(narrow(words.len() * LEAST_PER_WORD).into());
    due[words].iter().map(|it| it.count_ones()).sum::<u32>() >= least
}

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Puts the due agents of a range into sets, if they are at an action or begin with one. The
    /// others stay due.
    pub(crate) fn gather(&mut self, range: &Range<Row>, flags: &[Flags], due: &mut Bits) {
        let records = self.machine.records;
        self.machine.scratch.fit_batches(self.machine.tree);
        let batches = self.machine.scratch.batches();
        (batches.moved, batches.asked) = Default::default();
        self.note_wanted(range, due);
        let begins = first_leaf(self.machine.tree).map(|it| records[it.index()].leaf);
        for word in bits::words(range) {
            // Rows after the range are looked at, too: a whole word takes fewer instructions.
            let cells = word * 64..flags.len().min(word * 64 + 64);
            let bits = due[word] & within(word, range);
            let flags = &flags[cells.clone()];
            let mut plain = bits & those(flags, is_plain);
            let mut dirty_agents = plain & self.machine.cx.agent.changes().agents.get(word).copied().unwrap_or(0);
            while let Some(at) = pop(word, &mut dirty_agents) {
                let record = &records[self.machine.columns.only_top(at).index()];
                if self.changed(at) & record.mask & self.machine.watch.keyed == 0 {
                    self.machine.cx.agent.changes_mut().clear_agent(at);
                } else {
                    plain &= !at.bit();
                }
            }
            let batches = self.machine.scratch.batches();
            if let Some(leaf) = begins {
                let fresh = bits & those(flags, is_fresh);
                batches.put(leaf, word, fresh);
                batches.moved[word] |= fresh;
                due[word] &= !fresh;
            }
            let tops = &self.machine.columns.only_tops()[cells];
            while plain != 0 {
                let top = tops[plain.trailing_zeros() as usize];
                let record = &records[top.index()];
                let alike = plain & those(tops, |it| it == top);
                plain &= !alike;
                if record.hooks.contains(Hooks::HOST) {
                    batches.put(record.leaf, word, alike);
                    due[word] &= !alike;
                }
            }
        }
    }

    /// Ticks the agents in sets, up to the end or a panic.
    pub(crate) fn sweep(self, notes: &mut impl Notes, due: &mut Bits) {
        Sweep { simple: self, notes, due }.run();
    }

    /// The machine's agent panicked: the others carry on without it.
    pub(crate) fn remove_from_batches(&mut self) {
        let at = self.machine.cx.agent.at;
        self.machine.scratch.batches().remove(at);
    }

    /// Updates the agents in the batch, until the leaf wants to sleep for one of them; see
    /// [`TreeLeaf::update_batch`].
    ///
    /// [`TreeLeaf::update_batch`]: crate::host::leaf::TreeLeaf::update_batch
    fn update_batch(&mut self, leaf: LeafId, node: NodeId) -> Option<Status> {
        if T::ENABLED && {
            let to_do = self.machine.scratch.batches().current.to_do;
            self.wants_any(&to_do)
        } {
            return self.update_each(leaf, node);
        }
        let machine = &mut *self.machine;
        machine.leaves[leaf.index()].update_batch(
            &mut machine.states,
            &mut machine.scratch.batches().current,
            &mut machine.cx,
        )
    }

    /// The agents for which a polled observer may have a new answer. None of them has mail.
    fn may_differ(&self, observer: ObserverId, batch: &Bits) -> Bits {
        let mut asked = *batch;
        if self.machine.watch.events & observer.bit() != 0 {
            for (asked, stored) in asked.iter_mut().zip(self.machine.columns.status_words().chunks(64)) {
                *asked &= those(stored, |it| it & observer.bit() != 0);
            }
        }
        asked
    }

    /// Asks a condition of the host for many agents. Returns the agents for which the status
    /// differs from the stored one. If the observer is anything else, returns all of them.
    fn ask_batch(&mut self, observer: ObserverId, batch: &Bits) -> Bits {
        let Ask { node, leaf } = self.machine.tree.observers.asks[observer.index() % 64];
        if leaf == LeafId::NONE {
            return *batch;
        }
        self.machine.cx.agent.node = node;
        let Answers { mut yes, neither } = if self.wants_any(batch) {
            self.ask_each(leaf, node, batch)
        } else {
            let machine = &mut *self.machine;
            machine.leaves[leaf.index()].ask_batch(&mut machine.states, batch, &mut machine.cx)
        };
        if T::INPUTS
            && let Some(inputs) = self.machine.tracer.inputs()
        {
            inputs.answers(node, batch, &yes, &neither);
        }
        let machine = &*self.machine;
        for ((word, yes), stored) in yes.iter_mut().enumerate().zip(machine.columns.status_words().chunks(64)) {
            let stored = those(stored, |it| it & observer.bit() != 0);
            *yes = (*yes ^ stored) & batch[word] | neither[word];
        }
        yes
    }
}

/// A sweep over the agents in sets.
struct Sweep<'a, 'm, 'h, H: Host, T: Tracer, S> {
    simple: Simple<'a, 'm, 'h, H, T>,
    notes: &'a mut S,
    /// The agents that are due and in no set.
    due: &'a mut Bits,
}

impl<H: Host, T: Tracer, S: Notes> Sweep<'_, '_, '_, H, T, S> {
    fn run(&mut self) {
        loop {
            let batches = self.simple.machine.scratch.batches();
            let Some(leaf) = batches.next() else { break };
            if batches.leaf != Some(leaf) {
                self.ask(leaf);
                let batches = self.simple.machine.scratch.batches();
                batches.leaf = Some(leaf);
                batches.begun = take(&mut batches.sets[leaf.index()]);
                batches.current.to_do = batches.begun;
            }
            let node = self.simple.machine.tree.leaf_nodes[leaf.index()];
            self.update(leaf, node);
            self.note_ends(node);
            self.stay(node);
            self.go(node);
            let batches = self.simple.machine.scratch.batches();
            batches.leaf = None;
            batches.live[leaf.index() / 64] &= !(1 << (leaf.index() % 64));
        }
    }

    /// Asks the watched conditions of the agents at an action. An agent for which something changed
    /// carries on alone.
    fn ask(&mut self, leaf: LeafId) {
        let record = &self.simple.machine.records[self.simple.machine.tree.leaf_nodes[leaf.index()].index()];
        let polled = record.mask & self.simple.machine.watch.polled;
        if polled == 0 || (polled & !self.simple.machine.watch.events == 0 && !self.any_succeeded(leaf, polled)) {
            return;
        }
        for _ in 0..MOST_SETS {
            let batches = self.simple.machine.scratch.batches();
            let mut alike = batches.sets[leaf.index()];
            for (word, alike) in alike.iter_mut().enumerate() {
                *alike &= !(batches.moved[word] | batches.asked[word]);
            }
            let Some(first) = each(&alike).next() else { return };
            let watched = self.simple.watched(record, first);
            for at in each(&alike.clone()) {
                if self.simple.watched(record, at) != watched {
                    bits::remove(&mut alike, at);
                }
            }
            self.ask_alike(leaf, watched, alike);
        }
        let batches = self.simple.machine.scratch.batches();
        for word in 0..batches.asked.len() {
            let left = batches.sets[leaf.index()][word] & !(batches.moved[word] | batches.asked[word]);
            batches.sets[leaf.index()][word] &= !left;
            self.due[word] |= left;
        }
    }

    /// Whether one of these observers has succeeded for an agent at an action.
    fn any_succeeded(&mut self, leaf: LeafId, observers: u64) -> bool {
        let machine = &mut *self.simple.machine;
        let words = machine.columns.status_words().chunks(64).zip(machine.columns.monitor_words().chunks(64));
        words.zip(&machine.scratch.batches().sets[leaf.index()]).filter(|(_, set)| **set != 0).any(
            |((statuses, monitors), set)| {
                // Without a branch for each agent.
                let in_set = |place: usize| (set >> place & 1).wrapping_neg();
                let agents = statuses.iter().zip(monitors).enumerate();
                agents.fold(0, |any, (place, (status, monitor))| any | status & monitor & in_set(place)) & observers
                    != 0
            },
        )
    }

    /// Asks the polled conditions that all of these agents watch.
    fn ask_alike(&mut self, leaf: LeafId, watched: u64, mut alike: Bits) {
        let keyed = watched & self.simple.machine.watch.keyed;
        let mut observers = watched & self.simple.machine.watch.polled;
        while observers != 0 {
            let observer = ObserverId::lowest(0, observers);
            observers &= observers - 1;
            let asked = self.simple.may_differ(observer, &alike);
            self.simple.trace_unasked(observer, &alike, &asked);
            let others = self.simple.ask_batch(observer, &asked);
            for at in each(&others) {
                self.leave(leaf, &mut alike, at);
                self.simple.pass_from(observer);
                self.finish();
            }
            // A condition may write keys, too; and leaves of other agents may write keys that they
            // share.
            let ahead = keyed & observer.behind();
            let mut marked = Bits::default();
            if ahead != 0 {
                let marks = self.simple.machine.cx.agent.changes().agents.iter();
                for ((marked, alike), marks) in marked.iter_mut().zip(&alike).zip(marks) {
                    *marked = alike & marks;
                }
            }
            for at in each(&marked) {
                if dirty_word(self.simple.machine.cx.agent.changes(), at) & ahead != 0 {
                    self.leave(leaf, &mut alike, at);
                    self.simple.pass_behind(observer);
                    self.finish();
                }
            }
        }
        let asked = &mut self.simple.machine.scratch.batches().asked;
        for (word, &alike) in alike.iter().enumerate() {
            asked[word] |= alike;
        }
    }

    /// Takes an agent out of its set: it carries on alone.
    fn leave(&mut self, leaf: LeafId, alike: &mut Bits, at: Row) {
        bits::remove(alike, at);
        bits::remove(&mut self.simple.machine.scratch.batches().sets[leaf.index()], at);
        self.simple.machine.cx.agent.at = at;
        self.simple.trace_tick();
    }

    /// The rest of the machine's agent's tick, after its pass.
    fn finish(&mut self) {
        let ended = self.simple.tick_after_pass();
        self.close(ended);
    }

    /// The machine's agent's tick is over.
    #[inline(always)]
    fn close(&mut self, ended: Option<Outcome>) {
        self.simple.machine.trace(TraceEvent::TickEnd);
        self.notes.store(self.simple.machine, ended);
    }

    /// Updates the batch in work.
    fn update(&mut self, leaf: LeafId, node: NodeId) {
        self.simple.machine.cx.agent.node = node;
        self.simple.machine.cx.agent.sleep = Moment::START;
        while let Some(status) = self.simple.update_batch(leaf, node) {
            let at = self.simple.machine.cx.agent.at;
            self.simple.machine.scratch.batches().remove(at);
            self.simple.machine.answered(node, status);
            let ended = self.simple.tick_after_update_of(node, status);
            self.close(ended);
            self.simple.machine.cx.agent.node = node;
            self.simple.machine.cx.agent.sleep = Moment::START;
        }
    }

    /// Notes the answers for the agents of the batch.
    #[inline(always)]
    fn note_ends(&mut self, node: NodeId) {
        let machine = &mut *self.simple.machine;
        if T::INPUTS
            && let Some(inputs) = machine.tracer.inputs()
        {
            let batches = machine.scratch.batches();
            let Batch { succeeded, failed, .. } = &batches.current;
            inputs.updates(node, &batches.begun, succeeded, failed);
        }
    }

    /// The agents of the batch that are running stay where they are.
    fn stay(&mut self, node: NodeId) {
        let batches = self.simple.machine.scratch.batches();
        let Batch { succeeded, failed, .. } = &batches.current;
        for word in 0..batches.begun.len() {
            let begun = take(&mut batches.begun[word]);
            if begun == 0 {
                continue;
            }
            let running = begun & !(succeeded[word] | failed[word]);
            self.notes.count(Counted::Ticked, running.count_ones());
            let mut moved = running & batches.moved[word];
            while let Some(at) = pop(word, &mut moved) {
                self.simple.machine.columns.put_only_top(at, node);
                self.simple.machine.cx.agent.refresh_dirty_agent(at);
                *self.notes.flags(at) -= Flags::FRESH;
            }
        }
    }

    /// The agents that are done go on to the next action or start again, together or alone.
    fn go(&mut self, node: NodeId) {
        for outcome in [Outcome::Success, Outcome::Failure] {
            if is_empty(self.done(outcome)) {
                continue;
            }
            let wanted = T::ENABLED && {
                let done = *self.done(outcome);
                self.simple.wants_any(&done)
            };
            match follower(self.simple.machine.records, node, outcome) {
                Some(Follower::Leaf(to)) if to > node => {
                    let next = self.simple.machine.records[to.index()].leaf;
                    if wanted {
                        self.trace_together(node, outcome, next);
                        continue;
                    }
                    let done = take(self.done(outcome));
                    let batches = self.simple.machine.scratch.batches();
                    for (word, bits) in done.into_iter().enumerate().filter(|it| it.1 != 0) {
                        batches.moved[word] |= bits;
                        batches.put(next, word, bits);
                    }
                    continue;
                }
                // Wanted agents end alone, which traces each end.
                Some(Follower::End(of_root)) if !wanted => self.end_together(outcome, of_root),
                _ => {}
            }
            for word in 0..self.done(outcome).len() {
                while let Some(at) = pop(word, &mut self.done(outcome)[word]) {
                    self.simple.machine.cx.agent.at = at;
                    let ended = self.simple.tick_after_update_of(node, outcome.into());
                    self.close(ended);
                }
            }
        }
    }

    /// Ends the ticks of the agents whose root ended, if they start again in their next tick.
    fn end_together(&mut self, outcome: Outcome, of_root: Outcome) {
        for word in 0..self.done(outcome).len() {
            let mut done = take(&mut self.done(outcome)[word]);
            while let Some(at) = pop(word, &mut done) {
                if self.notes.flags(at).contains(Flags::STOPS) {
                    self.done(outcome)[word] |= at.bit();
                    continue;
                }
                let machine = &mut *self.simple.machine;
                machine.columns.put_only_top(at, NodeId::NONE);
                machine.columns.clear_all_monitors(at);
                machine.cx.agent.refresh_dirty_agent(at);
                self.notes.note_end(at, of_root);
                self.notes.count(Counted::Ticked, 1);
            }
        }
    }

    fn done(&mut self, outcome: Outcome) -> &mut Bits {
        let batch = &mut self.simple.machine.scratch.batches().current;
        match outcome {
            Outcome::Success => &mut batch.succeeded,
            Outcome::Failure => &mut batch.failed,
        }
    }
}
