//! What is timed: a crowd, or a task that is not a crowd's.

use std::time::Duration;

use crate::crowd::Wrong;
use crate::workload::Workload;

/// Something that can be timed.
pub trait Racer {
    /// Plays `frames` frames (in S6: does its task that many times), and returns how long they
    /// took, without what happens between them.
    fn play(&mut self, frames: u32) -> Duration;
}

/// Something that plays one workload that is not a crowd's.
pub trait Task: Racer + Sized + 'static {
    /// The name under which results are reported.
    const NAME: &'static str;
    /// What it plays.
    const WORKLOAD: Workload;
    /// The largest size that is measured.
    const MOST: u32 = u32::MAX;

    /// One of that size.
    fn new(size: u32) -> Self;

    /// Checks that it does what the workload requires.
    ///
    /// # Errors
    /// It does something else.
    fn check() -> Result<(), Wrong> {
        Ok(())
    }
}
