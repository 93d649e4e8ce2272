//! The sleepers, S4: agents that wait, wake, count that, and wait again.
//!
//! ```text
//! Sequence[Stagger, Forever[Sequence[Wait(first), count, Wait(second), count]]]
//! ```
//!
//! Stagger runs for the agent's phase, so that about as many agents wake in every frame, and
//! neighbours do not wake together. A wait that begins in frame f ends in frame f + its length, and
//! the next begins in that frame.
//!
//! All implementations use one count for all agents, in the game: looking up a count by agent, or
//! fetching one from each agent's memory, would be a large part of the measured time.

use crate::crowd::{CHECK_AGENTS, Scene, Totals};
use crate::guard::draw;
pub use crate::workload::Sleep;
use crate::workload::Workload;

impl Sleep {
    /// The lengths of the two alternating waits, in frames.
    #[must_use]
    pub fn waits(self) -> [u32; 2] {
        match self {
            Self::Napping => [59, 60],
            Self::Still => [1 << 31; 2],
        }
    }

    /// How many frames the agent `id` runs Stagger before it waits for the first time.
    #[must_use]
    pub fn phase(self, id: u32) -> u32 {
        match self {
            Self::Napping => draw(id, 0) % Self::ROUND,
            Self::Still => 0,
        }
    }
}

impl Scene for Sleep {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Sleep(sleep) => Some(sleep),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        1_000
    }

    fn expected(self) -> Totals {
        let [first, second] = self.waits().map(u64::from);
        let woken = |id: u32| {
            // Frames that have passed since the first wait began.
            let waited = u64::from((self.check_frames() - 1).saturating_sub(self.phase(id)));
            let (rounds, rest) = (waited / (first + second), waited % (first + second));
            2 * rounds + u64::from(rest >= first)
        };
        Totals { woken: (0..CHECK_AGENTS).map(woken).sum(), ..Totals::default() }
    }
}
