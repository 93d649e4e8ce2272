//! Common parts of the stories: a tree from `trees/`, a small world to play in, and a clock that
//! counts frames.

use std::sync::Arc;

use pleach::{AgentId, Library, Tree, trace::Recorder};
use pleach_arena::{ActorId, Arena, FrameReport, Game, Point, Said, World, registry};

/// The length of a frame, in seconds.
pub(crate) const DT: f32 = 0.1;

/// A tree of the repository, with all files that it includes.
pub(crate) fn tree(file: &str) -> Arc<Tree<Arena>> {
    let mut trees = Library::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees")).unwrap();
    trees.load(file, &registry()).unwrap_or_else(|report| panic!("{report}")).into()
}

/// A tree from a text.
pub(crate) fn parse(file: &str, source: &str) -> Arc<Tree<Arena>> {
    pleach_asset::load_str(file, source, &registry()).unwrap_or_else(|report| panic!("{report}")).into()
}

/// A game, played frame by frame.
pub(crate) struct Story {
    pub(crate) game: Game,
    /// What the agents do.
    pub(crate) recorder: Recorder,
    /// The only agent, or the first.
    pub(crate) agent: AgentId,
    /// Its actor.
    pub(crate) actor: ActorId,
    frames: u32,
}

impl Story {
    pub(crate) fn new(file: &str, world: World, actors: &[ActorId]) -> Story {
        Story::of(tree(file), world, actors, Recorder::of([]))
    }

    pub(crate) fn of(tree: Arc<Tree<Arena>>, world: World, actors: &[ActorId], recorder: Recorder) -> Story {
        let mut game = Game::with_world(tree, world, actors, 1).unwrap();
        game.journal.set_room(1000);
        let agent = game.agents()[0];
        Story { game, recorder, agent, actor: actors[0], frames: 0 }
    }

    /// Lets one frame pass.
    pub(crate) fn frame(&mut self) -> FrameReport {
        self.frames += 1;
        self.game.frame_traced(DT, &mut self.recorder).unwrap()
    }

    fn seconds(&self) -> f64 {
        f64::from(self.frames) * f64::from(DT)
    }

    /// Lets `seconds` seconds pass.
    pub(crate) fn play(&mut self, seconds: f64) {
        // Half a frame early, so that rounding adds none.
        let end = self.seconds() + seconds - f64::from(DT) / 2.0;
        while self.seconds() < end {
            self.frame();
        }
    }

    /// Plays frames until something holds, at most a minute; returns how many seconds that took.
    pub(crate) fn until(&mut self, what: &str, holds: impl Fn(&Game) -> bool) -> f64 {
        let begun = self.seconds();
        while !holds(&self.game) {
            assert!(self.seconds() < begun + 60.0, "a minute has passed, but not: {what}");
            self.frame();
        }
        self.seconds() - begun
    }

    /// Where an actor is.
    pub(crate) fn at(&self, actor: ActorId) -> Point {
        self.game.world.position(actor).unwrap()
    }

    /// The names of the nodes that are active on the first agent's first stack, root first.
    pub(crate) fn path(&self) -> Vec<String> {
        let view = self.game.forest.agent(self.agent).unwrap().inspect();
        let stack = view.stacks.first().cloned().unwrap_or_default();
        stack.iter().map(|id| view.tree.node(*id).unwrap().label().to_owned()).collect()
    }

    /// Whether a node of that name is active in the first agent.
    pub(crate) fn does(&self, name: &str) -> bool {
        does(&self.game, self.agent, name)
    }

    /// The log lines since the last call, oldest first.
    pub(crate) fn logs(&mut self) -> Vec<String> {
        let text = |said: &Said| if let Said::Logged(_, text) = said { Some(text.to_string()) } else { None };
        let logs = self.game.journal.entries().filter_map(|entry| text(&entry.said)).collect();
        self.game.journal.clear();
        logs
    }

    /// Sets a `Bool` key of the first agent.
    pub(crate) fn set(&mut self, key: &str, value: bool) {
        let tree = self.game.forest.tree(self.game.tree()).unwrap();
        let key = tree.key(key).unwrap();
        self.game.forest.keys_mut(self.agent).unwrap().set(key, value);
    }
}

/// Whether a node of that name is active in an agent.
pub(crate) fn does(game: &Game, agent: AgentId, name: &str) -> bool {
    let tree = game.forest.tree(game.tree()).unwrap();
    let found = tree.find(name).next().unwrap_or_else(|| panic!("no node is called `{name}`")).id();
    game.forest.agent(agent).unwrap().is_active(found)
}

/// How far apart two points are.
pub(crate) fn distance(a: Point, b: Point) -> f32 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// Whether two points are the same, apart from the rounding of many steps.
pub(crate) fn close(a: Point, b: Point) -> bool {
    distance(a, b) < 0.01
}
