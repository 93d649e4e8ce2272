//! What the interpreter keeps of each agent.

use crate::bits;
use crate::blackboard::board::Changes;
use crate::clock::Moment;
use crate::index::{MemoryOffset, ObserverId, Observers, StackId, narrow};
use crate::row::{Row, restride};
use crate::{Host, NodeId, Outcome, Tree};

/// How much run state an agent of a tree has, and for how many agents there is room. These stand
/// together, as they are all small.
#[derive(Clone, Copy, Debug)]
struct Widths {
    /// Words of node memory.
    memory: u32,
    stacks: u16,
    /// Words of observer bits.
    words: u16,
    room: u16,
}

impl Widths {
    fn of<H: Host>(tree: &Tree<H>) -> Self {
        let memory = u32::try_from(tree.memory).expect("T3");
        Widths { memory, stacks: narrow(tree.bottoms.len()), words: narrow(tree.observers.words), room: 0 }
    }

    /// Stacks, words of observer bits, words of node memory.
    #[inline]
    fn all(self) -> [usize; 3] {
        [self.stacks.into(), self.words.into(), self.memory as usize]
    }

    /// For how many agents there is room.
    #[inline]
    fn room(self) -> usize {
        self.room.into()
    }

    /// The words of a column of observer bits, of all agents.
    #[inline]
    fn column(self) -> usize {
        usize::from(self.room) * usize::from(self.words)
    }

    /// The words of a set of agents.
    #[inline]
    fn set(self) -> usize {
        self.room().div_ceil(64)
    }
}

/// The run state of a chunk's agents. Each agent has a row in every column.
#[derive(Debug)]
pub(crate) struct RunState {
    widths: Widths,
    /// The top of each run stack. A stack is the path from its bottom to its top.
    tops: Box<[NodeId]>,
    /// All that is kept in words of bits, one behind the other, as a column of its own would cost
    /// an agent alone more than what it holds. First come sets of agents: where the bit is not set,
    /// no observer that could act at the agent's present place has a changed key; and the agents
    /// that a tick has to look at. Then, for each observer of all agents: whether a key that it
    /// reads has changed since it was last evaluated; whether it has a monitor; whether the status
    /// that this stored is Success.
    words: Box<[u64]>,
    /// Node memory: counters, deadlines, orders.
    mem: Box<[u32]>,
}

/// Sets of agents, and columns of observer bits, in the words of a [`RunState`].
const SETS: usize = 2;
const COLUMNS: usize = 3;

/// The words of a [`RunState`], borrowed.
struct Words<'m> {
    dirty_agents: &'m mut [u64],
    awake: &'m mut [u64],
    dirty: &'m mut [u64],
    monitors: &'m mut [u64],
    statuses: &'m mut [u64],
}

impl<'m> Words<'m> {
    #[inline]
    fn of(words: &'m mut [u64], widths: Widths) -> Self {
        let (set, column) = (widths.set(), widths.column());
        let (dirty_agents, rest) = words.split_at_mut(set);
        let (awake, rest) = rest.split_at_mut(set);
        let (dirty, rest) = rest.split_at_mut(column);
        let (monitors, statuses) = rest.split_at_mut(column);
        Words { dirty, monitors, statuses, dirty_agents, awake }
    }
}

impl Clone for RunState {
    fn clone(&self) -> Self {
        RunState { widths: self.widths, tops: self.tops.clone(), words: self.words.clone(), mem: self.mem.clone() }
    }

    /// Allocates nothing if there is as much room.
    fn clone_from(&mut self, from: &Self) {
        self.widths = from.widths;
        self.tops.clone_from(&from.tops);
        self.words.clone_from(&from.words);
        self.mem.clone_from(&from.mem);
    }
}

impl RunState {
    pub(crate) fn new<H: Host>(tree: &Tree<H>) -> Self {
        RunState { widths: Widths::of(tree), tops: Box::default(), words: Box::default(), mem: Box::default() }
    }

