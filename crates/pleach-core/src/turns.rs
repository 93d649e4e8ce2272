//! Which agents of a chunk are due for a turn, and when each had its last one (SEMANTICS 8.2).
//!
//! A chunk whose agents all had a turn in every frame has none of this: their last turn was in the
//! last frame.
//!
//! Most agents of a chunk have the same turns as their neighbours. So the last turn is kept once
//! for all agents that share a word of bits. Only the agents that are noted have a last turn of
//! their own, as theirs differs. So in a crowd that sleeps a turn costs nothing per agent.

pub(crate) mod rate;

use crate::bits::{Bits, add, has, is_empty, pop, put, remove, within};
use crate::clock::{Moment, Span};
use crate::row::{CHUNK, Row};
use rate::Rate;

const WORDS: usize = CHUNK / 64;

/// The turns of a chunk's agents.
///
/// Invariant R1: agents of another rate than the first, and agents that have no turns, are noted.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    rates: Vec<Rate>,
    /// The agents of each rate but the first.
    masks: Vec<(Rate, Bits)>,
    /// All agents of `masks`.
    slow: Bits,
    /// The agents that are due.
    due: Bits,
    /// The last frame that `due` covers.
    frame: u64,
    /// Per noted agent that has turns: the forest's time at its last turn.
    last: Vec<Moment>,
    /// Per agent that has no turns: the time from its last turn to when it stopped having any.
    passed: Vec<Span>,
    noted: Bits,
    /// The agents that have no turns: they are paused, off, or have panicked.
    stands: Bits,
    /// Per word: the forest's time at the last turn of its agents that are not noted.
    common: [Moment; WORDS],
}

impl Turns {
    /// For agents that had their last turn in this frame of the forest, at this time. `stands` says
    /// for each agent whether it has no turns.
    pub(crate) fn new(stands: impl ExactSizeIterator<Item = bool>, frame: u64, now: Moment) -> Self {
        let mut turns = Turns {
            rates: vec![Rate::EVERY_FRAME; stands.len()],
            masks: Vec::new(),
            slow: Bits::default(),
            due: Bits::default(),
            frame,
            last: vec![Moment::START; stands.len()],
            passed: vec![Span::ZERO; stands.len()],
            noted: Bits::default(),
            stands: Bits::default(),
            common: [now; WORDS],
        };
        for (row, _) in Row::all().zip(stands).filter(|it| it.1) {
            add(&mut turns.stands, row);
            add(&mut turns.noted, row);
        }
        turns
    }

    /// Adds an agent after this frame. It has no turns yet.
    pub(crate) fn push(&mut self, frame: u64) {
        self.begin(frame);
        let row = Row::behind(self.rates.len());
        self.rates.push(Rate::EVERY_FRAME);
        self.last.push(Moment::START);
        self.passed.push(Span::ZERO);
        remove(&mut self.due, row);
        add(&mut self.stands, row);
        add(&mut self.noted, row);
    }

    /// Removes an agent after this frame; the last agent takes its place.
    pub(crate) fn swap_remove(&mut self, row: Row, frame: u64) {
        self.begin(frame);
        let last = Row::behind(self.rates.len() - 1);
        self.last[row.index()] = self.last(last);
        self.passed[row.index()] = self.passed[last.index()];
        add(&mut self.noted, row);
        for bits in [&mut self.due, &mut self.stands] {
            let moved = has(bits, last);
            put(bits, row, moved);
        }
        let due = has(&self.due, row);
        self.put_rate(row, self.rates[last.index()]);
        put(&mut self.due, row, due);
        self.put_rate(last, Rate::EVERY_FRAME);
        self.rates.pop();
        self.last.pop();
        self.passed.pop();
    }

    /// The rates of all agents.
    #[cfg(feature = "save")]
    pub(crate) fn rates(&self) -> &[Rate] {
        &self.rates
    }

    pub(crate) fn rate(&self, row: Row) -> Rate {
        self.rates[row.index()]
    }

    /// Changes a rate after this frame.
    pub(crate) fn set_rate(&mut self, row: Row, rate: Rate, frame: u64) {
        self.begin(frame);
        self.put_rate(row, rate);
    }

    fn put_rate(&mut self, row: Row, rate: Rate) {
        self.last[row.index()] = self.last(row);
        add(&mut self.noted, row);
        if let Some(index) = self.masks.iter().position(|it| it.0 == self.rates[row.index()]) {
            let mask = &mut self.masks[index].1;
            remove(mask, row);
            if is_empty(mask) {
                // Without this, every frame would go through a rate that no agent has.
                self.masks.swap_remove(index);
            }
        }
        self.rates[row.index()] = rate;
        put(&mut self.slow, row, rate != Rate::EVERY_FRAME);
        if rate == Rate::NEVER {
            remove(&mut self.due, row);
        }
        if rate != Rate::EVERY_FRAME {
            let known = self.masks.iter().position(|it| it.0 == rate);
            let index = known.unwrap_or_else(|| {
                self.masks.push((rate, Bits::default()));
                self.masks.len() - 1
            });
            add(&mut self.masks[index].1, row);
        }
    }

