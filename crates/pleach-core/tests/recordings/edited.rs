//! Recordings under edited trees.

use std::sync::Arc;

use pleach_core::record::Replay;
use pleach_core::{AgentId, Context, Key, NodeId, Status, Tree, nodes};

use super::{Game, recorded, stands};

/// What agents run after a frame.
type Runs = Vec<(AgentId, Vec<String>)>;

/// What agents run after each frame.
fn runs(mut replay: Replay<Game>) -> (Vec<Runs>, Replay<Game>) {
    let mut all = Vec::new();
    while replay.step(&mut 0).expect("it is whole") {
        let forest = replay.forest();
        let name =
            |agent: AgentId, node| forest.agent(agent).expect("it is here").tree().node(node).map(|it| it.path());
        let runs = |(agent, nodes): (AgentId, Vec<NodeId>)| {
            (agent, nodes.into_iter().filter_map(|it| name(agent, it)).collect())
        };
        all.push(stands(forest).into_iter().map(runs).collect());
    }
    (all, replay)
}

/// The guard with another fear, another pause, and other nodes around.
fn edited(check: &str, pause: f64, more: Option<Status>) -> Arc<Tree<Game>> {
    let mut builder = Tree::<Game>::builder("guard");
    let _: Key<f32> = builder.key("fear", 0.0);
    let _: Key<f32> = builder.key("hunger", 0.0);
    let leaf = || nodes::action(|_: &mut Context<'_, '_, Game>| unreachable!("no leaf is called"));
    let flee = nodes::sequence([nodes::check(check), nodes::wait(pause)]);
    let root = match more {
        None => nodes::selector([flee, leaf()]),
        // A failing node comes first.
        Some(Status::Failure) => nodes::selector([nodes::check("hunger > 5"), flee, leaf()]),
        Some(_) => nodes::selector([leaf().named("new"), flee, leaf()]),
    };
    Arc::new(builder.build(root).expect("it is a tree"))
}

#[test]
fn an_edited_tree_is_played_with_what_was_recorded() {
    let (tree_of_then, bytes, stood) = recorded();
    let what_if = |edit: &Arc<Tree<Game>>| {
        let then = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree_of_then))).expect("it was just written");
        runs(then.edited(|_| Some(Arc::clone(edit))).expect("it is whole"))
    };
    let (recorded, _) = runs(Replay::open(&bytes, |_| Some(Arc::clone(&tree_of_then))).expect("it was just written"));
    assert_eq!(recorded.len(), stood.len());

    // An irrelevant edit changes nothing, nor does a failing node in front of all others.
    for more in [None, Some(Status::Failure)] {
        let (same, replay) = what_if(&edited("fear > 6", 0.3, more));
        assert_eq!((replay.divergences(), replay.frame()), (&[][..], 65));
        assert!((replay.last_step() - 0.1).abs() < 1e-6);
        let is_same = |(was, is): (&Runs, &Runs)| {
            was.iter().zip(is).all(|(was, is)| was.0 == is.0 && (more.is_some() || was.1 == is.1))
        };
        assert!(recorded.iter().zip(&same).all(is_same));
        let kinds =
            |frame: &Runs| -> Vec<bool> { frame.iter().map(|it| it.1.iter().any(|it| it.contains("Wait"))).collect() };
        let waits = |all: &[Runs]| -> Vec<Vec<bool>> { all.iter().map(kinds).collect() };
        assert_eq!(waits(&recorded), waits(&same), "{more:?}");
        // One of the first five has left, and one has been added.
        let here: Vec<bool> = replay.agents().map(|it| it.1.is_some()).collect();
        assert_eq!(here, [true, false, true, true, true, true]);
    }
    // It flees more easily, and for longer.
    let waits = |all: &[Runs]| all.iter().flatten().filter(|it| it.1.iter().any(|it| it.contains("Wait"))).count();
    let (flees, replay) = what_if(&edited("fear > 0.5", 0.3, None));
    assert!(waits(&flees) > waits(&recorded));
    assert!(replay.divergences().is_empty());
    assert!(waits(&what_if(&edited("fear > 5", 0.9, None)).0) > waits(&recorded));
    let fear = pleach_core::expr::KeyIndex::new(0).expect("it is the only key");
    assert!(replay.records(&tree_of_then, fear));
}

#[test]
fn an_edit_of_an_edit_is_one_of_the_recorded_tree() {
    let (tree, bytes, _) = recorded();
    let then = || Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it was just written");
    let [small, last] = [edited("fear > 0.5", 0.3, Some(Status::Running)), edited("fear > 2", 0.9, None)];
    let to =
        |replay: Replay<Game>, edit: &Arc<Tree<Game>>| replay.edited(|_| Some(Arc::clone(edit))).expect("it is whole");
    let (once, _) = runs(to(then(), &last));
    let (twice, replay) = runs(to(to(then(), &small), &last).only(2));
    let alone = |all: &[Runs]| -> Vec<Runs> {
        let two = |it: &Runs| it.iter().filter(|it| Some(it.0) == replay.agent(2).flatten()).cloned().collect();
        all.iter().map(two).collect()
    };
    assert_eq!(alone(&once), alone(&twice));
    let back = to(then(), &small).edited(|_| None).expect("it is whole");
    assert_eq!(runs(back).0, runs(then()).0);
}

#[test]
fn a_leaf_that_is_new_has_no_answers_which_is_said_once() {
    let (tree, bytes, _) = recorded();
    let then = Replay::<Game>::open(&bytes, |_| Some(Arc::clone(&tree))).expect("it was just written");
    let edit = edited("fear > 5", 0.3, Some(Status::Running));
    let (_, mut replay) = runs(then.edited(|_| Some(Arc::clone(&edit))).expect("it is whole"));
    let said: Vec<&str> = replay.divergences().iter().map(|it| &*it.recorded).collect();
    // For the first five agents, and for the one that is added.
    assert_eq!(said, ["there was no n1 Action \"new\", so nothing says what it answers"; 6]);
    let agent = replay.agents().find_map(|it| it.1).expect("it is here");
    let to = |node: usize| replay.edited_node(agent, tree.nodes().nth(node).expect("it has it").id());
    let new = |node: usize| edit.nodes().nth(node).map(|it| it.id());
    assert_eq!([to(0), to(1), to(3)], [new(0), new(2), new(4)]);
    let count = replay.divergences().len();
    replay.seek(3, &mut 0).expect("it was played");
    replay.seek(60, &mut 0).expect("it was played");
    assert_eq!(replay.divergences().len(), count);
}
