//! The walk, S3: a tree that ends in every tick and starts again in the next, 29 nodes visited per
//! tick:
//!
//! ```text
//! Selector[Inverter[Inverter[Selector[Inverter[Sequence[20 x action]], Inverter[Inverter[action]]]]]]
//! ```
//!
//! There are two alternating actions. Both add one to a counter of their agent and succeed. In a
//! game, consecutive leaves seldom have the same type, so an optimisation for that would help only
//! in this race.

use crate::crowd::{CHECK_AGENTS, Scene, Totals};
use crate::workload::Workload;

/// The number of host actions in the sequence.
pub const LENGTH: u32 = 20;
/// The number of host actions in one tick: the sequence and the one after it.
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
