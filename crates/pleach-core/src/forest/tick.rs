//! The tick of a chunk: agent after agent, and in one go those next to each other that do the same.

use std::ops::Range;

use slotmap::Key;

use super::TickReport;
use super::awake::{Awake, row};
use super::chunk::{CHUNK, Chunk, Columns, Flags, World, machine, stands};
use super::mail::Inbox;
use super::population::Shape;
use crate::bits::{Bits, each};
use crate::machine::Machine;
use crate::machine::cruise::Stop;
use crate::trace::{NoTracer, Tracer};
use crate::{Host, Outcome};

/// With more than every eighth agent of a chunk to tick, a line of memory serves several of them.
const FEW: u32 = 128;

/// A machine at work on the agents of a chunk. If a leaf panics, nobody is left to write down whose leaf it was and who had
/// been ticked before: dropping this does.
pub(super) struct Ticking<'m, 'h, H: Host, T: Tracer> {
    pub(super) machine: Machine<'m, 'h, H, T>,
    pub(super) flags: &'m mut [Flags],
    last: &'m mut [Outcome],
    awake: &'m mut Awake,
    inbox: &'m mut Inbox,
    pub(super) report: &'m mut TickReport,
    sleeps: bool,
    /// Whom it ticks one after the other: those of the range that have a bit.
    pub(super) due: Bits,
    pub(super) range: Range<usize>,
    /// Whom it has ticked in groups.
    pub(super) grouped: Bits,
    /// A panic would be an agent's of the range.
    busy: bool,
}

impl<H: Host, T: Tracer> Drop for Ticking<'_, '_, H, T> {
    fn drop(&mut self) {
        if self.busy {
            self.lose();
            self.range.end = self.machine.cx.agent.at + 1;
        }
        let agent = &mut self.machine.cx.agent;
        if let Some(ticked) = &mut agent.ticked {
            let grouped = rows(&self.grouped, 0..self.flags.len());
            let due = rows(&self.due, self.range.clone());
            for at in grouped.chain(due).flatten().filter(|&it| !stands(self.flags[it])) {
                ticked[at] = agent.forest_now - agent.lives[at].birth;
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
        let Chunk { flags, lives, awake, .. } = self;
        awake.rouse(world.now, |at| is_asleep(flags[at]).then(|| lives[at].wakes()));
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
            let last = self.lives[end].birth.saturating_add(pace.ticked[end]);
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
                pace.ticked[at] = pace.ticked[at].max(turn.saturating_sub(self.lives[at].birth));
            }
        }
        if T::ENABLED {
            self.tick_wanted(shape, host, world, report, bits, range);
        } else {
            self.tick_range(shape, host, world, report, bits, range);
        }
    }

    /// Agents that the tracer does not want run as fast as without one, out of groups.
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
        let Some(first) = row(bits, range.start, range.end) else { return };
        let (sleeps, grouped) = (world.sleep, world.grouped && !T::ENABLED);
        let Chunk { ids, flags, last, lives, awake, pace, groups, run, board, leaves, inbox, opened, .. } = self;
        opened.clear();
        // A leaf that panicked may have left something there.
        world.scratch.reset(shape.tree.bottoms.len());
        let ticked = pace.as_mut().map(|it| &mut *it.ticked);
        let columns = Columns { ids, lives, groups, run, board, leaves, opened };
        let machine = machine(shape, host, world, columns, ticked, first.start);
        let mut ticking = Ticking {
            machine,
            flags,
            last,
            awake,
            inbox,
            report,
            sleeps,
            due: *bits,
            range,
            grouped: Bits::default(),
            busy: false,
        };
        if grouped && ticking.machine.simple {
            let panics = ticking.tick_groups();
            ticking.tick_each();
            panics.go_on();
        } else {
            ticking.touch();
            ticking.tick_each();
        }
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// Ticks those who are due, one after the other.
    fn tick_each(&mut self) {
        let Some(mut due) = row(&self.due, self.range.start, self.range.end) else { return };
        let simple = self.machine.simple && !T::ENABLED;
        self.machine.cx.agent.at = due.start;
        self.busy = true;
        let mut at = due.start;
        loop {
            if at >= due.end {
                match row(&self.due, due.end, self.range.end) {
                    Some(next) => due = next,
                    None => break,
                }
                at = due.start;
            }
            let mut stop = Stop::Untouched;
            if simple {
                let from = at;
                (at, stop) = self.machine.cruise(at, &self.flags[..due.end], is_plain);
                self.report.ticked += (at - from) as u64;
                if at == due.end {
                    continue;
                }
            }
            let ended = match stop {
                Stop::Updated(status) => self.machine.go_on(status),
                Stop::Passed => self.machine.tick_passed(),
                Stop::Untouched => {
                    if !self.rise(at) {
                        at += 1;
                        continue;
                    }
                    self.machine.cx.agent.at = at;
                    let fresh = self.flags[at].contains(Flags::FRESH);
                    let ended = if simple { self.machine.tick_simple(fresh) } else { self.machine.tick(fresh) };
                    self.machine.cx.agent.events.clear();
                    ended
                }
            };
            self.settle(at, ended);
            at += 1;
        }
        self.report.aborts += u64::from(std::mem::take(&mut self.machine.aborts));
        self.busy = false;
    }

