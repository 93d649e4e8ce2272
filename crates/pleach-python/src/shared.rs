//! What a forest holds, and how every handle gets at it: one call at a time, without the
//! interpreter's lock while trees run.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pleach_asset::AnyKey;
use pleach_core::error::{AccessError, StaleError};
use pleach_core::handles::PopulationMut;
use pleach_core::trace::Traced;
use pleach_core::{AgentId, BlackboardType, Forest, Key, KeysMut, Value};
use pyo3::prelude::*;

use crate::error::error;
use crate::host::{Cx, Script};
use crate::watch::Watch;

/// A forest with what watches it and the game's own object.
pub(crate) struct Inner {
    pub(crate) forest: Forest<Script>,
    pub(crate) watch: Watch,
    pub(crate) world: Option<Py<PyAny>>,
    /// What agents said in calls since the last tick.
    pub(crate) said: Cx,
}

/// A forest that one call has at a time.
pub(crate) struct Shared(Mutex<Inner>);

impl Shared {
    pub(crate) fn new(seed: u64, world: Option<Py<PyAny>>) -> Self {
        let (forest, watch, said) = (Forest::new(seed), Watch::default(), Cx::default());
        Shared(Mutex::new(Inner { forest, watch, world, said }))
    }

    /// The forest for a call that runs no leaf.
    ///
    /// # Errors
    /// Another call has it: a leaf calls the forest that ticks it, or another thread does.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.0.try_lock() {
            Ok(it) => Ok(it),
            // A panic in the middle of a call is our bug; the forest is whole (its own rule).
            Err(TryLockError::Poisoned(it)) => Ok(it.into_inner()),
            Err(TryLockError::WouldBlock) => Err(error(
                "this forest is in a call: a leaf cannot call the forest that ticks it (use its context or batch, or do \
                 it after the tick), and two threads cannot call one forest at once",
            )),
        }
    }

    /// The forest, if no call has it. For the garbage collector, which must not call Python.
    pub(crate) fn peek(&self) -> Result<MutexGuard<'_, Inner>, TryLockError<MutexGuard<'_, Inner>>> {
        self.0.try_lock()
    }

    /// A call that may run leaves: without the interpreter's lock, and with what leaves raise
    /// raised at its end.
    pub(crate) fn call<R: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Forest<Script>, &mut Cx, &mut Watch) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        self.call_then(py, run, |_, result| Ok(result))
    }

    /// As [`call`](Shared::call), and with what `then` makes of the result while no other call has
    /// the forest.
    pub(crate) fn call_then<R: Send, T>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Forest<Script>, &mut Cx, &mut Watch) -> PyResult<R> + Send,
        then: impl FnOnce(&mut Inner, R) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut inner = self.lock()?;
        let Inner { forest, watch, world, said } = &mut *inner;
        let mut cx = Cx::new(world.as_ref().map(|it| it.clone_ref(py)));
        let result = py.detach(|| run(forest, &mut cx, watch));
        said.emitted.append(&mut cx.emitted);
        said.logged.append(&mut cx.logged);
        let raised = cx.finish(py, forest);
        let result = result?;
        raised?;
        then(&mut inner, result)
    }

    /// A change of one agent that may run its leaves, seen by what watches the forest.
    pub(crate) fn change(
        &self,
        py: Python<'_>,
        agent: AgentId,
        change: impl FnOnce(pleach_core::handles::AgentMut<'_, Script, &mut Watch>, &mut Cx) + Send,
    ) -> PyResult<()> {
        self.call(py, |forest, cx, watch| {
            let mut traced: Traced<'_, Forest<Script>, Watch> = forest.traced(watch);
            change(traced.agent_mut(agent).map_err(stale)?, cx);
            Ok(())
        })
    }
}

/// What one call has at a time. It never waits: the holder may itself wait for the
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
    Some(match key {
        AnyKey::Bool(it) => keys.try_get(it)?.into(),
        AnyKey::Int(it) => keys.try_get(it)?.into(),
        AnyKey::Float(it) => keys.try_get(it)?.into(),
        AnyKey::Vec2(it) => keys.try_get(it)?.into(),
        AnyKey::Vec3(it) => keys.try_get(it)?.into(),
        AnyKey::Entity(it) => keys.try_get(it)?.into(),
        AnyKey::Time(it) => keys.try_get(it)?.into(),
        AnyKey::Symbol(it) => keys.try_get(it)?.into(),
    })
}

/// Writes a value of the key's own type.
pub(crate) fn write_key(keys: &mut KeysMut<'_>, key: AnyKey, value: Value) -> Result<bool, AccessError> {
    match (key, value) {
        (AnyKey::Bool(key), Value::Bool(it)) => keys.try_set(key, it),
        (AnyKey::Int(key), Value::Int(it)) => keys.try_set(key, it),
        (AnyKey::Float(key), Value::Float(it)) => keys.try_set(key, it),
        (AnyKey::Vec2(key), Value::Vec2(it)) => keys.try_set(key, it),
        (AnyKey::Vec3(key), Value::Vec3(it)) => keys.try_set(key, it),
        (AnyKey::Entity(key), Value::Entity(it)) => keys.try_set(key, it),
        (AnyKey::Time(key), Value::Time(it)) => keys.try_set(key, it),
        (AnyKey::Symbol(key), Value::Symbol(it)) => keys.try_set(key, it),
        (_, value) => keys.set_value(key.index(), value),
    }
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
    match key {
        AnyKey::Bool(it) => of(population, it, values),
        AnyKey::Int(it) => of(population, it, values),
        AnyKey::Float(it) => of(population, it, values),
        AnyKey::Vec2(it) => of(population, it, values),
        AnyKey::Vec3(it) => of(population, it, values),
        AnyKey::Entity(it) => of(population, it, values),
        AnyKey::Time(it) => of(population, it, values),
        AnyKey::Symbol(it) => of(population, it, values),
    }
}
