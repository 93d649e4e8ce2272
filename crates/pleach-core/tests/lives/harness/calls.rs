//! Calls from outside while a forest lives.

use std::sync::Arc;

use pleach_core::{
    AgentId, Brain, Completion, Event, Forest, Rate, Spawn, TreeId,
    trace::{Traced, Tracer},
};

use super::modes::{Mode, pick};
use super::{Dice, Town, World};

/// Something done to an agent, or to the forest.
#[derive(Clone, Copy)]
pub(crate) enum Call {
    Spawn,
    Despawn,
    Disable,
    Enable,
    Pause,
    Unpause,
    Restart,
    Send,
    /// With payloads.
    SendThree,
    /// Its leaf panics.
    Boom,
    Complete,
    Alarm,
    /// 3, for one key or another.
    Level,
    AnyLevel,
    Clear,
    Storm,
    /// For its group.
    Rank,
    /// It joins another group, or none.
    Join,
    /// The group is removed.
    Part,
    /// Mostly slow ones.
    Rate,
    /// Another tree, or none, is put into the slot `weapon`, if there is one.
    Fill,
}

/// `None` is never.
const RATES: [Option<u32>; 5] = [Some(1), Some(2), Some(3), Some(7), None];

impl Mode {
    /// A random call, and a number for its details. In a forest with rates these change often.
    pub(crate) fn call(&self, dice: &mut Dice, paced: bool) -> (Call, usize) {
        let what = if paced && dice.below(4) == 0 { Call::Rate } else { pick(dice, self.calls) };
        (what, dice.below(1 << 20))
    }
}

/// Spawns this many agents, some of them off.
pub(crate) fn spawn<T: Tracer>(
    dice: &mut Dice,
    forest: &mut Traced<'_, Forest<Town>, T>,
    world: &mut World,
    tree: TreeId,
    agents: usize,
) {
    for _ in 0..agents {
        let enabled = dice.below(20) != 0;
        let id = forest.spawn_with(world, tree, Spawn { enabled, ..Spawn::default() }).expect("room");
        Arc::make_mut(&mut world.all).push(id);
    }
}

/// Makes the call, in the same way for the same number. An agent that is gone is gone in every
/// life.
pub(crate) fn call<T: Tracer>(
    forest: &mut Traced<'_, Forest<Town>, T>,
    world: &mut World,
    it: AgentId,
    tree: TreeId,
    (call, how): (Call, usize),
) {
    let mut dice = Dice(how as u64);
    let _ = match call {
        Call::Spawn => forest.spawn(world, tree).map(|it| Arc::make_mut(&mut world.all).push(it)).is_ok(),
        Call::Despawn => forest.agent_mut(it).map(|it| it.despawn(world)).is_ok(),
        Call::Disable => forest.agent_mut(it).map(|it| it.disable(world)).is_ok(),
        Call::Enable => forest.agent_mut(it).map(|it| it.enable(world)).is_ok(),
        Call::Pause => forest.agent_mut(it).map(|it| it.pause(world)).is_ok(),
        Call::Unpause => forest.agent_mut(it).map(|it| it.unpause(world)).is_ok(),
        Call::Restart => forest.agent_mut(it).map(|it| it.restart(world)).is_ok(),
        Call::Send => forest.agent_mut(it).map_err(Into::into).and_then(|mut it| it.send(Event::new("hey"))).is_ok(),
        Call::SendThree => [0.25, 0.5, 0.75]
            .map(|it| Event::new(["hey", "ho"][dice.below(2)]).with(it))
            .into_iter()
            .all(|event| forest.agent_mut(it).map_err(Into::into).and_then(|mut it| it.send(event)).is_ok()),
        Call::Boom => forest.agent_mut(it).map_err(Into::into).and_then(|mut it| it.send(Event::new("boom"))).is_ok(),
        Call::Complete => forest
            .agent_mut(it)
            .map(|mut it| it.set_completion([Completion::Stop, Completion::Restart][dice.below(2)]))
            .is_ok(),
        Call::Alarm => forest.keys_mut(it).is_ok_and(|mut it| it.set_value("alarm", dice.below(2) == 0).is_ok()),
        Call::Level => {
            forest.keys_mut(it).is_ok_and(|mut it| it.set_value(["level", "spare"][dice.below(2)], 3_i64).is_ok())
        }
        Call::AnyLevel => forest.keys_mut(it).is_ok_and(|mut it| it.set_value("level", below(&mut dice, 5)).is_ok()),
        Call::Clear => forest.keys_mut(it).map(|mut it| it.reset_all()).is_ok(),
        Call::Storm => forest.globals_mut().set_value("storm", below(&mut dice, 7)).is_ok(),
        Call::Rank => forest.keys_mut(it).is_ok_and(|mut it| it.set_value("rank", below(&mut dice, 5)).is_ok()),
        Call::Join => {
            let all: Vec<_> = forest.groups().collect();
            let group = match dice.below(6) {
                0 => None,
                1 | 2 if all.len() < 4 => Some(forest.new_group()),
                _ => all.get(dice.below(4)).copied(),
            };
            forest.agent_mut(it).is_ok_and(|mut it| it.join(group).is_ok())
        }
        Call::Part => {
            let group = forest.groups().nth(dice.below(8));
            group.is_some_and(|it| forest.group_mut(it).map(|it| it.remove()).is_ok())
        }
        Call::Rate => {
            let rate = RATES[dice.below(RATES.len())].map_or(Rate::NEVER, |it| Rate::every(it).expect("not 0"));
            forest.agent_mut(it).map(|mut it| it.set_rate(rate)).is_ok()
        }
        Call::Fill => forest.agent_mut(it).is_ok_and(|mut it| it.fill("weapon", WEAPONS[dice.below(3)]).is_ok()),
    };
}