    /// Marks the agents that have become due since the last call, up to this frame.
    pub(crate) fn begin(&mut self, frame: u64) {
        if frame == self.frame {
            return;
        }
        for (due, slow) in self.due.iter_mut().zip(&self.slow) {
            *due |= !slow;
        }
        for (rate, mask) in &self.masks {
            let Some(step) = rate.frames() else { continue };
            for frame in self.frame.max(frame.saturating_sub(step.into())) + 1..=frame {
                let first = usize::try_from(frame % u64::from(step)).expect("a rate is small");
                for (word, &mask) in mask.iter().enumerate().filter(|it| *it.1 != 0) {
                    self.due[word] |= mask & pattern(step as usize, first, word);
                }
            }
        }
        self.frame = frame;
    }

    pub(crate) fn due(&self) -> &Bits {
        &self.due
    }

    /// Those of these agents that are due have had their turn.
    pub(crate) fn had(&mut self, agents: &Bits, now: Moment) {
        let all = Row::FIRST..Row::end(self.rates.len());
        for (word, &agents) in agents.iter().enumerate() {
            let agents = agents & within(word, &all);
            if agents == 0 {
                continue;
            }
            let mut turned = self.due[word] & agents & !self.stands[word];
            self.due[word] &= !agents;
            if agents == within(word, &all) {
                // Every agent of the first rate was due, so all of them had their turn together.
                self.common[word] = now;
                self.noted[word] &= self.slow[word] | self.stands[word];
                turned &= self.slow[word];
            } else {
                self.noted[word] |= turned;
            }
            while let Some(row) = pop(word, &mut turned) {
                self.last[row.index()] = now;
            }
        }
    }

    /// The forest's time at the last turn of an agent that has turns. For an agent that is older
    /// than its forest this may have been [before](Moment::back) the forest began.
    #[inline]
    pub(crate) fn last(&self, row: Row) -> Moment {
        if has(&self.noted, row) { self.last[row.index()] } else { self.common[row.word()] }
    }

    /// An agent's rate, the time since its last turn, and whether it is due.
    #[cfg(feature = "save")]
    pub(crate) fn saved(&self, row: Row, now: Moment) -> (u8, Span, bool) {
        let passed = if has(&self.stands, row) { self.passed[row.index()] } else { now.since(self.last(row)) };
        (self.rates[row.index()].number(), passed, has(&self.due, row))
    }

    /// Restores these, for an agent that was added after this frame and has turns by now or not.
    #[cfg(feature = "save")]
    pub(crate) fn restore(&mut self, row: Row, (rate, passed, due): (u8, Span, bool), stands: bool, now: Moment) {
        self.put_rate(row, Rate::of_number(rate));
        self.passed[row.index()] = passed;
        self.last[row.index()] = now.back(passed);
        add(&mut self.noted, row);
        put(&mut self.stands, row, stands);
        put(&mut self.due, row, due);
    }

    /// From now on an agent has no turns. Nothing happens if it had none.
    pub(crate) fn stand(&mut self, row: Row, now: Moment) {
        if has(&self.stands, row) {
            return;
        }
        self.passed[row.index()] = now.since(self.last(row));
        add(&mut self.noted, row);
        add(&mut self.stands, row);
    }

    /// The same, during the agent's turn.
    pub(crate) fn stand_in_turn(&mut self, row: Row) {
        self.passed[row.index()] = Span::ZERO;
        add(&mut self.noted, row);
        add(&mut self.stands, row);
    }

    /// From now on an agent has turns, which it did not have before.
    pub(crate) fn go_on(&mut self, row: Row, now: Moment) {
        debug_assert!(has(&self.stands, row), "R1");
        self.last[row.index()] = now.back(self.passed[row.index()]);
        remove(&mut self.stands, row);
    }
}

/// For each step: every step-th bit of a word, from the first on.
const EVERY: [u64; 64] = {
    let mut every = [1; 64];
    let mut step = 1;
    while step < 64 {
        let mut bit = 0;
        while bit < 64 {
            every[step] |= 1 << bit;
            bit += step;
        }
        step += 1;
    }
    every
};

/// The places of a word that are `first` modulo `step`.
fn pattern(step: usize, first: usize, word: usize) -> u64 {
    let first = (first + step - word * 64 % step) % step;
    if first >= 64 { 0 } else { EVERY.get(step).copied().unwrap_or(1) << first }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_a_plain_loop() {
        for step in 1..=255 {
            for first in 0..step {
                for word in 0..WORDS {
                    let plain = (0..64).filter(|it| (word * 64 + it) % step == first).fold(0, |all, it| all | 1 << it);
                    assert_eq!(pattern(step, first, word), plain, "{step} {first} {word}");
                }
            }
        }
    }

    #[test]
    fn a_rate_that_no_agent_has_costs_nothing() {
        let mut turns = Turns::new([false; 100].into_iter(), 0, Moment::START);
        for frames in 2..=90 {
            for row in Row::all().take(100) {
                turns.set_rate(row, Rate::every(frames).unwrap(), 0);
            }
            assert_eq!(turns.masks.len(), 1);
        }
        Row::all().take(100).for_each(|row| turns.set_rate(row, Rate::EVERY_FRAME, 0));
        assert_eq!((turns.masks.len(), turns.slow), (0, Bits::default()));
    }
}
