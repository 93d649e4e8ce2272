//! The bar that shows how far a command is.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, if that is a terminal. It is redrawn twenty times per second at most.
pub(crate) fn bar(frames: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len} frames, {eta} left");
    let bar = ProgressBar::new(frames).with_style(style.expect("the template is right"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
