//! Sleepers in batches: those whose `Wait` is over go on to the action behind it together, and
//! agents that come from an action to a `Wait` fall asleep together.

use std::ops::Range;

use super::{Simple, Store, Sweep, together};
use crate::bits::{self, Bits, pop, those, within};
use crate::index::Observers;
use crate::life::{Flags, is_plain_sleeper};
use crate::row::Row;
use crate::trace::Tracer;
use crate::tree::record::{Hooks, Op, Then};
use crate::{Host, NodeId, Outcome};

impl<H: Host, T: Tracer> Simple<'_, '_, '_, H, T> {
    /// Puts the due sleepers whose `Wait` is over into sets, if an action follows and nothing is to
    /// be done on the way. They sleep no more. The others stay due. Returns how many it put.
    pub(crate) fn gather_sleepers(&mut self, range: &Range<Row>, flags: &mut [Flags], due: &mut Bits) -> u32 {
        let mut woken = 0;
        for word in bits::words(range) {
            let cells = word * 64..range.end.index().min(word * 64 + 64);
            let due_here = due[word] & within(word, range);
            if due_here == 0 {
                continue;
            }
            let mut sleepers = due_here & those(&flags[cells.clone()], is_plain_sleeper);
            while sleepers != 0 {
                let tops = &self.machine.columns.only_tops()[cells.clone()];
                let top = tops[sleepers.trailing_zeros() as usize];
                let mut alike = sleepers & those(tops, |it| it == top);
                sleepers &= !alike;
                let records = self.machine.records;
                if !matches!(records[top.index()].op, Op::Wait { .. }) {
                    continue;
                }
                let Some(next) = together(records, top, Outcome::Success) else { continue };
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
            if let Some(repeat) = repeat {
                done &= self.old_below(repeat, word, done);
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

    /// Of these agents, those that were below this node when the tick began. A child that was
    /// started in this tick is not run again in it.
    fn old_below(&mut self, repeat: NodeId, word: usize, of: u64) -> u64 {
        let mut moved = of & self.simple.machine.scratch.batches().moved[word];
        let mut old = of & !moved;
        while let Some(at) = pop(word, &mut moved) {
            // The stack of an agent that moved still shows where it was.
            let top = self.simple.machine.columns.only_top(at);
            old |= if top != NodeId::NONE && top > repeat { at.bit() } else { 0 };
        }
        old
    }
}
