//! What a chunk stores about the observers of its agents, and which agents a tick has to look at:
//! bits, in words that share one box.

use crate::bits;
use crate::blackboard::changes::Changes;
use crate::index::narrow;
use crate::row::Row;

/// What is stored about the observers of some agents.
#[derive(Debug)]
pub(crate) struct ObserverBits {
    /// All columns one after the other, as separate boxes would cost a single agent more than what
    /// they hold. [`ObserverBits::columns`] splits them.
    cells: Box<[u64]>,
    /// Words of observers per agent.
    words: u16,
    /// How many agents there is room for.
    room: u16,
}

/// The columns of [`ObserverBits`], borrowed, in their order.
pub(crate) struct BitColumns<'m> {
    /// A set of agents: where the bit is not set, no observer that could act at the agent's present
    /// place has a changed key.
    pub(crate) dirty_agents: &'m mut [u64],
    /// The set of agents that a tick has to look at.
    pub(crate) awake: &'m mut [u64],
    /// For each observer of all agents, whether a key that it reads has changed since it was last
    /// evaluated.
    pub(crate) dirty: &'m mut [u64],
    /// Whether it has a monitor.
    pub(crate) monitors: &'m mut [u64],
    /// Whether the status stored by its monitor is Success.
    pub(crate) statuses: &'m mut [u64],
}

/// What is stored about the observers of one agent, if they are in one word.
#[derive(Clone, Copy, Default)]
pub(crate) struct ObserverWord {
    pub(crate) monitors: u64,
    pub(crate) statuses: u64,
    pub(crate) dirty: u64,
}

/// Sets of agents, and columns of observers.
const SETS: usize = 2;
const COLUMNS: usize = 3;

impl Clone for ObserverBits {
    fn clone(&self) -> Self {
        ObserverBits { cells: self.cells.clone(), ..*self }
    }

    /// Allocates nothing if there is enough room already.
    fn clone_from(&mut self, from: &Self) {
        (self.words, self.room) = (from.words, from.room);
        self.cells.clone_from(&from.cells);
    }
}

impl ObserverBits {
    /// For no agents, with this many words of observers each.
    pub(crate) fn new(words: usize) -> Self {
        ObserverBits { cells: Box::default(), words: narrow(words), room: 0 }
    }

