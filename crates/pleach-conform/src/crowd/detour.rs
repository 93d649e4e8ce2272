//! Lives that leave no trace: a forest goes on at random, and then rolls back to a snapshot
//! (SEMANTICS 11.4).

use pleach_core::trace::{NoTracer, Tracer};
use pleach_core::{AgentId, Budget, Forest};

use super::play::Play;
use crate::dice::Dice;
use crate::runner;
use crate::runner::stage::Stage;
use crate::scenario::Call;

impl<T: Tracer + Send + Sync> Play<'_, '_, '_, T> {
    /// Lets the forest go on for some frames without the oracle, and then rolls it back.
    pub(super) fn detour(&mut self, frame: u32) {
        let before = self.forest.snapshot().expect("all states are cloned");
        let mut dice = Dice::new(self.with.scenario.seed ^ u64::from(frame) << 32);
        let mut cx = self.cx.aside();
        // The scribe's record is compared, so the scribe sees none of this.
        let (forest, mut nobody): (&mut Forest<Stage>, _) = (&mut self.forest, NoTracer);
        let mut forest = forest.traced(&mut nobody);
        let calls = self.with.scenario.ops.iter().map(|it| &it.call);
        let calls: Vec<&Call> =
            calls.filter(|it| !matches!(it, Call::Budget { .. } | Call::Panic) && it.version().is_none()).collect();
        let mut there: Vec<AgentId> = self.members.iter().filter(|it| it.there).map(|it| it.id).collect();
        for step in 1..=dice.between(1, 4) {
            cx.frame = frame + step;
            for _ in 0..dice.below(4).min(there.len()) {
                let at = dice.below(there.len());
                match dice.below(5) {
                    0 => forest.agent_mut(there.swap_remove(at)).expect("it is here").despawn(&mut cx),
                    1 => {
                        let new = forest.spawn(&mut cx, self.stand.tree).expect("a crowd is small");
                        cx.seat(new);
                        there.push(new);
                    }
                    2 => forest.agent_mut(there[at]).expect("it is here").restart(&mut cx),
                    _ if calls.is_empty() => forest.agent_mut(there[at]).expect("it is here").pause(&mut cx),
                    _ => {
                        let call = dice.pick(&calls);
                        runner::call(&mut forest, &mut cx, &self.covers[0].tree, there[at], call);
                    }
                }
                if there.is_empty() {
                    break;
                }
            }
            let seconds = f32::from(dice.pick(&[0_u8, 1, 1, 2, 7]));
            let ticked = match dice.below(3) {
                0 => forest.tick_within(&mut cx, seconds, Budget::Agents(dice.below(4) as u64)),
                _ => forest.tick(&mut cx, seconds),
            };
            ticked.expect("it is a time");
        }
        forest.rollback(&before).expect("the trees are the same");
    }
}
