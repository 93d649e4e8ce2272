//! Single agents: their life, keys, events and slots; and columns of all agents of a tree.

use std::ffi::{c_char, c_void};

use pleach_asset::with_key;
use pleach_core::{AgentId, BlackboardType, Entity, Forest, Key, Keys, KeysMut, Phase, Rate, TreeId, Value};

use crate::column::{CType, Column};
use crate::error::{Failure, entry, pleach_result};
use crate::forest::{self, ForestObject, pleach_forest, stale};
use crate::host::{Cx, Game};
use crate::input;
use crate::out::{Out, Outs};
use crate::table;
use crate::value::{completion, pleach_agent, pleach_key, pleach_tree_id, pleach_value};
use crate::watch::watched;

/// What an agent is doing: one of PLEACH_PHASE_*.
pub type pleach_phase = i32;
/// It is ticked.
pub const PLEACH_PHASE_ACTIVE: pleach_phase = 0;
/// It sleeps until it has something to do.
pub const PLEACH_PHASE_ASLEEP: pleach_phase = 1;
/// It is paused.
pub const PLEACH_PHASE_PAUSED: pleach_phase = 2;
/// It is off: disabled, or its root has ended.
pub const PLEACH_PHASE_OFF: pleach_phase = 3;

pub(crate) fn phase_of(phase: Phase) -> pleach_phase {
    match phase {
        Phase::Active => PLEACH_PHASE_ACTIVE,
        Phase::Asleep => PLEACH_PHASE_ASLEEP,
        Phase::Paused => PLEACH_PHASE_PAUSED,
        Phase::Off | Phase::Panicked => PLEACH_PHASE_OFF,
    }
}

/// Calls something that ends or begins what an agent does.
fn life(
    forest: pleach_forest,
    agent: pleach_agent,
    call: impl FnOnce(&mut ForestObject, &mut Cx, AgentId) -> Result<(), Failure>,
) -> Result<(), Failure> {
    forest::call(forest, None, |it, cx| call(it, cx, agent.get()))?.1
}

/// Despawns an agent: its leaves end, and its id stays stale for ever.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_despawn(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.despawn(cx));
            Ok(())
        })
    })
}

/// Enables an agent that is off. If it is on, nothing happens.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_enable(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.enable(cx));
            Ok(())
        })
    })
}

/// Disables an agent: its leaves end.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_disable(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.disable(cx));
            Ok(())
        })
    })
}

/// Disables an agent and enables it again, with its keys as they are.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_restart(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.restart(cx));
            Ok(())
        })
    })
}

/// Pauses an agent: it is not ticked, and its own time stands still.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_pause(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.pause(cx));
            Ok(())
        })
    })
}

/// Resumes a paused agent.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_unpause(forest: pleach_forest, agent: pleach_agent) -> pleach_result {
    entry(|| {
        life(forest, agent, |it, cx, id| {
            watched!(it.forest, it.watch, forest => forest.agent_mut(id).map_err(stale)?.unpause(cx));
            Ok(())
        })
    })
}

/// What an agent is doing. PLEACH_ERROR_NOT_FOUND if it was despawned.
///
/// # Safety
/// `phase` points to a pleach_phase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_agent_phase(
    forest: pleach_forest,
    agent: pleach_agent,
    phase: *mut pleach_phase,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let phase = unsafe { Out::new(phase, "phase") }?;
        let found = table::read(forest.id, |it: &ForestObject| {
            Ok(phase_of(it.forest.agent(agent.get()).map_err(stale)?.phase()))
        })?;
        phase.put(found);
        Ok(())
    })
}

/// The tree of an agent, and which of the game's objects it is. Both may be null.
///
/// # Safety
/// They are null or point to such values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_agent_info(
    forest: pleach_forest,
    agent: pleach_agent,
    tree: *mut pleach_tree_id,
    entity: *mut u64,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (tree, entity) = unsafe { (Out::optional(tree, "tree")?, Out::optional(entity, "entity")?) };
        let (found_tree, found_entity) = table::read(forest.id, |it: &ForestObject| {
            let agent = it.forest.agent(agent.get()).map_err(stale)?;
            Ok((agent.tree_id(), agent.entity()))
        })?;
        tree.put(pleach_tree_id::of(found_tree));
        entity.put(found_entity.to_bits());
        Ok(())
    })
}

/// Sets which of the game's objects an agent is.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_set_entity(forest: pleach_forest, agent: pleach_agent, entity: u64) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.set_entity(Entity::from_bits(entity));
            Ok(())
        })
    })
}

