//! Which agents of a chunk a tick has to look at, one bit each; and when a sleeper's bit is set
//! again (SEMANTICS 8.3).
//!
//! A sleeper's deadline has sixteen bits, rounded down, in a column. A tick compares the
//! whole column in bulk. That is cheaper than a look at each agent, needs no list that grows, and
//! keeps the order of agents.

use std::ops::Range;

use crate::bits::{self, Bits, pop, those};
use crate::clock::Moment;
use crate::row::{self, Row};

/// Deadlines are kept in units of 2^20 ns, about a millisecond.
const UNIT: u32 = 20;
/// The longest time that a deadline may lie ahead, in units: about 31 seconds. A tick looks at an
/// agent that sleeps longer once in between.
const AHEAD: u64 = 30_000;

/// How many agents share a word of bits.
const WORD: usize = 64;

/// The deadlines of a chunk's agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines {
    /// Per agent, the lower bits of its deadline in units of the forest's time.
    column: Box<[u16]>,
    /// The forest's time when the deadlines were last read.
    read: Moment,
}

/// Which agents a tick has to look at, and the deadlines of sleepers, borrowed.
pub(super) struct Awake<'m> {
    /// Set for every agent that a tick has to look at, and perhaps for some that it need not look
    /// at.
    pub(super) bits: &'m mut [u64],
    deadlines: &'m mut [u16],
    read: &'m mut Moment,
}

/// The deadline of an agent that wakes at this time of the forest.
#[expect(clippy::cast_possible_truncation, reason = "deadlines are compared modulo 2^16")]
fn deadline(at: Moment, now: Moment) -> u16 {
    (at.0 >> UNIT).min((now.0 >> UNIT) + AHEAD) as u16
}

impl Deadlines {
    /// Resizes from `from` to `to`; keeps the first `agents`.
    pub(super) fn fit(&mut self, agents: usize, from: usize, to: usize) {
        row::restride(&mut self.column, 1, from, to, agents, 0);
    }

    pub(super) fn push(&mut self, agent: Row) {
        self.column[agent.index()] = 0;
    }

    /// Removes an agent; the last one takes its place.
    pub(super) fn swap_remove(&mut self, agent: Row, last: Row) {
        self.column[agent.index()] = self.column[last.index()];
    }

    /// Lends the deadlines of this many agents, with these bits.
    #[inline]
    pub(super) fn lend<'m>(&'m mut self, agents: usize, bits: &'m mut [u64]) -> Awake<'m> {
        let (bits, deadlines) = (&mut bits[..agents.div_ceil(WORD)], &mut self.column[..agents]);
        Awake { bits, deadlines, read: &mut self.read }
    }
}

impl Awake<'_> {
    /// The next tick looks at these agents.
    pub(super) fn mark_all(&mut self, bits: &[u64]) {
        for (own, new) in self.bits.iter_mut().zip(bits) {
            *own |= new;
        }
    }

    /// Ticks need not look at this agent.
    #[inline]
    pub(super) fn clear(&mut self, row: Row) {
        bits::remove(self.bits, row);
    }

    /// Ticks need not look at this agent before that time of the forest.
    #[inline]
    pub(super) fn sleep(&mut self, row: Row, until: Moment, now: Moment) {
        self.clear(row);
        self.deadlines[row.index()] = deadline(until, now);
    }

    /// Sets the bits of the agents whose deadline has come. `until` gives the exact time until
    /// which an agent sleeps, if it sleeps.
    #[inline]
    pub(super) fn wake_due(&mut self, now: Moment, until: impl Fn(Row) -> Option<Moment>) {
        let before = std::mem::replace(self.read, now);
        let count = self.deadlines.len();
        if (0..self.bits.len()).any(|word| self.bits[word] != full(word, count)) {
            self.wake_sleepers(before, now, until);
        }
    }

    fn wake_sleepers(&mut self, before: Moment, now: Moment, until: impl Fn(Row) -> Option<Moment>) {
        // After a step this long, comparing the lower bits finds nothing.
        let leap = (now - before).0 >> UNIT > AHEAD;
        #[expect(clippy::cast_possible_truncation, reason = "deadlines are compared modulo 2^16")]
        let unit = (now.0 >> UNIT) as u16;
        let due = |it: u16| unit.wrapping_sub(it) < 1 << 15;
        // A deadline whose distance is negative, as its highest bit shows, is not due.
        let any_due = |all: u16, &it: &u16| all & unit.wrapping_sub(it);
        let mut found = Bits::default();
        for (found, deadlines) in found.iter_mut().zip(self.deadlines.chunks(WORD)) {
            if leap {
                *found = full(0, deadlines.len());
                continue;
            }
            let all = match deadlines.first_chunk::<WORD>() {
                Some(deadlines) => deadlines.iter().fold(u16::MAX, any_due),
                None => deadlines.iter().fold(u16::MAX, any_due),
            };
            if all < 1 << 15 {
                *found = those(deadlines, due);
            }
        }
        // Finds all of them before it looks at the first, so that the processor can load the data
        // of one agent while it finds the next.
        let never = deadline(Moment::NEVER, now);
        for (word, bits) in self.bits.iter_mut().enumerate() {
            let mut found = found[word];
            while let Some(row) = pop(word, &mut found) {
                // Also for agents that are awake: they would be found here again and again.
                self.deadlines[row.index()] = never;
                match until(row) {
                    Some(until) if until <= now => *bits |= row.bit(),
                    Some(until) => self.deadlines[row.index()] = deadline(until, now),
                    None => {}
                }
            }
        }
    }
}

