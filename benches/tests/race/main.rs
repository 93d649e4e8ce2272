//! Checks the race before it runs: the workloads, and that all implementations do the same.

mod agree;
mod calls;
mod ground;
