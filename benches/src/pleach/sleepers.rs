//! Sleepers: agents in a `Wait` are left alone until it is over.

use std::marker::PhantomData;

use pleach::nodes::{action, repeat_forever, sequence, wait};
use pleach::{Context, Entity, Forest, Host, Spawn, Status, TickReport, Tree, nodes::Node};

use super::{DT, Way, forest};
use crate::crowd::{Crowd, Totals};
use crate::sleep::Sleep;

/// What the game knows about its sleepers.
#[derive(Debug, Default)]
struct Bedroom {
    /// How many frames each still runs Stagger. Each sleeper knows its index.
    phases: Vec<u32>,
    /// How often any agent has woken.
    woken: u64,
}

/// The game.
struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut Bedroom;
}

/// A game of sleepers.
pub(super) trait Dormitory: Host + Sized {
    /// How many frames the agent still runs Stagger.
    fn phase<'c>(cx: &'c mut Context<'_, '_, Self>) -> &'c mut u32;

    /// The agent has woken.
    fn wake(cx: &mut Context<'_, '_, Self>);
}

impl Dormitory for Game {
    #[inline]
    fn phase<'c>(cx: &'c mut Context<'_, '_, Self>) -> &'c mut u32 {
        let own = cx.entity().index().and_then(|it| cx.host.phases.get_mut(it));
        own.expect("each sleeper has a phase")
    }

    #[inline]
    fn wake(cx: &mut Context<'_, '_, Self>) {
        cx.host.woken += 1;
    }
}

/// A crowd in a forest.
pub struct SleepForest<R> {
    forest: Forest<Game>,
    bedroom: Bedroom,
    /// What the last frame did.
    report: TickReport,
    how: PhantomData<R>,
}

impl<R> SleepForest<R> {
    /// How many agents the last frame left alone.
    #[must_use]
    pub fn asleep(&self) -> u64 {
        self.report.asleep
    }
}

impl<R> std::fmt::Debug for SleepForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SleepForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for SleepForest<R> {
    type Scene = Sleep;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        let mut forest = forest::<R, _>();
        let tree = forest.add_tree(tree::<Game>(scene)).expect("the first tree");
        let mut bedroom = Bedroom { phases: (0..agents).map(|id| scene.phase(id)).collect(), woken: 0 };
        for id in 0..agents as usize {
            let spawn = Spawn { entity: Entity::from_index(id), ..Spawn::default() };
            forest.spawn_with(&mut &mut bedroom, tree, spawn).expect("the forest has room");
        }
        Self { forest, bedroom, report: TickReport::default(), how: PhantomData }
    }

    fn frame(&mut self, _: u32) {
        self.report = self.forest.tick(&mut &mut self.bedroom, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.bedroom.woken, ..Totals::default() }
    }
}

/// The sleepers' tree.
pub(super) fn tree<H: Dormitory>(scene: Sleep) -> Tree<H> {
    let stagger = action(|cx: &mut Context<'_, '_, H>| {
        let phase = H::phase(cx);
        let Some(left) = phase.checked_sub(1) else { return Status::Success };
        *phase = left;
        Status::Running
    });
    let count = || -> Node<H> {
        action(|cx: &mut Context<'_, '_, H>| {
            H::wake(cx);
            Status::Success
        })
    };
    let [first, second] = scene.waits().map(|frames| wait(f64::from(frames) / 60.0));
    let root = sequence([stagger, repeat_forever(sequence([first, count(), second, count()]))]);
    Tree::builder("sleeper").build(root).expect("the sleepers' tree is valid")
}
