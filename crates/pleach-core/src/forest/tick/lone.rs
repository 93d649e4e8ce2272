//! The tick of an agent that is alone in its chunk. A game may have many trees with one agent each.

use super::super::chunk::Chunk;
use super::super::parts::{AgentColumns, ForestParts, Shape, context, groups};
use super::{Tally, Ticking};
use crate::bits::Bits;
use crate::blackboard::view::SharedRows;
use crate::clock::Moment;
use crate::host::leaf::states::LeafStates;
use crate::life::{Flags, is_fresh, is_plain, is_plain_sleeper, is_ready};
use crate::machine::simple::batch::Store;
use crate::machine::simple::short::{self, Led};
use crate::machine::state::RunColumns;
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Context, Host, NodeId, Tree};

impl<H: Host> Chunk<H> {
    /// Ticks the only agent of the chunk, without a look at the chunk's sets of agents, and by the
    /// short way if there is one. Tells whether it did, or the agent sleeps on. Does nothing if the
    /// agent may wake, is off or paused, or may be without a turn.
    #[inline]
    pub(super) fn tick_lone<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> bool {
        if self.len() != 1 || self.extras.turns().is_some() {
            return false;
        }
        if !is_ready(self.flags[0]) {
            let sleeps_on = self.lone_sleeps_on(parts.call.now);
            tally.report.asleep += u64::from(sleeps_on);
            return sleeps_on;
        }
        if let Some(inbox) = self.extras.inbox_mut() {
            inbox.sort();
        }
        if !is_plain(self.flags[0]) {
            match short::first(&shape.tree).filter(|_| is_fresh(self.flags[0])) {
                Some(first) => self.begin_lone(shape, host, parts, tally, first),
                None => self.tick_lone_rest(shape, host, parts, tally, None, false),
            }
            return true;
        }
        let every_tick = parts.call.every_tick;
        let (led, panicked) = self.go_short(
            shape,
            host,
            parts,
            tally,
            |tree, run, dirty| run.short(tree, dirty, every_tick),
            |short, tree, states, cx| short.go(tree, states, cx),
        );
        if let Some(Led::Through) = led {
            tally.report.ticked += 1;
        } else {
            self.tick_lone_rest(shape, host, parts, tally, led, panicked);
        }
        true
    }

    /// Whether the only agent is asleep, and has nothing to wake for: no deadline that has come, no
    /// mail and no changed key.
    #[inline]
    fn lone_sleeps_on(&mut self, now: Moment) -> bool {
        is_plain_sleeper(self.flags[0]) && now < self.lives[0].wakes() && self.run.sets().0[0] == 0
    }

    /// Begins the root of the only agent by the short way, with this leaf. A function of its own,
    /// as most ticks go on with an action.
    #[inline(never)]
    fn begin_lone<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        first: NodeId,
    ) {
        let (led, panicked) = self.go_short(
            shape,
            host,
            parts,
            tally,
            |_, _, _| Some(()),
            |(), tree, states, cx| short::run_bare(tree, states, cx, first),
        );
        self.tick_lone_rest(shape, host, parts, tally, led, panicked);
    }

    /// Goes the short way, if it is found, with what leaves see of the only agent. Tells how far it
    /// led, and whether a leaf panicked on it. To find it takes the borrowed columns, so that they
    /// are borrowed once.
    #[inline(always)]
    fn go_short<W, T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        find: impl FnOnce(&Tree<H>, &RunColumns<'_>, &[u64]) -> Option<W>,
        go: impl FnOnce(W, &Tree<H>, &mut LeafStates<'_, H>, &mut Context<'_, '_, H>) -> Led,
    ) -> (Option<Led>, bool) {
        let (tree, at) = (&*shape.tree, Row::FIRST);
        let Chunk { ids, lives, extras, run, board, states, .. } = self;
        let room = run.room();
        let (run, changes, _) = run.lend();
        let Some(way) = find(tree, &run, changes.dirty) else { return (None, false) };
        let mut led = None;
        let panicked = tally.panics.catch(|| {
            let board = board.rows(&tree.layout, room, changes);
            let ties = extras.ties();
            let shared = SharedRows::of(&mut parts.shared, &shape.map, || groups(ties));
            let columns = AgentColumns { ids, lives, board, shared, ties };
            let mut cx = context(shape, host, parts.call, columns, None, at);
            led = Some(go(way, tree, &mut states.lend(), &mut cx));
        });
        (led, panicked)
    }

    /// Notes a tick that ended on the short way. Tells whether it did.
    fn note_short(&mut self, led: Option<Led>, tally: &mut Tally) -> bool {
        let room = self.room();
        match led {
            Some(Led::On(leaf)) => {
                self.flags[0] -= Flags::FRESH;
                self.run.come_to(leaf);
            }
            // An agent that stops is no longer due.
            Some(Led::Over(outcome)) if !self.flags[0].contains(Flags::STOPS) => {
                self.flags[0] |= Flags::ENDED | Flags::FRESH;
                self.flags[room] = Flags::of_end(outcome);
                self.run.root_ended();
                tally.report.ended += 1;
            }
            _ => return false,
        }
        tally.report.ticked += 1;
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
        if self.note_short(led, tally) {
            return;
        }
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
        let flags = notes.flags[machine.cx.agent.at.index()];
        if flags.contains(Flags::MAIL)
            && let Some(inbox) = &mut notes.inbox
        {
            inbox.open(machine.cx.agent.at, &mut machine.cx.agent.call.opened);
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
