//! What leaves are given: `pleach.Batch`, all agents of a call, and `pleach.Context`, one agent.

use pleach_asset::AnyKey;
use pleach_core::{AgentContext, BlackboardType, Key, Symbol, Time, Type, Value};
use pleach_dynamic::{read, write};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::array;
use crate::error::error;
use crate::host::{LeafCall, lent};
use crate::key::{PyExpr, PyKey, over};
use crate::value;

/// What a leaf asks of its call: which it is, and the game's own object.
struct Call {
    number: u64,
    world: Option<Py<PyAny>>,
}

impl Call {
    fn lend<R>(&self, what: &str, then: impl FnOnce(&mut dyn LeafCall) -> R) -> PyResult<R> {
        lent(self.number, then).ok_or_else(|| over(what))
    }

    fn world(&self, py: Python<'_>) -> Py<PyAny> {
        self.world.as_ref().map_or_else(|| py.None(), |it| it.clone_ref(py))
    }
}

fn foreign() -> PyErr {
    error("this key is of another tree than the agent: a leaf uses the keys that it is given in the same call")
}

/// All agents of a call of a leaf, by their numbers from 0 on.
#[pyclass(frozen, module = "pleach._pleach", name = "Batch")]
pub(crate) struct PyBatch {
    call: Call,
    len: usize,
}

impl PyBatch {
    pub(crate) fn new(number: u64, len: usize, world: Option<Py<PyAny>>) -> Self {
        PyBatch { call: Call { number, world }, len }
    }

    /// What a key holds for each agent, as it lies in an array.
    fn typed<V: BlackboardType, N>(&self, key: Key<V>, of: impl Fn(V) -> N) -> PyResult<Vec<N>> {
        let mut whole = true;
        let all = self.call.lend("batch", |lent| {
            let mut all = Vec::with_capacity(lent.count());
            lent.each(&mut |cx| match cx.try_get(key) {
                Some(it) => all.push(of(it)),
                None => whole = false,
            });
            all
        })?;
        if whole { Ok(all) } else { Err(foreign()) }
    }

    /// Something of each agent.
    fn each<T>(&self, mut of: impl FnMut(&mut AgentContext<'_>) -> T) -> PyResult<Vec<T>> {
        self.call.lend("batch", |lent| {
            let mut all = Vec::with_capacity(lent.count());
            lent.each(&mut |cx| all.push(of(cx)));
            all
        })
    }
}

#[pymethods]
impl PyBatch {
    fn __len__(&self) -> usize {
        self.len
    }

    /// What `Forest.world` is.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyAny> {
        self.call.world(py)
    }

