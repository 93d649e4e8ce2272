//! Squads: groups of agents with common keys; and the keys of the forest.

use std::ffi::c_char;

use pleach_core::handles::{SharedKeys, SharedKeysMut};

use crate::error::{Failure, entry, pleach_result};
use crate::forest::{ForestObject, pleach_forest, stale};
use crate::input;
use crate::table;
use crate::value::{pleach_agent, pleach_group, pleach_value};

/// Makes a squad without members.
///
/// # Safety
/// `group` points to a pleach_group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_new(forest: pleach_forest, group: *mut pleach_group) -> pleach_result {
    entry(|| {
        input::pointer(group, "group")?;
        let new = table::with(forest.id, |it: &mut ForestObject| Ok(it.forest.new_group()))?;
        // SAFETY: as the caller promises.
        unsafe { input::put(group, pleach_group::of(new)) };
        Ok(())
    })
}

/// Removes a squad; its members leave it.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_group_remove(forest: pleach_forest, group: pleach_group) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.group_mut(group.get()).map_err(stale)?.remove();
            Ok(())
        })
    })
}

/// Has an agent join a squad, or with id 0 leave its own.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_group_join(forest: pleach_forest, agent: pleach_agent, group: pleach_group) -> pleach_result {
    entry(|| {
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.agent_mut(agent.get()).map_err(stale)?.join(group.some()).map_err(stale)
        })
    })
}

/// The members of a squad. Writes the first `capacity` of them, and how many there are to `count`.
///
/// # Safety
/// `members` has room for `capacity` ids; `count` is null or points to a size_t.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_members(
    forest: pleach_forest,
    group: pleach_group,
    members: *mut pleach_agent,
    capacity: usize,
    count: *mut usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let members = unsafe { input::list_mut(members, capacity, "members") }?;
        let found = table::with(forest.id, |it: &mut ForestObject| {
            let all = it.forest.group(group.get()).map_err(stale)?.members();
            members.iter_mut().zip(all).for_each(|(to, it)| *to = pleach_agent::of(*it));
            Ok(all.len())
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::put(count, found) };
        Ok(())
    })
}

/// Sends an event to all members of a squad, for their next ticks.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_send(
    forest: pleach_forest,
    group: pleach_group,
    name: *const c_char,
    payload: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let event = payload.event(unsafe { input::text(name, "name") }?)?;
        table::with(forest.id, |it: &mut ForestObject| {
            it.forest.group_mut(group.get()).map_err(stale)?.send(event).map_err(Failure::refused)
        })
    })
}

/// Fills a slot of every member of a squad whose tree has it.
///
/// # Safety
/// Both texts end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_fill(
    forest: pleach_forest,
    group: pleach_group,
    slot: *const c_char,
    tree: *const c_char,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (slot, tree) = unsafe { (input::text(slot, "slot")?, input::text(tree, "tree")?) };
        table::with(forest.id, |it: &mut ForestObject| {
            let mut group = it.forest.group_mut(group.get()).map_err(stale)?;
            group.fill(slot, tree).map(|_| ()).map_err(Failure::refused)
        })
    })
}

fn get(keys: SharedKeys<'_>, name: &str) -> Result<pleach_value, Failure> {
    keys.value(name).map(pleach_value::of).map_err(Failure::missing)
}

fn set(mut keys: SharedKeysMut<'_>, name: &str, value: pleach_value) -> Result<(), Failure> {
    keys.set_value(name, value.some()?).map(|_| ()).map_err(Failure::refused)
}

/// What a key of a squad holds, by its name without a scope: "plan". With group id 0: a key of the
/// forest.
///
/// # Safety
/// `name` ends with a zero byte; `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_get(
    forest: pleach_forest,
    group: pleach_group,
    name: *const c_char,
    value: *mut pleach_value,
) -> pleach_result {
    entry(|| {
        input::pointer(value, "value")?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let found = table::with(forest.id, |it: &mut ForestObject| match group.some() {
            Some(group) => get(it.forest.group(group).map_err(stale)?.keys(), name),
            None => get(it.forest.globals(), name),
        })?;
        // SAFETY: as the caller promises.
        unsafe { input::put(value, found) };
        Ok(())
    })
}

/// Writes a key of a squad, by its name without a scope. With group id 0: a key of the forest.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_set(
    forest: pleach_forest,
    group: pleach_group,
    name: *const c_char,
    value: pleach_value,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        table::with(forest.id, |it: &mut ForestObject| match group.some() {
            Some(group) => set(it.forest.group_mut(group).map_err(stale)?.keys_mut(), name, value),
            None => set(it.forest.globals_mut(), name, value),
        })
    })
}
