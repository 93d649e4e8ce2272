//! Ticking as many agents as a frame can afford (SEMANTICS 8.4).

use super::tick::Tally;
use super::trees::{ChunkPlace, Cursor};
use super::{Forest, TickReport};
use crate::Host;
use crate::clock::{self, DtError};
use crate::row::Row;
use crate::trace::{NoTracer, Traced, Tracer};

/// How much one call of [`Forest::tick_within`] may do.
pub enum Budget<'c> {
    /// At most this many agents are ticked. With 0 no agent is ticked, and time passes.
    Agents(u64),
    /// This many microseconds by a clock of the host. The clock gives microseconds since any
    /// moment. It is asked before every part of a chunk, of at most 64 agents, but not before an
    /// agent has been ticked. A clock that stands still or jumps backwards counts as no time: then
    /// all agents are ticked. If it jumps back and runs on from there, there is that much more to
    /// spend.
    Micros(u64, &'c mut dyn FnMut() -> u64),
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Budget::Agents(agents) => f.debug_tuple("Agents").field(agents).finish(),
            Budget::Micros(micros, _) => f.debug_tuple("Micros").field(micros).finish_non_exhaustive(),
        }
    }
}

impl Budget<'_> {
    /// The clock's reading at the start of a call.
    fn start(&mut self) -> u64 {
        match self {
            Budget::Agents(_) => 0,
            Budget::Micros(_, clock) => clock(),
        }
    }

    /// How many more agents may be ticked, after `agents_ticked` have been.
    fn left(&mut self, started: u64, agents_ticked: u64) -> u64 {
        match self {
            Budget::Agents(agents) => *agents - agents_ticked,
            Budget::Micros(micros, clock) => {
                let spent = agents_ticked > 0 && clock().saturating_sub(started) >= *micros;
                if spent { 0 } else { u64::MAX }
            }
        }
    }
}

impl<H: Host> Forest<H> {
    /// As [`tick`](Forest::tick), but only for as many agents as the budget allows (SEMANTICS 8.4).
    /// The next call carries on after them. Time passes for all agents: the next
    /// [`Context::dt`](crate::Context::dt) of an agent that had to wait includes all of it.
    ///
    /// Agents take turns, so none waits for ever: with `n` agents and a budget of `b` agents, one
    /// of rate `r` that is awake is ticked at least once in `ceil(n / b) + r` calls. A budget in
    /// microseconds, however short, is enough for at least the next part in which an agent is
    /// ticked. An agent that has moved to another place, because others were despawned, may be left
    /// out once. Costs nine bytes per agent, and a look at the bits of each chunk.
    ///
    /// # Errors
    /// As [`tick`](Forest::tick).
    ///
    /// # Panics
    /// As [`tick`](Forest::tick).
    pub fn tick_within(&mut self, cx: &mut H::Cx<'_>, dt: f32, budget: Budget<'_>) -> Result<TickReport, DtError> {
        self.traced(&mut NoTracer).tick_within(cx, dt, budget)
    }

    /// Makes every chunk track the turns of its agents.
    pub(crate) fn keep_turns(&mut self) {
        if !self.paced {
            self.paced = true;
            let (frame, now) = (self.frame, self.call.now);
            self.trees.for_each(|population| {
                for chunk in &mut population.chunks {
                    chunk.turns(frame, now);
                }
            });
        }
    }
}

impl<H: Host, T: Tracer> Traced<'_, Forest<H>, T> {
    /// As [`Forest::tick_within`].
    ///
    /// # Errors
    /// If `dt` is negative, NaN, infinite or above [`MAX_DT`](crate::limits::MAX_DT). Nothing
    /// happens then.
    ///
    /// # Panics
    /// If a leaf panics. Its agent is then [`Panicked`](crate::Phase::Panicked).
    pub fn tick_within(&mut self, cx: &mut H::Cx<'_>, dt: f32, mut budget: Budget<'_>) -> Result<TickReport, DtError> {
        let dt = clock::dt(dt)?;
        self.keep_turns();
        self.begin_frame(dt);
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.begin_inputs(dt);
        }
        let started = budget.start();
        let mut tally = Tally::default();
        let first = self.cursor;
        let (mut stopped, in_batches) = (None, self.call.batched);
        let (mut parts, trees, places) = self.parts_of_all();
        // Goes around once: the end of the cursor's chunk comes first, and its beginning last.
        for (lap, part) in
            [first.chunk..ChunkPlace::END, ChunkPlace::default()..first.chunk.next()].into_iter().enumerate()
        {
            trees.for_chunks(part, places, &mut parts, |parts, index, shape, chunk| {
                let (start, again) = (index == first.chunk && lap == 0, index == first.chunk && lap == 1);
                if stopped.is_some() {
                    tally.report.asleep += if again { 0 } else { chunk.asleep() };
                    return;
                }
                #[cfg(feature = "save")]
                if T::INPUTS {
                    chunk.begin_inputs(shape, parts);
                }
                if !again {
                    chunk.begin(parts, &mut tally.report);
                }
                let mut from = if start { first.row.min(chunk.end()) } else { Row::FIRST };
                let end = if again { first.row.min(chunk.end()) } else { chunk.end() };
                while from < end && stopped.is_none() {
                    let left = budget.left(started, tally.spent);
                    if left > 0 {
                        // The clock is checked again after this word of bits.
                        let part = from..Row::first_of(from.word() + 1).min(end);
                        from = chunk.tick_part(shape, cx, parts, &mut tally, part, left);
                    }
                    if left == 0 || (tally.panics.any() && !in_batches) {
                        stopped = Some(Cursor { chunk: index, row: from });
                    }
                }
                if tally.panics.any() {
                    stopped = Some(Cursor { chunk: index, row: from });
                }
            });
        }
        if let Some(stopped) = stopped {
            self.cursor = stopped;
        }
        #[cfg(feature = "save")]
        if T::INPUTS {
            self.end_inputs();
        }
        tally.panics.go_on();
        self.carry_out(cx);
        Ok(tally.report)
    }
}
