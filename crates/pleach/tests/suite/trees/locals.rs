//! Locals: keys that get their defaults back when a node starts (SEMANTICS 8.35). What scenarios do
//! not show: names, sleep, batches, replaced trees, what is refused.

use crate::support;

use pleach_core::nodes::{
    action, check, idle, inverter, log, parallel, repeat_forever, selector, sequence, set, succeed, wait, wait_ticks,
    wait_until,
};
use pleach_core::{
    Brain, Forest, Key, Outcome, Phase, Replace, Status, Tree,
    error::{Field, ProblemKind, SchemaError},
    nodes::{Abort, Instance, Node, NodeList},
    schema::Scope,
};
use support::{Cx, Game, World, always, tree};

fn counts() -> Node<Game> {
    sequence([set("n", "n + 1"), check("n == 1")])
}

fn ends(tree: Tree<Game>) -> Vec<Option<Outcome>> {
    let mut world = World::default();
    let mut brain = Brain::new(&mut world, tree, 7);
    (0..3).map(|_| brain.tick(&mut world, 0.5).unwrap()).collect()
}

#[test]
fn a_local_of_a_node_of_the_tree_or_of_an_instance_is_reset() {
    let all = vec![Some(Outcome::Success); 3];
    assert_eq!(ends(tree(counts().with_local("n", 0_i64))), all);
    assert_eq!(ends(tree(inverter(inverter(counts())).with_local("n", 0_i64))), all);
    assert_ne!(ends(tree(counts().with_key("n", 0_i64))), all);

    let mut builder = Tree::<Game>::builder("t");
    builder.local("n", 0_i64);
    assert_eq!(ends(builder.build(counts()).unwrap()), all);

    let mut list = NodeList::default();
    list.push(set("n", "n + 1"), 0);
    list.push(check("n == 1"), 0);
    list.push(sequence([]), 2);
    list.instance(Instance { locals: vec![("n".into(), 0_i64.into())], ..Instance::named("part") });
    let mut builder = Tree::<Game>::builder("t");
    // One of the whole tree has the same node, and is another key.
    builder.local("n", 9_i64);
    let tree = builder.build(list.into_node().unwrap()).unwrap();
    let keys: Vec<_> = tree.schema().keys().map(|it| (it.name(), it.scope(), it.node().unwrap().index())).collect();
    assert_eq!(keys, [("n", Scope::Node, 0), ("part.n", Scope::Node, 0)]);
    assert_eq!(ends(tree), all);
}

#[test]
fn what_is_wrong_with_a_local_is_told_of_its_key() {
    let wrong = |build: &dyn Fn() -> Result<Tree<Game>, pleach_core::error::TreeError>| {
        let problem = build().map(drop).unwrap_err().problems.remove(0);
        (problem.field.unwrap(), problem.kind)
    };
    let of = |name: &str| Field::Key(Scope::Node, name.into());
    let build = |root: Node<Game>| Tree::<Game>::builder("t").build(root);
    let twice = wrong(&|| build(succeed().with_key("n", 0_i64).with_local("n", 1_i64)));
    assert!(matches!(twice, (field, ProblemKind::Key(SchemaError::Doubled { .. })) if field == of("n")));
    assert_eq!(wrong(&|| build(succeed().with_local("a b", 0_i64))).0, of("a b"));
    let whole = wrong(&|| {
        let mut builder = Tree::<Game>::builder("t");
        builder.local("n", f32::NAN);
        builder.build(succeed())
    });
    assert_eq!(whole, (of("n"), ProblemKind::Key(SchemaError::NotFinite("n".into()))));
}

/// A restored default wakes a sleeper if that matters to it, and not otherwise.
#[test]
fn a_default_that_comes_back_wakes_those_to_whom_it_matters() {
    let woken = |waits_for: &str| {
        let mut world = World::default();
        let waiter = sequence([wait_ticks(1), wait_until(waits_for), log("woken"), idle()]);
        let counter = repeat_forever(sequence([set("n", "3"), wait(1.0)]).resetting("n"));
        let mut builder = Tree::<Game>::builder("t");
        builder.key("n", 0_i64);
        let mut forest = Forest::new(1);
        let id = forest.add_tree(builder.build(parallel([waiter, counter])).unwrap()).unwrap();
        let agent = forest.spawn(&mut world, id).unwrap();
        let mut asleep = 0;
        for _ in 0..9 {
            asleep += forest.tick(&mut world, 0.25).unwrap().asleep;
        }
        assert_eq!(forest.agent(agent).unwrap().phase(), Phase::Asleep);
        (world.take().len(), asleep > 0)
    };
    // It is 3 until the sequence starts again, and 0 only between its start and the `Set`.
    assert_eq!(woken("n == 3"), (1, true));
    assert_eq!(woken("n > 5"), (0, true));
}

#[test]
fn batches_do_as_agents_in_order() {
    let run = |batched: bool, agents: usize| {
        let mut builder = Tree::<Game>::builder("t");
        let (seen, n): (Key<bool>, Key<i64>) = (builder.key("seen", false), builder.key("n", 0_i64));
        let work = || action(|_: &mut Cx<'_, '_>| Status::Success);
        let flee = sequence([check("seen and n < 3"), work(), set("n", "n + 10")]).aborts(Abort::BOTH);
        let job = sequence([work(), work().resetting("n"), set("n", "n + 1"), work(), wait_ticks(2).resetting("n")]);
        let tree = builder.build(selector([flee, job]).resetting("n")).unwrap();
        support::values(tree, (seen, n), batched, agents)
    };
    for agents in [1, 5, 200] {
        assert_eq!(run(true, agents), run(false, agents), "{agents}");
    }
    let seen: std::collections::BTreeSet<i64> = run(true, 5).concat().into_iter().collect();
    assert!(seen.len() > 1, "{seen:?}");
}

/// The values of kept nodes stay; a new local has its default, and gets it back at the next start.
#[test]
fn a_replaced_tree_keeps_the_values() {
    let root = |more: &str| sequence([set("n", &format!("n + {more}")), always("busy", Status::Running)]);
    let mut world = World::default();
    let mut forest = Forest::new(1);
    let id = forest.add_tree(tree(root("1").with_local("n", 10_i64))).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    let value = |forest: &Forest<Game>| {
        let keys = forest.agent(agent).unwrap().inspect().keys;
        keys.iter().find(|it| it.0.name() == "n").map(|it| it.1)
    };
    assert_eq!(value(&forest), Some(11_i64.into()));
    forest.replace_tree(&mut world, id, Replace::keep(tree(root("5").with_local("n", 10_i64)))).unwrap();
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(value(&forest), Some(11_i64.into()));
    forest.agent_mut(agent).unwrap().restart(&mut world);
    // A restart alone resets nothing; the start does.
    assert_eq!(value(&forest), Some(11_i64.into()));
    forest.tick(&mut world, 0.5).unwrap();
    assert_eq!(value(&forest), Some(15_i64.into()));
}
