//! Output of agents: events that they handed to the game, and lines of `Log` nodes.

use std::sync::Arc;

use pleach_core::{Tree, Value};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::events;
use crate::host::Script;
use crate::shared::{Inner, Runtime};
use crate::value::to_python_plain;

/// Takes the two lists.
pub(crate) fn take<T: Runtime>(py: Python<'_>, inner: &mut Inner<T>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let emitted = std::mem::take(&mut inner.said.emitted);
    let logged = std::mem::take(&mut inner.said.logged);
    let all = PyList::empty(py);
    for (agent, event) in emitted {
        // An agent that is gone emitted an event that another tree may declare, too.
        let tree = inner.core.tree_of(agent).or_else(|| inner.core.trees().first().copied());
        all.append((agent.to_bits(), events::to_python(py, tree.map(|it| it.schema()), &event)?))?;
    }
    let lines = PyList::new(py, logged.iter().map(|(agent, node, text)| (agent.to_bits(), node.index(), text)))?;
    Ok((all.into_any().unbind(), lines.into_any().unbind()))
}

/// A value of a key that these trees share.
pub(crate) fn value<'py, 't>(
    py: Python<'py>,
    trees: impl IntoIterator<Item = &'t Arc<Tree<Script>>>,
    value: Value,
) -> PyResult<Bound<'py, PyAny>> {
    if let Value::Symbol(symbol) = value {
        let word = trees.into_iter().find_map(|it| it.schema().word(symbol)).unwrap_or_default();
        return Ok(word.into_pyobject(py)?.into_any());
    }
    to_python_plain(py, value)
}
