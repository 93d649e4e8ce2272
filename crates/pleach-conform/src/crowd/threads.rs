//! Crowds on several threads (SEMANTICS 8.7): each agent does what the oracle says, and everything
//! that the oracle does not cover is the same on any number of threads.

use pleach_core::TickReport;

use super::Crowd;
use super::play::Prepared;
use crate::runner::THREADS;
use crate::runner::stage::Slot;

/// The results of a crowd that the oracle does not cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Whole {
    /// What frames report, sleepers included. A panic reports nothing.
    pub reports: Vec<Option<TickReport>>,
    /// The agent of each callback, in order, if the crowd is on threads.
    pub order: Vec<Slot>,
}

impl Prepared<'_> {
    /// Compares what the agents of a crowd do on one thread, on two and on eight with what the
    /// oracle says, and with each other.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check_on_threads(&self, crowd: &Crowd) -> Result<(), String> {
        let mut first = None;
        for threads in THREADS {
            let crowd = crowd.on_threads(threads);
            let found = self.played(&crowd).map_err(|it| format!("on {threads} threads: {it}"))?;
            let expected = first.get_or_insert_with(|| found.clone());
            if *expected != found {
                let [one, many] = [expected, &found].map(|it| format!("{it:?}"));
                return Err(format!("on {threads} threads:\n--- on one\n{one}\n+++ found\n{many}\n{crowd:?}"));
            }
        }
        Ok(())
    }
}
