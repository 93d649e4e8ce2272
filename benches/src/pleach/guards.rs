//! Guards.

use std::marker::PhantomData;

use pleach::nodes::{action, action_of, condition, selector, sequence};
use pleach::{
    Action, BlackboardType, Context, Entity, Forest, Host, Key, KeysMut, Spawn, Status, Tree, TreeBuilder, TreeId,
    leaf,
    nodes::{Abort, Node},
};

use super::{DT, Way, forest};
use crate::crowd::{Crowd, Totals};
use crate::guard::{
    ATTACK_LIMIT, Counts, Deed, FLEE_LIMIT, Guards, HEALTHY, LOW_HEALTH, NOISE_LIMIT, Perceived, REACH, SIGHT, STRIDE,
    Senses, WAIT_LIMIT, begin, event,
};

/// The game: what each guard has done and perceives. Each guard knows its index.
pub(super) struct Game;

impl Host for Game {
    type Cx<'a> = Records<'a>;
}

#[derive(Default)]
pub(super) struct Records<'a> {
    pub(super) counts: &'a mut [Counts],
    /// For guards whose conditions are polled; the others perceive through their keys.
    pub(super) perceived: &'a [Perceived],
}

/// A game that keeps what each guard has done.
pub(super) trait Ledger: Host + Sized {
    /// Where it is stored.
    type Place: Copy + Send + Sync + 'static;

    /// Makes room for it.
    fn place(tree: &mut TreeBuilder<Self>) -> Self::Place;

    /// The agent has done something.
    fn note(cx: &mut Cx<'_, '_, Self>, place: Self::Place, deed: Deed);

    /// What the agent perceives, if the game stores it in its own data, where no key announces
    /// changes.
    fn perceived<'c>(_: &'c Cx<'_, '_, Self>) -> Option<&'c Perceived> {
        None
    }
}

impl Ledger for Game {
    type Place = ();

    fn place(_: &mut TreeBuilder<Self>) {}

    #[inline]
    fn note(cx: &mut Cx<'_, '_, Self>, (): (), deed: Deed) {
        let own = cx.entity().index().and_then(|it| cx.host.counts.get_mut(it));
        let count = own.expect("each guard has its counts").of(deed);
        *count = count.wrapping_add(1);
    }

    #[inline]
    fn perceived<'c>(cx: &'c Cx<'_, '_, Self>) -> Option<&'c Perceived> {
        cx.entity().index().and_then(|it| cx.host.perceived.get(it))
    }
}

pub(super) type Cx<'a, 'h, H> = Context<'a, 'h, H>;

/// The keys of a guard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    pub(super) health: Key<f32>,
    pub(super) dist: Key<f32>,
    pub(super) sees: Key<bool>,
    pub(super) noise: Key<bool>,
}

/// A crowd in a forest. Unless the way evaluates in every tick, conditions are evaluated when a key
/// that they read has changed, as far as the scene lets them declare what they read.
pub struct GuardForest<R> {
    scene: Guards,
    forest: Forest<Game>,
    tree: TreeId,
    keys: Keys,
    counts: Vec<Counts>,
    perceived: Vec<Perceived>,
    how: PhantomData<R>,
}

impl<R> std::fmt::Debug for GuardForest<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardForest").field("forest", &self.forest).finish_non_exhaustive()
    }
}

impl<R: Way> Crowd for GuardForest<R> {
    type Scene = Guards;
    const NAME: &'static str = R::NAME;

    fn new(agents: u32, scene: Guards) -> Self {
        let (tree, keys, ()) = tree(scene);
        let mut forest = forest::<R, _>();
        let tree = forest.add_tree(tree).expect("the first tree");
        let mut counts = vec![Counts::default(); agents as usize];
        for id in 0..agents as usize {
            let spawn = Spawn { entity: Entity::from_index(id), ..Spawn::default() };
            let mut game = Records { counts: &mut counts, perceived: &[] };
            forest.spawn_with(&mut game, tree, spawn).expect("the forest has room");
        }
        if scene == Guards::Churn {
            sense(&mut forest, tree, &keys, |id, guard| begin(id, guard));
        }
        let perceived = if scene == Guards::Polled { vec![Perceived::default(); agents as usize] } else { Vec::new() };
        Self { scene, forest, tree, keys, counts, perceived, how: PhantomData }
    }

    fn frame(&mut self, frame: u32) {
        if self.scene == Guards::Churn {
            sense(&mut self.forest, self.tree, &self.keys, |id, guard| {
                if let Some(event) = event(id, frame) {
                    event.happen_to(guard);
                }
            });
        }
        let mut game = Records { counts: &mut self.counts, perceived: &self.perceived };
        self.forest.tick(&mut game, DT).expect("it is a valid dt");
    }

    fn totals(&self) -> Totals {
        self.counts.iter().copied().sum()
    }
}

