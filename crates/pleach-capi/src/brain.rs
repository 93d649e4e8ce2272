//! Brains: single agents without a forest.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use pleach_core::{Brain, BrainSave, BrainSnapshot, Outcome, Spawn};
use pleach_dynamic::Problems;

use crate::agents::{get, phase_of, pleach_phase, set};
use crate::error::{Failure, PLEACH_ERROR_LEAF, Told, entry, pleach_result, text};
use crate::host::{
    Cx, Game, Hooks, PLEACH_FAILURE, PLEACH_RUNNING, PLEACH_SUCCESS, pleach_emit_fn, pleach_log_fn, pleach_status,
};
use crate::input::{self, pleach_write_fn};
use crate::save::{pack, unpack};
use crate::table::{self, Object};
use crate::tree::{TreeObject, find, pleach_tree};
use crate::value::{pleach_key, pleach_spawn_desc, pleach_value};

/// One agent with its tree, in no forest. Up to about ten agents per tree are faster as brains.
/// The same rule as for forests: one thread at a time. Freed by pleach_brain_free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_brain {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

struct BrainObject {
    brain: Brain<Game>,
    hooks: Hooks,
    /// What pleach_brain_rollback() goes back to.
    snapshot: Option<BrainSnapshot<Game>>,
}

impl Object for BrainObject {
    const NAME: &'static str = "a brain";
}

fn close(brain: &Brain<Game>, problems: &Problems) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let tree = brain.tree();
    let told = problems.all().iter().map(|it| {
        let path = tree.node(it.node).map(|node| node.path()).unwrap_or_default();
        let message = text(&format!("`{}` at {path} of `{}`: {}", it.leaf, tree.name(), it.message));
        Told { result: PLEACH_ERROR_LEAF, message, code: text(&it.leaf), agent: it.agent.to_bits(), ..Told::default() }
    });
    Err(Failure::all(PLEACH_ERROR_LEAF, told.collect()))
}

/// Makes a call in which leaves may be called.
fn call<R>(
    brain: pleach_brain,
    call: impl FnOnce(&mut Brain<Game>, &mut Cx) -> Result<R, Failure>,
) -> Result<(R, Result<(), Failure>), Failure> {
    table::with(brain.id, |it: &mut BrainObject| {
        let mut cx = Cx::new(it.hooks);
        let result = call(&mut it.brain, &mut cx)?;
        Ok((result, close(&it.brain, &cx.problems)))
    })
}

/// Makes a brain. `spawn` may be null; its group counts for nothing.
///
/// # Safety
/// `spawn` is null or points to a description; `brain` points to a pleach_brain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_new(
    tree: pleach_tree,
    seed: u64,
    spawn: *const pleach_spawn_desc,
    brain: *mut pleach_brain,
) -> pleach_result {
    entry(|| {
        input::pointer(brain, "brain")?;
        // SAFETY: as the caller promises.
        let spawn = if spawn.is_null() { Spawn::default() } else { unsafe { input::description(spawn) }?.spawn() };
        let tree = table::with(tree.id, |it: &mut TreeObject| Ok(Arc::clone(&it.tree)))?;
        let mut cx = Cx::new(Hooks::NONE);
        let new = Brain::spawn_with(&mut cx, tree, seed, Spawn { group: None, ..spawn });
        let closed = close(&new, &cx.problems);
        let id = table::keep(BrainObject { brain: new, hooks: Hooks::NONE, snapshot: None });
        // SAFETY: as the caller promises.
        unsafe { input::put(brain, pleach_brain { id }) };
        closed
    })
}

/// Frees a brain. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_free(brain: pleach_brain) -> pleach_result {
    entry(|| table::free::<BrainObject>(brain.id))
}

/// Says what is called for Emit and Log nodes, as pleach_forest_hooks().
///
/// # Safety
/// They can be called with `user` as long as the brain is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_hooks(
    brain: pleach_brain,
    emit: pleach_emit_fn,
    log: pleach_log_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.hooks = Hooks { emit, log, user };
            Ok(())
        })
    })
}

/// A frame: time passes by `dt` seconds, and the agent is ticked. Writes PLEACH_SUCCESS or
/// PLEACH_FAILURE to `outcome` if its root ended, else PLEACH_RUNNING.
///
/// # Safety
/// `outcome` is null or points to a pleach_status.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_tick(
    brain: pleach_brain,
    seconds: f32,
    outcome: *mut pleach_status,
) -> pleach_result {
    entry(|| {
        let (ended, closed) =
            call(brain, |brain, cx| brain.tick(cx, seconds).map_err(|it| Failure::argument(it.to_string())))?;
        let status = match ended {
            None => PLEACH_RUNNING,
            Some(Outcome::Success) => PLEACH_SUCCESS,
            Some(Outcome::Failure) => PLEACH_FAILURE,
        };
        // SAFETY: as the caller promises.
        unsafe { input::put(outcome, status) };
        closed
    })
}

