//! Searches a recording for what agents did.

use super::{Replay, ReplayError};
use crate::forest::AgentRef;
use crate::trace::{TraceEvent, Tracer};
use crate::{AgentId, Host};

/// Something that an agent did in a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// After how many frames it had happened: an argument for [`Replay::seek`].
    pub played: u64,
    /// The number of that frame, as the recorded forest counted it.
    pub frame: u64,
    /// The time of the forest after that frame, in seconds.
    pub time: f64,
    /// The agent.
    pub agent: AgentId,
    /// What it did.
    pub event: TraceEvent,
}

/// Notes what nodes do, but not how leaves and conditions answer: agents sleep as in a plain
/// replay.
#[derive(Default)]
struct Notes {
    events: Vec<(AgentId, TraceEvent)>,
}

impl Tracer for Notes {
    const ENABLED: bool = true;
    fn wants(&self, _: AgentId) -> bool {
        true
    }
    fn wants_updates(&self, _: AgentId) -> bool {
        false
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        use TraceEvent as E;
        match event {
            E::Start(_)
            | E::Service(..)
            | E::Switch(_)
            | E::Emit(..)
            | E::End(..)
            | E::Aborted(..)
            | E::Abort { .. }
            | E::Pause(_)
            | E::Unpause(_) => self.events.push((agent, event)),
            E::Tick | E::Update(..) | E::Recheck(..) | E::Check(..) | E::TickEnd => {}
        }
    }
}

impl<H: Host> Replay<H> {
    /// Plays on until agents do something that `accept` accepts, and returns all such events of
    /// that frame; nothing if no later frame has one. `accept` is asked about what nodes do:
    /// [`Start`](TraceEvent::Start), [`End`](TraceEvent::End), [`Aborted`](TraceEvent::Aborted),
    /// [`Abort`](TraceEvent::Abort), [`Switch`](TraceEvent::Switch),
    /// [`Service`](TraceEvent::Service), [`Emit`](TraceEvent::Emit), [`Pause`](TraceEvent::Pause)
    /// and [`Unpause`](TraceEvent::Unpause). It sees the agent as it is after the frame.
    ///
    /// A running game can be searched with the same function over the entries of a
    /// [`Recorder`](crate::trace::Recorder).
    ///
    /// ```
    /// # use pleach_core::{Forest, Host, Outcome, Tree, nodes};
    /// # use pleach_core::{record::{Recording, Replay}, trace::TraceEvent};
    /// # use std::sync::Arc;
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// # let tree = Arc::new(Tree::builder("guard").build(nodes::wait(0.5))?);
    /// # let mut forest = Forest::<Game>::new(7);
    /// # let guards = forest.add_tree(Arc::clone(&tree))?;
    /// # forest.spawn(&mut (), guards)?;
    /// # let mut recording = Recording::new();
    /// # for _ in 0..60 {
    /// #     forest.traced(&mut recording).tick(&mut (), 0.1)?;
    /// # }
    /// # let bytes = recording.to_bytes();
    /// let mut replay = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree)))?;
    /// let ended = |event: TraceEvent| matches!(event, TraceEvent::End(_, Outcome::Success));
    /// let first = replay.find_next(&mut (), |_, event| ended(event))?;
    /// assert_eq!((first.len(), first[0].frame), (1, 6));
    /// let last = replay.find_last(replay.len(), &mut (), |_, event| ended(event))?;
    /// assert_eq!((last.len(), last[0].frame), (1, 60));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`step`](Replay::step).
    pub fn find_next(
        &mut self,
        cx: &mut H::Cx<'_>,
        mut accept: impl FnMut(&AgentRef<'_, H>, TraceEvent) -> bool,
    ) -> Result<Vec<Found>, ReplayError> {
        let (mut notes, mut found) = (Notes::default(), Vec::new());
        while found.is_empty() && self.step_traced(cx, &mut notes)? {
            self.take(&mut notes, &mut accept, &mut found);
        }
        Ok(found)
    }

    /// Goes back to the last frame among the first `before` ones in which agents did something that
    /// `accept` accepts, and returns all such events of that frame. If there is none, the replay is
    /// before the first frame. It asks `accept` about earlier frames after later ones, so `accept`
    /// must not depend on the order of frames. The first search plays all frames; a later one
    /// begins at one of the snapshots that [`seek`](Replay::seek) keeps.
    ///
    /// # Errors
    /// As [`step`](Replay::step).
    pub fn find_last(
        &mut self,
        before: u64,
        cx: &mut H::Cx<'_>,
        mut accept: impl FnMut(&AgentRef<'_, H>, TraceEvent) -> bool,
    ) -> Result<Vec<Found>, ReplayError> {
        let mut end = before.min(self.len());
        while end > 0 {
            let begin = self.mark_before(end);
            self.seek(begin, cx)?;
            let (mut notes, mut in_frame, mut found) = (Notes::default(), Vec::new(), Vec::new());
            while self.played() < end && self.step_traced(cx, &mut notes)? {
                self.mark();
                self.take(&mut notes, &mut accept, &mut in_frame);
                if !in_frame.is_empty() {
                    found = std::mem::take(&mut in_frame);
                }
            }
            if let Some(last) = found.first() {
                self.seek(last.played, cx)?;
                return Ok(found);
            }
            end = begin;
        }
        self.seek(0, cx)?;
        Ok(Vec::new())
    }

    /// Takes the accepted events of a frame that was just played.
    fn take(
        &self,
        notes: &mut Notes,
        accept: &mut impl FnMut(&AgentRef<'_, H>, TraceEvent) -> bool,
        found: &mut Vec<Found>,
    ) {
        let (played, frame, time) = (self.played(), self.frame(), self.forest().time());
        for (agent, event) in notes.events.drain(..) {
            if self.forest().agent(agent).is_ok_and(|it| accept(&it, event)) {
                found.push(Found { played, frame, time, agent, event });
            }
        }
    }
}
