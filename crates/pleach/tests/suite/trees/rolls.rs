//! Rolls: which are refused, that each number is as likely as another, and that batches, brains and
//! equal seeds roll alike (SEMANTICS 8.28).

use crate::support;

use pleach_core::nodes::{action, check, repeat_forever, roll, selector, sequence, wait_ticks};
use pleach_core::{
    BlackboardType, Brain, Forest, Key, Status, Tree, TreeBuilder, Type,
    error::{Field, Problem, ProblemKind},
    nodes::{Abort, Bound, Node},
};
use support::{Cx, Game, World};

fn builder() -> TreeBuilder<Game> {
    let mut builder = Tree::builder("t");
    builder.key("n", 0_i64);
    builder.key("x", 0.5_f32);
    builder.key("alarm", false);
    builder
}

/// The only problem of a roll.
fn problem(key: &str, from: impl Into<Bound>, to: impl Into<Bound>) -> Problem {
    let mut all = builder().build(roll(key, from, to)).map(drop).expect_err("it has a problem").problems;
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn what_cannot_be_rolled_is_refused_at_its_field() {
    let param = |it| Some(Field::Param(it));
    let kind = |p: Problem, field| {
        assert_eq!(p.field, param(field));
        p.kind
    };
    assert!(matches!(kind(problem("m", 1, 6), "key"), ProblemKind::Key(_)));
    assert_eq!(kind(problem("alarm", 1, 6), "key"), ProblemKind::RollType(Type::Bool));
    let number = |expr: &str, found| ProblemKind::NotANumber { expr: expr.into(), expected: Type::Int, found };
    assert_eq!(kind(problem("n", 0.5, 6), "from"), number("0.5", Type::Float));
    assert_eq!(kind(problem("n", 1, "x"), "to"), number("x", Type::Float));
    assert_eq!(kind(problem("n", "alarm", 6), "from"), number("alarm", Type::Bool));
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39] {
        assert!(matches!(kind(problem("x", wrong, 1), "from"), ProblemKind::RollEnd(_)), "{wrong}");
        assert!(matches!(kind(problem("x", 0, wrong), "to"), ProblemKind::RollEnd(_)), "{wrong}");
    }
    assert!(matches!(kind(problem("x", "sqrt(-1.0)", 1), "from"), ProblemKind::RollEnd(_)));
    assert!(matches!(kind(problem("x", 0, "1.0 / 0"), "to"), ProblemKind::RollEnd(_)));
    let order = |from: &str, to: &str| ProblemKind::RollOrder { from: from.into(), to: to.into() };
    assert_eq!(kind(problem("n", 6, 1), "to"), order("6", "1"));
    assert_eq!(kind(problem("n", i64::MAX, i64::MIN), "to"), order("9223372036854775807", "-9223372036854775808"));
    assert_eq!(kind(problem("x", 1.5, "2 - 1"), "to"), order("1.5", "1"));
    assert_eq!(problem("n", 6, 1).to_string(), "Roll: `to`: 1 is below `from`, 6: swap them");
    let all = builder().build(roll("n", "m", "k")).map(drop).expect_err("two keys are missing").problems;
    assert_eq!(all.iter().map(|it| it.field.clone()).collect::<Vec<_>>(), [param("from"), param("to")]);
}

#[test]
fn ends_at_the_limits_are_taken() {
    for root in [
        roll("n", i64::MIN, i64::MAX),
        roll("n", i64::MIN, i64::MIN),
        roll("n", i64::MAX, i64::MAX),
        roll("n", 2, "n"),
        roll("x", i64::MIN, i64::MAX),
        roll("x", f64::from(f32::MIN), f64::from(f32::MAX)),
        roll("x", -0.0, 0),
        roll("x", 1e-45, 0.1),
        roll("x", 0.5, 0.5),
        roll("x", "n", "x * 2"),
    ] {
        assert!(builder().build(root).is_ok());
    }
}

/// The roll in each of `ticks` ticks.
fn rolled<T: BlackboardType>(key: &str, root: Node<Game>, seed: u64, ticks: usize) -> Vec<T> {
    let tree = builder().build(root).unwrap();
    let key: Key<T> = tree.key(key).unwrap();
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, seed);
    let mut tick = || {
        brain.tick(&mut world, 0.1).unwrap();
        brain.keys().get(key)
    };
    (0..ticks).map(|_| tick()).collect()
}

