//! The answers of the studio about recordings made in these tests.
//!
//! Snapshots are files that people have read. `INSTA_UPDATE=always` writes them.

mod answers;
mod damage;
mod diffs;
mod edited_at_random;
mod edits;
mod game;
mod growing;
mod hostile;
mod lives;
mod reloads;
mod reports;
mod steps;
