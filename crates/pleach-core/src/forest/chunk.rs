//! Up to 1 024 agents of one tree: their columns, how agents come and go, and a machine over them.

use std::collections::VecDeque;
use std::marker::PhantomData;

use rand_xoshiro::SplitMix64;

use super::AgentId;
use super::awake::Awake;
use super::mail::Inbox;
use super::population::Shape;
use crate::blackboard::board::Board;
use crate::blackboard::shared::SharedView;
use crate::clock::Moment;
use crate::host::context::Agent;
use crate::host::leaf::{LeafStates, StateRows};
use crate::ids::GroupId;
use crate::life::{Flags, LastAbort, Life, OwnTime, is_asleep, stands};
use crate::machine::Machine;
use crate::machine::simple::WatchSets;
use crate::machine::state::{RunState, Scratch};
use crate::request::Request;
use crate::row::{self, Row, room_for};
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Context, Event, Host, NodeId, Outcome, Reason, Tree};

/// What the agents of a chunk see of the rest of the forest during a call.
pub(super) struct ForestParts<'a, T: Tracer> {
    pub(super) shared: SharedView<'a>,
    pub(super) requests: &'a mut VecDeque<Request>,
    pub(super) scratch: &'a mut Scratch,
    /// The events of the agent that is being ticked.
    pub(super) opened: &'a mut Vec<Event>,
    pub(super) tracer: &'a mut T,
    /// The number of this frame.
    pub(super) frame: u64,
    /// The forest's time, and its time in the frame before.
    pub(super) now: Moment,
    pub(super) before: Moment,
    pub(super) every_tick: bool,
    pub(super) sleep: bool,
    pub(super) batched: bool,
}

impl<'a, T: Tracer> ForestParts<'a, T> {
    /// The same with another tracer. No agent is ticked in a batch then, as this tracer is for only
    /// some agents of a range.
    pub(super) fn with<'b, U: Tracer>(&'b mut self, tracer: &'b mut U) -> ForestParts<'b, U> {
        ForestParts {
            shared: self.shared.reborrow(),
            requests: self.requests,
            scratch: self.scratch,
            opened: self.opened,
            tracer,
            frame: self.frame,
            now: self.now,
            before: self.before,
            every_tick: self.every_tick,
            sleep: self.sleep,
            batched: self.batched && !T::ENABLED,
        }
    }

    /// What leaves see, and what only a machine does.
    #[inline(always)]
    pub(super) fn split(&mut self) -> (ForestView<'_>, &mut Scratch, &mut T) {
        let ForestParts { shared, requests, opened, scratch, tracer, now, before, .. } = self;
        (ForestView { shared: shared.reborrow(), requests, opened, now: *now, before: *before }, scratch, tracer)
    }
}

/// What leaves see of the forest.
pub(super) struct ForestView<'a> {
    shared: SharedView<'a>,
    requests: &'a mut VecDeque<Request>,
    opened: &'a mut Vec<Event>,
    now: Moment,
    before: Moment,
}

/// The columns of a chunk.
///
/// Invariant C1: every column has one row per agent, in the same order.
pub(super) struct Chunk<H: Host> {
    /// The chunk's number in the forest.
    pub(super) number: u32,
    /// For how many agents there is room, and for how many at least if there are any.
    pub(super) room: usize,
    least: usize,
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
    pub(super) states: Vec<Box<dyn StateRows>>,
    pub(super) inbox: Inbox,
    /// It is ticked with leaves of this host.
    host: PhantomData<fn() -> H>,
}

