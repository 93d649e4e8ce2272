//! What agents do and why: explanations, traces, recordings.

use std::ffi::{c_char, c_void};

use pleach_core::inspect::Current;
use pleach_core::record::Recording;
use pleach_core::trace::Recorder;

use crate::error::{Failure, entry, pleach_result};
use crate::forest::{ForestObject, pleach_forest, stale};
use crate::input::{self, pleach_write_fn};
use crate::out::{Out, Outs};
use crate::table;
use crate::tree::find;
use crate::value::{number, pleach_agent};
use crate::watch;

/// Writes why an agent does what it does, a few lines of text.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_explain(
    forest: pleach_forest,
    agent: pleach_agent,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let text = table::read(forest.id, |it: &ForestObject| {
            Ok(it.forest.agent(agent.get()).map_err(stale)?.explain().to_string())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// Writes why an agent does not run a node, which is given by its name, its id, its path or as
/// "n12", as for pleach_tree_find(). Writes nothing if it runs.
///
/// # Safety
/// `node` ends with a zero byte; `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_why_not(
    forest: pleach_forest,
    agent: pleach_agent,
    node: *const c_char,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let node = unsafe { input::text(node, "node") }?;
        let text = table::read(forest.id, |it: &ForestObject| {
            let agent = it.forest.agent(agent.get()).map_err(stale)?;
            let node = find(agent.tree(), node)?.id();
            Ok(agent.why_not(node).map(|it| it.to_string()).unwrap_or_default())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// The running leaves of an agent, in the order of the tree: their numbers, as pleach_tree_find()
/// gives them. There can be several below a parallel, and there are none between two runs of the
/// root. Writes the first `capacity` of them, and how many there are to `count`.
///
/// # Safety
/// `nodes` has room for `capacity` numbers; `count` is null or points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_current(
    forest: pleach_forest,
    agent: pleach_agent,
    nodes: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (nodes, count) = unsafe { (Outs::new(nodes, capacity, "nodes")?, Out::optional(count, "count")?) };
        table::read(forest.id, |it: &ForestObject| {
            put_current(it.forest.agent(agent.get()).map_err(stale)?.current(), nodes, count);
            Ok(())
        })
    })
}

pub(crate) fn put_current(current: Current<'_>, nodes: Outs<u32>, count: Out<usize>) {
    let all: Vec<u32> = current.map(number).collect();
    count.put(all.len());
    nodes.put(all);
}

/// Traces what agents do, as lines of text: the agents of a list, or all of them with null and 0.
/// `write` is called with whole lines at the end of each call of the forest in which something
/// happened. With `write` null tracing ends. With `all` above 0 the trace also has each update of a
/// leaf, and not only what starts and ends.
///
/// # Safety
/// `agents` points to `count` ids; `write` is null or can be called with `user` until tracing ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_trace(
    forest: pleach_forest,
    agents: *const pleach_agent,
    count: usize,
    all: u8,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let list = unsafe { input::list(agents, count, "agents") }?;
        table::with(forest.id, |it: &mut ForestObject| {
            let recorder =
                if agents.is_null() { Recorder::all() } else { Recorder::of(list.iter().map(|it| it.get())) };
            // SAFETY: as the caller promises.
            unsafe { it.watch.trace(recorder, all != 0, write, user) };
            Ok(())
        })
    })
}

/// Begins a recording of a forest, which `pleach replay` and the studio play. With `last_seconds`
/// above 0 it keeps the last seconds, and with `max_bytes` above 0 at most that many bytes.
/// `keys_every` is the interval in frames at which it records all keys; 0 records only those on
/// which decisions depend.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_record(
    forest: pleach_forest,
    last_seconds: f64,
    max_bytes: usize,
    keys_every: u32,
) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
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
pub unsafe extern "C" fn pleach_record_file(
    forest: pleach_forest,
    name: *const c_char,
    text: *const c_char,
    length: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (name, content) = unsafe { (input::text(name, "name")?, input::list(text.cast::<u8>(), length, "text")?) };
        with_recording(forest, |it| {
            it.add_file(name, content);
            Ok(())
        })
    })
}

fn with_recording<R>(
    forest: pleach_forest,
    then: impl FnOnce(&mut Recording) -> Result<R, Failure>,
) -> Result<R, Failure> {
    table::with(forest.id, |it: &mut ForestObject| then(it.watch.recording()?))
}

/// Writes what has been recorded so far; recording goes on. The bytes are handed to `write`, in one
/// call.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_record_write(
    forest: pleach_forest,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let bytes = with_recording(forest, |it| Ok(it.to_bytes()))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, &bytes) }
    })
}

/// Writes what has been recorded so far to a file: mostly *.plr.
///
/// # Safety
/// `path` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_record_save(forest: pleach_forest, path: *const c_char) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { input::text(path, "path") }?;
        let bytes = with_recording(forest, |it| Ok(it.to_bytes()))?;
        watch::save(path, bytes)
    })
}

/// Ends the recording and forgets it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_record_end(forest: pleach_forest) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.watch.tracers.0 = None;
            Ok(())
        })
    })
}
