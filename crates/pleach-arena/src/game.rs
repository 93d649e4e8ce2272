//! A world whose actors run trees. Each frame has sensors, events, one tick of the forest and one
//! step of the world.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::{
    AgentId, Budget, Forest, GroupId, Spawn, TickReport, Tree, TreeId,
    error::{AccessError, AddTreeError, DtError, KeysError, ReplaceTreeError, StaleError},
    inspect::ReplaceReport,
    trace::{NoTracer, Tracer},
};
use thiserror::Error;

use crate::error::{ActorSpawnError, BadNumber};
use crate::host::{Arena, ArenaCx, Cast, Journal, Share, ToEntity};
use crate::id::{ActorId, NoiseId, RouteId};
use crate::limits::MAX_ACTORS;
use crate::sensors::{self, Sensors};
use crate::world::{Daytime, Demo, Kind, Kinds, Sight, World};

/// The most trees of a game: sensors have a bit for each.
const MAX_ROLES: usize = 32;

/// Why a game did not begin, or did not go on with another tree.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// The world cannot hold that many actors.
    #[error("{0} agents are too many: an arena holds {MAX_ACTORS} actors")]
    TooMany(usize),
    /// The world could not be filled.
    #[error(transparent)]
    World(#[from] ActorSpawnError),
    /// An actor is not in the world.
    #[error("there is no actor {0} in this world")]
    Stale(ActorId),
    /// A game has from 1 to 32 trees.
    #[error("a game has from 1 to {MAX_ROLES} trees, not {0}")]
    Trees(usize),
    /// The forest does not have a tree.
    #[error(transparent)]
    NoTree(#[from] StaleError),
    /// The tree declares the key of a sensor with another type than the sensor writes.
    #[error(transparent)]
    Sensor(#[from] KeysError),
    /// The forest refused the tree.
    #[error(transparent)]
    Tree(#[from] AddTreeError),
    /// The forest refused an agent.
    #[error(transparent)]
    Agent(#[from] pleach::error::SpawnError),
    /// The forest refused another tree.
    #[error(transparent)]
    Replace(#[from] ReplaceTreeError),
}

/// Why a frame did not happen.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The forest refuses this `dt`.
    #[error(transparent)]
    Dt(#[from] DtError),
    /// The world refuses this `dt`.
    #[error(transparent)]
    World(#[from] BadNumber),
    /// A sensor could not write its key.
    #[error(transparent)]
    Sensor(#[from] AccessError),
}

/// What one frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameReport {
    /// What the agents did.
    pub tick: TickReport,
    /// How many events passed between agents and the arena: noises that agents heard, and events
    /// that their `Emit` nodes handed to the arena. It does not know what agents send to their
    /// squads.
    pub events: u64,
}

/// A tree that agents of the game run, and the keys of it that the arena writes.
#[derive(Clone, Copy, Debug)]
struct Role {
    tree: TreeId,
    keys: Sensors,
}

/// A world and the forest of agents that play in it.
#[derive(Debug)]
pub struct Game {
    /// The world. Change what you like between frames.
    pub world: World,
    /// The agents. They are ticked one after the other, not in batches.
    pub forest: Forest<Arena>,
    /// Which agent plays which actor.
    pub cast: Cast,
    /// What agents said.
    pub journal: Journal,
    /// The trees, at least one.
    roles: Vec<Role>,
    agents: Vec<AgentId>,
    /// The time of day that the agents' rounds are for; `None` before the first frame.
    rounds: Option<Daytime>,
    /// The first noise that has not been forwarded to its hearers.
    unheard: NoiseId,
}

impl Game {
    /// A demo arena with this many agents of a tree. Each has an actor of the kind that the tree is
    /// for: a fighter or a rabbit if the tree's name or its leaves say so, a guard otherwise. The
    /// same arguments give the same game.
    ///
    /// # Errors
    /// There are too many agents, or the tree declares a sensor's key with another type.
    pub fn new(tree: Arc<Tree<Arena>>, agents: usize, seed: u64) -> Result<Game, GameError> {
        let kind = kind_for(&tree);
        let count = u32::try_from(agents).map_err(|_| GameError::TooMany(agents))?;
        let mut demo = Demo::new(seed);
        match kind {
            Kind::Fighter => demo.fighters = count,
            Kind::Rabbit => demo.rabbits = count,
            Kind::Guard | Kind::Player | Kind::Dummy | Kind::Civilian | Kind::Boss => demo.guards = count,
        }
        let world = match World::demo(&demo) {
            Err(ActorSpawnError::Full) => return Err(GameError::TooMany(agents)),
            world => world?,
        };
        let actors: Vec<ActorId> = world.actors_of(Kinds::from(kind)).collect();
        Game::with_world(tree, world, &actors, seed)
    }

    /// A game in a world of your own, with an agent for each of these actors. Actors of one kind
    /// that walk one route are a squad: their agents are in one group.
    ///
    /// # Errors
    /// An actor is not in the world, or the tree declares a sensor's key with another type.
    pub fn with_world(tree: Arc<Tree<Arena>>, world: World, actors: &[ActorId], seed: u64) -> Result<Game, GameError> {
        if let Some(&actor) = actors.iter().find(|actor| !world.contains(**actor)) {
            return Err(GameError::Stale(actor));
        }
        tree.bind::<Sensors>()?;
        let mut forest = Forest::new(seed);
        let tree = forest.add_tree(tree)?;
        Game::with_forest_of(forest, world, &[(tree, actors)])
    }

    /// A game with several trees, such as one for each kind of actor: a forest that has them, and
    /// for each tree the actors that its agents play. Actors of one kind that walk one route are a
    /// squad, as in [`with_world`](Game::with_world).
    ///
    /// ```
    /// use pleach::{Forest, Library};
    /// use pleach_arena::{Demo, Game, Kinds, World, registry};
    ///
    /// # let trees = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
    /// let (mut library, mut forest) = (Library::open(trees)?, Forest::new(7));
    /// let guards = library.add_tree("guard.ron", &registry(), &mut forest)?;
    /// let rabbits = library.add_tree("rabbit.ron", &registry(), &mut forest)?;
    /// let world = World::demo(&Demo { guards: 20, rabbits: 10, ..Demo::new(7) })?;
    /// let of = |kinds| world.actors_of(kinds).collect::<Vec<_>>();
    /// let (guard, rabbit) = (of(Kinds::GUARD), of(Kinds::RABBIT));
    /// let mut game = Game::with_forest_of(forest, world, &[(guards, &guard), (rabbits, &rabbit)])?;
    /// assert_eq!(game.frame(0.1)?.tick.ticked, 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// There is no tree, or more than 32, the forest does not have one of them, an actor is not in
    /// the world, or a tree declares a sensor's key with another type.
    pub fn with_forest_of(
        mut forest: Forest<Arena>,
        mut world: World,
        casts: &[(TreeId, &[ActorId])],
    ) -> Result<Game, GameError> {
        if casts.is_empty() || casts.len() > MAX_ROLES {
            return Err(GameError::Trees(casts.len()));
        }
        let mut roles = Vec::with_capacity(casts.len());
        for (tree, actors) in casts {
            if let Some(&actor) = actors.iter().find(|actor| !world.contains(**actor)) {
                return Err(GameError::Stale(actor));
            }
            let keys = forest.tree(*tree)?.bind()?;
            roles.push(Role { tree: *tree, keys });
        }
        // Agents act on the world in their ticks: they strike, eat the last carrot, and follow
        // others to where these have just gone. In batches, the order of turns would depend on
        // which agents sleep, and a game must be the same with sleep and without.
        forest.configure(|it| it.batched = false);
        let (mut cast, mut journal) = (Cast::default(), Journal::default());
        let mut agents = Vec::with_capacity(casts.iter().map(|it| it.1.len()).sum());
        let mut squads: HashMap<(Kind, RouteId), GroupId> = HashMap::new();
        for (role, (tree, actors)) in (0..).zip(casts) {
            for &actor in *actors {
                let route = world.route_of(actor).map(|(route, _)| route);
                let group = world.kind(actor).zip(route);
                let group = group.map(|it| *squads.entry(it).or_insert_with(|| forest.new_group()));
                let mut cx = ArenaCx { world: &mut world, cast: &mut cast, journal: &mut journal };
                let spawn = Spawn { entity: actor.to_entity(), group, ..Spawn::default() };
                let agent = forest.spawn_with(&mut cx, *tree, spawn)?;
                cast.assign_role(agent, actor, role);
                if world.heist().is_some() {
                    cast.set_sight(agent, Sight::SENTINEL);
                }
                agents.push(agent);
            }
        }
        let unheard = world.next_noise();
        Ok(Game { world, forest, cast, journal, roles, agents, rounds: None, unheard })
    }

    /// Lets `dt` seconds pass: agents perceive the world as it is, hear the noises made since the
    /// last frame, and are ticked; then the world is stepped. Allocates nothing once the buffers
    /// have grown.
    ///
    /// It calls [`perceive`](Game::perceive), [`think`](Game::think) and [`World::step`]. Call
    /// these three to time them apart.
    ///
    /// # Errors
    /// The `dt` is negative, not finite, or too long. No time has passed then.
    ///
    /// # Panics
    /// A leaf panics. The arena's own leaves do not.
    pub fn frame(&mut self, dt: f32) -> Result<FrameReport, FrameError> {
        self.frame_traced(dt, &mut NoTracer)
    }

    /// As [`frame`](Game::frame), with a tracer that sees what the agents do.
    ///
    /// # Errors
    /// As [`frame`](Game::frame).
    ///
    /// # Panics
    /// As [`frame`](Game::frame).
    pub fn frame_traced<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, FrameError> {
        BadNumber::check("dt", dt)?;
        let heard = self.perceive()?;
        let report = self.think_traced(dt, tracer)?;
        self.world.step(dt)?;
        Ok(FrameReport { events: heard + report.events, ..report })
    }

    /// The first part of a frame: writes what agents perceive of the world to their blackboards,
    /// and sends them the noises made since the last time. At dawn and at dusk it also gives all
    /// agents the other round, if their tree has a slot `patrol` for it. Returns how many of the
    /// noises were heard.
    ///
    /// # Errors
    /// A sensor's key cannot be written.
    pub fn perceive(&mut self) -> Result<u64, FrameError> {
        self.perceive_share(Share::ALL)
    }

    /// As [`perceive`](Game::perceive), but only a share of the agents looks around; the others
    /// keep what they saw last. All hear, and know their own health and place.
    ///
    /// # Errors
    /// As [`perceive`](Game::perceive).
    pub fn perceive_share(&mut self, share: Share) -> Result<u64, FrameError> {
        let daytime = self.world.daytime();
        if self.rounds != Some(daytime) {
            for role in &self.roles {
                sensors::assign_rounds(&mut self.forest, role.tree, daytime)?;
            }
            self.rounds = Some(daytime);
        }
        let wanted = |wants: fn(&Sensors) -> bool| {
            let roles = self.roles.iter().enumerate();
            roles.fold(0, |all, (at, role)| all | u32::from(wants(&role.keys)) << at)
        };
        self.cast.look(&self.world, wanted(Sensors::wants_player), share);
        self.cast.aim(&self.world, wanted(Sensors::wants_target), share);
        for role in &self.roles {
            role.keys.write(&mut self.forest, role.tree, &self.world, &self.cast)?;
        }
        let heard = sensors::forward_noises(&mut self.forest, &self.world, &self.cast, self.unheard);
        self.unheard = self.world.next_noise();
        Ok(heard)
    }

    /// The second part of a frame: ticks the agents. Its report counts only the agents' own events.
    ///
    /// # Errors
    /// The `dt` is negative, not finite, or too long. No time has passed then.
    ///
    /// # Panics
    /// A leaf panics. The arena's own leaves do not.
    pub fn think(&mut self, dt: f32) -> Result<FrameReport, FrameError> {
        self.think_traced(dt, &mut NoTracer)
    }

    /// As [`think`](Game::think), with a tracer that sees what the agents do.
    ///
    /// # Errors
    /// As [`think`](Game::think).
    ///
    /// # Panics
    /// As [`think`](Game::think).
    pub fn think_traced<T: Tracer>(&mut self, dt: f32, tracer: &mut T) -> Result<FrameReport, FrameError> {
        let before = self.journal.events;
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        let tick = self.forest.traced(tracer).tick(&mut cx, dt)?;
        Ok(FrameReport { tick, events: self.journal.events - before })
    }

    /// As [`think`](Game::think), with as many agents as the budget allows: see
    /// [`Forest::tick_within`]. The others have their turns in later frames.
    ///
    /// # Errors
    /// As [`think`](Game::think).
    ///
    /// # Panics
    /// As [`think`](Game::think).
    pub fn think_within<T: Tracer>(
        &mut self,
        dt: f32,
        budget: Budget<'_>,
        tracer: &mut T,
    ) -> Result<FrameReport, FrameError> {
        let before = self.journal.events;
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        let tick = self.forest.traced(tracer).tick_within(&mut cx, dt, budget)?;
        Ok(FrameReport { tick, events: self.journal.events - before })
    }

    /// The agents, in the order of their actors' spawning; with several trees, tree by tree.
    #[must_use]
    pub fn agents(&self) -> &[AgentId] {
        &self.agents
    }

    /// The actor that an agent plays.
    #[must_use]
    pub fn actor_of(&self, agent: AgentId) -> Option<ActorId> {
        ActorId::from_entity(self.forest.agent(agent).map(|it| it.entity()).ok()?)
    }

    /// The tree that all agents run; with several trees, the first.
    #[must_use]
    pub fn tree(&self) -> TreeId {
        self.roles[0].tree
    }

    /// The trees that agents run, in the order in which they were given.
    pub fn trees(&self) -> impl ExactSizeIterator<Item = TreeId> + '_ {
        self.roles.iter().map(|it| it.tree)
    }

    /// Call it after replacing trees of the forest by other means than
    /// [`replace_tree`](Game::replace_tree), such as `Library::reload`.
    ///
    /// # Errors
    /// A tree declares the key of a sensor with another type, or the forest no longer has it. The
    /// arena writes none of that tree's keys then. Of several errors the last is returned.
    pub fn trees_changed(&mut self) -> Result<(), GameError> {
        // The new trees may have slots for rounds that the old ones lack.
        self.rounds = None;
        let mut wrong = Ok(());
        for role in &mut self.roles {
            let tree = self.forest.tree(role.tree).map_err(GameError::from);
            let keys = tree.and_then(|it| Ok(it.bind()?));
            role.keys = keys.unwrap_or_else(|error| {
                wrong = Err(error);
                Sensors::default()
            });
        }
        wrong
    }

    /// Gives all agents of the first tree another one, such as the new version of its file, and
    /// keeps what is running: see [`Forest::replace_tree`]. Their actors and squads stay.
    ///
    /// # Errors
    /// The tree declares a sensor's key with another type. Nothing has changed then.
    ///
    /// # Panics
    /// A leaf panics. The arena's own leaves do not.
    pub fn replace_tree<T: Tracer>(
        &mut self,
        tree: Arc<Tree<Arena>>,
        tracer: &mut T,
    ) -> Result<ReplaceReport, GameError> {
        let keys = tree.bind()?;
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        let report = self.forest.traced(tracer).replace_tree(&mut cx, self.roles[0].tree, tree)?;
        // The new tree may have a slot for rounds that the old one lacks.
        (self.roles[0].keys, self.rounds) = (keys, None);
        Ok(report)
    }

    /// Runs `call` with the forest and the context that its methods need: to pause, restart or
    /// despawn agents.
    pub fn with_forest<R>(&mut self, call: impl FnOnce(&mut Forest<Arena>, &mut ArenaCx<'_>) -> R) -> R {
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        call(&mut self.forest, &mut cx)
    }
}

/// The kind of actor that a tree is for.
fn kind_for(tree: &Tree<Arena>) -> Kind {
    let uses = |leaves: &[&str]| tree.nodes().any(|node| leaves.contains(&node.kind()));
    let name = tree.name().to_lowercase();
    if name.contains("guard") {
        Kind::Guard
    } else if name.contains("rabbit") || uses(&["SeesCarrot", "EatCarrot"]) {
        Kind::Rabbit
    } else if name.contains("fighter") || uses(&["FoundTarget", "LostTarget", "Pursuit"]) {
        Kind::Fighter
    } else {
        Kind::Guard
    }
}

#[cfg(test)]
mod tests;
