//! A simple tree: a box per node, a tree per agent, and aborts by evaluating every branch left of
//! the running one in every tick.

mod guards;
mod nodes;
mod sleepers;
mod walkers;

use std::fmt;

pub use guards::NaiveGuards;
use nodes::Node;
pub use sleepers::NaiveSleepers;
pub use walkers::NaiveWalkers;

/// The name under which results are reported.
const NAME: &str = "naive";

struct Agent<B> {
    body: B,
    root: Box<dyn Node<B>>,
}

impl<B> Agent<B> {
    fn tick(&mut self) {
        self.root.tick(&mut self.body);
    }
}

impl<B: fmt::Debug> fmt::Debug for Agent<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("body", &self.body).finish_non_exhaustive()
    }
}
