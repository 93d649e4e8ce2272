//! The tick of a brain: the fast tick of an agent whose action keeps running, and the general tick.

use std::slice;

use super::Brain;
use super::row::{LoneRow, LoneRun, OneStack, ties};
use crate::blackboard::board::{BoardRows, CellRows};
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::forest::Panics;
use crate::forest::parts::{AgentColumns, ForestParts, Shape, context, groups};
use crate::host::access::Access;
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, is_fresh, is_plain, sleeps_on};
use crate::machine::notes::Notes;
use crate::machine::scratch::Scratch;
use crate::machine::simple::fast_tick::{self, FastTick, Progress};
use crate::observer_bits::ObserverWord;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Context, Host, NodeId, Outcome, Tree};

impl<H: Host> Brain<H> {
    /// The fast tick. Returns how far it got.
    #[inline(always)]
    pub(super) fn fast_tick(&mut self, cx: &mut H::Cx<'_>) -> Progress {
        if !is_plain(self.row.flags) {
            return self.sleep_or_begin(cx);
        }
        let fast = match &self.row.run {
            LoneRun::One(OneStack { next: Some(fast), .. }) if self.row.agent.dirty_agents == 0 => *fast,
            _ => return self.find_and_go(cx),
        };
        let Borrowed { tree, mut states, mut cx, unless_it_panics, .. } = self.lend(cx, fast.top());
        let progress = fast.go(tree, &mut states, &mut cx);
        std::mem::forget(unless_it_panics);
        progress
    }

    /// The same if no tick has prepared it, or a key has changed. A separate function, as most
    /// ticks are like the one before.
    #[inline(never)]
    fn find_and_go(&mut self, cx: &mut H::Cx<'_>) -> Progress {
        let Some(fast) = self.prepare_fast_tick() else { return Progress::NotStarted };
        if self.shares() { self.lend_with_shared(cx, fast.top()).go(fast) } else { self.lend(cx, fast.top()).go(fast) }
    }

    /// Prepares the next fast tick, and keeps it.
    #[inline]
    pub(super) fn prepare_fast_tick(&mut self) -> Option<FastTick> {
        let (shares, tree) = (self.shares(), &*self.shape.tree);
        let LoneRow { agent, run: LoneRun::One(run), .. } = &mut self.row else { return None };
        let word = || ObserverWord { monitors: run.monitors, statuses: run.statuses, dirty: agent.dirty };
        let watch = tree.watch(self.call.every_tick);
        let fast = FastTick::of(tree, watch, run.top, agent.dirty_agents != 0, word)?;
        // It has been looked at: the changes do not matter where it is.
        agent.dirty_agents = 0;
        // A stored one lends no shared keys.
        run.next = Some(fast).filter(|_| !shares);
        Some(fast)
    }

    /// The same for an agent that sleeps on, or begins its root. A separate function, as most ticks
    /// continue an action; it calls others only at its end, so that sleep stays cheap.
    #[inline(never)]
    fn sleep_or_begin(&mut self, cx: &mut H::Cx<'_>) -> Progress {
        let row = &self.row;
        if !sleeps_on(row.flags, &row.agent.life, row.is_dirty(), self.call.now) {
            return if is_fresh(row.flags) { self.begin(cx) } else { Progress::NotStarted };
        }
        if self.rest.is_some() { self.sleep_unless_woken() } else { Progress::Done }
    }

    /// Lets the agent sleep on, unless a token's place that has rested wakes it.
    #[inline(never)]
    fn sleep_unless_woken(&mut self) -> Progress {
        self.end_rests();
        if self.row.is_dirty() { Progress::NotStarted } else { Progress::Done }
    }

    /// Begins the root, if a fast tick can.
    #[inline(never)]
    fn begin(&mut self, cx: &mut H::Cx<'_>) -> Progress {
        if self.shares() {
            return Progress::NotStarted;
        }
        let Borrowed { tree, mut states, mut cx, unless_it_panics, .. } = self.lend(cx, NodeId::ROOT);
        let progress = fast_tick::begin(tree, &mut states, &mut cx);
        std::mem::forget(unless_it_panics);
        progress
    }

    /// Whether the tree declares shared keys.
    #[inline(always)]
    fn shares(&self) -> bool {
        self.rest.is_some() && !self.shape.map.is_empty()
    }

    /// Frees the places of tokens that have rested by now (SEMANTICS 8.36).
    #[inline(never)]
    fn end_rests(&mut self) {
        let (now, shape) = (self.call.now, &self.shape);
        if let Some(rest) = &mut self.rest
            && rest.shared.has_rested(now)
        {
            rest.shared.end_rests(now, |cell| {
                if let Some(watch) = shape.map.readers(&shape.tree.layout, cell) {
                    self.row.mark_observers(watch);
                }
            });
        }
    }