/// A set of agents as an array, whose unused words are empty.
pub(super) fn array(set: &[u64]) -> Bits {
    let mut bits = Bits::default();
    bits[..set.len()].copy_from_slice(set);
    bits
}

/// The next range of agents with a bit, from `from` on and before `end`.
#[inline]
pub(super) fn next_range(bits: &Bits, from: Row, end: Row) -> Option<Range<Row>> {
    let start = next(bits, from, end, 0)?;
    Some(start..next(bits, start, end, u64::MAX).unwrap_or(end))
}

/// The first agent whose bit is set; with all bits `flip`ped, the first whose bit is not set.
#[inline]
pub(super) fn next(bits: &Bits, from: Row, end: Row, flip: u64) -> Option<Row> {
    let mut row = from;
    while row < end {
        let rest = (bits[row.word()] ^ flip) >> row.place();
        if rest != 0 {
            return Some(row.plus(rest.trailing_zeros() as usize)).filter(|&it| it < end);
        }
        row = Row::first_of(row.word() + 1);
    }
    None
}

/// A word of bits with the bits of all agents set.
fn full(word: usize, count: usize) -> u64 {
    let rest = count - word * WORD;
    if rest >= WORD { u64::MAX } else { (1 << rest) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Span;
    use crate::row::CHUNK;

    #[test]
    fn sleepers_wake_when_a_plain_list_says_so() {
        let mut random = 1_u64;
        let mut below = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        for round in 0..60 {
            let (mut set, mut deadlines) = (Bits::default(), Deadlines::default());
            deadlines.fit(0, 0, CHUNK);
            let mut model: Vec<Option<Moment>> = Vec::new();
            let mut now = Moment::START;
            for _ in 0..200 {
                now = now
                    + match below(20) {
                        0 => Span(below(100_000_000_000_000)),
                        1 => Span::ZERO,
                        _ => Span(below(40_000_000)),
                    };
                deadlines.lend(model.len(), &mut set).wake_due(now, |row| model[row.index()]);
                for (row, until) in Row::all().zip(&mut model) {
                    if until.is_some_and(|it| it <= now) {
                        *until = None;
                    }
                    assert_eq!(bits::has(&set, row), until.is_none(), "{round}");
                }
                if below(3) > 0 {
                    model.push(None);
                    let row = Row::behind(model.len() - 1);
                    deadlines.push(row);
                    bits::add(&mut set, row);
                }
                let agents = model.len();
                for (row, asleep) in Row::all().zip(&mut model) {
                    if below(4) == 0 {
                        let until = match below(5) {
                            0 => Moment::NEVER,
                            1 => now + Span(below(100_000_000_000)),
                            _ => now + Span(1 + below(1_000_000_000)),
                        };
                        *asleep = Some(until);
                        deadlines.lend(agents, &mut set).sleep(row, until, now);
                    }
                }
                if below(4) == 0 && !model.is_empty() {
                    let at = usize::try_from(below(model.len() as u64)).unwrap();
                    model.swap_remove(at);
                    let (row, last) = (Row::behind(at), Row::behind(model.len()));
                    deadlines.swap_remove(row, last);
                    let moved = bits::has(&set, last);
                    bits::put(&mut set, row, moved);
                    bits::remove(&mut set, last);
                }
                let mut seen = Vec::new();
                let mut from = Row::FIRST;
                while let Some(range) = next_range(&set, from, Row::behind(model.len())) {
                    from = range.end;
                    seen.extend(range.start.index()..range.end.index());
                }
                let expected: Vec<usize> = (0..model.len()).filter(|&it| model[it].is_none()).collect();
                assert_eq!(seen, expected);
            }
        }
    }
}
