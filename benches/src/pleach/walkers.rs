//! Walkers.

use std::marker::PhantomData;

use pleach::nodes::{action, inverter, selector, sequence};
use pleach::{Context, Entity, Forest, Host, Spawn, Status, Tree, nodes::Node};

use super::{DT, Way, forest};
use crate::crowd::{Crowd, Totals};
use crate::walk::{self, LENGTH, Walk};

/// The game: a counter per agent; each agent knows its index.
struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut [u32];
}

/// A crowd in a forest. The walk watches nothing, so evaluating in every tick changes nothing.
pub struct WalkForest<R> {
    forest: Forest<Game>,
    walked: Vec<u32>,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for WalkForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WalkForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for WalkForest<R> {
    type Scene = Walk;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, _: Walk) -> Self {
        let mut forest = forest::<R, _>();
        let tree = tree(|cx: &mut Context<'_, '_, Game>| {
            let own = cx.entity().index().and_then(|it| cx.host.get_mut(it));
            let walked = own.expect("each walker has a counter");
            *walked = walked.wrapping_add(1);
        });
        let tree = forest.add_tree(tree).expect("the first tree");
        let mut walked = vec![0; agents as usize];
        for id in 0..agents as usize {
            let spawn = Spawn { entity: Entity::from_index(id), ..Spawn::default() };
            forest.spawn_with(&mut &mut *walked, tree, spawn).expect("the forest has room");
        }
        Self { forest, walked, how: PhantomData }
    }

    fn frame(&mut self, _: u32) {
        self.forest.tick(&mut &mut *self.walked, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        walk::totals(self.walked.iter().copied())
    }
}

/// The walk, of two actions that do `count` and succeed.
pub(super) fn tree<H: Host>(count: impl Fn(&mut Context<'_, '_, H>) + Copy + Send + Sync + 'static) -> Tree<H> {
    let walk = move || -> Node<H> {
        action(move |cx: &mut Context<'_, '_, H>| {
            count(cx);
            Status::Success
        })
    };
    // The same, of another type.
    let step = move || -> Node<H> {
        action(move |cx: &mut Context<'_, '_, H>| {
            count(cx);
            Status::Success
        })
    };
    let root = selector([inverter(inverter(selector([
        inverter(sequence((0..LENGTH).map(|at| if at % 2 == 0 { walk() } else { step() }))),
        inverter(inverter(walk())),
    ])))]);
    Tree::builder("walk").build(root).expect("the walk tree is valid")
}