    /// For how many agents there is room.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.widths.room()
    }

    /// Changes for how many agents there is room; so many are there.
    pub(crate) fn fit(&mut self, agents: usize, room: usize) {
        let [stacks, words, memory] = self.widths.all();
        let (old, new) = (self.widths, Widths { room: narrow(room), ..self.widths });
        restride(&mut self.tops, 1, old.room() * stacks, room * stacks, agents * stacks, NodeId::NONE);
        restride(&mut self.mem, 1, old.room() * memory, room * memory, agents * memory, 0);
        let mut cells = vec![0; SETS * new.set() + COLUMNS * new.column()];
        let (sets, columns) = cells.split_at_mut(SETS * new.set());
        let (old_sets, old_columns) = self.words.split_at(SETS * old.set());
        copy_columns(columns, new.column(), old_columns, old.column(), agents * words);
        copy_columns(sets, new.set(), old_sets, old.set(), agents.div_ceil(64));
        (self.words, self.widths) = (cells.into(), new);
    }

    #[inline]
    fn split(&mut self) -> Words<'_> {
        Words::of(&mut self.words, self.widths)
    }

    /// Begins an agent, with nothing active. A tick need not look at it.
    pub(crate) fn push(&mut self, agent: Row) {
        let [stacks, words, memory] = self.widths.all();
        // Not `fill`, which calls memset: the call costs more than a few words.
        for cell in agent.cells(stacks) {
            self.tops[cell] = NodeId::NONE;
        }
        for cell in agent.cells(memory) {
            self.mem[cell] = 0;
        }
        let Words { dirty, monitors, statuses, dirty_agents, awake } = self.split();
        for cell in agent.cells(words) {
            (dirty[cell], monitors[cell], statuses[cell]) = (0, 0, 0);
        }
        bits::remove(dirty_agents, agent);
        bits::remove(awake, agent);
    }

    /// Removes an agent; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, agent: Row, last: Row) {
        let [stacks, words, memory] = self.widths.all();
        self.tops.copy_within(last.cells(stacks), agent.cell(stacks));
        self.mem.copy_within(last.cells(memory), agent.cell(memory));
        let Words { dirty, monitors, statuses, dirty_agents, awake } = self.split();
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

    /// Clears the stacks and monitors of an agent, without a callback, after a leaf panicked.
    pub(crate) fn wipe(&mut self, agent: Row) {
        let [stacks, words, _] = self.widths.all();
        self.tops[agent.cells(stacks)].fill(NodeId::NONE);
        self.split().monitors[agent.cells(words)].fill(0);
    }

    /// The top of an agent's only stack, of a simple tree.
    #[inline]
    pub(crate) fn only_top(&self, agent: Row) -> NodeId {
        self.tops[agent.index()]
    }

    /// The monitors of an agent, their statuses, and the observers that read a changed key, of a
    /// simple tree.
    #[inline]
    pub(crate) fn watched(&self, agent: Row) -> [u64; 3] {
        if self.widths.words == 0 {
            return [0; 3];
        }
        let (room, first) = (self.widths.room(), SETS * self.widths.set() + agent.index());
        [self.words[first + room], self.words[first + 2 * room], self.words[first]]
    }

    /// An agent, of a simple tree, has come to this leaf.
    pub(crate) fn come_to(&mut self, agent: Row, leaf: NodeId) {
        self.tops[agent.index()] = leaf;
        if self.widths.words > 0 {
            self.refresh_dirty_agent(agent);
        }
    }

    /// The root of an agent, of a simple tree, has ended.
    pub(crate) fn root_ended(&mut self, agent: Row) {
        if self.widths.words > 0 {
            self.split().monitors[agent.index()] = 0;
        }
        self.come_to(agent, NodeId::NONE);
    }

    pub(crate) fn tops(&self, agent: Row) -> &[NodeId] {
        &self.tops[agent.cells(self.widths.stacks.into())]
    }

    pub(crate) fn monitors(&self, agent: Row) -> &[u64] {
        self.observer_bits(1, agent)
    }

    pub(crate) fn statuses(&self, agent: Row) -> &[u64] {
        self.observer_bits(2, agent)
    }

    /// What nodes remember of an agent.
    pub(crate) fn memory(&self, agent: Row) -> &[u32] {
        &self.mem[agent.cells(self.widths.memory as usize)]
    }

    /// An agent's row in a column of observer bits.
    fn observer_bits(&self, column: usize, agent: Row) -> &[u64] {
        let first = SETS * self.widths.set() + column * self.widths.column();
        &self.words[first..][agent.cells(self.widths.words.into())]
    }

    /// The bytes of one agent's rows, but for what its observers have to look at.
    pub(crate) fn bytes(&self) -> usize {
        let [stacks, words, memory] = self.widths.all();
        stacks * size_of::<NodeId>() + words * 16 + memory * 4
    }

    /// The agents that may have a changed key to look at, one bit each.
    #[cfg(test)]
    pub(crate) fn dirty_agents(&self) -> &[u64] {
        &self.words[..self.widths.set()]
    }

    /// The agents that a tick has to look at.
    #[inline]
    pub(crate) fn awake(&self) -> &[u64] {
        let set = self.widths.set();
        &self.words[set..2 * set]
    }

    /// The same, to change them.
    #[inline]
    pub(crate) fn awake_mut(&mut self) -> &mut [u64] {
        self.sets().1
    }

    /// The first 64 agents that may have a changed key to look at.
    #[inline]
    pub(crate) fn first_marks(&self) -> u64 {
        self.words[0]
    }

    /// Ticks need not look at this agent, whatever key has changed.
    pub(crate) fn look_away(&mut self, agent: Row) {
        let Words { dirty_agents, awake, .. } = self.split();
        bits::remove(dirty_agents, agent);
        bits::remove(awake, agent);
    }

    /// The agents that may have a changed key to look at, and those that a tick has to look at.
    #[inline]
    pub(crate) fn sets(&mut self) -> (&[u64], &mut [u64]) {
        let set = self.widths.set();
        let (dirty_agents, rest) = self.words.split_at_mut(set);
        (dirty_agents, &mut rest[..set])
    }

    /// Which keys have changed, for a board.
    #[inline]
    pub(crate) fn changes(&mut self) -> Changes<'_> {
        let (set, column) = (self.widths.set(), self.widths.column());
        let (agents, rest) = self.words.split_at_mut(set);
        Changes { dirty: &mut rest[set..][..column], agents }
    }

    /// An agent has come to another place, where an observer may act that could not act before.
    pub(crate) fn refresh_dirty_agent(&mut self, agent: Row) {
        let words = self.widths.words.into();
        let Words { dirty, dirty_agents, .. } = self.split();
        let any = dirty[agent.cells(words)].iter().any(|&it| it != 0);
        bits::put(dirty_agents, agent, any);
    }

    /// The columns, for a machine: one indirection less than through the boxes. With them which
    /// keys have changed, for the board, and the agents that a tick has to look at.
    #[inline]
    pub(crate) fn lend(&mut self) -> (RunColumns<'_>, Changes<'_>, &mut [u64]) {
        let [stacks, words, memory] = self.widths.all();
        let Words { dirty, monitors, statuses, dirty_agents, awake } = Words::of(&mut self.words, self.widths);
        let (tops, mem) = (&mut *self.tops, &mut *self.mem);
        let columns = RunColumns { stacks, words, memory, tops, monitors, statuses, mem };
        (columns, Changes { dirty, agents: dirty_agents }, awake)
    }
}

