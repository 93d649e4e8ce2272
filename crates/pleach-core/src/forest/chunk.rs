//! Up to 1 024 agents of one tree: their columns, how agents come and go, and a machine over them.

use std::marker::PhantomData;

use super::AgentId;
use super::awake::Deadlines;
use super::extras::Extras;
use super::inspect::AgentState;
use super::lives::Lives;
use super::parts::{AgentColumns, ForestParts, Shape, groups, machine};
#[cfg(feature = "save")]
use super::restore::Bring;
#[cfg(feature = "save")]
use crate::Entity;
use crate::blackboard::board::{Board, BoardRows, BoardView};
#[cfg(feature = "save")]
use crate::blackboard::changes::Changes;
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::event::News;
use crate::host::leaf::states::StateLists;
use crate::ids::GroupId;
use crate::life::{Flags, Life, is_asleep, stands};
use crate::machine::Machine;
#[cfg(feature = "save")]
use crate::machine::state::RunColumns;
use crate::machine::state::RunState;
use crate::rng::Stream;
use crate::row::{self, Row, room_for};
use crate::ties::Ties;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Host, Outcome, Tree, bits, rng};

/// How many agents a chunk has room for: at first, and at least if it has any. Both are powers of
/// two up to 1 024, kept as their logarithms.
#[derive(Clone, Copy)]
struct Capacity(u8);

impl Capacity {
    fn new(first: usize, least: usize) -> Self {
        let log = |it: usize| u8::try_from(it.ilog2()).ok().filter(|it| *it < 16).expect("C2");
        Capacity(log(first) << 4 | log(least))
    }

    fn least(self) -> usize {
        1 << (self.0 & 15)
    }

    /// The minimum for a chunk with this many agents that gets more.
    fn for_more_than(self, agents: usize) -> usize {
        if agents == 0 { 1 << (self.0 >> 4) } else { self.least() }
    }
}

/// The columns of a chunk. Many trees have a single agent, so a chunk is small: columns are as long
/// as there is room for agents, and rarely used parts are behind a pointer.
///
/// Invariant C1: every column has a row for each agent that there is room for, in the same order.
/// Rows after the last agent are not looked at.
pub(super) struct Chunk<H: Host> {
    /// The chunk's number in the forest.
    pub(super) number: u32,
    agents: u16,
    /// When an agent last came or left: the lowest byte of the number of the next frame.
    pub(super) moved: u8,
    capacity: Capacity,
    pub(super) ids: Box<[AgentId]>,
    /// The flags of all agents, followed by how their roots last ended. That is valid where `ENDED`
    /// is set in an agent's flags.
    pub(super) flags: Box<[Flags]>,
    pub(super) lives: Box<[Life]>,
    pub(super) deadlines: Deadlines,
    pub(super) extras: Extras,
    pub(super) run: RunState,
    pub(super) board: Board,
    /// The states of leaves, from the first agent on.
    pub(super) states: StateLists<H>,
    /// It is ticked with leaves of this host.
    host: PhantomData<fn() -> H>,
}

impl<H: Host> Chunk<H> {
    /// A chunk without agents. `first`: initial capacity; `least`: minimum. Both are powers of
    /// two.
    pub(super) fn new(shape: &Shape<H>, number: u32, first: usize, least: usize) -> Self {
        Chunk {
            number,
            agents: 0,
            moved: 0,
            capacity: Capacity::new(first, least),
            ids: Box::default(),
            flags: Box::default(),
            lives: Box::default(),
            deadlines: Deadlines::default(),
            extras: Extras::default(),
            run: RunState::new(&shape.tree),
            board: Board::default(),
            states: StateLists::default(),
            host: PhantomData,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.agents.into()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.agents == 0
    }

    /// The row after the last agent, where the next one goes.
    #[inline]
    pub(super) fn end(&self) -> Row {
        Row::end(self.len())
    }

    /// How many agents there is room for.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.run.room()
    }

