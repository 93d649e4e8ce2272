//! Where results go: memory of the caller, which may hold nothing so far. It is checked before a
//! call does anything, written when the call has succeeded, and never read.

use crate::error::Failure;
use crate::input::{self, Described, check_length, check_size};

/// A place for a result.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// A place that there has to be.
    ///
    /// # Safety
    /// It is null, or a `T` can be written there as long as this lives.
    pub(crate) unsafe fn new(to: *mut T, what: &str) -> Result<Self, Failure> {
        input::pointer(to, what)?;
        Ok(Out(to))
    }

    /// A place that is null if the caller does not want the result.
    ///
    /// # Safety
    /// As `new`.
    pub(crate) unsafe fn optional(to: *mut T, what: &str) -> Result<Self, Failure> {
        // SAFETY: as the caller promises.
        if to.is_null() { Ok(Out(to)) } else { unsafe { Out::new(to, what) } }
    }

    /// The same for a struct that begins with its size, which the caller has set.
    ///
    /// # Safety
    /// It is null, or a `usize` can be read there, and if that is the size of a `T`, a `T` written
    /// as long as this lives.
    pub(crate) unsafe fn sized(to: *mut T) -> Result<Self, Failure>
    where
        T: Described,
    {
        // SAFETY: as the caller promises.
        let out = unsafe { Out::optional(to, T::NAME) }?;
        if !to.is_null() {
            // SAFETY: the first member of such a struct is its size. Nothing else need be there.
            check_size(unsafe { to.cast::<usize>().read() }, size_of::<T>(), T::NAME)?;
        }
        Ok(out)
    }

    /// Writes the result.
    pub(crate) fn put(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: as the caller of the function that made it promised.
            unsafe { self.0.write(value) };
        }
    }
}

/// Places for several results of a kind, side by side.
pub(crate) struct Outs<T> {
    to: *mut T,
    room: usize,
}

impl<T> Outs<T> {
    /// Room for this many values. If that is 0, the pointer may be null.
    ///
    /// # Safety
    /// `room` values can be written there as long as this lives.
    pub(crate) unsafe fn new(to: *mut T, room: usize, what: &str) -> Result<Self, Failure> {
        if room > 0 {
            input::pointer(to, what)?;
            check_length::<T>(room, what)?;
        }
        Ok(Outs { to, room })
    }

    /// The same, and null if the caller does not want the results.
    ///
    /// # Safety
    /// It is null, or as `new`.
    pub(crate) unsafe fn optional(to: *mut T, room: usize, what: &str) -> Result<Self, Failure> {
        // SAFETY: as the caller promises.
        unsafe { Outs::new(to, if to.is_null() { 0 } else { room }, what) }
    }

    /// Writes as many results as there is room for.
    pub(crate) fn put(self, values: impl IntoIterator<Item = T>) {
        for (at, value) in (0..self.room).zip(values) {
            // SAFETY: there is room for `room` of them, as the caller of `new` promised.
            unsafe { self.to.add(at).write(value) };
        }
    }
}
