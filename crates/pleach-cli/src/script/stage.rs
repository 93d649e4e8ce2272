//! The host of trees that a script plays: what leaves answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use pleach::nodes::{Node, action, condition};
use pleach::{Context, Host, NodeId, Registry, Status};

/// The host of a script. What leaves see is what they shall answer.
pub(crate) struct Stage;
impl Host for Stage {
    type Cx<'a> = Answers;
}

/// Who answers: every use of a leaf, or one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    /// The leaf of that name.
    Leaf(String),
    /// The node, and the leaf that it calls.
    Node(NodeId, String),
}

impl Whom {
    /// The name of the leaf.
    pub(crate) fn leaf(&self) -> &str {
        match self {
            Whom::Leaf(leaf) | Whom::Node(_, leaf) => leaf,
        }
    }
}

/// What leaves answer. What was said last counts.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    leaves: BTreeMap<String, Status>,
    nodes: BTreeMap<NodeId, (String, Status)>,
}

impl Answers {
    pub(crate) fn say(&mut self, whom: Whom, status: Status) {
        match whom {
            Whom::Leaf(leaf) => {
                self.nodes.retain(|_, it| it.0 != leaf);
                self.leaves.insert(leaf, status);
            }
            Whom::Node(node, leaf) => _ = self.nodes.insert(node, (leaf, status)),
        }
    }

    fn of(&self, leaf: &str, node: NodeId) -> Option<Status> {
        // A service of the node may call another leaf.
        let own = self.nodes.get(&node).filter(|it| it.0 == leaf).map(|it| it.1);
        own.or_else(|| self.leaves.get(leaf).copied())
    }
}

/// The leaves that a tree has asked for, each with how often it did.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafCounts(Arc<Mutex<BTreeMap<String, usize>>>);

impl LeafCounts {
    /// Takes out what was asked for.
    pub(crate) fn take(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Leaves that answer what the script says. Until then an action runs, and a condition does not
/// hold. These `conditions` are conditions, whatever is known of them.
pub(crate) fn leaves<H: Host>(of: &Registry<H>, conditions: &BTreeSet<String>, asked: &LeafCounts) -> Registry<Stage> {
    let (conditions, asked) = (conditions.clone(), asked.clone());
    of.stubbed(move |name, is_condition| {
        *asked.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default() += 1;
        leaf(name.to_owned(), is_condition || conditions.contains(name))
    })
}

fn leaf(name: String, is_condition: bool) -> Node<Stage> {
    if is_condition {
        condition(move |cx: &mut Context<'_, '_, Stage>| cx.host.of(&name, cx.node()) == Some(Status::Success))
    } else {
        action(move |cx: &mut Context<'_, '_, Stage>| cx.host.of(&name, cx.node()).unwrap_or(Status::Running))
    }
}
