//! `pleach.Brain`: one agent with its tree, in no forest.

use std::sync::Arc;

use pleach_core::trace::{Recorder, Traced};
use pleach_core::{AgentId, Brain, BrainSave, BrainSnapshot, Outcome, Tree};
use pleach_draw::Drawing;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::agent::word_of;
use crate::board::{Boards, PyBoard};
use crate::error::error;
use crate::forest::{completion_of, narrowed, packed, spawn_of, unpacked};
use crate::host::{Cx, Script};
use crate::key::no_pickle;
use crate::recording::{Kept, PyRecording};
use crate::said;
use crate::shared::{Runtime, Shared};
use crate::texts::Loaded;
use crate::tree::{PyTree, find, names, why_not};
use crate::value;
use crate::watch::{Tracers, is_on};

/// A brain with the boards that it shares.
pub(crate) struct Body {
    brain: Brain<Script>,
    boards: Boards,
}

impl Runtime for Body {
    const NAME: &'static str = "brain";
    fn tree_of(&self, _: AgentId) -> Option<&Arc<Tree<Script>>> {
        Some(self.brain.tree())
    }
    fn trees(&self) -> Vec<&Arc<Tree<Script>>> {
        vec![self.brain.tree()]
    }
}

impl Body {
    /// Makes a call while the brain has the values of its boards.
    fn share<R>(&mut self, call: impl FnOnce(&mut Brain<Script>) -> PyResult<R>) -> PyResult<R> {
        self.boards.share(&mut self.brain, call)
    }
}

/// One agent with its tree, in no forest: up to about ten agents of a tree are faster this way.
/// Leaves get `world` as `context.world` and `batch.world`. With `once`, it turns off when its root
/// has ended; otherwise it restarts.
#[pyclass(frozen, module = "pleach._pleach", name = "Brain")]
pub(crate) struct PyBrain {
    shared: Shared<Body>,
}

impl PyBrain {
    /// Looks at the agent, or changes it without its leaves.
    fn with<R>(&self, then: impl FnOnce(&mut Brain<Script>) -> PyResult<R>) -> PyResult<R> {
        self.shared.lock()?.core.share(then)
    }

    /// A change that may run leaves.
    fn change(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Traced<'_, Brain<Script>, Tracers>, &mut Cx) + Send,
    ) -> PyResult<()> {
        self.shared.call(py, |body, cx, watch| {
            body.share(|brain| {
                change(&mut brain.traced(watch), cx);
                Ok(())
            })
        })
    }
}

/// What one tick of a brain did.
#[pyclass(frozen, get_all, module = "pleach._pleach", name = "BrainReport")]
pub(crate) struct PyBrainReport {
    /// How the root ended: `success` or `failure`; `None` if it has not.
    outcome: Option<&'static str>,
    /// What the agent emitted to the game since the last tick.
    emitted: Py<PyAny>,
    /// What `Log` nodes said since the last tick: ids of agents, numbers of nodes, and texts.
    logged: Py<PyAny>,
}

/// The state of a brain at a moment, in memory: `Brain.rollback` goes back to it.
#[pyclass(frozen, module = "pleach._pleach", name = "BrainSnapshot")]
pub(crate) struct PyBrainSnapshot(BrainSnapshot<Script>);

#[pymethods]
impl PyBrainSnapshot {
    /// The brain's time when it was made, in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("BrainSnapshot"))
    }
}

fn said_of(it: Outcome) -> &'static str {
    match it {
        Outcome::Success => "success",
        Outcome::Failure => "failure",
    }
}

#[pymethods]
impl PyBrain {
    #[new]
    #[pyo3(signature = (tree, seed=0, world=None, *, entity=None, enabled=true, once=false))]
    fn new(
        py: Python<'_>,
        tree: &Bound<'_, PyTree>,
        seed: u64,
        world: Option<Py<PyAny>>,
        entity: Option<u32>,
        enabled: bool,
        once: bool,
    ) -> PyResult<Self> {
        let Loaded { tree, texts, leaves } = tree.get().0.clone_ref(py);
        let spawn = spawn_of(entity, None, None, enabled, once);
        let mut cx = Cx::new(world.as_ref().map(|it| it.clone_ref(py)));
        let brain = py.detach(|| Brain::spawn_with(&mut cx, tree, seed, spawn));
        let body = Body { brain, boards: Boards::default() };
        cx.finish(py, &body)?;
        let shared = Shared::new(body, world);
        shared.lock()?.know(py, &texts, &leaves);
        Ok(PyBrain { shared })
    }

    /// What leaves get as `context.world` and `batch.world`.
    #[getter]
    fn world(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.world(py)
    }

    #[setter]
    fn set_world(&self, world: Option<Py<PyAny>>) -> PyResult<()> {
        self.shared.set_world(world)
    }