/// What can be in a slot.
pub(crate) const WEAPONS: [&str; 3] = ["sword", "bow", "empty"];

/// The same for a brain; calls about a forest do nothing. No agent receives an event that is
/// refused.
pub(crate) fn call_brain(brain: &mut Brain<Town>, world: &mut World, (call, how): (Call, usize)) {
    let mut dice = Dice(how as u64);
    match call {
        Call::Despawn => brain.despawn(world),
        Call::Disable => brain.disable(world),
        Call::Enable => brain.enable(world),
        Call::Pause => brain.pause(world),
        Call::Unpause => brain.unpause(world),
        Call::Restart => brain.restart(world),
        Call::Send => drop(brain.send(Event::new("hey"))),
        Call::SendThree => {
            let all = [0.25, 0.5, 0.75].map(|it| Event::new(["hey", "ho"][dice.below(2)]).with(it));
            let _all_sent = all.into_iter().all(|it| brain.send(it).is_ok());
        }
        Call::Boom => drop(brain.send(Event::new("boom"))),
        Call::Complete => brain.set_completion([Completion::Stop, Completion::Restart][dice.below(2)]),
        Call::Alarm => drop(brain.keys_mut().set_value("alarm", dice.below(2) == 0)),
        Call::Level => drop(brain.keys_mut().set_value(["level", "spare"][dice.below(2)], 3_i64)),
        Call::AnyLevel => drop(brain.keys_mut().set_value("level", below(&mut dice, 5))),
        Call::Clear => brain.keys_mut().reset_all(),
        Call::Storm => drop(brain.keys_mut().set_value("global.storm", below(&mut dice, 7))),
        Call::Rank => drop(brain.keys_mut().set_value("group.rank", below(&mut dice, 5))),
        Call::Fill => drop(brain.fill("weapon", WEAPONS[dice.below(3)])),
        Call::Spawn | Call::Rate | Call::Join | Call::Part => {}
    }
}

fn below(dice: &mut Dice, n: usize) -> i64 {
    i64::try_from(dice.below(n)).expect("small")
}

/// The time of a frame; now and then a long one.
pub(crate) fn frame_time(dice: &mut Dice, frame: usize) -> f32 {
    [0.0, 0.1, 0.05, 0.05, 0.05, 0.001, 40.0][dice.below(if frame.is_multiple_of(16) { 7 } else { 6 })]
}
