//! Leaves whose results are forced.

use std::sync::Arc;

use pleach_core::nodes::Abort;
use pleach_core::record::{ForceError, Recording, Replay};
use pleach_core::{AgentId, Context, Forest, NodeId, Outcome, Phase, Status, Tree, nodes};

use super::Game;

/// The leaves of [`guard`]: sees, attack, walk.
fn leaves() -> [NodeId; 3] {
    [2, 3, 4].map(|it| NodeId::new(it).expect("an index"))
}

/// Attacks what it sees; it sees nothing and walks for ever.
fn guard(name: &str) -> Arc<Tree<Game>> {
    let sees = nodes::condition(|cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1;
        false
    });
    let attack = nodes::action(|cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1 << 8;
        Status::Running
    });
    let walk = nodes::action(|cx: &mut Context<'_, '_, Game>| {
        *cx.host += 1 << 16;
        cx.sleep(1000.0);
        Status::Running
    });
    let fight = nodes::sequence([sees, attack]).aborts(Abort::LOWER_PRIORITY);
    Arc::new(Tree::builder(name).build(nodes::selector([fight, walk])).expect("it is a tree"))
}

struct Played {
    forest: Forest<Game>,
    agents: Vec<AgentId>,
    recording: Recording,
    /// How often each of the three leaves was updated, a byte each.
    counts: u64,
}

impl Played {
    fn new(agents: usize) -> Self {
        let (mut forest, mut counts) = (Forest::new(7), 0);
        let tree = forest.add_tree(guard("guard")).expect("it is the first");
        let agents = (0..agents).map(|_| forest.spawn(&mut counts, tree).expect("there is room")).collect();
        Played { forest, agents, recording: Recording::new(), counts }
    }

    fn tick(&mut self) {
        self.counts = 0;
        self.forest.traced(&mut self.recording).tick(&mut self.counts, 0.1).expect("a step");
    }

    /// How often a leaf was updated in this frame.
    fn updates(&self, leaf: usize) -> u8 {
        self.counts.to_le_bytes()[leaf]
    }

    fn tops(&self) -> Vec<Vec<NodeId>> {
        self.agents.iter().map(|it| self.forest.agent(*it).expect("it is here").current().collect()).collect()
    }

    fn force(&mut self, agent: usize, node: NodeId, status: Option<Status>) {
        self.recording.force(&mut self.forest, self.agents[agent], node, status).expect("it is a leaf of the game");
    }

    /// A replay without the game gives the same result.
    fn is_replayed(&self) {
        let bytes = self.recording.to_bytes();
        let mut replay = Replay::<Game>::open(&bytes, |_| Some(guard("guard"))).expect("it is whole");
        while replay.step(&mut 0).expect("it is whole") {}
        assert!(replay.divergences().is_empty(), "{:?}", replay.divergences());
        let tops = |it: &AgentId| replay.forest().agent(*it).expect("it is here").current().collect::<Vec<_>>();
        assert_eq!(self.agents.iter().map(tops).collect::<Vec<_>>(), self.tops());
    }
}

#[test]
fn a_forced_condition_wakes_its_agent_and_aborts_for_it_alone() {
    let [sees, attack, walk] = leaves();
    // One agent is ticked by itself, 40 are ticked in batches.
    for count in [1, 2, 40] {
        let mut it = Played::new(count);
        it.tick();
        assert_eq!(it.tops(), vec![vec![walk]; count]);
        it.force(0, sees, Some(Status::Success));
        it.tick();
        assert_eq!(it.tops()[0], [attack]);
        assert_eq!(it.tops()[1..], vec![vec![walk]; count - 1]);
        assert_eq!(it.updates(1), 1);
        // The condition is not watched here: its sequence continues.
        it.force(0, sees, None);
        it.force(0, attack, Some(Status::Failure));
        it.tick();
        assert_eq!((it.tops()[0].as_slice(), it.updates(1)), ([walk].as_slice(), 0));
        it.tick();
        assert_eq!(it.tops(), vec![vec![walk]; count]);
        it.is_replayed();
    }
}

