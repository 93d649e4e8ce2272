//! A world whose actors run trees. Each frame has sensors, events, one tick of the forest and one
//! step of the world.

use std::collections::HashMap;
use std::sync::Arc;

use pleach::{
    AgentId, Forest, GroupId, Spawn, TickReport, Tree, TreeId,
    error::{AccessError, AddTreeError, DtError, ReplaceTreeError, SchemaError},
    inspect::ReplaceReport,
    trace::{NoTracer, Tracer},
};
use thiserror::Error;

use crate::error::{ActorSpawnError, BadNumber};
use crate::host::{Arena, ArenaCx, Cast, Journal, ToEntity};
use crate::id::{ActorId, NoiseId, RouteId};
use crate::limits::MAX_ACTORS;
use crate::sensors::{self, Keys};
use crate::world::{Daytime, Demo, Kind, Kinds, World};

/// Why a game did not begin, or did not go on with another tree.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// The world cannot hold so many actors.
    #[error("{0} agents are too many: an arena holds {MAX_ACTORS} actors")]
    TooMany(usize),
    /// The world could not be filled.
    #[error(transparent)]
    World(#[from] ActorSpawnError),
    /// An actor is not in the world.
    #[error("there is no actor {0} in this world")]
    Stale(ActorId),
    /// The tree declares the key of a sensor with another type than the sensor writes.
    #[error("the arena writes this key itself: {0}")]
    Sensor(SchemaError),
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
    /// How many events there were between agents and the arena: noises that agents heard, and
    /// events that their `Emit` nodes handed to the arena. It does not know what agents send to
    /// their squads.
    pub events: u64,
}

/// A world and the forest of agents that play in it.
#[derive(Debug)]
pub struct Game {
    /// The world. Change what you like between frames.
    pub world: World,
    /// The agents. They are ticked one after the other, in no batches.
    pub forest: Forest<Arena>,
    /// Which agent plays which actor.
    pub cast: Cast,
    /// What agents said.
    pub journal: Journal,
    tree: TreeId,
    agents: Vec<AgentId>,
    keys: Keys,
    /// The time of day that the agents' rounds are for; `None` before the first frame.
    rounds: Option<Daytime>,
    /// The first noise that has not been forwarded to its hearers.
    unheard: NoiseId,
}

impl Game {
    /// A demo arena with so many agents of a tree. Each has an actor of the kind that the tree is
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
            Kind::Guard | Kind::Player | Kind::Dummy => demo.guards = count,
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
    pub fn with_world(
        tree: Arc<Tree<Arena>>,
        mut world: World,
        actors: &[ActorId],
        seed: u64,
    ) -> Result<Game, GameError> {
        if let Some(&actor) = actors.iter().find(|actor| !world.contains(**actor)) {
            return Err(GameError::Stale(actor));
        }
        let keys = Keys::of(&tree).map_err(GameError::Sensor)?;
        let mut forest = Forest::new(seed);
        // Agents act upon the world in their ticks: they strike, eat the last carrot, and follow
        // others to where these have just gone. In batches whose turn it is depends on who sleeps,
        // and a game is to be the same with sleep and without.
        forest.configure(|it| it.batched = false);
        let tree = forest.add_tree(tree)?;
        let (mut cast, mut journal) = (Cast::default(), Journal::default());
        let mut agents = Vec::with_capacity(actors.len());
        let mut squads: HashMap<(Kind, RouteId), GroupId> = HashMap::new();
        for &actor in actors {
            let route = world.route_of(actor).map(|(route, _)| route);
            let group = world.kind(actor).zip(route).map(|it| *squads.entry(it).or_insert_with(|| forest.new_group()));
            let mut cx = ArenaCx { world: &mut world, cast: &mut cast, journal: &mut journal };
            let spawn = Spawn { entity: actor.to_entity(), group, ..Spawn::default() };
            let agent = forest.spawn_with(&mut cx, tree, spawn)?;
            cast.assign(agent, actor);
            agents.push(agent);
        }
        let unheard = world.next_noise();
        Ok(Game { world, forest, cast, journal, tree, agents, keys, rounds: None, unheard })
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

    /// The first part of a frame: writes what agents perceive of the world onto their blackboards,
    /// and sends them the noises made since the last time. At dawn and at dusk it also gives all
    /// agents the other round, if their tree has a slot `patrol` for it. Returns how many of the
    /// noises were heard.
    ///
    /// # Errors
    /// A sensor's key cannot be written.
    pub fn perceive(&mut self) -> Result<u64, FrameError> {
        let daytime = self.world.daytime();
        if self.rounds != Some(daytime) {
            sensors::assign_rounds(&mut self.forest, self.tree, daytime)?;
            self.rounds = Some(daytime);
        }
        self.keys.write(&mut self.forest, self.tree, &self.world, &mut self.cast)?;
        let heard = sensors::forward_noises(&mut self.forest, &self.world, &self.cast, self.unheard);
        self.unheard = self.world.next_noise();
        Ok(heard)
    }

    /// The second part of a frame: ticks the agents. Its report counts only events that the agents
    /// made.
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

    /// The agents, in the order of their actors' spawning.
    #[must_use]
    pub fn agents(&self) -> &[AgentId] {
        &self.agents
    }

    /// The actor that an agent plays.
    #[must_use]
    pub fn actor_of(&self, agent: AgentId) -> Option<ActorId> {
        ActorId::from_entity(self.forest.agent(agent).map(|it| it.entity()).ok()?)
    }

    /// The tree that all agents run.
    #[must_use]
    pub fn tree(&self) -> TreeId {
        self.tree
    }

    /// Gives all agents another tree, such as the new version of its file, and goes on with what
    /// runs: see [`Forest::replace_tree`]. Their actors and squads stay.
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
        let keys = Keys::of(&tree).map_err(GameError::Sensor)?;
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        let report = self.forest.traced(tracer).replace_tree(&mut cx, self.tree, tree)?;
        // The new tree may have a slot for rounds that the old one has not.
        (self.keys, self.rounds) = (keys, None);
        Ok(report)
    }

