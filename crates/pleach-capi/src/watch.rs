//! What watches a forest or a brain: a trace, a recording.

use std::ffi::c_void;

use pleach_core::AgentId;
use pleach_core::record::Recording;
use pleach_core::trace::{Recorder, TraceKinds};

use crate::error::{Failure, PLEACH_ERROR_FILE};
use crate::input::{self, pleach_write_fn};

/// What watches it. Calls are made through the tracers if there are any.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) tracers: (Option<Recording>, Option<Recorder>),
    lines: Option<Lines>,
}

/// Where the lines of a trace go.
#[derive(Clone, Copy)]
struct Lines {
    write: pleach_write_fn,
    user: *mut c_void,
}

// SAFETY: `user` is not followed here; the callback is only called in calls of the object, of which
// there is one at a time.
unsafe impl Send for Lines {}
// SAFETY: as above.
unsafe impl Sync for Lines {}

/// Makes a call of a forest or a brain, through what watches it if something does.
macro_rules! watched {
    ($of:expr, $watch:expr, $it:ident => $call:expr) => {
        if let (None, None) = $watch.tracers {
            let $it = &mut $of;
            $call
        } else {
            let mut watched = $of.traced(&mut $watch.tracers);
            let $it = &mut watched;
            $call
        }
    };
}
pub(crate) use watched;

impl Watch {
    /// Traces as lines for people, or with `write` null no longer. `all` is with each update.
    ///
    /// # Safety
    /// `write` is null or can be called with `user` until tracing ends.
    pub(crate) unsafe fn trace(&mut self, recorder: Recorder, all: bool, write: pleach_write_fn, user: *mut c_void) {
        let kinds = if all { TraceKinds::ALL } else { TraceKinds::DECISIONS };
        self.tracers.1 = write.is_some().then(|| recorder.only(kinds));
        self.lines = write.is_some().then_some(Lines { write, user });
    }

    /// Begins a recording.
    pub(crate) fn record(&mut self, last_seconds: f64, max_bytes: usize, keys_every: u32) {
        let mut recording = Recording::new().keys_every(keys_every);
        if last_seconds > 0.0 {
            recording = recording.last_seconds(last_seconds);
        }
        if max_bytes > 0 {
            recording = recording.at_most(max_bytes);
        }
        self.tracers.0 = Some(recording);
    }

    /// The recording, which there has to be.
    pub(crate) fn recording(&mut self) -> Result<&mut Recording, Failure> {
        let none =
            || Failure::refused("nothing is recorded here: pleach_record() or pleach_brain_record() begins that");
        self.tracers.0.as_mut().ok_or_else(none)
    }

    /// Writes the lines of a trace of the call that ends.
    pub(crate) fn write_lines(&mut self, label: impl Fn(AgentId) -> Option<String>) -> Result<(), Failure> {
        if let (Some(recorder), Some(Lines { write, user })) = (&mut self.tracers.1, self.lines)
            && recorder.entries().len() > 0
        {
            let lines = pleach_draw::Log::of(recorder).labels(label).to_string();
            recorder.take();
            // SAFETY: the caller of `trace` promised that it can be called.
            unsafe { input::write(write, user, lines.as_bytes()) }?;
        }
        Ok(())
    }
}

/// Writes a recording to a file.
pub(crate) fn save(path: &str, bytes: Vec<u8>) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|it| Failure::new(PLEACH_ERROR_FILE, format!("`{path}`: {it}")))
}
