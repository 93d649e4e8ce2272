//! What animals can do and see: the leaves of `wolf.ron` and `sheep.ron`.

use pleach::{Context, Entity, Event, FloatOrKey, Key, Registry, RegistryError, Status, leaf};

use crate::Meadow;
use crate::world::{Kind, Meal, Place, distance, inside};

type Cx<'a, 'h> = Context<'a, 'h, Meadow>;

/// At what distance a wolf bites.
const REACH: f32 = 1.5;

/// All leaves.
pub fn registry() -> Result<Registry<Meadow>, RegistryError> {
    let mut registry = Registry::new();
    registry.leaf_fn::<go_to>()?.leaf_fn::<run_from>()?.leaf_fn::<choose>()?.leaf_fn::<cry>()?;
    registry.leaf_fn::<sees>()?.leaf_fn::<sees_sheep>()?.leaf_fn::<mark>()?;
    registry.leaf_fn::<chase>()?.leaf_fn::<bite>()?;
    Ok(registry)
}

/// Goes to a place.
#[leaf]
fn go_to(cx: &mut Cx<'_, '_>, place: Key<Place>, speed: FloatOrKey) -> Status {
    let (world, agent) = cx.split();
    let Some(me) = world.animal_mut(agent.entity()) else { return Status::Failure };
    let there = me.go(agent.get(place), speed.get(agent) * agent.dt());
    if there { Status::Success } else { Status::Running }
}

/// Runs away from a place, for ever.
#[leaf]
fn run_from(cx: &mut Cx<'_, '_>, place: Key<Place>, speed: FloatOrKey) -> Status {
    let (world, agent) = cx.split();
    let Some(me) = world.animal_mut(agent.entity()) else { return Status::Failure };
    let from = agent.get(place);
    let away = [0, 1].map(|i| me.at[i] + 100.0 * (me.at[i] - from[i]));
    me.go(away, speed.get(agent) * agent.dt());
    Status::Running
}

/// Chooses a place by chance, near another one.
#[leaf]
fn choose(cx: &mut Cx<'_, '_>, into: Key<Place>, near: Key<Place>, within: f32) -> Status {
    let chosen = cx.get(near).map(|it| it + within * (2.0 * cx.random() as f32 - 1.0));
    cx.set(into, inside(chosen));
    Status::Success
}

/// Tells the others of its group an event, with the place where it is.
#[leaf]
fn cry(cx: &mut Cx<'_, '_>, event: &str) -> Status {
    let Some(group) = cx.group() else { return Status::Failure };
    let at = cx.host.place(cx.entity());
    cx.send_to_group(group, Event::new(event).with(at));
    Status::Success
}

/// Whether an animal is in sight.
#[leaf]
fn sees(cx: &mut Cx<'_, '_>, what: Key<Entity>, sight: FloatOrKey) -> bool {
    let at = cx.host.place(cx.entity());
    cx.host.animal(cx.get(what)).is_some_and(|it| distance(it.at, at) < sight.get(cx))
}

/// Whether there is a sheep in sight. Nobody looks round in every tick.
#[leaf(every = 0.5)]
fn sees_sheep(cx: &mut Cx<'_, '_>, sight: FloatOrKey) -> bool {
    let at = cx.host.place(cx.entity());
    cx.host.nearest(Kind::Sheep, at).is_some_and(|(_, far)| far < sight.get(cx))
}

/// Makes the nearest sheep the prey.
#[leaf]
fn mark(cx: &mut Cx<'_, '_>, prey: Key<Entity>) -> Status {
    let at = cx.host.place(cx.entity());
    let Some((sheep, _)) = cx.host.nearest(Kind::Sheep, at) else { return Status::Failure };
    cx.set(prey, sheep);
    Status::Success
}

/// Runs after its prey until it can bite.
#[leaf]
fn chase(cx: &mut Cx<'_, '_>, prey: Key<Entity>, speed: FloatOrKey) -> Status {
    let (world, agent) = cx.split();
    let to = world.place(agent.get(prey));
    let Some(me) = world.animal_mut(agent.entity()) else { return Status::Failure };
    me.go(to, speed.get(agent) * agent.dt());
    if distance(me.at, to) < REACH { Status::Success } else { Status::Running }
}

/// Bites its prey, which dies of two seconds of that. Fails if the prey gets away.
#[leaf]
fn bite(cx: &mut Cx<'_, '_>, prey: Key<Entity>) -> Status {
    let (world, agent) = cx.split();
    let (me, sheep) = (world.place(agent.entity()), agent.get(prey));
    let Some(it) = world.animal_mut(sheep).filter(|it| it.health > 0.0) else { return Status::Failure };
    if distance(it.at, me) > REACH {
        return Status::Failure;
    }
    it.health -= agent.dt() / 2.0;
    if it.health > 0.0 {
        return Status::Running;
    }
    world.meals.push(Meal { wolf: agent.entity(), sheep });
    Status::Success
}
