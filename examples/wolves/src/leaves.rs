//! What animals can do and see: the leaves of `wolf.ron` and `sheep.ron`.

use pleach::{Context, Entity, Event, FloatOrKey, Key, Registry, RegistryError, Status, leaf};

use crate::Meadow;
use crate::world::{Place, distance};

type Cx<'a, 'h> = Context<'a, 'h, Meadow>;

pub fn registry() -> Result<Registry<Meadow>, RegistryError> {
    let mut registry = Registry::new();
    registry.leaf_fn::<go_to>()?.leaf_fn::<choose>()?.leaf_fn::<cry>()?;
    registry.leaf_fn::<sees>()?.leaf_fn::<sees_sheep>()?.leaf_fn::<mark>()?.leaf_fn::<chase>()?;
    Ok(registry)
}

/// Goes to a place.
#[leaf]
fn go_to(cx: &mut Cx<'_, '_>, place: Key<Place>, speed: FloatOrKey) -> Status {
    let (world, agent) = cx.split();
    let there = world.animal_mut(agent.entity()).go(agent.get(place), speed.get(agent) * agent.dt());
    if there { Status::Success } else { Status::Running }
}

/// Chooses a place by chance: near another one, or near where it is.
#[leaf]
fn choose(cx: &mut Cx<'_, '_>, into: Key<Place>, near: Option<Key<Place>>, within: f32) -> Status {
    let middle = near.map_or(cx.host.animal(cx.entity()).at, |it| cx.get(it));
    let chosen = middle.map(|it| it + within * (2.0 * cx.random() as f32 - 1.0));
    cx.set(into, chosen);
    Status::Success
}

/// Tells the others of its group an event, with the place where it is.
#[leaf]
fn cry(cx: &mut Cx<'_, '_>, event: &str) -> Status {
    let Some(group) = cx.group() else { return Status::Failure };
    let at = cx.host.animal(cx.entity()).at;
    cx.send_to_group(group, Event::new(event).with(at));
    Status::Success
}

/// Whether a living animal is in sight.
#[leaf]
fn sees(cx: &mut Cx<'_, '_>, what: Key<Entity>, sight: FloatOrKey) -> bool {
    let (me, it) = (cx.host.animal(cx.entity()), cx.host.animal(cx.get(what)));
    it.alive && distance(it.at, me.at) < sight.get(cx)
}

/// Whether a sheep is in sight. Nobody looks round in every tick.
#[leaf(every = 0.5)]
fn sees_sheep(cx: &mut Cx<'_, '_>, sight: FloatOrKey) -> bool {
    let at = cx.host.animal(cx.entity()).at;
    cx.host.nearest(true, at).is_some_and(|(_, far)| far < sight.get(cx))
}

/// Makes the nearest sheep the prey.
#[leaf]
fn mark(cx: &mut Cx<'_, '_>, prey: Key<Entity>) -> Status {
    let at = cx.host.animal(cx.entity()).at;
    let Some((sheep, _)) = cx.host.nearest(true, at) else { return Status::Failure };
    cx.set(prey, sheep);
    Status::Success
}

/// Runs after its prey and eats it. Fails if another wolf was faster.
#[leaf]
fn chase(cx: &mut Cx<'_, '_>, prey: Key<Entity>, speed: FloatOrKey) -> Status {
    let (world, agent) = cx.split();
    let (wolf, sheep) = (agent.entity(), agent.get(prey));
    let to = world.animal(sheep).at;
    if !world.animal_mut(wolf).go(to, speed.get(agent) * agent.dt()) {
        return Status::Running;
    }
    if !std::mem::take(&mut world.animal_mut(sheep).alive) {
        return Status::Failure;
    }
    world.meals.push((wolf, sheep));
    Status::Success
}
