//! Forests: made, filled with trees and agents, ticked.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use pleach_core::error::{DtError, StaleError};
use pleach_core::{Budget, Forest, Spawn, TickReport};
use pleach_dynamic::Problems;

use crate::error::{Failure, OwnedProblem, PLEACH_ERROR_LEAF, PLEACH_ERROR_THREADS, entry, pleach_result, text};
use crate::gate::{Gate, Inside};
use crate::host::{Cx, Game, Hooks, pleach_emit_fn, pleach_log_fn};
use crate::input::{self, Described, pleach_write_fn};
use crate::out::Out;
use crate::table::{self, Object};
use crate::tree::{TreeObject, pleach_tree};
use crate::value::{pleach_agent, pleach_spawn_desc, pleach_tree_id};
use crate::watch::{Watch, watched};

/// Agents of any number of trees. Only one thread at a time may change it: a call from another
/// thread meanwhile, or from one of its own callbacks, gets PLEACH_ERROR_BUSY. Any number of
/// threads may read it at once. Freed by pleach_forest_free().
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_forest {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

pub(crate) struct ForestObject {
    pub(crate) forest: Forest<Game>,
    hooks: Hooks,
    /// Whether the hooks can be called on several threads at once.
    safe_hooks: bool,
    /// Those of the registries of all trees that it has or had.
    gates: Vec<Arc<Gate>>,
    pub(crate) watch: Watch,
}

impl Object for ForestObject {
    const NAME: &'static str = "a forest";
}

/// Makes a call of a forest in which leaves may be called, also those behind `more`. Returns, too,
/// whether leaves went wrong.
pub(crate) fn call<R>(
    forest: pleach_forest,
    more: Option<&Arc<Gate>>,
    body: impl FnOnce(&mut ForestObject, &mut Cx) -> Result<R, Failure>,
) -> Result<(R, Result<(), Failure>), Failure> {
    table::with(forest.id, |it: &mut ForestObject| {
        let _inside = Inside::of(it.gates.iter().chain(more))?;
        let mut cx = Cx::new(it.hooks);
        let done = body(it, &mut cx)?;
        Ok((done, it.close(&cx.problems)))
    })
}

impl ForestObject {
    /// Notes that the forest has a tree of a registry.
    pub(crate) fn note_leaves(&mut self, gate: &Arc<Gate>) {
        if !self.gates.iter().any(|it| Arc::ptr_eq(it, gate)) {
            self.gates.push(Arc::clone(gate));
        }
    }

    /// The end of a call in which leaves may have been called: lines of traces are written, and
    /// what went wrong in leaves is an error.
    fn close(&mut self, problems: &Problems) -> Result<(), Failure> {
        let forest = &self.forest;
        self.watch.write_lines(|agent| forest.agent(agent).ok()?.label().map(str::to_owned))?;
        if problems.is_empty() {
            return Ok(());
        }
        let told = problems.all().iter().map(|it| {
            let of_tree = self.forest.agent(it.agent).ok().map(|agent| {
                let tree = agent.tree();
                (tree.name().to_owned(), tree.node(it.node).map(|node| node.path()).unwrap_or_default())
            });
            let message = match of_tree {
                Some((tree, path)) => format!("`{}` at {path} of {:?} of `{tree}`: {}", it.leaf, it.agent, it.message),
                None => it.to_string(),
            };
            OwnedProblem {
                result: PLEACH_ERROR_LEAF,
                message: text(&message),
                code: text(&it.leaf),
                agent: it.agent.to_bits(),
                ..OwnedProblem::default()
            }
        });
        Err(Failure::all(PLEACH_ERROR_LEAF, told.collect()))
    }
}

pub(crate) fn stale(it: StaleError) -> Failure {
    Failure::missing(it)
}

fn dt(it: DtError) -> Failure {
    Failure::argument(it.to_string())
}

/// How a forest runs its agents.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_forest_desc {
    /// sizeof(pleach_forest_desc).
    pub struct_size: usize,
    /// The seed of all random numbers: the same seed and calls give the same run.
    pub seed: u64,
    /// How many agents are ticked together, and on one thread: 1 to 1024; 0 for 1024.
    pub chunk_size: u32,
    /// Whether agents are ticked one after the other, so that each call of a leaf is for one agent.
    pub one_by_one: u8,
    /// Whether agents that have nothing to do are ticked anyway.
    pub sleepless: u8,
    /// Whether every watched condition is evaluated in every tick.
    pub reevaluate_every_tick: u8,
    /// 0.
    pub reserved: u8,
}

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_forest_desc {
    const NAME: &'static str = "pleach_forest_desc";
}