/// Sets how often an agent is ticked: every n-th frame; 1 is every frame, 0 is never.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_set_rate(forest: pleach_forest, agent: pleach_agent, every: u32) -> pleach_result {
    entry(|| {
        let rate = match every {
            0 => Rate::NEVER,
            frames => Rate::every(frames).map_err(|it| Failure::argument(it.to_string()))?,
        };
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.set_rate(rate);
            Ok(())
        })
    })
}

/// Sets whether an agent stops when its root has ended, instead of restarting in its next tick.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_set_stops(forest: pleach_forest, agent: pleach_agent, stops: u8) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.set_completion(completion(stops));
            Ok(())
        })
    })
}

/// Sets the name of an agent in traces and in the studio: "guard 3".
///
/// # Safety
/// `label` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_set_label(
    forest: pleach_forest,
    agent: pleach_agent,
    label: *const c_char,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let label = unsafe { input::text(label, "label") }?;
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.set_label(label);
            Ok(())
        })
    })
}

/// How many agents a forest has, and its time in seconds. Both may be null.
///
/// # Safety
/// They are null or point to such values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_forest_info(
    forest: pleach_forest,
    agents: *mut usize,
    seconds: *mut f64,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (agents, seconds) = unsafe { (Out::optional(agents, "agents")?, Out::optional(seconds, "seconds")?) };
        let found = table::read(forest.id, |it: &ForestObject| Ok((it.forest.len(), it.forest.time())))?;
        agents.put(found.0);
        seconds.put(found.1);
        Ok(())
    })
}

/// What a key holds.
pub(crate) fn get(keys: Keys<'_>, key: pleach_key) -> Result<Value, Failure> {
    fn of<T: BlackboardType>(keys: Keys<'_>, key: Key<T>) -> Option<Value> {
        keys.try_get(key).map(T::into_value)
    }
    with_key!(key.any()?, it => of(keys, it)).ok_or_else(other_tree)
}

/// Writes a key.
pub(crate) fn set(mut keys: KeysMut<'_>, key: pleach_key, value: pleach_value) -> Result<(), Failure> {
    fn of<T: BlackboardType>(keys: &mut KeysMut<'_>, key: Key<T>, value: Value) -> Result<(), Failure> {
        let wrong = || Failure::argument(format!("the key holds {}, and the value is {}", T::TYPE, value.ty()));
        keys.try_set(key, T::from_value(value).ok_or_else(wrong)?).map(|_| ()).map_err(Failure::refused)
    }
    let value = value.some()?;
    with_key!(key.any()?, it => of(&mut keys, it, value))
}

fn other_tree() -> Failure {
    Failure::missing("the key is of another tree: look it up in the tree of the agent")
}

/// What a key of an agent holds.
///
/// # Safety
/// `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_get(
    forest: pleach_forest,
    agent: pleach_agent,
    key: pleach_key,
    value: *mut pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let value = unsafe { Out::new(value, "value") }?;
        let found = table::read(forest.id, |it: &ForestObject| get(it.forest.keys(agent.get()).map_err(stale)?, key))?;
        value.put(pleach_value::of(found));
        Ok(())
    })
}

/// Writes a key of an agent. The value must have exactly the type of the key. A write that matters
/// to a condition causes its re-evaluation, and wakes the agent.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_set(
    forest: pleach_forest,
    agent: pleach_agent,
    key: pleach_key,
    value: pleach_value,
) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| set(it.forest.keys_mut(agent.get()).map_err(stale)?, key, value))
    })
}

/// Sends an event to an agent, for its next tick. The payload is of type PLEACH_TYPE_NONE if there
/// is none.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_send(
    forest: pleach_forest,
    agent: pleach_agent,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let event = payload.event(unsafe { input::name(name) }?)?;
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.send(event).map_err(Failure::refused)
        })
    })
}

/// Sends an event to all agents whose trees know it.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_broadcast(
    forest: pleach_forest,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let event = payload.event(unsafe { input::name(name) }?)?;
        table::with(forest.id, |it: &mut ForestObject| it.forest.broadcast(event).map_err(Failure::refused))
    })
}

/// Fills a slot of an agent with one of its trees, by its name, or with "empty". What runs in it
/// ends in the agent's next tick.
///
/// # Safety
/// Both texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_fill(
    forest: pleach_forest,
    agent: pleach_agent,
    slot: *const c_char,
    tree: *const c_char,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (slot, tree) = unsafe { (input::text(slot, "slot")?, input::text(tree, "tree")?) };
        table::with(forest.id, |it: &mut ForestObject| {
            let mut agent = it.forest.agent_mut(agent.get()).map_err(stale)?;
            agent.fill(slot, tree).map(|_| ()).map_err(Failure::refused)
        })
    })
}

