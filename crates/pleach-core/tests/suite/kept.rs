//! What is kept of a forest: snapshots, to go back to.

mod snapshots;
