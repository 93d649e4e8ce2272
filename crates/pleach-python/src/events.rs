//! Events as objects of Python: `pleach.Event`, with a name and a payload.

use pleach_core::Event;
use pleach_core::schema::Schema;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::value;

static EVENT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// An event with the name that the tree declares. A tree that knows events only by use does not
/// give their names: then it is empty.
pub(crate) fn to_python<'py>(py: Python<'py>, schema: Option<&Schema>, event: &Event) -> PyResult<Bound<'py, PyAny>> {
    let name = schema.and_then(|it| it.events().map(|it| it.name()).find(|it| event.is(it))).unwrap_or_default();
    let payload = event.value().zip(schema).map(|(it, schema)| value::to_python(py, schema, it)).transpose()?;
    EVENT.import(py, "pleach._leaves", "Event")?.call1((name, payload))
}