/// Makes a forest without trees.
///
/// # Safety
/// `desc` points to a description, `forest` to a pleach_forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_forest_new(
    desc: *const pleach_forest_desc,
    forest: *mut pleach_forest,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let forest = unsafe { Out::new(forest, "forest") }?;
        // SAFETY: as the caller promises.
        let desc = unsafe { input::description(desc) }?;
        let mut new = Forest::new(desc.seed);
        new.configure(|it| {
            it.batched = desc.one_by_one == 0;
            it.sleep = desc.sleepless == 0;
            it.reevaluate_every_tick = desc.reevaluate_every_tick != 0;
            if desc.chunk_size > 0 {
                it.chunk_size = usize::try_from(desc.chunk_size).unwrap_or(usize::MAX);
            }
        });
        let (hooks, gates, watch) = (Hooks::NONE, Vec::new(), Watch::default());
        let id = table::keep(ForestObject { forest: new, hooks, safe_hooks: true, gates, watch });
        forest.put(pleach_forest { id });
        Ok(())
    })
}

/// Frees a forest with all its agents, without calling their leaves. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_forest_free(forest: pleach_forest) -> pleach_result {
    entry(|| table::free::<ForestObject>(forest.id))
}

/// Sets the callbacks for Emit and Log nodes. Both may be null. `thread_safe` says whether they can
/// be called on several threads at once.
///
/// # Safety
/// They can be called with `user` as long as the forest exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_forest_hooks(
    forest: pleach_forest,
    emit: pleach_emit_fn,
    log: pleach_log_fn,
    user: *mut c_void,
    thread_safe: u8,
) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.hooks = Hooks { emit, log, user };
            it.safe_hooks = thread_safe != 0 || (emit.is_none() && log.is_none());
            Ok(())
        })
    })
}

/// Adds a tree to a forest, which can then have agents of it.
///
/// # Safety
/// `id` points to a pleach_tree_id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_forest_add_tree(
    forest: pleach_forest,
    tree: pleach_tree,
    id: *mut pleach_tree_id,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let id = unsafe { Out::new(id, "id") }?;
        let TreeObject { tree, gate } = table::read(tree.id, |it: &TreeObject| Ok(it.clone()))?;
        let added = table::with(forest.id, |it: &mut ForestObject| {
            let added = it.forest.add_tree(tree).map_err(Failure::refused)?;
            it.note_leaves(&gate);
            Ok(added)
        })?;
        id.put(pleach_tree_id::of(added));
        Ok(())
    })
}

/// Replaces a tree by a new version: agents carry on where they were if that node still exists. The
/// report, a few lines of text, goes to `write`, which may be null.
///
/// # Safety
/// `write` is null or can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_forest_replace_tree(
    forest: pleach_forest,
    id: pleach_tree_id,
    tree: pleach_tree,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let TreeObject { tree, gate } = table::read(tree.id, |it: &TreeObject| Ok(it.clone()))?;
        let (report, closed) = call(forest, Some(&gate), |it, cx| {
            let report = watched!(it.forest, it.watch, forest => forest.replace_tree(cx, id.get(), tree));
            let report = report.map_err(Failure::refused)?;
            it.note_leaves(&gate);
            Ok(report.to_string())
        })?;
        if write.is_some() {
            // SAFETY: as the caller promises.
            unsafe { input::write(write, user, report.as_bytes()) }?;
        }
        closed
    })
}

/// Removes a tree and despawns its agents.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_forest_remove_tree(forest: pleach_forest, id: pleach_tree_id) -> pleach_result {
    entry(|| {
        call(forest, None, |it, cx| {
            watched!(it.forest, it.watch, forest => forest.remove_tree(cx, id.get())).map_err(stale)
        })?
        .1
    })
}

/// Spawns an agent of a tree. `spawn` may be null: enabled, without entity and group.
///
/// # Safety
/// `spawn` is null or points to a description; `agent` points to a pleach_agent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_spawn(
    forest: pleach_forest,
    tree: pleach_tree_id,
    spawn: *const pleach_spawn_desc,
    agent: *mut pleach_agent,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let agent = unsafe { Out::new(agent, "agent") }?;
        // SAFETY: as the caller promises.
        let spawn = if spawn.is_null() { Spawn::default() } else { unsafe { input::description(spawn) }?.spawn() };
        let (id, closed) = call(forest, None, |it, cx| {
            let id = watched!(it.forest, it.watch, forest => forest.spawn_with(cx, tree.get(), spawn));
            id.map_err(Failure::refused)
        })?;
        agent.put(pleach_agent::of(id));
        closed
    })
}

