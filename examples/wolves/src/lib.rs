//! Wolves hunt sheep: a small game, to see how one is written with pleach.
//!
//! `world` knows no trees, `leaves` is what animals can do, `wolf.ron` and `sheep.ron` say when,
//! and `story` plays a minute.
#![expect(missing_docs, reason = "it is read as a whole")]
#![expect(clippy::cast_possible_truncation, reason = "entities are small, and places are coarse")]

pub mod leaves;
mod story;
pub mod world;

use std::error::Error;

use pleach::error::StaleError;
use pleach::trace::Tracer;
use pleach::{Entity, Forest, GroupId, Key, Keys, Registry, Spawn, TreeId, load_str};

pub use story::play;
use world::{Animal, Meadow, Place, World};

pub const WOLF: &str = include_str!("../wolf.ron");

/// What the game says to the wolves.
#[derive(Debug, Keys)]
pub struct WolfKeys {
    /// Where the den of the pack is at first.
    #[key(group, writes)]
    den: Key<Place>,
}

/// What the game says to the sheep.
#[derive(Debug, Keys)]
pub struct SheepKeys {
    /// How far away the nearest wolf is.
    #[key(writes)]
    wolf_distance: Key<f32>,
    /// A place away from it.
    #[key(writes)]
    refuge: Key<Place>,
}

#[derive(Debug)]
pub struct Game {
    pub world: World,
    pub forest: Forest<Meadow>,
    pub registry: Registry<Meadow>,
    pub wolves: TreeId,
    pub sheep: TreeId,
    pub packs: Vec<GroupId>,
    sheep_keys: SheepKeys,
}

impl Game {
    /// 20 packs of ten wolves and 5 herds of ten sheep.
    pub fn new(seed: u64) -> Result<Game, Box<dyn Error>> {
        let mut registry = leaves::registry()?;
        registry.keys::<WolfKeys>("wolf")?.keys::<SheepKeys>("sheep")?;
        let wolf = load_str("wolf.ron", WOLF, &registry)?;
        let sheep = load_str("sheep.ron", include_str!("../sheep.ron"), &registry)?;
        let mut forest = Forest::new(seed);
        let (wolves, sheep) = (forest.add_tree(wolf)?, forest.add_tree(sheep)?);
        let (WolfKeys { den }, sheep_keys) = (forest.bind(wolves)?, forest.bind(sheep)?);
        let world = World { animals: vec![Animal::default()], story: String::new() };
        let mut game = Game { world, forest, registry, wolves, sheep, packs: Vec::new(), sheep_keys };
        for pack in 0..20_u8 {
            let place = [pack % 5, pack / 5].map(|it| 30.0 + 45.0 * f32::from(it));
            let group = game.settle(false, place)?;
            game.forest.group_mut(group)?.keys_mut().set(den, place);
            game.packs.push(group);
        }
        for herd in 0..5_u8 {
            game.settle(true, [30.0 + 45.0 * f32::from(herd), 100.0])?;
        }
        Ok(game)
    }

    /// Ten animals side by side, which are a group.
    fn settle(&mut self, sheep: bool, [x, y]: Place) -> Result<GroupId, Box<dyn Error>> {
        let tree = if sheep { self.sheep } else { self.wolves };
        let group = self.forest.new_group();
        for place in 0..10_u8 {
            let entity = Entity::from_bits(self.world.animals.len() as u64);
            let spawn = Spawn { entity, group: Some(group), ..Spawn::default() };
            let agent = self.forest.spawn_with(&mut self.world, tree, spawn)?;
            self.world.animals.push(Animal { agent, at: [x + 2.0 * f32::from(place), y], sheep, alive: true });
        }
        Ok(group)
    }

    /// A second of the game, seen by the tracer.
    pub fn second(&mut self, tracer: &mut impl Tracer) -> Result<(), Box<dyn Error>> {
        for _ in 0..30 {
            self.look_round()?;
            self.forest.traced(tracer).tick(&mut self.world, 1.0 / 30.0)?;
        }
        Ok(())
    }

    /// What sheep know of wolves.
    fn look_round(&mut self) -> Result<(), StaleError> {
        self.forest.population_mut(self.sheep).map(|mut it| {
            it.update_agents(|sheep| {
                let at = self.world.animal(sheep.entity()).at;
                let Some((wolf, far)) = self.world.nearest(false, at) else { return };
                let wolf = self.world.animal(wolf).at;
                sheep.set(self.sheep_keys.wolf_distance, far);
                sheep.set(self.sheep_keys.refuge, [0, 1].map(|i| at[i] + 100.0 * (at[i] - wolf[i])));
            })
        })
    }
}