    /// The ids of the agents, as an array of uint64.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::array(py, &self.each(|cx| cx.agent().to_bits())?)
    }

    /// Which of the game's entities each agent is, as an array of int64; -1 is none.
    #[getter]
    fn entities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::array(py, &self.each(|cx| array::index(cx.entity()))?)
    }

    /// The seconds since each agent's last turn, as an array of float32.
    #[getter]
    fn dt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::array(py, &self.each(|cx| cx.dt())?)
    }

    /// Each agent's own time in seconds, as an array of float64.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::array(py, &self.each(|cx| cx.time())?)
    }

    /// A random number in [0, 1) for each agent, from its own stream.
    fn random<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array::array(py, &self.each(|cx| cx.random())?)
    }

    /// The value of an expression for each agent, as an array of float32.
    fn eval<'py>(&self, py: Python<'py>, expr: &Bound<'py, PyExpr>) -> PyResult<Bound<'py, PyAny>> {
        let expr = &expr.get().0;
        array::array(py, &self.each(|cx| expr.get(cx))?)
    }

    /// Lets agents sleep for these seconds, unless something wakes them: one number for all, or
    /// one for each. Agents with 0 do not sleep.
    fn sleep(&self, seconds: &Bound<'_, PyAny>) -> PyResult<()> {
        let seconds: Vec<f32> = array::read(seconds, self.len, 1, "the seconds to sleep")?;
        let mut seconds = seconds.into_iter();
        self.each(|cx| {
            if let Some(seconds) = seconds.next().filter(|it| *it > 0.0) {
                cx.sleep(seconds);
            }
        })?;
        Ok(())
    }

    /// One agent of the batch.
    fn at(&self, py: Python<'_>, agent: usize) -> PyResult<PyContext> {
        if agent >= self.len {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!("this batch has {} agents", self.len)));
        }
        Ok(PyContext::new(self.call.number, agent, Some(self.call.world(py))))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyKey>) -> PyResult<Bound<'py, PyAny>> {
        match key.get().0 {
            AnyKey::Bool(it) => array::array(py, &self.typed(it, |it| it)?),
            AnyKey::Int(it) => array::array(py, &self.typed(it, |it| it)?),
            AnyKey::Float(it) => array::array(py, &self.typed(it, |it| it)?),
            AnyKey::Vec2(it) => array::rows(py, &self.typed(it, |it| it)?),
            AnyKey::Vec3(it) => array::rows(py, &self.typed(it, |it| it)?),
            AnyKey::Entity(it) => array::array(py, &self.typed(it, array::index)?),
            AnyKey::Time(it) => array::array(py, &self.typed(it, Time::as_secs_f64)?),
            AnyKey::Symbol(it) => {
                let mut words = Vec::new();
                let all = self.each(|cx| {
                    let found = cx.try_get(it)?;
                    note_word(&mut words, cx, found);
                    Some(found.into())
                })?;
                let all: Option<Vec<Value>> = all.into_iter().collect();
                let word = |it| {
                    let known = words.iter().find(|known: &&(Symbol, String)| known.0 == it);
                    known.map_or_else(String::new, |it| it.1.clone())
                };
                array::column(py, Type::Symbol, word, all.ok_or_else(foreign)?)
            }
        }
    }

    fn __setitem__(&self, key: &Bound<'_, PyKey>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let key = key.get().0;
        let decl = self.call.lend("batch", |lent| decl_of(lent, 0, key))?.ok_or_else(foreign)?;
        let values = array::values(&decl, values, self.len)?;
        self.call.lend("batch", |lent| lent.write(key, &values))?.map_err(error)
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} agents>", self.len)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.call.world)
    }
}

fn note_word(words: &mut Vec<(Symbol, String)>, cx: &AgentContext<'_>, it: Symbol) {
    if !words.iter().any(|known| known.0 == it) {
        words.push((it, cx.schema().word(it).unwrap_or_default().to_owned()));
    }
}

/// How a key is declared in the tree of an agent.
fn decl_of(lent: &mut dyn LeafCall, at: usize, key: AnyKey) -> Option<pleach_core::schema::KeyDecl> {
    let mut decl = None;
    lent.agent(at, &mut |cx| {
        // Only keys of this tree can be read, and only their places are asked for.
        decl = read(cx, key).map(|_| cx.schema().decl(key.index()).clone());
    });
    decl
}

/// One agent of a call of a leaf.
#[pyclass(frozen, module = "pleach._pleach", name = "Context")]
pub(crate) struct PyContext {
    call: Call,
    at: usize,
}

impl PyContext {
    pub(crate) fn new(number: u64, at: usize, world: Option<Py<PyAny>>) -> Self {
        PyContext { call: Call { number, world }, at }
    }

    fn with<T>(&self, then: impl FnOnce(&mut AgentContext<'_>) -> T) -> PyResult<T> {
        let (mut then, mut result) = (Some(then), None);
        self.call.lend("context", |lent| {
            lent.agent(self.at, &mut |cx| result = then.take().map(|then| then(cx)));
        })?;
        result.ok_or_else(|| over("context"))
    }
}

#[pymethods]
impl PyContext {
    /// What `Forest.world` is.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyAny> {
        self.call.world(py)
    }

    /// The id of the agent.
    #[getter]
    fn agent(&self) -> PyResult<u64> {
        self.with(|cx| cx.agent().to_bits())
    }

