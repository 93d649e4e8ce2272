//! What happens to an agent, as values. Traces are compared as values, and written as lines only
//! for people.

use std::fmt;

use pleach_core::NodeId;

use crate::scenario::{LeafKind, Node, Outcome, Shape, Status};

/// The index of a node in pre-order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIndex(pub(crate) usize);

impl fmt::Display for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for NodeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl From<NodeId> for NodeIndex {
    fn from(id: NodeId) -> Self {
        NodeIndex(id.index())
    }
}

/// A line of the trace about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// `start`
    Start(NodeIndex),
    /// `update`
    Update(NodeIndex, Status),
    /// `recheck`
    Recheck(NodeIndex, Status),
    /// `check`
    Check(NodeIndex, bool),
    /// `service`, the n-th of its node.
    Service(NodeIndex, usize),
    /// `log`
    Log(NodeIndex),
    /// `emit`, with its payload as the trace writes it.
    Emit(NodeIndex, Option<String>),
    /// `end`
    End(NodeIndex, End),
    /// `abort`
    Abort {
        /// The composite that goes on.
        scope: NodeIndex,
        /// The condition.
        by: NodeIndex,
    },
    /// `switch`
    Switch(NodeIndex),
    /// `pause`
    Pause(NodeIndex),
    /// `unpause`
    Unpause(NodeIndex),
    /// `restored`
    Restored(NodeIndex),
}

/// How a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Itself(Outcome),
    /// From outside.
    Aborted(Reason),
}

/// Why a node was aborted: ended from outside: section 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A conditional abort, or the work of a guard, a timeout, a reactive composite or a utility
    /// selector above.
    Abort,
    /// The switch above has selected another child, or none.
    Switched,
    /// The parallel above is decided.
    Decided,
    /// The agent was disabled or restarted.
    Stopped,
    /// The agent was despawned.
    Despawned,
    /// A leaf in the `do` of a finally returned Running.
    NotInstant,
    /// The tree was replaced; only a brain and its twin get this.
    Replaced,
}

/// The texts of a tree's nodes.
pub(crate) struct Words(Vec<Word>);

struct Word {
    label: String,
    /// The names of a composite's services, the text of a log, or the event of an emit.
    more: Vec<String>,
}

impl Words {
    /// The texts of a tree's nodes.
    pub(crate) fn of(root: &Node) -> Words {
        fn add(node: &Node, words: &mut Vec<Word>) {
            let more = match &node.shape {
                Shape::Composite { services, .. } => services.iter().map(|it| it.name.clone()).collect(),
                Shape::Leaf(LeafKind::Log { text }) => vec![text.clone()],
                Shape::Leaf(LeafKind::Emit { event, .. }) => vec![event.clone()],
                Shape::Leaf(_) | Shape::Decorator { .. } => Vec::new(),
            };
            words.push(Word { label: format!("{}:{}", words.len(), node.label()), more });
            node.children().iter().for_each(|it| add(it, words));
        }
        let mut words = Vec::new();
        add(root, &mut words);
        Words(words)
    }

    /// A node, as the trace writes it.
    pub(crate) fn node(&self, index: NodeIndex) -> &str {
        &self.0[index.0].label
    }

    /// The text of a log.
    pub(crate) fn text(&self, index: NodeIndex) -> &str {
        &self.0[index.0].more[0]
    }

    /// What an emit sends: the event and its payload.
    pub(crate) fn event(&self, index: NodeIndex, payload: Option<&str>) -> String {
        let event = &self.0[index.0].more[0];
        payload.map_or_else(|| event.clone(), |it| format!("{event} {it}"))
    }

    /// The line of the trace.
    pub(crate) fn line(&self, happening: &Happening) -> String {
        let node = |index: &NodeIndex| self.node(*index);
        let truth = |holds: bool| if holds { 'S' } else { 'F' };
        match happening {
            Happening::Start(n) => format!("start {}", node(n)),
            Happening::Update(n, status) => format!("update {} {}", node(n), status.letter()),
            Happening::Recheck(n, status) => format!("recheck {} {}", node(n), status.letter()),
            Happening::Check(n, holds) => format!("check {} {}", node(n), truth(*holds)),
            Happening::Service(n, at) => format!("service {} {}", node(n), self.0[n.0].more[*at]),
            Happening::Log(n) => format!("log {} {}", node(n), self.text(*n)),
            Happening::Emit(n, payload) => format!("emit {} {}", node(n), self.event(*n, payload.as_deref())),
            Happening::End(n, End::Itself(outcome)) => format!("end {} {}", node(n), Status::from(*outcome).letter()),
            Happening::End(n, End::Aborted(_)) => format!("end {} I", node(n)),
            Happening::Abort { scope, by } => format!("abort {} by {}", node(scope), node(by)),
            Happening::Switch(n) => format!("switch {}", node(n)),
            Happening::Pause(n) => format!("pause {}", node(n)),
            Happening::Unpause(n) => format!("unpause {}", node(n)),
            Happening::Restored(n) => format!("restored {}", node(n)),
        }
    }
}

/// The line of an event that was sent to the other member of the squad.
pub(crate) fn heard_line(event: &str, payload: Option<&str>) -> String {
    payload.map_or_else(|| format!("heard {event}"), |it| format!("heard {event} {it}"))
}

/// The line at the end of a tick.
pub(crate) fn stacks_line(stacks: &[Vec<NodeIndex>]) -> String {
    let stack = |it: &Vec<NodeIndex>| it.iter().map(NodeIndex::to_string).collect::<Vec<_>>().join(" ");
    format!("stacks [{}]", stacks.iter().map(stack).collect::<Vec<_>>().join(" | "))
}
