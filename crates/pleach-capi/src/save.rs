//! Saves and snapshots of forests.

use std::ffi::c_void;

use pleach_core::{Save, Snapshot};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Failure, entry, pleach_result};
use crate::forest::{self, ForestObject, pleach_forest};
use crate::host::Game;
use crate::input::{self, pleach_write_fn};
use crate::out::Out;
use crate::table::{self, Object};
use crate::value::pleach_agent;
use crate::watch::watched;

/// The agents of a forest at one moment, in memory: for rollback. Freed by pleach_snapshot_free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_snapshot {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

struct SnapshotObject(Snapshot<Game>);

impl Object for SnapshotObject {
    const NAME: &'static str = "a snapshot";
}

/// A save as bytes.
pub(crate) fn pack(save: &impl Serialize) -> Result<Vec<u8>, Failure> {
    rmp_serde::to_vec(save).map_err(Failure::refused)
}

/// A save from bytes.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    rmp_serde::from_slice(bytes).map_err(|it| Failure::refused(format!("this is not a save: {it}")))
}

/// Saves agents as bytes, which another process can restore: the agents of a list, or all of them
/// with null and 0. The bytes are handed to `write`, in one call.
///
/// # Safety
/// `agents` points to `count` ids; `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_save(
    forest: pleach_forest,
    agents: *const pleach_agent,
    count: usize,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let list = unsafe { input::list(agents, count, "agents") }?;
        let bytes = table::read(forest.id, |it: &ForestObject| {
            let save =
                if agents.is_null() { it.forest.save() } else { it.forest.save_agents(list.iter().map(|it| it.get())) };
            pack(&save.map_err(Failure::refused)?)
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}

/// Restores the agents of a save. The forest needs trees of the same names. The report, a few lines
/// of text, goes to `write`, which may be null.
///
/// # Safety
/// `bytes` points to `length` bytes; `write` is null or can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_restore(
    forest: pleach_forest,
    bytes: *const c_void,
    length: usize,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let save: Save = unpack(unsafe { input::list(bytes.cast::<u8>(), length, "bytes") }?)?;
        let (report, closed) = forest::call(forest, None, |it, cx| {
            let report = watched!(it.forest, it.watch, forest => forest.restore(cx, &save));
            Ok(report.map_err(Failure::refused)?.to_string())
        })?;
        if write.is_some() {
            // SAFETY: as the caller promises.
            unsafe { input::write(write, user, report.as_bytes()) }?;
        }
        closed
    })
}

/// Takes a snapshot of all agents.
///
/// # Safety
/// `snapshot` points to a pleach_snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_snapshot_take(forest: pleach_forest, snapshot: *mut pleach_snapshot) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let snapshot = unsafe { Out::new(snapshot, "snapshot") }?;
        let taken = table::read(forest.id, |it: &ForestObject| it.forest.snapshot().map_err(Failure::refused))?;
        let id = table::keep(SnapshotObject(taken));
        snapshot.put(pleach_snapshot { id });
        Ok(())
    })
}

/// Restores a forest to one of its snapshots: agents, keys, time and random streams. No leaf is
/// called.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_rollback(forest: pleach_forest, snapshot: pleach_snapshot) -> pleach_result {
    entry(|| {
        table::read(snapshot.id, |snapshot: &SnapshotObject| {
            table::with(forest.id, |it: &mut ForestObject| it.forest.rollback(&snapshot.0).map_err(Failure::refused))
        })
    })
}

/// Frees a snapshot. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_snapshot_free(snapshot: pleach_snapshot) -> pleach_result {
    entry(|| table::free::<SnapshotObject>(snapshot.id))
}