/// Runs until its counter is at the limit.
struct Timed<H: Ledger> {
    limit: u32,
    place: H::Place,
    deed: Deed,
}

#[leaf]
impl<H: Ledger> Action<H> for Timed<H> {
    type State = u32;
    fn start(&self, counter: &mut u32, _: &mut Cx<'_, '_, H>) {
        *counter = 0;
    }
    fn update(&self, counter: &mut u32, cx: &mut Cx<'_, '_, H>) -> Status {
        if *counter == self.limit {
            H::note(cx, self.place, self.deed);
            return Status::Success;
        }
        *counter += 1;
        Status::Running
    }
}

/// The guard's tree, its keys, and where its game stores what it has done. Its watched conditions
/// declare what they read, unless the scene forbids it.
pub(super) fn tree<H: Ledger>(scene: Guards) -> (Tree<H>, Keys, H::Place) {
    let mut tree: TreeBuilder<H> = Tree::builder("guard");
    let keys = Keys {
        health: tree.key("health", HEALTHY),
        dist: tree.key("dist", SIGHT),
        sees: tree.key("sees", false),
        noise: tree.key("noise", false),
    };
    let Keys { health, dist, sees, noise } = keys;
    let place = H::place(&mut tree);
    let approach = action(move |cx: &mut Cx<'_, '_, H>| {
        let nearer = cx.get(dist) - STRIDE;
        cx.set(dist, nearer);
        if nearer < REACH {
            H::note(cx, place, Deed::Approach);
            return Status::Success;
        }
        Status::Running
    });
    let patrol = action(move |cx: &mut Cx<'_, '_, H>| {
        H::note(cx, place, Deed::Waypoint);
        Status::Running
    });
    let timed = |limit, deed| -> Node<H> { action_of(Timed { limit, place, deed }) };
    let root = selector([
        sequence([
            watch(scene, health, |it| it.health < LOW_HEALTH, |it| it < LOW_HEALTH),
            timed(FLEE_LIMIT, Deed::Flee),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        sequence([
            watch(scene, sees, |it| it.sees, |it| it),
            selector([
                sequence([condition(move |cx: &mut Cx<'_, '_, H>| cx.get(dist) >= REACH), approach]),
                timed(ATTACK_LIMIT, Deed::Attack),
            ]),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        sequence([
            watch(scene, noise, |it| it.noise, |it| it),
            timed(NOISE_LIMIT, Deed::Noise),
            timed(WAIT_LIMIT, Deed::Wait),
        ])
        .aborts(Abort::LOWER_PRIORITY),
        patrol,
    ]);
    (tree.build(root).expect("the guard tree is valid"), keys, place)
}

/// A watched condition: over data of the game in scenes where changes are not announced; else, and
/// in games without such data, over one key.
fn watch<H: Ledger, V: BlackboardType>(
    scene: Guards,
    key: Key<V>,
    own: impl Fn(&Perceived) -> bool + Send + Sync + 'static,
    test: impl Fn(V) -> bool + Send + Sync + 'static,
) -> Node<H> {
    match scene {
        Guards::Observed | Guards::Churn => {
            condition(move |cx: &mut Cx<'_, '_, H>| test(cx.get(key))).observes([key.index()])
        }
        Guards::Polled => condition(move |cx: &mut Cx<'_, '_, H>| match H::perceived(cx) {
            Some(it) => own(it),
            None => test(cx.get(key)),
        }),
    }
}

/// Passes every guard's senses with its number. No guard is ever despawned, so they come in the
/// order in which they were spawned.
pub(super) fn sense<H: Host>(
    forest: &mut Forest<H>,
    guards: TreeId,
    keys: &Keys,
    mut happen: impl FnMut(u32, &mut Sensor<'_, '_>),
) {
    let mut id = 0;
    let shown = forest.population_mut(guards).map(|mut it| {
        it.update_agents(|agent| {
            happen(id, &mut Sensor { agent, keys });
            id += 1;
        })
    });
    shown.expect("the tree is here");
}

/// A guard's senses, which are keys.
pub(super) struct Sensor<'a, 'k> {
    pub(super) agent: &'a mut KeysMut<'k>,
    pub(super) keys: &'a Keys,
}

impl Senses for Sensor<'_, '_> {
    fn health(&self) -> f32 {
        self.agent.get(self.keys.health)
    }
    fn sees(&self) -> bool {
        self.agent.get(self.keys.sees)
    }
    fn noise(&self) -> bool {
        self.agent.get(self.keys.noise)
    }
    fn set_health(&mut self, health: f32) {
        self.agent.set(self.keys.health, health);
    }
    fn set_sees(&mut self, sees: bool) {
        self.agent.set(self.keys.sees, sees);
    }
    fn set_noise(&mut self, noise: bool) {
        self.agent.set(self.keys.noise, noise);
    }
    fn set_dist(&mut self, dist: f32) {
        self.agent.set(self.keys.dist, dist);
    }
}
