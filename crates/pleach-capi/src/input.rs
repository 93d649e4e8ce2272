//! What callers hand over: texts, lists, structs with their size, and callbacks that take texts.

use std::ffi::{CStr, c_char, c_void};

use crate::error::{Failure, PLEACH_ERROR_STRUCT_SIZE, PLEACH_ERROR_UTF8};

/// Takes bytes: a text in UTF-8 without a zero behind it, or data. They live during the call.
pub type pleach_write_fn = Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_char, length: usize)>;

/// A text that ends with a zero byte.
///
/// # Safety
/// It is null or such a text, which lives for `'a`.
pub(crate) unsafe fn text<'a>(it: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if it.is_null() {
        return Err(Failure::argument(format!("`{what}` is null")));
    }
    // SAFETY: it is not null, and the caller promises the rest.
    let it = unsafe { CStr::from_ptr(it) };
    utf8(it.to_bytes(), what)
}

/// A text of `length` bytes. With length 0 it may be null.
///
/// # Safety
/// `length` bytes can be read there for `'a`.
pub(crate) unsafe fn sized_text<'a>(it: *const c_char, length: usize, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: as promised.
    utf8(unsafe { list(it.cast::<u8>(), length, what) }?, what)
}

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::new(PLEACH_ERROR_UTF8, format!("`{what}` is not UTF-8: byte {at} is wrong"))
    })
}

/// A list of `count` values.
///
/// # Safety
/// `count` valid values can be read there for `'a`.
pub(crate) unsafe fn list<'a, T>(it: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    pointer(it, what)?;
    if count > isize::MAX.unsigned_abs() / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("`{what}` has {count} values, more than there can be")));
    }
    // SAFETY: it is neither null nor too long, and aligned; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(it, count) })
}

/// The same, to write.
///
/// # Safety
/// `count` valid values can be read and written there for `'a`, and nothing else does so.
pub(crate) unsafe fn list_mut<'a, T>(it: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    if count == 0 {
        return Ok(&mut []);
    }
    pointer(it, what)?;
    if count > isize::MAX.unsigned_abs() / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("`{what}` has {count} values, more than there can be")));
    }
    // SAFETY: it is neither null nor too long, and aligned; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(it, count) })
}

/// A pointer that is neither null nor misaligned.
pub(crate) fn pointer<T>(it: *const T, what: &str) -> Result<(), Failure> {
    if it.is_null() {
        return Err(Failure::argument(format!("`{what}` is null")));
    }
    if !it.is_aligned() {
        return Err(Failure::argument(format!("`{what}` is not aligned")));
    }
    Ok(())
}

/// Writes a result, unless the caller does not want it.
///
/// # Safety
/// It is null, or such a value can be written there.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) {
    if !to.is_null() && to.is_aligned() {
        // SAFETY: as promised.
        unsafe { to.write(value) };
    }
}

/// A struct that begins with its size.
///
/// # Safety
/// Only the library's own structs implement it: `#[repr(C)]`, first a `usize` with the size; all
/// bits are valid values.
pub(crate) unsafe trait Described: Copy {
    const NAME: &'static str;
}

/// A struct that the caller describes something with.
///
/// # Safety
/// It is null, or a `usize` can be read there, and if that is the size of a `T`, a `T`.
pub(crate) unsafe fn description<T: Described>(it: *const T) -> Result<T, Failure> {
    pointer(it, T::NAME)?;
    // SAFETY: the first member of such a struct is its size.
    let size = unsafe { it.cast::<usize>().read() };
    check_size(size, size_of::<T>(), T::NAME)?;
    // SAFETY: the caller says that there is a whole one.
    Ok(unsafe { it.read() })
}

/// Writes a struct that begins with its size, unless the caller does not want it.
///
/// # Safety
/// It is null, or a `usize` can be read there, and if that is the size of a `T`, a `T` written.
pub(crate) unsafe fn put_sized<T: Described>(to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Ok(());
    }
    pointer(to, T::NAME)?;
    // SAFETY: the first member of such a struct is its size.
    let size = unsafe { to.cast::<usize>().read() };
    check_size(size, size_of::<T>(), T::NAME)?;
    // SAFETY: the caller says that there is room for a whole one.
    unsafe { to.write(value) };
    Ok(())
}

fn check_size(size: usize, known: usize, name: &str) -> Result<(), Failure> {
    if size == known {
        return Ok(());
    }
    let message = format!(
        "`struct_size` of `{name}` is {size}, and not {known}: set it to sizeof({name}), with the header of this library"
    );
    Err(Failure::new(PLEACH_ERROR_STRUCT_SIZE, message))
}

/// Hands bytes to a callback.
///
/// # Safety
/// It can be called with `user`.
pub(crate) unsafe fn write(to: pleach_write_fn, user: *mut c_void, bytes: &[u8]) -> Result<(), Failure> {
    let to = to.ok_or_else(|| Failure::argument("`write` is null"))?;
    // SAFETY: as promised; the bytes live during the call.
    unsafe { to(user, bytes.as_ptr().cast(), bytes.len()) };
    Ok(())
}
