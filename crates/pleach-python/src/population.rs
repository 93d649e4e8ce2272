//! `pleach.Population`: all agents of a tree, and their keys as columns.

use std::sync::{Arc, MutexGuard};

use pleach_core::schema::Scope;
use pleach_core::{Forest, GroupId, Rate, TreeId, Value};
use pleach_dynamic::any_key;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::agent::PyAgent;
use crate::array;
use crate::error::error;
use crate::forest::{PyForest, spawn_of};
use crate::group::PyGroup;
use crate::host::{Cx, Script};
use crate::key::no_pickle;
use crate::shared::{Inner, read_key, stale, write_column, write_key};
use crate::texts::Loaded;
use crate::tree::PyTree;
use crate::watch::Tracers;

/// All agents of a tree. Columns have a row for each, in the order of `agents`.
#[pyclass(frozen, module = "pleach._pleach", name = "Population")]
pub(crate) struct PyPopulation {
    pub(crate) forest: Py<PyForest>,
    pub(crate) tree: TreeId,
}

impl PyPopulation {
    fn tree_in(&self, inner: &Inner) -> PyResult<Arc<pleach_core::Tree<Script>>> {
        inner.core.tree(self.tree).map(Arc::clone).map_err(stale)
    }

    /// The forest after a Python array was read.
    ///
    /// # Errors
    /// Reading it called the forest, so that rows may be of other agents now.
    fn unchanged(&self, calls: u64) -> PyResult<MutexGuard<'_, Inner>> {
        let inner = self.forest.get().shared.lock()?;
        if inner.calls != calls {
            return Err(error(
                "the forest was ticked or changed while the values for its agents were read: make them before",
            ));
        }
        Ok(inner)
    }
}

