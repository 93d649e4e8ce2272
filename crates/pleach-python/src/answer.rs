//! What leaves return: statuses, and how they hear of ends.

use pleach_core::{End, Status};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyType};

use crate::array::read;

static STATUS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A status as a number of Python, and back: `pleach.Status` has the same.
const STATUSES: [Status; 3] = [Status::Running, Status::Success, Status::Failure];

/// What a leaf returned for one agent.
pub(crate) fn of_one(it: &Bound<'_, PyAny>, is_condition: bool) -> PyResult<Status> {
    let py = it.py();
    let status = STATUS.import(py, "pleach._leaves", "Status")?;
    if it.get_type().is(status)
        && let Some(found) = STATUSES.get(it.extract::<usize>()?)
    {
        return Ok(*found);
    }
    let bool_ = if is_condition { truth(it) } else { None };
    bool_.map(Status::from_bool).ok_or_else(|| wrong(it, is_condition))
}

/// `True` and `False`, also as NumPy has them.
fn truth(it: &Bound<'_, PyAny>) -> Option<bool> {
    if it.is_instance_of::<PyBool>() || it.get_type().name().is_ok_and(|it| it == "bool" || it == "bool_") {
        return it.is_truthy().ok();
    }
    None
}

fn wrong(it: &Bound<'_, PyAny>, is_condition: bool) -> PyErr {
    let returned = match it.repr() {
        Ok(text) if text.len().is_ok_and(|it| it < 80) => text.to_string(),
        _ => it.get_type().to_string(),
    };
    let needed = if is_condition {
        "a condition returns True, False or a `pleach.Status`"
    } else {
        "an action returns a `pleach.Status`"
    };
    PyTypeError::new_err(format!("the leaf returned {returned}: {needed}"))
}

/// What a leaf returned for `len` agents: one status for all, or an array with one for each.
pub(crate) fn of_all(it: &Bound<'_, PyAny>, len: usize, is_condition: bool) -> PyResult<Vec<Status>> {
    let is_array = it.hasattr("__len__")? && !it.is_instance_of::<pyo3::types::PyString>();
    if !is_array {
        return Ok(vec![of_one(it, is_condition)?; len]);
    }
    let what = "what the leaf returned";
    let array = it.py().import("numpy")?.call_method1("asarray", (it,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if array.getattr("ndim")?.extract::<usize>()? == 0 {
        return Ok(vec![of_one(it, is_condition)?; len]);
    }
    match (&*kind, is_condition) {
        ("b", true) => Ok(read::<bool>(&array, len, 1, what)?.into_iter().map(Status::from_bool).collect()),
        ("b", false) => Err(PyTypeError::new_err(
            "the leaf returned an array of bool: an action returns statuses; see `pleach.until`",
        )),
        ("i" | "u", _) => {
            let numbers = read::<i64>(&array, len, 1, what)?;
            let of = |(at, it): (usize, &i64)| {
                let found = usize::try_from(*it).ok().and_then(|it| STATUSES.get(it).copied());
                found.ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "{what}: {it}, for agent {at} of the batch, is not a status: 0 is running, 1 success, 2 failure"
                    ))
                })
            };
            numbers.iter().enumerate().map(of).collect()
        }
        _ => Err(PyTypeError::new_err(format!(
            "{what}: an array of statuses is needed, not of {}",
            array.getattr("dtype")?
        ))),
    }
}

/// How an activation ended, in one word: `success`, `failure`, or why it was ended from outside.
pub(crate) fn of_end(end: End) -> String {
    match end {
        End::Success => "success".into(),
        End::Failure => "failure".into(),
        End::Aborted(reason) => reason.to_string(),
    }
}
