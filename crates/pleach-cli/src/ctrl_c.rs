//! Signals that end a command early, instead of at once: Ctrl-C, and for a command that has changed
//! the terminal those by which systems end programs.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How long writing a recording may take after a signal.
const LONG: Duration = Duration::from_secs(30);

/// Knows whether Ctrl-C was pressed.
#[derive(Debug)]
pub(crate) struct CtrlC {
    pressed: Arc<AtomicBool>,
    signals: Option<EndSignals>,
}

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
        CtrlC { pressed, signals: None }
    }

    /// The same, and signals by which the system ends programs count as Ctrl-C, for a command
    /// that still has something to write.
    ///
    /// # Errors
    /// The system refuses that.
    pub(crate) fn with_signals(self) -> io::Result<CtrlC> {
        Ok(CtrlC { signals: Some(EndSignals::listen(LONG, || {})?), ..self })
    }

    /// Whether it was pressed.
    pub(crate) fn pressed(&self) -> bool {
        self.pressed.load(Ordering::Relaxed) || self.exit_code().is_some()
    }

    /// The exit code of a program that a signal ended, once one has come.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.signals.as_ref()?.exit_code()
    }
}

/// Knows whether the system asked the program to end, by SIGTERM or, as when its terminal is
/// closed, by SIGHUP. Only Unix has these.
#[derive(Debug)]
pub(crate) struct EndSignals(Arc<AtomicUsize>);

impl EndSignals {
    /// From now on, notes these signals instead of being ended by them. If the program has not
    /// ended after this time, because it computes or waits for a terminal that is closed, `give_up`
    /// is called on another thread, and ends it.
    ///
    /// # Errors
    /// The system refuses that.
    #[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, unused_variables, reason = "there are no signals"))]
    pub(crate) fn listen(patience: Duration, give_up: impl FnOnce() + Send + 'static) -> io::Result<EndSignals> {
        let signals = EndSignals(Arc::default());
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGTERM};
            let mut coming = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP])?;
            let noted = EndSignals(Arc::clone(&signals.0));
            std::thread::spawn(move || {
                let Some(signal) = coming.forever().next() else { return };
                noted.0.store(if signal == SIGTERM { 15 } else { 1 }, Ordering::Relaxed);
                std::thread::sleep(patience);
                give_up();
                std::process::exit(noted.exit_code().map_or(1, i32::from));
            });
        }
        Ok(signals)
    }

    /// The exit code of a program whose terminal was closed.
    pub(crate) const HANG_UP: u8 = 129;

    /// The exit code of a program that such a signal ended, once one has come: 128 and its number.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::Relaxed)).ok().filter(|it| *it > 0).map(|it| 128 + it)
    }
}
