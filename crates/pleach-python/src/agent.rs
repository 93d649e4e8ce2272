//! `pleach.Agent`: one agent of a forest.

use pleach_core::{AgentId, Phase, Rate};
use pleach_draw::Drawing;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::error::error;
use crate::forest::{PyForest, tree_of};
use crate::group::PyGroup;
use crate::key::no_pickle;
use crate::shared::stale;
use crate::tree::{PyTree, find, names, why_not};
use crate::value;

/// One agent of a forest. It keeps the forest alive; when the agent is gone, its methods raise.
#[pyclass(frozen, module = "pleach._pleach", name = "Agent")]
pub(crate) struct PyAgent {
    pub(crate) forest: Py<PyForest>,
    pub(crate) id: AgentId,
}

#[pymethods]
impl PyAgent {
    /// Its id.
    #[getter]
    fn id(&self) -> u64 {
        self.id.to_bits()
    }

    /// Its tree, in the version that it runs.
    #[getter]
    fn tree(&self, py: Python<'_>) -> PyResult<PyTree> {
        let inner = self.forest.get().shared.lock()?;
        inner.loaded(py, &tree_of(&inner, self.id)?)
    }

    /// Which of the game's entities it is.
    #[getter]
    fn entity(&self) -> PyResult<Option<usize>> {
        Ok(self.forest.get().shared.lock()?.core.agent(self.id).map_err(stale)?.entity().index())
    }

    #[setter]
    fn set_entity(&self, entity: Option<u32>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        inner.core.agent_mut(self.id).map_err(stale)?.set_entity(value::entity(entity));
        Ok(())
    }

    /// What it is called in drawings and recordings.
    #[getter]
    fn label(&self) -> PyResult<Option<String>> {
        let inner = self.forest.get().shared.lock()?;
        Ok(inner.core.agent(self.id).map_err(stale)?.label().map(str::to_owned))
    }

    #[setter]
    fn set_label(&self, label: &str) -> PyResult<()> {
        self.forest.get().shared.lock()?.core.agent_mut(self.id).map_err(stale)?.set_label(label);
        Ok(())
    }

    /// Its group, if it has joined one.
    #[getter]
    fn group(&self, py: Python<'_>) -> PyResult<Option<PyGroup>> {
        let group = self.forest.get().shared.lock()?.core.agent(self.id).map_err(stale)?.group();
        Ok(group.map(|id| PyGroup { forest: self.forest.clone_ref(py), id }))
    }

    /// Joins a group, or leaves its own.
    #[pyo3(signature = (group=None))]
    fn join(&self, group: Option<&Bound<'_, PyGroup>>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        inner.core.agent_mut(self.id).map_err(stale)?.join(group.map(|it| it.get().id)).map_err(stale)
    }

