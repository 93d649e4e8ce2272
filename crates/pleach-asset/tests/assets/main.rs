//! Assets: what correct ones mean, how wrong ones are reported, and how long either takes.

mod allocations;
mod baked;
mod brains;
mod codes;
mod common;
mod composed;
mod format;
mod fuzz;
mod holes;
mod hostile;
mod libraries;
mod library;
mod limits;
mod locals;
mod manifest;
mod needs;
mod places;
mod poll;
mod registry;
mod reload;
mod reports;
mod schema;
mod standard;
mod templates;
mod trees;
mod warnings;
#[cfg(feature = "notify")]
mod watch;
