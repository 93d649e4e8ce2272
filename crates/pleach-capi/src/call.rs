//! What a callback can ask and do: functions that take the pleach_call that it was given.
//!
//! A call is known by a number, which only the thread that is in it finds. So a call that is over,
//! or of another thread, is an error and never a wrong address.

use std::cell::Cell;
use std::ffi::c_char;
use std::ptr::NonNull;

use pleach_asset::Argument;
use pleach_core::{BatchContext, Context};
use pleach_dynamic::Leaf;

use crate::error::{Failure, PLEACH_ERROR_CALL, PLEACH_ERROR_NOT_FOUND, entry, pleach_result};
use crate::host::{Game, pleach_status};
use crate::input;
use crate::out::{Out, Outs};
use crate::value::{pleach_call, pleach_key};

/// Stands in the list of statuses for an agent whose problem is noted.
pub(crate) const TOLD: pleach_status = u8::MAX;

/// The agents of a call.
#[derive(Clone, Copy)]
enum Agents {
    /// Those of a batch, and their statuses.
    Batch(NonNull<BatchContext<'static, 'static, 'static, Game>>, NonNull<pleach_status>),
    One(NonNull<Context<'static, 'static, Game>>),
}

#[derive(Clone, Copy)]
pub(crate) struct Frame {
    id: u64,
    leaf: NonNull<Leaf<Game>>,
    agents: Agents,
}

thread_local! {
    static FRAME: Cell<Option<Frame>> = const { Cell::new(None) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Says during a callback what its call is. Calls nest: a callback may tick another forest.
#[inline]
fn lend(leaf: &Leaf<Game>, agents: Agents, callback: impl FnOnce(pleach_call)) {
    let id = CALLS.get() + 1;
    CALLS.set(id);
    let outer = FRAME.replace(Some(Frame { id, leaf: NonNull::from(leaf), agents }));
    // A callback does not unwind: it is C.
    callback(pleach_call { id });
    FRAME.set(outer);
}

/// Lends a batch to a callback.
#[inline]
pub(crate) fn lend_batch(
    leaf: &Leaf<Game>,
    batch: &mut BatchContext<'_, '_, '_, Game>,
    statuses: *mut pleach_status,
    callback: impl FnOnce(pleach_call),
) {
    // No batch is empty.
    let Some(statuses) = NonNull::new(statuses) else { return };
    lend(leaf, Agents::Batch(NonNull::from(batch).cast(), statuses), callback);
}

/// Lends one agent to a callback.
#[inline]
pub(crate) fn lend_one(leaf: &Leaf<Game>, cx: &mut Context<'_, '_, Game>, callback: impl FnOnce(pleach_call)) {
    lend(leaf, Agents::One(NonNull::from(cx).cast()), callback);
}

#[cold]
fn is_over() -> Failure {
    Failure::new(
        PLEACH_ERROR_CALL,
        "the call is over, or of another thread: a pleach_call serves in the callback that it was given to",
    )
}

#[inline]
pub(crate) fn frame(call: pleach_call) -> Result<Frame, Failure> {
    FRAME.get().filter(|it| it.id == call.id).ok_or_else(is_over)
}

impl Frame {
    /// All agents of the call, if it is of a batch.
    pub(crate) fn batch(&mut self) -> Option<&mut BatchContext<'static, 'static, 'static, Game>> {
        match self.agents {
            // SAFETY: as in `count`; each function of the interface asks for it once.
            Agents::Batch(mut batch, _) => Some(unsafe { batch.as_mut() }),
            Agents::One(_) => None,
        }
    }
}

/// How many agents there are.
pub(crate) fn count(frame: &Frame) -> usize {
    match frame.agents {
        // SAFETY: the frame is that of the innermost callback on this thread, which the runtime
        // waits for; so the batch is there, and nothing else has it.
        Agents::Batch(batch, _) => unsafe { batch.as_ref() }.len(),
        Agents::One(_) => 1,
    }
}

/// Lends the context of an agent of the call.
#[inline]
pub(crate) fn with_agent<R>(
    frame: &Frame,
    agent: usize,
    then: impl FnOnce(&mut Context<'_, '_, Game>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let no_agent = || Failure::argument(format!("the call has {} agents, and none with number {agent}", count(frame)));
    match frame.agents {
        Agents::Batch(mut batch, _) => {
            // SAFETY: as in `count`.
            let batch = unsafe { batch.as_mut() };
            if agent >= batch.len() {
                return Err(no_agent());
            }
            then(batch.at(agent))
        }
        Agents::One(mut cx) => {
            if agent != 0 {
                return Err(no_agent());
            }
            // SAFETY: as in `count`.
            then(unsafe { cx.as_mut() })
        }
    }
}

fn no_value(frame: &Frame, index: usize, wanted: &str) -> Failure {
    // SAFETY: a leaf lives as long as its tree, which is in use.
    let leaf = unsafe { frame.leaf.as_ref() };
    let message = match leaf.parameters().get(index) {
        None => format!("`{}` has {} parameters, and none with number {index}", leaf.name(), leaf.parameters().len()),
        Some(it) => format!("the parameter `{}` of `{}` is left out, or not {wanted}", it.name, leaf.name()),
    };
    Failure::new(PLEACH_ERROR_NOT_FOUND, message)
}

/// A parameter of the leaf, as something.
fn parameter<R>(
    call: pleach_call,
    index: usize,
    wanted: &str,
    take: impl FnOnce(&Argument, &Frame) -> Option<R>,
) -> Result<R, Failure> {
    let frame = frame(call)?;
    // SAFETY: as in `no_value`.
    let argument = unsafe { frame.leaf.as_ref() }.arguments().get(index);
    argument.and_then(|it| take(it, &frame)).ok_or_else(|| no_value(&frame, index, wanted))
}

/// A parameter of the leaf that is a number, of type PLEACH_PARAM_FLOAT, PLEACH_PARAM_INT or
/// PLEACH_PARAM_BOOL, by its index in the description. PLEACH_ERROR_NOT_FOUND if it is left out
/// and has no default.
///
/// # Safety
/// `number` points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_number(call: pleach_call, index: usize, number: *mut f64) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let number = unsafe { Out::new(number, "number") }?;
        #[expect(clippy::cast_precision_loss, reason = "the nearest number is what is asked for")]
        let value = parameter(call, index, "a number", |it, _| match it {
            Argument::Float(it) => Some(*it),
            Argument::Int(it) => Some(*it as f64),
            Argument::Bool(it) => Some(f64::from(u8::from(*it))),
            _ => None,
        })?;
        number.put(value);
        Ok(())
    })
}

