//! What the arena lends to its leaves: the world, the cast (which agent plays which actor), and a
//! journal of what agents said.

use std::collections::VecDeque;

use pleach::{AgentId, Context, Entity, Event, Host, NodeId};
use slotmap::{DefaultKey, Key, KeyData, SecondaryMap};

use crate::id::{ActorId, CarrotId};
use crate::world::{Kinds, Sight, World};

/// The arena as a host of trees.
#[derive(Clone, Copy, Debug)]
pub struct Arena;

/// The arena in [`Context::host`], borrowed for one call.
#[derive(Debug)]
pub struct ArenaCx<'a> {
    /// The world to look at and to act on.
    pub world: &'a mut World,
    /// Which agent plays which actor.
    pub cast: &'a mut Cast,
    /// What agents have said.
    pub journal: &'a mut Journal,
}

impl Host for Arena {
    type Cx<'a> = ArenaCx<'a>;

    fn on_emit(cx: &mut ArenaCx<'_>, agent: AgentId, event: Event) {
        cx.journal.events += 1;
        let time = cx.world.time();
        cx.journal.keep(|| Entry { time, agent, said: Said::Emitted(event) });
    }

    fn on_log(cx: &mut ArenaCx<'_>, agent: AgentId, node: NodeId, text: &str) {
        let time = cx.world.time();
        cx.journal.keep(|| Entry { time, agent, said: Said::Logged(node, text.into()) });
    }
}

/// What an agent seems to do, for a drawing of the arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum Animation {
    /// Stands about.
    #[default]
    Idle,
    /// Goes somewhere slowly.
    Walk,
    /// Goes somewhere fast.
    Run,
    /// Strikes, or waits for the next stroke.
    Attack,
    /// Eats.
    Eat,
    /// Has noticed something.
    Alert,
    /// Lies there.
    Die,
}

/// The part of an agent: its actor, and what the sensors keep of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) actor: ActorId,
    pub(crate) sight: Sight,
    pub(crate) prey: Kinds,
    pub(crate) animation: Animation,
    /// Which of the game's trees the agent runs.
    pub(crate) role: u8,
    /// How many active behaviours see through walls. A count, because a reactive composite starts
    /// the next behaviour before it ends the last one.
    pub(crate) piercing: u8,
    /// What the sensors saw in this frame: the nearest player, and the nearest prey.
    pub(crate) player: Option<ActorId>,
    pub(crate) target: Option<ActorId>,
}

impl Part {
    fn sight(&self) -> Sight {
        if self.piercing > 0 { self.sight.through_walls() } else { self.sight }
    }
}

/// Every n-th agent, for crowds that cannot all look around in every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The index of this share; modulo `of`.
    pub part: usize,
    /// How many shares there are; 0 counts as 1.
    pub of: usize,
}

impl Share {
    /// All agents.
    pub const ALL: Share = Share { part: 0, of: 1 };

    fn step(self) -> usize {
        self.of.max(1)
    }

    fn first(self) -> usize {
        self.part % self.step()
    }
}

/// The key of an agent in a map of facts about agents.
fn key(agent: AgentId) -> DefaultKey {
    KeyData::from_ffi(agent.to_bits()).into()
}

/// Which agent plays which actor, and what is known of the agent beside its blackboard.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    parts: SecondaryMap<DefaultKey, Part>,
    agents: SecondaryMap<ActorId, AgentId>,
}

impl Cast {
    /// Gives an actor to an agent, which sees as a guard does and hunts all its enemies.
    pub fn assign(&mut self, agent: AgentId, actor: ActorId) {
        self.assign_role(agent, actor, 0);
    }

    /// As [`assign`](Cast::assign), for an agent that runs this one of the game's trees.
    pub(crate) fn assign_role(&mut self, agent: AgentId, actor: ActorId, role: u8) {
        let part = Part {
            actor,
            sight: Sight::GUARD,
            prey: Kinds::all(),
            animation: Animation::default(),
            role,
            piercing: 0,
            player: None,
            target: None,
        };
        self.parts.insert(key(agent), part);
        self.agents.insert(actor, agent);
    }

    /// The actor that an agent plays.
    #[must_use]
    pub fn actor_of(&self, agent: AgentId) -> Option<ActorId> {
        self.parts.get(key(agent)).map(|part| part.actor)
    }

    /// The agent that plays an actor.
    #[must_use]
    pub fn agent_of(&self, actor: ActorId) -> Option<AgentId> {
        // The agent may have been given another actor since.
        self.agents.get(actor).copied().filter(|agent| self.actor_of(*agent) == Some(actor))
    }

    /// What an agent seems to do.
    #[must_use]
    pub fn animation(&self, agent: AgentId) -> Option<Animation> {
        self.parts.get(key(agent)).map(|part| part.animation)
    }

