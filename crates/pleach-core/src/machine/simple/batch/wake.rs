//! Sleepers in batches: those whose `Wait` is over go on to the action behind it together, and
//! agents that come from an action to a `Wait` fall asleep together.

use super::{Outcome, Simple, Store, Sweep, joins};
use crate::bits::{Bits, pop, those, within};
use crate::index::Observers;
use crate::life::{Flags, is_plain_sleeper};
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::record::{Hooks, Op, Then};
use crate::{Host, NodeId};
use std::ops::Range;

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Puts the due sleepers whose `Wait` is over into sets, if an action follows and nothing is to
    /// be done on the way. They sleep no more. The others stay due. Returns how many it put.
    pub(crate) fn gather_sleepers(&mut self, range: &Range<Row>, flags: &mut [Flags], due: &mut Bits) -> u32 {
        let mut woken = 0;
        for word in crate::bits::words(range) {
            let cells = word * 64..range.end.index().min(word * 64 + 64);
            let bits = due[word] & within(word, range);
            if bits == 0 {
                continue;
            }
            let mut sleepers = bits & those(&flags[cells.clone()], is_plain_sleeper);
            while sleepers != 0 {
                let tops = &self.machine.columns.only_tops()[cells.clone()];
                let top = tops[sleepers.trailing_zeros() as usize];
                let mut alike = sleepers & those(tops, |it| it == top);
                sleepers &= !alike;
                let Some(next) = self.behind_wait(top) else { continue };
                let mut left = alike;
                while let Some(at) = pop(word, &mut left) {
                    if self.wait_is_over(at) {
                        flags[at.index()] -= Flags::ASLEEP;
                    } else {
                        alike &= !at.bit();
                    }
                }
                let batches = self.machine.scratch.batches();
                batches.put(next, word, alike);
                batches.moved[word] |= alike;
                due[word] &= !alike;
                woken += alike.count_ones();
            }
        }
        woken
    }

    /// The host leaf that follows a `Wait`, if nothing is to be done on the way.
    fn behind_wait(&self, top: NodeId) -> Option<crate::index::LeafId> {
        let records = self.machine.records;
        let record = records.get(top.index())?;
        let Op::Wait { .. } = record.op else { return None };
        match record.then[Outcome::Success as usize] {
            Then::Next => joins(&records[top.next().index()]),
            Then::Leaf { to, clear } if clear.is_empty() && to > top => joins(&records[to.index()]),
            Then::Leaf { .. } | Then::Again { .. } | Then::Done(_) | Then::Climb => None,
        }
    }
}

impl<H: Host, T: Tracer, S: Store<H, T>> Sweep<'_, '_, '_, H, T, S> {
    /// If a `Wait` follows an action, the agents that are done with the action begin it together.
    pub(super) fn wait_together(&mut self, node: NodeId, outcome: Outcome) {
        let records = self.simple.machine.records;
        let record = &records[node.index()];
        let (to, clear, repeat) = match record.then[outcome as usize] {
            Then::Next => (node.next(), Observers::default(), None),
            Then::Leaf { to, clear } => (to, clear, None),
            Then::Again { repeat, to } => (to, records[repeat.next().index()].observers, Some(repeat)),
            Then::Done(_) | Then::Climb => return,
        };
        let wait = &records[to.index()];
        let Op::Wait { seconds, slot } = wait.op else { return };
        if record.hooks.contains(Hooks::END) {
            return;
        }
        for word in 0..self.done(outcome).len() {
            let mut done = self.done(outcome)[word];
            if repeat.is_some() {
                // A child that was started in this visit is not run again in it.
                done &= !self.simple.machine.scratch.batches().moved[word] | self.old_below(repeat, word, done);
            }
            self.done(outcome)[word] &= !done;
            while let Some(at) = pop(word, &mut done) {
                let machine = &mut *self.simple.machine;
                machine.cx.agent.at = at;
                let Some(until) = machine.cx.agent.later(seconds) else {
                    self.done(outcome)[word] |= at.bit();
                    continue;
                };
                machine.columns.clear_monitors(at, clear);
                machine.columns.put_moment(at, slot, until);
                machine.columns.put_only_top(at, to);
                machine.wake = until;
                if self.simple.can_sleep(wait, at) {
                    self.store.wait(self.simple.machine, until);
                } else {
                    self.store.store(self.simple.machine, None);
                }
            }
        }
    }

    /// Of these agents, which came to their leaf in this tick, those that were below this node when
    /// the tick began.
    fn old_below(&self, repeat: Option<NodeId>, word: usize, of: u64) -> u64 {
        let (mut left, mut found) = (of, 0);
        while let Some(at) = pop(word, &mut left) {
            let old = self.simple.machine.columns.only_top(at).some();
            found |= if old > repeat { at.bit() } else { 0 };
        }
        found
    }
}
