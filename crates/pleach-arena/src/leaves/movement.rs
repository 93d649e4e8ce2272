//! Leaves that move the actor: to a place, home, or to another actor.

use pleach::{Action, End, Entity, Key, Status, leaf};
use serde::Deserialize;

use super::me;
use super::params::{Amount, Positive};
use crate::geometry::Point;
use crate::host::{Animation, Arena, Cx, ToEntity};
use crate::id::ActorId;
use crate::world::Progress;

/// From this speed on an actor runs instead of walking, in metres per second.
const RUN: f32 = 3.0;

/// Walks an agent's actor for one tick. `None` if the actor is gone.
pub(super) fn walk(cx: &mut Cx<'_, '_>, actor: ActorId, to: Point, within: f32, speed: f32) -> Option<Progress> {
    let dt = cx.dt();
    let progress = cx.host.world.move_towards(actor, to, within, speed, dt).ok()?;
    if progress == Progress::Moving {
        show(cx, if speed >= RUN { Animation::Run } else { Animation::Walk });
    }
    Some(progress)
}

fn status(progress: Option<Progress>) -> Status {
    match progress {
        Some(Progress::Arrived) => Status::Success,
        Some(Progress::Moving) => Status::Running,
        Some(Progress::Blocked) | None => Status::Failure,
    }
}

pub(super) fn show(cx: &mut Cx<'_, '_>, animation: Animation) {
    let agent = cx.agent();
    if let Some(part) = cx.host.cast.part_mut(agent) {
        part.animation = animation;
    }
}

/// Ends an animation, unless the next behaviour already shows another one: a reactive composite
/// starts the next child before it ends the last one.
pub(super) fn unshow(cx: &mut Cx<'_, '_>, over: &[Animation]) {
    let agent = cx.agent();
    if let Some(part) = cx.host.cast.part_mut(agent)
        && over.contains(&part.animation)
    {
        part.animation = Animation::Idle;
    }
}

/// Ends the animations of walking and running.
pub(super) fn stand(cx: &mut Cx<'_, '_>) {
    unshow(cx, &[Animation::Walk, Animation::Run]);
}

#[derive(Debug, Deserialize)]
pub(super) struct MoveTo {
    target: Key<Point>,
    speed: Amount,
    #[serde(default)]
    within: Positive,
}

/// Goes to the place that a key holds, also when the key changes on the way. Fails when walls block
/// it.
#[leaf]
impl Action<Arena> for MoveTo {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let (to, speed) = (cx.get(self.target), self.speed.of(cx));
        status(walk(cx, actor, to, self.within.0, speed))
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Flee {
    speed: Amount,
    #[serde(default)]
    within: Positive,
}

/// Runs home, where actors heal.
#[leaf]
impl Action<Arena> for Flee {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let Some(home) = cx.host.world.home(actor) else { return Status::Failure };
        let speed = self.speed.of(cx);
        status(walk(cx, actor, home, self.within.0, speed))
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

/// The actor that a key names, if it lives.
pub(super) fn living(cx: &Cx<'_, '_>, key: Key<Entity>) -> Option<ActorId> {
    ActorId::from_entity(cx.get(key)).filter(|actor| cx.host.world.is_alive(*actor))
}

fn approach(cx: &mut Cx<'_, '_>, target: Key<Entity>, speed: &Amount, within: Positive) -> Status {
    let target = living(cx, target).and_then(|target| cx.host.world.position(target));
    let (Some(actor), Some(to)) = (me(cx), target) else { return Status::Failure };
    let speed = speed.of(cx);
    status(walk(cx, actor, to, within.0, speed))
}

#[derive(Debug, Deserialize)]
pub(super) struct Approach {
    target: Key<Entity>,
    speed: Amount,
    within: Positive,
}

/// Goes to the actor that a key names until it is within that distance. Fails when there is no such
/// actor, or walls block it.
#[leaf]
impl Action<Arena> for Approach {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        approach(cx, self.target, &self.speed, self.within)
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Pursuit {
    target: Key<Entity>,
    speed: Amount,
    within: Positive,
}

/// As `Approach`, and while it runs the agent sees its prey through walls.
#[leaf]
impl Action<Arena> for Pursuit {
    type State = ();

    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        pierce(cx, true);
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        approach(cx, self.target, &self.speed, self.within)
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        pierce(cx, false);
        stand(cx);
    }
}

/// Called when a behaviour that sees through walls starts or ends.
pub(super) fn pierce(cx: &mut Cx<'_, '_>, on: bool) {
    let agent = cx.agent();
    if let Some(part) = cx.host.cast.part_mut(agent) {
        part.piercing = if on { part.piercing.saturating_add(1) } else { part.piercing.saturating_sub(1) };
    }
}
