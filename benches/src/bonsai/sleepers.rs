//! Sleepers with the library's own `Wait`. Every agent is ticked in every frame: there is nothing
//! that skips it.

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, Float, Running, Sequence, Success, Wait, WaitForever, While};

use super::{RACE, a_frame};
use crate::crowd::{Crowd, Totals};
use crate::sleep::{self, Sleep};

/// A crowd with a tree per agent.
#[derive(Debug)]
pub struct BonsaiSleepers(Vec<BT<Leaf, Sleeper>>);

impl Crowd for BonsaiSleepers {
    type Scene = Sleep;
    const NAME: &'static str = RACE;

    fn new(agents: u32, scene: Sleep) -> Self {
        let tree = tree(scene);
        let sleeper = |id| Sleeper { phase: scene.phase(id), woken: 0 };
        Self((0..agents).map(|id| BT::new(tree.clone(), sleeper(id))).collect())
    }

    fn frame(&mut self, _: u32) {
        let tick = a_frame();
        for tree in &mut self.0 {
            tree.tick(&tick, &mut |leaf: ActionArgs<Event, Leaf>, sleeper: &mut Sleeper| match leaf.action {
                // The frame in which a wait begins is not part of it.
                Leaf::Stagger if sleeper.phase == 0 => (Success, 0.0),
                Leaf::Stagger => {
                    sleeper.phase -= 1;
                    (Running, 0.0)
                }
                Leaf::Count => {
                    sleeper.woken += 1;
                    (Success, leaf.dt)
                }
            });
        }
    }

    fn totals(&self) -> Totals {
        sleep::totals(self.0.iter().map(|tree| tree.blackboard().woken))
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

/// What an agent knows.
#[derive(Debug)]
struct Sleeper {
    phase: u32,
    woken: u32,
}

fn tree(scene: Sleep) -> Behavior<Leaf> {
    let [first, second] = scene.waits().map(|frames| Wait(Float::from(frames)));
    let naps = vec![first, Action(Leaf::Count), second, Action(Leaf::Count)];
    Sequence(vec![Action(Leaf::Stagger), While(Box::new(WaitForever), naps)])
}
