//! The simulation: the world with its agents, the user, and the files of the trees.

mod chosen;
mod news;
mod past;
mod scene;
mod user;

use std::path::{Path, PathBuf};

use pleach::asset::Directory;
use pleach::{AgentId, Budget, Forest, Library, NodeId, Registry, Tap, TickReport, TreeId, error::LoadError};
use pleach_arena::{
    ActorId, ActorSpawnError, Arena, FrameError, Game, GameError, Kind, Point, Share, ToEntity, World, registry,
};
use thiserror::Error;

use crate::behaviour::{Behaviour, Behaviours};
use crate::guide;
use crate::panel::Tone;
use crate::studio;
use chosen::Chosen;
pub use news::News;
use past::{Kept, Past};
pub use scene::{CROWDS, ROLES, Role, Scene};

/// How many of the agents' latest utterances are kept.
const SAID: usize = 256;

/// Why a simulation did not begin.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimError {
    /// The folder of the trees does not exist.
    #[error("cannot read the trees in `{}`: {why}. Name their folder with --trees", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why it cannot be read.
        why: pleach::asset::SourceError,
    },
    /// Something is wrong with a tree.
    #[error("{0}")]
    Tree(#[from] LoadError),
    /// The world could not be filled.
    #[error(transparent)]
    World(#[from] ActorSpawnError),
    /// The game did not begin.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// The limits of a step, and a clock to measure it: microseconds since any moment.
pub struct Limits<'c> {
    /// How many microseconds the agents may look around. `None` for as long as they need.
    pub look: Option<u64>,
    /// How many microseconds the agents may think. `None` for as long as they need.
    pub think: Option<u64>,
    /// The clock.
    pub clock: &'c mut dyn FnMut() -> u64,
}

impl std::fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Limits").field("look", &self.look).field("think", &self.think).finish_non_exhaustive()
    }
}

/// What a step did, and how many microseconds its parts took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// What the agents did.
    pub tick: TickReport,
    /// Perceiving.
    pub perceive: u64,
    /// One in this many agents has looked around.
    pub shares: usize,
    /// Whether thinking took as long as the budget or longer.
    pub held: bool,
    /// Thinking and acting.
    pub think: u64,
    /// The rest of the world.
    pub world: u64,
}

/// The world, its agents, the user.
#[derive(Debug)]
pub struct Sim {
    game: Game,
    library: Library<Kept>,
    registry: Registry<Arena>,
    past: Past,
    behaviours: Behaviours,
    folder: PathBuf,
    scene: Scene,
    seed: u64,
    crowd: u32,
    user: ActorId,
    steps_at: f64,
    chosen: Option<Chosen>,
    trouble: Vec<String>,
    /// Which agents look around in the next step.
    share: Share,
    /// The studio's access to the agents.
    tap: Option<Tap>,
}

/// What a simulation begins with.
struct SimParts {
    game: Game,
    library: Library<Kept>,
    past: Past,
    user: ActorId,
}

fn begin(
    scene: Scene,
    folder: &PathBuf,
    registry: &Registry<Arena>,
    crowd: u32,
    seed: u64,
) -> Result<SimParts, SimError> {
    let files = Directory::open(folder).map_err(|why| SimError::Folder { folder: folder.clone(), why })?;
    let mut library = Library::new(Kept::new(files));
    let mut forest = Forest::new(seed);
    let trees = scene.trees(&mut library, registry, &mut forest)?;
    let (world, user) = scene.world(crowd, seed)?;
    let casts: Vec<_> = trees.into_iter().zip(scene.roles().iter().map(|it| it.actors(&world))).collect();
    let casts: Vec<(TreeId, &[ActorId])> = casts.iter().map(|(tree, actors)| (*tree, &actors[..])).collect();
    let mut game = Game::with_forest_of(forest, world, &casts)?;
    for (role, (_, actors)) in scene.roles().iter().zip(&casts) {
        for &actor in *actors {
            if let Some(mut agent) = game.cast.agent_of(actor).and_then(|it| game.forest.agent_mut(it).ok()) {
                agent.set_label(named(role.name, actor));
            }
        }
    }
    game.journal.set_room(SAID);
    let mut past = Past::new(registry, game.forest.len());
    past.add_trees(&game, library.source());
    Ok(SimParts { game, library, past, user })
}

/// What people call an actor: `guard 17`.
fn named(kind: &str, actor: ActorId) -> String {
    // The lower half is the index of the actor in its world.
    format!("{kind} {}", actor.to_entity().to_bits() & 0xFFFF_FFFF)
}

