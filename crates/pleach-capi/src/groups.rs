//! Squads: groups of agents with common keys; and the keys of the forest.

use std::ffi::c_char;

use pleach_asset::with_key;
use pleach_core::handles::{SharedKeys, SharedKeysMut};
use pleach_core::{BlackboardType, Key, Value};

use crate::error::{Failure, entry, pleach_result};
use crate::forest::{ForestObject, pleach_forest, stale};
use crate::input;
use crate::out::{Out, Outs};
use crate::table;
use crate::value::{pleach_agent, pleach_group, pleach_key, pleach_value};

/// Makes a squad without members.
///
/// # Safety
/// `group` points to a pleach_group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_new(forest: pleach_forest, group: *mut pleach_group) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let group = unsafe { Out::new(group, "group") }?;
        let new = table::with(forest.id, |it: &mut ForestObject| Ok(it.forest.new_group()))?;
        group.put(pleach_group::of(new));
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

/// Makes an agent join a squad, or with id 0 leave its own.
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
        let (members, count) = unsafe { (Outs::new(members, capacity, "members")?, Out::optional(count, "count")?) };
        let found = table::read(forest.id, |it: &ForestObject| {
            let all = it.forest.group(group.get()).map_err(stale)?.members();
            members.put(all.iter().map(|it| pleach_agent::of(*it)));
            Ok(all.len())
        })?;
        count.put(found);
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
        let event = payload.event(unsafe { input::name(name) }?)?;
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

pub(crate) fn get(keys: SharedKeys<'_>, name: &str) -> Result<pleach_value, Failure> {
    keys.value(name).map(pleach_value::of).map_err(Failure::missing)
}

pub(crate) fn set(mut keys: SharedKeysMut<'_>, name: &str, value: pleach_value) -> Result<(), Failure> {
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
        // SAFETY: as the caller promises.
        let value = unsafe { Out::new(value, "value") }?;
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let found = table::read(forest.id, |it: &ForestObject| match group.some() {
            Some(group) => get(it.forest.group(group).map_err(stale)?.keys(), name),
            None => get(it.forest.globals(), name),
        })?;
        value.put(found);
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

/// As pleach_group_get(), for a key that was looked up by pleach_tree_key(): as "group.plan", or
/// with group id 0 as "global.plan".
///
/// # Safety
/// `value` points to a pleach_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_group_get_key(
    forest: pleach_forest,
    group: pleach_group,
    key: pleach_key,
    value: *mut pleach_value,
) -> pleach_result {
    fn of<T: BlackboardType>(keys: &SharedKeys<'_>, key: Key<T>) -> Option<Value> {
        keys.try_get(key).map(T::into_value)
    }
    entry(|| {
        // SAFETY: as the caller promises.
        let value = unsafe { Out::new(value, "value") }?;
        let found = table::read(forest.id, |it: &ForestObject| {
            let keys = match group.some() {
                Some(group) => it.forest.group(group).map_err(stale)?.keys(),
                None => it.forest.globals(),
            };
            with_key!(key.any()?, it => of(&keys, it)).ok_or_else(other_scope)
        })?;
        value.put(pleach_value::of(found));
        Ok(())
    })
}

/// As pleach_group_set(), for a key that was looked up, as pleach_group_get_key() takes it. The
/// value must have exactly the type of the key.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_group_set_key(
    forest: pleach_forest,
    group: pleach_group,
    key: pleach_key,
    value: pleach_value,
) -> pleach_result {
    fn of<T: BlackboardType>(mut keys: SharedKeysMut<'_>, key: Key<T>, value: Value) -> Result<(), Failure> {
        let wrong = || Failure::argument(format!("the key holds {}, and the value is {}", T::TYPE, value.ty()));
        keys.try_set(key, T::from_value(value).ok_or_else(wrong)?).map(|_| ()).map_err(Failure::refused)
    }
    entry(|| {
        let (key, value) = (key.any()?, value.some()?);
        table::with(forest.id, |it: &mut ForestObject| match group.some() {
            Some(group) => {
                let mut group = it.forest.group_mut(group).map_err(stale)?;
                with_key!(key, it => of(group.keys_mut(), it, value))
            }
            None => with_key!(key, key => of(it.forest.globals_mut(), key, value)),
        })
    })
}

fn other_scope() -> Failure {
    Failure::missing("the squad or the forest has no such key: look it up as \"group.name\" or \"global.name\"")
}