/// Disables the agent (0), enables it (1) or restarts it (2).
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_enable(brain: pleach_brain, how: i32) -> pleach_result {
    entry(|| {
        call(brain, |brain, cx| {
            match how {
                0 => brain.disable(cx),
                1 => brain.enable(cx),
                2 => brain.restart(cx),
                other => return Err(Failure::argument(format!("`how` is {other}, and not 0, 1 or 2"))),
            }
            Ok(())
        })?
        .1
    })
}

/// Pauses the agent, or with 0 lets it go on.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_pause(brain: pleach_brain, paused: u8) -> pleach_result {
    entry(|| {
        call(brain, |brain, cx| {
            if paused == 0 {
                brain.unpause(cx)
            } else {
                brain.pause(cx)
            }
            Ok(())
        })?
        .1
    })
}

/// What the agent is doing.
///
/// # Safety
/// `phase` points to a pleach_phase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_phase(brain: pleach_brain, phase: *mut pleach_phase) -> pleach_result {
    entry(|| {
        input::pointer(phase, "phase")?;
        let found = table::with(brain.id, |it: &mut BrainObject| Ok(phase_of(it.brain.phase())))?;
        // SAFETY: as the caller promises.
        unsafe { input::put(phase, found) };
        Ok(())
    })
}

/// What a key of the agent holds.
///
/// # Safety
/// `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_get(
    brain: pleach_brain,
    key: pleach_key,
    value: *mut pleach_value,
) -> pleach_result {
    entry(|| {
        input::pointer(value, "value")?;
        let found = table::with(brain.id, |it: &mut BrainObject| get(it.brain.keys(), key))?;
        // SAFETY: as the caller promises.
        unsafe { input::put(value, pleach_value::of(found)) };
        Ok(())
    })
}

/// Writes a key of the agent.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_set(brain: pleach_brain, key: pleach_key, value: pleach_value) -> pleach_result {
    entry(|| table::with(brain.id, |it: &mut BrainObject| set(it.brain.keys_mut(), key, value)))
}

/// Sends an event to the agent, for its next tick.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_send(
    brain: pleach_brain,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let event = payload.event(unsafe { input::text(name, "name") }?)?;
        table::with(brain.id, |it: &mut BrainObject| it.brain.send(event).map_err(Failure::refused))
    })
}

/// Fills a slot of the agent with one of its trees, by its name, or with "empty".
///
/// # Safety
/// Both texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_fill(
    brain: pleach_brain,
    slot: *const c_char,
    tree: *const c_char,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (slot, tree) = unsafe { (input::text(slot, "slot")?, input::text(tree, "tree")?) };
        table::with(brain.id, |it: &mut BrainObject| it.brain.fill(slot, tree).map(|_| ()).map_err(Failure::refused))
    })
}

/// Writes why the agent does what it does, some lines for people; nothing if it is off.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_explain(
    brain: pleach_brain,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let text = table::with(brain.id, |it: &mut BrainObject| {
            Ok(it.brain.explain().map(|it| it.to_string()).unwrap_or_default())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// Writes why the agent does not run a node; nothing if it does.
///
/// # Safety
/// `node` ends with a zero byte; `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_why_not(
    brain: pleach_brain,
    node: *const c_char,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let node = unsafe { input::text(node, "node") }?;
        let text = table::with(brain.id, |it: &mut BrainObject| {
            let node = find(it.brain.tree(), node)?.id();
            Ok(it.brain.why_not(node).map(|it| it.to_string()).unwrap_or_default())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// Saves the agent as bytes. They are handed to `write`, in one call.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_save(
    brain: pleach_brain,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let bytes = table::with(brain.id, |it: &mut BrainObject| pack(&it.brain.save().map_err(Failure::refused)?))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}

/// Restores the agent of a save.
///
/// # Safety
/// `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_restore(
    brain: pleach_brain,
    bytes: *const c_void,
    length: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let save: BrainSave = unpack(unsafe { input::list(bytes.cast::<u8>(), length, "bytes") }?)?;
        call(brain, |brain, cx| brain.restore(cx, &save).map_err(Failure::refused))?.1
    })
}

/// Takes a snapshot of the agent, which the brain keeps until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_snapshot(brain: pleach_brain) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.snapshot = Some(it.brain.snapshot().map_err(Failure::refused)?);
            Ok(())
        })
    })
}

/// Puts the agent back to the last snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_rollback(brain: pleach_brain) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            let none = || Failure::refused("the brain has no snapshot: call pleach_brain_snapshot() first");
            it.brain.rollback(it.snapshot.as_ref().ok_or_else(none)?).map_err(Failure::refused)
        })
    })
}
