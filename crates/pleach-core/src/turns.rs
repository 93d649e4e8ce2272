//! Which agents of a row are due for a turn, and when each had its last one (SEMANTICS 8.2).
//!
//! A row whose agents all had a turn in every frame has none of this: their last turn was in the
//! last frame.
//!
//! Most agents of most rows have the same turns as their neighbours. So the last turn is kept once
//! for all agents that share a word of bits, and one by one only for those that are noted: it
//! differs for them. A crowd that sleeps costs a turn nothing per agent then.

pub(crate) mod rate;

use crate::bits::{Bits, is_empty, within};
use crate::clock::{Moment, Span};
use crate::row::CHUNK;
use rate::Rate;

const WORDS: usize = CHUNK / 64;

/// The turns of a row of agents.
///
/// Invariant R1: agents of another rate than the first, and those who have no turns, are noted.
#[derive(Debug)]
pub(crate) struct Turns {
    rates: Vec<Rate>,
    /// The agents of each rate but the first.
    masks: Vec<(Rate, Bits)>,
    /// All of those agents.
    slow: Bits,
    /// Who is due.
    due: Bits,
    /// The last frame that `due` knows of.
    frame: u64,
    /// Per agent that is noted and has turns, the forest's time at its last one.
    last: Vec<Moment>,
    /// Per agent that has no turns, how long before it had its last one when it ceased to have any.
    passed: Vec<Span>,
    noted: Bits,
    /// Who has no turns: the paused, those that are off, and those that panicked.
    stands: Bits,
    /// The forest's time at the last turn of those of a word that are not noted.
    common: [Moment; WORDS],
}

impl Turns {
    /// For agents that had their last turn in this frame of the forest, at this time; of each is
    /// told whether it has no turns.
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
        for (at, _) in stands.enumerate().filter(|it| it.1) {
            set(&mut turns.stands, at, true);
            set(&mut turns.noted, at, true);
        }
        turns
    }

    /// Adds an agent after this frame, who has no turns yet.
    pub(crate) fn push(&mut self, frame: u64) {
        self.begin(frame);
        let at = self.rates.len();
        self.rates.push(Rate::EVERY_FRAME);
        self.last.push(Moment::START);
        self.passed.push(Span::ZERO);
        set(&mut self.due, at, false);
        set(&mut self.stands, at, true);
        set(&mut self.noted, at, true);
    }

    /// Removes an agent after this frame; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, at: usize, frame: u64) {
        self.begin(frame);
        let last = self.rates.len() - 1;
        self.last[at] = self.last(last);
        self.passed[at] = self.passed[last];
        set(&mut self.noted, at, true);
        for bits in [&mut self.due, &mut self.stands] {
            let moved = get(bits, last);
            set(bits, at, moved);
        }
        let due = get(&self.due, at);
        self.put_rate(at, self.rates[last]);
        set(&mut self.due, at, due);
        self.put_rate(last, Rate::EVERY_FRAME);
        self.rates.pop();
        self.last.pop();
        self.passed.pop();
    }

    pub(crate) fn rate(&self, at: usize) -> Rate {
        self.rates[at]
    }

    /// Changes a rate after this frame.
    pub(crate) fn set_rate(&mut self, at: usize, rate: Rate, frame: u64) {
        self.begin(frame);
        self.put_rate(at, rate);
    }

    fn put_rate(&mut self, at: usize, rate: Rate) {
        self.last[at] = self.last(at);
        set(&mut self.noted, at, true);
        if let Some(index) = self.masks.iter().position(|it| it.0 == self.rates[at]) {
            let mask = &mut self.masks[index].1;
            set(mask, at, false);
            if is_empty(mask) {
                // Or every frame would go on asking whose turn it is at that rate.
                self.masks.swap_remove(index);
            }
        }
        self.rates[at] = rate;
        set(&mut self.slow, at, rate != Rate::EVERY_FRAME);
        if rate == Rate::NEVER {
            set(&mut self.due, at, false);
        }
        if rate != Rate::EVERY_FRAME {
            let known = self.masks.iter().position(|it| it.0 == rate);
            let index = known.unwrap_or_else(|| {
                self.masks.push((rate, Bits::default()));
                self.masks.len() - 1
            });
            set(&mut self.masks[index].1, at, true);
        }
    }

    /// Finds out who has become due, up to this frame, since it was found out last.
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

    /// Those of these agents who are due had their turn now.
    pub(crate) fn had(&mut self, agents: &Bits, now: Moment) {
        let row = 0..self.rates.len();
        for (word, &agents) in agents.iter().enumerate() {
            let agents = agents & within(word, &row);
            if agents == 0 {
                continue;
            }
            let mut turned = self.due[word] & agents & !self.stands[word];
            self.due[word] &= !agents;
            if agents == within(word, &row) {
                // Everybody of the first rate was due, so all of them had their turn together.
                self.common[word] = now;
                self.noted[word] &= self.slow[word] | self.stands[word];
                turned &= self.slow[word];
            } else {
                self.noted[word] |= turned;
            }
            while turned != 0 {
                self.last[word * 64 + turned.trailing_zeros() as usize] = now;
                turned &= turned - 1;
            }
        }
    }

    /// The forest's time at the last turn of an agent that has turns.
    #[inline]
    pub(crate) fn last(&self, at: usize) -> Moment {
        if get(&self.noted, at) { self.last[at] } else { self.common[at / 64] }
    }

    /// An agent has no turns from now on. Nothing happens if it had none.
    pub(crate) fn stand(&mut self, at: usize, now: Moment) {
        if get(&self.stands, at) {
            return;
        }
        self.passed[at] = now - self.last(at);
        set(&mut self.noted, at, true);
        set(&mut self.stands, at, true);
    }

    /// The same in its turn.
    pub(crate) fn stand_in_turn(&mut self, at: usize) {
        self.passed[at] = Span::ZERO;
        set(&mut self.noted, at, true);
        set(&mut self.stands, at, true);
    }

    /// An agent that had no turns has some from now on.
    pub(crate) fn go_on(&mut self, at: usize, now: Moment) {
        debug_assert!(get(&self.stands, at), "R1");
        self.last[at] = now.before(self.passed[at]);
        set(&mut self.stands, at, false);
    }
}

fn get(bits: &Bits, at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 != 0
}

fn set(bits: &mut Bits, at: usize, on: bool) {
    bits[at / 64] = bits[at / 64] & !(1 << (at % 64)) | u64::from(on) << (at % 64);
}

/// By step, every so many-th bit of a word from the first on.
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

/// Of the places of a word those that are `first` modulo `step`.
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
    fn a_rate_that_nobody_has_costs_nothing() {
        let mut turns = Turns::new([false; 100].into_iter(), 0, Moment::START);
        for frames in 2..=90 {
            for at in 0..100 {
                turns.set_rate(at, Rate::every(frames).unwrap(), 0);
            }
            assert_eq!(turns.masks.len(), 1);
        }
        (0..100).for_each(|at| turns.set_rate(at, Rate::EVERY_FRAME, 0));
        assert_eq!((turns.masks.len(), turns.slow), (0, Bits::default()));
    }
}
