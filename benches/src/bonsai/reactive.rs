//! Guards whose tree begins with its first child in every tick.

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, Select, Sequence};

use super::{REACTIVE, a_frame, restart};
use crate::crowd::{Crowd, Totals};
use crate::guard::{Body, Guards, event};
use crate::recall::{Leaf, Recall};

/// A crowd with a tree per agent.
#[derive(Debug)]
pub struct BonsaiReactiveGuards {
    scene: Guards,
    agents: Vec<BT<Leaf, Recall>>,
}

impl Crowd for BonsaiReactiveGuards {
    type Scene = Guards;
    const NAME: &'static str = REACTIVE;

    fn new(agents: u32, scene: Guards) -> Self {
        let tree = tree();
        let agents = (0..agents).map(|id| BT::new(tree.clone(), Recall::new(Body::new(id, scene)))).collect();
        Self { scene, agents }
    }

    fn frame(&mut self, frame: u32) {
        let tick = a_frame();
        for (id, tree) in (0..).zip(&mut self.agents) {
            if self.scene == Guards::Churn
                && let Some(event) = event(id, frame)
            {
                event.happen_to(&mut tree.blackboard_mut().body);
            }
            tree.tick(&tick, &mut |leaf: ActionArgs<Event, Leaf>, guard: &mut Recall| {
                (guard.run(*leaf.action).into(), leaf.dt)
            });
            restart(tree);
        }
    }

    fn totals(&self) -> Totals {
        self.agents.iter().map(|tree| tree.blackboard().body.counts).sum()
    }
}

fn tree() -> Behavior<Leaf> {
    let sequence = |children| Sequence(children).memory(false);
    let select = |children| Select(children).memory(false);
    let approach = sequence(vec![Action(Leaf::IsFar), Action(Leaf::Approach)]);
    select(vec![
        sequence(vec![Action(Leaf::IsLow), Action(Leaf::Flee)]),
        sequence(vec![Action(Leaf::Sees), select(vec![approach, Action(Leaf::Attack)])]),
        sequence(vec![Action(Leaf::Hears), Action(Leaf::MoveToNoise), Action(Leaf::Wait)]),
        Action(Leaf::Patrol),
    ])
}
