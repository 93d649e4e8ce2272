//! `pleach.Tree` and its nodes.

use std::sync::Arc;

use pleach_core::{NodeId, Tree};
use pleach_draw::Drawing;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::error;
use crate::host::Script;
use crate::key::no_pickle;
use crate::value;

/// A tree that was read and checked. Forests share it.
#[pyclass(frozen, module = "pleach._pleach", name = "Tree")]
pub(crate) struct PyTree {
    pub(crate) tree: Arc<Tree<Script>>,
}

impl PyTree {
    pub(crate) fn new(tree: impl Into<Arc<Tree<Script>>>) -> Self {
        PyTree { tree: tree.into() }
    }
}

#[pymethods]
impl PyTree {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.tree.name()
    }

    fn __len__(&self) -> usize {
        self.tree.len()
    }

    /// Its nodes, in pre-order: each as traces and reports call it.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        self.tree.nodes().map(|it| it.to_string()).collect()
    }

    /// Its keys by name, each with its type: `{"health": "float"}`.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keys = PyDict::new(py);
        for it in self.tree.schema().keys() {
            keys.set_item(it.name(), value::word(it.ty()))?;
        }
        Ok(keys)
    }

    /// Its events by name, each with the type of its payload, or `None`.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let events = PyDict::new(py);
        for it in self.tree.schema().events() {
            events.set_item(it.name(), it.payload().map(value::word))?;
        }
        Ok(events)
    }

    /// The number of a node, by its name, or as a trace prints it: `n3`.
    fn find(&self, name: &str) -> PyResult<usize> {
        find(&self.tree, name).map(NodeId::index)
    }

    /// A drawing as text.
    fn text(&self) -> String {
        Drawing::of(&self.tree).text().to_string()
    }

    /// A drawing as SVG.
    fn svg(&self) -> String {
        Drawing::of(&self.tree).svg()
    }

    /// A drawing as Graphviz.
    fn dot(&self) -> String {
        Drawing::of(&self.tree).dot()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __repr__(&self) -> String {
        format!("<Tree `{}` of {} nodes>", self.tree.name(), self.tree.len())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Tree"))
    }
}

/// A node by its name, or as it is printed.
pub(crate) fn find(tree: &Tree<Script>, name: &str) -> PyResult<NodeId> {
    tree.find_printed(name).or_else(|_| tree.find_one(name)).map(|it| it.id()).map_err(error)
}
