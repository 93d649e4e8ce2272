//! Agents are rows of columns. A column holds one or more values per agent.

use std::fmt;
use std::ops::Range;

/// How many agents share a chunk. This is enough to spread the cost of setting up a machine, and
/// few enough that a chunk's columns stay in cache while it is ticked.
pub(crate) const CHUNK: usize = 1024;

/// How many agents share a word of bits.
const WORD: usize = 64;

/// The row of an agent in its chunk. Prints as `r12`. The end of a range of rows is a row, too: the
/// one after the last.
///
/// Invariant C2: at most [`CHUNK`]. Rows are made from a number of agents, which is checked, or
/// from other rows and the bits of sets, which are in a chunk already. Debug builds check these as
/// well.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Row(usize);

impl Row {
    pub(crate) const FIRST: Row = Row(0);

    /// The row after this many agents.
    pub(crate) fn behind(agents: usize) -> Row {
        assert!(agents <= CHUNK, "C2: {agents} agents in a chunk");
        Row(agents)
    }

    /// The row after the agents of a chunk, which holds no more than it can. Each call of a forest
    /// asks this of each chunk: only debug builds check it.
    #[inline(always)]
    pub(crate) fn end(agents: usize) -> Row {
        debug_assert!(agents <= CHUNK, "C2");
        Row(agents)
    }

    /// The rows of this many agents, in order.
    pub(crate) fn of_agents(agents: usize) -> impl ExactSizeIterator<Item = Row> {
        (0..Row::behind(agents).0).map(Row)
    }

    /// All rows that a chunk can have, to number the cells of a column.
    #[inline]
    pub(crate) fn all() -> impl ExactSizeIterator<Item = Row> {
        (0..CHUNK).map(Row)
    }

    /// The row of the `number`-th agent of full chunks.
    #[inline]
    pub(crate) fn of_number(number: usize) -> Row {
        Row(number % CHUNK)
    }

    /// The row of the first bit of a word of bits.
    #[inline(always)]
    pub(crate) fn first_of(word: usize) -> Row {
        debug_assert!(word <= CHUNK / WORD, "C2");
        Row(word * WORD)
    }

    /// The row of the lowest bit in a word of bits, which is not 0.
    #[inline(always)]
    pub(crate) fn lowest(word: usize, bits: u64) -> Row {
        debug_assert!(word < CHUNK / WORD && bits != 0, "C2");
        Row(word * WORD + bits.trailing_zeros() as usize)
    }

    /// The row after this one.
    #[inline(always)]
    pub(crate) fn next(self) -> Row {
        self.plus(1)
    }

    /// The row this many agents after this one.
    #[inline(always)]
    pub(crate) fn plus(self, agents: usize) -> Row {
        debug_assert!(self.0 + agents <= CHUNK, "C2");
        Row(self.0 + agents)
    }

    /// The index into a column with one value per agent.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0
    }

    /// The row in few bytes.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "C2")]
    pub(crate) fn number(self) -> u16 {
        self.0 as u16
    }

    /// The row of such a number.
    #[inline(always)]
    pub(crate) fn numbered(number: u16) -> Row {
        debug_assert!(usize::from(number) <= CHUNK, "C2");
        Row(number.into())
    }

    /// The indices into a column with this many values per agent.
    #[inline(always)]
    pub(crate) const fn cells(self, width: usize) -> Range<usize> {
        self.0 * width..(self.0 + 1) * width
    }

    /// The index of the first of them.
    #[inline(always)]
    pub(crate) const fn cell(self, width: usize) -> usize {
        self.0 * width
    }

    /// The word of its bit, in a set of agents.
    #[inline(always)]
    pub(crate) const fn word(self) -> usize {
        self.0 / WORD
    }

    /// The place of its bit in that word.
    #[inline(always)]
    pub(crate) const fn place(self) -> usize {
        self.0 % WORD
    }

    /// Its bit in that word.
    #[inline(always)]
    pub(crate) const fn bit(self) -> u64 {
        1 << self.place()
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// The capacity, in agents, of a chunk that needs room for `agents`: columns grow by doubling,
/// starting at one agent.
pub(crate) fn room_for(agents: usize) -> usize {
    agents.next_power_of_two()
}

/// Changes the capacity of a list, to no more than `room`.
pub(crate) fn fit<V>(column: &mut Vec<V>, room: usize) {
    if room > column.capacity() {
        column.reserve_exact(room - column.len());
    } else {
        column.shrink_to(room);
    }
}

/// Moves columns that lie side by side, `from` cells apart, to a distance of `to` cells. Keeps
/// `kept` cells of each; the others are blank.
pub(crate) fn restride<V: Clone>(cells: &mut Box<[V]>, columns: usize, from: usize, to: usize, kept: usize, blank: V) {
    if columns * from == 0 && columns * to == 0 {
        return;
    }
    let mut new = vec![blank; columns * to];
    for column in 0..if kept == 0 { 0 } else { columns } {
        new[column * to..][..kept].clone_from_slice(&cells[column * from..][..kept]);
    }
    *cells = new.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arithmetic_of_rows_is_that_of_their_numbers() {
        for (index, row) in Row::of_agents(CHUNK).enumerate() {
            assert_eq!((row.index(), row.word(), row.place()), (index, index / 64, index % 64));
            assert_eq!(Row::lowest(row.word(), row.bit() | 1 << 63), row);
            assert_eq!(Row::first_of(row.word()).plus(row.place()), row);
            assert_eq!(Row::of_number(3 * CHUNK + index), row);
            assert_eq!((row.next(), row.cells(3)), (Row::behind(index + 1), index * 3..index * 3 + 3));
        }
        assert_eq!(format!("{:?}", Row::behind(12)), "r12");
    }

    #[test]
    fn a_chunk_has_no_row_beyond_its_end() {
        assert_eq!(Row::behind(CHUNK).index(), CHUNK);
        assert!(std::panic::catch_unwind(|| Row::behind(CHUNK + 1)).is_err());
    }
}
