//! What leaves remember per agent.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use pleach_core::nodes::{action_of, condition_of, parallel, sequence};
use pleach_core::{Action, Brain, Condition, End, Forest, Phase, Status, Tree};
use pleach_macros::leaf;
use support::{Cx, Game, World};

/// Counts its updates, and logs how many there were. One type, as an action and as a condition.
struct Counts(&'static str);

impl Counts {
    fn count(&self, count: &mut u32, cx: &mut Cx<'_, '_>) {
        *count += 1;
        cx.host.log.push(format!("{} {count}", self.0));
    }
}

impl Action<Game> for Counts {
    type State = u32;
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        self.count(count, cx);
        Status::Running
    }
}

impl Condition<Game> for Counts {
    type State = u32;
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        self.count(count, cx);
        Status::Success
    }
}

/// Another type with states of the same type. It begins with 100.
struct Hundreds(&'static str);

impl Action<Game> for Hundreds {
    type State = u32;
    fn start(&self, count: &mut u32, _: &mut Cx<'_, '_>) {
        *count += 100;
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        Counts(self.0).count(count, cx);
        Status::Running
    }
}

fn counters() -> Tree<Game> {
    let root = parallel([
        sequence([condition_of(Counts("?a")), action_of(Counts("a"))]),
        action_of(Hundreds("b")),
        sequence([condition_of(Counts("?c")), action_of(Hundreds("c"))]),
        action_of(Counts("d")),
    ]);
    Tree::builder("counters").build(root).unwrap()
}

#[test]
fn each_leaf_of_each_agent_has_a_state_of_its_own() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(counters()).unwrap();
    let first = forest.spawn(&mut world, tree).unwrap();
    let began = ["?a 1", "a 1", "b 101", "?c 1", "c 101", "d 1"];
    let second = ["a 2", "b 102", "c 102", "d 2"];
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), began);
    forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), [&second[..], &began].concat());
    // The last agent takes the row of the one that leaves, with its states.
    forest.agent_mut(first).unwrap().despawn(&mut world);
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), second);

    let mut brain = Brain::new(&mut world, counters(), 0);
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), began);
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), second);
}

/// Succeeds in the update in which it has counted so far.
struct CountsTo(u32);

impl Action<Game> for CountsTo {
    type State = u32;
    fn update(&self, count: &mut u32, _: &mut Cx<'_, '_>) -> Status {
        *count += 1;
        if *count == self.0 { Status::Success } else { Status::Running }
    }
}

#[test]
fn each_leaf_of_each_agent_of_a_batch_has_a_state_of_its_own() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let root = sequence([action_of(CountsTo(2)), action_of(CountsTo(4))]);
    let tree = forest.add_tree(Tree::builder("counters").build(root).unwrap()).unwrap();
    let mut ended = Vec::new();
    // Two crowds, the second a tick behind the first.
    for tick in 0..7 {
        if tick < 2 {
            (0..40).for_each(|_| _ = forest.spawn(&mut world, tree).unwrap());
        }
        ended.push(forest.tick(&mut world, 0.1).unwrap().ended);
    }
    assert_eq!(ended, [0, 0, 0, 0, 40, 40, 0]);
}

#[derive(Default)]
struct Mark;

/// Remembers nothing, but not by the type `()`.
struct Marked;

impl Action<Game> for Marked {
    type State = Mark;
    fn start(&self, _: &mut Mark, cx: &mut Cx<'_, '_>) {
        cx.host.log.push("start".to_owned());
    }
    fn update(&self, _: &mut Mark, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
    fn end(&self, _: &mut Mark, cx: &mut Cx<'_, '_>, _: End) {
        cx.host.log.push("end".to_owned());
    }
}

#[test]
fn a_state_without_bytes_costs_nothing_and_needs_no_copy() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = Tree::builder("marked").build(action_of(Marked)).unwrap();
    assert_eq!(tree.footprint().leaves, 0);
    let tree = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, tree).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert!(forest.snapshot().is_ok());
    forest.agent_mut(agent).unwrap().disable(&mut world);
    assert_eq!(world.take(), ["start", "end"]);
}

static SPARKS: AtomicUsize = AtomicUsize::new(0);

struct Spark;

impl Default for Spark {
    fn default() -> Self {
        assert!(SPARKS.fetch_add(1, Ordering::Relaxed) != 60, "it is wet");
        Spark
    }
}

/// Its state has no bytes, and so is made for each call.
struct Sparks;

#[leaf(crate = pleach_core)]
impl Action<Game> for Sparks {
    type State = Spark;
    fn update(&self, _: &mut Spark, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_state_without_bytes_that_cannot_be_made_stops_the_agent_that_was_to_be_lent_it() {
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(Tree::builder("sparks").build(action_of(Sparks)).unwrap()).unwrap();
    let agents: Vec<_> = (0..40).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    // Forty are updated, and then twenty more.
    forest.tick(&mut world, 0.1).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| forest.tick(&mut world, 0.1))).is_err());
    let panicked = agents.iter().map(|&it| forest.agent(it).unwrap().phase() == Phase::Panicked);
    assert_eq!(panicked.collect::<Vec<_>>(), (0..40).map(|it| it == 20).collect::<Vec<_>>());
    assert_eq!(SPARKS.load(Ordering::Relaxed), 80, "the others had their turn");
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().ticked, 39);
}

static MADE: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct Token;

impl Default for Token {
    fn default() -> Self {
        MADE.fetch_add(1, Ordering::Relaxed);
        Token
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

struct Holds;

impl Action<Game> for Holds {
    type State = Token;
    fn update(&self, _: &mut Token, _: &mut Cx<'_, '_>) -> Status {
        Status::Running
    }
}

#[test]
fn a_state_that_needs_a_drop_is_kept_for_each_agent_even_without_bytes() {
    let counts = || (MADE.load(Ordering::Relaxed), DROPPED.load(Ordering::Relaxed));
    let mut world = World::default();
    let mut forest = Forest::<Game>::new(0);
    let tree = forest.add_tree(Tree::builder("holds").build(action_of(Holds)).unwrap()).unwrap();
    let agents: Vec<_> = (0..3).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
    for _ in 0..2 {
        forest.tick(&mut world, 0.1).unwrap();
    }
    assert_eq!(counts(), (3, 0));
    forest.agent_mut(agents[1]).unwrap().despawn(&mut world);
    assert_eq!(counts(), (3, 1));
    drop(forest);
    assert_eq!(counts(), (3, 3));
}
