//! `pleach.Replay`: a recording, played again without its leaves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use pleach_asset::{Changes, LeafInfo, Library, Manifest, Registry, Report, file_stem, is_baked, load_baked};
use pleach_core::handles::AgentRef;
use pleach_core::record::{RecordedTree, Replay};
use pleach_core::{AgentId, Tree};
use pleach_draw::Drawing;
use pleach_dynamic::{Description, register_manifest};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};

use crate::array;
use crate::error::{error, reported};
use crate::function::Held;
use crate::host::{Cx, Script};
use crate::key::no_pickle;
use crate::registry::PyRegistry;
use crate::shared::{only, stale};
use crate::tree::{names, why_not};
use crate::value;

static DIVERGENCE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A recording, played again. No leaf is called. Its position is after a frame, or before the first
/// one. Agents have the ids that they had in the recording.
#[pyclass(frozen, module = "pleach._pleach", name = "Replay")]
pub(crate) struct PyReplay(Mutex<Replay<Script>>);

impl PyReplay {
    fn lock(&self) -> PyResult<MutexGuard<'_, Replay<Script>>> {
        only(&self.0, "replay")
    }

    fn play<R: Send>(
        &self,
        py: Python<'_>,
        play: impl FnOnce(&mut Replay<Script>, &mut Cx) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        let mut replay = self.lock()?;
        let replay = &mut *replay;
        py.detach(|| play(replay, &mut Cx::default()))
    }

    /// Calls with an agent at the replay's position.
    fn with<R>(&self, agent: u64, then: impl FnOnce(AgentRef<'_, Script>) -> PyResult<R>) -> PyResult<R> {
        then(self.lock()?.forest().agent(AgentId::from_bits(agent)).map_err(stale)?)
    }
}

#[pymethods]
impl PyReplay {
    /// Opens a recording: its bytes, or the path of a file. It contains its trees.
    /// Their leaves are those of `registry`; without it, all leaves that the recording describes.
    #[staticmethod]
    #[pyo3(signature = (recording, registry=None))]
    fn open(
        py: Python<'_>,
        recording: &Bound<'_, PyAny>,
        registry: Option<&Bound<'_, PyRegistry>>,
    ) -> PyResult<PyReplay> {
        let bytes = match recording.cast::<PyBytes>() {
            Ok(it) => it.as_bytes().to_vec(),
            Err(_) => {
                let path: PathBuf = recording.extract()?;
                py.detach(|| std::fs::read(&path)).map_err(|it| error(format!("`{}`: {it}", path.display())))?
            }
        };
        let given = registry.map(|it| it.get().lock()).transpose()?;
        let (mut makers, mut failure) = (Makers::default(), None);
        let replay = Replay::open_with(&bytes, |recorded| {
            let made = makers.tree(py, recorded, given.as_deref());
            made.map_err(|it| failure = Some(it)).ok()
        });
        let replay = replay.map_err(|it| failure.unwrap_or_else(|| error(it)))?;
        Ok(PyReplay(Mutex::new(replay)))
    }

