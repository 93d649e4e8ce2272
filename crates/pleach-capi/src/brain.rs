//! Brains: single agents without a forest.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use pleach_core::schema::Scope;
use pleach_core::{Brain, BrainSave, BrainSnapshot, Entity, Outcome, Spawn};
use pleach_dynamic::Problems;

use crate::agents::{get, phase_of, pleach_phase, set};
use crate::board::{BoardObject, Boards, pleach_board};
use crate::error::{Failure, OwnedProblem, PLEACH_ERROR_LEAF, entry, pleach_result, text};
use crate::gate::{Gate, Inside};
use crate::host::{
    Cx, Game, Hooks, PLEACH_FAILURE, PLEACH_RUNNING, PLEACH_SUCCESS, pleach_emit_fn, pleach_log_fn, pleach_status,
};
use crate::input::{self, pleach_write_fn};
use crate::out::Out;
use crate::save::{pack, unpack};
use crate::table::{self, Object};
use crate::tree::{TreeObject, pleach_tree};
use crate::value::{completion, pleach_agent, pleach_key, pleach_spawn_desc, pleach_value};
use crate::watch::{Watch, watched};

/// One agent with its tree, in no forest. Up to about ten agents per tree are faster as brains.
/// The same rule as for forests: one thread at a time. Freed by pleach_brain_free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_brain {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

pub(crate) struct BrainObject {
    pub(crate) brain: Brain<Game>,
    hooks: Hooks,
    /// That of the registry of its tree.
    gate: Arc<Gate>,
    boards: Boards,
    pub(crate) watch: Watch,
    /// What pleach_brain_rollback() goes back to.
    snapshot: Option<BrainSnapshot<Game>>,
}

impl Object for BrainObject {
    const NAME: &'static str = "a brain";
}

fn close(brain: &Brain<Game>, watch: &mut Watch, problems: &Problems) -> Result<(), Failure> {
    watch.write_lines(|_| brain.label().map(str::to_owned))?;
    if problems.is_empty() {
        return Ok(());
    }
    let tree = brain.tree();
    let told = problems.all().iter().map(|it| {
        let path = tree.node(it.node).map(|node| node.path()).unwrap_or_default();
        let message = text(&format!("`{}` at {path} of `{}`: {}", it.leaf, tree.name(), it.message));
        OwnedProblem {
            result: PLEACH_ERROR_LEAF,
            message,
            code: text(&it.leaf),
            agent: it.agent.to_bits(),
            ..OwnedProblem::default()
        }
    });
    Err(Failure::all(PLEACH_ERROR_LEAF, told.collect()))
}

/// Makes a call in which leaves may be called. With `new` the brain gets leaves of that registry.
/// Returns, too, whether leaves went wrong.
fn call<R>(
    brain: pleach_brain,
    new: Option<Arc<Gate>>,
    call: impl FnOnce(&mut Brain<Game>, &mut Watch, &mut Cx) -> Result<R, Failure>,
) -> Result<(R, Result<(), Failure>), Failure> {
    table::with(brain.id, |it: &mut BrainObject| {
        let BrainObject { brain, hooks, gate, boards, watch, .. } = it;
        let _inside = Inside::of([&*gate].into_iter().chain(&new))?;
        let mut cx = Cx::new(*hooks);
        let done = boards.shared(brain, |brain| call(brain, watch, &mut cx))?;
        if let Some(new) = new {
            *gate = new;
        }
        Ok((done, close(brain, watch, &cx.problems)))
    })
}

/// Looks at the agent, or changes it without its leaves.
fn with<R>(brain: pleach_brain, call: impl FnOnce(&mut Brain<Game>) -> Result<R, Failure>) -> Result<R, Failure> {
    table::with(brain.id, |it: &mut BrainObject| it.boards.shared(&mut it.brain, call))
}

