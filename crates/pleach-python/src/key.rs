//! What leaves get for parameters that name something of their tree: keys and expressions.

use pleach_asset::{AnyKey, FloatExpr};
use pyo3::prelude::*;

use crate::error::error;
use crate::value::word;

/// A key of a tree, as a parameter of a leaf names it. `batch[key]` and `context[key]` read it, and
/// an assignment writes it.
#[pyclass(frozen, module = "pleach._pleach", name = "Key")]
pub(crate) struct PyKey(pub(crate) AnyKey);

#[pymethods]
impl PyKey {
    /// The type of its values: `"float"`, `"vec2"`, and so on.
    #[getter]
    fn type_name(&self) -> &'static str {
        word(self.0.ty())
    }

    /// `Key[float]`, as type hints write it.
    #[classmethod]
    fn __class_getitem__(class: &Bound<'_, pyo3::types::PyType>, item: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        Ok(class.py().import("types")?.getattr("GenericAlias")?.call1((class, item))?.unbind())
    }

    fn __repr__(&self) -> String {
        format!("Key[{}]", word(self.0.ty()))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Key"))
    }
}

/// A number or an expression, as a parameter of a leaf gives it. `batch.eval(it)` and
/// `context.eval(it)` compute it.
#[pyclass(frozen, module = "pleach._pleach", name = "Expr")]
pub(crate) struct PyExpr(pub(crate) FloatExpr);

#[pymethods]
impl PyExpr {
    /// Its value, if it is a plain number.
    #[getter]
    fn literal(&self) -> Option<f32> {
        self.0.literal()
    }

    fn __repr__(&self) -> String {
        self.0.literal().map_or_else(|| "Expr(..)".into(), |it| format!("Expr({it})"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Expr"))
    }
}

/// The error for pickling something that belongs to the running program.
pub(crate) fn no_pickle(class: &str) -> PyErr {
    let help = match class {
        "Tree" | "Registry" | "Library" => "pickle the text of the tree, and load it in the other process",
        "Forest" | "Agent" | "Group" | "Population" => "pickle `forest.save()`, and restore it in the other process",
        _ => "it is of this process alone",
    };
    pyo3::exceptions::PyTypeError::new_err(format!("a {class} cannot be pickled: {help}"))
}

/// The error for using something that belongs to a call of the runtime that is over.
pub(crate) fn over(what: &str) -> PyErr {
    error(format!("this {what} is over: it can be used in the leaf that it is given to, until that returns"))
}
