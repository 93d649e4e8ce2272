//! A tracer that keeps events.

use std::collections::VecDeque;
use std::fmt;
use std::ops::BitOr;
use std::sync::Arc;

use super::{TraceEvent, TraceNames, Tracer};
use crate::AgentId;

/// Kinds of [`TraceEvent`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceKinds(u16);

impl TraceKinds {
    /// None.
    pub const NONE: TraceKinds = TraceKinds(0);
    /// [`TraceEvent::Tick`] and [`TraceEvent::TickEnd`].
    pub const TICKS: TraceKinds = TraceKinds(1 << 0);
    /// [`TraceEvent::Start`].
    pub const STARTS: TraceKinds = TraceKinds(1 << 1);
    /// [`TraceEvent::Update`].
    pub const UPDATES: TraceKinds = TraceKinds(1 << 2);
    /// [`TraceEvent::Recheck`].
    pub const RECHECKS: TraceKinds = TraceKinds(1 << 3);
    /// [`TraceEvent::Check`].
    pub const CHECKS: TraceKinds = TraceKinds(1 << 4);
    /// [`TraceEvent::Service`].
    pub const SERVICES: TraceKinds = TraceKinds(1 << 5);
    /// [`TraceEvent::Switch`].
    pub const SWITCHES: TraceKinds = TraceKinds(1 << 6);
    /// [`TraceEvent::Emit`].
    pub const EMITS: TraceKinds = TraceKinds(1 << 7);
    /// [`TraceEvent::End`].
    pub const ENDS: TraceKinds = TraceKinds(1 << 8);
    /// [`TraceEvent::Abort`] and [`TraceEvent::Aborted`].
    pub const ABORTS: TraceKinds = TraceKinds(1 << 9);
    /// [`TraceEvent::Pause`] and [`TraceEvent::Unpause`].
    pub const PAUSES: TraceKinds = TraceKinds(1 << 10);
    /// Decisions: which nodes started and how they ended, aborts, turns to another child, and
    /// events that nodes emitted; without the updates and checks in between.
    pub const DECISIONS: TraceKinds =
        TraceKinds(Self::STARTS.0 | Self::SWITCHES.0 | Self::EMITS.0 | Self::ENDS.0 | Self::ABORTS.0);
    /// All present and future kinds.
    pub const ALL: TraceKinds = TraceKinds(u16::MAX);

    /// Whether all kinds of `other` are among these.
    #[must_use]
    pub const fn contains(self, other: TraceKinds) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for TraceKinds {
    type Output = TraceKinds;
    fn bitor(self, other: TraceKinds) -> TraceKinds {
        TraceKinds(self.0 | other.0)
    }
}

impl TraceKinds {
    fn of(event: &TraceEvent) -> Self {
        match event {
            TraceEvent::Tick | TraceEvent::TickEnd => Self::TICKS,
            TraceEvent::Start(_) => Self::STARTS,
            TraceEvent::Update(..) => Self::UPDATES,
            TraceEvent::Recheck(..) => Self::RECHECKS,
            TraceEvent::Check(..) => Self::CHECKS,
            TraceEvent::Service(..) => Self::SERVICES,
            TraceEvent::Switch(_) => Self::SWITCHES,
            TraceEvent::Emit(..) => Self::EMITS,
            TraceEvent::End(..) => Self::ENDS,
            TraceEvent::Abort { .. } | TraceEvent::Aborted(..) => Self::ABORTS,
            TraceEvent::Pause(_) | TraceEvent::Unpause(_) => Self::PAUSES,
        }
    }
}

/// An event, its time, and its agent. Prints as a line that numbers the nodes; `TraceLine` of
/// `pleach-draw` names them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceEntry {
    /// The number of the frame: how many ticks the forest or the brain has had.
    pub frame: u64,
    /// The time of the forest or the brain, in seconds.
    pub time: f64,
    /// The agent it happened to.
    pub agent: AgentId,
    /// What happened.
    pub event: TraceEvent,
}

impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.3} s {:?} {:?}", self.frame, self.time, self.agent, self.event)
    }
}

