//! The life of an agent: the callbacks and requests of its leaves, and what can be seen of it from
//! outside.

mod brains;
mod declared_events;
mod embedding;
mod events;
mod explain;
mod fast_tick;
mod flood;
mod ids;
mod lifecycle;
mod panics;
mod requests;
mod sharing;
mod shown;
mod spawn_panics;
mod tickets;
mod ties;
mod tracing;
