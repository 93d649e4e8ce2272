//! Up to 1 024 agents of one tree: their columns, how agents come and go, and a machine over them.

use std::marker::PhantomData;

use rand_xoshiro::SplitMix64;

use super::AgentId;
use super::awake::Awake;
use super::lives::Lives;
use super::mail::Inbox;
use super::parts::{AgentColumns, ForestParts, Shape, machine};
use crate::blackboard::board::Board;
use crate::clock::Moment;
use crate::host::leaf::states::StateLists;
use crate::ids::GroupId;
use crate::index::{StackId, narrow};
use crate::life::{Flags, LastAbort, Life, OwnTime, is_asleep, stands};
use crate::machine::Machine;
use crate::machine::simple::short::Short;
use crate::machine::state::RunState;
use crate::row::{self, Row, room_for};
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Event, Host, Outcome, Tree};

/// The columns of a chunk.
///
/// Invariant C1: every column has one row per agent, in the same order.
pub(super) struct Chunk<H: Host> {
    /// The chunk's number in the forest.
    pub(super) number: u32,
    /// For how many agents there is room; for how many room is made at first; and for how many
    /// there is room at least, if there are any.
    room: u16,
    first: u16,
    least: u16,
    pub(super) ids: Vec<AgentId>,
    pub(super) flags: Vec<Flags>,
    /// How the root ended last; holds where `ENDED` is set.
    pub(super) last: Vec<Outcome>,
    pub(super) lives: Vec<Life>,
    pub(super) awake: Awake,
    /// Set if some agent had no turn in some frame (SEMANTICS 8.2).
    pub(super) turns: Option<Box<Turns>>,
    /// Empty if the population has no groups.
    pub(super) groups: Vec<GroupId>,
    pub(super) run: RunState,
    pub(super) board: Board,
    /// The states of leaves, from the first agent on.
    pub(super) states: StateLists<H>,
    pub(super) inbox: Inbox,
    /// It is ticked with leaves of this host.
    host: PhantomData<fn() -> H>,
}

