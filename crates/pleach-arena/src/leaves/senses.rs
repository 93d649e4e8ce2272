//! Leaves that see actors and warn others.

use pleach::{Action, Condition, Entity, Key, Observes, Status, leaf};
use serde::Deserialize;

use super::movement::show;
use super::params::Positive;
use super::{alarm, me};
use crate::geometry::Point;
use crate::host::{Animation, Arena, Cx};
use crate::world::Kinds;

/// Whether the agent sees an enemy that is a player, for trees without a blackboard. It is
/// evaluated in every tick. A `Check` of the key `sees_player` is evaluated only when the key
/// changes.
#[derive(Debug, Deserialize)]
pub(super) struct SeesPlayer {}

#[leaf]
impl Condition<Arena> for SeesPlayer {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let (Some(actor), Some(sight)) = (me(cx), cx.host.cast.sight(cx.agent())) else { return Status::Failure };
        cx.host.world.nearest_visible(actor, &sight, Kinds::PLAYER).is_some().into()
    }
}

/// Whether a key names an actor.
#[derive(Debug, Deserialize)]
pub(super) struct FoundTarget {
    target: Key<Entity>,
}

#[leaf]
impl Condition<Arena> for FoundTarget {
    type State = ();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) != Entity(0)).into()
    }
}

/// Whether a key names no actor.
#[derive(Debug, Deserialize)]
pub(super) struct LostTarget {
    target: Key<Entity>,
}

#[leaf]
impl Condition<Arena> for LostTarget {
    type State = ();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) == Entity(0)).into()
    }
}

/// Calls the agent's team within a radius to the place that a key holds. Each agent of the team
/// there gets an event `alarm` with the place, in its next tick. Always succeeds.
#[derive(Debug, Deserialize)]
pub(super) struct WarnNeighbours {
    place: Key<Point>,
    radius: Positive,
}

#[leaf]
impl Action<Arena> for WarnNeighbours {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let event = alarm(cx.get(self.place));
        show(cx, Animation::Alert);
        // The buffer is taken out, because sending borrows the whole context.
        let mut near = std::mem::take(&mut cx.host.cast.near);
        near.clear();
        cx.host.world.allies(actor, self.radius.0, |ally| near.push(ally));
        for &ally in &near {
            if let Some(agent) = cx.host.cast.agent_of(ally) {
                cx.host.journal.events += 1;
                cx.send(agent, event);
            }
        }
        cx.host.cast.near = near;
        Status::Success
    }
}
