//! `pleach.Forest`: agents of any number of trees.

use std::sync::Arc;
use std::time::Instant;

use pleach_core::trace::Recorder;
use pleach_core::{AgentId, Budget, Completion, Forest, GroupId, Save, Snapshot, Spawn, TickReport};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::agent::PyAgent;
use crate::array;
use crate::error::error;
use crate::group::PyGroup;
use crate::host::{Cx, Script};
use crate::key::no_pickle;
use crate::population::PyPopulation;
use crate::recording::{Kept, PyRecording};
use crate::said;
use crate::shared::{Inner, Runtime, Shared, stale};
use crate::texts::Loaded;
use crate::tree::PyTree;
use crate::value;
use crate::watch::{Tracers, is_on};

/// Agents of any number of trees. `seed` determines all their random numbers; leaves get `world` as
/// `context.world` and `batch.world`.
#[pyclass(frozen, module = "pleach._pleach", name = "Forest")]
pub(crate) struct PyForest {
    pub(crate) shared: Shared,
}

/// What one tick did.
#[pyclass(frozen, get_all, module = "pleach._pleach", name = "TickReport")]
pub(crate) struct PyTickReport {
    /// Agents ticked.
    ticked: u64,
    /// Agents that slept through the tick.
    asleep: u64,
    /// Agents whose root ended.
    ended: u64,
    /// Conditional aborts.
    aborts: u64,
    /// What agents emitted to the game since the last tick: ids of agents, and events.
    emitted: Py<PyAny>,
    /// What `Log` nodes said since the last tick: ids of agents, numbers of nodes, and texts.
    logged: Py<PyAny>,
}

#[pymethods]
impl PyTickReport {
    fn __repr__(&self) -> String {
        let PyTickReport { ticked, asleep, ended, aborts, .. } = self;
        format!("<TickReport: {ticked} ticked, {asleep} asleep, {ended} ended, {aborts} aborts>")
    }
}

/// The state of a forest at a moment, in memory: `Forest.rollback` goes back to it.
#[pyclass(frozen, module = "pleach._pleach", name = "Snapshot")]
pub(crate) struct PySnapshot(Snapshot<Script>);

#[pymethods]
impl PySnapshot {
    /// The forest's time when it was made, in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Snapshot"))
    }
}

/// The `dt` of a frame. The runtime refuses invalid times.
#[expect(clippy::cast_possible_truncation, reason = "time comes in as `f32`")]
pub(crate) fn narrowed(dt: f64) -> f32 {
    dt as f32
}

#[pymethods]
impl PyForest {
    #[new]
    #[pyo3(signature = (seed=0, world=None))]
    fn new(seed: u64, world: Option<Py<PyAny>>) -> Self {
        PyForest { shared: Shared::new(Forest::new(seed), world) }
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

    /// The forest's time in seconds.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.shared.lock()?.core.time())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.shared.lock()?.core.len())
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __contains__(&self, agent: u64) -> PyResult<bool> {
        Ok(self.shared.lock()?.core.contains(AgentId::from_bits(agent)))
    }

    /// Adds a tree. Its agents are a population.
    fn add(slf: &Bound<'_, Self>, tree: &Bound<'_, PyTree>) -> PyResult<PyPopulation> {
        let Loaded { tree, texts, leaves } = tree.get().0.clone_ref(slf.py());
        let mut inner = slf.get().shared.lock()?;
        let tree = inner.core.add_tree(tree).map_err(error)?;
        inner.know(slf.py(), &texts, &leaves);
        Ok(PyPopulation { forest: slf.clone().unbind(), tree })
    }

    /// The populations, in the order in which their trees were added.
    #[getter]
    fn populations(slf: &Bound<'_, Self>) -> PyResult<Vec<PyPopulation>> {
        let trees: Vec<_> = slf.get().shared.lock()?.core.trees().collect();
        Ok(trees.into_iter().map(|tree| PyPopulation { forest: slf.clone().unbind(), tree }).collect())
    }

    /// The ids of all agents, in the order in which they are ticked.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ids: Vec<u64> = self.shared.lock()?.core.agents().map(AgentId::to_bits).collect();
        array::array(py, &ids)
    }

    /// The agent of an id.
    fn agent(slf: &Bound<'_, Self>, id: u64) -> PyResult<PyAgent> {
        let id = AgentId::from_bits(id);
        slf.get().shared.lock()?.core.agent(id).map_err(stale)?;
        Ok(PyAgent { forest: slf.clone().unbind(), id })
    }

