//! The tick of an agent that is alone in its chunk. A game may have many trees with one agent each.

use super::super::chunk::Chunk;
use super::super::parts::{AgentColumns, ForestParts, Shape, context};
use super::{Tally, Ticking};
use crate::bits::Bits;
use crate::clock::Moment;
use crate::life::{Flags, is_plain, is_ready};
use crate::machine::simple::batch::Store;
use crate::row::Row;
use crate::trace::Tracer;
use crate::{Host, Status};

impl<H: Host> Chunk<H> {
    /// Ticks the only agent of the chunk, without a look at the chunk's sets of agents. Mostly all
    /// that its tick has to do is to update the action that it stands on: then no machine is made.
    /// Does nothing if the agent sleeps, is off or paused, or may be without a turn.
    pub(super) fn tick_lone<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> bool {
        let (tree, at) = (&*shape.tree, Row::FIRST);
        if self.flags.len() != 1 || !is_ready(self.flags[0]) || self.turns.is_some() {
            return false;
        }
        let mut updated = None;
        let mut panicked = false;
        if is_plain(self.flags[0])
            && self.board.dirty_agents()[0] == 0
            && let Some((node, leaf)) = self.only_action(tree, parts.every_tick)
        {
            let mut update = (Status::Running, None);
            panicked = tally.panics.catch(|| {
                let Chunk { ids, lives, groups, board, states, .. } = &mut *self;
                let columns = AgentColumns { ids, lives, groups, board: board.rows(&tree.layout) };
                let mut cx = context(shape, host, parts.split().0, columns, None, at);
                cx.agent.node = node;
                let status = tree.leaves[leaf.index()].update(&mut states.lend(), &mut cx);
                update = (status, cx.agent.sleep);
            });
            if !panicked && let (Status::Running, None) = update {
                tally.report.ticked += 1;
                return true;
            }
            updated = Some(update);
        }
        let mut nobody = Bits::default();
        let mut ticking = self.ticking(shape, host, parts, &mut tally.report, at, &mut nobody, at..at.next());
        if panicked || tally.panics.catch(|| ticking.tick_one(updated)) {
            ticking.mark_panicked();
        }
        ticking.notes.report.aborts += u64::from(ticking.machine.aborts);
        true
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// The tick of the machine's agent. Of an agent that has been `updated` already, the rest: the
    /// update gave this status and wants to be repeated at that moment.
    fn tick_one(&mut self, updated: Option<(Status, Option<Moment>)>) {
        let Ticking { machine, notes, .. } = self;
        let flags = notes.flags[machine.cx.agent.at.index()];
        if flags.contains(Flags::MAIL) {
            notes.inbox.sort();
            notes.inbox.open(machine.cx.agent.at, machine.cx.agent.events);
        }
        let fresh = flags.contains(Flags::FRESH);
        let ended = match (machine.simple(), updated) {
            (Some(mut simple), Some((status, sleep))) => {
                simple.machine().cx.agent.sleep = sleep;
                simple.tick_after_update(status)
            }
            (Some(mut simple), None) => simple.tick(fresh),
            (None, _) => machine.tick(fresh),
        };
        machine.cx.agent.events.clear();
        notes.store(machine, ended);
    }
}