    /// Which of the game's entities the agent is.
    #[getter]
    fn entity(&self) -> PyResult<Option<usize>> {
        self.with(|cx| cx.entity().index())
    }

    /// The number of the node.
    #[getter]
    fn node(&self) -> PyResult<usize> {
        self.with(|cx| cx.node().index())
    }

    /// The seconds since the agent's last turn.
    #[getter]
    fn dt(&self) -> PyResult<f32> {
        self.with(|cx| cx.dt())
    }

    /// The agent's own time in seconds.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        self.with(|cx| cx.time())
    }

    /// The forest's time in seconds.
    #[getter]
    fn now(&self) -> PyResult<f64> {
        self.with(|cx| cx.now().as_secs_f64())
    }

    /// A random number in [0, 1), from the agent's own stream.
    fn random(&self) -> PyResult<f64> {
        self.with(|cx| cx.random())
    }

    /// The value of an expression.
    fn eval(&self, expr: &Bound<'_, PyExpr>) -> PyResult<f32> {
        self.with(|cx| expr.get().0.get(cx))
    }

    /// Lets the agent sleep for these seconds, unless something wakes it.
    fn sleep(&self, seconds: f32) -> PyResult<()> {
        self.with(|cx| cx.sleep(seconds))
    }

    /// Lets the agent sleep until a key, an event or another node wakes it.
    fn sleep_until_change(&self) -> PyResult<()> {
        self.with(|cx| cx.sleep_until_change())
    }

    /// The names and payloads of the events that this tick delivers to the agent.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (schema, events) = self.with(|cx| (cx.schema().clone(), cx.events().copied().collect::<Vec<_>>()))?;
        let all = events.iter().map(|it| crate::events::to_python(py, Some(&schema), it));
        PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
    }

    /// Sends an event to an agent, by its id. It is delivered in that agent's next tick.
    #[pyo3(signature = (to, event, payload=None))]
    fn send(&self, to: u64, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let schema = self.with(|cx| cx.schema().clone())?;
        let event = value::event(Some(&schema), event, payload)?;
        self.with(|cx| cx.send(pleach_core::AgentId::from_bits(to), event))
    }

    /// Sends an event to the other members of the agent's group, if it is in one.
    #[pyo3(signature = (event, payload=None))]
    fn send_to_group(&self, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let schema = self.with(|cx| cx.schema().clone())?;
        let event = value::event(Some(&schema), event, payload)?;
        self.with(|cx| {
            if let Some(group) = cx.group() {
                cx.send_to_group(group, event);
            }
        })
    }

    /// Turns the agent off at the end of the tick.
    fn stop(&self) -> PyResult<()> {
        self.with(|cx| cx.stop())
    }

    /// Restarts the agent at the end of the tick.
    fn restart(&self) -> PyResult<()> {
        self.with(|cx| cx.restart())
    }

    /// Removes an agent, by its id, at the end of the tick.
    fn despawn(&self, agent: u64) -> PyResult<()> {
        self.with(|cx| cx.despawn(pleach_core::AgentId::from_bits(agent)))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyKey>) -> PyResult<Bound<'py, PyAny>> {
        let key = key.get().0;
        let (value, word) = self
            .with(|cx| {
                let value = read(cx, key)?;
                let word = if let Value::Symbol(it) = value { cx.schema().word(it).map(str::to_owned) } else { None };
                Some((value, word))
            })?
            .ok_or_else(foreign)?;
        match word {
            Some(word) => Ok(word.into_pyobject(py)?.into_any()),
            None => value::to_python_plain(py, value),
        }
    }

    fn __setitem__(&self, key: &Bound<'_, PyKey>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let key = key.get().0;
        let decl = self.call.lend("context", |lent| decl_of(lent, self.at, key))?.ok_or_else(foreign)?;
        let value = value::for_key(&decl, value)?;
        self.with(|cx| write(cx, key, value))?.ok_or_else(foreign)?.map_err(error)?;
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.call.world)
    }
}
