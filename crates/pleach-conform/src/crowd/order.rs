//! In a forest with batches the order of callbacks does not depend on which agents are traced
//! (SEMANTICS 8.6, 8.11). The agents here share keys, and panic. The oracle does not cover their
//! order, so two forests are compared.

use std::sync::Arc;

use pleach_core::{
    AgentId, Forest, Spawn, TickReport,
    trace::{NoTracer, Recorder, Tracer},
};

use super::play::Prepared;
use super::{Bomb, Crowd, GROUPS, GroupNumber, MOST, MemberNumber, MemberPlan};
use crate::oracle::Completion;
use crate::runner::stage::{Heard, Slot, Stage, StageCx};
use crate::runner::{self, How, Stand};
use crate::scenario::Call;

/// Everything the host hears of a crowd.
#[derive(Debug, PartialEq)]
pub struct Played {
    agents: Vec<AgentId>,
    /// The agent of each callback, in order.
    pub order: Vec<Slot>,
    /// Each agent's callbacks.
    heard: Vec<Vec<Heard>>,
    /// What frames report. A panic reports nothing.
    pub reports: Vec<Option<TickReport>>,
}

/// As many agents as fit into a batch, in groups that share keys. Some of them panic.
#[must_use]
pub fn entangled(crowd: &Crowd) -> Crowd {
    let plan = |number: usize| {
        let plan = &crowd.plans[number % crowd.plans.len()];
        let seed = plan.seed.wrapping_add(number as u64);
        MemberPlan { seed, group: Some(GroupNumber(number % GROUPS)), ..plan.clone() }
    };
    let mut plans: Vec<_> = (0..crowd.plans.len().max(MOST)).map(plan).collect();
    plans.sort_by_key(|it| it.comes);
    // In every fourth frame, in every other crowd.
    let (frames, lot) = (crowd.frames.len(), plans[0].seed);
    let frames = (1..).zip(0..frames).filter(|it: &(u32, _)| lot.is_multiple_of(2) && it.0.is_multiple_of(4));
    let bomb = |(frame, _)| Bomb { frame, member: MemberNumber((lot % 31) as usize + frame as usize % 7) };
    let bombs = frames.map(bomb).collect();
    Crowd { plans, bombs, ..crowd.clone() }
}

impl Prepared<'_> {
    /// Compares what the host hears of a crowd like this one, with all agents traced, with one, and
    /// without a tracer.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check_order(&self, crowd: &Crowd) -> Result<(), String> {
        let crowd = entangled(crowd);
        let plain = self.hear_untraced(&crowd);
        let one = plain.agents.get(plain.order.len() % MOST).copied().unwrap_or(plain.agents[0]);
        for recorder in [Recorder::all(), Recorder::of([one])] {
            let traced = self.hear(&crowd, &mut recorder.clone());
            if plain != traced {
                let at = plain.order.iter().zip(&traced.order).position(|it| it.0 != it.1);
                return Err(format!(
                    "with {recorder:?} the order differs, first at {at:?}\n--- {plain:?}\n+++ {traced:?}\n{crowd:?}"
                ));
            }
        }
        Ok(())
    }

    /// Plays a crowd in a forest without a tracer.
    #[must_use]
    pub fn hear_untraced(&self, crowd: &Crowd) -> Played {
        self.hear(crowd, &mut NoTracer)
    }

    /// The same, with this tracer.
    fn hear<T: Tracer + Send + Sync>(&self, crowd: &Crowd, tracer: &mut T) -> Played {
        let mut forest = Forest::<Stage>::new(0);
        let mut forest = forest.traced(tracer);
        forest.configure(|it| crowd.configure(it));
        let mut version = 0;
        let mut tree = self.tree(crowd.bare, version);
        let mut cx = StageCx::new(Arc::clone(&self.names), None);
        cx.order = Some(Vec::new());
        let mut stand = Stand::new(&mut forest, self.scenario, tree);
        let groups = [(); GROUPS].map(|()| forest.new_group());
        let completion = match crowd.completion {
            Completion::Stop => pleach_core::Completion::Stop,
            Completion::Restart => pleach_core::Completion::Restart,
        };
        let (mut agents, mut reports) = (Vec::<AgentId>::new(), Vec::new());
        for (frame, &seconds) in (1..).zip(&crowd.frames) {
            for (&agent, _) in agents.iter().zip(&crowd.plans).filter(|it| it.1.goes == Some(frame)) {
                forest.agent_mut(agent).expect("it goes once").despawn(&mut cx);
            }
            while let Some(plan) = crowd.plans.get(agents.len()).filter(|it| it.comes == frame) {
                let group = plan.group.map(|it| groups[it.0]);
                let spawn = Spawn { completion, seed: Some(plan.seed), group, ..Spawn::default() };
                let agent = forest.spawn_with(&mut cx, stand.tree, spawn).expect("a crowd is small");
                cx.seat(agent);
                forest.agent_mut(agent).expect("it is here").set_rate(runner::rate(plan.rate));
                agents.push(agent);
                if agents.len() == 1 {
                    stand.spawn_panicker(&mut forest, &mut cx);
                }
            }
            for op in self.scenario.ops.iter().filter(|it| it.before == frame) {
                if op.call.version().is_some() {
                    let keeps = !matches!(op.call, Call::Replace { keeps: false, .. });
                    version += 1;
                    tree = self.tree(crowd.bare, version);
                    runner::replace(&mut forest, &mut cx, stand.tree, tree, keeps);
                }
            }
            for ((number, &agent), plan) in agents.iter().enumerate().zip(&crowd.plans) {
                if !forest.contains(agent) {
                    continue;
                }
                if crowd.bombs.iter().any(|it| it.member.0 == number && it.frame + 2 == frame) {
                    runner::call(&mut forest, &mut cx, tree, agent, &Call::Enable);
                }
                let before = (frame + 1 - plan.comes).checked_sub(plan.late);
                for op in self.scenario.ops.iter().filter(|it| Some(it.before) == before) {
                    runner::call(&mut forest, &mut cx, tree, agent, &op.call);
                }
            }
            let mut how = How::default();
            self.scenario.ops.iter().filter(|it| it.before == frame).for_each(|it| how.say(&it.call));
            let bomb = crowd.bombs.iter().find(|it| it.frame == frame);
            cx.frame = frame;
            cx.bomb = bomb.and_then(|it| agents.get(it.member.0)).map(|&it| Slot::of(it));
            reports.push(stand.tick(&mut forest, &mut cx, f32::from(seconds), how));
        }
        let heard = agents.iter().map(|&it| std::mem::take(&mut cx.seat_of(Slot::of(it)).heard)).collect();
        Played { agents, order: cx.order.take().unwrap_or_default(), heard, reports }
    }
}
