//! Leaves that show animations.

use pleach::{Action, Callbacks, Status};
use serde::Deserialize;

use super::movement::show;
use crate::host::{Animation, Arena, Cx};

/// Shows an animation, and succeeds at once.
#[derive(Debug, Deserialize)]
pub(super) struct Play {
    animation: Animation,
}

impl Action<Arena> for Play {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        show(cx, self.animation);
        Status::Success
    }
}
