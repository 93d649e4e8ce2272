//! The tick of a chunk: agent after agent, and in one go those next to each other that do the same.

use std::ops::Range;

use super::TickReport;
use super::awake::row;
use super::chunk::{Bits, CHUNK, Chunk, Columns, Flags, World, machine, stands};
use super::population::Shape;
use crate::Host;
use crate::machine::Machine;
use crate::machine::cruise::Stop;
use crate::trace::{NoTracer, Tracer};

/// A machine at work. If a leaf panics, nobody is left to write down whose leaf it was and who had been ticked before:
/// dropping this does.
struct Ticking<'m, 'h, H: Host, T: Tracer> {
    machine: Machine<'m, 'h, H, T>,
    flags: &'m mut [Flags],
    /// Whom it ticks: those of the range that have a bit.
    bits: &'m Bits,
    range: Range<usize>,
    /// A panic would be an agent's.
    busy: bool,
}

impl<H: Host, T: Tracer> Drop for Ticking<'_, '_, H, T> {
    fn drop(&mut self) {
        let agent = &mut self.machine.cx.agent;
        if self.busy {
            let flags = &mut self.flags[agent.at];
            *flags = *flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED;
            self.range.end = agent.at + 1;
        }
        if let Some(ticked) = &mut agent.ticked {
            for at in rows(self.bits, self.range.clone()).flatten().filter(|&it| !stands(self.flags[it])) {
                ticked[at] = agent.forest_now - agent.births[at];
            }
        }
    }
}

