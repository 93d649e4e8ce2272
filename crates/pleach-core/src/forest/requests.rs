//! What leaves ask for during a tick, carried out at its end.

use crate::{AgentId, Event, Spawn, TreeId};

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Send(AgentId, Event),
    Disable(AgentId),
    Restart(AgentId),
    Despawn(AgentId),
    Spawn(TreeId, Spawn),
}
