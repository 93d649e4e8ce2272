//! Checks that the running tree is no larger than the core accepts. This also bounds the
//! recursion of everything after it.

use pleach_core::limits::{MAX_DEPTH, MAX_NODES};

use super::{Checked, at_most, value_error};
use crate::scenario::{DecoratorKind, LeafKind, Node, Scenario, Shape, Test};

pub(super) fn check(scenario: &Scenario) -> Checked {
    let too_deep = |at: String, levels: usize, why: &str| {
        let what = format!("nested {levels} levels deep, the most is {MAX_DEPTH}{why}");
        if levels > MAX_DEPTH { Err(value_error(at, what)) } else { Ok(()) }
    };
    let later = scenario.ops.iter().enumerate().filter(|it| it.1.call.version().is_some());
    let places = ["tree".to_owned()].into_iter().chain(later.map(|(i, _)| format!("ops[{i}].tree")));
    for (at, tree) in places.zip(scenario.versions()) {
        if scenario.interrupts.is_empty() {
            too_deep(at.clone(), tree.depth(), "")?;
        } else {
            too_deep(at.clone(), 1 + tree.depth(), ": the interrupts add 1")?;
        }
        let (nodes, leaves) = count(scenario, tree);
        at_most(&at, nodes, "nodes are too many", MAX_NODES)?;
        at_most(&at, leaves, "actions, conditions, services and `when`s are too many", MAX_NODES)?;
    }
    for (i, interrupt) in scenario.interrupts.iter().enumerate() {
        too_deep(format!("interrupts[{i}].run"), 2 + interrupt.run.depth(), ": an interrupt adds 2")?;
    }
    Ok(())
}

/// The numbers of nodes and of host leaves in a tree that is run.
fn count(scenario: &Scenario, tree: &Node) -> (usize, usize) {
    let interrupts = &scenario.interrupts;
    let mut nodes = if interrupts.is_empty() { 0 } else { 1 + interrupts.len() };
    let mut leaves = interrupts.iter().filter(|it| matches!(it.test, Test::When(_))).count();
    let mut left: Vec<&Node> = interrupts.iter().map(|it| &it.run).chain([tree]).collect();
    while let Some(node) = left.pop() {
        nodes += 1;
        leaves += match &node.shape {
            Shape::Composite { services, .. } => services.len(),
            Shape::Decorator { kind: DecoratorKind::Guard { test: Test::When(_), .. }, .. }
            | Shape::Leaf(LeafKind::Action | LeafKind::Condition) => 1,
            Shape::Decorator { .. } | Shape::Leaf(_) => 0,
        };
        left.extend(node.children());
    }
    (nodes, leaves)
}
