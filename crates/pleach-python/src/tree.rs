//! `pleach.Tree` and its nodes.

use std::sync::Arc;

use pleach_core::inspect::WhyNot;
use pleach_core::{NodeId, Tree};
use pleach_draw::Drawing;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::error;
use crate::function::PyLeaves;
use crate::host::Script;
use crate::key::no_pickle;
use crate::texts::{Loaded, Texts};
use crate::value;

/// A tree that was read and checked. Forests share it.
#[pyclass(frozen, module = "pleach._pleach", name = "Tree")]
pub(crate) struct PyTree(pub(crate) Loaded);

impl PyTree {
    pub(crate) fn new(tree: impl Into<Arc<Tree<Script>>>, texts: Arc<Texts>, leaves: Py<PyLeaves>) -> Self {
        PyTree(Loaded { tree: tree.into(), texts, leaves })
    }
}

#[pymethods]
impl PyTree {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.0.tree.name()
    }

    fn __len__(&self) -> usize {
        self.0.tree.len()
    }

    /// Its nodes, in pre-order: each as traces and reports call it.
    #[getter]
    fn nodes(&self) -> Vec<String> {
        self.0.tree.nodes().map(|it| it.to_string()).collect()
    }

    /// Its keys by name, each with its type: `{"health": "float"}`.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keys = PyDict::new(py);
        for it in self.0.tree.schema().keys() {
            keys.set_item(it.name(), value::word(it.ty()))?;
        }
        Ok(keys)
    }

    /// Its events by name, each with the type of its payload, or `None`.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let events = PyDict::new(py);
        for it in self.0.tree.schema().events() {
            events.set_item(it.name(), it.payload().map(value::word))?;
        }
        Ok(events)
    }

    /// The number of a node, by its name, or as a trace prints it: `n3`.
    fn find(&self, name: &str) -> PyResult<usize> {
        find(&self.0.tree, name).map(NodeId::index)
    }

    /// A drawing as text.
    fn text(&self) -> String {
        Drawing::of(&self.0.tree).text().to_string()
    }

    /// A drawing as SVG.
    fn svg(&self) -> String {
        Drawing::of(&self.0.tree).svg()
    }

    /// A drawing as Graphviz.
    fn dot(&self) -> String {
        Drawing::of(&self.0.tree).dot()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __repr__(&self) -> String {
        format!("<Tree `{}` of {} nodes>", self.0.tree.name(), self.0.tree.len())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Tree"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0.leaves)
    }
}

/// A node by its name, or as it is printed.
pub(crate) fn find(tree: &Tree<Script>, name: &str) -> PyResult<NodeId> {
    tree.find_printed(name).or_else(|_| tree.find_one(name)).map(|it| it.id()).map_err(error)
}

/// Nodes as traces and reports call them.
pub(crate) fn names(tree: &Tree<Script>, nodes: impl Iterator<Item = NodeId>) -> Vec<String> {
    nodes.filter_map(|it| tree.node(it)).map(|it| it.to_string()).collect()
}

/// What keeps an agent from running a node, by the node's name.
pub(crate) fn why_not(tree: &Tree<Script>, node: &str, why: impl FnOnce(NodeId) -> Option<WhyNot>) -> PyResult<String> {
    let node = find(tree, node)?;
    why(node).map(|it| it.to_string()).ok_or_else(|| {
        error(format!(
            "the agent does not have the node {node} of the tree `{}`: ask an agent that is there and runs that tree",
            tree.name()
        ))
    })
}