    /// The id of the agent, as leaves and traces have it.
    #[getter]
    fn id(&self) -> PyResult<u64> {
        Ok(self.shared.lock()?.core.brain.agent().to_bits())
    }

    /// Its tree.
    #[getter]
    fn tree(&self, py: Python<'_>) -> PyResult<PyTree> {
        let inner = self.shared.lock()?;
        inner.loaded(py, inner.core.brain.tree())
    }

    /// Its time in seconds.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.shared.lock()?.core.brain.time())
    }

    /// Which of the game's entities it is.
    #[getter]
    fn entity(&self) -> PyResult<Option<usize>> {
        Ok(self.shared.lock()?.core.brain.entity().index())
    }

    #[setter]
    fn set_entity(&self, entity: Option<u32>) -> PyResult<()> {
        self.shared.lock()?.core.brain.set_entity(value::entity(entity));
        Ok(())
    }

    /// What it is called in drawings and recordings.
    #[getter]
    fn label(&self) -> PyResult<Option<String>> {
        Ok(self.shared.lock()?.core.brain.label().map(str::to_owned))
    }

    #[setter]
    fn set_label(&self, label: &str) -> PyResult<()> {
        self.shared.lock()?.core.brain.set_label(label);
        Ok(())
    }

    /// What it is doing in one word: `active`, `asleep`, `paused`, `off` or `panicked`.
    #[getter]
    fn phase(&self) -> PyResult<&'static str> {
        Ok(word_of(self.shared.lock()?.core.brain.phase()))
    }

    /// How its root ended last: `success` or `failure`; `None` if it has not.
    #[getter]
    fn outcome(&self) -> PyResult<Option<&'static str>> {
        Ok(self.shared.lock()?.core.brain.last_outcome().map(said_of))
    }

    /// The nodes that run in it, as traces and reports call them.
    #[getter]
    fn current(&self) -> PyResult<Vec<String>> {
        let inner = self.shared.lock()?;
        Ok(names(inner.core.brain.tree(), inner.core.brain.current()))
    }

    /// Advances time by `dt` seconds and ticks the agent. Raises what its leaves raised, after
    /// that.
    fn tick(&self, py: Python<'_>, dt: f64) -> PyResult<PyBrainReport> {
        let dt = narrowed(dt);
        let run = |body: &mut Body, cx: &mut Cx, watch: &mut Tracers| {
            body.share(|brain| {
                let ended = if is_on(watch) { brain.traced(watch).tick(cx, dt) } else { brain.tick(cx, dt) };
                ended.map_err(error)
            })
        };
        self.shared.call_then(py, run, |inner, ended| {
            let (emitted, logged) = said::take(py, inner)?;
            Ok(PyBrainReport { outcome: ended.map(said_of), emitted, logged })
        })
    }

    /// Whether a node is active, by its name.
    fn is_active(&self, node: &str) -> PyResult<bool> {
        let inner = self.shared.lock()?;
        let brain = &inner.core.brain;
        Ok(brain.is_active(find(brain.tree(), node)?))
    }

    /// What it does, what it watches, and what aborted it last, in a few lines; empty if it is
    /// gone.
    fn explain(&self) -> PyResult<String> {
        Ok(self.shared.lock()?.core.brain.explain().map(|it| it.to_string()).unwrap_or_default())
    }

    /// What keeps it from running a node, which is given by name, in a few lines.
    fn why_not(&self, node: &str) -> PyResult<String> {
        let inner = self.shared.lock()?;
        let brain = &inner.core.brain;
        why_not(brain.tree(), node, |it| brain.why_not(it))
    }

    /// Sends it an event, which its next tick delivers.
    #[pyo3(signature = (event, payload=None))]
    fn send(&self, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let tree = Arc::clone(self.shared.lock()?.core.brain.tree());
        let sent = value::event_of(&tree, event, payload)?;
        self.with(|it| it.send(sent).map_err(error))
    }

    /// Fills a slot with one of its trees, and returns whether that changed it.
    fn fill(&self, slot: &str, word: &str) -> PyResult<bool> {
        self.with(|it| it.fill(slot, word).map_err(error))
    }

    /// Turns it on.
    fn enable(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |it, cx| it.enable(cx))
    }

    /// Turns it off, which ends all running nodes.
    fn disable(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |it, cx| it.disable(cx))
    }

    /// Ends all running nodes, and starts at the root in its next tick.
    fn restart(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |it, cx| it.restart(cx))
    }

    /// Pauses it: it is not ticked, and its time stands still.
    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |it, cx| it.pause(cx))
    }

    /// Resumes it after a pause.
    fn unpause(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |it, cx| it.unpause(cx))
    }

    /// Sets whether it turns off when its root has ended, instead of restarting.
    fn set_once(&self, once: bool) -> PyResult<()> {
        self.shared.lock()?.core.brain.set_completion(completion_of(once));
        Ok(())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.with(|it| value::to_python(py, it.tree().schema(), it.keys().value(key).map_err(error)?))
    }

    fn __setitem__(&self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let tree = Arc::clone(self.shared.lock()?.core.brain.tree());
        let index = tree.schema().find(key).map_err(error)?;
        let value = value::for_key(tree.schema().decl(index), value)?;
        self.with(|it| it.keys_mut().set_value(index, value).map(drop).map_err(error))
    }

    /// Shares the keys of a board: its group keys or its global keys, whichever the board has. What
    /// the agent writes is in the board after each call.
    fn share(&self, board: &Bound<'_, PyBoard>) -> PyResult<()> {
        let mut inner = self.shared.lock()?;
        let Body { brain, boards } = &mut inner.core;
        let mut new = boards.clone();
        new.put(board.get());
        // Whether the board is one for this brain.
        new.share(brain, |_| Ok(()))?;
        *boards = new;
        Ok(())
    }

    /// Gives it another tree, such as a new version of its own. It carries on where it was if that
    /// node still exists. Returns a report as text.
    fn replace(&self, py: Python<'_>, tree: &Bound<'_, PyTree>) -> PyResult<String> {
        let Loaded { tree, texts, leaves } = tree.get().0.clone_ref(py);
        self.shared.replaced(py, &leaves, |body, cx, watch| {
            body.share(|brain| {
                let report = brain.traced(watch).replace_tree(cx, tree).map_err(error)?;
                Ok((report.to_string(), Some(texts)))
            })
        })
    }

    /// The agent as bytes, for another process.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        packed(py, postcard::to_stdvec(&self.with(|it| it.save().map_err(error))?))
    }

    /// Restores the agent of a save. Returns a report as text.
    fn restore(&self, py: Python<'_>, save: &[u8]) -> PyResult<String> {
        let save: BrainSave = unpacked(postcard::take_from_bytes(save))?;
        self.shared.call(py, |body, cx, watch| {
            body.share(|brain| brain.traced(watch).restore(cx, &save).map(|it| it.to_string()).map_err(error))
        })
    }

    /// The state at this moment, in memory.
    fn snapshot(&self) -> PyResult<PyBrainSnapshot> {
        self.shared.lock()?.core.brain.snapshot().map(PyBrainSnapshot).map_err(error)
    }

    /// Goes back to a snapshot. Leaves are not called.
    fn rollback(&self, snapshot: &Bound<'_, PyBrainSnapshot>) -> PyResult<()> {
        self.shared.lock()?.core.brain.rollback(&snapshot.get().0).map_err(error)
    }

    /// Begins a recording, as `Forest.record`.
    #[pyo3(signature = (*, last_seconds=None, max_bytes=None, keys_every=0))]
    fn record(&self, last_seconds: Option<f64>, max_bytes: Option<usize>, keys_every: u32) -> PyResult<PyRecording> {
        let recording = Kept::new(last_seconds, max_bytes, keys_every)?;
        Ok(self.shared.lock()?.record(recording))
    }

    /// Keeps the latest `room` lines of its trace from now on. 0 keeps none, and costs nothing.
    #[pyo3(signature = (room=100_000))]
    fn record_trace(&self, room: usize) -> PyResult<()> {
        self.shared.lock()?.watch.trace(room, Recorder::all());
        Ok(())
    }

    /// Starts counting how often each node is started and how it ends; stops counting if `on` is
    /// false.
    #[pyo3(signature = (on=true))]
    fn record_coverage(&self, on: bool) -> PyResult<()> {
        self.shared.lock()?.watch.count(on);
        Ok(())
    }

    /// The columns of the trace.
    fn _trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.lock()?.watch.trace_columns(py)
    }

    /// The columns of the coverage.
    fn _coverage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.lock()?.watch.coverage_columns(py)
    }

    /// A drawing as text, with what it does.
    fn text(&self) -> PyResult<String> {
        self.draw(|it| it.text().to_string())
    }

    /// A drawing as SVG, with what it does.
    fn svg(&self) -> PyResult<String> {
        self.draw(|it| it.svg())
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    fn __repr__(&self) -> String {
        self.shared.lock().map_or_else(
            |_| "<Brain in a call>".into(),
            |it| format!("<Brain of `{}` at {:.3} s>", it.core.brain.tree().name(), it.core.brain.time()),
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Brain"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.shared.traverse(&visit)
    }

    fn __clear__(&self) {
        self.shared.clear();
    }
}

impl PyBrain {
    fn draw(&self, draw: impl FnOnce(&Drawing<'_>) -> String) -> PyResult<String> {
        let inner = self.shared.lock()?;
        let brain = &inner.core.brain;
        Ok(match brain.inspect() {
            Some(it) => draw(&Drawing::of_agent(&it)),
            None => draw(&Drawing::of(brain.tree())),
        })
    }
}
