//! What functions return, and what went wrong last on a thread.

#[cfg(test)]
mod tests;

use std::any::type_name;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pleach_asset::{Diagnostic, Report, Severity};

/// What a function returns: PLEACH_OK, or one of PLEACH_ERROR_*. pleach_last_error() then says
/// more.
pub type pleach_result = i32;

/// All went well.
pub const PLEACH_OK: pleach_result = 0;
/// A handle is null, was freed, or is of another kind of object.
pub const PLEACH_ERROR_HANDLE: pleach_result = 1;
/// An argument is wrong: a null pointer, a number out of range, an unknown constant.
pub const PLEACH_ERROR_ARGUMENT: pleach_result = 2;
/// The member struct_size of a struct is not what this library knows.
pub const PLEACH_ERROR_STRUCT_SIZE: pleach_result = 3;
/// A text is not UTF-8.
pub const PLEACH_ERROR_UTF8: pleach_result = 4;
/// The object is in use: by a call on another thread, or by the call whose callback calls this. Or
/// its leaves are in use on another thread.
pub const PLEACH_ERROR_BUSY: pleach_result = 5;
/// A tree, a manifest or a baked file is wrong. Each problem has its place.
pub const PLEACH_ERROR_REPORT: pleach_result = 6;
/// A leaf or an event cannot be registered.
pub const PLEACH_ERROR_REGISTRY: pleach_result = 7;
/// The agent, tree, group, key, node or event does not exist, or no longer does.
pub const PLEACH_ERROR_NOT_FOUND: pleach_result = 8;
/// The runtime refuses the call, or a key the value.
pub const PLEACH_ERROR_REFUSED: pleach_result = 9;
/// A leaf of the game went wrong. The call was still carried out.
pub const PLEACH_ERROR_LEAF: pleach_result = 10;
/// A file cannot be read.
pub const PLEACH_ERROR_FILE: pleach_result = 11;
/// The function can only be called in a callback, with the pleach_call that it was given.
pub const PLEACH_ERROR_CALL: pleach_result = 12;
/// The forest has leaves that are not declared as safe on several threads.
pub const PLEACH_ERROR_THREADS: pleach_result = 13;
/// A bug in this library. The objects of the call are as consistent as after any other error.
pub const PLEACH_ERROR_INTERNAL: pleach_result = 14;

/// A problem: what it is, and where. Texts live until the next call of this library that fails on
/// the same thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_problem {
    /// sizeof(pleach_problem), set by the caller.
    pub struct_size: usize,
    /// PLEACH_OK for a warning, or what the failing function returned.
    pub result: pleach_result,
    /// The line in the file, from 1; 0 if it is not about a file.
    pub line: u32,
    /// The column in characters, from 1; 0 if it is not about a file.
    pub column: u32,
    /// The agent whose leaf went wrong, or 0.
    pub agent: u64,
    /// What is wrong, in one line.
    pub message: *const c_char,
    /// What to do about it; empty if nothing is known.
    pub help: *const c_char,
    /// The file; empty if it is not about a file.
    pub file: *const c_char,
    /// The code of the problem as the book lists it ("P0101"), or the name of the leaf that went
    /// wrong; or empty.
    pub code: *const c_char,
}

/// A [`pleach_problem`] that owns its texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnedProblem {
    pub(crate) result: pleach_result,
    pub(crate) message: CString,
    pub(crate) help: CString,
    pub(crate) file: CString,
    pub(crate) code: CString,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) agent: u64,
}

impl OwnedProblem {
    pub(crate) fn of(result: pleach_result, it: &Diagnostic) -> OwnedProblem {
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        OwnedProblem {
            result,
            message: text(it.message()),
            help: text(it.help().unwrap_or_default()),
            file: text(it.file()),
            code: text(it.code()),
            line: number(it.line()),
            column: number(it.column()),
            agent: 0,
        }
    }

