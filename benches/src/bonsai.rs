//! bonsai-bt 0.14. A tree is cloned for every agent, and a subtree again whenever it starts.
//!
//! It has no conditional aborts, and two ways to get their effect:
//! - *race*: a branch that may be aborted races against a leaf that watches for the abort.
//!   Nothing is visited but the watcher and the running leaf.
//! - *reactive*: `memory(false)` makes composites begin with their first child in every tick; the
//!   leaves have to know what is running ([`Recall`](crate::recall::Recall)). Such a sequence
//!   cannot hold a wait of the library, which would begin again in every tick.

mod race;
mod reactive;
mod sleepers;
mod walkers;

use bonsai_bt::{BT, Event, Status, UpdateArgs};

use crate::recall::Answer;

pub use race::BonsaiRaceGuards;
pub use reactive::BonsaiReactiveGuards;
pub use sleepers::BonsaiSleepers;
pub use walkers::{BonsaiRaceWalkers, BonsaiReactiveWalkers};

/// The names under which results are reported.
const RACE: &str = "bonsai-race";
const REACTIVE: &str = "bonsai-reactive";

/// One frame is the unit of time, so that waits of whole frames are exact.
fn a_frame() -> Event {
    UpdateArgs { dt: 1.0 }.into()
}

/// Makes a tree that has ended ready for the next tick, as its documentation says.
fn restart<A: Clone, B>(tree: &mut BT<A, B>) {
    if tree.is_finished() {
        tree.reset_bt();
    }
}

impl From<Answer> for Status {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Running => Self::Running,
            Answer::Success => Self::Success,
            Answer::Failure => Self::Failure,
        }
    }
}
