//! What is kept of a forest: snapshots, to go back to.

mod brain_snapshots;
mod snapshots;
