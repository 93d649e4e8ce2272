//! Errors of the library as exceptions: `pleach.PleachError`, and the reports that it carries.

use std::fmt::Display;

use pleach_asset::{Report, Severity};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static PROBLEM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static REPORT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// What says what a failed call got wrong.
pub(crate) fn error(message: impl Display) -> PyErr {
    Python::attach(|py| match ERROR.import(py, "pleach._errors", "PleachError") {
        Ok(class) => PyErr::from_type(class.clone(), (message.to_string(),)),
        Err(error) => error,
    })
}

/// A report as an error.
pub(crate) fn reported(py: Python<'_>, report: &Report) -> PyErr {
    let made = || {
        let class = ERROR.import(py, "pleach._errors", "PleachError")?;
        Ok::<_, PyErr>(PyErr::from_type(
            class.clone(),
            (report.to_string(), PyList::new(py, problems(py, report)?)?.unbind()),
        ))
    };
    made().unwrap_or_else(|error| error)
}

/// A report as an object of its own: what a check says of trees that can be used, too.
pub(crate) fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let text = if report.is_empty() { String::new() } else { report.to_string() };
    REPORT.import(py, "pleach._errors", "Report")?.call1((text, problems(py, report)?))
}

fn problems<'py>(py: Python<'py>, report: &Report) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = PROBLEM.import(py, "pleach._errors", "Problem")?;
    let one = |it: &pleach_asset::Diagnostic| {
        let is_error = it.severity() == Severity::Error;
        class.call1((it.file(), it.line(), it.column(), it.code(), it.message(), it.help(), is_error))
    };
    report.diagnostics().iter().map(one).collect()
}
