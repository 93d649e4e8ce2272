//! Patrols along an actor's route.

use pleach::{Action, End, Status, leaf};
use serde::{Deserialize, Serialize};

use super::me;
use super::movement::{stand, walk};
use super::params::{Amount, Positive};
use crate::host::{Arena, Cx};
use crate::world::{PatrolMode, Progress};

#[derive(Debug, Deserialize)]
pub(super) struct Patrol {
    speed: Amount,
    #[serde(default)]
    pause: Positive,
    #[serde(default)]
    within: Positive,
    #[serde(default)]
    mode: PatrolMode,
}

/// While the agent stops at a waypoint, its own time at which the stop is over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stop(Option<f64>);

/// Walks the actor's route and stops for a while at each waypoint. Succeeds at the end of a patrol
/// `Once`. Fails without a route, and in mode `None`. A patrol that was aborted goes on to the same
/// waypoint. A waypoint that walls block is skipped.
#[leaf]
impl Action<Arena> for Patrol {
    type State = Stop;

    fn start(&self, stop: &mut Stop, _: &mut Cx<'_, '_>) {
        stop.0 = None;
    }

    fn update(&self, stop: &mut Stop, cx: &mut Cx<'_, '_>) -> Status {
        if self.mode == PatrolMode::None {
            return Status::Failure;
        }
        if let Some(until) = stop.0 {
            let left = until - cx.time();
            if left > 0.0 {
                #[expect(clippy::cast_possible_truncation, reason = "some seconds, and only a hint")]
                cx.sleep(left as f32);
                return Status::Running;
            }
            stop.0 = None;
            if !self.advance(cx) {
                return Status::Success;
            }
        }
        let Some(actor) = me(cx) else { return Status::Failure };
        let Some(to) = cx.host.world.waypoint(actor) else { return Status::Failure };
        let speed = self.speed.of(cx);
        match walk(cx, actor, to, self.within.0, speed) {
            Some(Progress::Moving) => Status::Running,
            Some(Progress::Arrived) => {
                stop.0 = Some(cx.time() + f64::from(self.pause.0));
                stand(cx);
                Status::Running
            }
            Some(Progress::Blocked) => {
                if self.advance(cx) {
                    Status::Running
                } else {
                    Status::Success
                }
            }
            None => Status::Failure,
        }
    }

    fn end(&self, _: &mut Stop, cx: &mut Cx<'_, '_>, _: End) {
        stand(cx);
    }
}

impl Patrol {
    /// On to the next waypoint, if there is one.
    fn advance(&self, cx: &mut Cx<'_, '_>) -> bool {
        me(cx).is_some_and(|actor| cx.host.world.advance_waypoint(actor, self.mode) == Ok(true))
    }
}
