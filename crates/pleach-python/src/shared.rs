//! What a forest or a brain holds, and how handles access it: one call at a time, without the
//! interpreter's lock while trees run.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pleach_asset::{AnyKey, with_key};
use pleach_core::error::{AccessError, StaleError};
use pleach_core::handles::PopulationMut;
use pleach_core::trace::Traced;
use pleach_core::{AgentId, BlackboardType, Forest, Key, KeysMut, Tree, Value};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::error::error;
use crate::function::PyLeaves;
use crate::host::{Cx, Script};
use crate::recording::{Kept, PyRecording};
use crate::texts::{Loaded, Texts};
use crate::tree::PyTree;
use crate::watch::{Tracers, Watch};

/// What runs trees.
pub(crate) trait Runtime: Send {
    /// What it is called in messages.
    const NAME: &'static str;
    /// The tree of an agent, if it is there.
    fn tree_of(&self, agent: AgentId) -> Option<&Arc<Tree<Script>>>;
    /// All trees.
    fn trees(&self) -> Vec<&Arc<Tree<Script>>>;
}

impl Runtime for Forest<Script> {
    const NAME: &'static str = "forest";
    fn tree_of(&self, agent: AgentId) -> Option<&Arc<Tree<Script>>> {
        Some(self.agent(agent).ok()?.tree())
    }
    fn trees(&self) -> Vec<&Arc<Tree<Script>>> {
        Forest::trees(self).filter_map(|it| self.tree(it).ok()).collect()
    }
}

/// A forest or a brain with what watches it and the game's own object.
pub(crate) struct Inner<T = Forest<Script>> {
    pub(crate) core: T,
    pub(crate) watch: Watch,
    pub(crate) world: Option<Py<PyAny>>,
    /// What agents said in calls since the last tick.
    pub(crate) said: Cx,
    /// Its trees with their texts and leaves.
    trees: Vec<Loaded>,
    /// How many calls so far may have added or removed agents.
    pub(crate) calls: u64,
}

impl<T: Runtime> Inner<T> {
    /// Notes the texts and leaves of the trees added last; a recording gets the texts too.
    pub(crate) fn know(&mut self, py: Python<'_>, texts: &Arc<Texts>, leaves: &Py<PyLeaves>) {
        self.forget_gone();
        let here: Vec<Arc<Tree<Script>>> = self.core.trees().into_iter().map(Arc::clone).collect();
        for tree in here {
            if !self.trees.iter().any(|it| Arc::ptr_eq(&it.tree, &tree)) {
                self.trees.push(Loaded { tree, texts: Arc::clone(texts), leaves: leaves.clone_ref(py) });
            }
        }
        if let Some(recording) = &self.watch.recording {
            recording.add(texts);
        }
    }

    /// Forgets trees that were removed or replaced.
    pub(crate) fn forget_gone(&mut self) {
        let here = self.core.trees();
        self.trees.retain(|it| here.iter().any(|tree| Arc::ptr_eq(tree, &it.tree)));
    }

    /// One of its trees, for Python.
    ///
    /// # Errors
    /// It was not [noted](Inner::know): each call that adds a tree notes it.
    pub(crate) fn loaded(&self, py: Python<'_>, tree: &Arc<Tree<Script>>) -> PyResult<PyTree> {
        let known = self.trees.iter().find(|it| Arc::ptr_eq(&it.tree, tree));
        Ok(PyTree(
            known
                .ok_or_else(|| {
                    error(format!("the text of the tree `{}` is not known here: add the tree again", tree.name()))
                })?
                .clone_ref(py),
        ))
    }

    /// Begins a recording, replacing any earlier one.
    pub(crate) fn record(&mut self, recording: Arc<Kept>) -> PyRecording {
        self.trees.iter().for_each(|it| recording.add(&it.texts));
        if let Some(old) = self.watch.recording.replace(Arc::clone(&recording)) {
            old.end();
        }
        PyRecording(recording)
    }
}

/// A forest or a brain that only one call uses at a time.
pub(crate) struct Shared<T = Forest<Script>>(Mutex<Inner<T>>);

impl<T: Runtime> Shared<T> {
    pub(crate) fn new(core: T, world: Option<Py<PyAny>>) -> Self {
        let (watch, said, trees) = (Watch::default(), Cx::default(), Vec::new());
        Shared(Mutex::new(Inner { core, watch, world, said, trees, calls: 0 }))
    }

