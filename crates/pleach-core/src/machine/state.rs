//! What the interpreter stores about each agent.

use crate::blackboard::changes::Changes;
use crate::clock::Moment;
use crate::index::{MemoryOffset, ObserverId, Observers, StackId, narrow};
use crate::observer_bits::{BitColumns, ObserverBits};
use crate::row::{Row, restride};
use crate::{Host, NodeId, Outcome, Tree};

/// The run state of a chunk's agents. Each agent has a row in every column.
#[derive(Debug)]
pub(crate) struct RunState {
    /// The top of each run stack. A stack is the path from its bottom to its top.
    tops: Box<[NodeId]>,
    bits: ObserverBits,
    /// Node memory: counters, deadlines, orders.
    mem: Box<[u32]>,
    /// Words of node memory of an agent.
    memory: u32,
    stacks: u16,
}

impl Clone for RunState {
    fn clone(&self) -> Self {
        let RunState { tops, bits, mem, memory, stacks } = self;
        RunState { tops: tops.clone(), bits: bits.clone(), mem: mem.clone(), memory: *memory, stacks: *stacks }
    }

    /// Allocates nothing if there is enough room already.
    fn clone_from(&mut self, from: &Self) {
        (self.memory, self.stacks) = (from.memory, from.stacks);
        self.tops.clone_from(&from.tops);
        self.bits.clone_from(&from.bits);
        self.mem.clone_from(&from.mem);
    }
}

impl RunState {
    pub(crate) fn new<H: Host>(tree: &Tree<H>) -> Self {
        RunState {
            tops: Box::default(),
            bits: ObserverBits::new(tree.observers.words),
            mem: Box::default(),
            memory: u32::try_from(tree.memory).expect("T3"),
            stacks: narrow(tree.bottoms.len()),
        }
    }

    /// Stacks and words of node memory.
    #[inline]
    fn widths(&self) -> [usize; 2] {
        [self.stacks.into(), self.memory as usize]
    }

    /// How many agents there is room for.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.bits.room()
    }

    /// Resizes to `room`; keeps the first `agents`.
    pub(crate) fn fit(&mut self, agents: usize, room: usize) {
        let ([stacks, memory], old) = (self.widths(), self.room());
        restride(&mut self.tops, 1, old * stacks, room * stacks, agents * stacks, NodeId::NONE);
        restride(&mut self.mem, 1, old * memory, room * memory, agents * memory, 0);
        self.bits.fit(agents, room);
    }

    /// Adds an agent, with nothing active. Ticks need not look at it yet.
    pub(crate) fn push(&mut self, agent: Row) {
        self.reset(agent);
        self.bits.push(agent);
    }

    /// Removes an agent; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, agent: Row, last: Row) {
        let [stacks, memory] = self.widths();
        self.tops.copy_within(last.cells(stacks), agent.cell(stacks));
        self.mem.copy_within(last.cells(memory), agent.cell(memory));
        self.bits.swap_remove(agent, last);
    }

    /// Clears the stacks, the monitors and the node memory of an agent, without a callback.
    pub(crate) fn wipe(&mut self, agent: Row) {
        self.reset(agent);
        self.bits.clear_monitors(agent);
    }

    fn reset(&mut self, agent: Row) {
        let [stacks, memory] = self.widths();
        // Not `fill`, which calls memset: the call costs more than a few words.
        for cell in agent.cells(stacks) {
            self.tops[cell] = NodeId::NONE;
        }
        for cell in agent.cells(memory) {
            self.mem[cell] = 0;
        }
    }

    pub(crate) fn tops(&self, agent: Row) -> &[NodeId] {
        &self.tops[agent.cells(self.stacks.into())]
    }

    /// The tops of the first `agents` agents, one agent after the other.
    #[cfg(feature = "save")]
    pub(crate) fn tops_of(&self, agents: usize) -> &[NodeId] {
        &self.tops[..agents * usize::from(self.stacks)]
    }

    /// What nodes remember about the first `agents` agents, one agent after the other.
    #[cfg(feature = "save")]
    pub(crate) fn memory_of(&self, agents: usize) -> &[u32] {
        &self.mem[..agents * self.memory as usize]
    }

    pub(crate) fn monitors(&self, agent: Row) -> &[u64] {
        self.bits.monitors(agent)
    }

    pub(crate) fn statuses(&self, agent: Row) -> &[u64] {
        self.bits.statuses(agent)
    }

    /// What nodes remember about an agent.
    pub(crate) fn memory(&self, agent: Row) -> &[u32] {
        &self.mem[agent.cells(self.memory as usize)]
    }

    /// The bytes of one agent's rows, except for what its observers have to look at.
    pub(crate) fn bytes(&self) -> usize {
        let [stacks, memory] = self.widths();
        stacks * size_of::<NodeId>() + self.bits.words() * 16 + memory * 4
    }

    /// The data about observers.
    #[inline]
    pub(crate) fn bits(&self) -> &ObserverBits {
        &self.bits
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn bits_mut(&mut self) -> &mut ObserverBits {
        &mut self.bits
    }

    /// The same, and the tops of all stacks.
    #[inline]
    pub(crate) fn tops_and_bits(&mut self) -> (&mut [NodeId], &mut ObserverBits) {
        (&mut self.tops, &mut self.bits)
    }

    /// The columns, for a machine: one indirection less than through the boxes. Also which keys
    /// have changed, for the board, and the agents that a tick has to look at.
    #[inline]
    pub(crate) fn lend(&mut self) -> (RunColumns<'_>, Changes<'_>, &mut [u64]) {
        let ([stacks, memory], words) = (self.widths(), self.bits.words());
        let BitColumns { dirty, monitors, statuses, dirty_agents, awake } = self.bits.columns();
        let (tops, mem) = (&mut *self.tops, &mut *self.mem);
        let columns = RunColumns { stacks, words, memory, tops, monitors, statuses, mem };
        (columns, Changes::new(dirty, dirty_agents), awake)
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
    /// The columns of one agent, for a tree with one stack.
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

    /// A node, stored as its index plus one: cleared memory means none.
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
