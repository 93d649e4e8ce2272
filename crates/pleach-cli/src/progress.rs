//! The progress bar of a command.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, if that is a terminal. It is redrawn at most twenty times per second.
pub(crate) fn bar(frames: u64) -> ProgressBar {
    bar_of(frames, "frames")
}

/// The same, counting something else.
pub(crate) fn bar_of(count: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template(&"{wide_bar:.cyan/dim} {pos}/{len} WHAT, {eta} left".replace("WHAT", what));
    let bar = ProgressBar::new(count).with_style(style.expect("the template is right"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