    /// What it holds, for a call that runs no leaf.
    ///
    /// # Errors
    /// Another call is using it: a leaf calls the forest that ticks it, or another thread does.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner<T>>> {
        match self.0.try_lock() {
            Ok(it) => Ok(it),
            // A panic in the middle of a call is our bug; the forest is whole (its own rule).
            Err(TryLockError::Poisoned(it)) => Ok(it.into_inner()),
            Err(TryLockError::WouldBlock) => Err(error(format!(
                "this {0} is in a call: a leaf cannot call the {0} that ticks it (use its context or batch, or do it after \
                 the tick), and two threads cannot call one {0} at once",
                T::NAME
            ))),
        }
    }

    /// What leaves get as `context.world` and `batch.world`.
    pub(crate) fn world(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.lock()?.world.as_ref().map_or_else(|| py.None(), |it| it.clone_ref(py)))
    }

    pub(crate) fn set_world(&self, world: Option<Py<PyAny>>) -> PyResult<()> {
        let old = std::mem::replace(&mut self.lock()?.world, world);
        // What it drops may call this forest.
        drop(old);
        Ok(())
    }

    /// For the garbage collector. During a call, its holder is not garbage.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(inner) = self.0.try_lock() else { return Ok(()) };
        visit.call(&inner.world)?;
        inner.trees.iter().try_for_each(|it| visit.call(&it.leaves))
    }

    /// As [`traverse`](Shared::traverse).
    pub(crate) fn clear(&self) {
        let old = self.0.try_lock().ok().and_then(|mut it| it.world.take());
        drop(old);
    }

    /// A call that may run leaves: without the interpreter's lock; exceptions of leaves are raised
    /// at its end.
    pub(crate) fn call<R: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut T, &mut Cx, &mut Tracers) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.call_then(py, run, |_, result| Ok(result))
    }

    /// As [`call`](Shared::call), but `then` maps the result while no other call can use the
    /// forest.
    pub(crate) fn call_then<R: Send, D>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut T, &mut Cx, &mut Tracers) -> PyResult<R> + Send,
        then: impl FnOnce(&mut Inner<T>, R) -> PyResult<D>,
    ) -> PyResult<D> {
        self.call_whatever(py, run, |inner, result, raised| {
            let result = result?;
            raised?;
            then(inner, result)
        })
    }

    /// As [`call_then`](Shared::call_then), but `then` always runs, even if leaves raised.
    pub(crate) fn call_whatever<R: Send, D>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut T, &mut Cx, &mut Tracers) -> PyResult<R> + Send,
        then: impl FnOnce(&mut Inner<T>, PyResult<R>, PyResult<()>) -> PyResult<D>,
    ) -> PyResult<D> {
        let mut inner = self.lock()?;
        inner.calls += 1;
        let Inner { core, watch, world, said, .. } = &mut *inner;
        let mut cx = Cx::new(world.as_ref().map(|it| it.clone_ref(py)));
        watch.begin();
        let result = py.detach(|| run(core, &mut cx, &mut watch.tracers));
        watch.finish();
        said.emitted.append(&mut cx.emitted);
        said.logged.append(&mut cx.logged);
        let raised = cx.finish(py, core);
        then(&mut inner, result, raised)
    }

    /// A call that may add trees, and returns their texts too: they are noted even if leaves raise.
    pub(crate) fn replaced<R: Send>(
        &self,
        py: Python<'_>,
        leaves: &Py<PyLeaves>,
        run: impl FnOnce(&mut T, &mut Cx, &mut Tracers) -> PyResult<(R, Option<Arc<Texts>>)> + Send,
    ) -> PyResult<R> {
        self.call_whatever(py, run, |inner, result, raised| {
            let (done, new) = result?;
            if let Some(texts) = new {
                inner.know(py, &texts, leaves);
            }
            raised?;
            Ok(done)
        })
    }
}

impl Shared {
    /// A change of one agent that may run its leaves; tracers and recordings of the forest see it.
    pub(crate) fn change(
        &self,
        py: Python<'_>,
        agent: AgentId,
        change: impl FnOnce(pleach_core::handles::AgentMut<'_, Script, &mut Tracers>, &mut Cx) + Send,
    ) -> PyResult<()> {
        self.call(py, |forest, cx, watch| {
            let mut traced: Traced<'_, Forest<Script>, Tracers> = forest.traced(watch);
            change(traced.agent_mut(agent).map_err(stale)?, cx);
            Ok(())
        })
    }
}

/// Locks what only one call may use at a time. Never waits: the holder may itself wait for the
/// interpreter's lock.
///
/// # Errors
/// Another call has it.
pub(crate) fn only<'a, T>(it: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    match it.try_lock() {
        Ok(it) => Ok(it),
        Err(TryLockError::Poisoned(it)) => Ok(it.into_inner()),
        Err(TryLockError::WouldBlock) => {
            Err(error(format!("this {what} is in a call: a leaf, or another thread, can use it after that")))
        }
    }
}

pub(crate) fn stale(it: StaleError) -> PyErr {
    error(it)
}

/// What a key of an agent holds.
pub(crate) fn read_key(keys: &KeysMut<'_>, key: AnyKey) -> Option<Value> {
    fn of<V: BlackboardType>(keys: &KeysMut<'_>, key: Key<V>) -> Option<Value> {
        keys.try_get(key).map(V::into_value)
    }
    with_key!(key, it => of(keys, it))
}

/// Writes a value of the key's own type.
pub(crate) fn write_key(keys: &mut KeysMut<'_>, key: AnyKey, value: Value) -> Result<bool, AccessError> {
    fn of<V: BlackboardType>(keys: &mut KeysMut<'_>, key: Key<V>, value: Value) -> Result<bool, AccessError> {
        keys.try_set(key, V::from_value(value).ok_or(AccessError::ForeignKey)?)
    }
    with_key!(key, it => of(keys, it, value))
}

/// Writes a column of values of the key's own type: a key of the agents alone.
pub(crate) fn write_column(
    population: &mut PopulationMut<'_, Script>,
    key: AnyKey,
    values: Vec<Value>,
) -> Result<(), AccessError> {
    fn of<V: BlackboardType>(
        population: &mut PopulationMut<'_, Script>,
        key: Key<V>,
        values: Vec<Value>,
    ) -> Result<(), AccessError> {
        let mut values = values.into_iter();
        population.update_column(key, |_, old| values.next().and_then(V::from_value).unwrap_or(old)).map(drop)
    }
    with_key!(key, it => of(population, it, values))
}
