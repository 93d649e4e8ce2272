//! The tick of an agent that is alone in its chunk. A game may have many trees with one agent each.

use super::super::chunk::Chunk;
use super::super::parts::{AgentColumns, ForestParts, Shape, context, groups};
use super::{Tally, Ticking};
use crate::Host;
use crate::bits::Bits;
use crate::blackboard::view::SharedRows;
use crate::life::{Flags, is_plain, is_ready};
use crate::machine::simple::batch::Store;
use crate::machine::simple::short::Led;
use crate::row::Row;
use crate::trace::Tracer;

impl<H: Host> Chunk<H> {
    /// Ticks the only agent of the chunk, without a look at the chunk's sets of agents, and by the
    /// short way if there is one. Does nothing if the agent sleeps, is off or paused, or may be
    /// without a turn.
    #[inline]
    pub(super) fn tick_lone<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> bool {
        let (tree, at) = (&*shape.tree, Row::FIRST);
        if self.len() != 1 || !is_ready(self.flags[0]) || self.extras.turns().is_some() {
            return false;
        }
        let mut led = None;
        let mut panicked = false;
        if let Some(inbox) = self.extras.inbox_mut() {
            inbox.sort();
        }
        let plain = is_plain(self.flags[0]);
        let Chunk { ids, lives, extras, run, board, states, .. } = &mut *self;
        let room = run.room();
        if plain
            && let (run, changes, _) = run.lend()
            && let Some(short) = run.short(tree, changes.dirty, parts.call.every_tick)
        {
            panicked = tally.panics.catch(|| {
                let board = board.rows(&tree.layout, room, changes);
                let ties = extras.ties();
                let shared = SharedRows::of(&mut parts.shared, &shape.map, || groups(ties));
                let columns = AgentColumns { ids, lives, board, shared, ties };
                let mut cx = context(shape, host, parts.call, columns, None, at);
                led = Some(short.go(tree, &mut states.lend(), &mut cx));
            });
            if let Some(Led::Through) = led {
                tally.report.ticked += 1;
                return true;
            }
        }
        self.tick_lone_rest(shape, host, parts, tally, led, panicked);
        true
    }

    /// The tick of the only agent, or what the short way left of it. A function of its own, so that
    /// the short way has the registers.
    #[inline(never)]
    fn tick_lone_rest<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        led: Option<Led>,
        panicked: bool,
    ) {
        let (at, mut none) = (Row::FIRST, Bits::default());
        let mut ticking = self.ticking(shape, host, parts, &mut tally.report, at, &mut none, at..at.next());
        if panicked || tally.panics.catch(|| ticking.tick_one(led)) {
            ticking.mark_panicked();
        }
        ticking.notes.report.aborts += u64::from(ticking.machine.aborts);
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// The tick of the machine's agent, or what the short way left of it.
    fn tick_one(&mut self, led: Option<Led>) {
        let Ticking { machine, notes, .. } = self;
        let flags = notes.flags[machine.cx.agent.keys.at.index()];
        if flags.contains(Flags::MAIL)
            && let Some(inbox) = &mut notes.inbox
        {
            inbox.open(machine.cx.agent.keys.at, &mut machine.cx.agent.call.opened);
            machine.load_starts(flags);
        }
        let ended = match (led, machine.simple()) {
            (Some(led), Some(mut simple)) => simple.tick_from(led),
            _ => machine.tick(flags.contains(Flags::FRESH)),
        };
        machine.cx.agent.call.opened.clear();
        notes.store(machine, ended);
    }
}
