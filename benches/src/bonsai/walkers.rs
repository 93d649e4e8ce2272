//! Walkers, with and without memory. Nothing in the walk is aborted, so nothing races in it.

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, Invert, Select, Sequence, Success};

use super::{RACE, REACTIVE, a_frame, restart};
use crate::crowd::{Crowd, Totals};
use crate::walk::{self, LENGTH, Walk};

macro_rules! walkers {
    ($(#[$doc:meta])* $name:ident, $reported:expr, $memory:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name(Vec<BT<Step, u32>>);

        impl Crowd for $name {
            type Scene = Walk;
            const NAME: &'static str = $reported;

            fn new(agents: u32, _: Walk) -> Self {
                let tree = tree($memory);
                Self((0..agents).map(|_| BT::new(tree.clone(), 0)).collect())
            }

            fn frame(&mut self, _: u32) {
                let tick = a_frame();
                for tree in &mut self.0 {
                    tree.tick(&tick, &mut |step: ActionArgs<Event, Step>, walked: &mut u32| {
                        match step.action {
                            Step::Even | Step::Odd => *walked = walked.wrapping_add(1),
                        }
                        (Success, step.dt)
                    });
                    restart(tree);
                }
            }

            fn totals(&self) -> Totals {
                walk::totals(self.0.iter().map(|tree| *tree.blackboard()))
            }
        }
    };
}

walkers! {
    /// A crowd with a tree per agent, whose composites remember where they are.
    BonsaiRaceWalkers, RACE, true
}
walkers! {
    /// A crowd with a tree per agent, whose composites begin with their first child in every tick.
    BonsaiReactiveWalkers, REACTIVE, false
}

/// The two actions.
#[derive(Clone, Copy, Debug)]
enum Step {
    Even,
    Odd,
}

fn tree(memory: bool) -> Behavior<Step> {
    let select = |children| Select(children).memory(memory);
    let invert = |child| Invert(Box::new(child));
    let sequence = Sequence((0..LENGTH).map(|at| Action(if at % 2 == 0 { Step::Even } else { Step::Odd })).collect())
        .memory(memory);
    select(vec![invert(invert(select(vec![invert(sequence), invert(invert(Action(Step::Even)))])))])
}
