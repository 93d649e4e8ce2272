//! pleach itself, as a game would use it: conditions over the blackboard, what each agent has done in a map of the host,
//! keyed by agent.

mod guards;
mod load;
mod mixed;
mod reload;
mod sleepers;
mod spawn;
mod threads;
mod walkers;

pub use ::pleach::Footprint;
pub use guards::{GuardForest, PleachGuards, PleachPolledGuards};
pub use load::{Load, source};
pub use mixed::Mixed;
pub use reload::Reload;
pub use sleepers::PleachSleepers;
pub use spawn::{Despawn, Spawn, guard_footprint};
pub use threads::ThreadGuards;
pub use walkers::{PleachPolledWalkers, PleachWalkers, WalkForest};

/// The time of a frame, in seconds.
const DT: f32 = 1.0 / 60.0;

/// How watched conditions are evaluated.
pub trait Reevaluation: 'static {
    /// The name under which results are reported.
    const NAME: &'static str;
    /// Whether in every tick.
    const EVERY_TICK: bool;
}

/// On change.
#[derive(Debug)]
pub struct Observed;
/// In every tick.
#[derive(Debug)]
pub struct Polled;

impl Reevaluation for Observed {
    const NAME: &'static str = "pleach";
    const EVERY_TICK: bool = false;
}

impl Reevaluation for Polled {
    const NAME: &'static str = "pleach-polled";
    const EVERY_TICK: bool = true;
}
