//! The tick of a brain: the fast tick of an agent whose action goes on running, and the general
//! tick.

use std::slice;

use super::Brain;
use super::row::{LoneRow, LoneRun, OneStack, ties};
use crate::blackboard::board::{BoardRows, CellRows};
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::forest::lives::Lives;
use crate::forest::parts::{AgentColumns, ForestParts, Shape, context, groups};
use crate::host::access::Access;
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, is_fresh, is_plain, is_plain_sleeper};
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

    /// The same if no tick has prepared it, or a key has changed. A function of its own, as most
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
        // It has been looked at: what has changed does not matter where it is.
        agent.dirty_agents = 0;
        // A kept one lends no shared keys.
        run.next = Some(fast).filter(|_| !shares);
        Some(fast)
    }

    /// The same for an agent that sleeps on, or begins its root. A function of its own, as most
    /// ticks go on with an action.
    #[inline(never)]
    fn sleep_or_begin(&mut self, cx: &mut H::Cx<'_>) -> Progress {
        let row = &self.row;
        if is_plain_sleeper(row.flags) && self.call.now < row.agent.life.wakes() && !row.is_dirty() {
            return Progress::Done;
        }
        let Some(first) = fast_tick::first(&self.shape.tree).filter(|_| is_fresh(row.flags) && !self.shares()) else {
            return Progress::NotStarted;
        };
        let Borrowed { tree, mut states, mut cx, unless_it_panics, .. } = self.lend(cx, first);
        let progress = fast_tick::run_bare(tree, &mut states, &mut cx, first);
        std::mem::forget(unless_it_panics);
        progress
    }

    /// Whether the tree declares shared keys.
    #[inline(always)]
    fn shares(&self) -> bool {
        self.rest.is_some() && !self.shape.map.is_empty()
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

/// What a fast tick needs of a brain.
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
        *self.0 = panicked(*self.0);
    }
}

/// What the agent becomes if a leaf panics.
fn panicked(flags: Flags) -> Flags {
    flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED
}

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// The general tick, or the rest of a fast tick. Returns how the root ended, if
    /// it did.
    #[inline(never)]
    pub(super) fn tick_row(&mut self, cx: &mut H::Cx<'_>, progress: Progress) -> Option<Outcome> {
        let flags = self.row.flags;
        if !flags.contains(Flags::ENABLED) || flags.contains(Flags::PAUSED) {
            return None;
        }
        let sleeps = flags.contains(Flags::ASLEEP)
            && self.call.now < self.row.agent.life.wakes()
            && !flags.contains(Flags::MAIL);
        if sleeps && !self.row.is_dirty() {
            return None;
        }
        if flags.contains(Flags::MAIL) {
            let brain = &mut *self.it;
            brain.row.open(&mut brain.call.opened);
        }
        let mut scratch = Scratch::default();
        let wanted = T::ENABLED && self.tracer.wants(self.row.id);
        let (row, shape, mut parts) = self.parts(&mut scratch);
        let ended = if wanted || !T::ENABLED {
            tick_with(row, shape, cx, &mut parts, progress, sleeps)
        } else {
            tick_with(row, shape, cx, &mut parts.with(&mut NoTracer), progress, sleeps)
        };
        self.call.opened.clear();
        // What comes next is gathered between ticks.
        self.call.opened.give_back();
        ended
    }
}

/// Ticks a brain's agent, or does the rest of its fast tick. `sleeps` if it is asleep,
/// and only a key that has changed can wake it. Returns how the root ended, if it did.
fn tick_with<H: Host, T: Tracer>(
    row: &mut LoneRow<H>,
    shape: &Shape<H>,
    cx: &mut H::Cx<'_>,
    parts: &mut ForestParts<'_, T>,
    progress: Progress,
    sleeps: bool,
) -> Option<Outcome> {
    let flags = row.flags;
    let (now, may_sleep) = (parts.call.now, parts.call.sleep);
    // A leaf that panicked in an earlier tick may have left something.
    parts.scratch.reset(shape.tree.bottoms.len());
    row.flags = panicked(flags);
    let mut machine = row.ticking(shape, cx, parts);
    if flags.contains(Flags::MAIL) {
        machine.load_starts(flags);
    }
    if sleeps && !machine.is_due(Row::FIRST) {
        row.flags = flags;
        row.clear_dirty();
        return None;
    }
    let ended = match machine.simple() {
        Some(mut simple) if progress != Progress::NotStarted => simple.tick_from(progress),
        _ => machine.tick(flags.contains(Flags::FRESH)),
    };
    let wake = machine.wake;
    let mut after = flags - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
    let mut next = Moment::START;
    if ended.is_none() && may_sleep && wake > Moment::START {
        let own = machine.cx.agent.now();
        next = if wake > own { wake.min(machine.next_due()) } else { Moment::START };
        after.set(Flags::ASLEEP, next > own);
    }
    Lives::<H>::refresh_dirty(row, Row::FIRST);
    if after.contains(Flags::ASLEEP) {
        row.agent.life.wake = next;
    }
    row.flags = after;
    if let Some(outcome) = ended {
        row.note_end(outcome, now);
    }
    ended
}
