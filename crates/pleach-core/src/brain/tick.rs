//! The tick of a brain: the short way of an agent that goes on with its action, and the general
//! one.

use std::slice;

use super::Brain;
use super::row::{LoneRow, LoneRun, ties};
use crate::blackboard::board::{BoardRows, CellRows};
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::forest::lives::Lives;
use crate::forest::parts::{AgentColumns, ForestParts, Shape, context, groups};
use crate::host::access::Access;
use crate::host::context::AgentContext;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, is_fresh, is_plain};
use crate::machine::scratch::Scratch;
use crate::machine::simple::short::{self, Led, Short};
use crate::observer_bits::ObserverWord;
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};
use crate::{Context, Host, NodeId, Outcome, Tree};

impl<H: Host> Brain<H> {
    /// The short way, if there is one. Tells how far it led.
    #[inline]
    pub(super) fn tick_short(&mut self, cx: &mut H::Cx<'_>) -> Option<Led> {
        let LoneRun::One(run) = &self.row.run else { return None };
        if !is_plain(self.row.flags) {
            return self.begin_short(cx);
        }
        let observed = ObserverWord { monitors: run.monitors, statuses: run.statuses, dirty: self.row.agent.dirty };
        let tree = &*self.shape.tree;
        let short = Short::of(tree, tree.watch(self.call.every_tick), run.top, observed)?;
        if self.shares() {
            return self.go_short_with_shared(cx, |tree, states, cx| short.go_apart(tree, states, cx));
        }
        self.go_short(cx, |tree, states, cx| short.go(tree, states, cx))
    }

    /// The same for an agent that begins its root. A function of its own, as most ticks go on with
    /// an action.
    #[inline(never)]
    fn begin_short(&mut self, cx: &mut H::Cx<'_>) -> Option<Led> {
        let first = short::first(&self.shape.tree).filter(|_| is_fresh(self.row.flags))?;
        if self.shares() {
            return self.go_short_with_shared(cx, |tree, states, cx| short::run_bare(tree, states, cx, first));
        }
        self.go_short(cx, |tree, states, cx| short::run_bare(tree, states, cx, first))
    }

    /// Whether the tree declares shared keys.
    #[inline(always)]
    fn shares(&self) -> bool {
        self.rest.is_some() && !self.shape.map.is_empty()
    }

    /// Goes the short way, with what leaves see of the agent. The tree declares no shared keys.
    #[inline(always)]
    fn go_short(
        &mut self,
        cx: &mut H::Cx<'_>,
        go: impl FnOnce(&Tree<H>, &mut LeafStates<'_, H>, &mut Context<'_, '_, H>) -> Led,
    ) -> Option<Led> {
        let LoneRow { id, agent, columns, extras, states, flags: marks, .. } = &mut self.row;
        let tree = &*self.shape.tree;
        let flags = *marks;
        *marks = panicked(flags);
        let (ids, ties) = (slice::from_ref(&*id), ties(extras));
        let (schema, cells) = (&tree.schema, CellRows::of_one(&tree.layout, columns));
        let (at, access, call) = (Row::FIRST, Access::Lone(agent), &mut self.call);
        let node = NodeId::ROOT;
        let agent = AgentContext { at, ids, ties, schema, cells, access, node, call, sleep: Moment::START };
        let mut cx = Context { host: cx, agent };
        let led = go(tree, &mut states.lend(), &mut cx);
        *marks = flags;
        Some(led)
    }

    /// The same with a tree that declares some. A function of its own, so that the likely case is
    /// not made in the shape of this one.
    #[inline(never)]
    fn go_short_with_shared(
        &mut self,
        cx: &mut H::Cx<'_>,
        go: impl FnOnce(&Tree<H>, &mut LeafStates<'_, H>, &mut Context<'_, '_, H>) -> Led,
    ) -> Option<Led> {
        let LoneRow { id, agent, columns, extras, states, flags: marks, .. } = &mut self.row;
        let (shape, rest) = (&self.shape, self.rest.as_mut()?);
        let flags = *marks;
        *marks = panicked(flags);
        let (ids, (lives, changes)) = (slice::from_ref(&*id), agent.lend());
        let ties = ties(extras);
        let board = BoardRows::of_one(&shape.tree.layout, columns, changes);
        let shared = SharedRows::own(&mut rest.shared, &shape.map, groups(ties));
        let columns = AgentColumns { ids, lives, board, shared, ties };
        let mut cx = context(shape, cx, &mut self.call, columns, None, Row::FIRST);
        let led = go(&shape.tree, &mut states.lend(), &mut cx);
        *marks = flags;
        Some(led)
    }
}

/// What the agent becomes if a leaf panics.
fn panicked(flags: Flags) -> Flags {
    flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED
}

impl<H: Host, T: Tracer> Traced<'_, Brain<H>, T> {
    /// A tick in all generality, or what the short way left of it. Returns how the root ended, if
    /// it did.
    #[inline(never)]
    pub(super) fn tick_row(&mut self, cx: &mut H::Cx<'_>, led: Option<Led>) -> Option<Outcome> {
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
            tick_with(row, shape, cx, &mut parts, led, sleeps)
        } else {
            tick_with(row, shape, cx, &mut parts.with(&mut NoTracer), led, sleeps)
        };
        self.call.opened.clear();
        ended
    }
}

/// Ticks a brain's agent, or does what the short way left of its tick. `sleeps` if it is asleep,
/// and only a key that has changed can wake it. Returns how the root ended, if it did.
fn tick_with<H: Host, T: Tracer>(
    row: &mut LoneRow<H>,
    shape: &Shape<H>,
    cx: &mut H::Cx<'_>,
    parts: &mut ForestParts<'_, T>,
    led: Option<Led>,
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
    let ended = match (led, machine.simple()) {
        (Some(led), Some(mut simple)) => simple.tick_from(led),
        _ => machine.tick(flags.contains(Flags::FRESH)),
    };
    let (wake, last_abort) = (machine.wake, machine.last_abort.take());
    let mut after = flags - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
    let mut next = Moment::START;
    if ended.is_none() && may_sleep && wake > Moment::START {
        let own = machine.cx.agent.now();
        next = if wake > own { wake.min(machine.next_due()) } else { Moment::START };
        after.set(Flags::ASLEEP, next > own);
    }
    Lives::<H>::refresh_dirty(row, Row::FIRST);
    if let Some(abort) = last_abort {
        row.agent.life.last_abort = abort;
    }
    if after.contains(Flags::ASLEEP) {
        row.agent.life.wake = next;
    }
    row.flags = after;
    if let Some(outcome) = ended {
        row.note_end(outcome, now);
    }
    ended
}
