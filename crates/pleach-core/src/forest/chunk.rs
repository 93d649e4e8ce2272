//! Up to 1 024 agents of one tree: their columns, coming and going, and a machine over them.

use std::collections::VecDeque;
use std::sync::Arc;

use rand_xoshiro::SplitMix64;

use super::AgentId;
use super::awake::Awake;
use super::mail::Inbox;
use super::population::Shape;
use crate::blackboard::board::Board;
use crate::blackboard::shared::SharedView;
use crate::clock::Moment;
use crate::host::context::Agent;
use crate::host::leaf::LeafColumn;
use crate::ids::GroupId;
use crate::life::{Flags, LastAbort, Life, OwnTime, is_asleep, stands};
use crate::machine::Machine;
use crate::machine::simple::Words;
use crate::machine::state::{RunState, Scratch};
use crate::request::Request;
use crate::trace::Tracer;
use crate::turns::Turns;
use crate::{Context, Event, Host, NodeId, Outcome, Reason, Tree};

/// What the agents of a chunk see of the rest of the forest during a call.
pub(super) struct ForestParts<'a, T: Tracer> {
    pub(super) shared: SharedView<'a>,
    pub(super) requests: &'a mut VecDeque<Request>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) tracer: &'a mut T,
    /// The number of this frame.
    pub(super) frame: u64,
    /// The forest's time, and what it was in the frame before.
    pub(super) now: Moment,
    pub(super) before: Moment,
    pub(super) every_tick: bool,
    pub(super) sleep: bool,
    pub(super) batched: bool,
}

impl<'a, T: Tracer> ForestParts<'a, T> {
    /// The same with another tracer. Nobody is ticked in batches then: it is for some of the agents
    /// of a range.
    pub(super) fn with<'b, U: Tracer>(&'b mut self, tracer: &'b mut U) -> ForestParts<'b, U> {
        ForestParts {
            shared: self.shared.reborrow(),
            requests: self.requests,
            scratch: self.scratch,
            tracer,
            frame: self.frame,
            now: self.now,
            before: self.before,
            every_tick: self.every_tick,
            sleep: self.sleep,
            batched: self.batched && !T::ENABLED,
        }
    }
}

/// The columns of a chunk.
///
/// Invariant C1: every column has one row per agent, in the same order.
pub(super) struct Chunk<H: Host> {
    /// Its number among the chunks of the forest.
    pub(super) number: u32,
    pub(super) ids: Vec<AgentId>,
    pub(super) flags: Vec<Flags>,
    /// How the root ended last, where `ENDED` is set.
    pub(super) last: Vec<Outcome>,
    pub(super) lives: Vec<Life>,
    pub(super) awake: Awake,
    /// If not everybody had a turn in every frame.
    pub(super) turns: Option<Box<Turns>>,
    /// Empty if the population has no groups.
    pub(super) groups: Vec<GroupId>,
    pub(super) run: RunState,
    pub(super) board: Board,
    pub(super) leaves: Vec<Box<dyn LeafColumn<H>>>,
    pub(super) inbox: Inbox,
    /// The events of the agent that is being ticked.
    pub(super) opened: Vec<Event>,
}