impl<H: Host> Chunk<H> {
    /// Ticks every agent that is due. If a leaf panics, its agent is left without anything active, and the panic goes on.
    pub(super) fn tick<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
    ) {
        self.begin(world, report);
        let mut bits = self.awake.bits();
        if let Some(pace) = &self.pace {
            for (own, turn) in bits.iter_mut().zip(pace.turn(world.frames.count)) {
                *own &= turn;
            }
        }
        self.tick_bits(shape, host, world, report, &bits, 0..self.len());
    }

    /// Finds out who has to be looked at.
    pub(super) fn begin<T: Tracer>(&mut self, world: &mut World<'_, T>, report: &mut TickReport) {
        self.inbox.sort();
        self.awake.look_at_all(self.board.stirred());
        self.board.stirred().fill(0);
        let Chunk { flags, birth, wake, awake, .. } = self;
        awake.rouse(world.now, |at| is_asleep(flags[at]).then(|| birth[at].saturating_add(wake[at])));
        // Counted in bytes, so that many are counted at once.
        let count = |flags: &[Flags]| u64::from(flags.iter().map(|&it| u8::from(is_asleep(it))).sum::<u8>());
        report.asleep += flags.chunks(128).map(count).sum::<u64>();
    }

    /// Ticks agents of a part that are due by their rates, as many as are left in a budget: up to whom it came.
    pub(super) fn tick_part<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
        part: Range<usize>,
        mut left: u64,
    ) -> usize {
        let awake = self.awake.bits();
        let mut due = [0; CHUNK / 64];
        let mut end = part.start;
        let pace = self.pace.as_ref().expect("a forest that ticks within budgets has paced all chunks");
        while end < part.end && left > 0 {
            let bit = 1 << (end % 64);
            let last = self.birth[end].saturating_add(pace.ticked[end]);
            let is_turn = |frames| last <= world.frames.ago(frames);
            if awake[end / 64] & bit != 0 && pace.rates[end].frames().is_some_and(is_turn) {
                due[end / 64] |= bit;
                left -= 1;
            }
            end += 1;
        }
        self.tick_bits(shape, host, world, report, &due, part.start..end);
        end
    }

    /// Ticks those of a range who have a bit.
    fn tick_bits<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
        bits: &Bits,
        range: Range<usize>,
    ) {
        if let Some(pace) = &mut self.pace {
            // Without sleep, somebody who slept would have been ticked in his last turn.
            for at in rows(bits, range.clone()).flatten().filter(|&it| is_asleep(self.flags[it])) {
                let turn = pace.rates[at].frames().map_or(0, |it| world.frames.ago(it));
                pace.ticked[at] = pace.ticked[at].max(turn.saturating_sub(self.birth[at]));
            }
        }
        if T::ENABLED {
            self.tick_wanted(shape, host, world, report, bits, range);
        } else {
            self.tick_range(shape, host, world, report, bits, range);
        }
    }

    /// Agents that the tracer does not want run as fast as without one.
    fn tick_wanted<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
        bits: &Bits,
        range: Range<usize>,
    ) {
        let mut from = range.start;
        while from < range.end {
            let wanted = world.tracer.wants(self.ids[from]);
            let rest = &self.ids[from..range.end];
            let to = from + rest.iter().position(|&it| world.tracer.wants(it) != wanted).unwrap_or(rest.len());
            if wanted {
                self.tick_range(shape, host, world, report, bits, from..to);
            } else {
                self.tick_range(shape, host, &mut world.with(&mut NoTracer), report, bits, from..to);
            }
            from = to;
        }
    }

    fn tick_range<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
        bits: &Bits,
        range: Range<usize>,
    ) {
        let Some(mut due) = row(bits, range.start, range.end) else { return };
        let (forest_now, sleeps) = (world.now, world.sleep);
        let Chunk {
            ids,
            flags,
            last,
            birth,
            wake,
            awake,
            pace,
            rng,
            groups,
            last_abort,
            run,
            board,
            leaves,
            inbox,
            opened,
            ..
        } = self;
        opened.clear();
        // A leaf that panicked may have left something there.
        world.scratch.reset(shape.tree.bottoms.len());
        let ticked = pace.as_mut().map(|it| &mut *it.ticked);
        let columns = Columns { ids, birth, rng, groups, run, board, leaves, opened };
        let machine = machine(shape, host, world, columns, ticked, due.start);
        let mut ticking = Ticking { machine, flags, bits, range: range.clone(), busy: true };
        let mut at = due.start;
        loop {
            if at >= due.end {
                match row(bits, due.end, range.end) {
                    Some(next) => due = next,
                    None => break,
                }
                at = due.start;
            }
            let Ticking { machine, flags, .. } = &mut ticking;
            let mut stop = Stop::Untouched;
            if machine.simple && !T::ENABLED {
                let from = at;
                (at, stop) = machine.cruise(at, &flags[..due.end], is_plain);
                report.ticked += (at - from) as u64;
                if at == due.end {
                    continue;
                }
            }
            let ended = match stop {
                Stop::Updated(status) => machine.go_on(status),
                Stop::Passed => machine.tick_passed(),
                Stop::Untouched => {
                    let before = flags[at];
                    if !before.contains(Flags::ENABLED) || before.contains(Flags::PAUSED) {
                        awake.leave(at);
                        at += 1;
                        continue;
                    }
                    if before.contains(Flags::ASLEEP) {
                        let birth = machine.cx.agent.births[at];
                        if forest_now - birth < wake[at]
                            && !before.contains(Flags::MAIL)
                            && (machine.cx.agent.board.dirty(at).iter().all(|&it| it == 0) || !machine.is_due(at))
                        {
                            awake.sleep(at, birth.saturating_add(wake[at]), forest_now);
                            at += 1;
                            continue;
                        }
                        report.asleep -= 1;
                    }
                    if before.contains(Flags::MAIL) {
                        inbox.open(at, machine.cx.agent.events);
                    }
                    machine.cx.agent.at = at;
                    let fresh = before.contains(Flags::FRESH);
                    let simple = machine.simple && !T::ENABLED;
                    let ended = if simple { machine.tick_simple(fresh) } else { machine.tick(fresh) };
                    machine.cx.agent.events.clear();
                    ended
                }
            };
            let before = flags[at];
            let mut after = before - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
            if let Some(abort) = machine.last_abort.take() {
                last_abort[at] = abort;
            }
            let now = machine.cx.agent.now();
            if let Some(outcome) = ended {
                last[at] = outcome;
                report.ended += 1;
                let stops = after.contains(Flags::STOPS);
                after |= Flags::ENDED;
                after.set(Flags::FRESH, !stops);
                after.set(Flags::ENABLED, !stops);
                if stops {
                    machine.cx.agent.births[at] = now;
                    if let Some(ticked) = &mut machine.cx.agent.ticked {
                        ticked[at] = now;
                    }
                    awake.leave(at);
                }
            } else if sleeps && machine.wake > now {
                let next = machine.wake.min(machine.next_due());
                if next > now {
                    after |= Flags::ASLEEP;
                    wake[at] = next;
                    awake.sleep(at, machine.cx.agent.births[at].saturating_add(next), forest_now);
                    // A change that could do nothing when it came may do something where the agent is now.
                    if machine.cx.agent.board.dirty(at).iter().any(|&it| it != 0) {
                        awake.look_at(at);
                    }
                }
            }
            flags[at] = after;
            report.ticked += 1;
            at += 1;
        }
        report.aborts += u64::from(ticking.machine.aborts);
        ticking.busy = false;
    }
}

/// The rows of agents with a bit in a range.
fn rows(bits: &Bits, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = range.start;
    std::iter::from_fn(move || {
        let row = row(bits, from, range.end)?;
        from = row.end;
        Some(row)
    })
}

/// Enabled, not paused, and asleep.
#[inline]
fn is_asleep(flags: Flags) -> bool {
    flags & (Flags::ENABLED | Flags::PAUSED | Flags::ASLEEP) == Flags::ENABLED | Flags::ASLEEP
}

/// Enabled, and nothing else that a tick has to know.
#[inline]
fn is_plain(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED
}
