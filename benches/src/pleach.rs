//! pleach, as a game would use it: with conditions over the blackboard. What agents have done is in
//! the game's own data: of guards and walkers in a map by agent, of sleepers in one figure. Guards
//! on threads keep it on their blackboards.

mod guards;
mod load;
mod mixed;
mod reload;
mod sleepers;
mod spawn;
mod squads;
mod threads;
mod walkers;

pub use ::pleach::Footprint;
pub use guards::{GuardForest, PleachGuards, PleachInOrderGuards, PleachPolledGuards};
pub use load::{Load, PlainJson, PlainLoad, PlainRon, source};
pub use mixed::Mixed;
pub use reload::Reload;
pub use sleepers::PleachSleepers;
pub use spawn::{Despawn, Spawn, guard_footprint};
pub use squads::ThreadSquads;
pub use threads::ThreadGuards;
pub use walkers::{PleachInOrderWalkers, PleachPolledWalkers, PleachWalkers, WalkForest};

/// The time of a frame, in seconds.
const DT: f32 = 1.0 / 60.0;

/// How a forest ticks its agents.
pub trait Way: 'static {
    /// The name under which results are reported.
    const NAME: &'static str;
    /// Whether watched conditions are evaluated in every tick, or on change.
    const EVERY_TICK: bool;
    /// Whether agents that stand on the same action are ticked together, or all in their order.
    const BATCHED: bool;
}

/// On change, and in batches.
#[derive(Debug)]
pub struct Observed;
/// In every tick, and in batches.
#[derive(Debug)]
pub struct Polled;
/// On change, and in the order of agents: a forest as it comes.
#[derive(Debug)]
pub struct InOrder;

impl Way for Observed {
    const NAME: &'static str = "pleach";
    const EVERY_TICK: bool = false;
    const BATCHED: bool = true;
}

impl Way for Polled {
    const NAME: &'static str = "pleach-polled";
    const EVERY_TICK: bool = true;
    const BATCHED: bool = true;
}

impl Way for InOrder {
    const NAME: &'static str = "pleach-in-order";
    const EVERY_TICK: bool = false;
    const BATCHED: bool = false;
}