/// Copies the first cells of columns that stand side by side, each so many cells long.
fn copy_columns(to: &mut [u64], to_length: usize, from: &[u64], from_length: usize, kept: usize) {
    if kept > 0 {
        for (to, from) in to.chunks_mut(to_length).zip(from.chunks(from_length)) {
            to[..kept].copy_from_slice(&from[..kept]);
        }
    }
}

/// The columns of a [`RunState`], borrowed.
#[derive(Debug)]
pub(crate) struct RunColumns<'m> {
    stacks: usize,
    words: usize,
    memory: usize,
    pub(super) tops: &'m mut [NodeId],
    pub(super) monitors: &'m mut [u64],
    pub(super) statuses: &'m mut [u64],
    mem: &'m mut [u32],
}

impl<'m> RunColumns<'m> {
    /// Those of one agent, of a tree with one stack.
    #[inline]
    pub(crate) fn of_one<H: Host>(
        tree: &Tree<H>,
        top: &'m mut NodeId,
        monitors: &'m mut u64,
        statuses: &'m mut u64,
        mem: &'m mut [u32],
    ) -> Self {
        RunColumns {
            stacks: 1,
            words: tree.observers.words,
            memory: mem.len(),
            tops: std::slice::from_mut(top),
            monitors: std::slice::from_mut(monitors),
            statuses: std::slice::from_mut(statuses),
            mem,
        }
    }
}

