//! The tick of a chunk: agent after agent; neighbours that do the same are ticked in one go.

mod lone;

use std::ops::Range;

use slotmap::Key;

use super::TickReport;
use super::awake::{Awake, next_range};
use super::chunk::Chunk;
use super::mail::Inbox;
use super::panics::Panics;
use super::parts::{AgentColumns, ForestParts, Shape, machine};
use crate::bits::{self, Bits, each, within};
use crate::clock::Moment;
use crate::life::{Flags, is_asleep};
use crate::machine::Machine;
use crate::machine::simple::batch::{self, Store};
use crate::machine::simple::running::Done;
use crate::row::Row;
use crate::trace::{NoTracer, Tracer};
use crate::{Host, Outcome};

/// The columns of so few agents are a few lines of memory each.
const FEW: usize = 128;
/// If more than every eighth agent is to be ticked, a line of memory serves several of them.
const SPARSE: usize = 8;

/// What a call of the forest that ticks agents adds up.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) report: TickReport,
    /// Panics of leaves. The first one goes on when all is noted (SEMANTICS 8.6).
    pub(super) panics: Panics,
}

/// A machine at work on the agents of a chunk.
struct Ticking<'m, 'h, H: Host, T: Tracer> {
    machine: Machine<'m, 'h, H, T>,
    notes: Notes<'m>,
    /// The agents that it ticks one after the other: those of the range that have a bit.
    due: &'m mut Bits,
    range: Range<Row>,
}

/// What a tick reads and writes of a chunk's agents beside the machine.
struct Notes<'m> {
    flags: &'m mut [Flags],
    last: &'m mut [Outcome],
    awake: &'m mut Awake,
    inbox: &'m mut Inbox,
    report: &'m mut TickReport,
    /// Agents may fall asleep.
    sleeps: bool,
}

impl<H: Host> Chunk<H> {
    /// Gives every agent that is due a turn. Returns where it ended: at the end of the chunk, or
    /// behind an agent whose leaf panicked.
    pub(super) fn tick<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> Row {
        if !T::ENABLED && self.tick_lone(shape, host, parts, tally) {
            return self.end();
        }
        self.begin(parts, &mut tally.report);
        let mut ready = self.awake.bits();
        if let Some(turns) = &self.turns {
            for (ready, due) in ready.iter_mut().zip(turns.due()) {
                *ready &= due;
            }
        }
        self.tick_ready(shape, host, parts, tally, &mut ready, Row::FIRST..self.end())
    }

    /// Finds the agents to look at, and those that are due.
    pub(super) fn begin<T: Tracer>(&mut self, parts: &mut ForestParts<'_, T>, report: &mut TickReport) {
        self.inbox.sort();
        self.awake.mark_all(self.board.dirty_agents());
        let Chunk { flags, lives, awake, turns, .. } = self;
        awake.wake_due(parts.now, |at| is_asleep(flags[at.index()]).then(|| lives[at.index()].wakes()));
        if let Some(turns) = turns {
            turns.begin(parts.frame);
        }
        report.asleep += self.asleep();
    }