    /// Reads a little of each column that ticks need, of each of a few agents who are due. Their memory comes in at the same
    /// time then, where their ticks would wait for one after the other.
    pub(super) fn touch(&self) {
        let count: u32 = self.due.iter().map(|it| it.count_ones()).sum();
        if count <= 1 || count > FEW {
            return;
        }
        let (agent, run) = (&self.machine.cx.agent, &self.machine.run);
        let touched = each(&self.due).fold(0, |all, at| {
            let dirty = agent.board.dirty(at).first().copied().unwrap_or(0);
            all ^ agent.ids[at].data().as_ffi() ^ agent.lives[at].birth ^ dirty ^ run.touch(at)
        });
        std::hint::black_box(touched);
    }

    /// Makes an agent ready for its tick, and tells whether it is to be ticked at all.
    #[inline(always)]
    fn rise(&mut self, at: usize) -> bool {
        let before = self.flags[at];
        if !before.contains(Flags::ENABLED) || before.contains(Flags::PAUSED) {
            self.awake.leave(at);
            // Or it would be looked at in every tick. Whoever goes on begins anew, or looks at everything.
            self.machine.cx.agent.board.calm(at);
            return false;
        }
        if before.contains(Flags::ASLEEP) {
            let agent = &self.machine.cx.agent;
            let (now, wakes) = (agent.forest_now, agent.lives[at].wakes());
            if now < wakes
                && !before.contains(Flags::MAIL)
                && (agent.board.dirty(at).iter().all(|&it| it == 0) || !self.machine.is_due(at))
            {
                self.awake.sleep(at, wakes, now);
                self.machine.cx.agent.board.calm(at);
                return false;
            }
            self.report.asleep -= 1;
        }
        if before.contains(Flags::MAIL) {
            self.inbox.open(at, self.machine.cx.agent.events);
        }
        true
    }

    /// Writes down what the tick of the machine's agent came to.
    #[inline(always)]
    pub(super) fn settle(&mut self, at: usize, ended: Option<Outcome>) {
        let Ticking { machine, awake, .. } = self;
        let mut after = self.flags[at] - (Flags::FRESH | Flags::ASLEEP | Flags::MAIL);
        let forest_now = machine.cx.agent.forest_now;
        // Its life is only read by those who need it: it may have to come from memory.
        let life = &mut machine.cx.agent.lives[at];
        if let Some(abort) = machine.last_abort.take() {
            life.last_abort = abort;
        }
        if let Some(outcome) = ended {
            self.last[at] = outcome;
            self.report.ended += 1;
            let stops = after.contains(Flags::STOPS);
            after |= Flags::ENDED;
            after.set(Flags::FRESH, !stops);
            after.set(Flags::ENABLED, !stops);
            if stops {
                let now = forest_now - life.birth;
                life.birth = now;
                if let Some(ticked) = &mut machine.cx.agent.ticked {
                    ticked[at] = now;
                }
                awake.leave(at);
            }
        } else if self.sleeps && machine.wake > 0 {
            let now = forest_now - life.birth;
            let next = if machine.wake > now { machine.wake.min(machine.next_due()) } else { 0 };
            if next > now {
                after |= Flags::ASLEEP;
                let life = &mut machine.cx.agent.lives[at];
                life.wake = next;
                awake.sleep(at, life.wakes(), forest_now);
            }
        }
        machine.cx.agent.board.moved(at);
        self.flags[at] = after;
        self.report.ticked += 1;
    }

    /// A leaf of the machine's agent panicked.
    pub(super) fn lose(&mut self) {
        let flags = &mut self.flags[self.machine.cx.agent.at];
        *flags = *flags & (Flags::STOPS | Flags::ENDED) | Flags::PANICKED;
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
pub(super) fn is_plain(flags: Flags) -> bool {
    flags - (Flags::STOPS | Flags::ENDED) == Flags::ENABLED
}

#[cfg(test)]
mod tests {
    use crate::{Abort, Forest, Host, Status, Tree, action, check, idle, selector, sequence};

    struct Nothing;
    impl Host for Nothing {
        type Cx<'a> = ();
    }

    #[test]
    fn who_is_paused_or_off_is_looked_at_once_and_misses_no_change() {
        for (paused, grouped) in [(true, false), (true, true), (false, false), (false, true)] {
            let mut builder = Tree::<Nothing>::builder("watch");
            let alarm = builder.key("alarm", false);
            let watch = sequence([check("alarm"), idle()]).aborts(Abort::LOWER_PRIORITY);
            let root = selector([watch, action(|_| Status::Running).into()]);
            let mut forest = Forest::new(0);
            forest.set_grouped(grouped);
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
            assert_eq!((chunk.board.stirred(), chunk.awake.bits()[0]), (&[0][..], 0));
            for &it in &agents {
                if paused { forest.unpause(&mut (), it) } else { forest.enable(&mut (), it) }.expect("here");
            }
            assert_eq!(forest.tick(&mut (), 0.1).expect("a time").aborts, if paused { 20 } else { 0 });
            let idles = |&it| forest.inspect(it).expect("here").to_string() == "Idle";
            assert!(agents.iter().all(idles), "{paused} {grouped}");
        }
    }
}