impl<H: Host> Chunk<H> {
    pub(super) fn new(shape: &Shape<H>, number: u32, least: usize) -> Self {
        let tree = &*shape.tree;
        Chunk {
            number,
            room: 0,
            least,
            ids: Vec::new(),
            flags: Vec::new(),
            last: Vec::new(),
            lives: Vec::new(),
            awake: Awake::default(),
            turns: None,
            groups: Vec::new(),
            run: RunState::new(tree),
            board: Board::default(),
            states: Vec::new(),
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
        self.room = room;
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
        for list in &mut self.states {
            list.fit(room);
        }
        if room == 0 {
            (self.turns, self.states, self.inbox) = (None, Vec::new(), Inbox::default());
        }
    }

    /// Makes the leaf states of the next agent. This is host code, which may panic, so it comes
    /// before anything else knows of the agent.
    pub(super) fn prepare(&mut self, tree: &Tree<H>) {
        let row = self.end();
        if self.states.is_empty() {
            self.states = tree.states.lists(row.index());
        }
        if self.len() == self.room {
            self.fit(tree, room_for(self.len() + 1).max(self.least));
        }
        for list in &mut self.states {
            list.grow(row);
        }
    }

    /// Removes an agent after this frame; the last agent takes its place.
    pub(super) fn swap_remove(&mut self, tree: &Tree<H>, row: Row, frame: u64) {
        let (agents, last) = (self.len(), Row::behind(self.len() - 1));
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
        for list in &mut self.states {
            list.swap_remove(row, agents);
        }
        self.inbox.forget(row);
        self.inbox.readdress(last, row);
        if self.len() < self.room / 4 || self.is_empty() {
            // Not as little as there can be: the next agents would need it at once.
            self.fit(tree, if self.is_empty() { 0 } else { (self.room / 2).max(self.least) });
        }
    }

    /// Puts an event into an agent's mail. An agent that is off hears nothing (SEMANTICS 8.20).
    pub(super) fn deliver(&mut self, to: Row, event: Event) {
        if self.flags[to.index()].contains(Flags::ENABLED) {
            self.inbox.put(to, event);
            self.flags[to.index()] |= Flags::MAIL;
            self.awake.mark(to);
        }
    }

    /// Throws an agent's mail away.
    pub(super) fn clear_mail(&mut self, row: Row) {
        if self.flags[row.index()].contains(Flags::MAIL) {
            self.flags[row.index()] -= Flags::MAIL;
            self.inbox.forget(row);
        }
    }

    pub(super) fn ended(&self, row: Row) -> Option<Outcome> {
        self.flags[row.index()].contains(Flags::ENDED).then(|| self.last[row.index()])
    }

    /// The agent's own time.
    pub(super) fn time(&self, row: Row, now: Moment) -> Moment {
        self.lives[row.index()].time.at(self.flags[row.index()], now)
    }

    /// A machine set to one agent.
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        row: Row,
    ) -> Machine<'m, 'h, H, T> {
        let Chunk { ids, lives, groups, run, board, states, .. } = self;
        machine(shape, host, parts, AgentColumns { ids, lives, groups, board }, (run, states), None, row)
    }

