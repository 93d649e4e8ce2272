//! Snapshots of a forest, and rollback to them.

mod brain_snapshots;
mod snapshots;
