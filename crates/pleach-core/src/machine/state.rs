//! The memory of the interpreter: what it keeps of each agent, and what it only needs during a
//! tick.

use crate::clock::Nanos;
use crate::forest::{Groups, swap_remove_row};
use crate::tree::record::{Items, Slot};
use crate::{Host, NodeId, Outcome, Tree};

/// The run state of a chunk's agents: a row of each column per agent.
#[derive(Debug)]
pub(crate) struct RunState {
    lanes: usize,
    words: usize,
    memory: usize,
    /// Per lane the top of its run stack; the stack is the path up to the lane's bottom.
    tops: Vec<NodeId>,
    /// Per watched condition: is there a monitor, and is its status Success.
    set: Vec<u64>,
    value: Vec<u64>,
    /// Node memory: counters, deadlines, orders.
    mem: Vec<u32>,
}

impl RunState {
    pub(crate) fn new<H: Host>(tree: &Tree<H>) -> Self {
        RunState {
            lanes: tree.bottoms.len(),
            words: tree.items.words,
            memory: tree.memory,
            tops: Vec::new(),
            set: Vec::new(),
            value: Vec::new(),
            mem: Vec::new(),
        }
    }

    /// Adds so many agents, with nothing active.
    pub(crate) fn grow(&mut self, agents: usize) {
        self.tops.resize(self.tops.len() + agents * self.lanes, NodeId::NONE);
        self.set.resize(self.set.len() + agents * self.words, 0);
        self.value.resize(self.value.len() + agents * self.words, 0);
        self.mem.resize(self.mem.len() + agents * self.memory, 0);
    }

    pub(crate) fn swap_remove(&mut self, agent: usize) {
        swap_remove_row(&mut self.tops, self.lanes, agent);
        swap_remove_row(&mut self.set, self.words, agent);
        swap_remove_row(&mut self.value, self.words, agent);
        swap_remove_row(&mut self.mem, self.memory, agent);
    }

    /// Forgets the stacks and monitors of an agent without telling anyone: what is left after a
    /// leaf panicked.
    pub(crate) fn wipe(&mut self, agent: usize) {
        self.tops[agent * self.lanes..(agent + 1) * self.lanes].fill(NodeId::NONE);
        self.set[agent * self.words..(agent + 1) * self.words].fill(0);
    }

    pub(crate) fn top(&self, agent: usize, lane: usize) -> NodeId {
        self.tops[agent * self.lanes + lane]
    }

    pub(crate) fn tops(&self, agent: usize) -> &[NodeId] {
        &self.tops[agent * self.lanes..(agent + 1) * self.lanes]
    }

    pub(crate) fn set(&self, agent: usize) -> &[u64] {
        &self.set[agent * self.words..(agent + 1) * self.words]
    }

    pub(crate) fn value(&self, agent: usize) -> &[u64] {
        &self.value[agent * self.words..(agent + 1) * self.words]
    }

    /// The bytes of one agent's rows.
    pub(crate) fn bytes(&self) -> usize {
        self.lanes * size_of::<NodeId>() + self.words * 16 + self.memory * 4
    }

    /// The columns, for a machine: one indirection less than through the vectors.
    pub(crate) fn rows(&mut self) -> Rows<'_> {
        Rows {
            lanes: self.lanes,
            words: self.words,
            memory: self.memory,
            tops: &mut self.tops,
            set: &mut self.set,
            value: &mut self.value,
            mem: &mut self.mem,
        }
    }
}

/// The columns of a [`RunState`], borrowed.
#[derive(Debug)]
pub(crate) struct Rows<'m> {
    lanes: usize,
    words: usize,
    memory: usize,
    tops: &'m mut [NodeId],
    set: &'m mut [u64],
    value: &'m mut [u64],
    mem: &'m mut [u32],
}

