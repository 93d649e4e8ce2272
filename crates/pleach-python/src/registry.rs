//! `pleach.Registry`: the leaves of the game, and trees that are read with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use pleach_asset::{
    LeafInfo, LeafKind, Library, Manifest, ParameterInfo, Presence, Registry, Source, ValueType, check_str, load_str,
};
use pleach_dynamic::{Description, register};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::error::{error, report, reported};
use crate::function::{Function, Held, PyLeaves};
use crate::host::Script;
use crate::key::no_pickle;
use crate::shared::only;
use crate::texts::Texts;
use crate::tree::PyTree;
use crate::value;

/// The leaves of the game by the names that trees call them. `pleach.Registry` adds the decorators.
#[pyclass(frozen, subclass, module = "pleach._pleach", name = "Registry")]
pub(crate) struct PyRegistry {
    registry: Mutex<Registry<Script>>,
    pub(crate) leaves: Py<PyLeaves>,
}

impl PyRegistry {
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Registry<Script>>> {
        only(&self.registry, "registry")
    }

    fn load_from<S: Source>(&self, py: Python<'_>, mut library: Library<S>, name: &str) -> PyResult<PyTree> {
        let registry = self.lock()?;
        let tree = library.load(name, &registry).map_err(|it| reported(py, &it))?;
        Ok(PyTree::new(tree, Texts::of(&library, &registry, &Texts::default()), self.leaves.clone_ref(py)))
    }
}

#[pymethods]
impl PyRegistry {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(PyRegistry { registry: Mutex::new(Registry::new()), leaves: Py::new(py, PyLeaves::default())? })
    }

    /// Adds a leaf. A parameter is its name, its type and its default.
    #[pyo3(name = "_add", signature = (name, is_condition, update, start, end, batch, one, parameters, doc, observes, every))]
    #[expect(clippy::too_many_arguments, reason = "the decorators call it")]
    fn add(
        &self,
        name: String,
        is_condition: bool,
        update: Py<PyAny>,
        start: Option<Py<PyAny>>,
        end: Option<Py<PyAny>>,
        batch: bool,
        one: Option<Py<PyAny>>,
        parameters: Vec<(String, Bound<'_, PyAny>, Option<String>)>,
        doc: String,
        observes: Option<Vec<String>>,
        every: Option<f32>,
    ) -> PyResult<()> {
        let kind = if is_condition { LeafKind::Condition } else { LeafKind::Action };
        let mut info = LeafInfo::new(name, kind);
        info.doc = doc;
        let mut enums = Vec::with_capacity(parameters.len());
        for (name, ty, default) in parameters {
            enums.push(enum_of(&ty));
            let mut parameter = ParameterInfo::new(name, value_type(&ty)?);
            if let Some(default) = default {
                parameter.presence = Presence::Default(default);
            }
            info.parameters.get_or_insert_default().push(parameter);
        }
        let (starts, ends) = (start.is_some(), end.is_some());
        let function = Arc::new(Function { update, start, end, batch, one, enums });
        let held = Held { function: Arc::downgrade(&function), ..Held::default() };
        let mut leaf = Description::of(info, held);
        if starts {
            leaf = leaf.starts();
        }
        if ends {
            leaf = leaf.ends();
        }
        if let Some(observes) = observes {
            leaf = leaf.observes(observes);
        }
        if let Some(every) = every {
            leaf = leaf.every(every);
        }
        register(&mut *self.lock()?, leaf).map_err(error)?;
        self.leaves.get().keep(function);
        Ok(())
    }

    /// Declares an event for all trees, with the type of its payload: `"vec2"`, or `None`.
    #[pyo3(signature = (name, payload=None))]
    fn event(&self, name: &str, payload: Option<&str>) -> PyResult<()> {
        let ty = payload.map(|it| value::of_word(it).ok_or_else(|| error(value::not_a_type(it))));
        self.lock()?.event(name, ty.transpose()?).map(drop).map_err(error)
    }

    /// The names of the leaves.
    #[getter]
    fn leaves(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.names().map(str::to_owned).collect())
    }

    /// What is known about the leaves, as a file for `pleach check --leaves` and for editors.
    fn manifest(&self) -> PyResult<String> {
        Ok(Manifest::of(&*self.lock()?).to_ron())
    }

    /// Reads a tree from text. `file` is its name in messages.
    #[pyo3(signature = (text, file="tree.ron"))]
    fn load_str(&self, py: Python<'_>, text: &str, file: &str) -> PyResult<PyTree> {
        let registry = self.lock()?;
        let tree = load_str(file, text, &registry).map_err(|it| reported(py, &it))?;
        Ok(PyTree::new(tree, Texts::of_one(file, text, &registry), self.leaves.clone_ref(py)))
    }

    /// Reads a tree and the files that it includes.
    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<PyTree> {
        let (folder, name) = split(&path)?;
        self.load_from(py, Library::open(folder).map_err(error)?, &name)
    }

    /// The errors and probable mistakes in a tree. Does not raise for what it finds.
    #[pyo3(signature = (text, file="tree.ron"))]
    fn check_str<'py>(&self, py: Python<'py>, text: &str, file: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = check_str(file, text, &*self.lock()?);
        report(py, Some(&found.map_or_else(|it| it, |it| it.1)))
    }

    /// The errors and probable mistakes in a file and those that it includes.
    fn check<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let (folder, name) = split(&path)?;
        let found = Library::open(folder).map_err(error)?.check(&name, &*self.lock()?);
        report(py, Some(&found.map_or_else(|it| it, |it| it.1)))
    }

    /// Reads a tree from several files, which are given as text by their names.
    fn load_files(&self, py: Python<'_>, name: &str, files: BTreeMap<String, String>) -> PyResult<PyTree> {
        self.load_from(py, Library::new(files), name)
    }

    fn __repr__(&self) -> String {
        let count = self.lock().map_or(0, |it| it.names().count());
        format!("<Registry of {count} leaves>")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Registry"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.leaves)
    }
}

