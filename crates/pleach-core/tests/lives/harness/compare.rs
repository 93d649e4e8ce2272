//! The observable results of a life, and whether two lives are the same.

use std::fmt::Debug;

use pleach_core::{
    AgentId, Event, Forest, NodeId, Outcome, Phase, Value,
    inspect::{AbortView, AgentView, MonitorView},
};

use super::{Line, Town};

/// What can be seen of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    pub(crate) phase: Phase,
    pub(crate) time: f64,
    pub(crate) keys: Vec<Value>,
    pub(crate) stacks: Vec<Vec<NodeId>>,
    pub(crate) monitors: Vec<MonitorView>,
    pub(crate) last_abort: Option<AbortView>,
    pub(crate) last_outcome: Option<Outcome>,
    pub(crate) mail: Vec<Event>,
}

impl Fact {
    /// Without whether it sleeps, which does not affect what an agent does.
    pub(crate) fn awake(self) -> Self {
        let phase = if self.phase == Phase::Asleep { Phase::Active } else { self.phase };
        Self { phase, ..self }
    }

    pub(crate) fn of(view: AgentView<Town>) -> Self {
        Fact {
            phase: view.phase,
            time: view.time,
            keys: view.keys.iter().map(|it| it.1).collect(),
            stacks: view.stacks,
            monitors: view.monitors,
            last_abort: view.last_abort,
            last_outcome: view.last_outcome,
            mail: view.mail,
        }
    }
}

/// What can be seen of an agent, if it is there.
pub(crate) fn fact(forest: &Forest<Town>, it: AgentId) -> Option<Fact> {
    forest.agent(it).map(|it| it.inspect()).ok().map(Fact::of)
}

/// Agent by agent, each one's callbacks in their order.
pub(crate) fn by_agent(mut log: Vec<Line>) -> Vec<Line> {
    log.sort_by_key(|it| it.agent);
    log
}

/// Reports the first difference.
///
/// # Panics
/// If there is one.
pub(crate) fn same<L: PartialEq + Debug>(what: &str, seed: u64, one: &[L], other: &[L]) {
    let end = one.len().max(other.len());
    if let Some(at) = (0..end).find(|&at| one.get(at) != other.get(at)) {
        panic!("{what}, seed {seed}: {at} of {end} is {:?}, not {:?}", other.get(at), one.get(at));
    }
}

/// The first `count` seeds, or as many as `SEEDS` says.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    0..std::env::var("SEEDS").map_or(count, |all| all.parse().expect("SEEDS is a number"))
}