/// Makes a brain. `spawn` may be null; its group is ignored.
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
        // SAFETY: as the caller promises.
        let out = unsafe { Out::new(brain, "brain") }?;
        // SAFETY: as the caller promises.
        let spawn = if spawn.is_null() { Spawn::default() } else { unsafe { input::description(spawn) }?.spawn() };
        let TreeObject { tree, gate } = table::read(tree.id, |it: &TreeObject| Ok(it.clone()))?;
        let inside = Inside::of([&gate])?;
        let mut cx = Cx::new(Hooks::NONE);
        let brain = Brain::spawn_with(&mut cx, tree, seed, Spawn { group: None, ..spawn });
        drop(inside);
        let (hooks, boards, mut watch) = (Hooks::NONE, Boards::default(), Watch::default());
        let closed = close(&brain, &mut watch, &cx.problems);
        let id = table::keep(BrainObject { brain, hooks, gate, boards, watch, snapshot: None });
        out.put(pleach_brain { id });
        closed
    })
}

/// Frees a brain. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_free(brain: pleach_brain) -> pleach_result {
    entry(|| table::free::<BrainObject>(brain.id))
}

/// Sets the callbacks for Emit and Log nodes, as pleach_forest_hooks() does.
///
/// # Safety
/// They can be called with `user` as long as the brain exists.
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

/// A frame: advances time by `seconds`, and ticks the agent. Writes PLEACH_SUCCESS or
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
        // SAFETY: as the caller promises.
        let outcome = unsafe { Out::optional(outcome, "outcome") }?;
        let (ended, closed) = call(brain, None, |brain, watch, cx| {
            let ended = watched!(*brain, watch, brain => brain.tick(cx, seconds));
            ended.map_err(|it| Failure::argument(it.to_string()))
        })?;
        outcome.put(status_of(ended));
        closed
    })
}

/// Disables the agent (0), enables it (1) or restarts it (2).
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_enable(brain: pleach_brain, how: i32) -> pleach_result {
    entry(|| {
        call(brain, None, |brain, watch, cx| {
            watched!(*brain, watch, brain => match how {
                0 => brain.disable(cx),
                1 => brain.enable(cx),
                2 => brain.restart(cx),
                other => return Err(Failure::argument(format!("`how` is {other}, and not 0, 1 or 2"))),
            });
            Ok(())
        })?
        .1
    })
}

/// Pauses the agent, or resumes it with 0.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_pause(brain: pleach_brain, paused: u8) -> pleach_result {
    entry(|| {
        call(brain, None, |brain, watch, cx| {
            watched!(*brain, watch, brain => if paused == 0 { brain.unpause(cx) } else { brain.pause(cx) });
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
        // SAFETY: as the caller promises.
        let phase = unsafe { Out::new(phase, "phase") }?;
        let found = table::read(brain.id, |it: &BrainObject| Ok(phase_of(it.brain.phase())))?;
        phase.put(found);
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
        // SAFETY: as the caller promises.
        let value = unsafe { Out::new(value, "value") }?;
        let found = with(brain, |it| get(it.keys(), key))?;
        value.put(pleach_value::of(found));
        Ok(())
    })
}

/// Writes a key of the agent.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_set(brain: pleach_brain, key: pleach_key, value: pleach_value) -> pleach_result {
    entry(|| with(brain, |it| set(it.keys_mut(), key, value)))
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
        let event = payload.event(unsafe { input::name(name) }?)?;
        with(brain, |it| it.send(event).map_err(Failure::refused))
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
        with(brain, |it| it.fill(slot, tree).map(|_| ()).map_err(Failure::refused))
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
        let bytes = with(brain, |it| pack(&it.save().map_err(Failure::refused)?))?;
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
        call(brain, None, |brain, watch, cx| {
            watched!(*brain, watch, brain => brain.restore(cx, &save)).map_err(Failure::refused)
        })?
        .1
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

/// Restores the agent to the last snapshot.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_rollback(brain: pleach_brain) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            let none = || Failure::refused("the brain has no snapshot: call pleach_brain_snapshot() first");
            it.brain.rollback(it.snapshot.as_ref().ok_or_else(none)?).map_err(Failure::refused)
        })
    })
}

