//! An agent as people see it: what it does and why, as data.
//!
//! [`moment()`] makes a [`MomentView`](model::MomentView) of an agent and a frame of a recording,
//! and [`living`] of an agent in memory. The studio's page, `pleach run --watch`,
//! `pleach replay --agent` and the arena's panel show it. [`why_not`] says why an agent does not
//! run a node.

pub mod model;
mod moment;
pub mod words;

pub use moment::{At, PRECISION, label, living, moment, rounded, why_not};
