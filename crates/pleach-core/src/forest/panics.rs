//! Keeps panics of host code, so that other agents do not suffer from them
//! (SEMANTICS 8.6).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The first panic of several calls.
#[derive(Default)]
pub(crate) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    /// Runs host code, and returns whether it panicked.
    pub(crate) fn catch(&mut self, call: impl FnOnce()) -> bool {
        let Err(panic) = catch_unwind(AssertUnwindSafe(call)) else { return false };
        match self.0 {
            None => self.0 = Some(panic),
            // Dropping it is host code as well, and might panic again.
            Some(_) => std::mem::forget(panic),
        }
        true
    }

    /// Whether there was one.
    pub(crate) fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Adds the panics of other calls, which came after these.
    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, others: Panics) {
        match (&self.0, others.0) {
            (None, panic) => self.0 = panic,
            // Dropping it is host code as well, and might panic again.
            (Some(_), panic) => std::mem::forget(panic),
        }
    }

    /// Resumes the first panic, if there was one.
    pub(crate) fn go_on(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }
}
