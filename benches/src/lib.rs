//! The workloads that every implementation is measured with, and the two rivals that live in this repository: the
//! machine a good programmer writes by hand (the floor) and the tree of boxes that everyone writes first.
//!
//! An implementation is one type that implements [`Crowd`]; its file knows nothing of the others, so that equal
//! [`Totals`] mean something.

pub mod hand;
pub mod naive;
pub mod pleach;
pub mod workload;

pub use hand::Hand;
pub use naive::Naive;
pub use pleach::{Pleach, PleachPolled};
pub use workload::{Crowd, Totals, Workload, Wrong, check};
