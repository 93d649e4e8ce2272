//! What leaves ask for during a tick, carried out at its end (SEMANTICS 8.8).

use crate::event::Event;
use crate::ids::{AgentId, GroupId, TreeId};

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Send(AgentId, Event),
    Disable(AgentId),
    Restart(AgentId),
    Despawn(AgentId),
    Spawn(TreeId, Spawn, Asker),
}

/// Who asked for an agent to be spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// Not an `awake`.
    Callback,
    /// The `awake` of an agent that came forth in this way.
    Awake(Origin),
}

/// A place among the origins that the forest keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(pub(crate) u32);

/// What an agent does when its root has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completion {
    /// Starts the root again in the next tick.
    #[default]
    Restart,
    /// Stays finished until it is enabled again.
    Stop,
}

/// How an agent is spawned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spawn {
    /// What it does when its root has ended.
    pub completion: Completion,
    /// Its group; without one it is a group of its own. Of no use to an agent whose tree has no
    /// group keys.
    pub group: Option<GroupId>,
    /// The state of its random stream; without one it is drawn from the forest's seed and the
    /// number of agents spawned before.
    pub seed: Option<u64>,
    /// Off at first: time to write its keys and to tell the game its id before [`Forest::enable`](crate::Forest::enable)
    /// calls an `awake`.
    pub off: bool,
}
