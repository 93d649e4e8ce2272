//! What animals can do and see: the leaves of `wolf.ron` and `sheep.ron`.

use pleach::{Context, Entity, Event, EventName, FloatExpr, Key, Registry, Status, error::RegistryError, leaf};

use crate::world::{Animal, Meadow, Place, distance};

type Cx<'a, 'h> = Context<'a, 'h, Meadow>;

pub fn registry() -> Result<Registry<Meadow>, RegistryError> {
    let mut registry = Registry::new();
    registry.leaf_fn::<go_to>()?.leaf_fn::<choose>()?.leaf_fn::<cry>()?;
    registry.leaf_fn::<sees>()?.leaf_fn::<look_out>()?.leaf_fn::<chase>()?;
    Ok(registry)
}

/// Goes to a place.
#[leaf]
fn go_to(cx: &mut Cx<'_, '_>, place: Key<Place>, speed: &FloatExpr) -> Status {
    let (world, agent) = cx.split();
    let there = world.animal_mut(agent.entity()).go(agent.get(place), speed.get(agent) * agent.dt());
    if there { Status::Success } else { Status::Running }
}

/// Chooses a place by chance: near another one, or near where it is.
#[leaf]
fn choose(cx: &mut Cx<'_, '_>, into: Key<Place>, near: Option<Key<Place>>, within: f32) -> Status {
    let middle = near.map_or(cx.host.animal(cx.entity()).at, |it| cx.get(it));
    let chosen = middle.map(|it| it + cx.random_range(-within..within));
    cx.set(into, chosen);
    Status::Success
}

/// Tells its whole group an event, itself too, with the place where it is.
#[leaf]
fn cry(cx: &mut Cx<'_, '_>, event: EventName) -> Status {
    let Some(group) = cx.group() else { return Status::Failure };
    let event = Event::from(event).with(cx.host.animal(cx.entity()).at);
    cx.send(cx.agent(), event);
    cx.send_to_group(group, event);
    Status::Success
}

/// Whether a living animal is in sight.
#[leaf]
fn sees(cx: &mut Cx<'_, '_>, what: Key<Entity>, sight: &FloatExpr) -> bool {
    let (me, it) = (cx.host.animal(cx.entity()), cx.host.animal(cx.get(what)));
    it.alive && distance(it.at, me.at) < sight.get(cx)
}

/// Makes the nearest sheep the prey, if it is in sight, and the old prey is dead or far away.
#[leaf]
fn look_out(cx: &mut Cx<'_, '_>, prey: Key<Entity>, sight: &FloatExpr) -> Status {
    let (at, sight, old) = (cx.host.animal(cx.entity()).at, sight.get(cx), cx.host.animal(cx.get(prey)));
    let lost = !old.alive || distance(old.at, at) > 2.0 * sight;
    match cx.host.nearest(true, at) {
        Some((sheep, far)) if lost && far < sight => cx.set(prey, sheep),
        _ => return Status::Failure,
    };
    Status::Success
}

/// Runs after its prey and eats it. Fails if the prey is dead.
#[leaf]
fn chase(cx: &mut Cx<'_, '_>, prey: Key<Entity>, speed: &FloatExpr) -> Status {
    let (world, agent) = cx.split();
    let (wolf, sheep) = (agent.entity(), agent.get(prey));
    let Animal { agent: eaten, at, alive, .. } = *world.animal(sheep);
    if !alive {
        return Status::Failure;
    }
    if !world.animal_mut(wolf).go(at, speed.get(agent) * agent.dt()) {
        return Status::Running;
    }
    world.animal_mut(sheep).alive = false;
    world.story += &format!("{:.1} s: wolf {} ate sheep {}\n", agent.time(), wolf.to_bits(), sheep.to_bits());
    agent.despawn(eaten);
    Status::Success
}