/// Fills a slot of all agents of a tree.
///
/// # Safety
/// Both texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_fill_all(
    forest: pleach_forest,
    id: pleach_tree_id,
    slot: *const c_char,
    tree: *const c_char,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (slot, tree) = unsafe { (input::text(slot, "slot")?, input::text(tree, "tree")?) };
        table::with(forest.id, |it: &mut ForestObject| {
            let mut all = it.forest.population_mut(id.get()).map_err(stale)?;
            all.fill(slot, tree).map(|_| ()).map_err(Failure::refused)
        })
    })
}

/// The agents of a tree, in the order of columns, and the game's object of each. Writes the first
/// `capacity` of them, and how many there are to `count`. All three may be null.
///
/// # Safety
/// The lists are null or have room for `capacity` values; `count` is null or points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_agents(
    forest: pleach_forest,
    id: pleach_tree_id,
    agents: *mut pleach_agent,
    entities: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (count, agents, entities) = unsafe {
            let agents = Outs::optional(agents, capacity, "agents")?;
            (Out::optional(count, "count")?, agents, Outs::optional(entities, capacity, "entities")?)
        };
        let found = table::read(forest.id, |it: &ForestObject| {
            let all = it.forest.population(id.get()).map_err(stale)?;
            agents.put(all.agents().map(pleach_agent::of));
            entities.put(all.entities().map(|it| it.1.to_bits()));
            Ok(all.len())
        })?;
        count.put(found);
        Ok(())
    })
}

/// How many agents a column is for.
fn check_count(forest: &Forest<Game>, id: TreeId, count: usize) -> Result<(), Failure> {
    let agents = forest.population(id).map_err(stale)?.len();
    if agents == count {
        return Ok(());
    }
    Err(Failure::argument(format!("the column is for {count} agents, and the tree has {agents}")))
}

/// Reads a node or agent key of all agents of a tree, in the order of pleach_agents(), to values of
/// the key's C type that lie `stride` bytes apart; 0 means side by side. `count` must be the number
/// of the agents.
///
/// # Safety
/// `to` has room for `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_read_column(
    forest: pleach_forest,
    id: pleach_tree_id,
    key: pleach_key,
    to: *mut c_void,
    stride: usize,
    count: usize,
) -> pleach_result {
    unsafe fn read<T: CType>(
        forest: &mut Forest<Game>,
        id: TreeId,
        key: Key<T>,
        (to, stride, count): (*mut c_void, usize, usize),
    ) -> Result<(), Failure> {
        // SAFETY: as the caller promises.
        let column = unsafe { Column::<T>::new(to, stride, count) }?;
        let mut at = 0;
        let mut all = forest.population_mut(id).map_err(stale)?;
        // Writing the current value does nothing.
        let read = all.update_column(key, |_, value: T| {
            column.put(at, value);
            at += 1;
            value
        });
        read.map(|_| ()).map_err(Failure::refused)
    }
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            check_count(&it.forest, id.get(), count)?;
            // SAFETY: as the caller promises.
            with_key!(key.any()?, key => unsafe { read(&mut it.forest, id.get(), key, (to, stride, count)) })
        })
    })
}

/// Writes a node or agent key of all agents of a tree, as pleach_read_column() reads it.
///
/// # Safety
/// `from` has `count` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_write_column(
    forest: pleach_forest,
    id: pleach_tree_id,
    key: pleach_key,
    from: *const c_void,
    stride: usize,
    count: usize,
) -> pleach_result {
    unsafe fn write<T: CType>(
        forest: &mut Forest<Game>,
        id: TreeId,
        key: Key<T>,
        (from, stride, count): (*mut c_void, usize, usize),
    ) -> Result<(), Failure> {
        // SAFETY: as the caller promises.
        let column = unsafe { Column::<T>::new(from, stride, count) }?;
        let mut at = 0;
        let mut all = forest.population_mut(id).map_err(stale)?;
        let written = all.update_column(key, |_, _| {
            at += 1;
            column.get(at - 1)
        });
        written.map(|_| ()).map_err(Failure::refused)
    }
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            check_count(&it.forest, id.get(), count)?;
            let column = (from.cast_mut(), stride, count);
            // SAFETY: as the caller promises; the column is only read.
            with_key!(key.any()?, key => unsafe { write(&mut it.forest, id.get(), key, column) })
        })
    })
}
