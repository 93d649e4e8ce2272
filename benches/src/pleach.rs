//! pleach, as a game would use it: with conditions over the blackboard, or over data of the game
//! in workloads where changes are not announced. What agents have done is in the game's own data:
//! for guards and walkers in a list by entity, for brains beside each brain, for sleepers in one
//! count. Guards on threads keep all of it on their blackboards.

mod brains;
mod events;
mod guards;
mod kept;
mod load;
mod mixed;
mod quiet;
mod reload;
mod sensors;
mod sleepers;
mod spawn;
mod squads;
mod threads;
mod trees;
mod walkers;

use ::pleach::{Forest, Host};

pub use ::pleach::inspect::Footprint;
pub use brains::{BrainGuards, BrainSleepers, BrainSpawn, BrainWalkers};
pub use events::EventForest;
pub use guards::GuardForest;
pub use kept::{Copied, Saves, Snapshots, saved_bytes};
pub use load::{Baked, Load, PlainJson, PlainLoad, PlainRon, Text, source};
pub use mixed::Mixed;
pub use quiet::QuietForest;
pub use reload::Reload;
pub use sensors::SensorForest;
pub use sleepers::SleepForest;
pub use spawn::{Despawn, Spawn, guard_footprint};
pub use squads::ThreadSquads;
pub use threads::{DEFAULT_THREADS, OTHER_THREADS, ThreadGuards};
pub use trees::{ManyTrees, ONE_TREE, OneTree, TreesForest};
pub use walkers::WalkForest;

/// The time of a frame, in seconds.
const DT: f32 = 1.0 / 60.0;

/// A game with nothing beside its agents.
struct Agents;

impl Host for Agents {
    type Cx<'a> = ();
}

/// How a forest ticks its agents.
pub trait Way: 'static {
    /// The name under which results are reported.
    const NAME: &'static str;
    /// Whether watched conditions are evaluated in every tick, or on change.
    const EVERY_TICK: bool;
    /// Whether agents on the same action are ticked together, or all in order.
    const BATCHED: bool;
}

/// On change, and in batches.
#[derive(Debug)]
pub struct Batched;
/// On change, and in the order of agents.
#[derive(Debug)]
pub struct InOrder;
/// In every tick, and in batches.
#[derive(Debug)]
pub struct Polled;

/// How a forest ticks its agents by default.
pub type DefaultWay = Batched;
/// The other way.
pub type OtherWay = InOrder;

/// The name of workloads without a way: loading a tree, spawning and despawning agents.
pub const PLEACH: &str = "pleach";
/// The name of agents outside of forests.
pub const BRAIN: &str = "pleach-brain";

impl Way for Batched {
    const NAME: &'static str = "pleach-batched";
    const EVERY_TICK: bool = false;
    const BATCHED: bool = true;
}

impl Way for InOrder {
    const NAME: &'static str = "pleach-in-order";
    const EVERY_TICK: bool = false;
    const BATCHED: bool = false;
}

impl Way for Polled {
    const NAME: &'static str = "pleach-polled";
    const EVERY_TICK: bool = true;
    const BATCHED: bool = true;
}

/// A forest that ticks its agents in this way.
fn forest<R: Way, H: Host>() -> Forest<H> {
    let mut forest = Forest::new(7);
    forest.configure(|it| (it.reevaluate_every_tick, it.batched) = (R::EVERY_TICK, R::BATCHED));
    forest
}