    /// Gives the due agents of a part a turn, until so many have been looked at. A part lies within
    /// one word of bits. Returns where it ended.
    pub(super) fn tick_part<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        part: Range<Row>,
        left: u64,
    ) -> Row {
        let turns = self.turns.as_ref().expect("a forest that ticks within budgets keeps all turns");
        let word = part.start.word();
        let all = self.awake.bits()[word] & turns.due()[word] & within(word, &part);
        let (mut ready, mut end) = (Bits::default(), part.end);
        if u64::from(all.count_ones()) < left {
            ready[word] = all;
        } else {
            // The part ends right behind the last of them.
            let mut rest = all;
            (0..left).for_each(|_| rest &= rest - 1);
            ready[word] = all & !rest;
            end = Row::first_of(word).plus(64 - ready[word].leading_zeros() as usize);
        }
        self.tick_ready(shape, host, parts, tally, &mut ready, part.start..end)
    }

    /// Ticks the agents of a range that have a bit. Returns where it ended: at the end of the
    /// range, or behind an agent whose leaf panicked.
    fn tick_ready<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        ready: &mut Bits,
        range: Range<Row>,
    ) -> Row {
        if !T::ENABLED {
            return self.tick_range(shape, host, parts, tally, ready, range);
        }
        // Agents that the tracer does not want run as fast as without a tracer, but not in batches.
        let mut from = range.start;
        while from < range.end && !tally.panics.any() {
            let wanted = parts.tracer.wants(self.ids[from.index()]);
            let rest = &self.ids[from.index()..range.end.index()];
            let to = from.plus(rest.iter().position(|&it| parts.tracer.wants(it) != wanted).unwrap_or(rest.len()));
            from = if wanted {
                self.tick_range(shape, host, parts, tally, ready, from..to)
            } else {
                self.tick_range(shape, host, &mut parts.with(&mut NoTracer), tally, ready, from..to)
            };
        }
        from
    }

    /// A machine over the chunk's agents, for a range of them.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one for each thing that a tick borrows")]
    fn ticking<'m, 'h, T: Tracer>(
        &'m mut self,
        shape: &'m Shape<H>,
        host: &'m mut H::Cx<'h>,
        parts: &'m mut ForestParts<'_, T>,
        report: &'m mut TickReport,
        at: Row,
        due: &'m mut Bits,
        range: Range<Row>,
    ) -> Ticking<'m, 'h, H, T> {
        let sleeps = parts.sleep;
        let Chunk { ids, flags, last, lives, awake, turns, groups, run, board, states, inbox, .. } = self;
        let columns = AgentColumns { ids, lives, groups, board: board.rows(&shape.tree.layout) };
        let run = (run.columns(), states.lend());
        let machine = machine(shape, host, parts, columns, run, turns.as_deref_mut(), at);
        Ticking { machine, notes: Notes { flags, last, awake, inbox, report, sleeps }, due, range }
    }

    /// The same, and notes that all due agents of the range have had their turn.
    fn tick_range<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        ready: &mut Bits,
        mut range: Range<Row>,
    ) -> Row {
        if let Some(first) = next_range(ready, range.start, range.end) {
            let in_batches = parts.batched && !T::ENABLED;
            let mut ticking = self.ticking(shape, host, parts, &mut tally.report, first.start, ready, range.clone());
            if in_batches {
                ticking.tick_batches(&mut tally.panics);
            } else {
                ticking.prefetch();
            }
            let mut from = first.start;
            while tally.panics.catch(|| ticking.tick_each(from)) {
                ticking.mark_panicked();
                from = ticking.machine.cx.agent.at.next();
                if !in_batches {
                    range.end = from;
                    break;
                }
            }
            ticking.notes.report.aborts += u64::from(ticking.machine.aborts);
        }
        if range.end < self.end() && tally.panics.any() && self.turns.is_none() {
            // The agents behind have no turn. Those before, from the first agent on, had theirs.
            self.miss(parts);
            if let Some(turns) = &mut self.turns {
                turns.begin(parts.frame);
            }
            range.start = Row::FIRST;
        }
        if let Some(turns) = &mut self.turns {
            turns.had(&std::array::from_fn(|word| within(word, &range)), parts.now);
        }
        range.end
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// Ticks the due agents that stand on an action, or begin with one, in batches; the others stay
    /// due. After a panic the other agents are ticked all the same (SEMANTICS 8.6, 8.11).
    fn tick_batches(&mut self, panics: &mut Panics) {
        let mut gathered = false;
        if let Some(mut simple) = self.machine.simple()
            && batch::pays(self.due, &self.range)
        {
            simple.gather(&self.range, self.notes.flags, self.due);
            gathered = true;
        }
        self.prefetch();
        while gathered
            && let Some(simple) = self.machine.simple()
            && panics.catch(|| simple.sweep(&mut self.notes, self.due))
        {
            self.mark_panicked();
            if let Some(mut simple) = self.machine.simple() {
                simple.remove_from_batches();
            }
        }
    }

    /// Ticks the due agents from this row on, one after the other.
    fn tick_each(&mut self, from: Row) {
        let Ticking { machine, notes, due: all, range } = self;
        let Some(mut due) = next_range(all, from, range.end) else { return };
        let mut at = due.start;
        loop {
            if at >= due.end {
                match next_range(all, due.end, range.end) {
                    Some(next) => due = next,
                    None => break,
                }
                at = due.start;
            }
            let ended = if let Some(mut simple) = machine.simple() {
                let from = at;
                let done;
                (at, done) = simple.tick_running(at, &notes.flags[..due.end.index()]);
                notes.report.ticked += (at.index() - from.index()) as u64;
                if at == due.end {
                    continue;
                }
                match done {
                    Done::Update(status) => simple.tick_after_update(status),
                    Done::Pass => simple.tick_after_pass(),
                    Done::Nothing => {
                        if !notes.prepare(simple.machine(), at) {
                            at = at.next();
                            continue;
                        }
                        let ended = simple.tick(notes.flags[at.index()].contains(Flags::FRESH));
                        machine.cx.agent.events.clear();
                        ended
                    }
                }
            } else {
                if !notes.prepare(machine, at) {
                    at = at.next();
                    continue;
                }
                let ended = machine.tick(notes.flags[at.index()].contains(Flags::FRESH));
                machine.cx.agent.events.clear();
                ended
            };
            notes.store(machine, ended);
            at = at.next();
        }
    }

    /// Reads a little of each column that ticks need, for a few due agents. Their memory is then
    /// loaded at the same time; their ticks would wait for it one after the other.
    fn prefetch(&self) {
        let agents = self.range.end.index() - self.range.start.index();
        if agents <= FEW {
            return;
        }
        let due = &self.due[bits::words(&self.range)];
        let count: u32 = due.iter().map(|it| it.count_ones()).sum();
        if count <= 1 || count as usize * SPARSE > agents {
            return;
        }
        let (agent, columns) = (&self.machine.cx.agent, &self.machine.columns);
        let touched = each(self.due).fold(0, |all, at| {
            let dirty = agent.board.dirty(at).first().copied().unwrap_or(0);
            all ^ agent.ids[at.index()].data().as_ffi()
                ^ agent.lives[at.index()].time.prefetch()
                ^ dirty
                ^ columns.prefetch(at)
        });
        std::hint::black_box(touched);
    }

    /// A leaf of the machine's agent panicked, and may have left something for the next agent.
    fn mark_panicked(&mut self) {
        let agent = &mut self.machine.cx.agent;
        let flags = &mut self.notes.flags[agent.at.index()];
        *flags = *flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED;
        if let Some(turns) = &mut agent.turns {
            turns.stand_in_turn(agent.at);
        }
        agent.events.clear();
        (agent.sleep, self.machine.last_abort) = (None, None);
        self.machine.scratch.reset(self.machine.tree.bottoms.len());
    }
}

