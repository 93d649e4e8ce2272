//! Which agents of a chunk a tick has to look at: one bit each; and when the sleepers' bits are to
//! be set again.
//!
//! A sleeper's deadline stands in a column of sixteen bits per agent, rounded down, which a tick
//! compares in bulk: cheaper than a look at each, without a list that grows, and in the order of
//! agents.

use std::ops::Range;

use crate::bits::{Bits, each, those};
use crate::clock::Moment;
use crate::row::CHUNK;

/// Deadlines are kept in units of 2^20 ns, about a millisecond.
const UNIT: u32 = 20;
/// The longest that a deadline lies ahead, in units: about 31 seconds. Who sleeps longer is looked
/// at once in between.
const AHEAD: u64 = 30_000;

/// Agents that share a word of bits.
const WORD: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Awake {
    /// Set for every agent that has to be looked at, and perhaps for some that need not be.
    bits: Vec<u64>,
    /// Per agent the lower bits of its deadline in units of the forest's time.
    deadlines: Vec<u16>,
    /// The forest's time when the deadlines were last read.
    read: Moment,
}

/// The deadline of somebody who wakes at this time of the forest.
#[expect(clippy::cast_possible_truncation, reason = "deadlines are compared modulo 2^16")]
fn deadline(at: Moment, now: Moment) -> u16 {
    (at.0 >> UNIT).min((now.0 >> UNIT) + AHEAD) as u16
}

impl Awake {
    pub(super) fn push(&mut self) {
        if self.deadlines.len().is_multiple_of(WORD) {
            self.bits.push(0);
        }
        self.deadlines.push(0);
    }

    /// Removes an agent; the last one takes its place.
    pub(super) fn swap_remove(&mut self, at: usize) {
        let last = self.deadlines.len() - 1;
        if self.has(last) {
            self.mark(at)
        } else {
            self.clear(at)
        }
        self.clear(last);
        self.deadlines.swap_remove(at);
        self.bits.truncate(last.div_ceil(WORD));
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.bits[at / WORD] >> (at % WORD) & 1 != 0
    }

    /// The next tick looks at this agent.
    #[inline]
    pub(super) fn mark(&mut self, at: usize) {
        self.bits[at / WORD] |= 1 << (at % WORD);
    }

    /// And at these.
    pub(super) fn mark_all(&mut self, bits: &[u64]) {
        for (own, new) in self.bits.iter_mut().zip(bits) {
            *own |= new;
        }
    }

    /// Ticks need not look at this agent.
    #[inline]
    pub(super) fn clear(&mut self, at: usize) {
        self.bits[at / WORD] &= !(1 << (at % WORD));
    }

    /// Ticks need not look at this agent before that time of the forest.
    #[inline]
    pub(super) fn sleep(&mut self, at: usize, until: Moment, now: Moment) {
        self.clear(at);
        self.deadlines[at] = deadline(until, now);
    }

    /// Sets the bits of those whose deadline has come: `until` tells the exact time that somebody
    /// sleeps until, if they sleep.
    pub(super) fn wake_due(&mut self, now: Moment, until: impl Fn(usize) -> Option<Moment>) {
        // A step so long that a comparison of the lower bits would not see it.
        let leap = (now - self.read).0 >> UNIT > AHEAD;
        self.read = now;
        let count = self.deadlines.len();
        if (0..self.bits.len()).all(|word| self.bits[word] == full(word, count)) {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "deadlines are compared modulo 2^16")]
        let unit = (now.0 >> UNIT) as u16;
        let due = |it: u16| unit.wrapping_sub(it) < 1 << 15;
        let mut found = [0; CHUNK / WORD];
        for (found, deadlines) in found.iter_mut().zip(self.deadlines.chunks(WORD)) {
            if leap {
                *found = full(0, deadlines.len());
            } else if deadlines.iter().fold(false, |any, &it| any | due(it)) {
                *found = those(deadlines, due);
            }
        }
        // All of them before the first is looked at: what is known of one can come from memory
        // while the next is found.
        each(&found).for_each(|at| {
            // Those awake, too, or they would be found here again and again.
            self.deadlines[at] = deadline(Moment::END, now);
            match until(at) {
                Some(until) if until <= now => self.mark(at),
                Some(until) => self.deadlines[at] = deadline(until, now),
                None => {}
            }
        });
    }

    /// Whom to look at.
    pub(super) fn bits(&self) -> Bits {
        let mut bits = [0; CHUNK / WORD];
        bits[..self.bits.len()].copy_from_slice(&self.bits);
        bits
    }
}

/// The next row of agents with a bit, from `from` on and before `end`.
#[inline]
pub(super) fn row(bits: &Bits, from: usize, end: usize) -> Option<Range<usize>> {
    let start = next(bits, from, end, 0)?;
    Some(start..next(bits, start, end, u64::MAX).unwrap_or(end))
}

/// The first agent whose bit is set, or with all bits flipped is not.
#[inline]
fn next(bits: &Bits, from: usize, end: usize, flip: u64) -> Option<usize> {
    let mut at = from;
    while at < end {
        let rest = (bits[at / WORD] ^ flip) >> (at % WORD);
        if rest != 0 {
            return Some(at + rest.trailing_zeros() as usize).filter(|&it| it < end);
        }
        at = (at / WORD + 1) * WORD;
    }
    None
}

/// A word of bits in which all agents have theirs.
fn full(word: usize, count: usize) -> u64 {
    let rest = count - word * WORD;
    if rest >= WORD { u64::MAX } else { (1 << rest) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Span;

    #[test]
    fn sleepers_are_roused_when_a_plain_list_says_so() {
        let mut random = 1_u64;
        let mut below = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        for round in 0..60 {
            let mut awake = Awake::default();
            let mut model: Vec<Option<Moment>> = Vec::new();
            let mut now = Moment::START;
            for _ in 0..200 {
                now = now
                    + match below(20) {
                        0 => Span(below(100_000_000_000_000)),
                        1 => Span::ZERO,
                        _ => Span(below(40_000_000)),
                    };
                awake.wake_due(now, |at| model[at]);
                for (at, until) in model.iter_mut().enumerate() {
                    if until.is_some_and(|it| it <= now) {
                        *until = None;
                    }
                    assert_eq!(awake.has(at), until.is_none(), "{round}");
                }
                if below(3) > 0 {
                    model.push(None);
                    awake.push();
                    awake.mark(model.len() - 1);
                }
                for (at, asleep) in model.iter_mut().enumerate() {
                    if below(4) == 0 {
                        let until = match below(5) {
                            0 => Moment::END,
                            1 => now + Span(below(100_000_000_000)),
                            _ => now + Span(1 + below(1_000_000_000)),
                        };
                        *asleep = Some(until);
                        awake.sleep(at, until, now);
                    }
                }
                if below(4) == 0 && !model.is_empty() {
                    let at = usize::try_from(below(model.len() as u64)).unwrap();
                    model.swap_remove(at);
                    awake.swap_remove(at);
                }
                let mut seen = Vec::new();
                let mut from = 0;
                while let Some(row) = row(&awake.bits(), from, model.len()) {
                    from = row.end;
                    seen.extend(row);
                }
                let expected: Vec<usize> = (0..model.len()).filter(|&it| model[it].is_none()).collect();
                assert_eq!(seen, expected);
            }
        }
    }
}