    /// A new group, for agents that share the group keys of their trees.
    fn new_group(slf: &Bound<'_, Self>) -> PyResult<PyGroup> {
        let id = slf.get().shared.lock()?.core.new_group();
        Ok(PyGroup { forest: slf.clone().unbind(), id })
    }

    /// Advances time by `dt` seconds and ticks the agents that are due: all of them, or as many as
    /// `agents` or `micros` allow, and the others in the next frames. Raises what leaves raised,
    /// after all are ticked.
    #[pyo3(signature = (dt, *, agents=None, micros=None))]
    fn tick(&self, py: Python<'_>, dt: f64, agents: Option<u64>, micros: Option<u64>) -> PyResult<PyTickReport> {
        let dt = narrowed(dt);
        if agents.is_some() && micros.is_some() {
            return Err(error("a tick has one budget: give `agents` or `micros`"));
        }
        let run = |forest: &mut Forest<Script>, cx: &mut Cx, watch: &mut Tracers| {
            let begin = Instant::now();
            let mut clock = || u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX);
            let budget = match (agents, micros) {
                (Some(agents), _) => Some(Budget::Agents(agents)),
                (_, Some(micros)) => Some(Budget::Micros(micros, &mut clock)),
                _ => None,
            };
            let done = match (budget, is_on(watch)) {
                (None, false) => forest.tick(cx, dt),
                (None, true) => forest.traced(watch).tick(cx, dt),
                (Some(budget), false) => forest.tick_within(cx, dt, budget),
                (Some(budget), true) => forest.traced(watch).tick_within(cx, dt, budget),
            };
            done.map_err(error)
        };
        self.shared.call_then(py, run, |inner, report: TickReport| {
            let TickReport { ticked, asleep, ended, aborts, .. } = report;
            let (emitted, logged) = said::take(py, inner)?;
            Ok(PyTickReport { ticked, asleep, ended, aborts, emitted, logged })
        })
    }

    /// Sends an event to all agents.
    #[pyo3(signature = (event, payload=None))]
    fn broadcast(&self, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.shared.lock()?;
        let declares = |forest: &Forest<Script>| {
            let trees = forest.trees().filter_map(|it| forest.tree(it).ok().map(Arc::clone));
            trees.into_iter().find(|it| it.schema().events().any(|it| it.name() == event))
        };
        let tree = declares(&inner.core);
        let sent = value::event(tree.as_ref().map(|it| it.schema()), event, payload)?;
        inner.core.broadcast(sent).map_err(|it| error(format!("the event `{event}`: {it}")))
    }

    /// The value of a global key.
    fn get_global<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.shared.lock()?;
        let value = inner.core.globals().value(key).map_err(error)?;
        said::value(py, Runtime::trees(&inner.core), value)
    }

    /// Writes a global key, and returns whether that changed it.
    fn set_global(&self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut inner = self.shared.lock()?;
        let ty = inner.core.globals().value(key).map_err(error)?.ty();
        let value = value::from_python(ty, value, &format!("the key `{key}`"))?;
        inner.core.globals_mut().set_value(key, value).map_err(error)
    }

    /// Changes how the forest ticks. `batched`: one call of a leaf for many agents. `sleep`: agents
    /// that sleep cost nothing. `chunk_size`: the maximum number of agents in a batch, up to 1 024.
    #[pyo3(signature = (*, batched=None, sleep=None, chunk_size=None))]
    fn configure(&self, batched: Option<bool>, sleep: Option<bool>, chunk_size: Option<usize>) -> PyResult<()> {
        self.shared.lock()?.core.configure(|it| {
            it.batched = batched.unwrap_or(it.batched);
            it.sleep = sleep.unwrap_or(it.sleep);
            it.chunk_size = chunk_size.unwrap_or(it.chunk_size);
        });
        Ok(())
    }

    /// The forest as bytes, with the states of all agents. Another process restores them into a
    /// forest that has the same trees.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let save = self.shared.lock()?.core.save().map_err(error)?;
        packed(py, postcard::to_stdvec(&save))
    }

    /// Some agents as bytes, by their ids.
    fn save_agents<'py>(&self, py: Python<'py>, agents: Vec<u64>) -> PyResult<Bound<'py, PyBytes>> {
        let agents = agents.into_iter().map(AgentId::from_bits);
        let save = self.shared.lock()?.core.save_agents(agents).map_err(error)?;
        packed(py, postcard::to_stdvec(&save))
    }

    /// Restores a save. Returns a report as text.
    fn restore(&self, py: Python<'_>, save: &[u8]) -> PyResult<String> {
        let save: Save = unpacked(postcard::take_from_bytes(save))?;
        self.shared.call(py, |forest, cx, watch| {
            forest.traced(watch).restore(cx, &save).map(|it| it.to_string()).map_err(error)
        })
    }

    /// The state at this moment, in memory.
    fn snapshot(&self) -> PyResult<PySnapshot> {
        self.shared.lock()?.core.snapshot().map(PySnapshot).map_err(error)
    }

    /// Goes back to a snapshot. Leaves are not called.
    fn rollback(&self, snapshot: &Bound<'_, PySnapshot>) -> PyResult<()> {
        let mut inner = self.shared.lock()?;
        inner.calls += 1;
        inner.core.rollback(&snapshot.get().0).map_err(error)
    }

    /// Keeps the latest `room` lines of the trace from now on: of all agents, or of some, by their
    /// ids. 0 keeps none, and costs nothing.
    #[pyo3(signature = (room=100_000, agents=None))]
    fn record_trace(&self, room: usize, agents: Option<Vec<u64>>) -> PyResult<()> {
        let recorder = match agents {
            Some(agents) => Recorder::of(agents.into_iter().map(AgentId::from_bits)),
            None => Recorder::all(),
        };
        self.shared.lock()?.watch.trace(room, recorder);
        Ok(())
    }

    /// Starts counting how often each node is started and how it ends; stops counting if `on` is
    /// false.
    #[pyo3(signature = (on=true))]
    fn record_coverage(&self, on: bool) -> PyResult<()> {
        self.shared.lock()?.watch.count(on);
        Ok(())
    }

    /// Begins a recording, replacing any earlier one. With `last_seconds`, it keeps the last
    /// seconds; with `max_bytes`, at most that number of bytes; with `keys_every`, it records all
    /// keys at that interval of frames, and otherwise only those on which decisions depend.
    #[pyo3(signature = (*, last_seconds=None, max_bytes=None, keys_every=0))]
    fn record(&self, last_seconds: Option<f64>, max_bytes: Option<usize>, keys_every: u32) -> PyResult<PyRecording> {
        let recording = Kept::new(last_seconds, max_bytes, keys_every)?;
        Ok(self.shared.lock()?.record(recording))
    }

    /// The columns of the trace.
    fn _trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.lock()?.watch.trace_columns(py)
    }

    /// The columns of the coverage.
    fn _coverage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.shared.lock()?.watch.coverage_columns(py)
    }

    fn __repr__(&self) -> String {
        self.shared.lock().map_or_else(
            |_| "<Forest in a call>".into(),
            |it| format!("<Forest of {} agents at {:.3} s>", it.core.len(), it.core.time()),
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Forest"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.shared.traverse(&visit)
    }

    fn __clear__(&self) {
        self.shared.clear();
    }
}