impl Notes<'_> {
    /// Makes an agent ready for its tick, and tells whether it is to be ticked at all.
    #[inline(always)]
    fn prepare<H: Host, T: Tracer>(&mut self, machine: &mut Machine<'_, '_, H, T>, at: Row) -> bool {
        let before = self.flags[at.index()];
        if !before.contains(Flags::ENABLED) || before.contains(Flags::PAUSED) {
            self.awake.clear(at);
            // Without this, every tick would look at the agent. An agent that goes on begins anew,
            // or looks at everything.
            machine.cx.agent.board.clear_dirty_agent(at);
            return false;
        }
        if before.contains(Flags::ASLEEP) {
            let agent = &machine.cx.agent;
            let (now, wakes) = (agent.forest_now, agent.lives[at.index()].wakes());
            if now < wakes
                && !before.contains(Flags::MAIL)
                && (agent.board.dirty(at).iter().all(|&it| it == 0) || !machine.is_due(at))
            {
                self.awake.sleep(at, wakes, now);
                machine.cx.agent.board.clear_dirty_agent(at);
                return false;
            }
            self.report.asleep -= 1;
        }
        if before.contains(Flags::MAIL) {
            self.inbox.open(at, machine.cx.agent.events);
        }
        machine.cx.agent.at = at;
        true
    }
}