impl RunColumns<'_> {
    #[inline]
    pub(crate) fn top(&self, agent: Row, stack: StackId) -> NodeId {
        self.tops[agent.cell(self.stacks) + stack.index()]
    }

    #[inline]
    pub(crate) fn put_top(&mut self, agent: Row, stack: StackId, top: NodeId) {
        self.tops[agent.cell(self.stacks) + stack.index()] = top;
    }

    /// Reads a little of each of an agent's rows, so that they are loaded from memory.
    #[inline]
    pub(crate) fn prefetch(&self, agent: Row) -> u64 {
        let memory = self.mem.get(agent.cell(self.memory)).copied().unwrap_or(0);
        let top = self.tops[agent.cell(self.stacks)].index() as u64;
        top ^ u64::from(memory)
    }

    /// The same, for the rows of a tree that has observers.
    #[inline]
    pub(crate) fn prefetch_observers(&self, agent: Row) -> u64 {
        let first = |row: &[u64]| row.get(agent.cell(self.words)).copied().unwrap_or(0);
        first(self.monitors) ^ first(self.statuses)
    }

    pub(crate) fn tops(&self, agent: Row) -> &[NodeId] {
        &self.tops[agent.cells(self.stacks)]
    }

    #[inline]
    pub(crate) fn monitors(&self, agent: Row) -> &[u64] {
        &self.monitors[agent.cells(self.words)]
    }

    /// The statuses of an agent's monitors, where these are set.
    pub(crate) fn statuses(&self, agent: Row) -> &[u64] {
        &self.statuses[agent.cells(self.words)]
    }

    #[inline]
    pub(crate) fn monitors_mut(&mut self, agent: Row) -> &mut [u64] {
        &mut self.monitors[agent.cells(self.words)]
    }

    /// Deletes the monitors of a range of observers.
    #[inline]
    pub(crate) fn clear_monitors(&mut self, agent: Row, observers: Observers) {
        if !observers.is_empty() {
            observers.clear(self.monitors_mut(agent));
        }
    }

    /// Deletes all monitors.
    #[inline]
    pub(crate) fn clear_all_monitors(&mut self, agent: Row) {
        // Not `fill`, which calls memset: the call costs more than a small tick.
        for word in agent.cells(self.words) {
            self.monitors[word] = 0;
        }
    }

    /// Whether a monitor's status is Success.
    #[inline]
    pub(crate) fn status(&self, agent: Row, observer: ObserverId) -> bool {
        self.statuses[agent.cell(self.words) + observer.word()] & observer.bit() != 0
    }

    /// Sets a monitor with its status.
    #[inline]
    pub(crate) fn set_monitor(&mut self, agent: Row, observer: ObserverId, outcome: Outcome) {
        let at = agent.cell(self.words) + observer.word();
        let bit = observer.bit();
        self.monitors[at] |= bit;
        if outcome == Outcome::Success {
            self.statuses[at] |= bit;
        } else {
            self.statuses[at] &= !bit;
        }
    }

    #[inline]
    pub(crate) fn memory(&self, agent: Row) -> &[u32] {
        &self.mem[agent.cells(self.memory)]
    }

    #[inline]
    pub(crate) fn memory_mut(&mut self, agent: Row) -> &mut [u32] {
        &mut self.mem[agent.cells(self.memory)]
    }

    #[inline]
    pub(crate) fn word(&mut self, agent: Row, slot: MemoryOffset) -> &mut u32 {
        &mut self.mem[agent.cell(self.memory) + slot.index()]
    }

    /// A node, stored as its index and one: cleared memory says that there is none.
    pub(crate) fn node(&self, agent: Row, slot: MemoryOffset) -> Option<NodeId> {
        let stored = self.mem[agent.cell(self.memory) + slot.index()];
        stored.checked_sub(1).and_then(|it| NodeId::new(it as usize))
    }

    pub(crate) fn put_node(&mut self, agent: Row, slot: MemoryOffset, node: Option<NodeId>) {
        *self.word(agent, slot) = node.map_or(0, |it| u32::from(narrow(it.index())) + 1);
    }

    /// A moment, stored in two words.
    pub(crate) fn moment(&self, agent: Row, slot: MemoryOffset) -> Moment {
        let at = agent.cell(self.memory) + slot.index();
        Moment(u64::from(self.mem[at]) | u64::from(self.mem[at + 1]) << 32)
    }

    pub(crate) fn put_moment(&mut self, agent: Row, slot: MemoryOffset, moment: Moment) {
        let at = agent.cell(self.memory) + slot.index();
        let [a, b, c, d, e, f, g, h] = moment.0.to_le_bytes();
        self.mem[at] = u32::from_le_bytes([a, b, c, d]);
        self.mem[at + 1] = u32::from_le_bytes([e, f, g, h]);
    }
}
