//! pleach itself, as a game would use it: trees from the builder, conditions over the blackboard or over the host's data,
//! what each agent has done in a map of the host, keyed by agent.

use std::marker::PhantomData;

use pleach::nodes::{action, condition, condition_over, inverter, selector, sequence};
use pleach::{
    Abort, Action, AgentId, Callbacks, Context, Forest, Host, HostLeaf, Key, Node, Status, Tree, TreeBuilder,
};
use slotmap::SecondaryMap;

use crate::workload::{
    ATTACK_LIMIT, Counts, Crowd, FLEE_LIMIT, HEALTHY, LOW_HEALTH, NOISE_LIMIT, REACH, SIGHT, STRIDE, Senses, Totals,
    WAIT_LIMIT, WALK_LENGTH, Workload, begin, event,
};

/// A crowd whose conditions are evaluated when a key that they read has changed.
pub type Pleach = PleachCrowd<Observed>;
/// A crowd whose conditions are evaluated in every tick.
pub type PleachPolled = PleachCrowd<Polled>;

/// How watched conditions are evaluated.
pub trait Reevaluation {
    /// The name of the implementation.
    const NAME: &'static str;
    /// Whether in every tick.
    const EVERY_TICK: bool;
}

/// On change.
#[derive(Debug)]
pub struct Observed;
/// In every tick.
#[derive(Debug)]
pub struct Polled;

impl Reevaluation for Observed {
    const NAME: &'static str = "pleach";
    const EVERY_TICK: bool = false;
}
impl Reevaluation for Polled {
    const NAME: &'static str = "pleach-polled";
    const EVERY_TICK: bool = true;
}

struct Game;

/// What the host lends to its leaves.
struct GameCx<'a> {
    counts: &'a mut SecondaryMap<AgentId, Counts>,
    walked: &'a mut SecondaryMap<AgentId, u32>,
}

impl Host for Game {
    type Cx<'a> = GameCx<'a>;
}

/// The keys of a guard.
#[derive(Clone, Copy, Debug)]
struct Keys {
    health: Key<f32>,
    dist: Key<f32>,
    sees: Key<bool>,
    noise: Key<bool>,
}

/// A crowd in a forest.
pub struct PleachCrowd<R> {
    workload: Workload,
    forest: Forest<Game>,
    agents: Vec<AgentId>,
    keys: Option<Keys>,
    counts: SecondaryMap<AgentId, Counts>,
    walked: SecondaryMap<AgentId, u32>,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for PleachCrowd<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PleachCrowd").field("forest", &self.forest).finish_non_exhaustive()
    }
}

/// Runs until its counter is at the limit.
struct Timed {
    limit: u32,
    count: fn(&mut Counts) -> &mut u32,
}

impl Action<Game> for Timed {
    type State = u32;
    const CALLBACKS: Callbacks = Callbacks::START;
    fn start(&self, counter: &mut u32, _: &mut Context<'_, '_, Game>) {
        *counter = 0;
    }
    fn update(&self, counter: &mut u32, cx: &mut Context<'_, '_, Game>) -> Status {
        if *counter == self.limit {
            let agent = cx.agent();
            *(self.count)(&mut cx.host.counts[agent]) += 1;
            return Status::Success;
        }
        *counter += 1;
        Status::Running
    }
}

fn timed(limit: u32, count: fn(&mut Counts) -> &mut u32) -> Node<Game> {
    HostLeaf::action(Timed { limit, count }).into()
}

