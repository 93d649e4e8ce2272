//! The answers of the studio about recordings that are made here.
//!
//! Snapshots are files that people have read. `INSTA_UPDATE=always` writes them.

mod answers;
mod damage;
mod edited_at_random;
mod edits;
mod game;
mod growing;
mod hostile;
mod lives;
mod reports;