    /// The rows of the agents, in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + use<H> {
        Row::of_agents(self.len())
    }

    /// The agents, in order.
    #[inline]
    pub(super) fn ids(&self) -> &[AgentId] {
        &self.ids[..self.agents.into()]
    }

    /// The flags of the agents.
    #[inline]
    pub(super) fn flags(&self) -> &[Flags] {
        &self.flags[..self.agents.into()]
    }

    /// The group of an agent. Without groups, a group that no agent is in.
    pub(super) fn group(&self, row: Row) -> GroupId {
        self.extras.ties().and_then(|it| it.group(row)).map(|it| it.0).unwrap_or_default()
    }

    /// The agents with their groups and keys.
    #[inline]
    pub(super) fn ids_and_keys<'m>(
        &'m mut self,
        shape: &'m Shape<H>,
    ) -> (&'m [AgentId], Option<&'m Ties>, BoardRows<'m>) {
        let room = self.room();
        let keys = self.board.rows(&shape.tree.layout, room, self.run.bits_mut().changes());
        (&self.ids[..self.agents.into()], self.extras.ties(), keys)
    }

    /// The keys of the agents, to read.
    pub(super) fn keys_view<'m>(&'m self, shape: &'m Shape<H>) -> BoardView<'m> {
        self.board.view(&shape.tree.layout, self.len(), self.room())
    }

    /// A copy of the chunk, with these states.
    pub(super) fn copy(&self, states: StateLists<H>) -> Self {
        Chunk {
            number: self.number,
            agents: self.agents,
            moved: self.moved,
            capacity: self.capacity,
            ids: self.ids.clone(),
            flags: self.flags.clone(),
            lives: self.lives.clone(),
            deadlines: self.deadlines.clone(),
            extras: self.extras.clone(),
            run: self.run.clone(),
            board: self.board.clone(),
            states,
            host: PhantomData,
        }
    }

    /// Becomes a copy of another chunk of the tree, with these states. Returns its own. Overwrites
    /// columns with as much room.
    pub(super) fn copy_from(&mut self, other: &Self, states: StateLists<H>) -> StateLists<H> {
        (self.number, self.agents) = (other.number, other.agents);
        (self.moved, self.capacity) = (other.moved, other.capacity);
        self.ids.clone_from(&other.ids);
        self.flags.clone_from(&other.flags);
        self.lives.clone_from(&other.lives);
        self.deadlines.clone_from(&other.deadlines);
        self.extras.clone_from(&other.extras);
        self.run.clone_from(&other.run);
        self.board.clone_from(&other.board);
        std::mem::replace(&mut self.states, states)
    }

    /// Adds an agent after this frame. The agent is off; its leaf states have been prepared.
    pub(super) fn push(&mut self, tree: &Tree<H>, id: AgentId, rng: Stream, frame: u64) {
        let (row, room) = (self.end(), self.room());
        (self.agents, self.moved) = (self.agents + 1, frame.to_le_bytes()[0]);
        self.ids[row.index()] = id;
        self.flags[row.index()] = Flags::empty();
        self.lives[row.index()] = Life::new(rng);
        self.deadlines.push(row);
        self.extras.push(frame);
        self.run.push(row);
        self.board.push(&tree.layout, row, room);
    }

    /// Resizes to `room`. With a room of 0 it holds nothing.
    fn fit(&mut self, tree: &Tree<H>, room: usize) {
        let (agents, old) = (self.len(), self.room());
        row::restride(&mut self.ids, 1, old, room, agents, AgentId::default());
        row::restride(&mut self.flags, 2, old, room, agents, Flags::empty());
        row::restride(&mut self.lives, 1, old, room, agents, Life::new(rng::exact(0)));
        self.deadlines.fit(agents, old, room);
        self.extras.fit(room);
        self.run.fit(agents, room);
        self.board.fit(&tree.layout, agents, old, room);
        for list in self.states.all() {
            list.fit(room);
        }
        if room == 0 {
            self.states = StateLists::default();
        }
    }

    /// Makes the leaf states of the next agent. This is host code, which may panic, so it runs
    /// before anything else knows about the agent.
    pub(super) fn prepare(&mut self, tree: &Tree<H>) {
        let row = self.end();
        if self.states.all().is_empty() {
            self.states = tree.stateful.lists(row.index());
        }
        if self.len() == self.room() {
            self.fit(tree, room_for(self.len() + 1).max(self.capacity.for_more_than(self.len())));
        }
        for list in self.states.all() {
            list.grow(row);
        }
    }

    /// Makes room for `agents` more agents, with these leaf states.
    #[cfg(feature = "save")]
    pub(super) fn adopt(&mut self, tree: &Tree<H>, agents: usize, states: StateLists<H>) {
        let all = self.len() + agents;
        if all > self.room() {
            self.fit(tree, room_for(all).max(self.capacity.for_more_than(self.len())));
        }
        let had = self.len();
        for list in self.states.all() {
            // Removes states that a panic left after those of the agents. Dropping them is host
            // code, and the chunk is only half written.
            super::Panics::default().catch(|| list.keep(had));
        }
        self.states.append(states);
    }

    /// Removes an agent after this frame; the last agent takes its place. The states of its leaves
    /// are still there, after those of the others: see [`Chunk::drop_removed`].
    pub(super) fn swap_remove(&mut self, tree: &Tree<H>, row: Row, frame: u64) {
        let (last, room) = (Row::behind(self.len() - 1), self.room());
        (self.agents, self.moved) = (self.agents - 1, frame.to_le_bytes()[0]);
        self.ids.swap(row.index(), last.index());
        self.flags.swap(row.index(), last.index());
        self.flags.swap(room + row.index(), room + last.index());
        self.lives.swap(row.index(), last.index());
        self.deadlines.swap_remove(row, last);
        self.extras.swap_remove(row, last, frame);
        self.run.swap_remove(row, last);
        self.board.swap_remove(&tree.layout, row, last, room);
        for list in self.states.all() {
            list.swap_out(row, last);
        }
    }

    /// Drops what the leaves of removed agents remember, and gives back room. This is host code,
    /// which may panic, so it runs when everything else is done.
    pub(super) fn drop_removed(&mut self, tree: &Tree<H>) {
        let agents = self.len();
        for list in self.states.all() {
            list.keep(agents);
        }
        if agents == 0 {
            self.fit(tree, 0);
        } else if agents < self.room() / 4 {
            // Not the minimum: the next agents would need the room at once.
            let room = (self.room() / 2).max(self.capacity.least());
            if room < self.room() {
                self.fit(tree, room);
            }
        }
    }

    pub(super) fn ended(&self, row: Row) -> Option<Outcome> {
        self.flags[row.index()].contains(Flags::ENDED).then(|| self.flags[self.room() + row.index()].end())
    }

    /// An agent's run state at this time, for questions.
    pub(super) fn seen(&self, row: Row, now: Moment) -> AgentState<'_> {
        AgentState {
            agent: self.ids[row.index()],
            label: self.label(row),
            flags: self.flags[row.index()],
            life: &self.lives[row.index()],
            now,
            last_outcome: self.ended(row),
            tops: self.run.tops(row),
            monitors: self.run.monitors(row),
            statuses: self.run.statuses(row),
            memory: self.run.memory(row),
        }
    }

    /// The turns of the agents. If every agent had a turn in every frame so far, this notes that
    /// the last one was in this frame, at this time.
    pub(super) fn turns(&mut self, frame: u64, now: Moment) -> &mut Turns {
        let flags = self.flags[..self.agents.into()].iter();
        let stand = flags.map(|&it| stands(it) || it.contains(Flags::PANICKED));
        self.extras.keep_turns(|| Turns::new(stand, frame, now))
    }

    /// No agent has a turn in this frame.
    pub(super) fn miss<T: Tracer>(&mut self, parts: &ForestParts<'_, T>) {
        self.turns(parts.frame - 1, parts.call.before);
    }

    /// How many agents sleep.
    pub(super) fn asleep(&self) -> u64 {
        // The sums are bytes, so that the processor counts many agents at once.
        let count = |flags: &[Flags]| u64::from(flags.iter().map(|&it| u8::from(is_asleep(it))).sum::<u8>());
        self.flags().chunks(128).map(count).sum()
    }

    pub(super) fn bytes() -> usize {
        size_of::<AgentId>() + size_of::<Outcome>() + size_of::<Life>()
            // Its deadline.
            + size_of::<u16>()
    }
}

