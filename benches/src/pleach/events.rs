//! Guards on patrol that listen for events.

use std::marker::PhantomData;

use pleach::nodes::{action, on_event, selector, sequence};
use pleach::{
    AgentId, Context, Event, Forest, Host, Status, Tree,
    nodes::{Abort, Node},
};

use super::{DT, Way, forest};
use crate::crowd::{CHECK_AGENTS, Crowd, Scene, Totals};
use crate::workload::{Events, Workload};

/// The game: how often any guard was on patrol, and how often any went after a noise, which never
/// happens.
#[derive(Debug, Default)]
struct Town {
    waypoint: u64,
    noise: u64,
}

impl Host for Town {
    type Cx<'a> = &'a mut Town;
}

impl Events {
    /// How many conditions a guard watches.
    fn conditions(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Four => 4,
            Self::Sixteen | Self::Mail => 16,
        }
    }
}

impl Scene for Events {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Events(events) => Some(events),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        100
    }

    fn expected(self) -> Totals {
        Totals { waypoint: u64::from(CHECK_AGENTS) * u64::from(self.check_frames()), ..Totals::default() }
    }
}

/// A crowd in a forest.
pub struct EventForest<R> {
    scene: Events,
    forest: Forest<Town>,
    town: Town,
    agents: Vec<AgentId>,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for EventForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for EventForest<R> {
    type Scene = Events;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, scene: Events) -> Self {
        let (mut forest, mut town) = (forest::<R, _>(), Town::default());
        let tree = forest.add_tree(tree(scene.conditions())).expect("the first tree");
        let spawn = |_| forest.spawn(&mut &mut town, tree).expect("the forest has room");
        let agents = (0..agents).map(spawn).collect();
        Self { scene, forest, town, agents, how: PhantomData }
    }

    fn frame(&mut self, _: u32) {
        if self.scene == Events::Mail {
            for &agent in &self.agents {
                self.forest.agent_mut(agent).expect("it is here").send(Event::new("rain")).expect("it is here");
            }
        }
        self.forest.tick(&mut &mut self.town, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        let Town { waypoint, noise } = self.town;
        Totals { waypoint, noise, ..Totals::default() }
    }
}

/// A patrol that this many conditions on events could abort.
fn tree(conditions: u32) -> Tree<Town> {
    let after = || {
        action(|cx: &mut Context<'_, '_, Town>| {
            cx.host.noise += 1;
            Status::Success
        })
    };
    let patrol = action(|cx: &mut Context<'_, '_, Town>| {
        cx.host.waypoint += 1;
        Status::Running
    });
    let listen = |at| -> Node<Town> {
        let heard = on_event(&format!("noise-{at}"));
        sequence([heard, after()]).aborts(Abort::LOWER_PRIORITY)
    };
    let root = selector((0..conditions).map(listen).chain([patrol]));
    Tree::builder("listener").build(root).expect("the listeners' tree is valid")
}