/// Keeps the events of some agents, or of all: everything until it is taken, or only the latest
/// entries in a ring. It keeps the names of the nodes, too ([`named`](Recorder::named)), so that a
/// ring can be read after its trees were replaced and its agents are gone.
///
/// ```
/// use pleach_core::trace::{Recorder, TraceKinds};
/// // The last 10 000 aborts, of whomever.
/// let recorder = Recorder::all().only(TraceKinds::ABORTS).latest(10_000);
/// # drop(recorder);
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Sorted; all agents if there is no list.
    agents: Option<Vec<AgentId>>,
    kinds: TraceKinds,
    most: usize,
    /// How long an entry is kept, in seconds.
    seconds: f64,
    frame: u64,
    time: f64,
    entries: VecDeque<Kept>,
    lost: u64,
}

/// An entry, and the names of the nodes of its agent's tree at that time.
#[derive(Clone, Debug)]
struct Kept {
    entry: TraceEntry,
    names: Option<Arc<TraceNames>>,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::all()
    }
}

impl Recorder {
    /// Records every agent.
    #[must_use]
    pub fn all() -> Self {
        Recorder {
            agents: None,
            kinds: TraceKinds::ALL,
            most: usize::MAX,
            seconds: f64::INFINITY,
            frame: 0,
            time: 0.0,
            entries: VecDeque::new(),
            lost: 0,
        }
    }

    /// Records these agents.
    #[must_use]
    pub fn of(agents: impl IntoIterator<Item = AgentId>) -> Self {
        let mut agents: Vec<_> = agents.into_iter().collect();
        agents.sort_unstable();
        Recorder { agents: Some(agents), ..Recorder::all() }
    }

    /// Records only events of these kinds.
    #[must_use]
    pub fn only(mut self, kinds: TraceKinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// Keeps only the latest `most` entries, in a ring: a new entry replaces the oldest one. With 0
    /// none is kept, and all are [`lost`](Recorder::lost).
    #[must_use]
    pub fn latest(mut self, most: usize) -> Self {
        self.most = most;
        while self.entries.len() > most {
            self.entries.pop_front();
            self.lost += 1;
        }
        self
    }

    /// Keeps only what happened in the last `seconds` of the forest's or the brain's time: enough
    /// for "what did it just do?", in as much memory as that takes. With
    /// [`latest`](Recorder::latest) both limits hold.
    ///
    /// ```
    /// use pleach_core::trace::{Recorder, TraceKinds};
    /// let recorder = Recorder::all().only(TraceKinds::DECISIONS).last_seconds(5.0);
    /// # drop(recorder);
    /// ```
    #[must_use]
    pub fn last_seconds(mut self, seconds: f64) -> Self {
        self.seconds = seconds;
        self.drop_old();
        self
    }

    /// Drops entries that are too old. A clock that went back, as after a rollback, drops nothing.
    fn drop_old(&mut self) {
        let from = self.time - self.seconds;
        while self.entries.front().is_some_and(|it| it.entry.time < from) {
            self.entries.pop_front();
            self.lost += 1;
        }
    }

    /// The kept entries, oldest first.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &TraceEntry> {
        self.entries.iter().map(|it| &it.entry)
    }

    /// The kept entries, oldest first, with the names of the nodes at that time: for the tree that
    /// the agent had, which may have been replaced since, and for agents that may be gone. Entries
    /// that were recorded by [`Tracer::record`] have none.
    ///
    /// `TraceLine` of `pleach-draw` makes lines of them.
    pub fn named(&self) -> impl ExactSizeIterator<Item = (&TraceEntry, Option<&TraceNames>)> {
        self.entries.iter().map(|it| (&it.entry, it.names.as_deref()))
    }

    /// How many entries were replaced by later ones, or not kept at all.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Takes the kept entries, oldest first.
    pub fn take(&mut self) -> Vec<TraceEntry> {
        self.entries.drain(..).map(|it| it.entry).collect()
    }

    fn put(&mut self, agent: AgentId, event: TraceEvent, names: impl FnOnce() -> Option<Arc<TraceNames>>) {
        if !self.kinds.contains(TraceKinds::of(&event)) {
            return;
        }
        if self.entries.len() >= self.most {
            self.lost += 1;
            if self.entries.pop_front().is_none() {
                return;
            }
        }
        let entry = TraceEntry { frame: self.frame, time: self.time, agent, event };
        self.entries.push_back(Kept { entry, names: names() });
    }
}

impl Tracer for Recorder {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        self.agents.as_ref().is_none_or(|it| it.binary_search(&agent).is_ok())
    }
    fn frame(&mut self, frame: u64, time: f64) {
        (self.frame, self.time) = (frame, time);
        self.drop_old();
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        self.put(agent, event, || None);
    }
    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        self.put(agent, event, || Some(names()));
    }
}
