//! What agents said: events that they handed to the game, and lines of `Log` nodes.

use std::sync::Arc;

use pleach_core::{Forest, Value};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::events;
use crate::host::Script;
use crate::shared::Inner;
use crate::value::to_python;

/// Takes the two lists.
pub(crate) fn take(py: Python<'_>, inner: &mut Inner) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let emitted = std::mem::take(&mut inner.said.emitted);
    let logged = std::mem::take(&mut inner.said.logged);
    let all = PyList::empty(py);
    for (agent, event) in emitted {
        // An agent that is gone emitted an event that another tree may declare, too.
        let own = inner.forest.agent(agent).ok().map(|it| Arc::clone(it.tree()));
        let tree = own.or_else(|| any_tree(&inner.forest));
        all.append((agent.to_bits(), events::to_python(py, tree.as_ref().map(|it| it.schema()), &event)?))?;
    }
    let lines = PyList::new(py, logged.iter().map(|(agent, node, text)| (agent.to_bits(), node.index(), text)))?;
    Ok((all.into_any().unbind(), lines.into_any().unbind()))
}

fn any_tree(forest: &Forest<Script>) -> Option<Arc<pleach_core::Tree<Script>>> {
    forest.trees().find_map(|it| forest.tree(it).ok()).map(Arc::clone)
}

/// A value of a key that all trees of the forest share.
pub(crate) fn value<'py>(py: Python<'py>, forest: &Forest<Script>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    if let Value::Symbol(symbol) = value {
        let mut trees = forest.trees().filter_map(|it| forest.tree(it).ok());
        let word = trees.find_map(|it| it.schema().word(symbol)).unwrap_or_default();
        return Ok(word.into_pyobject(py)?.into_any());
    }
    match any_tree(forest) {
        Some(tree) => to_python(py, tree.schema(), value),
        None => Ok(py.None().into_bound(py)),
    }
}