    /// Runs `call` with the forest and the context that its calls ask for: to pause, restart or
    /// despawn agents.
    pub fn with_forest<R>(&mut self, call: impl FnOnce(&mut Forest<Arena>, &mut ArenaCx<'_>) -> R) -> R {
        let mut cx = ArenaCx { world: &mut self.world, cast: &mut self.cast, journal: &mut self.journal };
        call(&mut self.forest, &mut cx)
    }
}

/// What kind of actor a tree is for.
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
mod tests {
    use pleach::{
        BlackboardType, Entity, Key, Status,
        nodes::{self, Node},
        schema::Scope,
    };

    use super::*;
    use crate::map::Map;
    use crate::world::{ActorSpec, Skill};

    fn tree(name: &str, root: Node<Arena>, keys: &[(&str, pleach::Value)]) -> Arc<Tree<Arena>> {
        let mut builder = Tree::builder(name);
        for (key, value) in keys {
            builder.declare(Scope::Agent, key, (*value).into());
        }
        builder.build(root).unwrap().into()
    }

    fn idle(name: &str) -> Arc<Tree<Arena>> {
        tree(name, nodes::idle(), &[])
    }

    #[test]
    fn a_demo_is_of_the_kind_that_the_tree_is_for() {
        for (name, kind) in [
            ("guard", Kind::Guard),
            ("City Guard", Kind::Guard),
            ("rabbit", Kind::Rabbit),
            ("fighter", Kind::Fighter),
            ("bt1", Kind::Guard),
        ] {
            let game = Game::new(idle(name), 7, 1).unwrap();
            let actors: Vec<_> = game.agents().iter().map(|agent| game.actor_of(*agent).unwrap()).collect();
            assert_eq!(actors.len(), 7, "{name}");
            for (agent, actor) in game.agents().iter().zip(&actors) {
                assert_eq!(game.world.kind(*actor), Some(kind), "{name}");
                assert_eq!(game.cast.agent_of(*actor), Some(*agent));
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let game = |tree| Game::new(tree, 1, 1);
        assert_eq!(Game::new(idle("a"), MAX_ACTORS, 1).unwrap_err(), GameError::TooMany(MAX_ACTORS));
        assert_eq!(Game::new(idle("a"), usize::MAX, 1).unwrap_err(), GameError::TooMany(usize::MAX));
        assert!(Game::new(idle("a"), 0, 1).unwrap().frame(0.1).is_ok(), "no agents are no problem");
        let wrong = game(tree("a", nodes::idle(), &[("health", true.into())])).unwrap_err();
        assert!(matches!(&wrong, GameError::Sensor(_)) && wrong.to_string().contains("`health` is Bool, not Float"));
        let world = World::demo(&Demo::new(1)).unwrap();
        let gone = ActorId::default();
        let stale = Game::with_world(idle("a"), world, &[gone], 1).unwrap_err();
        assert_eq!(stale, GameError::Stale(gone));
        let mut game = game(idle("a")).unwrap();
        let digest = game.world.digest();
        for dt in [f32::NAN, f32::INFINITY, -1.0, f32::MAX] {
            assert!(game.frame(dt).is_err(), "{dt}");
        }
        assert_eq!(game.world.digest(), digest);
    }

    #[test]
    fn sensors_write_what_a_tree_declares() {
        let keys = [
            ("health", 0.0_f32.into()),
            ("pos", [0.0_f32; 2].into()),
            ("sees_player", false.into()),
            ("player", Entity(0).into()),
            ("player_pos", [0.0_f32; 2].into()),
        ];
        let tree = tree("guard", nodes::idle(), &keys);
        let mut world = World::new(Map::open([40.0, 40.0]).unwrap(), 1);
        let guard = world.spawn(&ActorSpec::guard([10.0, 10.0])).unwrap();
        let player = world.spawn(&ActorSpec::player([14.0, 10.0])).unwrap();
        let mut game = Game::with_world(Arc::clone(&tree), world, &[guard], 1).unwrap();
        let agent = game.agents()[0];
        game.world.use_skill(player, guard, &Skill { range: 9.0, ..Skill::PLAYER }).unwrap();
        game.frame(0.1).unwrap();
        fn read<V: BlackboardType>(game: &Game, tree: &Tree<Arena>, name: &str) -> V {
            let key: Key<V> = tree.key(name).unwrap();
            game.forest.keys(game.agents()[0]).unwrap().get(key)
        }
        assert_eq!(read::<f32>(&game, &tree, "health"), 0.85);
        assert_eq!(read::<[f32; 2]>(&game, &tree, "pos"), [10.0, 10.0]);
        assert!(read::<bool>(&game, &tree, "sees_player"));
        assert_eq!(read::<Entity>(&game, &tree, "player"), player.to_entity());
        game.world.place(player, [6.0, 10.0]).unwrap();
        game.frame(0.1).unwrap();
        assert!(!read::<bool>(&game, &tree, "sees_player"), "behind");
        assert_eq!(read::<Entity>(&game, &tree, "player"), Entity(0));
        assert_eq!(read::<[f32; 2]>(&game, &tree, "player_pos"), [14.0, 10.0], "where it was last seen");
        game.with_forest(|forest, cx| forest.agent_mut(agent).map(|it| it.despawn(cx))).unwrap();
        game.world.make_noise([10.0, 10.0], 5.0, None).unwrap();
        assert_eq!(game.frame(0.1).unwrap(), FrameReport::default(), "an agent that is gone hears nothing");
    }

    #[test]
    fn a_tree_is_replaced_with_its_sensors() {
        let (old, new) = (idle("guard"), tree("guard", nodes::idle(), &[("health", 0.0_f32.into())]));
        let mut game = Game::new(old, 3, 1).unwrap();
        game.frame(0.1).unwrap();
        let wrong = tree("guard", nodes::idle(), &[("health", true.into())]);
        assert!(matches!(game.replace_tree(wrong, &mut NoTracer), Err(GameError::Sensor(_))));
        let report = game.replace_tree(Arc::clone(&new), &mut NoTracer).unwrap();
        assert_eq!((report.agents_kept, report.agents_restarted), (3, 0));
        game.frame(0.1).unwrap();
        let key: Key<f32> = new.key("health").unwrap();
        assert_eq!(game.forest.keys(game.agents()[2]).unwrap().get(key), 1.0);
    }

    #[test]
    fn noises_and_words_are_counted_and_kept() {
        let root = nodes::selector([
            nodes::sequence([nodes::on_event("noise"), nodes::log("what was that?"), nodes::emit("alert")]),
            nodes::action(|_| Status::Success),
        ]);
        let mut game = Game::new(tree("guard", root, &[]), 1, 1).unwrap();
        let agent = game.agents()[0];
        let at = game.world.position(game.actor_of(agent).unwrap()).unwrap();
        game.world.make_noise(at, 5.0, None).unwrap();
        assert_eq!(game.frame(0.1).unwrap().events, 2, "one heard, one emitted");
        assert_eq!(game.journal.entries().len(), 0, "they were not asked for");
        game.journal.set_room(3);
        for _ in 0..3 {
            game.world.make_noise(at, 5.0, None).unwrap();
            game.frame(0.1).unwrap();
        }
        let said: Vec<_> = game.journal.entries().map(|entry| matches!(entry.said, crate::Said::Emitted(_))).collect();
        assert_eq!(said, [true, false, true], "the latest three");
        assert_eq!(game.frame(0.1).unwrap().events, 0, "a noise is told once");
    }
}
