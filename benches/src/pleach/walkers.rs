//! Walkers.

use std::marker::PhantomData;

use pleach::nodes::{action, inverter, selector, sequence};
use pleach::{AgentId, Context, Forest, Host, Node, Status, Tree};
use slotmap::SecondaryMap;

use super::{DT, InOrder, Observed, Polled, Way};
use crate::crowd::{Crowd, Totals};
use crate::walk::{self, LENGTH, Walk};

/// Walkers that are ticked in batches.
pub type PleachWalkers = WalkForest<Observed>;
/// Walkers in a forest that evaluates watched conditions in every tick. The walk has none.
pub type PleachPolledWalkers = WalkForest<Polled>;
/// Walkers that are ticked in their order.
pub type PleachInOrderWalkers = WalkForest<InOrder>;

/// The game: a counter per agent.
struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut SecondaryMap<AgentId, u32>;
}

/// A crowd in a forest.
pub struct WalkForest<R> {
    forest: Forest<Game>,
    walked: SecondaryMap<AgentId, u32>,
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
        let mut forest = Forest::new(7);
        forest.set_reevaluate_every_tick(R::EVERY_TICK);
        forest.set_batched(R::BATCHED);
        let tree = forest.add_tree(tree()).expect("the first tree");
        let mut walked = SecondaryMap::new();
        for _ in 0..agents {
            let agent = forest.spawn(&mut &mut walked, tree).expect("the forest has room");
            walked.insert(agent, 0);
        }
        Self { forest, walked, how: PhantomData }
    }

    fn frame(&mut self, _: u32) {
        self.forest.tick(&mut &mut self.walked, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        walk::totals(self.walked.values().copied())
    }
}

fn tree() -> Tree<Game> {
    let step = || -> Node<Game> {
        action(|cx: &mut Context<'_, '_, Game>| {
            let agent = cx.agent();
            let walked = &mut cx.host[agent];
            *walked = walked.wrapping_add(1);
            Status::Success
        })
        .into()
    };
    let root = selector([inverter(inverter(selector([
        inverter(sequence((0..LENGTH).map(|_| step()))),
        inverter(inverter(step())),
    ])))]);
    Tree::builder("walk").build(root).expect("the walk tree is valid")
}