impl Rows<'_> {
    #[inline]
    pub(crate) fn top(&self, agent: usize, lane: usize) -> NodeId {
        self.tops[agent * self.lanes + lane]
    }

    #[inline]
    pub(crate) fn put_top(&mut self, agent: usize, lane: usize, top: NodeId) {
        self.tops[agent * self.lanes + lane] = top;
    }

    /// Reads a little of each of an agent's rows.
    #[inline]
    pub(crate) fn touch(&self, agent: usize) -> u64 {
        let first = |row: &[u64]| row.get(agent * self.words).copied().unwrap_or(0);
        let memory = self.mem.get(agent * self.memory).copied().unwrap_or(0);
        let top = self.tops[agent * self.lanes].index() as u64;
        top ^ first(self.set) ^ first(self.value) ^ u64::from(memory)
    }

    /// The top of the only stack, in a tree with one lane.
    #[inline]
    pub(crate) fn only_top(&self, agent: usize) -> NodeId {
        self.tops[agent]
    }

    /// The tops of all agents, in a tree with one lane.
    #[inline]
    pub(crate) fn only_tops(&self) -> &[NodeId] {
        self.tops
    }

    /// The only word of the monitors' statuses, in a tree with at most 64 items.
    #[inline]
    pub(crate) fn only_value(&self, agent: usize) -> u64 {
        self.value[agent]
    }

    /// The same of all agents.
    #[inline]
    pub(crate) fn only_values(&self) -> &[u64] {
        self.value
    }

    /// The only word of monitors, in a tree with at most 64 items.
    #[inline]
    pub(crate) fn only_set(&self, agent: usize) -> u64 {
        self.set[agent]
    }

    pub(crate) fn tops(&self, agent: usize) -> &[NodeId] {
        &self.tops[agent * self.lanes..(agent + 1) * self.lanes]
    }

    #[inline]
    pub(crate) fn set(&self, agent: usize) -> &[u64] {
        &self.set[agent * self.words..(agent + 1) * self.words]
    }

    /// The statuses of the monitors, of those that are set.
    pub(crate) fn values(&self, agent: usize) -> &[u64] {
        &self.value[agent * self.words..(agent + 1) * self.words]
    }

    #[inline]
    pub(crate) fn set_mut(&mut self, agent: usize) -> &mut [u64] {
        &mut self.set[agent * self.words..(agent + 1) * self.words]
    }

    /// Deletes the monitors of a range of items.
    #[inline]
    pub(crate) fn forget(&mut self, agent: usize, items: Items) {
        if items.from < items.to {
            crate::bits::clear(self.set_mut(agent), items.from, items.to);
        }
    }

    /// Deletes all monitors.
    #[inline]
    pub(crate) fn forget_all(&mut self, agent: usize) {
        // Not `fill`: that is a call of memset, which costs more than a small tick.
        for word in agent * self.words..(agent + 1) * self.words {
            self.set[word] = 0;
        }
    }

    /// Whether a monitor's status is Success.
    #[inline]
    pub(crate) fn stored(&self, agent: usize, item: u16) -> bool {
        self.value[agent * self.words + usize::from(item) / 64] >> (item % 64) & 1 != 0
    }

    /// Sets a monitor with its status.
    #[inline]
    pub(crate) fn monitor(&mut self, agent: usize, item: u16, outcome: Outcome) {
        let at = agent * self.words + usize::from(item) / 64;
        let bit = 1 << (item % 64);
        self.set[at] |= bit;
        if outcome == Outcome::Success {
            self.value[at] |= bit;
        } else {
            self.value[at] &= !bit;
        }
    }

    #[inline]
    pub(crate) fn memory(&self, agent: usize) -> &[u32] {
        &self.mem[agent * self.memory..(agent + 1) * self.memory]
    }

    #[inline]
    pub(crate) fn memory_mut(&mut self, agent: usize) -> &mut [u32] {
        &mut self.mem[agent * self.memory..(agent + 1) * self.memory]
    }

    #[inline]
    pub(crate) fn word(&mut self, agent: usize, slot: Slot) -> &mut u32 {
        &mut self.mem[agent * self.memory + slot.0 as usize]
    }

    /// A moment, kept in two words.
    pub(crate) fn moment(&self, agent: usize, slot: Slot) -> Nanos {
        let at = agent * self.memory + slot.0 as usize;
        Nanos::from(self.mem[at]) | Nanos::from(self.mem[at + 1]) << 32
    }

    pub(crate) fn put_moment(&mut self, agent: usize, slot: Slot, moment: Nanos) {
        let at = agent * self.memory + slot.0 as usize;
        let [a, b, c, d, e, f, g, h] = moment.to_le_bytes();
        self.mem[at] = u32::from_le_bytes([a, b, c, d]);
        self.mem[at + 1] = u32::from_le_bytes([e, f, g, h]);
    }
}