    /// Enables an agent that is not enabled.
    pub(super) fn enable<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
    ) {
        if self.flags[row.index()].contains(Flags::ENABLED) {
            return;
        }
        self.go_on(row, parts.now);
        let kept = self.flags[row.index()] & Flags::KEPT;
        self.run.wipe(row);
        self.flags[row.index()] = kept | Flags::PANICKED;
        self.machine(shape, host, parts, row).enable();
        self.flags[row.index()] = kept | Flags::ENABLED | Flags::FRESH;
        self.turn_on(row, parts.now);
        self.awake.mark(row);
    }

    /// Ends everything that is active, and disables the agent.
    pub(super) fn disable<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        reason: Reason,
    ) {
        if !self.flags[row.index()].contains(Flags::ENABLED) {
            return;
        }
        self.go_on(row, parts.now);
        self.turn_off(row, parts.now);
        let kept = self.flags[row.index()] & Flags::KEPT;
        self.flags[row.index()] = kept | Flags::PANICKED;
        parts.scratch.reset(shape.tree.bottoms.len());
        self.machine(shape, host, parts, row).stop(reason);
        self.stand(row, parts.now);
        self.flags[row.index()] = kept;
    }

    pub(super) fn pause<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        row: Row,
        paused: bool,
    ) {
        let flags = self.flags[row.index()];
        if !flags.contains(Flags::ENABLED) || flags.contains(Flags::PAUSED) == paused {
            return;
        }
        self.go_on(row, parts.now);
        self.turn_off(row, parts.now);
        self.flags[row.index()] = flags & Flags::KEPT | Flags::PANICKED;
        self.machine(shape, host, parts, row).pause(paused);
        if paused {
            self.stand(row, parts.now);
        } else {
            self.turn_on(row, parts.now);
        }
        self.flags[row.index()] = flags ^ Flags::PAUSED;
        // Changes during the callbacks above may be unknown to the agent's observers.
        self.board.refresh_dirty_agent(row);
        self.awake.mark(row);
    }

    /// Starts an agent's own time, if it stands still.
    fn go_on(&mut self, row: Row, now: Moment) {
        if stands(self.flags[row.index()]) {
            self.lives[row.index()].time.turn(now);
        }
    }

    /// Stops an agent's own time, which goes on until now.
    fn stand(&mut self, row: Row, now: Moment) {
        self.lives[row.index()].time.turn(now);
    }

    /// From now on the agent has turns.
    fn turn_on(&mut self, row: Row, now: Moment) {
        if let Some(turns) = &mut self.turns {
            turns.go_on(row, now);
        }
    }

    /// From now on the agent has no turns. Call it before a callback: if that panics, the time
    /// since the agent's last turn is kept.
    fn turn_off(&mut self, row: Row, now: Moment) {
        if let Some(turns) = &mut self.turns {
            turns.stand(row, now);
        }
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

    /// If an agent is asleep, its next tick wakes it, whatever it waits for.
    pub(super) fn wake(&mut self, row: Row) {
        self.lives[row.index()].wake = Moment::START;
        self.board.refresh_dirty_agent(row);
        self.awake.mark(row);
    }

    pub(super) fn bytes() -> usize {
        size_of::<AgentId>() + size_of::<Outcome>() + size_of::<Life>()
            // Its deadline.
            + size_of::<u16>()
    }
}

/// The columns of a chunk that leaves see.
pub(super) struct AgentColumns<'m> {
    pub(super) ids: &'m [AgentId],
    pub(super) lives: &'m mut [Life],
    pub(super) groups: &'m [GroupId],
    pub(super) board: &'m mut Board,
}

/// What the leaves of an agent see.
#[inline(always)]
pub(super) fn context<'m, 'h, H: Host>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    view: ForestView<'m>,
    columns: AgentColumns<'m>,
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Context<'m, 'h, H> {
    let AgentColumns { ids, lives, groups, board } = columns;
    let agent = Agent {
        at,
        ids,
        lives,
        forest_now: view.now,
        before: view.before,
        turns,
        node: NodeId::ROOT,
        schema: &shape.tree.schema,
        board: board.rows(&shape.tree.layout),
        shared: view.shared,
        map: &shape.map,
        groups,
        events: view.opened,
        requests: view.requests,
        sleep: None,
    };
    Context { host, agent }
}

/// A machine set to one agent. Beside what leaves see it works on the run state of agents and on
/// the states of leaves.
#[inline(always)]
pub(super) fn machine<'m, 'h, H: Host, T: Tracer>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    parts: &'m mut ForestParts<'_, T>,
    columns: AgentColumns<'m>,
    (run, states): (&'m mut RunState, &'m mut [Box<dyn StateRows>]),
    turns: Option<&'m mut Turns>,
    at: Row,
) -> Machine<'m, 'h, H, T> {
    let (tree, every_tick) = (&*shape.tree, parts.every_tick);
    let (view, scratch, tracer) = parts.split();
    Machine {
        tree,
        records: &tree.records,
        columns: run.columns(),
        leaves: &tree.leaves,
        states: LeafStates(states),
        cx: context(shape, host, view, columns, turns, at),
        scratch,
        tracer,
        every_tick,
        watch: WatchSets::new(tree.simple, every_tick),
        wake: Moment::END,
        last_abort: None,
        aborts: 0,
    }
}
