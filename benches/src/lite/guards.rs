//! Guards.

use std::fmt;

use behavior_tree_lite::{BehaviorNodeContainer, Context, Registry};

use super::{leaf, node, tick};
use crate::crowd::{Crowd, Totals};
use crate::guard::{Body, Guards, event};
use crate::recall::{Leaf, Recall};

/// A crowd with a tree per agent.
pub struct LiteGuards {
    scene: Guards,
    agents: Vec<(BehaviorNodeContainer, Recall)>,
    context: Context,
}

impl Crowd for LiteGuards {
    type Scene = Guards;
    const NAME: &'static str = super::NAME;

    fn new(agents: u32, scene: Guards) -> Self {
        let registry = Registry::default();
        let agents = (0..agents).map(|id| (tree(&registry), Recall::new(Body::new(id, scene)))).collect();
        Self { scene, agents, context: Context::default() }
    }

    fn frame(&mut self, frame: u32) {
        for (id, (root, guard)) in (0..).zip(&mut self.agents) {
            if self.scene == Guards::Churn
                && let Some(event) = event(id, frame)
            {
                event.happen_to(&mut guard.body);
            }
            tick(root, &mut self.context, |leaf| guard.run(leaf));
        }
    }

    fn totals(&self) -> Totals {
        self.agents.iter().map(|(_, guard)| guard.body.counts).sum()
    }
}

impl fmt::Debug for LiteGuards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiteGuards").field("scene", &self.scene).finish_non_exhaustive()
    }
}

fn tree(registry: &Registry) -> BehaviorNodeContainer {
    let sequence = |children: Vec<_>| node(registry, "ReactiveSequence", children);
    let fallback = |children: Vec<_>| node(registry, "ReactiveFallback", children);
    let approach = sequence(vec![leaf(Leaf::IsFar), leaf(Leaf::Approach)]);
    fallback(vec![
        sequence(vec![leaf(Leaf::IsLow), leaf(Leaf::Flee)]),
        sequence(vec![leaf(Leaf::Sees), fallback(vec![approach, leaf(Leaf::Attack)])]),
        sequence(vec![leaf(Leaf::Hears), leaf(Leaf::MoveToNoise), leaf(Leaf::Wait)]),
        leaf(Leaf::Patrol),
    ])
}
