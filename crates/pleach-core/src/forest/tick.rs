//! The tick of a chunk: in batches, and then agent after agent; neighbours that do the same are
//! ticked together. [`few`] is the tick of a chunk with few agents, [`sleepers`] of those that
//! wake, [`due`] which agents it looks at, [`notes`] what it notes about them.

mod due;
mod few;
mod notes;
mod sleepers;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::TickReport;
use super::awake::{array, next_range};
use super::chunk::Chunk;
use super::panics::Panics;
use super::parts::{AgentColumns, ForestParts, Shape, groups, machine};
use crate::Host;
use crate::bits::{self, Bits, within};
use crate::blackboard::view::SharedRows;
use crate::life::is_asleep;
use crate::machine::Machine;
use crate::machine::notes::Notes;
use crate::machine::simple::batch;
use crate::machine::simple::fast_tick::Progress;
use crate::machine::simple::running::Done;
use crate::row::Row;
use crate::trace::{NoTracer, Tracer};
use due::{Due, wake};
use few::FEW;
use notes::ChunkNotes;

/// What a call of the forest that ticks agents adds up.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) report: TickReport,
    /// Panics of leaves. The first one is resumed when all is noted (SEMANTICS 8.6).
    pub(super) panics: Panics,
    /// How many agents a budget has been spent on (SEMANTICS 8.4): those that were ticked, whether
    /// a leaf panicked or not.
    pub(super) spent: u64,
    /// How many agents a tick looked at and left alone: they are off, paused or asleep.
    passed_over: u64,
}

/// How the agents of a range are ticked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// In batches where possible, if the forest has batches; then the others in their order.
    All,
    Batches,
    Order,
}

/// How far a frame got in fast ticks.
#[derive(Default)]
struct FrameProgress {
    /// The first agent whose tick is not done.
    from: Row,
    /// How far its fast tick got.
    progress: Progress,
    panicked: bool,
}

/// A machine at work on the agents of a chunk.
struct Ticking<'m, 'h, H: Host, T: Tracer> {
    machine: Machine<'m, 'h, H, T>,
    notes: ChunkNotes<'m>,
    /// The agents that it ticks one after the other: those of the range that have a bit.
    due: &'m mut Due,
    range: Range<Row>,
}

