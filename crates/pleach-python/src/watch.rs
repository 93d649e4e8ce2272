//! What watches a forest or a brain: a recording, the latest lines of a trace, and how often each
//! node was started and how it ended.

use std::sync::Arc;

use pleach_core::record::Recording;
use pleach_core::trace::{Recorder, TraceEvent, TraceNames, Tracer};
use pleach_core::{AgentId, NodeId, Outcome};
use pleach_draw::{NodeCounts, TraceLine};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array;
use crate::error::error;
use crate::recording::Kept;

/// What watches a forest or a brain.
#[derive(Default)]
pub(crate) struct Watch {
    /// The recording, between calls.
    pub(crate) recording: Option<Arc<Kept>>,
    pub(crate) tracers: Tracers,
}

/// What watches one call: the recording, and the trace with the coverage.
pub(crate) type Tracers = (Option<Recording>, TraceAndCoverage);

/// The recorder of a trace and the counts of nodes, each if it is wanted.
#[derive(Default)]
pub(crate) struct TraceAndCoverage {
    recorder: Option<Recorder>,
    coverage: Option<Coverage>,
}

impl Watch {
    /// Takes the recording for a call.
    pub(crate) fn begin(&mut self) {
        if let Some(kept) = &self.recording {
            self.tracers.0 = self.tracers.0.take().or_else(|| kept.take());
            if self.tracers.0.is_none() {
                self.recording = None;
            }
        }
    }

    /// Gives it back after the call.
    pub(crate) fn finish(&mut self) {
        if let (Some(kept), Some(recording)) = (&self.recording, self.tracers.0.take()) {
            kept.give_back(recording);
        }
    }

    /// Keeps the latest `room` lines of what agents do.
    pub(crate) fn trace(&mut self, room: usize, recorder: Recorder) {
        self.tracers.1.recorder = (room > 0).then(|| recorder.latest(room));
    }

    /// Counts starts and ends of nodes.
    pub(crate) fn count(&mut self, on: bool) {
        self.tracers.1.coverage = on.then(Coverage::default);
    }

    /// The columns of the trace.
    pub(crate) fn trace_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let recorder = self.tracers.1.recorder.as_ref();
        columns(py, recorder.ok_or_else(|| error("nothing was traced: call `record_trace` before the tick"))?)
    }

    /// The columns of the coverage.
    pub(crate) fn coverage_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let coverage = self.tracers.1.coverage.as_ref();
        coverage.ok_or_else(|| error("nothing was counted: call `record_coverage` before the tick"))?.columns(py)
    }
}

/// Whether anything watches.
pub(crate) fn is_on((recording, seen): &Tracers) -> bool {
    recording.is_some() || seen.recorder.is_some() || seen.coverage.is_some()
}

/// Counts by tree. A new version of a tree begins with zeros.
#[derive(Default)]
pub(crate) struct Coverage {
    trees: Vec<(Arc<TraceNames>, Vec<NodeCounts>)>,
    last: usize,
}

impl Tracer for TraceAndCoverage {
    const ENABLED: bool = true;

    fn wants(&self, agent: AgentId) -> bool {
        self.coverage.is_some() || self.recorder.as_ref().is_some_and(|it| it.wants(agent))
    }

    fn frame(&mut self, frame: u64, time: f64) {
        if let Some(it) = &mut self.recorder {
            it.frame(frame, time);
        }
    }

    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        if let Some(it) = self.recorder.as_mut().filter(|it| it.wants(agent)) {
            it.record(agent, event);
        }
    }

    fn record_named(&mut self, names: impl FnOnce() -> Arc<TraceNames>, agent: AgentId, event: TraceEvent) {
        let names = names();
        if let Some(it) = &mut self.coverage {
            it.count(&names, event);
        }
        if let Some(it) = self.recorder.as_mut().filter(|it| it.wants(agent)) {
            it.record_named(|| names, agent, event);
        }
    }
}

impl Coverage {
    fn count(&mut self, names: &Arc<TraceNames>, event: TraceEvent) {
        let (node, add): (NodeId, fn(&mut NodeCounts)) = match event {
            TraceEvent::Start(node) => (node, |it| it.started += 1),
            TraceEvent::End(node, Outcome::Success) => (node, |it| it.succeeded += 1),
            TraceEvent::End(node, Outcome::Failure) => (node, |it| it.failed += 1),
            TraceEvent::Aborted(node, _) => (node, |it| it.aborted += 1),
            _ => return,
        };
        if self.trees.get(self.last).is_none_or(|it| !Arc::ptr_eq(&it.0, names)) {
            let found = self.trees.iter().position(|it| Arc::ptr_eq(&it.0, names));
            self.last = found.unwrap_or_else(|| {
                self.trees.push((Arc::clone(names), Vec::new()));
                self.trees.len() - 1
            });
        }
        let Some((_, nodes)) = self.trees.get_mut(self.last) else { return };
        if nodes.len() <= node.index() {
            nodes.resize(node.index() + 1, NodeCounts::default());
        }
        if let Some(it) = nodes.get_mut(node.index()) {
            add(it);
        }
    }

