//! The few agents of a chunk that have woken, each ticked with as little as it needs.

use super::super::awake::next;
use super::Ticking;
use super::notes::ChunkNotes;
use crate::Host;
use crate::bits::{self, Bits, pop};
use crate::life::is_plain_sleeper;
use crate::machine::notes::{Counted, Notes};
use crate::machine::simple::Simple;
use crate::machine::simple::wake::WakeResult;
use crate::row::Row;
use crate::trace::Tracer;

/// The columns of so few agents are a few lines of memory each.
const IN_CACHE: usize = 128;
/// If more than every eighth agent has to be ticked, a cache line serves several of them.
const SPARSE: usize = 8;

impl ChunkNotes<'_> {
    /// Ticks the due agents from `at` on, as long as each is asleep and its `Wait` is over. Returns
    /// the first one that differs, or `end`.
    #[inline(always)]
    pub(super) fn tick_sleepers<H: Host, T: Tracer>(
        &mut self,
        simple: &mut Simple<'_, '_, '_, H, T>,
        mut at: Row,
        end: Row,
        due: &Bits,
    ) -> Row {
        while at < end && self.sleeps && is_plain_sleeper(self.flags[at.index()]) && simple.wait_is_over(at) {
            self.report.asleep -= 1;
            simple.machine().cx.agent.at = at;
            match simple.tick_woken() {
                WakeResult::Waits(until) => {
                    self.sleep_until(simple.machine(), until);
                    if simple.machine().tree.observers.words > 0 {
                        simple.machine().cx.agent.refresh_dirty_agent(at);
                    }
                    self.count(Counted::Ticked, 1);
                }
                WakeResult::Other(ended) => self.store(simple.machine(), ended),
            }
            if simple.machine().watch.shared != 0 {
                // It may have woken the next one.
                return at.next();
            }
            at = next(due, at.next(), end, 0).unwrap_or(end);
        }
        at
    }
}

impl<H: Host, T: Tracer> Ticking<'_, '_, H, T> {
    /// Reads a little of each column that ticks need, for a few due agents. Their memory is then
    /// loaded at the same time; their ticks would wait for it one after the other.
    pub(super) fn prefetch(&self) {
        let agents = self.range.end.index() - self.range.start.index();
        if agents <= IN_CACHE {
            return;
        }
        let words = bits::words(&self.range);
        let count: u32 = self.due.now[words.clone()].iter().map(|it| it.count_ones()).sum();
        if count <= 1 || count as usize * SPARSE > agents {
            return;
        }
        let (agent, columns) = (&self.machine.cx.agent, &self.machine.columns);
        let watched = self.machine.tree.observers.words > 0;
        let mut touched = 0;
        for word in words {
            let mut due = self.due.now[word];
            while let Some(at) = pop(word, &mut due) {
                touched ^= agent.rows().lives[at.index()].time.prefetch() ^ columns.prefetch(at);
                if watched {
                    let dirty = agent.dirty(at).first().copied().unwrap_or(0);
                    touched ^= dirty ^ columns.prefetch_observers(at);
                }
            }
        }
        std::hint::black_box(touched);
    }
}