    /// What it is doing in one word: `active`, `asleep`, `paused`, `off` or `panicked`.
    #[getter]
    fn phase(&self) -> PyResult<&'static str> {
        let inner = self.forest.get().shared.lock()?;
        Ok(word_of(inner.core.agent(self.id).map_err(stale)?.phase()))
    }

    /// How often it is ticked: every n-th frame, or 0 for never.
    #[getter]
    fn rate(&self) -> PyResult<u32> {
        let inner = self.forest.get().shared.lock()?;
        Ok(inner.core.agent(self.id).map_err(stale)?.rate().frames().unwrap_or(0))
    }

    #[setter]
    fn set_rate(&self, frames: u32) -> PyResult<()> {
        let rate = if frames == 0 { Rate::NEVER } else { Rate::every(frames).map_err(error)? };
        self.forest.get().shared.lock()?.core.agent_mut(self.id).map_err(stale)?.set_rate(rate);
        Ok(())
    }

    /// The nodes that run in it, as traces and reports call them.
    #[getter]
    fn current(&self) -> PyResult<Vec<String>> {
        let inner = self.forest.get().shared.lock()?;
        let agent = inner.core.agent(self.id).map_err(stale)?;
        Ok(names(agent.tree(), agent.current()))
    }

    /// Whether a node is active, by its name.
    fn is_active(&self, node: &str) -> PyResult<bool> {
        let inner = self.forest.get().shared.lock()?;
        let agent = inner.core.agent(self.id).map_err(stale)?;
        Ok(agent.is_active(find(agent.tree(), node)?))
    }

    /// What it does, what it watches, and what aborted it last, in a few lines.
    fn explain(&self) -> PyResult<String> {
        Ok(self.forest.get().shared.lock()?.core.agent(self.id).map_err(stale)?.explain().to_string())
    }

    /// What keeps it from running a node, which is given by name, in a few lines.
    fn why_not(&self, node: &str) -> PyResult<String> {
        let inner = self.forest.get().shared.lock()?;
        let agent = inner.core.agent(self.id).map_err(stale)?;
        why_not(agent.tree(), node, |it| agent.why_not(it))
    }

    /// Sends it an event, which its next tick delivers.
    #[pyo3(signature = (event, payload=None))]
    fn send(&self, event: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        let tree = tree_of(&inner, self.id)?;
        let sent = value::event_of(&tree, event, payload)?;
        inner.core.agent_mut(self.id).map_err(stale)?.send(sent).map_err(error)
    }

    /// Fills a slot with one of its trees, and returns whether that changed it.
    fn fill(&self, slot: &str, word: &str) -> PyResult<bool> {
        self.forest.get().shared.lock()?.core.agent_mut(self.id).map_err(stale)?.fill(slot, word).map_err(error)
    }

    /// Turns it on.
    fn enable(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.enable(cx))
    }

    /// Turns it off, which ends all running nodes.
    fn disable(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.disable(cx))
    }

    /// Ends all running nodes, and starts at the root in its next tick.
    fn restart(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.restart(cx))
    }

    /// Pauses it: it is not ticked, and its time stands still.
    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.pause(cx))
    }

    /// Resumes it after a pause.
    fn unpause(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.unpause(cx))
    }

    /// Removes it from the forest.
    fn despawn(&self, py: Python<'_>) -> PyResult<()> {
        self.forest.get().shared.change(py, self.id, |agent, cx| agent.despawn(cx))
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.forest.get().shared.lock()?;
        let agent = inner.core.agent(self.id).map_err(stale)?;
        value::to_python(py, agent.tree().schema(), agent.keys().value(key).map_err(error)?)
    }

    fn __setitem__(&self, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.forest.get().shared.lock()?;
        let tree = tree_of(&inner, self.id)?;
        let index = tree.schema().find(key).map_err(error)?;
        let value = value::for_key(tree.schema().decl(index), value)?;
        inner.core.keys_mut(self.id).map_err(stale)?.set_value(index, value).map(drop).map_err(error)
    }

    /// A drawing as text, with what it does.
    fn text(&self) -> PyResult<String> {
        let view = self.forest.get().shared.lock()?.core.agent(self.id).map_err(stale)?.inspect();
        Ok(Drawing::of_agent(&view).text().to_string())
    }

    /// A drawing as SVG, with what it does.
    fn svg(&self) -> PyResult<String> {
        let view = self.forest.get().shared.lock()?.core.agent(self.id).map_err(stale)?.inspect();
        Ok(Drawing::of_agent(&view).svg())
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyAgent>().is_ok_and(|it| it.get().id == self.id && it.get().forest.is(&self.forest))
    }

    fn __hash__(&self) -> u64 {
        self.id.to_bits()
    }

    fn __repr__(&self) -> String {
        format!("<Agent {}>", self.id.to_bits())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Agent"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.forest)
    }
}

/// What an agent is doing, in one word.
pub(crate) fn word_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Active => "active",
        Phase::Asleep => "asleep",
        Phase::Paused => "paused",
        Phase::Off => "off",
        Phase::Panicked => "panicked",
    }
}