impl<H: Host, T: Tracer> Store<H, T> for Notes<'_> {
    fn flags(&mut self) -> &mut [Flags] {
        self.flags
    }

    fn add_updated(&mut self, agents: u32) {
        self.report.ticked += u64::from(agents);
    }

    #[inline(always)]
    fn begin_anew(&mut self, at: Row, ended: Outcome) {
        let after = self.flags[at.index()] - (Flags::ASLEEP | Flags::MAIL);
        self.flags[at.index()] = after | Flags::ENDED | Flags::FRESH;
        self.last[at.index()] = ended;
        self.report.ended += 1;
        self.report.ticked += 1;
    }

    #[inline(always)]
    fn store(&mut self, machine: &mut Machine<'_, '_, H, T>, ended: Option<Outcome>) {
        let awake = &mut *self.awake;
        let at = machine.cx.agent.at;
        let mut after = self.flags[at.index()] - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
        let forest_now = machine.cx.agent.forest_now;
        // Only the agents that need it read their `Life`, as it may have to come from memory.
        let life = &mut machine.cx.agent.lives[at.index()];
        if let Some(abort) = machine.last_abort.take() {
            life.last_abort = abort;
        }
        if let Some(outcome) = ended {
            self.last[at.index()] = outcome;
            self.report.ended += 1;
            let stops = after.contains(Flags::STOPS);
            after |= Flags::ENDED;
            after.set(Flags::FRESH, !stops);
            after.set(Flags::ENABLED, !stops);
            if stops {
                life.time.turn(forest_now);
                if let Some(turns) = &mut machine.cx.agent.turns {
                    turns.stand_in_turn(at);
                }
                awake.clear(at);
            }
        } else if self.sleeps && machine.wake > Moment::START {
            let now = life.time.now(forest_now);
            let next = if machine.wake > now { machine.wake.min(machine.next_due()) } else { Moment::START };
            if next > now {
                after |= Flags::ASLEEP;
                let life = &mut machine.cx.agent.lives[at.index()];
                life.wake = next;
                awake.sleep(at, life.wakes(), forest_now);
            }
        }
        machine.cx.agent.board.refresh_dirty_agent(at);
        self.flags[at.index()] = after;
        self.report.ticked += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Abort, Forest, Host, Status, Tree, action, check, idle, selector, sequence};

    struct Nothing;
    impl Host for Nothing {
        type Cx<'a> = ();
    }

    #[test]
    fn an_agent_that_is_paused_or_off_is_looked_at_once_and_misses_no_change() {
        for (paused, batched) in [(true, false), (true, true), (false, false), (false, true)] {
            let mut builder = Tree::<Nothing>::builder("watch");
            let alarm = builder.key("alarm", false);
            let watch = sequence([check("alarm"), idle()]).aborts(Abort::LOWER_PRIORITY);
            let root = selector([watch, action(|_| Status::Running).into()]);
            let mut forest = Forest::new(0);
            forest.set_batched(batched);
            let tree = forest.add_tree(builder.build(root).expect("valid")).expect("no other keys");
            let agents: Vec<_> = (0..20).map(|_| forest.spawn(&mut (), tree).expect("room")).collect();
            forest.tick(&mut (), 0.1).expect("a time");
            for &it in &agents {
                if paused { forest.pause(&mut (), it) } else { forest.disable(&mut (), it) }.expect("here");
            }
            assert_eq!(forest.update_column(tree, alarm, |_, _| true), Ok(20));
            for _ in 0..2 {
                forest.tick(&mut (), 0.1).expect("a time");
            }
            let chunk = &forest.trees.get(tree).expect("here").chunks[0];
            assert_eq!((chunk.board.dirty_agents(), chunk.awake.bits()[0]), (&[0][..], 0));
            for &it in &agents {
                if paused { forest.unpause(&mut (), it) } else { forest.enable(&mut (), it) }.expect("here");
            }
            assert_eq!(forest.tick(&mut (), 0.1).expect("a time").aborts, if paused { 20 } else { 0 });
            let idles = |&it| forest.inspect(it).expect("here").to_string() == "Idle";
            assert!(agents.iter().all(idles), "{paused} {batched}");
        }
    }
}
