//! Guards of many trees: what a population costs on top of its agents.

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use pleach::{AgentId, Forest, Host, Tree, TreeBuilder};
use slotmap::{DefaultKey, KeyData, SecondaryMap};

use super::guards::{self, Cx, Ledger};
use super::{DT, DefaultWay, OtherWay, Way, forest};
use crate::crowd::{CHECK_AGENTS, Crowd, Scene, Totals};
use crate::guard::{Counts, Deed, Guards};
use crate::workload::Workload;

/// How many there are.
const TREES: usize = 1_000;

/// The game: what each guard has done, by agent, as its guards have no entities.
struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut SecondaryMap<DefaultKey, Counts>;
}

impl Ledger for Game {
    type Place = ();

    fn place(_: &mut TreeBuilder<Self>) {}

    #[inline]
    fn note(cx: &mut Cx<'_, '_, Self>, (): (), deed: Deed) {
        let agent = cx.agent();
        let count = cx.host[key(agent)].of(deed);
        *count = count.wrapping_add(1);
    }
}

/// All equal, but each with its own memory. They are made once, before anything is measured: a game
/// has its trees with or without agents, so they do not count as the agents' memory.
static ALL: LazyLock<Vec<Arc<Tree<Game>>>> =
    LazyLock::new(|| (0..TREES).map(|_| Arc::new(guards::tree::<Game>(Guards::Observed).0)).collect());

/// The scene has no variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManyTrees;

impl Scene for ManyTrees {
    fn of(workload: Workload) -> Option<Self> {
        (workload == Workload::Trees).then_some(Self)
    }

    fn check_frames(self) -> u32 {
        Guards::Observed.check_frames()
    }

    fn expected(self) -> Totals {
        let ticks = u64::from(CHECK_AGENTS) * u64::from(self.check_frames());
        Totals { waypoint: ticks, ..Totals::default() }
    }
}

/// Equally many agents of each tree, in one forest.
pub struct TreesForest<R> {
    forest: Forest<Game>,
    counts: SecondaryMap<DefaultKey, Counts>,
    how: PhantomData<R>,
}

impl<R: Way> TreesForest<R> {
    fn of(trees: &[Arc<Tree<Game>>], agents: u32) -> Self {
        let mut forest = forest::<R, _>();
        let mut counts = SecondaryMap::with_capacity(agents as usize);
        let trees: Vec<_> = trees.iter().map(|it| forest.add_tree(Arc::clone(it)).expect("the same keys")).collect();
        // One agent of each tree, then the next of each: agents are not spawned tree by tree.
        for (_, &tree) in (0..agents).zip(trees.iter().cycle()) {
            let agent = forest.spawn(&mut &mut counts, tree).expect("the forest has room");
            counts.insert(key(agent), Counts::default());
        }
        Self { forest, counts, how: PhantomData }
    }
}

impl<R> std::fmt::Debug for TreesForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreesForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for TreesForest<R> {
    type Scene = ManyTrees;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, _: ManyTrees) -> Self {
        Self::of(&ALL, agents)
    }

    fn frame(&mut self, _: u32) {
        self.forest.tick(&mut &mut self.counts, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        self.counts.values().copied().sum()
    }
}

/// The names of forests of one tree: in the default way, and in the other.
pub const ONE_TREE: [&str; 2] = [OneTree::<DefaultWay>::NAME, OneTree::<OtherWay>::NAME];

/// The same agents, all of one tree.
#[derive(Debug)]
pub struct OneTree<R>(TreesForest<R>);

impl<R: Way> Crowd for OneTree<R> {
    type Scene = ManyTrees;
    const NAME: &'static str = if R::BATCHED { "one-tree-batched" } else { "one-tree-in-order" };

    fn new(agents: u32, _: ManyTrees) -> Self {
        Self(TreesForest::of(&ALL[..1], agents))
    }

    fn frame(&mut self, frame: u32) {
        self.0.frame(frame);
    }

    fn totals(&self) -> Totals {
        self.0.totals()
    }
}

/// The key of an agent in a map of counts.
fn key(agent: AgentId) -> DefaultKey {
    KeyData::from_ffi(agent.to_bits()).into()
}
