//! What a callback can ask of the agents of its call, and do with them: keys, time, chance, events,
//! requests.

use std::ffi::c_void;

use pleach_asset::with_key;
use pleach_core::{Key, Spawn};
use pleach_dynamic::{read, write};

use crate::call::{Frame, count, frame, with_agent};
use crate::column::{CType, Column};
use crate::error::{Failure, entry, pleach_result};
use crate::input;
use crate::out::Out;
use crate::value::{
    number, pleach_agent, pleach_call, pleach_group, pleach_key, pleach_spawn_desc, pleach_tree_id, pleach_value,
};

/// What a key holds for an agent of the call, by its number from 0 on.
///
/// # Safety
/// `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_get(
    call: pleach_call,
    agent: usize,
    key: pleach_key,
    value: *mut pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let value = unsafe { Out::new(value, "value") }?;
        let (frame, key) = (frame(call)?, key.any()?);
        let found = with_agent(&frame, agent, |cx| Ok(read(cx.split().1, key)))?;
        let found = found.ok_or_else(|| Failure::missing("the key is of another tree"))?;
        value.put(pleach_value::of(found));
        Ok(())
    })
}

/// Writes a key of an agent of the call. The value must have exactly the type of the key.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_set(
    call: pleach_call,
    agent: usize,
    key: pleach_key,
    value: pleach_value,
) -> pleach_result {
    entry(|| {
        let (frame, key, value) = (frame(call)?, key.any()?, value.some()?);
        let written = with_agent(&frame, agent, |cx| Ok(write(cx.split().1, key, value)))?;
        let wrong = || Failure::argument(format!("the key holds {}, and the value is {}", key.ty(), value.ty()));
        written.ok_or_else(wrong)?.map_err(Failure::refused)?;
        Ok(())
    })
}

/// Reads a key of all agents of the call, in their order, to values of the key's C type that lie
/// `stride` bytes apart; 0 means side by side. The cheapest way to read keys.
///
/// # Safety
/// `to` has room for a value for each agent of the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_read(
    call: pleach_call,
    key: pleach_key,
    to: *mut c_void,
    stride: usize,
) -> pleach_result {
    unsafe fn read_all<T: CType>(
        frame: &mut Frame,
        key: Key<T>,
        to: *mut c_void,
        stride: usize,
    ) -> Result<(), Failure> {
        let count = count(frame);
        // SAFETY: as the caller promises.
        let column = unsafe { Column::<T>::new(to, stride, count) }?;
        let is_read = match frame.batch() {
            Some(batch) => batch.read(key, |agent, value| column.put(agent, value)),
            None => with_agent(frame, 0, |cx| Ok(cx.try_get(key).map(|value| column.put(0, value)).is_some()))?,
        };
        if is_read { Ok(()) } else { Err(other_tree()) }
    }
    entry(|| {
        let mut frame = frame(call)?;
        // SAFETY: as the caller promises.
        with_key!(key.any()?, it => unsafe { read_all(&mut frame, it, to, stride) })
    })
}

/// Writes a key of all agents of the call, in their order, from values of the key's C type that lie
/// `stride` bytes apart; 0 means side by side. The cheapest way to write keys.
///
/// # Safety
/// `from` has a value for each agent of the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_write(
    call: pleach_call,
    key: pleach_key,
    from: *const c_void,
    stride: usize,
) -> pleach_result {
    unsafe fn write_all<T: CType>(
        frame: &mut Frame,
        key: Key<T>,
        to: *mut c_void,
        stride: usize,
    ) -> Result<(), Failure> {
        let count = count(frame);
        // SAFETY: as the caller promises.
        let column = unsafe { Column::<T>::new(to, stride, count) }?;
        let written = match frame.batch() {
            Some(batch) => batch.write(key, |agent| column.get(agent)),
            None => with_agent(frame, 0, |cx| Ok(cx.try_set(key, column.get(0)).map(|_| ())))?,
        };
        written.map_err(Failure::refused)
    }
    entry(|| {
        let mut frame = frame(call)?;
        // SAFETY: as the caller promises; the column is only read.
        with_key!(key.any()?, it => unsafe { write_all(&mut frame, it, from.cast_mut(), stride) })
    })
}

fn other_tree() -> Failure {
    Failure::missing("the key is of another tree: look it up in the tree of these agents")
}