/// What a tick needs and no agent keeps. Made once, for the largest tree.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Per lane: the verdict that the pass gave the parent on top, until its turn.
    pub(crate) verdict: Vec<Option<Outcome>>,
    /// Per lane: the child at which the composite on top goes on, until its turn.
    pub(crate) resume: Vec<NodeId>,
    /// Per lane: the stack was there when the tick began.
    pub(crate) old: Vec<bool>,
    /// Per lane: the pass has left a new running child on it, which has been visited.
    pub(crate) done: Vec<bool>,
    /// The items whose nodes the pass has started anew.
    pub(crate) fresh: Vec<u64>,
    /// The items that are asked every so often and are to be asked in this tick.
    pub(crate) periodic: Vec<u64>,
    /// Scores, while children are being ordered.
    pub(crate) scores: Vec<f32>,
    pub(crate) groups: Groups,
}

impl LastAbort {
    /// There was none yet.
    pub(crate) const NONE: LastAbort = LastAbort { ended: NodeId::NONE, by: NodeId::NONE, when: 0 };

    /// `at` is in the agent's own time.
    pub(crate) fn new(ended: NodeId, by: NodeId, was: bool, at: Nanos) -> Self {
        let millis = at.saturating_add(NANOS_PER_MILLI / 2) / NANOS_PER_MILLI;
        let millis = u32::try_from(millis).unwrap_or(u32::MAX).min(u32::MAX >> 1);
        LastAbort { ended, by, when: millis << 1 | u32::from(was) }
    }

    /// Whether the condition had succeeded before.
    pub(crate) fn was(self) -> bool {
        self.when & 1 != 0
    }

    /// To the millisecond; the 25th day is the last.
    pub(crate) fn at(self) -> Nanos {
        Nanos::from(self.when >> 1) * NANOS_PER_MILLI
    }
}

impl Scratch {
    /// Makes room for a tree. Costs nothing to speak of, if there is room.
    pub(crate) fn fit<H: Host>(&mut self, tree: &Tree<H>) {
        let lanes = tree.bottoms.len().max(self.verdict.len());
        self.verdict.resize(lanes, None);
        self.resume.resize(lanes, NodeId::NONE);
        self.old.resize(lanes, false);
        self.done.resize(lanes, false);
        self.fresh.resize(tree.items.words.max(self.fresh.len()), 0);
        self.periodic.resize(self.fresh.len(), 0);
        self.scores.resize(tree.scores.max(self.scores.len()), 0.0);
        self.groups.fit(tree);
    }

    /// Clears what belongs to the lanes of one tree; the scratch is as long as the largest tree
    /// needs.
    pub(crate) fn reset(&mut self, lanes: usize) {
        self.verdict[..lanes].fill(None);
        self.resume[..lanes].fill(NodeId::NONE);
        self.old[..lanes].fill(false);
        self.done[..lanes].fill(false);
    }
}

/// The last conditional abort of an agent: eight bytes, which every agent pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastAbort {
    /// The child that was ended; its parent is the composite that went on.
    pub(crate) ended: NodeId,
    pub(crate) by: NodeId,
    /// The time in milliseconds, and in the lowest bit what the condition's status had been.
    when: u32,
}

const NANOS_PER_MILLI: Nanos = 1_000_000;
