//! What went wrong last on a thread, and the names of results.

use std::ffi::{CStr, CString, c_char};

use crate::error::{Failure, LAST, Last, OwnedProblem, PLEACH_OK, pleach_problem, pleach_result, text};
use crate::input::Described;
use crate::out::Out;

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_problem {
    const NAME: &'static str = "pleach_problem";
}

/// The problems of the call that failed last on this thread. Writes how many there are to `count`,
/// and the one of this index, from 0, to `problem`, if there is one; both may be null. Successful
/// calls do not change this.
///
/// # Safety
/// `problem` and `count` are null or point to such values; `struct_size` of the problem is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_last_error(
    index: usize,
    problem: *mut pleach_problem,
    count: *mut usize,
) -> pleach_result {
    // Not through `entry`: this must not replace the error that it reports.
    let tell = |last: &[OwnedProblem]| {
        // SAFETY: as the caller promises.
        let (out, count) = unsafe { (Out::sized(problem)?, Out::optional(count, "count")?) };
        count.put(last.len());
        if !problem.is_null() {
            out.put(last.get(index).ok_or_else(|| Failure::missing("the last error has fewer problems"))?.problem());
        }
        Ok(())
    };
    LAST.with(|last| tell(&last.borrow().problems).map_or_else(|it: Failure| it.code, |()| PLEACH_OK))
}

/// The message of the call that failed last on this thread, in one line, with file, line and column
/// if it is about a file; empty if none has failed. It lives until the next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_last_message() -> *const c_char {
    LAST.with(|last| {
        let Last { problems, line } = &mut *last.borrow_mut();
        let whole = || match problems.first() {
            None => CString::default(),
            Some(OwnedProblem { message, file, line, column, .. }) => match (message.to_string_lossy(), *line) {
                (words, 0) => text(&words),
                (words, line) => text(&format!("{}:{line}:{column}: {words}", file.to_string_lossy())),
            },
        };
        line.get_or_insert_with(whole).as_ptr()
    })
}

/// The name of a result for people: "PLEACH_ERROR_HANDLE". It lives for ever.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_result_name(result: pleach_result) -> *const c_char {
    const NAMES: [&CStr; 15] = [
        c"PLEACH_OK",
        c"PLEACH_ERROR_HANDLE",
        c"PLEACH_ERROR_ARGUMENT",
        c"PLEACH_ERROR_STRUCT_SIZE",
        c"PLEACH_ERROR_UTF8",
        c"PLEACH_ERROR_BUSY",
        c"PLEACH_ERROR_REPORT",
        c"PLEACH_ERROR_REGISTRY",
        c"PLEACH_ERROR_NOT_FOUND",
        c"PLEACH_ERROR_REFUSED",
        c"PLEACH_ERROR_LEAF",
        c"PLEACH_ERROR_FILE",
        c"PLEACH_ERROR_CALL",
        c"PLEACH_ERROR_THREADS",
        c"PLEACH_ERROR_INTERNAL",
    ];
    usize::try_from(result).ok().and_then(|it| NAMES.get(it)).unwrap_or(&c"unknown").as_ptr()
}