/// A save as bytes of Python.
pub(crate) fn packed(py: Python<'_>, save: postcard::Result<Vec<u8>>) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = save.map_err(|it| error(format!("cannot save: {it}")))?;
    Ok(PyBytes::new(py, &bytes))
}

/// A save that was read, if nothing comes after it.
pub(crate) fn unpacked<T>(save: postcard::Result<(T, &[u8])>) -> PyResult<T> {
    let why = match save {
        Ok((it, [])) => return Ok(it),
        Ok((_, rest)) => format!("{} bytes are left over", rest.len()),
        Err(it) => it.to_string(),
    };
    Err(error(format!(
        "this is not a save: it is cut off or damaged, or it is of something else (a forest, a brain and a board each \
         restore their own saves) or of another version of pleach ({why})"
    )))
}

/// The options of a new agent.
pub(crate) fn spawn_of(
    entity: Option<u32>,
    group: Option<GroupId>,
    seed: Option<u64>,
    enabled: bool,
    once: bool,
) -> Spawn {
    Spawn { completion: completion_of(once), entity: value::entity(entity), group, seed, enabled }
}

/// What an agent does when its root has ended.
pub(crate) fn completion_of(once: bool) -> Completion {
    if once { Completion::Stop } else { Completion::Restart }
}

/// The tree of an agent, to keep while the forest is unlocked.
pub(crate) fn tree_of(inner: &Inner, agent: AgentId) -> PyResult<Arc<pleach_core::Tree<Script>>> {
    Ok(Arc::clone(inner.core.agent(agent).map_err(stale)?.tree()))
}