/// Replaces the tree by a new version: the agent carries on where it was if that node still exists.
/// The report, a few lines of text, goes to `write`, which may be null.
///
/// # Safety
/// `write` is null or can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_replace_tree(
    brain: pleach_brain,
    tree: pleach_tree,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let TreeObject { tree, gate } = table::read(tree.id, |it: &TreeObject| Ok(it.clone()))?;
        let (report, closed) = call(brain, Some(gate), |brain, watch, cx| {
            let report = watched!(*brain, watch, brain => brain.replace_tree(cx, tree));
            Ok(report.map_err(Failure::refused)?.to_string())
        })?;
        if write.is_some() {
            // SAFETY: as the caller promises.
            unsafe { input::write(write, user, report.as_bytes()) }?;
        }
        closed
    })
}

/// Makes the brain share the keys of a board: its group keys or its global keys, whichever the
/// board has. In every later call of the brain they hold the values of the board, and what the
/// agent writes is in the board after the call. The board is in a call whenever the brain is.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_share(brain: pleach_brain, board: pleach_board) -> pleach_result {
    entry(|| {
        let found = table::find::<BoardObject>(board.id)?;
        let scope = table::read(board.id, |it: &BoardObject| Ok(it.scope))?;
        table::with(brain.id, |it: &mut BrainObject| {
            let mut boards = it.boards.clone();
            *(if scope == Scope::Group { &mut boards.group } else { &mut boards.global }) = Some(found);
            // Whether the board fits this brain.
            boards.shared(&mut it.brain, |_| Ok(()))?;
            it.boards = boards;
            Ok(())
        })
    })
}

/// The agent of a brain, as callbacks get it, which of the game's objects it is, its time in
/// seconds, and how its root ended last: PLEACH_RUNNING if it has not. All four may be null.
///
/// # Safety
/// They are null or point to such values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_info(
    brain: pleach_brain,
    agent: *mut pleach_agent,
    entity: *mut u64,
    seconds: *mut f64,
    outcome: *mut pleach_status,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (agent, entity) = unsafe { (Out::optional(agent, "agent")?, Out::optional(entity, "entity")?) };
        // SAFETY: as the caller promises.
        let (seconds, outcome) = unsafe { (Out::optional(seconds, "seconds")?, Out::optional(outcome, "outcome")?) };
        table::read(brain.id, |BrainObject { brain, .. }: &BrainObject| {
            agent.put(pleach_agent::of(brain.agent()));
            entity.put(brain.entity().to_bits());
            seconds.put(brain.time());
            outcome.put(status_of(brain.last_outcome()));
            Ok(())
        })
    })
}

fn status_of(ended: Option<Outcome>) -> pleach_status {
    match ended {
        None => PLEACH_RUNNING,
        Some(Outcome::Success) => PLEACH_SUCCESS,
        Some(Outcome::Failure) => PLEACH_FAILURE,
    }
}

/// Sets which of the game's objects the agent is.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_set_entity(brain: pleach_brain, entity: u64) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.brain.set_entity(Entity::from_bits(entity));
            Ok(())
        })
    })
}

/// Sets the name of the agent in traces and in the studio: "guard 3".
///
/// # Safety
/// `label` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_set_label(brain: pleach_brain, label: *const c_char) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let label = unsafe { input::text(label, "label") }?;
        table::with(brain.id, |it: &mut BrainObject| {
            it.brain.set_label(label);
            Ok(())
        })
    })
}

/// Sets whether the agent stops when its root has ended, instead of restarting in its next tick.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_set_stops(brain: pleach_brain, stops: u8) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.brain.set_completion(completion(stops));
            Ok(())
        })
    })
}