impl<H: Host> Chunk<H> {
    pub(super) fn new(shape: &Shape<H>, number: u32) -> Self {
        let tree = &*shape.tree;
        Chunk {
            number,
            ids: Vec::new(),
            flags: Vec::new(),
            last: Vec::new(),
            lives: Vec::new(),
            awake: Awake::default(),
            turns: None,
            groups: Vec::new(),
            run: RunState::new(tree),
            board: Board::new(&tree.schema, Arc::clone(&tree.observers.watch), tree.observers.words),
            leaves: columns(tree, 0),
            inbox: Inbox::default(),
            opened: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds an agent after this frame, off, whose leaf states have been prepared.
    pub(super) fn push(&mut self, id: AgentId, rng: SplitMix64, group: Option<GroupId>, frame: u64) {
        self.ids.push(id);
        self.flags.push(Flags::empty());
        self.last.push(Outcome::Failure);
        self.lives.push(Life { time: OwnTime::NEW, wake: Moment::START, rng, last_abort: LastAbort::NONE });
        self.awake.push();
        if let Some(turns) = &mut self.turns {
            turns.push(frame);
        }
        self.groups.extend(group);
        self.run.grow(1);
        self.board.push();
    }

    /// Makes the leaf states of the next agent: host code, which may panic, before anything else
    /// knows of the agent.
    pub(super) fn prepare(&mut self) {
        let at = self.len();
        for leaf in &mut self.leaves {
            leaf.grow(at);
        }
    }

    /// Removes an agent after this frame; the last one takes its place.
    pub(super) fn swap_remove(&mut self, at: usize, frame: u64) {
        let last = self.len() - 1;
        self.ids.swap_remove(at);
        self.flags.swap_remove(at);
        self.last.swap_remove(at);
        self.lives.swap_remove(at);
        self.awake.swap_remove(at);
        if let Some(turns) = &mut self.turns {
            turns.swap_remove(at, frame);
        }
        if !self.groups.is_empty() {
            self.groups.swap_remove(at);
        }
        self.run.swap_remove(at);
        self.board.swap_remove(at);
        for leaf in &mut self.leaves {
            leaf.swap_remove(at, last + 1);
        }
        self.inbox.forget(at);
        self.inbox.readdress(last, at);
    }

    /// Puts an event into an agent's mail. One that is off hears nothing.
    pub(super) fn deliver(&mut self, to: usize, event: Event) {
        if self.flags[to].contains(Flags::ENABLED) {
            self.inbox.put(to, event);
            self.flags[to] |= Flags::MAIL;
            self.awake.mark(to);
        }
    }

    /// Throws an agent's mail away.
    pub(super) fn clear_mail(&mut self, at: usize) {
        if self.flags[at].contains(Flags::MAIL) {
            self.flags[at] -= Flags::MAIL;
            self.inbox.forget(at);
        }
    }

    pub(super) fn ended(&self, at: usize) -> Option<Outcome> {
        self.flags[at].contains(Flags::ENDED).then(|| self.last[at])
    }

    /// The agent's own time.
    pub(super) fn time(&self, at: usize, now: Moment) -> Moment {
        let time = self.lives[at].time;
        if stands(self.flags[at]) { time.standing() } else { time.now(now) }
    }

    /// A machine set to one agent.
    fn machine<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        world: &'m mut ForestParts<'_, T>,
        at: usize,
    ) -> Machine<'m, 'h, H, T> {
        let Chunk { ids, lives, groups, run, board, leaves, opened, .. } = self;
        machine(shape, host, world, Columns { ids, lives, groups, run, board, leaves, opened }, None, at)
    }

    /// Enables an agent that is not enabled.
    pub(super) fn enable<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut ForestParts<'_, T>,
        at: usize,
    ) {
        if self.flags[at].contains(Flags::ENABLED) {
            return;
        }
        self.go_on(at, world.now);
        let kept = self.flags[at] & Flags::KEPT;
        self.run.wipe(at);
        self.flags[at] = kept | Flags::PANICKED;
        self.machine(shape, host, world, at).enable();
        self.flags[at] = kept | Flags::ENABLED | Flags::FRESH;
        self.turn_on(at, world.now);
        self.awake.mark(at);
    }

