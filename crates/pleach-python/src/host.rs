//! Python as a host of trees: how leaves are called, and what happens to their exceptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pleach_asset::{AnyKey, Argument, with_key};
use pleach_core::error::{AccessError, SendError};
use pleach_core::{
    AgentContext, AgentId, BatchContext, BlackboardType, Context, End, Event, Host, Key, NodeId, Status, Value,
};
use pleach_dynamic::{Calls, Leaf, MAX_PROBLEMS, Problems, write};
use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use scoped_tls_hkt::scoped_thread_local;

use crate::answer;
use crate::error::error;
use crate::function::{Function, Held};
use crate::key::{PyExpr, PyKey};
use crate::leaf::{PyBatch, PyContext};
use crate::shared::Runtime;

/// The host.
pub(crate) struct Script;

/// What is lent to the runtime for one call.
#[derive(Default)]
pub(crate) struct Cx {
    problems: Problems,
    /// The first exceptions of leaves, with their agents.
    raised: Vec<Raised>,
    /// How many there were.
    count: usize,
    /// The events that agents handed to the game.
    pub(crate) emitted: Vec<(AgentId, Event)>,
    pub(crate) logged: Vec<(AgentId, NodeId, String)>,
    world: Option<Py<PyAny>>,
}

/// An exception of a leaf.
struct Raised {
    error: PyErr,
    leaf: String,
    agent: AgentId,
    /// Missing if no leaf raised it.
    node: Option<NodeId>,
    /// How many other agents it concerns.
    more: usize,
}

impl Host for Script {
    type Cx<'a> = Cx;

    fn on_emit(cx: &mut Cx, agent: AgentId, event: Event) {
        cx.emitted.push((agent, event));
    }

    fn on_log(cx: &mut Cx, agent: AgentId, node: NodeId, text: &str) {
        cx.logged.push((agent, node, text.into()));
    }

    fn on_refused(cx: &mut Cx, agent: AgentId, _: Event, refused: &SendError) {
        let (agent, node, leaf) = match refused {
            SendError::Refused { sender: Some(by), .. } => (by.agent, Some(by.node), by.what.clone()),
            _ => (agent, None, "an event".into()),
        };
        cx.raise(Raised { error: error(refused), leaf, agent, node, more: 0 });
    }
}

impl Cx {
    pub(crate) fn new(world: Option<Py<PyAny>>) -> Self {
        Cx { world, ..Cx::default() }
    }

    fn raise(&mut self, raised: Raised) {
        self.count += 1;
        // A tick that the user interrupts says so in any case.
        let fatal = Python::attach(|py| !raised.error.is_instance_of::<PyException>(py));
        if fatal {
            self.raised.insert(0, raised);
        } else if self.raised.len() < MAX_PROBLEMS {
            self.raised.push(raised);
        }
    }

    /// Raises what leaves raised during the call, each with the leaf, the agent, the tree and the
    /// node.
    pub(crate) fn finish(self, py: Python<'_>, core: &impl Runtime) -> PyResult<()> {
        let Cx { raised, count, .. } = self;
        let mut all = Vec::with_capacity(raised.len());
        for Raised { error, leaf, agent, node, more } in raised {
            let tree = core.tree_of(agent);
            let shown = node.and_then(|node| Some(tree?.node(node)?.to_string()));
            let node = shown.or_else(|| Some(node?.to_string())).unwrap_or_else(|| "no node".into());
            let place = tree.map_or_else(|| node.clone(), |it| format!("{node} of the tree `{}`", it.name()));
            let others = if more > 0 { format!(" and {more} more in its batch") } else { String::new() };
            let note = format!("raised by the leaf `{leaf}` for agent {}{others}, at {place}", agent.to_bits());
            let value = error.into_value(py);
            value.bind(py).call_method1("add_note", (note,))?;
            if !value.bind(py).is_instance_of::<PyException>() {
                return Err(PyErr::from_value(value.into_bound(py).into_any()));
            }
            all.push(value);
        }
        match all.len() {
            0 => Ok(()),
            1 => Err(PyErr::from_value(all.remove(0).into_bound(py).into_any())),
            kept => {
                let more = if count > kept { format!(", of which these are the first {kept}") } else { String::new() };
                let list = PyList::new(py, all)?;
                let class = py.import("builtins")?.getattr("ExceptionGroup")?;
                let group = class.call1((format!("leaves raised {count} exceptions{more}"), list))?;
                Err(PyErr::from_value(group))
            }
        }
    }
}

