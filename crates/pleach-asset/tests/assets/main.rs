//! Assets: what good ones mean, what is said of bad ones, and how long either takes.

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
