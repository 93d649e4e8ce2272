//! What callers hand over: texts, lists, structs with their size, and callbacks that take texts.

use std::ffi::{CStr, c_char, c_void};

use pleach_core::Symbol;

use crate::error::{Failure, PLEACH_ERROR_STRUCT_SIZE, PLEACH_ERROR_UTF8};

/// Receives bytes: a UTF-8 text without a zero byte at its end, or data. They are valid during the
/// call.
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

/// The name of an event.
///
/// # Safety
/// It is null or ends with a zero byte.
pub(crate) unsafe fn name(it: *const c_char) -> Result<Symbol, Failure> {
    // SAFETY: as promised.
    unsafe { text(it, "name") }.map(Symbol::new)
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
    check_length::<T>(count, what)?;
    // SAFETY: it is neither null nor too long, and aligned; the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(it, count) })
}

/// Structs that begin with their size, side by side.
///
/// # Safety
/// As `description`, of each.
pub(crate) unsafe fn descriptions<T: Described>(it: *const T, count: usize, what: &str) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    pointer(it, what)?;
    check_length::<T>(count, what)?;
    // SAFETY: as promised. If the structs of the caller have another size, the first one says so.
    (0..count).map(|at| unsafe { description(it.add(at)) }).collect()
}

/// Whether a list of this length fits into memory.
pub(crate) fn check_length<T>(count: usize, what: &str) -> Result<(), Failure> {
    if count > isize::MAX.unsigned_abs() / size_of::<T>().max(1) {
        return Err(Failure::argument(format!("`{what}` has {count} values, more than there can be")));
    }
    Ok(())
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

pub(crate) fn check_size(size: usize, known: usize, name: &str) -> Result<(), Failure> {
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
