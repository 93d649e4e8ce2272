//! Leaves that see actors.

use pleach::{Condition, Entity, Key, Observes, Status, leaf};
use serde::Deserialize;

use super::me;
use crate::host::{Arena, Cx};
use crate::world::Kinds;

#[derive(Debug, Deserialize)]
pub(super) struct SeesPlayer {}

/// Whether the agent sees an enemy that is a player, for trees without a blackboard. It is
/// evaluated in every tick. A `Check` of the key `sees_player` is evaluated only when the key
/// changes.
#[leaf]
impl Condition<Arena> for SeesPlayer {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let (Some(actor), Some(sight)) = (me(cx), cx.host.cast.sight(cx.agent())) else { return Status::Failure };
        let sight = sight.in_light_of(cx.host.world.daytime());
        cx.host.world.nearest_visible(actor, &sight, Kinds::PLAYER).is_some().into()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct FoundTarget {
    target: Key<Entity>,
}

/// Whether a key names an actor.
#[leaf]
impl Condition<Arena> for FoundTarget {
    type State = ();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) != Entity::NONE).into()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct LostTarget {
    target: Key<Entity>,
}

/// Whether a key names no actor.
#[leaf]
impl Condition<Arena> for LostTarget {
    type State = ();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) == Entity::NONE).into()
    }
}