impl<H: Host> Chunk<H> {
    /// Gives every agent that is due a turn: a fast tick each where they are few, and the rest in
    /// batches or one by one. Returns where it ended: at the end of the chunk, or after an agent
    /// whose leaf panicked.
    pub(super) fn tick<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
    ) -> Row {
        // A chunk that tracks turns is not ticked whole: some agents may not be due.
        let few = !T::ENABLED && !T::INPUTS && (1..=FEW).contains(&self.len()) && self.extras.turns().is_none();
        let begun = if few { self.tick_few(shape, host, parts, tally) } else { FrameProgress::default() };
        if few && begun.from == self.end() {
            return begun.from;
        }
        self.tick_from(shape, host, parts, tally, begun)
    }

    /// The same starting with one agent. A separate function, so that few agents do not pay for its
    /// preparations.
    #[inline(never)]
    fn tick_from<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        begun: FrameProgress,
    ) -> Row {
        self.begin(parts, &mut tally.report);
        // In a large forest most chunks sleep.
        if self.run.bits().awake().iter().all(|it| *it == 0) {
            let range = begun.from..self.end();
            self.had_turns(parts, &range);
            return range.end;
        }
        let mut ready = array(self.run.bits().awake());
        if let Some(turns) = self.extras.turns() {
            for (ready, due) in ready.iter_mut().zip(turns.due()) {
                *ready &= due;
            }
        }
        let range = begun.from..self.end();
        let mut due = Due::of(shape, ready, || self.with_turns(&range));
        if T::REPLAYS {
            due.remove(&self.held_back(parts));
        }
        self.tick_ready(shape, host, parts, tally, &mut due, range.clone(), begun)
    }

    /// The agents of a range that have a turn in this frame and have not had it.
    fn with_turns(&self, range: &Range<Row>) -> Bits {
        let all = std::array::from_fn(|word| within(word, range));
        match self.extras.turns() {
            Some(turns) => std::array::from_fn(|word| all[word] & turns.due().get(word).copied().unwrap_or(0)),
            None => all,
        }
    }

    /// Finds the agents to look at, and those that are due.
    pub(super) fn begin<T: Tracer>(&mut self, parts: &mut ForestParts<'_, T>, report: &mut TickReport) {
        if let Some(inbox) = self.extras.inbox_mut() {
            inbox.sort();
        }
        let agents = self.len();
        let Chunk { flags, lives, run, deadlines, extras, .. } = self;
        let (dirty_agents, awake) = run.bits_mut().sets();
        let mut awake = deadlines.lend(agents, awake);
        awake.mark_all(dirty_agents);
        awake.wake_due(parts.call.now, |at| is_asleep(flags[at.index()]).then(|| lives[at.index()].wakes()));
        if let Some(turns) = extras.turns_mut() {
            turns.begin(parts.frame);
        }
        report.asleep += self.asleep();
    }

    /// Gives the due agents of a part a turn, until this many have been looked at. A part lies
    /// within one word of bits. Returns where it ended.
    pub(super) fn tick_part<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        part: Range<Row>,
        left: u64,
    ) -> Row {
        if !shape.tree.layout.watches_shared() {
            return self.tick_some(shape, host, parts, tally, part, left);
        }
        // Each may wake the next one. In batches they do not wait for each other.
        let (mut from, mut left) = (part.start, left);
        while from < part.end && left > 0 && (parts.call.batched || !tally.panics.any()) {
            let (marked, awake) = self.run.bits_mut().sets();
            awake.iter_mut().zip(marked).for_each(|(awake, marked)| *awake |= marked);
            let some = if parts.call.batched { left } else { 1 };
            from = self.tick_some(shape, host, parts, tally, from..part.end, some);
            left -= some;
        }
        from
    }

    /// The same, if none of them wakes another one.
    fn tick_some<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        part: Range<Row>,
        left: u64,
    ) -> Row {
        let turns = self.extras.turns().expect("a forest that ticks within budgets keeps all turns");
        let word = part.start.word();
        let all = self.run.bits().awake()[word] & turns.due()[word] & within(word, &part);
        let (mut ready, mut end) = (Bits::default(), part.end);
        if u64::from(all.count_ones()) < left {
            ready[word] = all;
        } else {
            // The part ends right after the last of them.
            let mut rest = all;
            (0..left).for_each(|_| rest &= rest - 1);
            ready[word] = all & !rest;
            end = Row::first_of(word).plus(64 - ready[word].leading_zeros() as usize);
        }
        let mut due = Due { now: ready, asleep: None };
        let (looked_at, before) = (u64::from(ready[word].count_ones()), tally.passed_over);
        let end = self.tick_ready(shape, host, parts, tally, &mut due, part.start..end, FrameProgress::default());
        tally.spent += looked_at - (tally.passed_over - before);
        end
    }

    /// Ticks the agents of a range that have a bit, and notes that all due agents of the range have
    /// had their turn. Returns where it ended: at the end of the range, or after an agent whose
    /// leaf panicked.
    #[expect(clippy::too_many_arguments, reason = "one for each thing that a tick borrows")]
    fn tick_ready<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        ready: &mut Due,
        mut range: Range<Row>,
        begun: FrameProgress,
    ) -> Row {
        range.end = if T::ENABLED {
            self.tick_traced(shape, host, parts, tally, ready, range.clone())
        } else {
            self.tick_range(shape, host, parts, tally, ready, range.clone(), Ways::All, begun)
        };
        self.note_turns(parts, tally, range)
    }

    /// Notes that all due agents of a range have had their turn, and which agents had none if a
    /// leaf panicked. Returns where the range ends.
    fn note_turns<T: Tracer>(&mut self, parts: &mut ForestParts<'_, T>, tally: &Tally, mut range: Range<Row>) -> Row {
        if range.end < self.end() && tally.panics.any() && self.extras.turns().is_none() {
            // The later agents have no turn. The earlier ones, from the first agent on, had theirs.
            self.miss(parts);
            if let Some(turns) = self.extras.turns_mut() {
                turns.begin(parts.frame);
            }
            range.start = Row::FIRST;
        }
        self.had_turns(parts, &range);
        range.end
    }

    /// Notes that all due agents of a range have had their turn.
    #[inline]
    fn had_turns<T: Tracer>(&mut self, parts: &mut ForestParts<'_, T>, range: &Range<Row>) {
        if self.extras.turns().is_none() {
            return;
        }
        let held = self.held_back(parts);
        if let Some(turns) = self.extras.turns_mut() {
            turns.had(&std::array::from_fn(|word| within(word, range) & !held[word]), parts.call.now);
        }
    }

    /// The agents that have no turn in this frame of a replay, though they are due.
    #[inline(always)]
    fn held_back<T: Tracer>(&self, parts: &mut ForestParts<'_, T>) -> Bits {
        let mut held = Bits::default();
        if T::REPLAYS
            && let Some(inputs) = parts.tracer.inputs()
        {
            for row in self.rows().filter(|it| inputs.misses(self.ids[it.index()])) {
                bits::add(&mut held, row);
            }
        }
        held
    }

    /// The same with a tracer. Agents that it does not want are ticked as without one, unless they
    /// share their batches with an agent that it wants.
    fn tick_traced<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        ready: &mut Due,
        range: Range<Row>,
    ) -> Row {
        let ids = &self.ids[range.start.index()..range.end.index()];
        if !T::INPUTS && !ids.iter().any(|&it| parts.tracer.wants(it)) {
            return self.tick_range(
                shape,
                host,
                &mut parts.with(&mut NoTracer),
                tally,
                ready,
                range,
                Ways::All,
                FrameProgress::default(),
            );
        }
        if parts.call.batched {
            self.tick_range(shape, host, parts, tally, ready, range.clone(), Ways::Batches, FrameProgress::default());
        }
        let mut from = range.start;
        while from < range.end && (parts.call.batched || T::REPLAYS || !tally.panics.any()) {
            let wants = |tracer: &T, it| T::INPUTS || tracer.wants(it);
            let wanted = wants(parts.tracer, self.ids[from.index()]);
            let rest = &self.ids[from.index()..range.end.index()];
            let to = from.plus(rest.iter().position(|&it| wants(parts.tracer, it) != wanted).unwrap_or(rest.len()));
            from = if wanted {
                self.tick_range(shape, host, parts, tally, ready, from..to, Ways::Order, FrameProgress::default())
            } else {
                self.tick_range(
                    shape,
                    host,
                    &mut parts.with(&mut NoTracer),
                    tally,
                    ready,
                    from..to,
                    Ways::Order,
                    FrameProgress::default(),
                )
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
        (report, passed_over): (&'m mut TickReport, &'m mut u64),
        at: Row,
        due: &'m mut Due,
        range: Range<Row>,
    ) -> Ticking<'m, 'h, H, T> {
        let ForestParts { shared, call, scratch, tracer, .. } = parts;
        let sleeps = call.sleep && !call.every_tick;
        let (agents, room) = (self.len(), self.room());
        let Chunk { ids, flags, lives, deadlines, extras, run, board, states, .. } = self;
        let (turns, ties, inbox) = extras.lend();
        let (flags, last) = flags.split_at_mut(room);
        let (run, changes, awake) = run.lend();
        let awake = deadlines.lend(agents, awake);
        let board = board.rows(&shape.tree.layout, room, changes);
        let shared = SharedRows::of(shared, &shape.map, agents, || groups(ties));
        let columns = AgentColumns { ids, lives, board, shared, ties };
        let run = (run, states.lend());
        let machine = machine(shape, host, call, (&mut **scratch, &mut **tracer), columns, run, turns, at);
        Ticking { machine, notes: ChunkNotes { flags, last, awake, inbox, report, passed_over, sleeps }, due, range }
    }

    /// Ticks the agents of a range that have a bit, in these ways, after a part of the first one's
    /// tick has been done. Returns where it ended.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one for each thing that a tick borrows")]
    fn tick_range<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        parts: &mut ForestParts<'_, T>,
        tally: &mut Tally,
        ready: &mut Due,
        range: Range<Row>,
        ways: Ways,
        mut begun: FrameProgress,
    ) -> Row {
        // Agents before the range may have woken some in it.
        let (marked, awake) = self.run.bits_mut().sets();
        ready.wake(marked, awake);
        let Some(first) = next_range(&ready.now, range.start, range.end) else { return range.end };
        debug_assert!(first.start == begun.from || begun.progress == Progress::NotStarted && !begun.panicked);
        let (batched, start, end) = (parts.call.batched, range.start, range.end);
        let noted = (&mut tally.report, &mut tally.passed_over);
        let mut ticking = self.ticking(shape, host, parts, noted, first.start, ready, range);
        let mut from = first.start;
        if batched && ways != Ways::Order {
            ticking.tick_batches(&mut tally.panics);
            // Batches may have woken agents before the first.
            from = start;
        } else {
            ticking.prefetch();
        }
        let mut reached = end;
        if ways != Ways::Batches {
            while begun.panicked || tally.panics.catch(|| ticking.tick_each(from, std::mem::take(&mut begun.progress)))
            {
                begun.panicked = false;
                ticking.notes.mark_panicked(&mut ticking.machine);
                from = ticking.machine.cx.agent.at.next();
                if !batched && !T::REPLAYS {
                    reached = from;
                    break;
                }
            }
        }
        ticking.notes.report.aborts += u64::from(ticking.machine.aborts);
        reached
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// Ticks the due agents that are at an action, or begin with one, in batches; the others stay
    /// due. After a panic the other agents are ticked nevertheless (SEMANTICS 8.6, 8.11).
    fn tick_batches(&mut self, panics: &mut Panics) {
        let mut gathered = false;
        if let Some(mut simple) = self.machine.in_batches()
            && batch::pays(&self.due.now, &self.range)
        {
            simple.gather(&self.range, self.notes.flags, &mut self.due.now);
            gathered = true;
        }
        self.prefetch();
        while gathered
            && let Some(simple) = self.machine.in_batches()
            && panics.catch(|| simple.sweep(&mut self.notes, &mut self.due.now))
        {
            self.notes.mark_panicked(&mut self.machine);
            if let Some(mut simple) = self.machine.in_batches() {
                simple.remove_from_batches();
            }
        }
    }

    /// Ticks the due agents from this row on, one after the other. The fast tick may have done a
    /// part of the first one's tick.
    fn tick_each(&mut self, mut from: Row, progress: Progress) {
        let Ticking { machine, notes, due: all, range } = self;
        if progress != Progress::NotStarted {
            notes.tick_alone(machine, from, progress);
            from = from.next();
        }
        wake(machine, all, &mut notes.awake);
        let Some(mut due) = next_range(&all.now, from, range.end) else { return };
        let mut at = due.start;
        loop {
            if at >= due.end {
                wake(machine, all, &mut notes.awake);
                match next_range(&all.now, due.end, range.end) {
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
                        let next = notes.tick_sleepers(&mut simple, at, range.end, &all.now);
                        if next > at {
                            (at, due) = (next, next..next);
                            continue;
                        }
                        notes.tick_alone(machine, at, Progress::NotStarted);
                        at = at.next();
                        continue;
                    }
                }
            } else {
                notes.tick_alone(machine, at, Progress::NotStarted);
                at = at.next();
                continue;
            };
            notes.store(machine, ended);
            at = at.next();
        }
    }
}