    /// Ends everything that is active, and disables the agent.
    pub(super) fn disable<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut ForestParts<'_, T>,
        at: usize,
        reason: Reason,
    ) {
        if !self.flags[at].contains(Flags::ENABLED) {
            return;
        }
        self.go_on(at, world.now);
        self.turn_off(at, world.now);
        let kept = self.flags[at] & Flags::KEPT;
        self.flags[at] = kept | Flags::PANICKED;
        world.scratch.reset(shape.tree.bottoms.len());
        self.machine(shape, host, world, at).stop(reason);
        self.stand(at, world.now);
        self.flags[at] = kept;
    }

    pub(super) fn pause<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut ForestParts<'_, T>,
        at: usize,
        paused: bool,
    ) {
        let flags = self.flags[at];
        if !flags.contains(Flags::ENABLED) || flags.contains(Flags::PAUSED) == paused {
            return;
        }
        self.go_on(at, world.now);
        self.turn_off(at, world.now);
        self.flags[at] = flags & Flags::KEPT | Flags::PANICKED;
        self.machine(shape, host, world, at).pause(paused);
        if paused {
            self.stand(at, world.now);
        } else {
            self.turn_on(at, world.now);
        }
        self.flags[at] = flags ^ Flags::PAUSED;
        // What changed meanwhile nobody has looked at.
        self.board.refresh_dirty_agent(at);
        self.awake.mark(at);
    }

    /// Lets the own time of an agent go on, if it stands still.
    fn go_on(&mut self, at: usize, now: Moment) {
        if stands(self.flags[at]) {
            self.lives[at].time.turn(now);
        }
    }

    /// Lets the own time of an agent, which goes on, stand still.
    fn stand(&mut self, at: usize, now: Moment) {
        self.lives[at].time.turn(now);
    }

    /// An agent has turns from now on.
    fn turn_on(&mut self, at: usize, now: Moment) {
        if let Some(turns) = &mut self.turns {
            turns.go_on(at, now);
        }
    }

    /// An agent has no turns any more. Before a callback: if that panics, what passed since its
    /// last turn is kept.
    fn turn_off(&mut self, at: usize, now: Moment) {
        if let Some(turns) = &mut self.turns {
            turns.stand(at, now);
        }
    }

    /// The turns of the agents. If everybody had one in every frame so far, it is noted that the
    /// last one was in this frame, at this time.
    pub(super) fn turns(&mut self, frame: u64, now: Moment) -> &mut Turns {
        let flags = self.flags.iter().map(|&it| stands(it) || it.contains(Flags::PANICKED));
        self.turns.get_or_insert_with(|| Box::new(Turns::new(flags, frame, now)))
    }

    /// Nobody has a turn in this frame.
    pub(super) fn miss<T: Tracer>(&mut self, world: &ForestParts<'_, T>) {
        self.turns(world.frame - 1, world.before);
    }

    /// How many agents sleep.
    pub(super) fn asleep(&self) -> u64 {
        // Counted in bytes, so that many are counted at once.
        let count = |flags: &[Flags]| u64::from(flags.iter().map(|&it| u8::from(is_asleep(it))).sum::<u8>());
        self.flags.chunks(128).map(count).sum()
    }

    /// If an agent is asleep, its next tick wakes it, whatever it sleeps for.
    pub(super) fn wake(&mut self, at: usize) {
        self.lives[at].wake = Moment::START;
        self.board.refresh_dirty_agent(at);
        self.awake.mark(at);
    }

    pub(super) fn bytes() -> usize {
        size_of::<AgentId>() + size_of::<Outcome>() + size_of::<Life>()
            // When it wakes, roughly.
            + size_of::<u16>()
    }
}

/// The leaves of a tree, with the states of so many agents. Making those is host code, which may
/// panic.
pub(super) fn columns<H: Host>(tree: &Tree<H>, agents: usize) -> Vec<Box<dyn LeafColumn<H>>> {
    tree.leaves.iter().map(|it| Arc::clone(it).column(agents)).collect()
}

/// The columns of a chunk that a machine works on.
pub(super) struct Columns<'m, H: Host> {
    pub(super) ids: &'m [AgentId],
    pub(super) lives: &'m mut [Life],
    pub(super) groups: &'m [GroupId],
    pub(super) run: &'m mut RunState,
    pub(super) board: &'m mut Board,
    pub(super) leaves: &'m mut [Box<dyn LeafColumn<H>>],
    pub(super) opened: &'m mut Vec<Event>,
}

pub(super) fn machine<'m, 'h, H: Host, T: Tracer>(
    shape: &'m Shape<H>,
    host: &'m mut H::Cx<'h>,
    world: &'m mut ForestParts<'_, T>,
    columns: Columns<'m, H>,
    turns: Option<&'m mut Turns>,
    at: usize,
) -> Machine<'m, 'h, H, T> {
    let Columns { ids, lives, groups, run, board, leaves, opened } = columns;
    let tree = &*shape.tree;
    Machine {
        tree,
        records: &tree.records,
        columns: run.columns(),
        leaves,
        cx: Context {
            host,
            agent: Agent {
                at,
                ids,
                lives,
                forest_now: world.now,
                before: world.before,
                turns,
                node: NodeId::ROOT,
                schema: &shape.tree.schema,
                board,
                shared: world.shared.reborrow(),
                map: &shape.map,
                groups,
                events: opened,
                requests: &mut *world.requests,
                sleep: None,
            },
        },
        scratch: &mut *world.scratch,
        tracer: &mut *world.tracer,
        every_tick: world.every_tick,
        words: Words::new(tree.simple, world.every_tick),
        wake: Moment::END,
        last_abort: None,
        aborts: 0,
    }
}
