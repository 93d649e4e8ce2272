//! What the agent of a brain does and why: explanations, traces, recordings.

use std::ffi::{c_char, c_void};

use pleach_core::record::Recording;
use pleach_core::trace::Recorder;

use crate::brain::{BrainObject, pleach_brain};
use crate::error::{Failure, entry, pleach_result};
use crate::input::{self, pleach_write_fn};
use crate::inspect::put_current;
use crate::out::{Out, Outs};
use crate::table;
use crate::tree::find;
use crate::watch;

/// Writes why the agent does what it does, a few lines of text; nothing if it is off.
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
        let text = table::read(brain.id, |it: &BrainObject| {
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
        let text = table::read(brain.id, |it: &BrainObject| {
            let node = find(it.brain.tree(), node)?.id();
            Ok(it.brain.why_not(node).map(|it| it.to_string()).unwrap_or_default())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// The running leaves of the agent, as pleach_current() has them.
///
/// # Safety
/// `nodes` has room for `capacity` numbers; `count` is null or points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_current(
    brain: pleach_brain,
    nodes: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (nodes, count) = unsafe { (Outs::new(nodes, capacity, "nodes")?, Out::optional(count, "count")?) };
        table::read(brain.id, |it: &BrainObject| {
            put_current(it.brain.current(), nodes, count);
            Ok(())
        })
    })
}

/// Traces what the agent does, as pleach_trace() does for a forest. With `write` null tracing ends.
///
/// # Safety
/// `write` is null or can be called with `user` until tracing ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_trace(
    brain: pleach_brain,
    all: u8,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            // SAFETY: as the caller promises.
            unsafe { it.watch.trace(Recorder::all(), all != 0, write, user) };
            Ok(())
        })
    })
}

/// Begins a recording of a brain, as pleach_record() does of a forest.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_record(
    brain: pleach_brain,
    last_seconds: f64,
    max_bytes: usize,
    keys_every: u32,
) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.watch.record(last_seconds, max_bytes, keys_every);
            Ok(())
        })
    })
}

/// Adds a file to the recording, for tools that make its trees again: the text of a tree, a baked
/// tree, or the manifest of the game's leaves under a name that ends in `.leaves`.
///
/// # Safety
/// `name` ends with a zero byte; `text` points to `length` bytes, which need not be UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_record_file(
    brain: pleach_brain,
    name: *const c_char,
    text: *const c_char,
    length: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (name, content) = unsafe { (input::text(name, "name")?, input::list(text.cast::<u8>(), length, "text")?) };
        with_recording(brain, |it| {
            it.add_file(name, content);
            Ok(())
        })
    })
}

fn with_recording<R>(
    brain: pleach_brain,
    then: impl FnOnce(&mut Recording) -> Result<R, Failure>,
) -> Result<R, Failure> {
    table::with(brain.id, |it: &mut BrainObject| then(it.watch.recording()?))
}

/// Writes what has been recorded so far; recording goes on. The bytes are handed to `write`, in one
/// call.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_record_write(
    brain: pleach_brain,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let bytes = with_recording(brain, |it| Ok(it.to_bytes()))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}

/// Writes what has been recorded so far to a file: mostly *.plr.
///
/// # Safety
/// `path` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_brain_record_save(brain: pleach_brain, path: *const c_char) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { input::text(path, "path") }?;
        let bytes = with_recording(brain, |it| Ok(it.to_bytes()))?;
        watch::save(path, bytes)
    })
}

/// Ends the recording and forgets it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_brain_record_end(brain: pleach_brain) -> pleach_result {
    entry(|| {
        table::with(brain.id, |it: &mut BrainObject| {
            it.watch.tracers.0 = None;
            Ok(())
        })
    })
}
