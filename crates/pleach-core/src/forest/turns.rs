//! Which agents of a row are due for a turn, and when each had its last one (SEMANTICS 8.2).
//!
//! A row whose agents all had a turn in every frame has none of this: their last turn was in the last frame.
//!
//! Most agents of most rows have the same turns as their neighbours. So the last turn is kept once for all agents that share
//! a word of bits, and one by one only for those that are noted: it differs for them. A crowd that sleeps costs a
//! turn nothing per agent then.

use super::chunk::CHUNK;
use super::pace::Rate;
use crate::bits::{Bits, within};
use crate::clock::Nanos;

const WORDS: usize = CHUNK / 64;

/// The turns of a row of agents.
///
/// Invariant R1: agents of another rate than the first, and those whose own time stands still, are noted.
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
    /// Per agent that is noted, the forest's time at its last turn; of one whose own time stands still, how long that turn
    /// was before it stood still.
    last: Vec<Nanos>,
    noted: Bits,
    /// Whose own time stands still.
    stands: Bits,
    /// The forest's time at the last turn of those of a word that are not noted.
    common: [Nanos; WORDS],
}

impl Turns {
    /// For agents that had their last turn in this frame of the forest, at this time; of each is told whether its own time
    /// stands still.
    pub(super) fn new(stands: impl ExactSizeIterator<Item = bool>, frame: u64, now: Nanos) -> Self {
        let mut turns = Turns {
            rates: vec![Rate::EVERY_FRAME; stands.len()],
            masks: Vec::new(),
            slow: Bits::default(),
            due: Bits::default(),
            frame,
            last: vec![0; stands.len()],
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

    /// Adds an agent after this frame, whose own time stands still.
    pub(super) fn push(&mut self, frame: u64) {
        self.begin(frame);
        let at = self.rates.len();
        self.rates.push(Rate::EVERY_FRAME);
        self.last.push(0);
        set(&mut self.due, at, false);
        set(&mut self.stands, at, true);
        set(&mut self.noted, at, true);
    }

    /// Removes an agent after this frame; the last one takes its place.
    pub(super) fn swap_remove(&mut self, at: usize, frame: u64) {
        self.begin(frame);
        let last = self.rates.len() - 1;
        self.last[at] = self.last(last);
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
    }

    pub(super) fn rate(&self, at: usize) -> Rate {
        self.rates[at]
    }

    /// Changes a rate after this frame.
    pub(super) fn set_rate(&mut self, at: usize, rate: Rate, frame: u64) {
        self.begin(frame);
        self.put_rate(at, rate);
    }

    fn put_rate(&mut self, at: usize, rate: Rate) {
        self.last[at] = self.last(at);
        set(&mut self.noted, at, true);
        if let Some((_, mask)) = self.masks.iter_mut().find(|it| it.0 == self.rates[at]) {
            set(mask, at, false);
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
    pub(super) fn begin(&mut self, frame: u64) {
        if frame == self.frame {
            return;
        }
        for (due, slow) in self.due.iter_mut().zip(&self.slow) {
            *due |= !slow;
        }
        for (rate, mask) in &self.masks {
            let Some(step) = rate.frames() else { continue };
            for frame in self.frame.max(frame.saturating_sub(step.into())) + 1..=frame {
                let pattern = pattern(step, frame);
                for ((due, mask), pattern) in self.due.iter_mut().zip(mask).zip(&pattern) {
                    *due |= mask & pattern;
                }
            }
        }
        self.frame = frame;
    }

    pub(super) fn due(&self) -> &Bits {
        &self.due
    }

    /// Those of these agents who are due had their turn now.
    pub(super) fn had(&mut self, agents: &Bits, now: Nanos) {
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

    /// The forest's time at the last turn of an agent whose own time goes on.
    #[inline]
    pub(crate) fn last(&self, at: usize) -> Nanos {
        if get(&self.noted, at) { self.last[at] } else { self.common[at / 64] }
    }

    /// An agent's own time stands still from now on.
    pub(super) fn stand(&mut self, at: usize, now: Nanos) {
        self.last[at] = now - self.last(at);
        set(&mut self.noted, at, true);
        set(&mut self.stands, at, true);
    }

    /// The same in its turn.
    pub(super) fn stand_in_turn(&mut self, at: usize) {
        self.last[at] = 0;
        set(&mut self.noted, at, true);
        set(&mut self.stands, at, true);
    }

    /// An agent's own time goes on from now on.
    pub(super) fn go_on(&mut self, at: usize, now: Nanos) {
        self.last[at] = now - self.last[at];
        set(&mut self.stands, at, false);
    }

    /// What passed since the last turn of an agent is in no `dt`.
    pub(super) fn forgive(&mut self, at: usize, now: Nanos) {
        self.last[at] = now;
        set(&mut self.noted, at, true);
    }
}

fn get(bits: &Bits, at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 != 0
}

fn set(bits: &mut Bits, at: usize, on: bool) {
    bits[at / 64] = bits[at / 64] & !(1 << (at % 64)) | u64::from(on) << (at % 64);
}

/// Every n-th place, another one in each of n frames.
fn pattern(step: u32, frame: u64) -> Bits {
    let mut bits = [0; WORDS];
    let first = usize::try_from(frame % u64::from(step)).expect("a rate is small");
    for at in (first..CHUNK).step_by(step as usize) {
        bits[at / 64] |= 1 << (at % 64);
    }
    bits
}
