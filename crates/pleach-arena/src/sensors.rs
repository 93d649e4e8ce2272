//! The sensors: what agents perceive each frame, written in bulk into the blackboard keys that
//! their tree declares; and the rounds that they walk by day and at night.

use pleach::{
    BlackboardType, Entity, Event, Forest, Key, Keys, KeysMut, TreeId,
    error::{AccessError, SchemaError},
};

use crate::geometry::Point;
use crate::host::{Arena, Cast, ToEntity};
use crate::id::{ActorId, NoiseId};
use crate::world::{Daytime, World};

/// The keys that the arena writes, where a tree declares them as its agents' own.
#[derive(Clone, Copy, Debug, Default, Keys)]
pub(crate) struct Sensors {
    /// From 0 (dead) to 1 (well).
    #[key(writes)]
    health: Option<Key<f32>>,
    /// Where it is.
    #[key(writes)]
    pos: Option<Key<Point>>,
    /// Where it heals.
    #[key(writes)]
    home: Option<Key<Point>>,
    /// Whether it sees an enemy that is a player.
    #[key(writes)]
    sees_player: Option<Key<bool>>,
    /// The nearest such player; `none` when it sees none.
    #[key(writes)]
    player: Option<Key<Entity>>,
    /// Where that player is, or was when last seen.
    #[key(writes)]
    player_pos: Option<Key<Point>>,
    /// The nearest prey in sight, through walls while a behaviour that runs asks for it; `none`
    /// when there is none.
    #[key(writes)]
    target: Option<Key<Entity>>,
    /// Where that prey is, or was when last seen.
    #[key(writes)]
    target_pos: Option<Key<Point>>,
}

impl Sensors {
    /// Whether agents look for players.
    pub(crate) fn wants_player(&self) -> bool {
        self.sees_player.is_some() || self.player.is_some() || self.player_pos.is_some()
    }

    /// Whether agents look for prey.
    pub(crate) fn wants_target(&self) -> bool {
        self.target.is_some() || self.target_pos.is_some()
    }

    /// Writes what the agents of a tree perceive, as they have last looked.
    pub(crate) fn write(
        &self,
        forest: &mut Forest<Arena>,
        tree: TreeId,
        world: &World,
        cast: &Cast,
    ) -> Result<(), AccessError> {
        let at = |actor: Option<ActorId>| actor.and_then(|actor| world.position(actor));
        let entity = |actor: Option<ActorId>| Some(actor.map_or(Entity::NONE, ToEntity::to_entity));
        let mut wrong = Ok(());
        let mut agents = forest.population_mut(tree)?;
        // Agent by agent, not key by key: the data of one actor is far from that of the next, and
        // reading it costs more than everything else.
        agents.update_agents(|keys| {
            let Some(part) = cast.part(keys.agent()) else { return };
            let mut writer = Writer { keys, wrong: &mut wrong };
            writer.put(self.health, || world.health(part.actor));
            writer.put(self.pos, || world.position(part.actor));
            writer.put(self.home, || world.home(part.actor));
            writer.put(self.sees_player, || Some(part.player.is_some()));
            writer.put(self.player, || entity(part.player));
            writer.put(self.player_pos, || at(part.player));
            writer.put(self.target, || entity(part.target));
            writer.put(self.target_pos, || at(part.target));
        });
        wrong
    }
}

/// Writes keys of one agent.
struct Writer<'a, 'k> {
    keys: &'a mut KeysMut<'k>,
    /// The last write that was refused.
    wrong: &'a mut Result<(), AccessError>,
}

impl Writer<'_, '_> {
    /// Writes a key that the tree declares. Without a value it stays as it is.
    #[inline]
    fn put<V: BlackboardType>(&mut self, key: Option<Key<V>>, value: impl FnOnce() -> Option<V>) {
        if let Some(key) = key
            && let Some(value) = value()
            && let Err(error) = self.keys.try_set(key, value)
        {
            *self.wrong = Err(error);
        }
    }
}

/// Fills the slot `patrol` of all agents of a tree with the round of that time. Ignores a tree that
/// lacks the slot, or has other trees for it.
pub(crate) fn assign_rounds(forest: &mut Forest<Arena>, tree: TreeId, daytime: Daytime) -> Result<(), AccessError> {
    let round = match daytime {
        Daytime::Day => "patrol_by_day",
        Daytime::Night => "patrol_by_night",
    };
    match forest.population_mut(tree).map_err(Into::into).and_then(|mut it| it.fill("patrol", round)) {
        Ok(_) | Err(AccessError::Key(SchemaError::UnknownSlot { .. } | SchemaError::NotInSlot { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Sends an event of the noise's sound, with the place, to every agent that hears one of the noises
/// since `first`. Returns how many events were sent.
pub(crate) fn forward_noises(forest: &mut Forest<Arena>, world: &World, cast: &Cast, first: NoiseId) -> u64 {
    let mut sent = 0;
    for noise in world.noises_since(first) {
        let event = Event::new(noise.sound.event()).with(noise.at);
        world.hearers(noise, |actor| {
            // The agent may be despawned while its actor is still in the world.
            if cast.agent_of(actor).is_some_and(|agent| {
                forest.agent_mut(agent).map_err(Into::into).and_then(|mut it| it.send(event)).is_ok()
            }) {
                sent += 1;
            }
        });
    }
    sent
}
