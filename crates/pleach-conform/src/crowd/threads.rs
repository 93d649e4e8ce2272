//! Crowds on several threads (SEMANTICS 8.7): each agent does what the oracle says, and of what the
//! oracle does not know all is the same on any number of threads.

use pleach_core::TickReport;

use super::Crowd;
use super::play::Prepared;
use crate::runner::THREADS;
use crate::runner::stage::Slot;

/// What comes of a crowd, beside what the oracle says of each agent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Whole {
    /// What frames report, with those who sleep. A panic reports nothing.
    pub(super) reports: Vec<Option<TickReport>>,
    /// Whose callbacks came, one after the other, if the crowd is on threads.
    pub(super) order: Vec<Slot>,
}

impl Prepared<'_> {
    /// Compares what the agents of a crowd do on one thread, on two and on eight with what the
    /// oracle says, and with each other.
    ///
    /// # Errors
    /// The first difference, in words.
    pub(crate) fn check_on_threads(&self, crowd: &Crowd) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;

    #[test]
    fn crowds_on_threads_have_chunks_that_share_keys_panic_and_are_replaced() {
        let (mut chunks, mut shared, mut panicked, mut replaced) = (0, 0, 0, 0);
        for seed in 0..600 {
            let scenario = compare::scenario(seed);
            let crowd = Crowd::roll_in_chunks(&scenario, seed);
            let prepared = Prepared::new(&scenario).expect("the tree is valid");
            prepared.check_on_threads(&crowd).unwrap_or_else(|e| panic!("seed {seed}: {e:.3000}"));
            let whole = prepared.played(&crowd.on_threads(2)).unwrap_or_else(|e| panic!("seed {seed}: {e:.3000}"));
            let several = crowd.plans.len() > crowd.chunk;
            chunks += usize::from(several);
            shared += usize::from(several && crowd.plans.iter().filter(|it| it.group.is_some()).count() > crowd.chunk);
            panicked += usize::from(several && whole.reports.contains(&None));
            replaced += usize::from(several && scenario.ops.iter().any(|it| it.call.version().is_some()));
        }
        let enough = chunks > 400 && shared > 30 && panicked > 50 && replaced > 80;
        assert!(enough, "{chunks} {shared} {panicked} {replaced}");
    }
}