    /// Words of observers per agent.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.words.into()
    }

    /// How many agents there is room for.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.room.into()
    }

    /// The words of a set of agents.
    #[inline]
    fn set(&self) -> usize {
        self.room().div_ceil(64)
    }

    /// The words of a column.
    #[inline]
    fn column(&self) -> usize {
        self.room() * self.words()
    }

    /// Resizes to `room`; keeps the first `agents`.
    pub(crate) fn fit(&mut self, agents: usize, room: usize) {
        let mut new = ObserverBits { cells: Box::default(), words: self.words, room: narrow(room) };
        new.cells = vec![0; SETS * new.set() + COLUMNS * new.column()].into();
        let (sets, columns) = new.cells.split_at_mut(SETS * room.div_ceil(64));
        let (old_sets, old_columns) = self.cells.split_at(SETS * self.set());
        copy_columns(columns, room * self.words(), old_columns, self.column(), agents * self.words());
        copy_columns(sets, room.div_ceil(64), old_sets, self.set(), agents.div_ceil(64));
        *self = new;
    }

    /// Splits the words.
    #[inline]
    pub(crate) fn columns(&mut self) -> BitColumns<'_> {
        let (set, column) = (self.set(), self.column());
        let (dirty_agents, rest) = self.cells.split_at_mut(set);
        let (awake, rest) = rest.split_at_mut(set);
        let (dirty, rest) = rest.split_at_mut(column);
        let (monitors, statuses) = rest.split_at_mut(column);
        BitColumns { dirty_agents, awake, dirty, monitors, statuses }
    }

    /// Adds an agent. Ticks need not look at it yet.
    pub(crate) fn push(&mut self, agent: Row) {
        let words = self.words();
        let BitColumns { dirty_agents, awake, dirty, monitors, statuses } = self.columns();
        for cell in agent.cells(words) {
            (dirty[cell], monitors[cell], statuses[cell]) = (0, 0, 0);
        }
        bits::remove(dirty_agents, agent);
        bits::remove(awake, agent);
    }

    /// Removes an agent; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, agent: Row, last: Row) {
        let words = self.words();
        let BitColumns { dirty_agents, awake, dirty, monitors, statuses } = self.columns();
        for column in [dirty, monitors, statuses] {
            column.copy_within(last.cells(words), agent.cell(words));
        }
        for set in [dirty_agents, awake] {
            let moved = bits::has(set, last);
            bits::put(set, agent, moved);
            // Beyond the last agent no bit may be set.
            bits::remove(set, last);
        }
    }

    /// Deletes the monitors of an agent.
    pub(crate) fn clear_monitors(&mut self, agent: Row) {
        let first = SETS * self.set() + self.column();
        // Not `fill`, which calls memset: the call costs more than a few words.
        for cell in agent.cells(self.words()) {
            self.cells[first + cell] = 0;
        }
    }

    pub(crate) fn monitors(&self, agent: Row) -> &[u64] {
        self.row(1, agent)
    }

    pub(crate) fn statuses(&self, agent: Row) -> &[u64] {
        self.row(2, agent)
    }

    /// The agents that may have a changed key to look at.
    #[cfg(feature = "save")]
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        &self.cells[..self.set()]
    }

    /// Which observers of an agent have a changed key to look at.
    #[cfg(feature = "save")]
    pub(crate) fn dirty(&self, agent: Row) -> &[u64] {
        self.row(0, agent)
    }

    /// An agent's row in a column.
    fn row(&self, column: usize, agent: Row) -> &[u64] {
        &self.cells[SETS * self.set() + column * self.column()..][agent.cells(self.words())]
    }

    /// What is stored about an agent whose tree has one word of observers, or none.
    #[inline]
    pub(crate) fn word(&self, agent: Row) -> ObserverWord {
        if self.words == 0 {
            return ObserverWord::default();
        }
        let (room, first) = (self.room(), SETS * self.set() + agent.index());
        ObserverWord {
            monitors: self.cells[first + room],
            statuses: self.cells[first + 2 * room],
            dirty: self.cells[first],
        }
    }

    /// The observers of an agent that read a changed key, for a tree with one word of them.
    #[inline]
    pub(crate) fn dirty_word(&self, agent: Row) -> u64 {
        self.cells[SETS * self.set() + agent.index()]
    }

    /// The agents that a tick has to look at.
    #[inline]
    pub(crate) fn awake(&self) -> &[u64] {
        let set = self.set();
        &self.cells[set..2 * set]
    }

    /// The same, to change them.
    #[inline]
    pub(crate) fn awake_mut(&mut self) -> &mut [u64] {
        self.sets().1
    }

    /// The agents that may have a changed key to look at, and those that a tick has to look at.
    #[inline]
    pub(crate) fn sets(&mut self) -> (&[u64], &mut [u64]) {
        let set = self.set();
        let (dirty_agents, rest) = self.cells.split_at_mut(set);
        (dirty_agents, &mut rest[..set])
    }

    /// Which of the first 64 agents may have a changed key to look at.
    #[inline]
    pub(crate) fn first_dirty(&self) -> u64 {
        self.cells[0]
    }

    /// An agent has been looked at: no changed key matters at its present place. A separate
    /// function, as few agents need it.
    #[inline(never)]
    pub(crate) fn clear_dirty_agent(&mut self, agent: Row) {
        bits::remove(&mut self.cells, agent);
    }

    /// Ticks need not look at this agent, even if keys have changed.
    #[inline]
    pub(crate) fn look_away(&mut self, agent: Row) {
        let (dirty_agents, rest) = self.cells.split_at_mut(self.room.div_ceil(64).into());
        bits::remove(dirty_agents, agent);
        bits::remove(rest, agent);
    }

    /// Which keys have changed, for a board.
    #[inline]
    pub(crate) fn changes(&mut self) -> Changes<'_> {
        let (set, column) = (self.set(), self.column());
        let (agents, rest) = self.cells.split_at_mut(set);
        Changes::new(&mut rest[set..][..column], agents)
    }

    /// An agent has moved to another place, where an observer may act that could not act before.
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let words = self.words();
        if words > 0 {
            self.changes().refresh_agent(words, agent);
        }
    }
}

/// Copies the first `kept` cells of each of the columns that lie side by side.
fn copy_columns(to: &mut [u64], to_length: usize, from: &[u64], from_length: usize, kept: usize) {
    if kept > 0 {
        for (to, from) in to.chunks_mut(to_length).zip(from.chunks(from_length)) {
            to[..kept].copy_from_slice(&from[..kept]);
        }
    }
}
