//! Leaves that show animations.

use pleach::{Action, Status, leaf};
use serde::Deserialize;

use super::movement::show;
use crate::host::{Animation, Arena, Cx};

#[derive(Debug, Deserialize)]
pub(super) struct Play {
    animation: Animation,
}

/// Shows an animation, and succeeds at once.
#[leaf]
impl Action<Arena> for Play {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        show(cx, self.animation);
        Status::Success
    }
}