/// A parameter that is a number or an expression, of type PLEACH_PARAM_EXPR: its current value for
/// an agent of the call.
///
/// # Safety
/// `number` points to a float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_expr(
    call: pleach_call,
    index: usize,
    agent: usize,
    number: *mut f32,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let number = unsafe { Out::new(number, "number") }?;
        let value = parameter(call, index, "an expression", |it, frame| match it {
            Argument::FloatExpr(it) => Some(with_agent(frame, agent, |cx| Ok(it.get(cx)))),
            _ => None,
        })??;
        number.put(value);
        Ok(())
    })
}

/// A parameter that is a text or a word, of type PLEACH_PARAM_TEXT or PLEACH_PARAM_WORD. It does
/// not end with a zero byte, and lives as long as the tree.
///
/// # Safety
/// `text` and `length` point to such values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_text(
    call: pleach_call,
    index: usize,
    text: *mut *const c_char,
    length: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let text = unsafe { Out::new(text, "text") }?;
        // SAFETY: as the caller promises.
        let length = unsafe { Out::new(length, "length") }?;
        let (at, count) = parameter(call, index, "a text", |it, _| match it {
            Argument::Text(it) | Argument::Written(it) => Some((it.as_ptr().cast(), it.len())),
            _ => None,
        })?;
        text.put(at);
        length.put(count);
        Ok(())
    })
}

/// A parameter that names a key.
///
/// # Safety
/// `key` points to a pleach_key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_key(call: pleach_call, index: usize, key: *mut pleach_key) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let key = unsafe { Out::new(key, "key") }?;
        let value = parameter(call, index, "a key", |it, _| match it {
            Argument::Key(it) => Some(pleach_key::of(*it)),
            _ => None,
        })?;
        key.put(value);
        Ok(())
    })
}

/// A parameter that names an event: the symbol of its name.
///
/// # Safety
/// `event` points to a uint64_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_event_name(call: pleach_call, index: usize, event: *mut u64) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let event = unsafe { Out::new(event, "event") }?;
        let value = parameter(call, index, "an event", |it, _| match it {
            Argument::Event(it) => Some(it.symbol().to_bits()),
            _ => None,
        })?;
        event.put(value);
        Ok(())
    })
}

/// A parameter of several numbers: PLEACH_PARAM_VEC2, PLEACH_PARAM_VEC3 or PLEACH_PARAM_FLOATS.
/// Writes the first `capacity` of them, and how many there are to `count`.
///
/// # Safety
/// `numbers` has room for `capacity` numbers; `count` points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_floats(
    call: pleach_call,
    index: usize,
    numbers: *mut f32,
    capacity: usize,
    count: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (numbers, count) = unsafe { (Outs::new(numbers, capacity, "numbers")?, Out::optional(count, "count")?) };
        let found = parameter(call, index, "a list of numbers", |it, _| {
            let Argument::List(items) = it else { return None };
            #[expect(clippy::cast_possible_truncation, reason = "the nearest number is what is asked for")]
            let number = |it: &Argument| if let Argument::Float(it) = it { Some(*it as f32) } else { None };
            if items.iter().any(|it| number(it).is_none()) {
                return None;
            }
            numbers.put(items.iter().filter_map(number));
            Some(items.len())
        })?;
        count.put(found);
        Ok(())
    })
}

/// Reports that the leaf went wrong for an agent of the call: the leaf fails for that agent, and
/// the call of the runtime returns PLEACH_ERROR_LEAF with this message at its end.
///
/// # Safety
/// `message` is null or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_fail(call: pleach_call, agent: usize, message: *const c_char) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let message = unsafe { input::text(message, "message") }?;
        let frame = frame(call)?;
        // SAFETY: as in `no_value`.
        let leaf = unsafe { frame.leaf.as_ref() };
        with_agent(&frame, agent, |cx| {
            leaf.complain(cx, message);
            Ok(())
        })?;
        if let Agents::Batch(_, statuses) = frame.agents {
            // SAFETY: there is a status for each agent, and there is this agent.
            unsafe { statuses.add(agent).write(TOLD) };
        }
        Ok(())
    })
}