/// What a tick did.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_tick_report {
    /// sizeof(pleach_tick_report), set by the caller.
    pub struct_size: usize,
    /// Agents ticked.
    pub ticked: u64,
    /// Agents that slept through the tick.
    pub asleep: u64,
    /// Agents whose root ended.
    pub ended: u64,
    /// Conditional aborts.
    pub aborts: u64,
}

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_tick_report {
    const NAME: &'static str = "pleach_tick_report";
}

/// Ticks, writes the report, and tells what went wrong in leaves.
///
/// # Safety
/// `report` is null or points to a report with its size.
unsafe fn tick(
    forest: pleach_forest,
    report: *mut pleach_tick_report,
    tick: impl FnOnce(&mut ForestObject, &mut Cx) -> Result<TickReport, Failure>,
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let report = unsafe { Out::sized(report) }?;
    let (TickReport { ticked, asleep, ended, aborts, .. }, closed) = call(forest, None, tick)?;
    let struct_size = size_of::<pleach_tick_report>();
    report.put(pleach_tick_report { struct_size, ticked, asleep, ended, aborts });
    closed
}

/// A frame: advances time by `seconds`, and ticks every agent that is due. `report` may be null.
/// PLEACH_ERROR_LEAF says that leaves went wrong; the frame is still complete.
///
/// # Safety
/// `report` is null or points to a report with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tick(
    forest: pleach_forest,
    seconds: f32,
    report: *mut pleach_tick_report,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        unsafe {
            tick(forest, report, |it, cx| watched!(it.forest, it.watch, forest => forest.tick(cx, seconds)).map_err(dt))
        }
    })
}

/// A frame with a budget: ticks at most `agents` agents, or starts no more once `microseconds` have
/// passed. Give one of them, and 0 for the other; two zeros are no limit. The next call continues
/// after the last agent of this one.
///
/// # Safety
/// As pleach_tick().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tick_within(
    forest: pleach_forest,
    seconds: f32,
    agents: u64,
    microseconds: u64,
    report: *mut pleach_tick_report,
) -> pleach_result {
    entry(|| {
        if agents > 0 && microseconds > 0 {
            return Err(Failure::argument("give a number of agents or of microseconds, and 0 for the other"));
        }
        let begin = Instant::now();
        let mut clock = || u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX);
        // SAFETY: as the caller promises.
        unsafe {
            tick(forest, report, |it, cx| {
                let budget = match (agents, microseconds) {
                    (0, 0) => Budget::Agents(u64::MAX),
                    (0, micros) => Budget::Micros(micros, &mut clock),
                    (agents, _) => Budget::Agents(agents),
                };
                watched!(it.forest, it.watch, forest => forest.tick_within(cx, seconds, budget)).map_err(dt)
            })
        }
    })
}

/// A frame on all threads of the pool (RAYON_NUM_THREADS says how many; by default one per core).
/// Agents of a chunk are on one thread. Results do not depend on the number of threads.
/// PLEACH_ERROR_THREADS if a leaf of a registry of its trees, or a hook of the forest, is not
/// declared as thread-safe.
///
/// # Safety
/// As pleach_tick(); and everything that is declared as thread-safe is thread-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_tick_parallel(
    forest: pleach_forest,
    seconds: f32,
    report: *mut pleach_tick_report,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        unsafe {
            tick(forest, report, |it, cx| {
                let leaf = it.gates.iter().find_map(|it| it.leaf()).map(|it| format!("the leaf `{it}` is"));
                if let Some(what) = leaf.or_else(|| (!it.safe_hooks).then(|| "the hooks of the forest are".into())) {
                    let message = format!("{what} not declared `thread_safe`: tick on one thread, or declare that");
                    return Err(Failure::new(PLEACH_ERROR_THREADS, message));
                }
                let (recording, recorder) = &mut it.watch.tracers;
                if recorder.is_some() {
                    return Err(Failure::refused("a forest that is traced is ticked on one thread"));
                }
                let hooks = it.hooks;
                let done = |of_chunk: Cx| cx.problems.append(of_chunk.problems);
                let report = match recording {
                    None => it.forest.tick_parallel(seconds, |_| Cx::new(hooks), done),
                    Some(recording) => it.forest.traced(recording).tick_parallel(seconds, |_| Cx::new(hooks), done),
                };
                report.map_err(dt)
            })
        }
    })
}
