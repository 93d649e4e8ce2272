//! The race: the workloads, and the implementations that play them. These are pleach, a state
//! machine written by hand (the lower bound), a simple tree of boxes, and other libraries.
//!
//! An implementation of a kind of workload is one type that implements [`Crowd`]; its file shares
//! nothing with the others, so that equal [`Totals`] mean something. [`entries`] lists which
//! implementation plays what. `cargo bench` measures them with criterion, `cargo run --release -p
//! xtask -- bench` side by side.

pub mod bonsai;
pub mod crowd;
pub mod guard;
pub mod hand;
pub mod lite;
pub mod naive;
pub mod pleach;
pub mod race;
pub mod racer;
pub mod recall;
pub mod sleep;
pub mod squad;
pub mod stopwatch;
pub mod walk;
pub mod workload;

pub use crowd::{Crowd, Scene, Totals, Wrong};
pub use race::{Entry, absent, entries};
pub use racer::Racer;
pub use workload::Workload;
