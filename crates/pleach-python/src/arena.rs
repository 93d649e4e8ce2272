//! `pleach.arena`: the world that comes with pleach, whose leaves are written in Rust.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_arena::{ActorSpec, Arena, Game, Kind, Map, TREES, Team, World, registry};
use pleach_asset::Library;
use pleach_core::{Forest, Tree};
use pleach_draw::Drawing;
use pyo3::prelude::*;

use crate::array;
use crate::error::{error, reported};
use crate::key::no_pickle;

/// The thickness of the walls of a duel, in metres.
const WALL: f32 = 1.5;
/// How far a place must be from walls.
const ROOM: f32 = 0.6;

/// A tree of the arena: one that comes with pleach by its name, such as `guard.ron`, or text.
#[pyclass(frozen, module = "pleach._pleach", name = "ArenaTree")]
pub(crate) struct PyArenaTree(Arc<Tree<Arena>>);

#[pymethods]
impl PyArenaTree {
    #[new]
    #[pyo3(signature = (tree, file="tree.ron"))]
    fn new(py: Python<'_>, tree: &str, file: &str) -> PyResult<Self> {
        let mut files: BTreeMap<&str, &str> = TREES.iter().copied().collect();
        let name = if files.contains_key(tree) {
            tree
        } else if !tree.contains('(') {
            // Every text of a tree has a parenthesis.
            return Err(error(format!(
                "there is no tree `{tree}`: the arena has {}; give one of these, or the text of a tree",
                PyArenaTree::shipped().join(", ")
            )));
        } else {
            files.insert(file, tree);
            file
        };
        let tree = Library::new(files).load(name, &registry()).map_err(|it| reported(py, &it))?;
        Ok(PyArenaTree(Arc::new(tree)))
    }

    /// The names of the trees that come with pleach, except those that are only parts of others.
    #[staticmethod]
    fn shipped() -> Vec<&'static str> {
        let names = || TREES.iter().map(|it| it.0).filter(|it| it.ends_with(".ron") && !it.ends_with(".test.ron"));
        let is_part = |name: &str| {
            name.rsplit_once('/').is_some_and(|(whole, _)| names().any(|it| it.strip_suffix(".ron") == Some(whole)))
        };
        names().filter(|it| !is_part(it)).collect()
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    fn _repr_svg_(&self) -> String {
        Drawing::of(&self.0).svg()
    }

    fn __repr__(&self) -> String {
        format!("<ArenaTree `{}` of {} nodes>", self.0.name(), self.0.len())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("Tree"))
    }
}

/// A game in the arena.
#[pyclass(module = "pleach._pleach", name = "ArenaGame")]
pub(crate) struct PyArenaGame {
    game: Game,
    /// How many of the actors are on the first side.
    first: usize,
}

#[pymethods]
impl PyArenaGame {
    /// Agents of a tree in a large arena with camps, walls, routes and wandering players.
    #[staticmethod]
    fn crowd(tree: &Bound<'_, PyArenaTree>, agents: usize, seed: u64) -> PyResult<Self> {
        let game = Game::new(Arc::clone(&tree.get().0), agents, seed).map_err(error)?;
        Ok(PyArenaGame { game, first: agents })
    }