    /// How many frames there are.
    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.lock()?.len()).unwrap_or(usize::MAX))
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// How many frames have been played.
    #[getter]
    fn played(&self) -> PyResult<u64> {
        Ok(self.lock()?.played())
    }

    /// The number of the frame that was played last, as the recorded forest counted it.
    #[getter]
    fn frame(&self) -> PyResult<u64> {
        Ok(self.lock()?.frame())
    }

    /// The time of the forest, in seconds.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.forest().time())
    }

    /// The ids of the agents that exist now.
    #[getter]
    fn agents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ids: Vec<u64> = self.lock()?.forest().agents().map(AgentId::to_bits).collect();
        array::array(py, &ids)
    }

    /// After how many frames all agents are present: 0, unless the recording dropped old frames.
    #[getter]
    fn complete_after(&self) -> PyResult<u64> {
        Ok(self.lock()?.complete_after())
    }

    /// The interval in frames at which all keys were recorded; 0 if only those on which decisions
    /// depend.
    #[getter]
    fn keys_every(&self) -> PyResult<u32> {
        Ok(self.lock()?.keys_every())
    }

    /// The files that are kept with the recording, by their names: the last of each name. Texts are
    /// `str`, baked trees `bytes`.
    #[getter]
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (name, content) in self.lock()?.files() {
            match str::from_utf8(content) {
                Ok(text) if !is_baked(content) => files.set_item(name, text)?,
                _ => files.set_item(name, PyBytes::new(py, content))?,
            }
        }
        Ok(files)
    }

    /// Goes to the state after that number of frames, or after the last one if there are fewer.
    fn seek(&self, py: Python<'_>, frames: u64) -> PyResult<()> {
        self.play(py, |replay, cx| replay.seek(frames, cx).map_err(error))
    }

    /// Plays the next frame, and returns whether there was one.
    fn step(&self, py: Python<'_>) -> PyResult<bool> {
        self.play(py, |replay, cx| replay.step(cx).map_err(error))
    }

    /// Plays all of it, returns where agents did something different from the recording, and goes
    /// back to its position. Raises if the recording is damaged or cut off.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = self.play(py, |replay, cx| {
            let at = replay.played();
            replay.seek(u64::MAX, cx).map_err(error)?;
            let (played, len) = (replay.played(), replay.len());
            let found = replay.divergences().to_vec();
            replay.seek(at, cx).map_err(error)?;
            if played < len {
                return Err(error(format!("the recording is cut off: {played} of its {len} frames are there")));
            }
            Ok(found)
        })?;
        let class = DIVERGENCE.import(py, "pleach._errors", "Divergence")?;
        let all = found.iter().map(|it| class.call1((it.frame, it.agent.to_bits(), it.to_string())));
        PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
    }

    /// The nodes that run in an agent, as traces and reports call them.
    fn current(&self, agent: u64) -> PyResult<Vec<String>> {
        self.with(agent, |it| Ok(names(it.tree(), it.current())))
    }

    /// What an agent does, what it watches, and what aborted it last, in a few lines. An agent that
    /// slept is active here, as a replay does not know that it slept.
    fn explain(&self, agent: u64) -> PyResult<String> {
        Ok(self.lock()?.inspect(AgentId::from_bits(agent)).map_err(stale)?.explain().to_string())
    }

    /// What keeps an agent from running a node, which is given by name, in a few lines.
    fn why_not(&self, agent: u64, node: &str) -> PyResult<String> {
        self.with(agent, |it| why_not(it.tree(), node, |node| it.why_not(node)))
    }

    /// The value of a key of an agent. A key on which no decision depends may be older, unless the
    /// recording notes all keys (`keys_every`).
    fn get<'py>(&self, py: Python<'py>, agent: u64, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.with(agent, |it| value::to_python(py, it.tree().schema(), it.keys().value(key).map_err(error)?))
    }

    /// A drawing of an agent as text, with what it does.
    fn text(&self, agent: u64) -> PyResult<String> {
        let view = self.lock()?.inspect(AgentId::from_bits(agent)).map_err(stale)?;
        Ok(Drawing::of_agent(&view).text().to_string())
    }

    fn __repr__(&self) -> String {
        self.lock().map_or_else(
            |_| "<Replay in a call>".into(),
            |it| format!("<Replay behind {} of {} frames>", it.played(), it.len()),
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Replay"))
    }
}

/// Makes the trees of a recording from the files in it.
#[derive(Default)]
struct Makers {
    /// All trees of the files, once one is needed.
    read: Option<Read>,
}

/// Why a file does not make a tree.
#[derive(Clone)]
enum Wrong {
    Text(Report),
    Baked(String),
}

/// The trees of all versions of the files, and the problems of those that are not trees.
struct Read {
    trees: Vec<Arc<Tree<Script>>>,
    broken: Vec<(String, Wrong)>,
}

