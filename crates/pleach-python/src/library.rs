//! `pleach.Library`: trees in files that include each other, and that change while agents run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use pleach_asset::{Directory, Library, LoadError, Registry};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::error::{error, report, reported};
use crate::forest::PyForest;
use crate::host::Script;
use crate::key::no_pickle;
use crate::population::PyPopulation;
use crate::registry::PyRegistry;
use crate::shared::only;
use crate::texts::Texts;
use crate::tree::PyTree;

/// Trees in the files of a folder.
#[pyclass(frozen, module = "pleach._pleach", name = "Library")]
pub(crate) struct PyLibrary {
    library: Mutex<Followed>,
    registry: Py<PyRegistry>,
}

/// A library with the texts of its trees, as they were read last.
struct Followed {
    library: Library<Directory>,
    texts: Arc<Texts>,
}

impl Followed {
    fn read_texts(&mut self, registry: &Registry<Script>) -> Arc<Texts> {
        self.texts = Texts::of(&self.library, registry, &self.texts);
        Arc::clone(&self.texts)
    }
}

impl PyLibrary {
    fn lock(&self) -> PyResult<MutexGuard<'_, Followed>> {
        only(&self.library, "library")
    }
}

#[pymethods]
impl PyLibrary {
    #[new]
    fn new(folder: std::path::PathBuf, registry: Bound<'_, PyRegistry>) -> PyResult<Self> {
        let library = Library::open(folder).map_err(error)?;
        let followed = Followed { library, texts: Arc::default() };
        Ok(PyLibrary { library: Mutex::new(followed), registry: registry.unbind() })
    }

    /// Reads a tree.
    fn load(&self, py: Python<'_>, name: &str) -> PyResult<PyTree> {
        let (mut followed, registry) = (self.lock()?, self.registry.get().lock()?);
        let tree = followed.library.load(name, &registry).map_err(|it| reported(py, &it))?;
        Ok(PyTree::new(tree, followed.read_texts(&registry), self.registry.get().leaves.clone_ref(py)))
    }

    /// The errors and probable mistakes in all files.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        report(py, Some(&self.lock()?.library.check_all(&*self.registry.get().lock()?)))
    }

    /// Adds a tree to a forest. `reload` follows its files.
    fn add(&self, py: Python<'_>, name: &str, forest: &Bound<'_, PyForest>) -> PyResult<PyPopulation> {
        let mut inner = forest.get().shared.lock()?;
        let (mut followed, registry) = (self.lock()?, self.registry.get().lock()?);
        let tree = followed.library.add_tree(name, &registry, &mut inner.core).map_err(|it| match it {
            LoadError::Report(it) => reported(py, &it),
            other => error(other),
        })?;
        inner.know(py, &followed.read_texts(&registry), &self.registry.get().leaves);
        Ok(PyPopulation { forest: forest.clone().unbind(), tree })
    }

    /// Reads the files that changed and gives running agents their new trees. Returns a report as
    /// text, or `None` if nothing changed. A file with mistakes is rejected: the old tree keeps
    /// running, and the report says why. A trace and a recording of the forest continue, and
    /// include the change.
    fn reload(&self, py: Python<'_>, forest: &Bound<'_, PyForest>) -> PyResult<Option<String>> {
        let registry = self.registry.get().lock()?;
        let (registry, mut followed) = (&*registry, self.lock()?);
        let followed = &mut *followed;
        forest.get().shared.replaced(py, &self.registry.get().leaves, |forest, cx, watch| {
            let reload = followed.library.reload_traced(registry, &mut forest.traced(watch), cx);
            let is_new = reload.as_ref().is_some_and(|it| !it.replaced.is_empty());
            Ok((reload.map(|it| it.to_string()), is_new.then(|| followed.read_texts(registry))))
        })
    }

    /// Looks for changed files of the trees that `load` made: for brains, which switch to a new
    /// version with `Brain.replace`. Returns the new trees by the names of their files, and the
    /// errors of those that cannot be read now.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<(BTreeMap<String, PyTree>, Bound<'py, PyAny>)> {
        let (mut followed, registry) = (self.lock()?, self.registry.get().lock()?);
        let changes = followed.library.poll(&registry);
        let texts = if changes.trees.is_empty() { Arc::default() } else { followed.read_texts(&registry) };
        let made = |tree| PyTree::new(tree, Arc::clone(&texts), self.registry.get().leaves.clone_ref(py));
        let new = changes.trees.into_iter().map(|(name, tree)| (name, made(tree)));
        Ok((new.collect(), report(py, changes.report.as_ref())?))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Library"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.registry)
    }
}
