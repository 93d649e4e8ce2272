//! `pleach.Recording`: what happens in a forest or a brain, to be played again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pleach_core::record::Recording;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::error;
use crate::key::no_pickle;
use crate::texts::Texts;

/// What a file holds.
#[derive(FromPyObject)]
enum Content {
    #[pyo3(annotation = "str")]
    Text(String),
    #[pyo3(annotation = "bytes")]
    Bytes(Vec<u8>),
}

/// A recording, which each call of its forest or brain takes and returns.
pub(crate) struct Kept(Mutex<State>);

struct State {
    /// Missing while a call has it.
    recording: Option<Recording>,
    ended: bool,
    /// The text that was last added for each file.
    texts: BTreeMap<String, Arc<str>>,
}

impl Kept {
    /// A recording that keeps the last seconds, and at most that number of bytes, if these are
    /// given.
    pub(crate) fn new(last_seconds: Option<f64>, max_bytes: Option<usize>, keys_every: u32) -> PyResult<Arc<Self>> {
        let mut recording = Recording::new().keys_every(keys_every);
        if let Some(seconds) = last_seconds {
            if !(seconds > 0.0 && seconds.is_finite()) {
                return Err(PyValueError::new_err(format!("`last_seconds` is a time above 0 s, not {seconds}")));
            }
            recording = recording.last_seconds(seconds);
        }
        if let Some(bytes) = max_bytes {
            recording = recording.at_most(bytes);
        }
        let state = State { recording: Some(recording), ended: false, texts: BTreeMap::new() };
        Ok(Arc::new(Kept(Mutex::new(state))))
    }

    /// It is held for a short time: never while Python or a leaf runs.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the recording for a call. `None` if it has ended.
    pub(crate) fn take(&self) -> Option<Recording> {
        let mut state = self.lock();
        if state.ended { None } else { state.recording.take() }
    }

    /// Gives it back.
    pub(crate) fn give_back(&self, recording: Recording) {
        self.lock().recording = Some(recording);
    }

    pub(crate) fn end(&self) {
        self.lock().ended = true;
    }

    /// Adds those texts that it does not have.
    pub(crate) fn add(&self, texts: &Texts) {
        let mut state = self.lock();
        let State { recording: Some(recording), texts: known, .. } = &mut *state else { return };
        for (name, text) in &texts.files {
            if known.get(name) != Some(text) {
                recording.add_file(name.clone(), &**text);
                known.insert(name.clone(), Arc::clone(text));
            }
        }
    }

    fn with<R>(&self, then: impl FnOnce(&mut Recording) -> R) -> PyResult<R> {
        let busy = || error("this recording is in a call of its forest or brain: use it after the call");
        Ok(then(self.lock().recording.as_mut().ok_or_else(busy)?))
    }
}

/// What happens in a forest or a brain, for `Replay`, `pleach replay` and the studio. It continues
/// until `end`, and exists as long as this object.
#[pyclass(frozen, module = "pleach._pleach", name = "Recording")]
pub(crate) struct PyRecording(pub(crate) Arc<Kept>);

#[pymethods]
impl PyRecording {
    /// How many frames it has.
    fn __len__(&self) -> PyResult<usize> {
        self.0.with(|it| usize::try_from(it.len()).unwrap_or(usize::MAX))
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// How many bytes its frames take.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        self.0.with(|it| it.bytes())
    }

    /// For how many seconds up to the last frame a replay has all agents.
    #[getter]
    fn complete_seconds(&self) -> PyResult<f64> {
        self.0.with(|it| it.complete_seconds())
    }

    /// Whether it is over: `end` was called, or another recording was begun in its place.
    #[getter]
    fn ended(&self) -> bool {
        self.0.lock().ended
    }

    /// Adds a file, such as the text of a tree, or a baked tree as bytes. The files of trees that
    /// this library read are included already.
    fn add_file(&self, name: String, content: Content) -> PyResult<()> {
        let bytes = match content {
            Content::Text(it) => it.into_bytes(),
            Content::Bytes(it) => it,
        };
        self.0.with(|it| it.add_file(name, bytes))
    }

    /// Returns the recording as bytes. Recording continues.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.with(|it| it.to_bytes())?))
    }

    /// Writes the recording to a file, usually `*.plr`. Recording continues.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let bytes = self.0.with(|it| it.to_bytes())?;
        py.detach(|| std::fs::write(&path, bytes)).map_err(|it| error(format!("`{}`: {it}", path.display())))
    }

    /// Ends it. This object keeps what was recorded.
    fn end(&self) {
        self.0.end();
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.0.end();
    }

    fn __repr__(&self) -> String {
        self.0
            .with(|it| it.to_string())
            .map_or_else(|_| "<Recording in a call>".into(), |it| format!("<Recording of {it}>"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Recording"))
    }
}