/// Which of the game's objects each agent of the call is, `stride` bytes apart; 0 means side by
/// side.
///
/// # Safety
/// `entities` has room for a uint64_t for each agent of the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_entities(
    call: pleach_call,
    entities: *mut c_void,
    stride: usize,
) -> pleach_result {
    entry(|| {
        let mut frame = frame(call)?;
        let count = count(&frame);
        // SAFETY: as the caller promises.
        let column = unsafe { Column::<pleach_core::Entity>::new(entities, stride, count) }?;
        match frame.batch() {
            Some(batch) => batch.entities().enumerate().for_each(|(agent, it)| column.put(agent, it)),
            None => column.put(0, with_agent(&frame, 0, |cx| Ok(cx.entity()))?),
        }
        Ok(())
    })
}

/// The node of the call, in the tree of its agents.
///
/// # Safety
/// `node` points to a uint32_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_node(call: pleach_call, node: *mut u32) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let node = unsafe { Out::new(node, "node") }?;
        let found = with_agent(&frame(call)?, 0, |cx| Ok(number(cx.node())))?;
        node.put(found);
        Ok(())
    })
}

/// The agent's own time since its last turn, in seconds; 0 outside of a tick.
///
/// # Safety
/// `seconds` points to a float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_dt(call: pleach_call, agent: usize, seconds: *mut f32) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let seconds = unsafe { Out::new(seconds, "seconds") }?;
        let found = with_agent(&frame(call)?, agent, |cx| Ok(cx.dt()))?;
        seconds.put(found);
        Ok(())
    })
}

/// The agent's own time, in seconds. It stands still while the agent is paused.
///
/// # Safety
/// `seconds` points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_time(call: pleach_call, agent: usize, seconds: *mut f64) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let seconds = unsafe { Out::new(seconds, "seconds") }?;
        let found = with_agent(&frame(call)?, agent, |cx| Ok(cx.time()))?;
        seconds.put(found);
        Ok(())
    })
}

/// A random number of at least 0 and less than 1, from the agent's own stream: the same on every
/// machine.
///
/// # Safety
/// `number` points to a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_random(call: pleach_call, agent: usize, number: *mut f64) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let number = unsafe { Out::new(number, "number") }?;
        let drawn = with_agent(&frame(call)?, agent, |cx| Ok(cx.random()))?;
        number.put(drawn);
        Ok(())
    })
}

/// The squad of the agent, or id 0.
///
/// # Safety
/// `group` points to a pleach_group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_group(call: pleach_call, agent: usize, group: *mut pleach_group) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let group = unsafe { Out::new(group, "group") }?;
        let found = with_agent(&frame(call)?, agent, |cx| Ok(cx.group()))?;
        group.put(found.map_or(pleach_group { id: 0 }, pleach_group::of));
        Ok(())
    })
}

/// Says that a running action needs no update for this agent in the next `seconds`. A hint: it may
/// be updated sooner.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_sleep(call: pleach_call, agent: usize, seconds: f32) -> pleach_result {
    entry(|| {
        with_agent(&frame(call)?, agent, |cx| {
            cx.sleep(seconds);
            Ok(())
        })
    })
}

/// Spawns an agent of a tree, at the end of the call of the runtime, for an agent of the call.
/// `spawn` may be null. Nothing happens if the tree or the group is gone by then.
///
/// # Safety
/// `spawn` is null or points to a description.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_call_spawn(
    call: pleach_call,
    agent: usize,
    tree: pleach_tree_id,
    spawn: *const pleach_spawn_desc,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let spawn = if spawn.is_null() { Spawn::default() } else { unsafe { input::description(spawn) }?.spawn() };
        with_agent(&frame(call)?, agent, |cx| {
            let _ = cx.spawn(tree.get(), spawn);
            Ok(())
        })
    })
}

/// Disables an agent of the call, at the end of the call of the runtime.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_stop(call: pleach_call, agent: usize) -> pleach_result {
    entry(|| {
        with_agent(&frame(call)?, agent, |cx| {
            cx.stop();
            Ok(())
        })
    })
}

/// Restarts an agent of the call, at the end of the call of the runtime.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_restart(call: pleach_call, agent: usize) -> pleach_result {
    entry(|| {
        with_agent(&frame(call)?, agent, |cx| {
            cx.restart();
            Ok(())
        })
    })
}

/// Despawns an agent, at the end of the call of the runtime.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_call_despawn(call: pleach_call, agent: pleach_agent) -> pleach_result {
    entry(|| {
        with_agent(&frame(call)?, 0, |cx| {
            cx.despawn(agent.get());
            Ok(())
        })
    })
}