    /// Two sides on a small map with some walls, each of which sees the other as players and as
    /// targets. The dead do not come back to life.
    #[staticmethod]
    #[pyo3(signature = (red, blue, *, reds, blues, seed, side, walls, red_hp, blue_hp))]
    #[expect(clippy::too_many_arguments, reason = "all by name")]
    fn duel(
        red: &Bound<'_, PyArenaTree>,
        blue: &Bound<'_, PyArenaTree>,
        reds: u32,
        blues: u32,
        seed: u64,
        side: f32,
        walls: u32,
        red_hp: f32,
        blue_hp: f32,
    ) -> PyResult<Self> {
        let mut dice = Dice(seed);
        let mut map = Map::open([side, side]).map_err(error)?;
        for _ in 0..walls {
            let (x, y) = (dice.within(0.15, 0.8) * side, dice.within(0.1, 0.8) * side);
            let length = side * 0.12;
            let far = if dice.next() & 1 == 0 { [x + length, y + WALL] } else { [x + WALL, y + length] };
            map.add_wall([x, y], far).map_err(error)?;
        }
        let corner = |it: [f32; 2]| it.map(|it| it * side);
        let round = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]].map(corner);
        let mut back = round;
        back.reverse();
        let routes = [map.add_route(&round).map_err(error)?, map.add_route(&back).map_err(error)?];
        let mut world = World::new(map, dice.next());
        let mut cast = [Vec::new(), Vec::new()];
        for (at, (count, hp, from)) in [(reds, red_hp, 0.05), (blues, blue_hp, 0.75)].into_iter().enumerate() {
            for _ in 0..count {
                let position = free(&world, &mut dice, side, from)?;
                let (kind, team) = (Kind::Player, if at == 0 { Team::Red } else { Team::Blue });
                let plain = ActorSpec::guard(position);
                let spec = ActorSpec { kind, team, max_hp: hp, route: Some(routes[at]), ..plain };
                cast[at].push(world.spawn(&spec).map_err(error)?);
            }
        }
        let mut forest = Forest::new(dice.next());
        let trees = [red, blue].map(|it| forest.add_tree(Arc::clone(&it.get().0)));
        let [red, blue] = trees;
        let casts = [(red.map_err(error)?, &*cast[0]), (blue.map_err(error)?, &*cast[1])];
        let first = casts[0].1.len();
        let game = Game::with_forest_of(forest, world, &casts).map_err(error)?;
        Ok(PyArenaGame { game, first })
    }
    /// Advances time by `dt` seconds, this number of times. Returns how many agents were ticked.
    #[pyo3(signature = (dt, frames=1))]
    fn frame(&mut self, py: Python<'_>, dt: f64, frames: u32) -> PyResult<u64> {
        #[expect(clippy::cast_possible_truncation, reason = "time comes in as `f32`")]
        let dt = dt as f32;
        let game = &mut self.game;
        py.detach(|| {
            let mut ticked = 0;
            for _ in 0..frames {
                ticked += game.frame(dt).map_err(error)?.tick.ticked;
            }
            Ok(ticked)
        })
    }

    /// Advances time until one side is dead, or `seconds` have passed. Returns the seconds that
    /// passed.
    fn fight(&mut self, py: Python<'_>, dt: f64, seconds: f64) -> PyResult<f64> {
        #[expect(clippy::cast_possible_truncation, reason = "time comes in as `f32`")]
        let step = dt as f32;
        py.detach(|| {
            while self.game.world.time() < seconds && self.living().iter().all(|it| *it > 0) {
                self.game.frame(step).map_err(error)?;
                if step <= 0.0 {
                    return Err(error("a `dt` of 0 never ends a fight"));
                }
            }
            Ok(self.game.world.time())
        })
    }

    /// How many of each side are alive.
    #[getter]
    fn alive(&self) -> (usize, usize) {
        self.living().into()
    }

    /// Seconds since the beginning.
    #[getter]
    fn time(&self) -> f64 {
        self.game.world.time()
    }

    /// One number for everything that moves.
    #[getter]
    fn digest(&self) -> u64 {
        self.game.world.digest()
    }

    /// The places of the agents' actors, as an array of two columns.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let at = |it| self.game.world.position(it).unwrap_or_default();
        let all: Vec<[f32; 2]> = self.actors().map(at).collect();
        array::rows(py, &all)
    }

    /// The health of the agents' actors, from 0 to 1.
    #[getter]
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all: Vec<f32> = self.actors().map(|it| self.game.world.health(it).unwrap_or_default()).collect();
        array::array(py, &all)
    }

    /// Which side each agent is on: 0 or 1.
    #[getter]
    fn sides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all: Vec<u8> = (0..self.game.agents().len()).map(|it| u8::from(it >= self.first)).collect();
        array::array(py, &all)
    }

    fn __len__(&self) -> usize {
        self.game.agents().len()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle("game of the arena"))
    }
}

impl PyArenaGame {
    fn actors(&self) -> impl Iterator<Item = pleach_arena::ActorId> + '_ {
        self.game.agents().iter().filter_map(|it| self.game.actor_of(*it))
    }

    fn living(&self) -> [usize; 2] {
        let mut living = [0; 2];
        for (at, actor) in self.actors().enumerate() {
            living[usize::from(at >= self.first)] += usize::from(self.game.world.is_alive(actor));
        }
        living
    }
}

/// A place of a side that no wall covers.
fn free(world: &World, dice: &mut Dice, side: f32, from: f32) -> PyResult<[f32; 2]> {
    for _ in 0..1000 {
        let at = [dice.within(from, from + 0.2) * side, dice.within(0.05, 0.95) * side];
        if world.map().is_free(at, ROOM) {
            return Ok(at);
        }
    }
    Err(error(format!("a map with a side of {side} m has no room: give it fewer walls, or make it larger")))
}

/// The layout of a duel, from its seed: splitmix64 (Steele, Lea and Flood 2014).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    fn within(&mut self, from: f32, to: f32) -> f32 {
        let part = f32::from((self.next() >> 48) as u16) / 65536.0;
        from + (to - from) * part
    }
}