    /// What a fast tick needs, with the context at a node. The tree declares no shared keys.
    #[inline(always)]
    fn lend<'a, 'h>(&'a mut self, host: &'a mut H::Cx<'h>, node: NodeId) -> Borrowed<'a, 'h, H> {
        let LoneRow { id, agent, columns, extras, states, flags, .. } = &mut self.row;
        let tree = &*self.shape.tree;
        let (ids, ties) = (slice::from_ref(&*id), ties(extras));
        let (schema, cells) = (&tree.schema, CellRows::of_one(&tree.layout, columns));
        let (at, access, call) = (Row::FIRST, Access::Lone(agent), &mut self.call);
        let agent = AgentContext { at, ids, ties, schema, cells, access, node, call, sleep: Moment::START };
        let cx = Context { host, agent };
        Borrowed { tree, states: states.lend(), cx, unless_it_panics: StopsIfLeafPanics(flags) }
    }

    /// The same with a tree that declares some.
    #[inline(always)]
    fn lend_with_shared<'a, 'h>(&'a mut self, host: &'a mut H::Cx<'h>, node: NodeId) -> Borrowed<'a, 'h, H> {
        let LoneRow { id, agent, columns, extras, states, flags, .. } = &mut self.row;
        let (shape, rest) = (&self.shape, self.rest.as_mut().expect("its tree declares shared keys"));
        let (ids, (lives, changes)) = (slice::from_ref(&*id), agent.lend());
        let ties = ties(extras);
        let board = BoardRows::of_one(&shape.tree.layout, columns, changes);
        let shared = SharedRows::own(&mut rest.shared, &shape.map, 1, groups(ties));
        let columns = AgentColumns { ids, lives, board, shared, ties };
        let mut cx = context(shape, host, &mut self.call, columns, None, Row::FIRST);
        cx.agent.node = node;
        let tree = &shape.tree;
        Borrowed { tree, states: states.lend(), cx, unless_it_panics: StopsIfLeafPanics(flags) }
    }
}

/// What a fast tick needs from a brain.
struct Borrowed<'a, 'h, H: Host> {
    tree: &'a Tree<H>,
    states: LeafStates<'a, H>,
    cx: Context<'a, 'h, H>,
    unless_it_panics: StopsIfLeafPanics<'a>,
}

impl<H: Host> Borrowed<'_, '_, H> {
    fn go(mut self, fast: FastTick) -> Progress {
        let progress = fast.go(self.tree, &mut self.states, &mut self.cx);
        std::mem::forget(self.unless_it_panics);
        progress
    }
}

/// Marks an agent as stopped when it is dropped, which is when a leaf panics: a tick that ends
/// forgets it, and so has nothing to write and to take back.
struct StopsIfLeafPanics<'a>(&'a mut Flags);

impl Drop for StopsIfLeafPanics<'_> {
    fn drop(&mut self) {
        self.0.panicked();
    }
}

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// The general tick, or the rest of a fast tick. Returns how the root ended, if it did.
    #[inline(never)]
    pub(super) fn tick_row(&mut self, cx: &mut H::Cx<'_>, progress: Progress) -> Option<Outcome> {
        if self.it.rest.is_some() {
            self.it.end_rests();
        }
        let row = &self.row;
        if !row.flags.contains(Flags::ENABLED)
            || row.flags.contains(Flags::PAUSED)
            || sleeps_on(row.flags, &row.agent.life, row.is_dirty(), self.call.now)
        {
            return None;
        }
        let mut scratch = Scratch::default();
        let wanted = !T::ENABLED || T::INPUTS || self.tracer.wants(self.row.id);
        let (row, shape, mut parts) = self.parts(&mut scratch);
        let ended = if wanted {
            tick_with(row, shape, cx, &mut parts, progress)
        } else {
            tick_with(row, shape, cx, &mut parts.with(&mut NoTracer), progress)
        };
        scratch.end();
        // What comes next is gathered between ticks.
        self.call.opened.give_back();
        ended
    }
}

/// Ticks a brain's agent, or does the rest of its fast tick. Returns how the root ended, if it did.
fn tick_with<H: Host, T: Tracer>(
    row: &mut LoneRow<H>,
    shape: &Shape<H>,
    cx: &mut H::Cx<'_>,
    parts: &mut ForestParts<'_, T>,
    progress: Progress,
) -> Option<Outcome> {
    let (mut panics, mut ended) = (Panics::default(), None);
    let (mut machine, mut notes) = row.ticking(shape, cx, parts);
    if panics.catch(|| ended = notes.tick_alone(&mut machine, Row::FIRST, progress)) {
        notes.mark_panicked(&mut machine);
    }
    panics.go_on();
    ended
}
