//! Agents with a float that the game writes in each frame, and a check that compares it. The float
//! never passes the limit, so all of them sleep on.

use std::marker::PhantomData;

use pleach::nodes::{check, idle, selector, sequence};
use pleach::{Forest, Key, Tree, TreeId, nodes::Abort};

use super::{Agents, DT, Way, forest};
use crate::crowd::{CHECK_AGENTS, Crowd, Scene, Totals};
use crate::workload::{Sensors, Workload};

impl Sensors {
    /// By how much the float changes in a frame, one way or the other.
    fn step(self, frame: u32) -> f32 {
        match self {
            Self::None | Self::SameColumn | Self::SameAgents => 0.0,
            Self::Column | Self::Agents if frame.is_multiple_of(2) => 0.5,
            Self::Column | Self::Agents => -0.5,
        }
    }
}

impl Scene for Sensors {
    fn of(workload: Workload) -> Option<Self> {
        match workload {
            Workload::Sensors(sensors) => Some(sensors),
            _ => None,
        }
    }

    fn check_frames(self) -> u32 {
        100
    }

    /// Each is ticked once, when it begins.
    fn expected(self) -> Totals {
        Totals { woken: CHECK_AGENTS.into(), ..Totals::default() }
    }
}

/// A crowd in a forest.
pub struct SensorForest<R> {
    scene: Sensors,
    forest: Forest<Agents>,
    tree: TreeId,
    distance: Key<f32>,
    woken: u64,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for SensorForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SensorForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for SensorForest<R> {
    type Scene = Sensors;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, scene: Sensors) -> Self {
        let mut forest = forest::<R, _>();
        let mut tree = Tree::builder("hen");
        let distance = tree.key("distance", 1000.0_f32);
        let flee = sequence([check("distance < 10"), idle()]).aborts(Abort::LOWER_PRIORITY);
        let tree = forest.add_tree(tree.build(selector([flee, idle()])).expect("it is valid")).expect("the first tree");
        for _ in 0..agents {
            forest.spawn(&mut (), tree).expect("the forest has room");
        }
        Self { scene, forest, tree, distance, woken: 0, how: PhantomData }
    }

    fn frame(&mut self, frame: u32) {
        let (distance, step) = (self.distance, self.scene.step(frame));
        let mut all = self.forest.population_mut(self.tree).expect("it is here");
        match self.scene {
            Sensors::None => {}
            Sensors::SameColumn | Sensors::Column => {
                all.update_column(distance, |_, old| old + step).expect("it is a key of this tree");
            }
            Sensors::SameAgents | Sensors::Agents => all.update_agents(|hen| {
                let old = hen.get(distance);
                hen.set(distance, old + step);
            }),
        }
        self.woken += self.forest.tick(&mut (), DT).expect("it is a valid dt").ticked;
    }

    fn totals(&self) -> Totals {
        Totals { woken: self.woken, ..Totals::default() }
    }
}
