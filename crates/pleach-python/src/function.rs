//! The functions of leaves, and what keeps them: objects of Python alone, which the garbage
//! collector sees.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What the binding keeps for a leaf.
pub(crate) struct Function {
    pub(crate) update: Py<PyAny>,
    pub(crate) start: Option<Py<PyAny>>,
    pub(crate) end: Option<Py<PyAny>>,
    pub(crate) batch: bool,
    /// What a batch of one agent calls instead, with its context.
    pub(crate) one: Option<Py<PyAny>>,
    /// For each parameter that is a member of an enum, its class.
    pub(crate) enums: Vec<Option<Py<PyAny>>>,
}

/// The function of a node of a tree, held weakly: Python's garbage collector does not see trees, so
/// it could never free a function that a tree keeps.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) function: Weak<Function>,
    /// The parameters as immutable objects, once they were made.
    pub(crate) arguments: PyOnceLock<Vec<Py<PyAny>>>,
}

impl Clone for Held {
    /// For another node, with other parameters.
    fn clone(&self) -> Self {
        Held { function: Weak::clone(&self.function), arguments: PyOnceLock::new() }
    }
}

/// The functions of a registry. The registry keeps it, and whatever has a tree of it.
#[pyclass(frozen, module = "pleach._pleach", name = "_Leaves")]
#[derive(Default)]
pub(crate) struct PyLeaves(Mutex<Vec<Arc<Function>>>);

impl PyLeaves {
    pub(crate) fn keep(&self, function: Arc<Function>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(function);
    }
}

#[pymethods]
impl PyLeaves {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(all) = self.0.try_lock() else { return Ok(()) };
        for Function { update, start, end, batch: _, one, enums } in all.iter().map(|it| &**it) {
            visit.call(update)?;
            for it in [start, end, one].into_iter().chain(enums) {
                visit.call(it)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let all = self.0.try_lock().map(|mut it| std::mem::take(&mut *it));
        // What it drops may call anything.
        drop(all);
    }
}