/// What the runtime lends to a leaf for one call.
pub(crate) trait LeafCall {
    /// The number of the call, which is never reused.
    fn number(&self) -> u64;
    /// How many agents it has.
    fn count(&self) -> usize;
    /// One of its agents.
    fn agent(&mut self, at: usize, then: &mut dyn FnMut(&mut AgentContext<'_>));
    /// All of them, in their order.
    fn each(&mut self, then: &mut dyn FnMut(&mut AgentContext<'_>)) {
        (0..self.count()).for_each(|at| self.agent(at, then));
    }
    /// Writes a key of all of them: one value of the key's own type for each.
    fn write(&mut self, key: AnyKey, values: &[Value]) -> Result<(), AccessError>;
}

scoped_thread_local!(static mut LENT: for<'a> &'a mut (dyn LeafCall + 'a));

/// How many calls there were.
static CALLS: AtomicU64 = AtomicU64::new(0);

struct OfBatch<'l, 'b, 'a, 'h> {
    number: u64,
    batch: &'l mut BatchContext<'b, 'a, 'h, Script>,
}

impl LeafCall for OfBatch<'_, '_, '_, '_> {
    fn number(&self) -> u64 {
        self.number
    }
    fn count(&self) -> usize {
        self.batch.len()
    }
    fn agent(&mut self, at: usize, then: &mut dyn FnMut(&mut AgentContext<'_>)) {
        then(self.batch.at(at).split().1);
    }
    fn each(&mut self, then: &mut dyn FnMut(&mut AgentContext<'_>)) {
        (0..self.batch.len()).for_each(|at| then(self.batch.at(at).split().1));
    }
    fn write(&mut self, key: AnyKey, values: &[Value]) -> Result<(), AccessError> {
        fn of<V: BlackboardType>(
            batch: &mut BatchContext<'_, '_, '_, Script>,
            key: Key<V>,
            values: &[Value],
        ) -> Result<(), AccessError> {
            let values: Option<Vec<V>> = values.iter().map(|it| V::from_value(*it)).collect();
            let values = values.ok_or(AccessError::ForeignKey)?;
            batch.write(key, |at| values[at])
        }
        with_key!(key, it => of(self.batch, it, values))
    }
}

struct OfOne<'l, 'a, 'h> {
    number: u64,
    cx: &'l mut Context<'a, 'h, Script>,
}

impl LeafCall for OfOne<'_, '_, '_> {
    fn number(&self) -> u64 {
        self.number
    }
    fn count(&self) -> usize {
        1
    }
    fn agent(&mut self, _: usize, then: &mut dyn FnMut(&mut AgentContext<'_>)) {
        then(self.cx.split().1);
    }
    fn write(&mut self, key: AnyKey, values: &[Value]) -> Result<(), AccessError> {
        let [value] = *values else { return Err(AccessError::ForeignKey) };
        write(self.cx.split().1, key, value).unwrap_or(Err(AccessError::ForeignKey)).map(drop)
    }
}

/// Calls `then` with what is lent, if the call of that number is running in this thread. `then`
/// must not call Python: a leaf of another forest could ask for its own in the meantime.
pub(crate) fn lent<R>(number: u64, then: impl FnOnce(&mut dyn LeafCall) -> R) -> Option<R> {
    if !LENT.is_set() {
        return None;
    }
    LENT.with(|lent| (lent.number() == number).then(|| then(lent)))
}

fn new_call() -> u64 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

impl Calls for Script {
    type Function = Held;

    fn update(leaf: &Leaf<Self>, batch: &mut BatchContext<'_, '_, '_, Self>) {
        Python::attach(|py| match function_of(leaf) {
            Err(error) => fail(leaf, batch, error),
            Ok(it) => match &*it {
                Function { batch: true, one: Some(one), .. } if batch.len() == 1 => each(py, leaf, (&it, one), batch),
                Function { batch: true, .. } => all(py, leaf, &it, batch),
                Function { update, .. } => each(py, leaf, (&it, update), batch),
            },
        });
    }

    fn start(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>) {
        Python::attach(|py| tell(py, leaf, cx, |it| it.start.as_ref(), None));
    }

    fn end(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>, end: End) {
        Python::attach(|py| tell(py, leaf, cx, |it| it.end.as_ref(), Some(end)));
    }

    fn problems(cx: &mut Cx) -> &mut Problems {
        &mut cx.problems
    }
}

/// One call for all agents.
fn all(py: Python<'_>, leaf: &Leaf<Script>, function: &Function, batch: &mut BatchContext<'_, '_, '_, Script>) {
    let (number, len) = (new_call(), batch.len());
    let world = batch.host().world.as_ref().map(|it| it.clone_ref(py));
    let made = arguments(py, leaf, function, batch.at(0)).and_then(|more| {
        let first = Bound::new(py, PyBatch::new(number, len, world))?.into_any();
        PyTuple::new(py, std::iter::once(first).chain(more).collect::<Vec<_>>())
    });
    let answers = made.and_then(|arguments| {
        let mut of = OfBatch { number, batch };
        let given = LENT.set(&mut of, || function.update.bind(py).call1(arguments))?;
        answer::of_all(&given, len, leaf.is_condition())
    });
    match answers {
        Ok(answers) => batch.answers().copy_from_slice(&answers),
        Err(error) => fail(leaf, batch, error),
    }
}

/// All agents of a call fail.
fn fail(leaf: &Leaf<Script>, batch: &mut BatchContext<'_, '_, '_, Script>, error: PyErr) {
    batch.answers().fill(Status::Failure);
    let more = batch.len() - 1;
    let cx = batch.at(0);
    cx.host.raise(Raised { error, leaf: leaf.name().into(), agent: cx.agent(), node: Some(cx.node()), more });
}

/// What is called for a leaf.
///
/// # Errors
/// The garbage collector has cleared it; only a finalizer can still call it.
fn function_of(leaf: &Leaf<Script>) -> PyResult<Arc<Function>> {
    leaf.function().function.upgrade().ok_or_else(|| {
        error(
            "the function of this leaf is gone: the garbage collector has freed its registry; keep the registry or the \
             forest, and do not tick in a `__del__`",
        )
    })
}

/// A call for each agent.
fn each(
    py: Python<'_>,
    leaf: &Leaf<Script>,
    (function, call): (&Function, &Py<PyAny>),
    batch: &mut BatchContext<'_, '_, '_, Script>,
) {
    let world = batch.host().world.as_ref().map(|it| it.clone_ref(py));
    let mut more: Option<Vec<Bound<'_, PyAny>>> = None;
    for at in 0..batch.len() {
        let number = new_call();
        let more = match &more {
            Some(it) => Ok(it),
            None => arguments(py, leaf, function, batch.at(0)).map(|it| &*more.insert(it)),
        };
        let world = world.as_ref().map(|it| it.clone_ref(py));
        let answer = more.and_then(|more| {
            let first = Bound::new(py, PyContext::new(number, at, world))?.into_any();
            let arguments = PyTuple::new(py, std::iter::once(&first).chain(more).collect::<Vec<_>>())?;
            let mut of = OfBatch { number, batch };
            let given = LENT.set(&mut of, || call.bind(py).call1(arguments))?;
            answer::of_one(&given, leaf.is_condition())
        });
        match answer {
            Ok(status) => batch.answer(at, status),
            Err(error) => {
                batch.answer(at, Status::Failure);
                complain(leaf, batch.at(at), error);
            }
        }
    }
}

/// Tells a leaf of the start or the end of an activation.
fn tell(
    py: Python<'_>,
    leaf: &Leaf<Script>,
    cx: &mut Context<'_, '_, Script>,
    call: impl FnOnce(&Function) -> Option<&Py<PyAny>>,
    end: Option<End>,
) {
    let number = new_call();
    let world = cx.host.world.as_ref().map(|it| it.clone_ref(py));
    let done = function_of(leaf).and_then(|function| {
        let Some(call) = call(&function) else { return Ok(()) };
        let more = arguments(py, leaf, &function, cx)?;
        let mut all = vec![Bound::new(py, PyContext::new(number, 0, world))?.into_any()];
        if let Some(end) = end {
            all.push(answer::of_end(end).into_pyobject(py)?.into_any());
        }
        all.extend(more);
        let mut of = OfOne { number, cx };
        LENT.set(&mut of, || call.bind(py).call1(PyTuple::new(py, all)?)).map(drop)
    });
    if let Err(error) = done {
        complain(leaf, cx, error);
    }
}

fn complain(leaf: &Leaf<Script>, cx: &mut Context<'_, '_, Script>, error: PyErr) {
    let raised = Raised { error, leaf: leaf.name().into(), agent: cx.agent(), node: Some(cx.node()), more: 0 };
    cx.host.raise(raised);
}

/// The parameters of a leaf as objects of Python. Those of a node are made once, unless one is
/// mutable: a list, or a member of an enum.
fn arguments<'py>(
    py: Python<'py>,
    leaf: &Leaf<Script>,
    function: &Function,
    cx: &Context<'_, '_, Script>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let kept = &leaf.function().arguments;
    if let Some(all) = kept.get(py) {
        return Ok(all.iter().map(|it| it.bind(py).clone()).collect());
    }
    let all = made(py, leaf, function, cx)?;
    let changes = |it: &Argument| matches!(it, Argument::List(_));
    if !leaf.arguments().iter().any(changes) && function.enums.iter().all(Option::is_none) {
        // Another thread may have stored the same.
        let _ = kept.set(py, all.iter().map(|it| it.clone().unbind()).collect());
    }
    Ok(all)
}

fn made<'py>(
    py: Python<'py>,
    leaf: &Leaf<Script>,
    function: &Function,
    cx: &Context<'_, '_, Script>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let schema = cx.as_ref().schema();
    let event = |event| {
        let mut names = schema.events().map(|it| it.name());
        names.find(|it| pleach_core::Symbol::new(it) == event).unwrap_or_default().to_owned()
    };
    let enums = function.enums.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let of = |(it, class): (&Argument, Option<&Py<PyAny>>)| match (it, class) {
        (Argument::Text(name), Some(class)) => class.bind(py).get_item(name),
        _ => argument(py, it, &event),
    };
    leaf.arguments().iter().zip(enums).map(of).collect()
}

fn argument<'py>(
    py: Python<'py>,
    it: &Argument,
    event: &dyn Fn(pleach_core::Symbol) -> String,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match it {
        Argument::Nothing => py.None().into_bound(py),
        Argument::Bool(it) => it.into_pyobject(py)?.to_owned().into_any(),
        Argument::Int(it) => it.into_pyobject(py)?.into_any(),
        Argument::Float(it) => it.into_pyobject(py)?.into_any(),
        Argument::Char(it) => it.to_string().into_pyobject(py)?.into_any(),
        Argument::Text(it) | Argument::Written(it) => it.into_pyobject(py)?.into_any(),
        Argument::Event(it) => event(it.symbol()).into_pyobject(py)?.into_any(),
        Argument::Key(it) => Bound::new(py, PyKey(*it))?.into_any(),
        Argument::FloatExpr(it) => Bound::new(py, PyExpr(it.clone()))?.into_any(),
        Argument::List(all) => {
            let all = all.iter().map(|it| argument(py, it, event)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, all)?.into_any()
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "a leaf of Python cannot get the parameter {other:?}: give it another type, such as `str`"
            )));
        }
    })
}
