//! Ctrl-C ends a command early, instead of at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