/// Which agents look around next, if the last ones took `took` microseconds: more of them if there
/// was time left, fewer if it took too long.
fn next_share(last: Share, took: u64, limit: Option<u64>) -> Share {
    /// With more shares, an agent would be blind for too long.
    const MOST: usize = 8;
    let Some(limit) = limit else { return Share::ALL };
    let of = if took > limit {
        (last.of + 1).min(MOST)
    } else if last.of > 1 && took * 4 < limit * 3 {
        last.of - 1
    } else {
        last.of
    };
    Share { part: last.part.wrapping_add(1), of }
}

impl Sim {
    /// A scene with a crowd: the number of guards in the camps, or of agents in a heist. The trees
    /// come from a folder. The same arguments and calls give the same run.
    ///
    /// # Errors
    /// The folder or a tree cannot be read, or there are too many actors.
    pub fn new(scene: Scene, folder: PathBuf, crowd: u32, seed: u64) -> Result<Self, SimError> {
        let registry = registry();
        let SimParts { game, library, past, user } = begin(scene, &folder, &registry, crowd, seed)?;
        let mut behaviours = Behaviours::default();
        behaviours.refresh(&game);
        let (steps_at, chosen, trouble, share, tap) = (0.0, None, Vec::new(), Share::ALL, None);
        let sim = Sim {
            game,
            library,
            registry,
            past,
            behaviours,
            folder,
            scene,
            seed,
            crowd,
            user,
            steps_at,
            chosen,
            trouble,
            share,
            tap,
        };
        Ok(sim)
    }

    /// Restarts the scene with this crowd.
    ///
    /// # Errors
    /// As [`Sim::new`]. Then the current world goes on.
    pub fn restart(&mut self, crowd: u32) -> Result<(), SimError> {
        let mut begun = begin(self.scene, &self.folder, &self.registry, crowd, self.seed)?;
        begun.past.on_panic = self.past.on_panic.take();
        (self.game, self.library, self.past, self.user) = (begun.game, begun.library, begun.past, begun.user);
        (self.crowd, self.steps_at, self.chosen, self.share) = (crowd, 0.0, None, Share::ALL);
        self.trouble.clear();
        self.behaviours.forget();
        self.behaviours.refresh(&self.game);
        Ok(())
    }

    /// The next larger or smaller crowd; the same if there is none.
    #[must_use]
    pub fn other_crowd(&self, larger: bool) -> u32 {
        let mut all = self.scene.crowds().iter().copied();
        let found = if larger { all.find(|it| *it > self.crowd) } else { all.rfind(|it| *it < self.crowd) };
        found.unwrap_or(self.crowd)
    }

    /// The size of the crowd: see [`Sim::new`].
    #[must_use]
    pub fn crowd(&self) -> u32 {
        self.crowd
    }

    /// Where the trees are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which scene it is.
    #[must_use]
    pub fn scene(&self) -> Scene {
        self.scene
    }

