//! Walkers.

use std::fmt;

use behavior_tree_lite::{BehaviorNodeContainer, Context, Registry};

use super::{leaf, node, tick};
use crate::crowd::{Crowd, Totals};
use crate::recall::Answer;
use crate::walk::{self, LENGTH, Walk};

/// A crowd with a tree and a counter per agent.
pub struct LiteWalkers {
    agents: Vec<(BehaviorNodeContainer, u32)>,
    context: Context,
}

impl Crowd for LiteWalkers {
    type Scene = Walk;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, _: Walk) -> Self {
        let registry = Registry::default();
        Self { agents: (0..agents).map(|_| (tree(&registry), 0)).collect(), context: Context::default() }
    }

    fn frame(&mut self, _: u32) {
        for (root, walked) in &mut self.agents {
            tick(root, &mut self.context, |step| {
                match step {
                    Step::Even | Step::Odd => *walked = walked.wrapping_add(1),
                }
                Answer::Success
            });
        }
    }

    fn totals(&self) -> Totals {
        walk::totals(self.agents.iter().map(|(_, walked)| *walked))
    }
}

impl fmt::Debug for LiteWalkers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiteWalkers").finish_non_exhaustive()
    }
}

/// The two actions.
#[derive(Clone, Copy)]
enum Step {
    Even,
    Odd,
}

fn tree(registry: &Registry) -> BehaviorNodeContainer {
    let fallback = |children: Vec<_>| node(registry, "Fallback", children);
    let invert = |child| node(registry, "Inverter", [child]);
    let sequence =
        node(registry, "Sequence", (0..LENGTH).map(|at| leaf(if at % 2 == 0 { Step::Even } else { Step::Odd })));
    fallback(vec![invert(invert(fallback(vec![invert(sequence), invert(invert(leaf(Step::Even)))])))])
}
