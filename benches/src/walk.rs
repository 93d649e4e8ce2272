//! The walk, S3: a tree that ends in every tick and starts again in the next, 29 nodes visited per
//! tick:
//!
//! ```text
//! Selector[Inverter[Inverter[Selector[Inverter[Sequence[20 x action]], Inverter[Inverter[action]]]]]]
//! ```
//!
//! There are two actions, which stand in turns. Both add one to a counter of their agent and
//! succeed. In a game leaves behind each other are seldom of one type, and what is gained from
//! that would be gained in this race alone.

use crate::crowd::{CHECK_AGENTS, Scene, Totals};
use crate::workload::Workload;

/// How many host actions stand in the sequence.
pub const LENGTH: u32 = 20;
/// How many host actions one tick runs: the sequence and the one behind it.
pub const ACTIONS: u32 = LENGTH + 1;

/// The walk has no variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk;

impl Scene for Walk {
    fn of(workload: Workload) -> Option<Self> {
        (workload == Workload::Walk).then_some(Self)
    }

    fn check_frames(self) -> u32 {
        100
    }

    fn expected(self) -> Totals {
        let ticks = u64::from(CHECK_AGENTS) * u64::from(self.check_frames());
        Totals { walked: ticks * u64::from(ACTIONS), ..Totals::default() }
    }
}

/// The totals of a crowd's counters.
pub fn totals(counters: impl IntoIterator<Item = u32>) -> Totals {
    Totals { walked: counters.into_iter().map(u64::from).sum(), ..Totals::default() }
}
