//! Wolves hunt sheep: a small game, to see how one is written with pleach.
//!
//! `world` is the game without trees, `leaves` is what animals can do, `wolf.ron` and `sheep.ron` say
//! when they do it, and this file puts them together.

pub mod leaves;
pub mod world;

use std::error::Error;

use pleach::{AgentId, Entity, Event, Forest, GroupId, Host, Key, NodeId, Registry, Spawn, TreeId, load_str};

use world::{Animal, Kind, Place, SIDE, World};

/// The trees. A game in development reads them from disk, and again when they have changed.
pub const WOLF: &str = include_str!("../wolf.ron");
const SHEEP: &str = include_str!("../sheep.ron");

/// Seconds per step.
pub const STEP: f32 = 1.0 / 30.0;

/// The host: leaves borrow the world.
#[derive(Debug)]
pub struct Meadow;

impl Host for Meadow {
    type Cx<'a> = World;

    fn on_emit(world: &mut World, _: AgentId, event: Event) {
        world.given_up += u32::from(event.is("gave_up"));
    }
}

/// The world, and the agents that think for the animals in it.
#[derive(Debug)]
pub struct Game {
    /// What is.
    pub world: World,
    /// Who thinks.
    pub forest: Forest<Meadow>,
    /// The tree of the wolves.
    pub wolves: TreeId,
    /// The tree of the sheep.
    pub sheep: TreeId,
    /// The wolves' groups.
    pub packs: Vec<GroupId>,
    /// Who ate whom, a line each.
    pub meals: Vec<String>,
    registry: Registry<Meadow>,
    wolf_distance: Key<f32>,
    wolf_at: Key<Place>,
}

impl Game {
    /// 20 packs of 10 wolves and 5 herds of 10 sheep.
    pub fn new(seed: u64) -> Result<Game, Box<dyn Error>> {
        let registry = leaves::registry()?;
        let sheep = load_str("sheep.ron", SHEEP, &registry)?;
        let (wolf_distance, wolf_at) = (sheep.key("wolf_distance")?, sheep.key("wolf_at")?);
        let mut forest = Forest::new(seed);
        let wolves = forest.add_tree(load_str("wolf.ron", WOLF, &registry)?)?;
        let sheep = forest.add_tree(sheep)?;
        let (world, packs, meals) = (World::default(), Vec::new(), Vec::new());
        let mut game = Game { world, forest, wolves, sheep, packs, meals, registry, wolf_distance, wolf_at };
        for pack in 0..20 {
            let den = [pack % 5, pack / 5].map(|it| 30.0 + 45.0 * it as f32);
            let group = game.settle(Kind::Wolf, den)?;
            game.forest.set_group_value(group, "den", den)?;
            game.packs.push(group);
        }
        for herd in 0..5 {
            game.settle(Kind::Sheep, [30.0 + 45.0 * herd as f32, SIDE - 20.0])?;
        }
        Ok(game)
    }

    /// Ten animals of a kind, which are a group.
    fn settle(&mut self, kind: Kind, at: Place) -> Result<GroupId, Box<dyn Error>> {
        let tree = if kind == Kind::Wolf { self.wolves } else { self.sheep };
        let group = self.forest.new_group();
        for place in 0..10 {
            let spawn = Spawn { entity: self.world.next(), group: Some(group), ..Spawn::default() };
            let agent = self.forest.spawn_with(&mut self.world, tree, spawn)?;
            let at = [at[0] + 2.0 * place as f32, at[1]];
            self.world.animals.push(Animal { kind, agent, at, health: 1.0 });
        }
        Ok(group)
    }

    /// A step of the game: the sheep look round, all think and act, and the dead are taken away.
    pub fn step(&mut self) -> Result<(), Box<dyn Error>> {
        self.forest.update_agents(self.sheep, |sheep| {
            let at = self.world.place(sheep.entity());
            if let Some((wolf, far)) = self.world.nearest(Kind::Wolf, at) {
                sheep.set(self.wolf_distance, far);
                sheep.set(self.wolf_at, self.world.place(wolf));
            }
        })?;
        self.forest.tick(&mut self.world, STEP)?;
        for meal in std::mem::take(&mut self.world.meals) {
            let (Some(wolf), Some(sheep)) = (self.world.animal(meal.wolf), self.world.animal(meal.sheep)) else { continue };
            let (wolf, sheep, at) = (wolf.agent, sheep.agent, sheep.at);
            self.forest.despawn(&mut self.world, sheep)?;
            for &pack in &self.packs {
                if self.forest.group_value(pack, "prey")? == meal.sheep.into() {
                    self.forest.remove_group_value(pack, "prey")?;
                }
            }
            if let Some(pack) = self.forest.group_of(wolf)? {
                self.forest.send_to_group(pack, Event::new("feast").with(at))?;
            }
            let time = self.forest.time();
            self.meals.push(format!("{time:.1} s: wolf {} ate sheep {}", meal.wolf.0, meal.sheep.0));
        }
        Ok(())
    }

    /// Gives the wolves another version of their tree, while they live.
    pub fn reload(&mut self, source: &str) -> Result<(), Box<dyn Error>> {
        let tree = load_str("wolf.ron", source, &self.registry)?;
        Ok(self.forest.replace_tree(&mut self.world, self.wolves, tree)?)
    }

    /// What the agents of a tree do: how many are in each branch below its root.
    pub fn doing(&self, tree: TreeId) -> Result<String, Box<dyn Error>> {
        let mut parts = Vec::new();
        for branch in self.forest.tree(tree)?.root().children() {
            let agents = self.forest.agents(tree)?;
            let count = agents.filter(|it| self.is_in(*it, branch.id())).count();
            parts.push(format!("{count} {}", branch.label()));
        }
        Ok(parts.join(", "))
    }

    /// Whether an agent does something in a branch of its tree.
    pub fn is_in(&self, agent: AgentId, branch: NodeId) -> bool {
        let tree = self.forest.tree_of(agent).and_then(|it| self.forest.tree(it));
        let current = self.forest.current(agent).ok().flatten();
        tree.is_ok_and(|tree| current.is_some_and(|it| tree.contains(branch, it)))
    }

    /// The prey of a pack.
    pub fn prey(&self, pack: GroupId) -> Result<Entity, Box<dyn Error>> {
        match self.forest.group_value(pack, "prey")? {
            pleach::Value::Entity(prey) => Ok(prey),
            other => Err(format!("`prey` is {other:?}").into()),
        }
    }
}
