//! The host of trees that are played without their game.

use pleach::Host;

/// The host of trees without their game. Leaves have fixed answers, and so see nothing; a replay
/// calls none.
///
/// It is a concrete host, not a generic one: the interpreter is compiled in the crate that names
/// its host, with the optimisation of that crate.
#[derive(Debug)]
pub struct Stage;

impl Host for Stage {
    type Cx<'a> = ();
}
