//! Agents whose tree is replaced while they live.

mod keep;
mod needs;
mod replace;
mod replace_keys;
mod replace_trees;
mod stale_keys;