#[test]
fn each_number_is_as_likely_as_another() {
    let all: Vec<i64> = rolled("n", repeat_forever(roll("n", -1, 2)), 7, 4_000);
    for number in -1..=2 {
        let count = all.iter().filter(|it| **it == number).count();
        assert!((900..1_100).contains(&count), "{number}: {count}");
    }
    // Three quarters of 2^64: by a remainder, the first third would be twice as likely.
    let all: Vec<i64> = rolled("n", repeat_forever(roll("n", i64::MIN, i64::MAX / 2)), 7, 4_000);
    let low = all.iter().filter(|it| **it < i64::MIN / 2).count();
    assert!((1_233..1_433).contains(&low), "{low}");
    let all: Vec<i64> = rolled("n", repeat_forever(roll("n", i64::MIN, i64::MAX)), 7, 4_000);
    let low = all.iter().filter(|it| **it < 0).count();
    assert!((1_900..2_100).contains(&low), "{low}");
    let all: Vec<f32> = rolled("x", repeat_forever(roll("x", -1, 3.0)), 7, 4_000);
    assert!(all.iter().all(|it| (-1.0..3.0).contains(it)));
    let low = all.iter().filter(|it| **it < 0.0).count();
    assert!((900..1_100).contains(&low), "{low}");
}

#[test]
fn a_float_stays_below_its_end_and_keeps_the_sign_of_a_zero() {
    let next = rolled::<f32>("x", repeat_forever(roll("x", 1.0_f64.next_down(), 1)), 3, 50);
    assert_eq!(next, [1.0; 50]); // the nearest 32-bit float of both ends is 1
    let next = rolled::<f32>("x", repeat_forever(roll("x", 0.99999994, 1)), 3, 50);
    assert_eq!(next, [1.0_f32.next_down(); 50]);
    let zero = rolled::<f32>("x", roll("x", -0.0, 0), 3, 1);
    assert!(zero[0] == 0.0 && zero[0].is_sign_negative());
    let wide = rolled::<f32>("x", repeat_forever(roll("x", f64::from(f32::MIN), f64::from(f32::MAX))), 3, 50);
    assert!(wide.iter().all(|it| it.is_finite()) && wide.iter().any(|it| *it < 0.0) && wide.iter().any(|it| *it > 0.0));
}

#[test]
fn one_seed_rolls_one_run() {
    let run = |seed| rolled::<i64>("n", repeat_forever(roll("n", 0, 1_000)), seed, 20);
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

/// After a leaf of the host, before one, and where it ends the running node: in every way to tick.
#[test]
fn batches_roll_as_agents_in_order() {
    let run = |batched: bool, agents: usize| {
        let tree = builder();
        let work = || action(|_: &mut Cx<'_, '_>| Status::Success);
        let long = action(|_: &mut Cx<'_, '_>| Status::Running);
        let high = sequence([check("n > 3"), roll("x", 0, 1), wait_ticks(1), roll("n", 0, 4)]).aborts(Abort::BOTH);
        let low = sequence([work(), roll("n", 0, 4), work(), roll("x", "n", "n + 1"), long]);
        let tree = tree.build(selector([high, low])).unwrap();
        let (n, x): (Key<i64>, Key<f32>) = (tree.key("n").unwrap(), tree.key("x").unwrap());
        let mut world = World::default();
        let mut forest = Forest::<Game>::new(3);
        forest.configure(|it| it.batched = batched);
        let tree = forest.add_tree(tree).unwrap();
        let all: Vec<_> = (0..agents).map(|_| forest.spawn(&mut world, tree).unwrap()).collect();
        let mut seen = Vec::new();
        for _ in 0..12 {
            forest.tick(&mut world, 0.1).unwrap();
            let keys = |it| forest.keys(it).unwrap();
            seen.push(all.iter().map(|&it| (keys(it).get(n), keys(it).get(x))).collect::<Vec<_>>());
        }
        seen
    };
    for agents in [1, 5, 200] {
        assert_eq!(run(true, agents), run(false, agents), "{agents}");
    }
}
