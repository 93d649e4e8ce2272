//! `pleach.Group`: agents that share keys.

use pleach_core::{AgentId, GroupId};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::array;
use crate::error::error;
use crate::forest::{PyForest, tree_of};
use crate::key::no_pickle;
use crate::said;
use crate::shared::{Runtime, stale};
use crate::value;

/// A group of agents.
#[pyclass(frozen, module = "pleach._pleach", name = "Group")]
pub(crate) struct PyGroup {
    pub(crate) forest: Py<PyForest>,
    pub(crate) id: GroupId,
}

#[pymethods]
impl PyGroup {
    /// Its id.
    #[getter]
    fn id(&self) -> u64 {
        self.id.to_bits()
    }

    /// The ids of its members.
    #[getter]
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.forest.get().shared.lock()?;
        let ids: Vec<u64> = inner.core.group(self.id).map_err(stale)?.members().iter().map(|it| it.to_bits()).collect();
        array::array(py, &ids)
    }

    /// Sends an event to all members.
    #[pyo3(signature = (event, payload=None))]
    fn send(&self, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        let first: Option<AgentId> = inner.core.group(self.id).map_err(stale)?.members().first().copied();
        let tree = first.map(|it| tree_of(&inner, it)).transpose()?;
        let sent = value::event(tree.as_ref().map(|it| it.schema()), event, payload)?;
        inner.core.group_mut(self.id).map_err(stale)?.send(sent).map_err(|it| error(format!("`{event}`: {it}")))
    }

    /// Fills a slot of all members, and returns how many changed.
    fn fill(&self, slot: &str, word: &str) -> PyResult<usize> {
        let mut inner = self.forest.get().shared.lock()?;
        inner.core.group_mut(self.id).map_err(stale)?.fill(slot, word).map_err(error)
    }

    /// Dissolves it. Its members are in no group then.
    fn remove(&self) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        inner.core.group_mut(self.id).map_err(stale)?.remove();
        Ok(())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.forest.get().shared.lock()?;
        let value = inner.core.group(self.id).map_err(stale)?.keys().value(key).map_err(error)?;
        said::value(py, Runtime::trees(&inner.core), value)
    }

    fn __setitem__(&self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        let mut group = inner.core.group_mut(self.id).map_err(stale)?;
        let ty = group.keys_mut().value(key).map_err(error)?.ty();
        let value = value::from_python(ty, value, &format!("the key `{key}`"))?;
        group.keys_mut().set_value(key, value).map(drop).map_err(error)
    }

    fn __repr__(&self) -> String {
        format!("<Group {}>", self.id.to_bits())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Group"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.forest)
    }
}
