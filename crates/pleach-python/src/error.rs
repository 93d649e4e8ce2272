//! Errors of the library as exceptions: `pleach.PleachError`, and the reports that it carries.

use std::fmt::Display;

use pleach_asset::{Report, Severity};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static PROBLEM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static REPORT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The exception for a failed call, with this message.
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

/// A report as an object of its own: for checks, also of trees that can be used.
pub(crate) fn report<'py>(py: Python<'py>, report: Option<&Report>) -> PyResult<Bound<'py, PyAny>> {
    let report = report.filter(|it| !it.is_empty());
    let text = report.map(|it| it.to_string()).unwrap_or_default();
    let problems = report.map(|it| problems(py, it)).transpose()?.unwrap_or_default();
    REPORT.import(py, "pleach._errors", "Report")?.call1((text, problems))
}

fn problems<'py>(py: Python<'py>, report: &Report) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = PROBLEM.import(py, "pleach._errors", "Problem")?;
    let one = |it: &pleach_asset::Diagnostic| {
        let is_error = it.severity() == Severity::Error;
        class.call1((it.file(), it.line(), it.column(), it.code(), it.message(), it.help(), is_error))
    };
    report.diagnostics().iter().map(one).collect()
}
