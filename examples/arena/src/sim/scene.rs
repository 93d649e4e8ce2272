//! The scenes: the world, and who plays in it.

use pleach::error::LoadError;
use pleach::{Forest, Library, Registry, TreeId};
use pleach_arena::{ActorId, ActorSpawnError, ActorSpec, Arena, Demo, Estate, Kinds, World};

use super::past::Kept;

/// A world to play in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// An estate with a vault, and a town around it: the user is a thief.
    Heist,
    /// Camps of guards, fighters and rabbits, as many as one likes.
    Camps,
}

/// A part that agents play: a tree, and the actors that have it.
#[derive(Debug)]
pub struct Role {
    /// The name of its agents.
    pub name: &'static str,
    /// The file of its tree.
    pub file: &'static str,
    pub(super) kinds: Kinds,
    /// Which of the actors of these kinds: those whose index, modulo the second, is the first.
    share: (usize, usize),
}

/// The roles of the camps. The trees of a game are in the same order.
pub const ROLES: [Role; 4] = [
    Role { name: "guard", file: "guard.ron", kinds: Kinds::GUARD, share: (0, 1) },
    Role { name: "fighter", file: "fighter.ron", kinds: Kinds::FIGHTER, share: (0, 2) },
    Role { name: "veteran", file: "veteran.ron", kinds: Kinds::FIGHTER, share: (1, 2) },
    Role { name: "rabbit", file: "rabbit.ron", kinds: Kinds::RABBIT, share: (0, 1) },
];

/// The roles of a heist.
const HEIST: [Role; 4] = [
    Role { name: "sentinel", file: "heist/sentinel.ron", kinds: Kinds::GUARD, share: (0, 1) },
    Role { name: "warden", file: "heist/warden.ron", kinds: Kinds::BOSS, share: (0, 1) },
    Role { name: "townsman", file: "heist/townsman.ron", kinds: Kinds::CIVILIAN, share: (0, 1) },
    Role { name: "rabbit", file: "rabbit.ron", kinds: Kinds::RABBIT, share: (0, 1) },
];

/// How many guards the camps can have, chosen by `+` and `-`. There is a fighter and a veteran for
/// each forty of them, and a rabbit for each five.
pub const CROWDS: [u32; 5] = [200, 2_000, 10_000, 50_000, 100_000];
/// How many agents a heist can have.
const TOWNS: [u32; 6] = [100, 500, 2_000, 10_000, 50_000, 100_000];

impl Scene {
    /// Who plays in it.
    #[must_use]
    pub fn roles(self) -> &'static [Role; 4] {
        match self {
            Scene::Heist => &HEIST,
            Scene::Camps => &ROLES,
        }
    }

    /// The crowds to choose from.
    pub(super) fn crowds(self) -> &'static [u32] {
        match self {
            Scene::Heist => &TOWNS,
            Scene::Camps => &CROWDS,
        }
    }

    /// The world, and the actor of the user in it.
    pub(super) fn world(self, crowd: u32, seed: u64) -> Result<(World, ActorId), ActorSpawnError> {
        if self == Scene::Heist {
            let world = World::estate(&Estate { seed, crowd })?;
            let thief = world.heist().map(pleach_arena::Heist::thief).unwrap_or_default();
            return Ok((world, thief));
        }
        let mut world =
            World::demo(&Demo { guards: crowd, fighters: crowd / 20, rabbits: crowd / 5, ..Demo::new(seed) })?;
        // The user begins in the middle of the world, in the first free place that a spiral meets.
        let [w, h] = world.map().side();
        let spiral = (0..4_000).map(|n| {
            let (turn, far) = (n as f32 * 0.5, n as f32 * 0.02);
            [w / 2.0 + far * turn.cos(), h / 2.0 + far * turn.sin()]
        });
        let place = spiral.into_iter().find(|at| world.map().is_free(*at, 0.5)).unwrap_or([w / 2.0, h / 2.0]);
        let user = world.spawn(&ActorSpec { max_hp: 200.0, ..ActorSpec::player(place) })?;
        Ok((world, user))
    }

    /// The trees of its roles.
    pub(super) fn trees(
        self,
        library: &mut Library<Kept>,
        registry: &Registry<Arena>,
        forest: &mut Forest<Arena>,
    ) -> Result<Vec<TreeId>, LoadError> {
        self.roles().iter().map(|role| library.add_tree(role.file, registry, forest)).collect()
    }
}

impl Role {
    /// Its actors.
    pub(super) fn actors(&self, world: &World) -> Vec<ActorId> {
        let (first, step) = self.share;
        world.actors_of(self.kinds).skip(first).step_by(step).collect()
    }
}
