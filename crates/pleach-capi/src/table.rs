//! Handles: ids by value, looked up in one table. So a null, freed or foreign handle, or one of
//! another kind, is an error and never a wrong address.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use slotmap::{DefaultKey, Key as _, KeyData, SlotMap};

use crate::error::{Failure, PLEACH_ERROR_BUSY, PLEACH_ERROR_HANDLE};

type Held = Arc<dyn Any + Send + Sync>;

static TABLE: Mutex<Option<SlotMap<DefaultKey, Held>>> = Mutex::new(None);

fn table() -> MutexGuard<'static, Option<SlotMap<DefaultKey, Held>>> {
    // Nothing in here panics with the table half changed.
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a handle stands for. Calls that change it have it alone for as long as they take; calls
/// that only read it share it.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// What it is called in messages: `a forest`.
    const NAME: &'static str;
}

/// Keeps an object, and gives the id of its handle.
pub(crate) fn keep<T: Object>(object: T) -> u64 {
    table().get_or_insert_default().insert(Arc::new(RwLock::new(object))).data().as_ffi()
}

/// The object of a handle.
pub(crate) fn find<T: Object>(id: u64) -> Result<Arc<RwLock<T>>, Failure> {
    let wrong = |what: String| Failure::new(PLEACH_ERROR_HANDLE, what);
    if id == 0 {
        return Err(wrong(format!("the handle is null, and not {}", T::NAME)));
    }
    let held = table().as_ref().and_then(|it| it.get(DefaultKey::from(KeyData::from_ffi(id))).cloned());
    let held = held.ok_or_else(|| wrong(format!("the handle {id:#x} was freed, or never was {}", T::NAME)))?;
    held.downcast().map_err(|_| wrong(format!("the handle {id:#x} is of something else, and not {}", T::NAME)))
}

/// Lends the object of a handle to read it.
pub(crate) fn read<T: Object, R>(id: u64, call: impl FnOnce(&T) -> Result<R, Failure>) -> Result<R, Failure> {
    let object = find::<T>(id)?;
    let locked = match object.try_read() {
        Ok(it) => it,
        // The runtime is consistent after a panic.
        Err(TryLockError::Poisoned(it)) => it.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(busy::<T>()),
    };
    call(&locked)
}

/// Lends the object of a handle to change it.
pub(crate) fn with<T: Object, R>(id: u64, call: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
    change(&*find::<T>(id)?, call)
}

/// The same for an object that was found.
pub(crate) fn change<T: Object, R>(
    object: &RwLock<T>,
    call: impl FnOnce(&mut T) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let mut locked = match object.try_write() {
        Ok(it) => it,
        // As above.
        Err(TryLockError::Poisoned(it)) => it.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(busy::<T>()),
    };
    call(&mut locked)
}

/// Frees a handle. Null is fine.
pub(crate) fn free<T: Object>(id: u64) -> Result<(), Failure> {
    if id == 0 {
        return Ok(());
    }
    let object = find::<T>(id)?;
    if let Err(TryLockError::WouldBlock) = object.try_write() {
        return Err(busy::<T>());
    }
    let gone = table().as_mut().and_then(|it| it.remove(DefaultKey::from(KeyData::from_ffi(id))));
    // Dropped after the table is unlocked: dropping it may be slow.
    drop(gone);
    Ok(())
}

fn busy<T: Object>() -> Failure {
    Failure::new(
        PLEACH_ERROR_BUSY,
        format!("{} is in a call: a callback, or another thread, cannot call it meanwhile", T::NAME),
    )
}