    /// The world and its agents.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.game.world
    }

    /// What agents do.
    #[must_use]
    pub fn behaviours(&self) -> &Behaviours {
        &self.behaviours
    }

    /// From now on `pleach studio` finds the arena, and watches and steers the agents.
    ///
    /// # Errors
    /// No port can be opened, or the file that says so cannot be written.
    pub fn listen(&mut self) -> std::io::Result<()> {
        if self.tap.is_none() {
            self.tap = Some(Tap::listen(studio::GAME)?);
        }
        Ok(())
    }

    /// How long a step of `dt` seconds is to take; `None` while a studio has stopped the clock.
    pub fn pace(&mut self, dt: f32) -> Option<f32> {
        self.tap.as_mut().map_or(Some(dt), |it| it.pace(dt))
    }

    /// Talks with studios. Call it once a frame.
    pub fn pump(&mut self) {
        if let Some(tap) = &mut self.tap {
            tap.say(&self.trouble.join("\n"));
            tap.pump(&mut self.game.forest, &mut self.past.recording);
        }
    }

    /// Lets `dt` seconds pass.
    ///
    /// # Errors
    /// `dt` is negative or not finite.
    pub fn step(&mut self, dt: f32, limits: &mut Limits<'_>) -> Result<StepReport, FrameError> {
        let began = (limits.clock)();
        let shares = self.share.of;
        self.game.perceive_share(self.share)?;
        let perceived = (limits.clock)();
        self.share = next_share(self.share, perceived.saturating_sub(began), limits.look);
        let budget = |clock| match limits.think {
            Some(micros) => Budget::Micros(micros, clock),
            None => Budget::Agents(u64::MAX),
        };
        let budget = budget(&mut *limits.clock);
        let tick = match &mut self.chosen {
            Some(chosen) => {
                let both = &mut (&mut chosen.recorder, &mut self.past.recording);
                self.game.think_within(dt, budget, both)?.tick
            }
            None => self.game.think_within(dt, budget, &mut self.past.recording)?.tick,
        };
        self.past.frame += 1;
        let thought = (limits.clock)();
        self.record();
        let recorded = (limits.clock)();
        self.game.world.step(dt)?;
        let stepped = (limits.clock)();
        Ok(StepReport {
            tick,
            perceive: perceived.saturating_sub(began),
            shares,
            held: limits.think.is_some_and(|it| thought.saturating_sub(perceived) >= it),
            think: thought.saturating_sub(perceived),
            world: stepped.saturating_sub(recorded),
        })
    }

    /// The name of an actor: `guard 17`.
    #[must_use]
    pub fn name_of(&self, actor: ActorId) -> Option<String> {
        if actor == self.user {
            return Some("you".into());
        }
        let role = self.game.cast.agent_of(actor).and_then(|it| self.role_of(it));
        let kind = match (role, self.world().kind(actor)?) {
            (Some(role), _) => self.scene.roles()[role].name,
            (None, Kind::Player) => "player",
            (None, Kind::Guard | Kind::Fighter | Kind::Rabbit | Kind::Dummy | Kind::Civilian | Kind::Boss) => "agent",
        };
        Some(named(kind, actor))
    }

    /// What the agent of an actor does; `None` for an actor without an agent.
    #[must_use]
    pub fn behaviour(&self, actor: ActorId) -> Option<Behaviour> {
        let agent = self.game.cast.agent_of(actor)?;
        Some(self.behaviours.of(self.game.forest.agent(agent).ok()?))
    }

    /// The sign over the head of an actor who has noticed something.
    #[must_use]
    pub fn sign(&self, actor: ActorId) -> Option<(Tone, &'static str)> {
        if self.is_asleep(actor) {
            return Some((Tone::Kind, "z z"));
        }
        guide::sign(self.behaviours.name(self.behaviour(actor)?))
    }

    /// Whether the agent of an actor sleeps: its node with that name runs.
    #[must_use]
    pub fn is_asleep(&self, actor: ActorId) -> bool {
        if self.world().kind(actor) != Some(Kind::Boss) {
            return false;
        }
        let agent = self.game.cast.agent_of(actor).and_then(|it| self.game.forest.agent(it).ok());
        agent.is_some_and(|it| it.tree().find("sleep").any(|node| it.is_active(node.id())))
    }

    /// The actor next to a point, except the user, within `reach` metres.
    #[must_use]
    pub fn pick(&self, at: Point, reach: f32) -> Option<ActorId> {
        let mut best: Option<(f32, ActorId)> = None;
        let world = self.world();
        world.bodies(at, reach, |actor| {
            let Some(place) = world.position(actor).filter(|_| actor != self.user) else { return };
            let far = (place[0] - at[0]).hypot(place[1] - at[1]);
            if best.is_none_or(|best| (far, actor) < best) {
                best = Some((far, actor));
            }
        });
        best.map(|it| it.1)
    }

    /// The index of an agent's role among those of the scene.
    #[must_use]
    pub fn role_of(&self, agent: AgentId) -> Option<usize> {
        let tree = self.game.forest.agent(agent).ok()?.tree_id();
        self.game.trees().position(|it| it == tree)
    }

    /// The living agent of a role next to a point, within 120 m.
    #[must_use]
    pub fn nearest(&self, role: usize, at: Point) -> Option<AgentId> {
        let kinds = self.scene.roles().get(role)?.kinds;
        let mut best: Option<(f32, AgentId)> = None;
        let world = self.world();
        world.neighbours(at, 120.0, |actor| {
            if !world.kind(actor).is_some_and(|it| kinds.contains(it.into())) {
                return;
            }
            let (Some(place), Some(agent)) = (world.position(actor), self.game.cast.agent_of(actor)) else { return };
            let far = (place[0] - at[0]).hypot(place[1] - at[1]);
            if best.is_none_or(|best| (far, agent) < best) && self.role_of(agent) == Some(role) {
                best = Some((far, agent));
            }
        });
        best.map(|it| it.1)
    }
}
