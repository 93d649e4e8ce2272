//! The squads: agents that count in four keys of their group, like a squad that shares what it has
//! seen.

use crate::crowd::{CHECK_AGENTS, Scene, Totals};
pub use crate::workload::Squads;
use crate::workload::Workload;

/// How many keys a squad shares.
pub const KEYS: u32 = 4;

impl Squads {
    /// How many agents a squad has.
    #[must_use]
    pub fn size(self) -> u32 {
        match self {
            Squads::Alone => 1,
            Squads::OfEight => 8,
        }
    }
}

impl Scene for Squads {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Squads(scene) => Some(scene),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        20
    }

    fn expected(self) -> Totals {
        let ticks = u64::from(CHECK_AGENTS) * u64::from(self.check_frames());
        Totals { counted: ticks * u64::from(KEYS), ..Totals::default() }
    }
}