impl<H: Host> Lives<H> for Chunk<H> {
    fn flags(&mut self, row: Row) -> &mut Flags {
        &mut self.flags[row.index()]
    }
    fn life(&mut self, row: Row) -> &mut Life {
        &mut self.lives[row.index()]
    }
    fn turns_kept(&mut self) -> Option<&mut Turns> {
        self.extras.turns_mut()
    }
    fn mark(&mut self, row: Row) {
        bits::add(self.run.bits_mut().awake_mut(), row);
    }
    fn wipe(&mut self, row: Row) {
        self.run.wipe(row);
    }
    fn refresh_dirty(&mut self, row: Row) {
        self.run.bits_mut().refresh_dirty_agent(row);
    }
    fn put_mail(&mut self, to: Row, news: News) {
        self.extras.make_inbox().put(to, news);
    }
    fn forget_mail(&mut self, row: Row) {
        if let Some(inbox) = self.extras.inbox_mut() {
            inbox.forget(row);
        }
    }
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        row: Row,
    ) -> Machine<'m, 'h, H, T> {
        let (agents, room) = (self.len(), self.room());
        let Chunk { ids, lives, extras, run, board, states, .. } = self;
        let ForestParts { shared, call, scratch, tracer, .. } = parts;
        let (run, changes, _) = run.lend();
        let board = board.rows(&shape.tree.layout, room, changes);
        let ties = extras.ties();
        let shared = SharedRows::of(shared, &shape.map, agents, || groups(ties));
        let columns = AgentColumns { ids, lives, board, shared, ties };
        machine(shape, host, call, (&mut **scratch, &mut **tracer), columns, (run, states.lend()), None, row)
    }
}

#[cfg(feature = "save")]
impl<H: Host> Bring<H> for Chunk<H> {
    fn put_last(&mut self, row: Row, last: Outcome) {
        let room = self.room();
        self.flags[room + row.index()] = Flags::of_end(last);
    }
    fn bring_entity(&mut self, row: Row, entity: Entity) {
        self.put_entity(row, entity);
    }
    fn rows<'m>(&'m mut self, tree: &'m Tree<H>) -> BoardRows<'m> {
        let room = self.room();
        self.board.rows(&tree.layout, room, self.run.bits_mut().changes())
    }
    fn run_columns<'m>(&'m mut self, _: &'m Tree<H>) -> (RunColumns<'m>, Changes<'m>) {
        let (columns, changes, _) = self.run.lend();
        (columns, changes)
    }
}
