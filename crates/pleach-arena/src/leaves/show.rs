//! Leaves that show animations.

use pleach::{Action, Status, leaf};
use serde::Deserialize;

use super::movement::show;
use crate::host::{Animation, Arena, Cx};

/// Shows an animation, and succeeds at once.
#[derive(Debug, Deserialize)]
pub(super) struct Play {
    animation: Animation,
}

#[leaf]
impl Action<Arena> for Play {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        show(cx, self.animation);
        Status::Success
    }
}