#[test]
fn a_forced_leaf_is_not_updated_until_it_answers_by_itself_again() {
    let [_, _, walk] = leaves();
    let mut it = Played::new(1);
    it.force(0, walk, Some(Status::Running));
    for _ in 0..3 {
        it.tick();
        assert_eq!((it.tops()[0].as_slice(), it.updates(2)), ([walk].as_slice(), 0));
    }
    let forced: Vec<_> = it.recording.forced().collect();
    assert_eq!(forced, [(it.agents[0], walk, Status::Running)]);
    it.force(0, walk, Some(Status::Success));
    it.tick();
    assert_eq!(it.forest.agent(it.agents[0]).unwrap().last_outcome(), Some(Outcome::Success));
    assert_eq!(it.recording.forced().count(), 1, "the later one stands");
    it.force(0, walk, None);
    it.tick();
    assert_eq!((it.updates(2), it.recording.forced().count()), (1, 0));
    it.is_replayed();
}

#[test]
fn a_sleeper_wakes_when_its_leaf_is_forced() {
    let mut forest = Forest::<Game>::new(7);
    let sleep = nodes::action(|cx: &mut Context<'_, '_, Game>| {
        cx.sleep(1000.0);
        Status::Running
    });
    let tree = forest.add_tree(Tree::builder("sleeper").build(sleep).expect("it is a tree")).expect("it is the first");
    let (mut recording, mut counts) = (Recording::new(), 0);
    let agent = forest.spawn(&mut counts, tree).expect("there is room");
    forest.traced(&mut recording).tick(&mut counts, 0.1).expect("a step");
    assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
    recording.force(&mut forest, agent, NodeId::new(0).unwrap(), Some(Status::Failure)).expect("it is a leaf");
    forest.traced(&mut recording).tick(&mut counts, 0.1).expect("a step");
    assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(Outcome::Failure));
}

#[test]
fn a_forced_leaf_of_an_older_version_of_the_tree_is_free() {
    let [_, _, walk] = leaves();
    let mut it = Played::new(1);
    it.force(0, walk, Some(Status::Success));
    it.tick();
    let tree = it.forest.trees().next().expect("it is here");
    it.forest.replace_tree(&mut it.counts, tree, guard("guard")).expect("it is the same");
    it.tick();
    assert_eq!((it.tops()[0].as_slice(), it.updates(2)), ([walk].as_slice(), 1));
}

#[test]
fn what_is_not_a_leaf_of_the_game_is_not_forced() {
    let [_, _, walk] = leaves();
    let mut it = Played::new(1);
    let mut why = |node: NodeId| it.recording.force(&mut it.forest, it.agents[0], node, None).unwrap_err().to_string();
    assert!(
        why(NodeId::new(0).unwrap()).starts_with("Selector is not an action or a condition of the game"),
        "{}",
        why(NodeId::new(0).unwrap())
    );
    assert!(why(NodeId::new(99).unwrap()).starts_with("n99 is not an action"));
    it.forest.agent_mut(it.agents[0]).unwrap().despawn(&mut it.counts);
    let gone = it.recording.force(&mut it.forest, it.agents[0], walk, None);
    assert!(matches!(gone, Err(ForceError::Stale(_))));
}

#[cfg(feature = "rayon")]
#[test]
fn threads_know_what_is_forced() {
    let [_, _, walk] = leaves();
    let mut it = Played::new(3000);
    it.force(2999, walk, Some(Status::Success));
    let Played { forest, recording, .. } = &mut it;
    forest.traced(recording).tick_parallel(0.1, |_| 0, drop).expect("a step");
    let ended = |at: usize| it.forest.agent(it.agents[at]).expect("it is here").last_outcome();
    assert_eq!((ended(0), ended(2999)), (None, Some(Outcome::Success)));
    it.is_replayed();
}
