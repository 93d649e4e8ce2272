//! Progress on standard error: a bar on a terminal, else a line per workload and size.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use pleach_benches::Workload;

/// The progress of the race.
pub(super) struct Progress {
    bar: ProgressBar,
    lines: bool,
}

impl Progress {
    pub(super) fn new(steps: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), lines: true };
        }
        let style = ProgressStyle::with_template("{bar:24.cyan/dim} {percent:>3} %  {elapsed}  {wide_msg}");
        let bar = ProgressBar::new(steps).with_style(style.expect("the template is right"));
        Self { bar, lines: false }
    }

    #[cfg(test)]
    pub(super) fn silent() -> Self {
        Self { bar: ProgressBar::hidden(), lines: false }
    }

    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.bar.position()
    }

    /// A step begins. The bar is drawn at most a few times per second, and never during a turn.
    pub(super) fn step(&self, what: impl FnOnce() -> String) {
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            self.bar.set_message(what());
        }
    }

    /// Skips this many steps.
    pub(super) fn skip(&self, steps: u64) {
        self.bar.inc(steps);
    }

    pub(super) fn size(&self, workload: Workload, size: u32) {
        if self.lines {
            eprintln!("{workload}: {size}");
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
