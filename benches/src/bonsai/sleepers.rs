//! Sleepers with the library's own `Wait`. Every agent is ticked in every frame, as nothing skips
//! it.

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, Float, Running, Sequence, Success, Wait, WaitForever, While};

use super::{RACE, a_frame};
use crate::crowd::{Crowd, Totals};
use crate::sleep::Sleep;

/// A crowd with a tree per agent.
#[derive(Debug)]
pub struct BonsaiSleepers {
    /// On the blackboard: how many frames the agent still runs Stagger.
    trees: Vec<BT<Leaf, u32>>,
    /// How often any agent has woken.
    woken: u64,
}

impl Crowd for BonsaiSleepers {
    type Scene = Sleep;
    const NAME: &'static str = RACE;

    fn new(agents: u32, scene: Sleep) -> Self {
        let tree = tree(scene);
        Self { trees: (0..agents).map(|id| BT::new(tree.clone(), scene.phase(id))).collect(), woken: 0 }
    }

    fn frame(&mut self, _: u32) {
        let tick = a_frame();
        let woken = &mut self.woken;
        for tree in &mut self.trees {
            tree.tick(&tick, &mut |leaf: ActionArgs<Event, Leaf>, phase: &mut u32| match leaf.action {
                // The frame in which a wait begins is not part of it.
                Leaf::Stagger if *phase == 0 => (Success, 0.0),
                Leaf::Stagger => {
                    *phase -= 1;
                    (Running, 0.0)
                }
                Leaf::Count => {
                    *woken += 1;
                    (Success, leaf.dt)
                }
            });
        }
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.woken, ..Totals::default() }
    }
}

/// The two actions.
#[derive(Clone, Copy, Debug)]
enum Leaf {
    /// Runs for the agent's phase.
    Stagger,
    /// Counts that the agent woke.
    Count,
}

fn tree(scene: Sleep) -> Behavior<Leaf> {
    let [first, second] = scene.waits().map(|frames| Wait(Float::from(frames)));
    let naps = vec![first, Action(Leaf::Count), second, Action(Leaf::Count)];
    Sequence(vec![Action(Leaf::Stagger), While(Box::new(WaitForever), naps)])
}
