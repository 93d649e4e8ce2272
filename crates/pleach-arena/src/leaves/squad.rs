//! Leaves of squads and crowds: circle, search, flee, shout.

use pleach::{Action, End, Entity, Key, Status, leaf};
use serde::{Deserialize, Serialize};

use super::me;
use super::movement::{living, show, stand, unshow, walk};
use super::params::{Amount, Positive};
use crate::geometry::{Point, direction, distance, sub};
use crate::host::{Animation, Arena, Cx, ToEntity};
use crate::world::{Progress, Sound};

#[derive(Debug, Deserialize)]
pub(super) struct Circle {
    target: Key<Entity>,
    distance: Positive,
    speed: Amount,
}

/// Circles the actor that a key names, at a distance. Half of the agents circle the other way. It
/// keeps running, and fails when the actor is dead or gone.
#[leaf]
impl Action<Arena> for Circle {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let middle = living(cx, self.target).and_then(|it| cx.host.world.position(it));
        let (Some(actor), Some(middle)) = (me(cx), middle) else { return Status::Failure };
        let Some(at) = cx.host.world.position(actor) else { return Status::Failure };
        let out = direction(sub(at, middle)).unwrap_or([1.0, 0.0]);
        let side = if actor.to_entity().to_bits().is_multiple_of(2) { 1.0 } else { -1.0 };
        // Part of the way round, and back to the distance.
        let far = self.distance.0;
        let on = |axis: usize, across: f32| middle[axis] + out[axis] * far + across * side * far * 0.5;
        let to = [on(0, -out[1]), on(1, out[0])];
        let speed = self.speed.of(cx);
        // Where a wall is in the way, it waits for the other to move.
        let went = walk(cx, actor, to, 0.0, speed);
        let faced = cx.host.world.face(actor, middle);
        if went.is_none() || faced.is_err() { Status::Failure } else { Status::Running }
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct NextSpot {
    around: Key<Point>,
    within: Positive,
    into: Key<Point>,
}

/// Finds the nearest place around a point that no guard has searched lately, at most `within`
/// metres away, and writes it to a key. Fails when all of them were searched.
#[leaf]
impl Action<Arena> for NextSpot {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let around = cx.get(self.around);
        match cx.host.world.next_spot(around, self.within.0) {
            Some(spot) => {
                cx.set(self.into, spot);
                Status::Success
            }
            None => Status::Failure,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct FleeFrom {
    place: Key<Point>,
    distance: Positive,
    speed: Amount,
}

/// Runs away from the place that a key holds, until it is that far away. Fails when walls let it go
/// no further.
#[leaf]
impl Action<Arena> for FleeFrom {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let Some(at) = cx.host.world.position(actor) else { return Status::Failure };
        let from = cx.get(self.place);
        if distance(at, from) >= self.distance.0 {
            return Status::Success;
        }
        let away = direction(sub(at, from)).unwrap_or([0.0, 1.0]);
        // Far enough to go around a house in the way.
        let to = [at[0] + away[0] * 30.0, at[1] + away[1] * 30.0];
        let speed = self.speed.of(cx);
        match walk(cx, actor, to, 0.0, speed) {
            Some(Progress::Moving | Progress::Arrived) => Status::Running,
            Some(Progress::Blocked) | None => Status::Failure,
        }
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct LookAround {
    seconds: Positive,
}

/// The agent's own time at which it has looked around.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Until(f64);

/// Turns around in place for a number of seconds.
#[leaf]
impl Action<Arena> for LookAround {
    type State = Until;

    fn start(&self, until: &mut Until, cx: &mut Cx<'_, '_>) {
        until.0 = cx.time() + f64::from(self.seconds.0);
        show(cx, Animation::Alert);
    }

    fn update(&self, until: &mut Until, cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let (Some(at), Some([x, y])) = (cx.host.world.position(actor), cx.host.world.facing(actor)) else {
            return Status::Failure;
        };
        if cx.time() >= until.0 {
            return Status::Success;
        }
        // A small turn: no sine is needed.
        let turn = 1.6 * cx.dt();
        let turned = cx.host.world.face(actor, [at[0] + x - y * turn, at[1] + y + x * turn]);
        if turned.is_ok() { Status::Running } else { Status::Failure }
    }

    fn end(&self, _: &mut Until, cx: &mut Cx<'_, '_>, _: End) {
        unshow(cx, &[Animation::Alert]);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Shout {
    sound: Sound,
    carries: Positive,
}

/// Makes a sound that is heard up to `carries` metres away. Succeeds at once.
#[leaf]
impl Action<Arena> for Shout {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(actor) = me(cx) else { return Status::Failure };
        let Some(at) = cx.host.world.position(actor) else { return Status::Failure };
        cx.host.world.sound(self.sound, at, self.carries.0, Some(actor));
        Status::Success
    }
}
