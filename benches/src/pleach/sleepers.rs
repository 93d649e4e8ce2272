//! Sleepers: agents in a `Wait` are left alone until it is over.

use pleach::nodes::{action, repeat_forever, sequence, wait};
use pleach::{AgentId, Context, Forest, Host, Node, Status, TickReport, Tree};
use slotmap::SecondaryMap;

use super::{DT, Observed, Reevaluation};
use crate::crowd::{Crowd, Totals};
use crate::sleep::{self, Sleep};

/// What the game knows of a sleeper.
#[derive(Clone, Copy, Debug)]
struct Sleeper {
    phase: u32,
    woken: u32,
}

/// The game: the sleepers, by agent.
struct Game;

impl Host for Game {
    type Cx<'a> = &'a mut SecondaryMap<AgentId, Sleeper>;
}

/// A crowd in a forest.
pub struct PleachSleepers {
    forest: Forest<Game>,
    sleepers: SecondaryMap<AgentId, Sleeper>,
    /// What the last frame did.
    report: TickReport,
}

impl PleachSleepers {
    /// How many agents the last frame left alone.
    #[must_use]
    pub fn asleep(&self) -> u64 {
        self.report.asleep
    }
}

impl std::fmt::Debug for PleachSleepers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PleachSleepers").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl Crowd for PleachSleepers {
    type Scene = Sleep;
    const NAME: &'static str = Observed::NAME;

    fn new(agents: u32, scene: Sleep) -> Self {
        let mut forest = Forest::new(7);
        let tree = forest.add_tree(tree(scene)).expect("the first tree");
        let mut sleepers = SecondaryMap::new();
        for id in 0..agents {
            let agent = forest.spawn(&mut &mut sleepers, tree).expect("the forest has room");
            sleepers.insert(agent, Sleeper { phase: scene.phase(id), woken: 0 });
        }
        Self { forest, sleepers, report: TickReport::default() }
    }

    fn frame(&mut self, _: u32) {
        self.report = self.forest.tick(&mut &mut self.sleepers, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        sleep::totals(self.sleepers.values().map(|it| it.woken))
    }
}

fn tree(scene: Sleep) -> Tree<Game> {
    let stagger = action(|cx: &mut Context<'_, '_, Game>| {
        let agent = cx.agent();
        let Some(left) = cx.host[agent].phase.checked_sub(1) else { return Status::Success };
        cx.host[agent].phase = left;
        Status::Running
    });
    let count = || -> Node<Game> {
        action(|cx: &mut Context<'_, '_, Game>| {
            let agent = cx.agent();
            cx.host[agent].woken += 1;
            Status::Success
        })
        .into()
    };
    let [first, second] = scene.waits().map(|frames| wait(f64::from(frames) / 60.0));
    let root = sequence([stagger.into(), repeat_forever(sequence([first, count(), second, count()]))]);
    Tree::builder("sleeper").build(root).expect("the sleepers' tree is valid")
}
