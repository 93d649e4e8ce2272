//! Seeing somebody, and telling others.

use pleach::{Action, Callbacks, Condition, Entity, Key, Observes, Status};
use serde::Deserialize;

use super::movement::show;
use super::params::Positive;
use super::{alarm, me};
use crate::geometry::Point;
use crate::host::{Animation, Arena, Cx};
use crate::world::Kinds;

/// Whether the agent sees an enemy who is a player, asked of the world itself: for trees without a
/// blackboard. One that declares the key `sees_player` is asked again only when that changes.
#[derive(Debug, Deserialize)]
pub(super) struct SeesPlayer {}

impl Condition<Arena> for SeesPlayer {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let (Some(actor), Some(sight)) = (me(cx), cx.host.cast.sight(cx.agent())) else { return Status::Failure };
        cx.host.world.nearest_visible(actor, &sight, Kinds::PLAYER).is_some().into()
    }
}

/// Whether a key names somebody.
#[derive(Debug, Deserialize)]
pub(super) struct FoundTarget {
    target: Key<Entity>,
}

impl Condition<Arena> for FoundTarget {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) != Entity(0)).into()
    }
}

/// Whether a key names nobody.
#[derive(Debug, Deserialize)]
pub(super) struct LostTarget {
    target: Key<Entity>,
}

impl Condition<Arena> for LostTarget {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();

    fn observes(&self) -> Observes {
        Observes::Keys(vec![self.target.index()])
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        (cx.get(self.target) == Entity(0)).into()
    }
}

/// Calls all of the own team within a radius to the place that a key holds: each agent among them
/// gets an event `alarm` with it, in its next tick. Succeeds whoever hears it.
#[derive(Debug, Deserialize)]
pub(super) struct WarnNeighbours {
    place: Key<Point>,
    radius: Positive,
}

impl Action<Arena> for WarnNeighbours {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let event = alarm(cx.get(self.place));
        show(cx, Animation::Alert);
        // Taken out meanwhile, because sending borrows the whole context.
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
