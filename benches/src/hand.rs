//! The floor: what a good programmer writes by hand for one tree that will never change.

mod guards;
mod matching;
mod sleepers;
mod walkers;

pub use guards::HandGuards;
pub use matching::HandMatchGuards;
pub use sleepers::HandSleepers;
pub use walkers::HandWalkers;

/// The name under which results are reported.
const NAME: &str = "hand";
