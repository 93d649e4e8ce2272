//! Trees at the limit of nodes: they build fast, are small, and run like any other.

use crate::support;

use pleach_core::limits::MAX_NODES;
use pleach_core::nodes::{action, check, idle, parallel, selector, sequence, succeed, wait};
use pleach_core::{
    Forest, Outcome, Status, Tree,
    nodes::{Abort, Node},
};
use support::{Cx, Game, World};

const MIB: i64 = 1 << 20;

/// Builds a tree and returns it with how much memory it holds.
fn measured(root: impl FnOnce() -> Node<Game>) -> (Tree<Game>, i64) {
    let mut tree = None;
    let memory = allocation_counter::measure(|| {
        let mut builder = Tree::<Game>::builder("large");
        builder.key("a", 0_i64);
        builder.key("b", false);
        tree = Some(builder.build(root()).unwrap());
    });
    (tree.unwrap(), memory.bytes_current)
}

#[test]
fn a_wide_tree_of_all_nodes() {
    let leaf = |_| {
        action(|cx: &mut Cx<'_, '_>| {
            cx.host.count += 1;
            Status::Success
        })
    };
    let (tree, bytes) = measured(|| sequence((1..MAX_NODES).map(leaf)));
    assert_eq!(tree.len(), MAX_NODES);
    assert!(bytes < 64 * MIB, "{bytes}");
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(
        (world.count, forest.agent(agent).map(|it| it.last_outcome())),
        (MAX_NODES as u64 - 1, Ok(Some(Outcome::Success)))
    );
}

#[test]
fn sixty_five_thousand_watched_conditions() {
    // Each condition has its own branch, left of the running one. An even number of nodes is left
    // for the end.
    let branches = (MAX_NODES - 4) / 3;
    let (tree, bytes) = measured(|| {
        let branch = |at: usize| {
            let test = if at == branches / 2 { "b" } else { "a > 3" };
            sequence([check(test), wait(0.3)]).aborts(Abort::LOWER_PRIORITY)
        };
        selector((0..branches).map(branch).chain([idle()]))
    });
    assert!(bytes < 64 * MIB, "{bytes}");
    let key = tree.key::<bool>("b").unwrap();
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(forest.agent(agent).unwrap().inspect().monitors.len(), branches);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 0);
    forest.keys_mut(agent).unwrap().set(key, true);
    assert_eq!(forest.tick(&mut world, 0.1).unwrap().aborts, 1);
    let running: Vec<_> = forest.agent(agent).unwrap().current().map(|it| it.index()).collect();
    assert_eq!(running, [branches / 2 * 3 + 3]);
    // All in one sequence with Self.
    let (tree, bytes) =
        measured(|| sequence((3..MAX_NODES).map(|_| check("a < 3")).chain([wait(0.1), succeed()])).aborts(Abort::SELF));
    assert!(bytes < 64 * MIB, "{bytes}");
    let key = tree.key::<i64>("a").unwrap();
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.05).unwrap();
    forest.keys_mut(agent).unwrap().set(key, 7);
    assert_eq!(forest.tick(&mut world, 0.05).unwrap().aborts, 1);
    assert_eq!(forest.agent(agent).unwrap().last_outcome(), Some(Outcome::Failure));
}

#[test]
fn as_many_stacks_as_nodes() {
    let leaf = |_| {
        action(|cx: &mut Cx<'_, '_>| {
            cx.host.count += 1;
            Status::Running
        })
    };
    let (tree, bytes) = measured(|| parallel((1..MAX_NODES).map(leaf)));
    assert!(bytes < 64 * MIB, "{bytes}");
    assert_eq!(tree.run_stacks(), MAX_NODES);
    let mut world = World::default();
    let mut forest = Forest::new(0);
    let id = forest.add_tree(tree).unwrap();
    let agent = forest.spawn(&mut world, id).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.count, 2 * (MAX_NODES as u64 - 1));
    forest.agent_mut(agent).unwrap().pause(&mut world);
    forest.agent_mut(agent).unwrap().despawn(&mut world);
}