#[pymethods]
impl PyPopulation {
    /// The tree that they run.
    #[getter]
    fn tree(&self, py: Python<'_>) -> PyResult<PyTree> {
        let inner = self.forest.get().shared.lock()?;
        inner.loaded(py, &self.tree_in(&inner)?)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.forest.get().shared.lock()?.core.population(self.tree).map_err(stale)?.len())
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The ids of the agents, in the order in which they are ticked.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.forest.get().shared.lock()?;
        let ids: Vec<u64> =
            inner.core.population(self.tree).map_err(stale)?.agents().map(pleach_core::AgentId::to_bits).collect();
        array::array(py, &ids)
    }

    /// Which of the game's entities they are; -1 is none.
    #[getter]
    fn entities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.forest.get().shared.lock()?;
        let all = inner.core.population(self.tree).map_err(stale)?.entities();
        let all: Vec<i64> = all.map(|it| array::index(it.1)).collect();
        array::array(py, &all)
    }

    /// Adds an agent. With `once`, it turns off when its root has ended; otherwise it restarts.
    #[pyo3(signature = (*, entity=None, group=None, seed=None, enabled=true, once=false))]
    fn spawn(
        &self,
        py: Python<'_>,
        entity: Option<u32>,
        group: Option<&Bound<'_, PyGroup>>,
        seed: Option<u64>,
        enabled: bool,
        once: bool,
    ) -> PyResult<PyAgent> {
        let spawn = spawn_of(entity, group.map(|it| it.get().id), seed, enabled, once);
        let id = self
            .forest
            .get()
            .shared
            .call(py, |forest, cx, watch| forest.traced(watch).spawn_with(cx, self.tree, spawn).map_err(error))?;
        Ok(PyAgent { forest: self.forest.clone_ref(py), id })
    }

    /// Adds a number of agents, and returns their ids as an array. If `first_entity` is given, they
    /// are this entity and those after it.
    #[pyo3(signature = (count, *, first_entity=None, group=None, once=false))]
    fn spawn_many<'py>(
        &self,
        py: Python<'py>,
        count: u32,
        first_entity: Option<u32>,
        group: Option<&Bound<'py, PyGroup>>,
        once: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let group: Option<GroupId> = group.map(|it| it.get().id);
        let ids: Vec<u64> = self.forest.get().shared.call(py, |forest, cx, watch| {
            let mut traced = forest.traced(watch);
            let one = |at: u32| {
                let entity = first_entity.map(|it| it.saturating_add(at));
                let spawn = spawn_of(entity, group, None, true, once);
                traced.spawn_with(cx, self.tree, spawn).map(|it| it.to_bits()).map_err(error)
            };
            (0..count).map(one).collect()
        })?;
        array::array(py, &ids)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.forest.get().shared.lock()?;
        let tree = self.tree_in(&inner)?;
        let any = any_key(tree.schema(), key).map_err(error)?;
        let mut values: Vec<Value> = Vec::new();
        let mut population = inner.core.population_mut(self.tree).map_err(stale)?;
        population.update_agents(|keys| values.extend(read_key(keys, any)));
        // Making an array may run finalizers, which may call the forest.
        drop(inner);
        let word = |it| tree.schema().word(it).unwrap_or_default().to_owned();
        array::column(py, any.ty(), word, values)
    }

    fn __setitem__(&self, key: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let (len, decl, any, calls) = {
            let inner = self.forest.get().shared.lock()?;
            let tree = self.tree_in(&inner)?;
            let any = any_key(tree.schema(), key).map_err(error)?;
            let len = inner.core.population(self.tree).map_err(stale)?.len();
            (len, tree.schema().decl(any.index()).clone(), any, inner.calls)
        };
        // Reading an array calls Python, which may call the forest.
        let values = array::values(&decl, values, len)?;
        let mut inner = self.unchanged(calls)?;
        let mut population = inner.core.population_mut(self.tree).map_err(stale)?;
        if matches!(decl.scope(), Scope::Node | Scope::Agent) {
            return write_column(&mut population, any, values).map_err(error);
        }
        let (mut values, mut wrong) = (values.into_iter(), None);
        population.update_agents(|keys| {
            if let Some(value) = values.next()
                && let Err(it) = write_key(keys, any, value)
            {
                wrong = Some(it);
            }
        });
        wrong.map_or(Ok(()), |it| Err(error(it)))
    }

    /// Fills a slot of all agents, and returns how many changed.
    fn fill(&self, slot: &str, word: &str) -> PyResult<usize> {
        let mut inner = self.forest.get().shared.lock()?;
        inner.core.population_mut(self.tree).map_err(stale)?.fill(slot, word).map_err(error)
    }

    /// Sets how often the agents are ticked: every n-th frame, or 0 for never. One number for all,
    /// or one for each. Returns how many changed.
    fn set_rates(&self, frames: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (len, calls) = {
            let inner = self.forest.get().shared.lock()?;
            (inner.core.population(self.tree).map_err(stale)?.len(), inner.calls)
        };
        let frames: Vec<i64> = array::read(frames, len, 1, "the rates")?;
        let mut rates = Vec::with_capacity(len);
        for it in frames {
            let every = u32::try_from(it).map_err(|_| {
                PyValueError::new_err(format!(
                    "{it} is not a rate: it is every how many frames an agent is ticked, from 1 on, or 0 for never"
                ))
            })?;
            rates.push(if every == 0 { Rate::NEVER } else { Rate::every(every).map_err(error)? });
        }
        let mut inner = self.unchanged(calls)?;
        let mut rates = rates.into_iter();
        let mut population = inner.core.population_mut(self.tree).map_err(stale)?;
        Ok(population.update_rates(|_, old| rates.next().unwrap_or(old)))
    }

    /// Gives all agents another tree, such as a new version of it. They carry on where they were if
    /// that node still exists. Returns a report as text.
    fn replace(&self, py: Python<'_>, tree: &Bound<'_, PyTree>) -> PyResult<String> {
        let Loaded { tree, texts, leaves } = tree.get().0.clone_ref(py);
        self.forest.get().shared.replaced(py, &leaves, |forest, cx, watch| {
            forest
                .traced(watch)
                .replace_tree(cx, self.tree, tree)
                .map(|it| (it.to_string(), Some(texts)))
                .map_err(error)
        })
    }

    /// Removes the tree and all its agents.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        let shared = &self.forest.get().shared;
        let run = |forest: &mut Forest<Script>, cx: &mut Cx, watch: &mut Tracers| {
            forest.traced(watch).remove_tree(cx, self.tree).map_err(stale)
        };
        shared.call_whatever(py, run, |inner, removed, raised| {
            inner.forget_gone();
            removed?;
            raised
        })
    }

    fn __repr__(&self) -> String {
        let inner = self.forest.get().shared.lock().ok();
        let named = inner.and_then(|it| {
            let tree = it.core.tree(self.tree).ok()?.name().to_owned();
            Some((tree, it.core.population(self.tree).ok()?.len()))
        });
        named.map_or_else(|| "<Population>".into(), |(tree, len)| format!("<Population of {len} agents of `{tree}`>"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Population"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.forest)
    }
}