impl Makers {
    fn tree(
        &mut self,
        py: Python<'_>,
        recorded: &RecordedTree<'_>,
        given: Option<&Registry<Script>>,
    ) -> PyResult<Arc<Tree<Script>>> {
        let Read { trees, broken } = match &mut self.read {
            Some(it) => it,
            none => none.insert(match given {
                Some(it) => read(recorded.files, it),
                None => read(recorded.files, &described(py, recorded.files)?),
            }),
        };
        if let Some(same) = trees.iter().find(|it| recorded.is(it)) {
            return Ok(Arc::clone(same));
        }
        // Described leaves do not declare what they observe, so no tree is exactly the recorded
        // one. Versions come in the order of their agents.
        let fits = |it: &&Arc<Tree<Script>>| it.name() == recorded.name && recorded.difference(it).is_none();
        if let Some(fit) = trees.iter().filter(fits).take(recorded.version + 1).last() {
            return Ok(Arc::clone(fit));
        }
        // A part of a tree is not a tree by itself. A baked tree that cannot be read may be any.
        let report = broken.iter().find(|it| file_stem(&it.0) == recorded.name || matches!(it.1, Wrong::Baked(_)));
        Err(report.map_or_else(
            || {
                let name = recorded.name;
                error(format!(
                    "the recording has agents of the tree `{name}`, and no file of it that fits: see `add_file`"
                ))
            },
            |it| match &it.1 {
                Wrong::Text(it) => reported(py, it),
                Wrong::Baked(it) => error(it.clone()),
            },
        ))
    }
}

/// Reads all versions of the files: each tree as it was at first, and after each change of a file
/// that it is made of. Baked trees come last.
fn read(files: &[(String, Vec<u8>)], registry: &Registry<Script>) -> Read {
    let mut library = Library::new(BTreeMap::<String, Vec<u8>>::new());
    let mut all = Read { trees: Vec::new(), broken: Vec::new() };
    let (baked, texts): (Vec<_>, Vec<_>) =
        files.iter().filter(|it| !is_manifest(&it.0)).partition(|it| is_baked(&it.1));
    for version in versions(texts) {
        let new: Vec<&String> =
            version.iter().map(|it| &it.0).filter(|it| !library.source().contains_key(*it)).collect();
        library.source_mut().extend(version.iter().map(|it| (*it).clone()));
        let Changes { trees, broken, report, .. } = library.poll(registry);
        all.trees.extend(trees.into_iter().map(|it| it.1));
        all.broken.extend(broken.into_iter().zip(report.map(Wrong::Text).into_iter().cycle()));
        for name in new {
            match library.load(name, registry) {
                Ok(it) => all.trees.push(it.into()),
                Err(it) => all.broken.push((name.clone(), Wrong::Text(it))),
            }
        }
    }
    for (at, (name, bytes)) in baked.iter().enumerate() {
        if baked[..at].iter().any(|it| it.1 == *bytes) {
            continue;
        }
        match load_baked(name, bytes, registry) {
            Ok(it) => all.trees.push(it.into()),
            Err(it) => all.broken.push((name.clone(), Wrong::Baked(format!("{it:#}")))),
        }
    }
    all
}

/// The leaves of the manifest in a recording. None is ever called.
fn described(py: Python<'_>, files: &[(String, Vec<u8>)]) -> PyResult<Registry<Script>> {
    let manifest = files.iter().rfind(|it| is_manifest(&it.0));
    let (name, text) =
        manifest.ok_or_else(|| error("the recording does not say which leaves there are: give `registry`"))?;
    let manifest = Manifest::parse(name, &String::from_utf8_lossy(text)).map_err(|it| reported(py, &it))?;
    let mut registry = Registry::new();
    let leaf = |leaf: &LeafInfo| Some(Description::of(leaf.clone(), Held::default()));
    register_manifest(&mut registry, &manifest, leaf).map_err(error)?;
    Ok(registry)
}

fn is_manifest(name: &str) -> bool {
    name.ends_with(".leaves")
}

/// The files that there were at first, and those of each change: a repeated name begins another
/// version, in which all other files are as before.
fn versions(files: Vec<&(String, Vec<u8>)>) -> Vec<Vec<&(String, Vec<u8>)>> {
    let mut versions: Vec<Vec<&(String, Vec<u8>)>> = vec![Vec::new()];
    for file in files {
        if versions.last().is_some_and(|last| last.iter().any(|it| it.0 == file.0)) {
            versions.push(Vec::new());
        }
        if let Some(last) = versions.last_mut() {
            last.push(file);
        }
    }
    versions
}
