//! Leaves about carrots.

use pleach::{Action, Condition, End, Entity, Key, Status, leaf};
use serde::Deserialize;

use super::me;
use super::movement::{show, stand, walk};
use super::params::{Amount, Positive};
use crate::error::EatError;
use crate::host::{Animation, Arena, Cx, ToEntity};
use crate::id::CarrotId;
use crate::world::Progress;

fn two_metres() -> Positive {
    Positive(2.0)
}

/// How near to a carrot the agent goes before it eats, in metres. The world allows a little more.
const BITE: f32 = 0.3;

#[derive(Debug, Deserialize)]
pub(super) struct SeesCarrot {
    #[serde(default = "two_metres")]
    range: Positive,
    into: Key<Entity>,
}

/// Whether there is a carrot within range. A key gets the nearest one.
#[leaf]
impl Condition<Arena> for SeesCarrot {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let Some(at) = me(cx).and_then(|actor| cx.host.world.position(actor)) else { return Status::Failure };
        match cx.host.world.nearest_carrot(at, self.range.0) {
            Some(carrot) => {
                cx.set(self.into, carrot.to_entity());
                Status::Success
            }
            // The key keeps the last carrot. `EatCarrot` fails if it is gone.
            None => Status::Failure,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct EatCarrot {
    carrot: Key<Entity>,
    speed: Amount,
}

/// Goes to the carrot that a key names and eats it. Fails when the carrot is gone, or walls block
/// the agent.
#[leaf]
impl Action<Arena> for EatCarrot {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let (Some(actor), Some(carrot)) = (me(cx), CarrotId::from_entity(cx.get(self.carrot))) else {
            return Status::Failure;
        };
        let Some(to) = cx.host.world.carrot_position(carrot) else { return Status::Failure };
        let speed = self.speed.of(cx);
        match walk(cx, actor, to, BITE, speed) {
            Some(Progress::Moving) => Status::Running,
            Some(Progress::Arrived) => match cx.host.world.eat(actor, carrot) {
                Ok(()) => {
                    show(cx, Animation::Eat);
                    Status::Success
                }
                Err(EatError::Gone(_) | EatError::TooFar { .. } | EatError::Dead(_) | EatError::Stale(_)) => {
                    Status::Failure
                }
            },
            Some(Progress::Blocked) | None => Status::Failure,
        }
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}
