//! Agents that wait for something that never comes. Most of them sleep.

use std::marker::PhantomData;

use pleach::nodes::{Abort, check, guard, idle, reactive_selector, reactive_sequence, selector, sequence, token};
use pleach::{Forest, Spawn, Tree, nodes::Node, schema::Scope};

use super::{Agents, DT, Way, forest};
use crate::crowd::{CHECK_AGENTS, Crowd, Scene, Totals};
use crate::workload::{Quiet, Workload};

/// How many agents a squad has.
const SQUAD: u32 = 8;

impl Quiet {
    fn root(self) -> Node<Agents> {
        match self {
            Self::Reactive => reactive_selector([
                guard("hurt", idle()),
                sequence([check("noise > 3"), idle()]),
                reactive_sequence([check("noise < 9"), idle()]),
            ]),
            Self::Shared => {
                let watched = |test| sequence([check(test), idle()]).aborts(Abort::LOWER_PRIORITY);
                selector([watched("alarm"), watched("post > 3"), idle()])
            }
            Self::Token => reactive_selector([token("strike", 3, idle()).global(), idle()]),
        }
    }

    /// How often an agent is ticked: when it begins, and below a reactive composite once more, to
    /// learn that a rerun changes nothing.
    fn ticks(self) -> u64 {
        match self {
            Self::Reactive => 2,
            Self::Shared => 1,
            Self::Token => self.check_frames().into(),
        }
    }
}

impl Scene for Quiet {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Quiet(quiet) => Some(quiet),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        100
    }

    fn expected(self) -> Totals {
        let woken = u64::from(CHECK_AGENTS) * self.ticks();
        // Agents that hold a place sleep.
        let asleep = if self == Self::Token { 3 * (self.ticks() - 1) } else { 0 };
        Totals { woken: woken - asleep, ..Totals::default() }
    }
}

/// A crowd in a forest.
pub struct QuietForest<R> {
    forest: Forest<Agents>,
    woken: u64,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for QuietForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuietForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for QuietForest<R> {
    type Scene = Quiet;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, scene: Quiet) -> Self {
        let mut forest = forest::<R, _>();
        let mut tree = Tree::builder("sleeper");
        tree.key("hurt", false);
        tree.key("noise", 0_i64);
        if scene == Quiet::Shared {
            tree.key_in(Scope::Global, "alarm", false);
            tree.key_in(Scope::Group, "post", 0_i64);
        }
        let tree = forest.add_tree(tree.build(scene.root()).expect("it is valid")).expect("the first tree");
        let mut group = None;
        for agent in 0..agents {
            if agent.is_multiple_of(SQUAD) {
                group = (scene == Quiet::Shared).then(|| forest.new_group());
            }
            let spawn = Spawn { group, ..Spawn::default() };
            forest.spawn_with(&mut (), tree, spawn).expect("the forest has room");
        }
        Self { forest, woken: 0, how: PhantomData }
    }

    fn frame(&mut self, _: u32) {
        self.woken += self.forest.tick(&mut (), DT).expect("it is a valid dt").ticked;
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.woken, ..Totals::default() }
    }
}
