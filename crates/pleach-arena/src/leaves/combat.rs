//! Leaves that hit, and leaves about death.

use pleach::{Action, Condition, End, Entity, Key, Status, leaf};
use serde::Deserialize;

use super::me;
use super::movement::{living, pierce, show, unshow};
use super::params::Positive;
use crate::error::Miss;
use crate::host::{Animation, Arena, Cx};
use crate::world::{Skill, SkillSlot};

fn range() -> Positive {
    Positive(Skill::GUARD.range)
}

fn damage() -> Positive {
    Positive(Skill::GUARD.damage)
}

fn interval() -> Positive {
    Positive(Skill::GUARD.cooldown)
}

#[derive(Debug, Deserialize)]
pub(super) struct Attack {
    target: Key<Entity>,
    #[serde(default = "range")]
    range: Positive,
    #[serde(default = "damage")]
    damage: Positive,
    #[serde(default = "interval")]
    interval: Positive,
    /// Whether the agent sees its prey through walls while this runs.
    #[serde(default)]
    ignore_walls: bool,
}

/// Turns to the actor that a key names, waits until the skill is ready, and hits once. Fails when
/// there is no such actor, and as soon as it is out of range. The interval counts from hit to hit,
/// also when the behaviour ends and starts again between them.
#[leaf]
impl Action<Arena> for Attack {
    type State = ();

    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        show(cx, Animation::Attack);
        if self.ignore_walls {
            pierce(cx, true);
        }
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        let (Some(actor), Some(target)) = (me(cx), living(cx, self.target)) else { return Status::Failure };
        let world = &mut *cx.host.world;
        if let Some(at) = world.position(target)
            && world.face(actor, at).is_err()
        {
            return Status::Failure;
        }
        let skill =
            Skill { range: self.range.0, damage: self.damage.0, cooldown: self.interval.0, slot: SkillSlot::First };
        match world.use_skill(actor, target, &skill) {
            Ok(_) => Status::Success,
            Err(Miss::Cooling { .. }) => Status::Running,
            Err(Miss::OutOfRange { .. } | Miss::Dead(_) | Miss::Stale(_) | Miss::BadSkill(_)) => Status::Failure,
        }
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        if self.ignore_walls {
            pierce(cx, false);
        }
        unshow(cx, &[Animation::Attack]);
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Death {}

/// Whether the agent's actor is dead. It is evaluated in every tick. A tree with a key `health` may
/// check that instead.
#[leaf]
impl Condition<Arena> for Death {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        me(cx).is_some_and(|actor| !cx.host.world.is_alive(actor)).into()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Dead {}

/// Lies there until it is aborted.
#[leaf]
impl Action<Arena> for Dead {
    type State = ();

    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        show(cx, Animation::Die);
    }

    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        cx.sleep(f32::MAX);
        Status::Running
    }

    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        unshow(cx, &[Animation::Die]);
    }
}