/// The folder of a file, and its name there.
fn split(path: &Path) -> PyResult<(PathBuf, String)> {
    let name = path.file_name().and_then(|it| it.to_str());
    let name = name.ok_or_else(|| error(format!("`{}` does not name a file", path.display())))?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((folder.to_owned(), name.to_owned()))
}

/// The class whose members a parameter is.
fn enum_of(it: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
    let (word, of): (String, Py<PyAny>) = it.extract().ok()?;
    (word == "enum").then_some(of)
}

/// The type of a parameter: a word, or a tuple of a word and its argument.
fn value_type(it: &Bound<'_, PyAny>) -> PyResult<ValueType> {
    let unknown = || PyTypeError::new_err(format!("{it} is not a type of parameters"));
    if let Ok(word) = it.cast::<PyString>() {
        return Ok(match word.to_str()? {
            "bool" => ValueType::Bool,
            "int" => ValueType::Int,
            "float" => ValueType::Float,
            "str" => ValueType::Text,
            "event" => ValueType::Event,
            "expr" => ValueType::FloatExpr,
            _ => return Err(unknown()),
        });
    }
    let parts = it.cast::<PyTuple>()?;
    let (word, of): (String, Bound<'_, PyAny>) = parts.extract()?;
    Ok(match &*word {
        "key" => ValueType::Key(value::of_word(&of.extract::<String>()?).ok_or_else(unknown)?),
        "option" => ValueType::Option(value_type(&of)?.into()),
        "list" => ValueType::List(value_type(&of)?.into()),
        "words" => ValueType::OneOf(of.extract()?),
        "enum" => {
            let names = of.getattr("__members__")?.call_method0("keys")?;
            ValueType::Variant(names.try_iter()?.map(|it| it?.extract()).collect::<PyResult<_>>()?)
        }
        _ => return Err(unknown()),
    })
}
