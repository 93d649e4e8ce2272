//! RandomChoice, WaitFor and the inertia of scores: what is refused, how likely each child is, that
//! batches and brains agree, and that a wait sleeps (SEMANTICS 8.15, 8.32, 8.33).

use crate::support;

use pleach_core::nodes::{
    action, fail, random_choice, repeat_forever, sequence, set, utility_selector, wait_for, wait_ticks,
};
use pleach_core::{
    Brain, Event, Forest, Key, Outcome, Status, Tree, TreeBuilder, Type,
    error::{Field, Problem, ProblemKind},
    nodes::Node,
};
use support::{Cx, Game, World};

fn builder() -> TreeBuilder<Game> {
    let mut builder = Tree::builder("t");
    builder.key("n", 0_i64);
    builder
}

/// The only problem of a root.
fn problem(root: Node<Game>) -> Problem {
    let mut builder = builder();
    builder.event("shout", None);
    builder.event("count", Type::Int);
    let mut all = builder.build(root).map(drop).expect_err("it has a problem").problems;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// A random choice that notes which child ran.
fn choice(children: i64) -> Node<Game> {
    random_choice((0..children).map(|it| set("n", &it.to_string())))
}

#[test]
fn what_is_wrong_is_refused_at_its_field() {
    let weights = |it: &[f64]| problem(choice(2).weights(it.iter().copied()));
    assert_eq!(weights(&[1.0]).kind, ProblemKind::Count { found: 1, children: 2 });
    assert_eq!(weights(&[1.0, -1.0]).kind, ProblemKind::Weight(-1.0));
    assert!(matches!(weights(&[f64::NAN, 1.0]).kind, ProblemKind::Weight(it) if it.is_nan()));
    assert_eq!(weights(&[f64::MAX, f64::MAX]).kind, ProblemKind::WeightSum);
    assert_eq!(weights(&[f64::MAX, f64::MAX]).field, Some(Field::Param("weights")));
    assert!(matches!(problem(random_choice([])).kind, ProblemKind::NoChildren { .. }));

    let scored = |inertia: f64| utility_selector([("n", fail())]).inertia(inertia);
    assert_eq!(problem(scored(0.1)).kind, ProblemKind::InertiaAlone);
    for wrong in [-0.1, -1e-50, f64::INFINITY, 1e39] {
        assert_eq!(problem(scored(wrong).reevaluate()).kind, ProblemKind::Inertia(wrong));
    }
    assert_eq!(problem(fail().inertia(0.1)).field, Some(Field::Param("inertia")));

    assert!(matches!(problem(wait_for("")).kind, ProblemKind::BadName(_)));
    assert!(matches!(problem(wait_for("shuot")).kind, ProblemKind::Event(_)));
    assert_eq!(problem(wait_for("shout").into_key("n")).field, Some(Field::Param("into")));
    assert_eq!(problem(wait_for("count").into_key("m")).field, Some(Field::Param("into")));
}

/// How often each child was drawn.
fn drawn(node: Node<Game>, children: usize) -> Vec<usize> {
    let tree = builder().build(repeat_forever(node)).unwrap();
    let key: Key<i64> = tree.key("n").unwrap();
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, 7);
    let mut counts = vec![0; children];
    for _ in 0..4_000 {
        brain.tick(&mut world, 0.1).unwrap();
        counts[usize::try_from(brain.keys().get(key)).unwrap()] += 1;
    }
    counts
}

#[test]
fn a_child_is_as_likely_as_its_weight() {
    assert!(drawn(choice(4), 4).iter().all(|it| (900..1_100).contains(it)));
    let weighted = drawn(choice(3).weights([1.0, 0.0, 3.0]), 3);
    assert!((900..1_100).contains(&weighted[0]) && weighted[1] == 0, "{weighted:?}");
    assert_eq!(drawn(choice(3).weights([0.0, 0.0, 0.0]), 3), [4_000, 0, 0]);
}

#[test]
fn no_other_child_runs_when_the_drawn_one_fails() {
    let tree = builder().build(random_choice([fail(), fail()])).unwrap();
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, 7);
    assert_eq!(brain.tick(&mut world, 0.1), Ok(Some(Outcome::Failure)));
}

/// After a leaf of the host and before one, in every way to tick.
#[test]
fn batches_choose_as_agents_in_order() {
    let run = |batched: bool, agents: usize| {
        let work = || action(|_: &mut Cx<'_, '_>| Status::Success);
        let root = sequence([work(), choice(3), work(), wait_for("go"), choice(5), work(), wait_ticks(2)]);
        let tree = builder().build(root).unwrap();
        let n: Key<i64> = tree.key("n").unwrap();
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(3);
        forest.configure(|it| it.batched = batched);
        let tree = forest.add_tree(tree).unwrap();
        let all: Vec<_> = (0..agents).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
        let mut seen = Vec::new();
        for frame in 0..12 {
            for &agent in all.iter().skip(frame % 3).step_by(3) {
                forest.agent_mut(agent).unwrap().send(Event::new("go")).unwrap();
            }
            forest.tick(&mut world, 0.1).unwrap();
            seen.push(all.iter().map(|&it| forest.keys(it).unwrap().get(n)).collect::<Vec<_>>());
        }
        seen
    };
    for agents in [1, 5, 200] {
        assert_eq!(run(true, agents), run(false, agents), "{agents}");
    }
}

#[test]
fn a_wait_sleeps_until_an_event_and_says_for_which() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(builder().build(sequence([wait_for("answer"), wait_ticks(9)])).unwrap()).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    let mut tick = |forest: &mut Forest<Game>| forest.tick(&mut world, 0.1).unwrap().asleep;
    // An event that is there at the start does not count.
    forest.agent_mut(agent).unwrap().send(Event::new("answer")).unwrap();
    assert_eq!((tick(&mut forest), tick(&mut forest), tick(&mut forest)), (0, 1, 1));
    let explained = forest.agent(agent).unwrap().explain().to_string();
    assert!(explained.contains("awaits   n1 WaitFor(answer): is failure"), "{explained}");
    forest.agent_mut(agent).unwrap().send(Event::new("other")).unwrap();
    assert_eq!((tick(&mut forest), tick(&mut forest)), (0, 1));
    forest.agent_mut(agent).unwrap().send(Event::new("answer")).unwrap();
    tick(&mut forest);
    let explained = forest.agent(agent).unwrap().explain().to_string();
    assert!(explained.contains("n2 WaitTicks(9 ticks)"), "{explained}");
}
