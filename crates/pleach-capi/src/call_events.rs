//! What a callback can do with events: those that its agents receive, and those that it sends. Each
//! function is there for names, and for symbols: a parameter that is an event comes as one.

use std::ffi::c_char;

use pleach_core::{Context, Event, Symbol, Type};

use crate::call::{frame, with_agent};
use crate::error::{Failure, entry, pleach_result};
use crate::host::Game;
use crate::input;
use crate::out::Out;
use crate::value::{pleach_agent, pleach_call, pleach_group, pleach_value};

/// The first event of this name that this tick delivers to an agent of the call. Writes its payload
/// to `payload`, which may be null. PLEACH_ERROR_NOT_FOUND if there is none.
///
/// # Safety
/// `name` ends with a zero byte; `payload` is null or points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_event(
    call: pleach_call,
    agent: usize,
    name: *const c_char,
    payload: *mut pleach_value,
) -> pleach_result {
    // SAFETY: as the caller promises.
    entry(|| unsafe { delivered(call, agent, input::name(name)?, payload) })
}

/// As pleach_call_event(), for an event by its symbol: pleach_call_event_name() gives the symbol of
/// an event parameter, and pleach_symbol() that of a name.
///
/// # Safety
/// `payload` is null or points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_event_of(
    call: pleach_call,
    agent: usize,
    event: u64,
    payload: *mut pleach_value,
) -> pleach_result {
    // SAFETY: as the caller promises.
    entry(|| unsafe { delivered(call, agent, Symbol::from_bits(event), payload) })
}

/// # Safety
/// `payload` is null or points to a pleach_value.
unsafe fn delivered(call: pleach_call, agent: usize, name: Symbol, payload: *mut pleach_value) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let payload = unsafe { Out::optional(payload, "payload") }?;
    let found = with_agent(&frame(call)?, agent, |cx| Ok(cx.events().find(|it| it.name() == name).copied()))?;
    let event = found.ok_or_else(|| Failure::missing("this tick delivers no such event"))?;
    payload.put(event.value().map_or(pleach_value::NONE, pleach_value::of));
    Ok(())
}

/// Does something with an event for an agent of the call.
fn with_event(
    call: pleach_call,
    agent: usize,
    (name, payload): (Symbol, pleach_value),
    then: impl FnOnce(&mut Context<'_, '_, Game>, Event),
) -> Result<(), Failure> {
    let event = payload.event(name)?;
    with_agent(&frame(call)?, agent, |cx| {
        then(cx, event);
        Ok(())
    })
}

/// Sends an event to an agent, for its next tick; `agent` is the sender. The payload is of type
/// PLEACH_TYPE_NONE if there is none. Nothing happens if the receiver is gone or off by then.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_send(
    call: pleach_call,
    agent: usize,
    to: pleach_agent,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    // SAFETY: as the caller promises.
    let name = || unsafe { input::name(name) };
    entry(|| with_event(call, agent, (name()?, payload), |cx, event| cx.send(to.get(), event)))
}

/// As pleach_call_send(), for an event by its symbol, as pleach_call_event_of() takes it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_send_event(
    call: pleach_call,
    agent: usize,
    to: pleach_agent,
    event: u64,
    payload: pleach_value,
) -> pleach_result {
    let name = Symbol::from_bits(event);
    entry(|| with_event(call, agent, (name, payload), |cx, event| cx.send(to.get(), event)))
}

/// Sends an event to all members of a squad except `agent`, for their next ticks.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_send_group(
    call: pleach_call,
    agent: usize,
    to: pleach_group,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    // SAFETY: as the caller promises.
    let name = || unsafe { input::name(name) };
    entry(|| with_event(call, agent, (name()?, payload), |cx, event| cx.send_to_group(to.get(), event)))
}

/// As pleach_call_send_group(), for an event by its symbol, as pleach_call_event_of() takes it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_send_group_event(
    call: pleach_call,
    agent: usize,
    to: pleach_group,
    event: u64,
    payload: pleach_value,
) -> pleach_result {
    let name = Symbol::from_bits(event);
    entry(|| with_event(call, agent, (name, payload), |cx, event| cx.send_to_group(to.get(), event)))
}

/// Hands an event to the pleach_emit_fn of the forest or brain, at once, as an Emit node does.
/// PLEACH_ERROR_REFUSED if the tree of the agent does not know the event, or has another payload
/// for it.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_emit(
    call: pleach_call,
    agent: usize,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    // SAFETY: as the caller promises.
    entry(|| emit(call, agent, payload.event(unsafe { input::name(name) }?)?))
}

/// As pleach_call_emit(), for an event by its symbol, as pleach_call_event_of() takes it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_emit_event(
    call: pleach_call,
    agent: usize,
    event: u64,
    payload: pleach_value,
) -> pleach_result {
    entry(|| emit(call, agent, payload.event(Symbol::from_bits(event))?))
}

fn emit(call: pleach_call, agent: usize, event: Event) -> Result<(), Failure> {
    with_agent(&frame(call)?, agent, |cx| {
        let schema = cx.split().1.schema();
        let payload = event.value().map(|it| it.ty());
        let shown = |it: Option<Type>| it.map_or("none".into(), |it| it.to_string());
        match schema.events().find(|it| Symbol::new(it.name()) == event.name()) {
            Some(it) if it.payload() != payload => {
                let (name, right) = (it.name(), shown(it.payload()));
                return Err(Failure::refused(format!("the payload of `{name}` is {right}, not {}", shown(payload))));
            }
            None if schema.has_only_declared_events() => {
                return Err(Failure::refused(format!("the tree declares no event {:?}", event.name())));
            }
            _ => {}
        }
        cx.emit(event);
        Ok(())
    })
}