impl<H: Host> Chunk<H> {
    pub(super) fn new(shape: &Shape<H>, number: u32, first: usize, least: usize) -> Self {
        let tree = &*shape.tree;
        Chunk {
            number,
            room: 0,
            first: narrow(first),
            least: narrow(least),
            ids: Vec::new(),
            flags: Vec::new(),
            last: Vec::new(),
            lives: Vec::new(),
            awake: Awake::default(),
            turns: None,
            groups: Vec::new(),
            run: RunState::new(tree),
            board: Board::default(),
            states: StateLists::default(),
            inbox: Inbox::default(),
            host: PhantomData,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The row behind the last agent, where the next one comes.
    pub(super) fn end(&self) -> Row {
        Row::end(self.len())
    }

    /// For how many agents there is room.
    pub(super) fn room(&self) -> usize {
        self.room.into()
    }

    /// The rows of the agents, in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + use<H> {
        Row::of_agents(self.len())
    }

    /// Adds an agent after this frame. The agent is off; its leaf states have been prepared.
    pub(super) fn push(&mut self, tree: &Tree<H>, id: AgentId, rng: SplitMix64, group: Option<GroupId>, frame: u64) {
        let row = self.end();
        self.ids.push(id);
        self.flags.push(Flags::empty());
        self.last.push(Outcome::Failure);
        self.lives.push(Life { time: OwnTime::NEW, wake: Moment::START, rng, last_abort: LastAbort::NONE });
        self.awake.push();
        if let Some(turns) = &mut self.turns {
            turns.push(frame);
        }
        self.groups.extend(group);
        self.run.push(row);
        self.board.push(&tree.layout);
    }

    /// Changes for how many agents there is room. If there are none, none is held.
    fn fit(&mut self, tree: &Tree<H>, room: usize) {
        self.room = narrow(room);
        row::fit(&mut self.ids, room);
        row::fit(&mut self.flags, room);
        row::fit(&mut self.last, room);
        row::fit(&mut self.lives, room);
        if !self.groups.is_empty() || room == 0 {
            row::fit(&mut self.groups, room);
        }
        self.awake.fit(room);
        self.run.fit(self.ids.len(), room);
        self.board.fit(&tree.layout, room);
        for list in self.states.all() {
            list.fit(room);
        }
        if room == 0 {
            (self.turns, self.states, self.inbox) = (None, StateLists::default(), Inbox::default());
        }
    }

    /// Makes the leaf states of the next agent. This is host code, which may panic, so it comes
    /// before anything else knows of the agent.
    pub(super) fn prepare(&mut self, tree: &Tree<H>) {
        let row = self.end();
        if self.states.all().is_empty() {
            self.states = tree.stateful.lists(row.index());
        }
        if self.len() == usize::from(self.room) {
            let least = if self.room == 0 { self.first } else { self.least };
            self.fit(tree, room_for(self.len() + 1).max(least.into()));
        }
        for list in self.states.all() {
            list.grow(row);
        }
    }

    /// Removes an agent after this frame; the last agent takes its place. The states of its leaves
    /// are still there, behind those of the others: see [`Chunk::drop_removed`].
    pub(super) fn swap_remove(&mut self, tree: &Tree<H>, row: Row, frame: u64) {
        let last = Row::behind(self.len() - 1);
        self.ids.swap_remove(row.index());
        self.flags.swap_remove(row.index());
        self.last.swap_remove(row.index());
        self.lives.swap_remove(row.index());
        self.awake.swap_remove(row);
        if let Some(turns) = &mut self.turns {
            turns.swap_remove(row, frame);
        }
        if !self.groups.is_empty() {
            self.groups.swap_remove(row.index());
        }
        self.run.swap_remove(row, last);
        self.board.swap_remove(&tree.layout, row);
        for list in self.states.all() {
            list.swap_out(row, last);
        }
        self.inbox.forget(row);
        self.inbox.readdress(last, row);
    }

    /// Drops what the leaves of removed agents remember, and gives back room. This is host code,
    /// which may panic, so it comes when everything else is done.
    pub(super) fn drop_removed(&mut self, tree: &Tree<H>) {
        let agents = self.len();
        for list in self.states.all() {
            list.keep(agents);
        }
        if self.len() < usize::from(self.room / 4) || self.is_empty() {
            // Not as little as there can be: the next agents would need it at once.
            self.fit(tree, if self.is_empty() { 0 } else { (self.room / 2).max(self.least).into() });
        }
    }

    pub(super) fn ended(&self, row: Row) -> Option<Outcome> {
        self.flags[row.index()].contains(Flags::ENDED).then(|| self.last[row.index()])
    }

    /// The short way of the only agent, if there is one. The agent has plain flags, and none of its
    /// observers reads a changed key.
    #[inline]
    pub(super) fn short(&self, tree: &Tree<H>, every_tick: bool) -> Option<Short> {
        let (at, first) = (Row::FIRST, |words: &[u64]| words.first().copied().unwrap_or(0));
        let observed = [first(self.run.monitors(at)), first(self.run.statuses(at)), 0];
        Short::of(tree, self.run.top(at, StackId::FIRST), observed, every_tick)
    }

    /// The turns of the agents. If every agent had a turn in every frame so far, this notes that
    /// the last one was in this frame, at this time.
    pub(super) fn turns(&mut self, frame: u64, now: Moment) -> &mut Turns {
        let flags = self.flags.iter().map(|&it| stands(it) || it.contains(Flags::PANICKED));
        self.turns.get_or_insert_with(|| Box::new(Turns::new(flags, frame, now)))
    }

    /// No agent has a turn in this frame.
    pub(super) fn miss<T: Tracer>(&mut self, parts: &ForestParts<'_, T>) {
        self.turns(parts.frame - 1, parts.before);
    }

    /// How many agents sleep.
    pub(super) fn asleep(&self) -> u64 {
        // The sums are bytes, so that the processor counts many agents at once.
        let count = |flags: &[Flags]| u64::from(flags.iter().map(|&it| u8::from(is_asleep(it))).sum::<u8>());
        self.flags.chunks(128).map(count).sum()
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
        self.turns.as_deref_mut()
    }
    fn mark(&mut self, row: Row) {
        self.awake.mark(row);
    }
    fn wipe(&mut self, row: Row) {
        self.run.wipe(row);
    }
    fn refresh_dirty(&mut self, row: Row) {
        self.board.refresh_dirty_agent(row);
    }
    fn put_mail(&mut self, to: Row, event: Event) {
        self.inbox.put(to, event);
    }
    fn forget_mail(&mut self, row: Row) {
        self.inbox.forget(row);
    }
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        row: Row,
    ) -> Machine<'m, 'h, H, T> {
        let Chunk { ids, lives, groups, run, board, states, .. } = self;
        let columns = AgentColumns { ids, lives, groups, board: board.rows(&shape.tree.layout) };
        machine(shape, host, parts, columns, (run.columns(), states.lend()), None, row)
    }
}