    /// The same for C, as long as this lives.
    pub(crate) fn problem(&self) -> pleach_problem {
        let &OwnedProblem { result, ref message, ref help, ref file, ref code, line, column, agent } = self;
        pleach_problem {
            struct_size: size_of::<pleach_problem>(),
            result,
            line,
            column,
            agent,
            message: message.as_ptr(),
            help: help.as_ptr(),
            file: file.as_ptr(),
            code: code.as_ptr(),
        }
    }
}

/// A text for C, which has no zero byte in it.
pub(crate) fn text(it: &str) -> CString {
    CString::new(it.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Why a call fails: the code, and every problem.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: pleach_result,
    problems: Vec<OwnedProblem>,
}

impl Failure {
    pub(crate) fn new(code: pleach_result, message: impl AsRef<str>) -> Failure {
        Failure::all(
            code,
            vec![OwnedProblem { result: code, message: text(message.as_ref()), ..OwnedProblem::default() }],
        )
    }

    /// Several problems; there is at least one.
    pub(crate) fn all(code: pleach_result, problems: Vec<OwnedProblem>) -> Failure {
        Failure { code, problems }
    }

    pub(crate) fn report(report: &Report) -> Failure {
        let errors = report.diagnostics().iter().filter(|it| it.severity() == Severity::Error);
        let mut problems: Vec<OwnedProblem> = errors.map(|it| OwnedProblem::of(PLEACH_ERROR_REPORT, it)).collect();
        if problems.is_empty() {
            let message = text(&report.plain());
            problems.push(OwnedProblem { result: PLEACH_ERROR_REPORT, message, ..OwnedProblem::default() });
        }
        Failure::all(PLEACH_ERROR_REPORT, problems)
    }

    /// The runtime refuses a call.
    pub(crate) fn refused(error: impl std::fmt::Display) -> Failure {
        Failure::new(PLEACH_ERROR_REFUSED, error.to_string())
    }

    /// What was named does not exist.
    pub(crate) fn missing(error: impl std::fmt::Display) -> Failure {
        Failure::new(PLEACH_ERROR_NOT_FOUND, error.to_string())
    }

    pub(crate) fn argument(message: impl AsRef<str>) -> Failure {
        Failure::new(PLEACH_ERROR_ARGUMENT, message)
    }
}

/// What was wrong with the call that failed last.
pub(crate) struct Last {
    pub(crate) problems: Vec<OwnedProblem>,
    /// The first one in one line, from when it is asked for until another call fails.
    pub(crate) line: Option<CString>,
}

thread_local! {
    pub(crate) static LAST: RefCell<Last> = const { RefCell::new(Last { problems: Vec::new(), line: None }) };
}

/// Runs the body of a function of the interface. Nothing unwinds out of it.
pub(crate) fn entry<F: FnOnce() -> Result<(), Failure>>(body: F) -> pleach_result {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Failure::new(PLEACH_ERROR_INTERNAL, words))
    });
    match result {
        Ok(()) => PLEACH_OK,
        Err(failure) => note(failure, type_name::<F>()),
    }
}

/// Keeps what is wrong for pleach_last_error(). `body` is the name of the closure that has failed.
#[cold]
fn note(Failure { code, mut problems }: Failure, body: &str) -> pleach_result {
    // Errors of the call itself name the function. Other problems are about the game.
    let is_of_call = matches!(
        code,
        PLEACH_ERROR_HANDLE
            | PLEACH_ERROR_ARGUMENT
            | PLEACH_ERROR_STRUCT_SIZE
            | PLEACH_ERROR_UTF8
            | PLEACH_ERROR_CALL
            | PLEACH_ERROR_INTERNAL
    );
    // `pleach_capi::agents::pleach_get::{{closure}}`: a closure has no other name, and the tests
    // see that compilers go on to write it like this.
    if let Some(function) = body.rsplit("::").nth(1).filter(|it| is_of_call && it.starts_with("pleach_")) {
        problems.iter_mut().for_each(|it| it.message = text(&format!("{function}: {}", it.message.to_string_lossy())));
    }
    // The old ones are dropped outside of the borrow.
    let _old = LAST.with(|last| last.replace(Last { problems, line: None }));
    code
}
