//! The studio without its page: questions about a recording, and the answers as data.
//!
//! A [`Session`] answers questions about a recording: what an agent did, and why; what it did not
//! do, and why not; what all agents do; where something happened. Every answer is a value of
//! [`model`] that depends only on the recording and the question. A [`Report`](model::Report) holds
//! all answers about a stretch of one agent, and [`page`] makes one HTML file of it.
//!
//! An [`Editor`] answers questions about files of trees, and changes them.

mod agents;
mod behaviour;
mod breaks;
pub mod changes;
mod crowd;
mod edit;
mod error;
mod find;
mod finder;
mod heat;
pub mod model;
pub mod named;
mod notes;
pub mod page;
mod report;
pub mod rewrite;
mod session;
mod stage;
mod story;
mod timeline;
mod tree;
#[cfg(test)]
mod types;
mod what_if;

pub use behaviour::behaviour;
pub use edit::Editor;
pub use error::AskError;
pub use find::{Found, Search, Seeking, Wrong};
pub use finder::Finder;
pub use heat::Counter;
pub use session::{Session, read};
pub use stage::Stage;
pub use what_if::{Turned, running, turned};
