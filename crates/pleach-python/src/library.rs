//! `pleach.Library`: trees in files that include each other, and that change while agents run.

use std::sync::{Mutex, MutexGuard};

use pleach_asset::{Directory, Library, LoadError};
use pyo3::prelude::*;

use crate::error::{error, report, reported};
use crate::forest::PyForest;
use crate::key::no_pickle;
use crate::population::PyPopulation;
use crate::registry::PyRegistry;
use crate::shared::only;
use crate::tree::PyTree;

/// Trees in the files of a folder.
#[pyclass(frozen, module = "pleach._pleach", name = "Library")]
pub(crate) struct PyLibrary {
    library: Mutex<Library<Directory>>,
    registry: Py<PyRegistry>,
}

impl PyLibrary {
    fn lock(&self) -> PyResult<MutexGuard<'_, Library<Directory>>> {
        only(&self.library, "library")
    }
}

#[pymethods]
impl PyLibrary {
    #[new]
    fn new(folder: std::path::PathBuf, registry: Bound<'_, PyRegistry>) -> PyResult<Self> {
        let library = Library::open(folder).map_err(error)?;
        Ok(PyLibrary { library: Mutex::new(library), registry: registry.unbind() })
    }

    /// Reads a tree.
    fn load(&self, py: Python<'_>, name: &str) -> PyResult<PyTree> {
        let tree = self.lock()?.load(name, &*self.registry.get().lock()?);
        tree.map(PyTree::new).map_err(|it| reported(py, &it))
    }

    /// What is wrong with any file, and what is probably not meant.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        report(py, &self.lock()?.check_all(&*self.registry.get().lock()?))
    }

    /// Adds a tree to a forest. `reload` follows its files.
    fn add(&self, py: Python<'_>, name: &str, forest: &Bound<'_, PyForest>) -> PyResult<PyPopulation> {
        let mut inner = forest.get().shared.lock()?;
        let tree = self.lock()?.add_tree(name, &*self.registry.get().lock()?, &mut inner.forest);
        let tree = tree.map_err(|it| match it {
            LoadError::Report(it) => reported(py, &it),
            other => error(other),
        })?;
        Ok(PyPopulation { forest: forest.clone().unbind(), tree })
    }

    /// Reads the files that changed and gives running agents their new trees. Returns what became
    /// of them in words, or `None` if nothing changed. A file with mistakes is rejected: the old
    /// tree keeps running, and the words say why.
    fn reload(&self, py: Python<'_>, forest: &Bound<'_, PyForest>) -> PyResult<Option<String>> {
        let registry = self.registry.get().lock()?;
        let (registry, mut library) = (&*registry, self.lock()?);
        let library = &mut *library;
        forest.get().shared.call(py, |forest, cx, _| Ok(library.reload(registry, forest, cx).map(|it| it.to_string())))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Library"))
    }
}
