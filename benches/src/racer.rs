//! What is timed: a crowd, or a task that no crowd can do.

use std::time::Duration;

use crate::crowd::Wrong;
use crate::workload::Workload;

/// Something that can be timed.
pub trait Racer {
    /// Plays so many frames (in S6: does its task so many times), and says how long they took,
    /// without what happens between them.
    fn play(&mut self, frames: u32) -> Duration;
}

/// Something that plays one workload which no crowd can.
pub trait Task: Racer + Sized + 'static {
    /// The name under which results are reported.
    const NAME: &'static str;
    /// What it plays.
    const WORKLOAD: Workload;
    /// The largest size that is measured.
    const MOST: u32 = u32::MAX;

    /// One of that size.
    fn new(size: u32) -> Self;

    /// Whether it does what the workload asks for.
    ///
    /// # Errors
    /// It does something else.
    fn check() -> Result<(), Wrong> {
        Ok(())
    }
}
