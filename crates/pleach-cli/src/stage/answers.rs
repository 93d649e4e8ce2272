//! The answers of leaves in place of their own code.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pleach::nodes::{Node, action_of, condition_of};
use pleach::{Action, AgentId, Condition, Context, Host, NodeId, Status};

/// The answers of a leaf: the first reply for its first start, and so on. The last reply is for all
/// later starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// At least one.
    pub(crate) replies: Vec<Reply>,
    /// Whether only a condition can answer that: `true` or `false`.
    pub(crate) of_condition: bool,
}

/// A status as test files write it.
pub(crate) fn word(status: Status, of_condition: bool) -> &'static str {
    match (status, of_condition) {
        (Status::Success, true) => "true",
        (_, true) => "false",
        (Status::Success, false) => "Success",
        (Status::Failure, false) => "Failure",
        (Status::Running, false) => "Running",
    }
}

/// The answer of one activation: it runs for a while, and then has this status.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: Status,
    pub(crate) when: When,
}

/// How long a leaf runs before it has its status.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum When {
    AtOnce,
    /// This many seconds of the agent's own time.
    Seconds(f64),
    /// In the n-th tick, from 1.
    Tick(u32),
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

/// The answers of all leaves of one agent. The last answer that was set counts. Clones share the
/// answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<Said>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    leaves: BTreeMap<String, Answer>,
    nodes: BTreeMap<NodeId, (String, Answer)>,
    acts: BTreeMap<(AgentId, NodeId, String), Act>,
    missing: Option<(NodeId, String)>,
}

/// The activations of a leaf at a node of an agent.
#[derive(Clone, Copy, Debug, Default)]
struct Act {
    starts: usize,
    began: f64,
    updates: u32,
}

impl Answers {
    pub(crate) fn say(&self, whom: Whom, answer: Answer) {
        let mut said = self.lock();
        match whom {
            Whom::Leaf(leaf) => {
                said.acts.retain(|of, _| of.2 != leaf);
                said.nodes.retain(|_, it| it.0 != leaf);
                said.leaves.insert(leaf, answer);
            }
            Whom::Node(node, leaf) => {
                said.acts.retain(|of, _| (of.1, &of.2) != (node, &leaf));
                said.nodes.insert(node, (leaf, answer));
            }
        }
    }

    /// A copy of all answers and calls so far.
    pub(crate) fn copy(&self) -> Said {
        self.lock().clone()
    }

    pub(crate) fn put_back(&self, said: Said) {
        *self.lock() = said;
    }

    /// Forgets the calls so far, and that any answer was missing.
    pub(crate) fn forget(&self) {
        let mut said = self.lock();
        said.acts.clear();
        said.missing = None;
    }

    /// The first node that called a leaf for which there is no answer, and that leaf.
    pub(crate) fn missing(&self) -> Option<(NodeId, String)> {
        self.lock().missing.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if there is no answer for this leaf.
    fn status(&self, leaf: &str, (agent, node): (AgentId, NodeId), time: f64) -> Option<Status> {
        let mut said = self.lock();
        let Said { leaves, nodes, acts, missing } = &mut *said;
        // A service of the node may call another leaf.
        let own = nodes.get(&node).filter(|it| it.0 == leaf).map(|it| &it.1);
        let Some(answer) = own.or_else(|| leaves.get(leaf)) else {
            missing.get_or_insert_with(|| (node, leaf.to_owned()));
            return None;
        };
        // Without a start: a condition that is only watched, or an answer set while it runs.
        let act = acts.entry((agent, node, leaf.to_owned())).or_insert(Act { starts: 1, began: time, updates: 0 });
        act.updates = act.updates.saturating_add(1);
        let reply = answer.replies[(act.starts.max(1) - 1).min(answer.replies.len() - 1)];
        let is_due = match reply.when {
            When::AtOnce => true,
            // Sums of ticks are not exact.
            When::Seconds(seconds) => time - act.began >= seconds - 1e-6,
            When::Tick(tick) => act.updates >= tick,
        };
        Some(if is_due { reply.status } else { Status::Running })
    }

    fn start(&self, leaf: &str, (agent, node): (AgentId, NodeId), time: f64) {
        let mut said = self.lock();
        let act = said.acts.entry((agent, node, leaf.to_owned())).or_default();
        *act = Act { starts: act.starts + 1, began: time, updates: 0 };
    }
}

/// The leaves that a tree has asked for, each with how often it did.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeafCounts(Arc<Mutex<BTreeMap<String, usize>>>);

impl LeafCounts {
    pub(crate) fn count(&self, leaf: &str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(leaf.to_owned()).or_default() += 1;
    }

    /// Takes out what was asked for.
    pub(crate) fn take(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A leaf that gives the answers set for it. Without one, an action runs and a condition is false.
pub(crate) fn stub<H: Host>(name: &str, is_condition: bool, answers: &Answers) -> Node<H> {
    let stub = Stub { name: name.to_owned(), answers: answers.clone() };
    if is_condition { condition_of(stub) } else { action_of(stub) }
}

struct Stub {
    name: String,
    answers: Answers,
}

impl<H: Host> Action<H> for Stub {
    type State = ();
    fn start(&self, (): &mut (), cx: &mut Context<'_, '_, H>) {
        self.answers.start(&self.name, (cx.agent(), cx.node()), cx.time());
    }
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        self.answers.status(&self.name, (cx.agent(), cx.node()), cx.time()).unwrap_or(Status::Running)
    }
}

impl<H: Host> Condition<H> for Stub {
    type State = ();
    fn start(&self, (): &mut (), cx: &mut Context<'_, '_, H>) {
        self.answers.start(&self.name, (cx.agent(), cx.node()), cx.time());
    }
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, H>) -> Status {
        self.answers.status(&self.name, (cx.agent(), cx.node()), cx.time()).unwrap_or(Status::Failure)
    }
}