fn guard_tree() -> (Tree<Game>, Keys) {
    let mut tree: TreeBuilder<Game> = Tree::builder("guard");
    let keys = Keys {
        health: tree.key("health", HEALTHY),
        dist: tree.key("dist", SIGHT),
        sees: tree.key("sees", false),
        noise: tree.key("noise", false),
    };
    let Keys { health, dist, sees, noise } = keys;
    let approach = action(move |cx: &mut Context<'_, '_, Game>| {
        let nearer = cx.get(dist) - STRIDE;
        cx.set(dist, nearer);
        if nearer < REACH {
            let agent = cx.agent();
            cx.host.counts[agent].approach += 1;
            return Status::Success;
        }
        Status::Running
    });
    let patrol = action(|cx: &mut Context<'_, '_, Game>| {
        let agent = cx.agent();
        let waypoint = &mut cx.host.counts[agent].waypoint;
        *waypoint = waypoint.wrapping_add(1);
        Status::Running
    });
    let root = selector([
        sequence([
            condition_over([health.index()], move |cx: &mut Context<'_, '_, Game>| cx.get(health) < LOW_HEALTH).into(),
            timed(FLEE_LIMIT, |it| &mut it.flee),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        sequence([
            condition_over([sees.index()], move |cx: &mut Context<'_, '_, Game>| cx.get(sees)).into(),
            selector([
                sequence([
                    condition(move |cx: &mut Context<'_, '_, Game>| cx.get(dist) >= REACH).into(),
                    approach.into(),
                ]),
                timed(ATTACK_LIMIT, |it| &mut it.attack),
            ]),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        sequence([
            condition_over([noise.index()], move |cx: &mut Context<'_, '_, Game>| cx.get(noise)).into(),
            timed(NOISE_LIMIT, |it| &mut it.noise),
            timed(WAIT_LIMIT, |it| &mut it.wait),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        patrol.into(),
    ]);
    (tree.build(root).expect("the guard tree is valid"), keys)
}

fn walk_tree() -> Tree<Game> {
    let step = || -> Node<Game> {
        action(|cx: &mut Context<'_, '_, Game>| {
            let agent = cx.agent();
            cx.host.walked[agent] += 1;
            Status::Success
        })
        .into()
    };
    let root = selector([inverter(inverter(selector([
        inverter(sequence((0..WALK_LENGTH).map(|_| step()))),
        inverter(inverter(step())),
    ])))]);
    Tree::builder("walk").build(root).expect("the walk tree is valid")
}

/// A guard's senses, where the forest keeps them.
struct Sensor<'a> {
    forest: &'a mut Forest<Game>,
    agent: AgentId,
    keys: Keys,
}

const HERE: &str = "the agent and its keys are of this forest";

impl Senses for Sensor<'_> {
    fn health(&self) -> f32 {
        self.forest.get(self.agent, self.keys.health).expect(HERE)
    }
    fn sees(&self) -> bool {
        self.forest.get(self.agent, self.keys.sees).expect(HERE)
    }
    fn noise(&self) -> bool {
        self.forest.get(self.agent, self.keys.noise).expect(HERE)
    }
    fn set_health(&mut self, health: f32) {
        self.forest.set(self.agent, self.keys.health, health).expect(HERE);
    }
    fn set_sees(&mut self, sees: bool) {
        self.forest.set(self.agent, self.keys.sees, sees).expect(HERE);
    }
    fn set_noise(&mut self, noise: bool) {
        self.forest.set(self.agent, self.keys.noise, noise).expect(HERE);
    }
    fn set_dist(&mut self, dist: f32) {
        self.forest.set(self.agent, self.keys.dist, dist).expect(HERE);
    }
}

impl<R: Reevaluation> Crowd for PleachCrowd<R> {
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, workload: Workload) -> Self {
        let mut forest = Forest::new(7);
        forest.set_reevaluate_every_tick(R::EVERY_TICK || workload == Workload::SteadyPolled);
        let (tree, keys) = match workload {
            Workload::Walk => (walk_tree(), None),
            Workload::SteadyObserved | Workload::SteadyPolled | Workload::Churn => {
                let (tree, keys) = guard_tree();
                (tree, Some(keys))
            }
        };
        let tree = forest.add_tree(tree).expect("the first tree");
        let (mut counts, mut walked) = (SecondaryMap::new(), SecondaryMap::new());
        let mut cx = GameCx { counts: &mut counts, walked: &mut walked };
        let agents: Vec<AgentId> =
            (0..agents).map(|_| forest.spawn(&mut cx, tree).expect("the forest has room")).collect();
        for (id, &agent) in (0..).zip(&agents) {
            counts.insert(agent, Counts::default());
            walked.insert(agent, 0);
            if let (Workload::Churn, Some(keys)) = (workload, keys) {
                begin(id, &mut Sensor { forest: &mut forest, agent, keys });
            }
        }
        PleachCrowd { workload, forest, agents, keys, counts, walked, how: PhantomData }
    }

    fn frame(&mut self, frame: u32) {
        if let (Workload::Churn, Some(keys)) = (self.workload, self.keys) {
            for (id, &agent) in (0..).zip(&self.agents) {
                event(id, frame, &mut Sensor { forest: &mut self.forest, agent, keys });
            }
        }
        let mut cx = GameCx { counts: &mut self.counts, walked: &mut self.walked };
        self.forest.tick(&mut cx, 1.0 / 60.0).expect("a sixtieth of a second is a valid dt");
    }

    fn totals(&self) -> Totals {
        let guards: Totals = self.counts.values().copied().sum();
        Totals { walked: self.walked.values().map(|&it| u64::from(it)).sum(), ..guards }
    }
}
