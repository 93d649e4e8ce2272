//! The host of trees that are played without their game.

use pleach::Host;

/// The host of trees without their game. Leaves know what they answer, and so see nothing; in a
/// replay none is called.
///
/// It is one host, and not any: the interpreter is compiled in the crate that names its host, and
/// so with its optimisation.
#[derive(Debug)]
pub struct Stage;

impl Host for Stage {
    type Cx<'a> = ();
}
