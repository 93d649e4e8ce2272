//! How often nodes were started, and how they ended.

use pleach::Outcome;
use pleach::trace::TraceEvent;
use serde::{Deserialize, Serialize};

/// How often things happened to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Counts {
    pub(crate) started: u64,
    pub(crate) succeeded: u64,
    pub(crate) failed: u64,
    /// Ended from outside.
    pub(crate) aborted: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.started = self.started.saturating_add(other.started);
        self.succeeded = self.succeeded.saturating_add(other.succeeded);
        self.failed = self.failed.saturating_add(other.failed);
        self.aborted = self.aborted.saturating_add(other.aborted);
    }
}

/// Counts what happened to a node; `counts` are those of all nodes, in pre-order.
pub(crate) fn count(counts: &mut [Counts], event: &TraceEvent) {
    let (node, one) = match *event {
        TraceEvent::Start(node) => (node, Counts { started: 1, ..Counts::default() }),
        TraceEvent::End(node, Outcome::Success) => (node, Counts { succeeded: 1, ..Counts::default() }),
        TraceEvent::End(node, Outcome::Failure) => (node, Counts { failed: 1, ..Counts::default() }),
        TraceEvent::Aborted(node, _) => (node, Counts { aborted: 1, ..Counts::default() }),
        _ => return,
    };
    if let Some(it) = counts.get_mut(node.index()) {
        it.add(one);
    }
}
