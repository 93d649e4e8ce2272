//! How often a node was started, and how it ended.

use std::fmt;

/// How often something happened to a node: see [`Drawing::counts`](crate::Drawing::counts).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// It was started.
    pub started: u64,
    /// It succeeded.
    pub succeeded: u64,
    /// It failed.
    pub failed: u64,
    /// It was ended from outside.
    pub aborted: u64,
}

/// In words: `started 3, succeeded 2, failed 0, aborted 1`, or `never started`.
impl fmt::Display for NodeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NodeCounts { started, succeeded, failed, aborted } = self;
        if *started == 0 {
            return f.write_str("never started");
        }
        write!(f, "started {started}, succeeded {succeeded}, failed {failed}, aborted {aborted}")
    }
}