    /// How an agent sees at this moment, if it is day: see [`Sight::in_light_of`]. It sees through
    /// walls while a running behaviour asks for it.
    #[must_use]
    pub fn sight(&self, agent: AgentId) -> Option<Sight> {
        self.parts.get(key(agent)).map(Part::sight)
    }

    /// Sets how an agent sees by day. Returns false if the agent has no actor.
    pub fn set_sight(&mut self, agent: AgentId, sight: Sight) -> bool {
        self.parts.get_mut(key(agent)).map(|part| part.sight = sight).is_some()
    }

    /// Sets which kinds of enemies an agent takes as targets. Returns false if the agent has no
    /// actor.
    pub fn set_prey(&mut self, agent: AgentId, prey: Kinds) -> bool {
        self.parts.get_mut(key(agent)).map(|part| part.prey = prey).is_some()
    }

    /// Looks for players, for these agents of those trees: a bit for each.
    pub(crate) fn look(&mut self, world: &World, wanted: u32, share: Share) {
        let daytime = world.daytime();
        for part in self.parts_of(wanted, share) {
            part.player = world.nearest_visible(part.actor, &part.sight.in_light_of(daytime), Kinds::PLAYER);
        }
    }

    /// Looks for prey, for these agents of those trees: a bit for each.
    pub(crate) fn aim(&mut self, world: &World, wanted: u32, share: Share) {
        let daytime = world.daytime();
        for part in self.parts_of(wanted, share) {
            part.target = world.nearest_visible(part.actor, &part.sight().in_light_of(daytime), part.prey);
        }
    }

    fn parts_of(&mut self, roles: u32, share: Share) -> impl Iterator<Item = &mut Part> {
        let all = (roles != 0).then(|| self.parts.values_mut());
        let all = all.into_iter().flatten().skip(share.first()).step_by(share.step());
        all.filter(move |part| roles >> part.role & 1 == 1)
    }

    pub(crate) fn part(&self, agent: AgentId) -> Option<&Part> {
        self.parts.get(key(agent))
    }

    pub(crate) fn part_mut(&mut self, agent: AgentId) -> Option<&mut Part> {
        self.parts.get_mut(key(agent))
    }
}

/// What an agent said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A log node's text.
    Logged(NodeId, Box<str>),
    /// An emit node's event.
    Emitted(Event),
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// World time, in seconds.
    pub time: f64,
    /// The agent that said it.
    pub agent: AgentId,
    /// What it said.
    pub said: Said,
}

/// The latest utterances of agents. Before [`Journal::set_room`] it keeps nothing, so that a large
/// arena spends no time on entries that are not read.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    room: usize,
    entries: VecDeque<Entry>,
    /// Events that agents handed to the arena, since the beginning.
    pub(crate) events: u64,
}

impl Journal {
    /// Keeps the latest `room` entries from now on.
    pub fn set_room(&mut self, room: usize) {
        self.room = room;
        self.entries.drain(..self.entries.len().saturating_sub(room));
    }

    /// The entries that are kept, oldest first.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Forgets the entries.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    fn keep(&mut self, entry: impl FnOnce() -> Entry) {
        if self.room > 0 {
            if self.entries.len() == self.room {
                self.entries.pop_front();
            }
            self.entries.push_back(entry());
        }
    }
}

/// Ids as entities on a blackboard. No id is 0, which is `none`.
pub trait ToEntity: Key {
    /// The entity of an id.
    fn to_entity(self) -> Entity {
        Entity::from_bits(self.data().as_ffi())
    }

    /// The id of an entity; `None` for a number that [`to_entity`](ToEntity::to_entity) never
    /// returns.
    fn from_entity(entity: Entity) -> Option<Self> {
        Some(Self::from(KeyData::from_ffi(entity.to_bits()))).filter(|id| !id.is_null() && id.to_entity() == entity)
    }
}

impl ToEntity for ActorId {}
impl ToEntity for CarrotId {}

/// A callback's view of the arena.
pub(crate) type Cx<'a, 'h> = Context<'a, 'h, Arena>;

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    #[test]
    fn entity_zero_is_no_id() {
        assert_eq!(ActorId::from_entity(Entity::NONE), None);
        assert_eq!(CarrotId::from_entity(Entity::NONE), None);
        let mut actors = SlotMap::<ActorId, ()>::with_key();
        let mut carrots = SlotMap::<CarrotId, ()>::with_key();
        for _ in 0..9 {
            let id = actors.insert(());
            assert_eq!(ActorId::from_entity(id.to_entity()), Some(id));
            let id = carrots.insert(());
            assert_eq!(CarrotId::from_entity(id.to_entity()), Some(id));
            carrots.remove(id);
        }
        for bits in [1, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(ActorId::from_entity(Entity::from_bits(bits)), None, "{bits}");
        }
    }
}
