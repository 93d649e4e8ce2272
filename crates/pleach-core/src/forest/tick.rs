//! The tick of a chunk: agent after agent, and in one go those next to each other that do the same.

use std::ops::Range;

use super::TickReport;
use super::chunk::{Chunk, Columns, Flags, World, machine};
use super::population::Shape;
use crate::Host;
use crate::machine::Machine;
use crate::machine::cruise::Stop;
use crate::trace::{NoTracer, Tracer};

/// A machine at work. If a leaf panics, nobody is left to write down whose leaf it was: dropping this does.
struct Ticking<'m, 'h, H: Host, T: Tracer> {
    machine: Machine<'m, 'h, H, T>,
    flags: &'m mut [Flags],
    /// A panic would be an agent's.
    busy: bool,
}

impl<H: Host, T: Tracer> Drop for Ticking<'_, '_, H, T> {
    fn drop(&mut self) {
        if self.busy {
            let flags = &mut self.flags[self.machine.cx.agent.at];
            *flags = *flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED;
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
        self.inbox.sort();
        self.awake.look_at_all(self.board.stirred());
        self.board.stirred().fill(0);
        let Chunk { flags, birth, wake, awake, .. } = self;
        awake.rouse(world.now, |at| is_asleep(flags[at]).then(|| birth[at].saturating_add(wake[at])));
        report.asleep += flags.iter().filter(|&&it| is_asleep(it)).count() as u64;
        let mut from = 0;
        while let Some(row) = self.awake.row(from, self.len()) {
            from = row.end;
            self.tick_row(shape, host, world, report, row);
        }
    }

    fn tick_row<T: Tracer>(
        &mut self,
        shape: &Shape<H>,
        host: &mut H::Cx<'_>,
        world: &mut World<'_, T>,
        report: &mut TickReport,
        row: Range<usize>,
    ) {
        if !T::ENABLED {
            self.tick_range(shape, host, world, report, row);
            return;
        }
        // Agents that the tracer does not want run as fast as without one.
        let mut from = row.start;
        while from < row.end {
            let wanted = world.tracer.wants(self.ids[from]);
            let rest = &self.ids[from..row.end];
            let to = from + rest.iter().position(|&it| world.tracer.wants(it) != wanted).unwrap_or(rest.len());
            if wanted {
                self.tick_range(shape, host, world, report, from..to);
            } else {
                self.tick_range(shape, host, &mut world.with(&mut NoTracer), report, from..to);
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
        range: Range<usize>,
    ) {
        let (forest_now, sleeps) = (world.now, world.sleep);
        let Chunk { ids, flags, last, birth, wake, awake, rng, groups, last_abort, run, board, leaves, inbox, opened } =
            self;
        opened.clear();
        if range.is_empty() {
            return;
        }
        // A leaf that panicked may have left something there.
        world.scratch.reset(shape.tree.bottoms.len());
        let columns = Columns { ids, birth, rng, groups, run, board, leaves, opened };
        let mut ticking = Ticking { machine: machine(shape, host, world, columns, range.start), flags, busy: true };
        let mut at = range.start;
        while at < range.end {
            let Ticking { machine, flags, .. } = &mut ticking;
            let mut stop = Stop::Untouched;
            if machine.simple && !T::ENABLED {
                let from = at;
                (at, stop) = machine.cruise(at, &flags[..range.end], is_plain);
                report.ticked += (at - from) as u64;
                if at == range.end {
                    break;
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
                    awake.leave(at);
                }
            } else if sleeps && machine.wake > now && !machine.must_tick() {
                after |= Flags::ASLEEP;
                wake[at] = machine.wake;
                let until = machine.cx.agent.births[at].saturating_add(machine.wake);
                awake.sleep(at, until, forest_now);
            }
            flags[at] = after;
            report.ticked += 1;
            at += 1;
        }
        report.aborts += u64::from(ticking.machine.aborts);
        ticking.busy = false;
    }
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
