//! Signals that end a command early, instead of at once: Ctrl-C, and for a command that has changed
//! the terminal those by which systems end programs.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Knows whether Ctrl-C was pressed.
#[derive(Debug)]
pub(crate) struct CtrlC(Arc<AtomicBool>);

impl CtrlC {
    /// Notes the first Ctrl-C from now on. The second one ends the program at once.
    pub(crate) fn listen() -> CtrlC {
        let pressed = Arc::new(AtomicBool::new(false));
        let handler = Arc::clone(&pressed);
        // Without a handler Ctrl-C ends the program at once, which is not worth an error.
        let _unhandled = ctrlc::set_handler(move || {
            if handler.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        CtrlC(pressed)
    }

    /// Whether it was pressed.
    pub(crate) fn pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Knows whether the system asked the program to end, by SIGTERM or, as when its terminal is
/// closed, by SIGHUP. Other systems than Unix have none of these.
#[derive(Debug)]
pub(crate) struct EndSignals(Arc<AtomicUsize>);

impl EndSignals {
    /// Notes these signals from now on, in place of being ended by them.
    ///
    /// # Errors
    /// The system refuses that.
    pub(crate) fn listen() -> io::Result<EndSignals> {
        let signals = EndSignals(Arc::default());
        #[cfg(unix)]
        for (signal, number) in [(signal_hook::consts::SIGTERM, 15), (signal_hook::consts::SIGHUP, 1)] {
            signal_hook::flag::register_usize(signal, Arc::clone(&signals.0), number)?;
        }
        Ok(signals)
    }

    /// The exit code of a program that such a signal ended, once one has come: 128 and its number.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|it| *it > 0).map(|it| 128 + it)
    }
}