    /// The counts as columns, a row for each node.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut rows: Vec<(&str, String, usize, NodeCounts)> = Vec::new();
        for (names, nodes) in &self.trees {
            // Nodes after the last one that was started have names too.
            let named = (0..).map_while(|at| names.node(NodeId::new(at)?));
            for (at, label) in named.enumerate() {
                rows.push((names.tree(), label.to_owned(), at, nodes.get(at).copied().unwrap_or_default()));
            }
        }
        let columns = PyDict::new(py);
        let number =
            |of: fn(&NodeCounts) -> u64| array::array(py, &rows.iter().map(|it| of(&it.3)).collect::<Vec<_>>());
        columns.set_item("tree", array::words(py, rows.iter().map(|it| it.0))?)?;
        columns.set_item("node", array::array(py, &rows.iter().map(|it| it.2 as u64).collect::<Vec<_>>())?)?;
        columns.set_item("label", array::words(py, rows.iter().map(|it| &*it.1))?)?;
        columns.set_item("started", number(|it| it.started)?)?;
        columns.set_item("succeeded", number(|it| it.succeeded)?)?;
        columns.set_item("failed", number(|it| it.failed)?)?;
        columns.set_item("aborted", number(|it| it.aborted)?)?;
        Ok(columns)
    }
}

/// The lines of a trace as columns.
fn columns<'py>(py: Python<'py>, recorder: &Recorder) -> PyResult<Bound<'py, PyDict>> {
    let all: Vec<_> = recorder.named().collect();
    let columns = PyDict::new(py);
    let node = |event: &TraceEvent| node_of(event).map_or(-1, |it| i64::try_from(it.index()).unwrap_or(-1));
    columns.set_item("frame", array::array(py, &all.iter().map(|it| it.0.frame).collect::<Vec<_>>())?)?;
    columns.set_item("time", array::array(py, &all.iter().map(|it| it.0.time).collect::<Vec<_>>())?)?;
    columns.set_item("agent", array::array(py, &all.iter().map(|it| it.0.agent.to_bits()).collect::<Vec<_>>())?)?;
    columns.set_item("tree", array::words(py, all.iter().map(|it| it.1.map_or("", TraceNames::tree)))?)?;
    columns.set_item("node", array::array(py, &all.iter().map(|it| node(&it.0.event)).collect::<Vec<_>>())?)?;
    columns.set_item("event", array::words(py, all.iter().map(|it| kind_of(&it.0.event)))?)?;
    let lines: Vec<String> = TraceLine::of_all(recorder).map(|it| it.to_string()).collect();
    columns.set_item("text", array::words(py, lines.iter().map(String::as_str))?)?;
    Ok(columns)
}

fn node_of(event: &TraceEvent) -> Option<NodeId> {
    Some(match *event {
        TraceEvent::Start(node)
        | TraceEvent::Update(node, _)
        | TraceEvent::Recheck(node, _)
        | TraceEvent::Check(node, _)
        | TraceEvent::Service(node, _)
        | TraceEvent::Switch(node)
        | TraceEvent::Emit(node, _)
        | TraceEvent::End(node, _)
        | TraceEvent::Aborted(node, _)
        | TraceEvent::Pause(node)
        | TraceEvent::Unpause(node) => node,
        TraceEvent::Abort { by, .. } => by,
        _ => return None,
    })
}

fn kind_of(event: &TraceEvent) -> &'static str {
    match event {
        TraceEvent::Tick => "tick",
        TraceEvent::Start(_) => "start",
        TraceEvent::Update(..) => "update",
        TraceEvent::Recheck(..) => "recheck",
        TraceEvent::Check(..) => "check",
        TraceEvent::Service(..) => "service",
        TraceEvent::Switch(_) => "switch",
        TraceEvent::Emit(..) => "emit",
        TraceEvent::End(..) => "end",
        TraceEvent::Aborted(..) => "aborted",
        TraceEvent::Abort { .. } => "abort",
        TraceEvent::Pause(_) => "pause",
        TraceEvent::Unpause(_) => "unpause",
        TraceEvent::TickEnd => "tick end",
        _ => "other",
    }
}
