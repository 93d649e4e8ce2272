//! Nodes before they are a tree: what the functions of [`nodes`](super::nodes) make, and their
//! order in the tree.
//!
//! A [`Node`] holds everything below it as one post-order list, so that neither building nor
//! dropping a tree recurses, however deep it is, and a chain of decorators costs no copies.

mod case;
mod ending;

use std::fmt;
use std::ops::{BitAnd, BitOr};

pub use case::Case;
pub use ending::Ending;

use super::amount::{Bound, Count, Number};
use super::instance::Border;
use super::kind::NodeKind;
use super::part::{HostLeaf, Part, Wrong};
use super::problem::Field;
use crate::blackboard::{Default as KeyDefault, EventError, SchemaError};
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::{Host, Outcome};

/// Which running branches a condition may abort when its status changes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Abort(u8);

impl Abort {
    /// Nothing.
    pub const NONE: Abort = Abort(0);
    /// The composite's own running child.
    pub const SELF: Abort = Abort(1);
    /// What runs to the right of the composite, among the children of the composites above.
    pub const LOWER_PRIORITY: Abort = Abort(2);
    /// Both.
    pub const BOTH: Abort = Abort(3);

    /// Whether it is [`NONE`](Abort::NONE).
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it aborts everything that `other` does.
    #[must_use]
    pub const fn contains(self, other: Abort) -> bool {
        self.0 & other.0 == other.0
    }

    /// What it aborts but `other` does not.
    #[must_use]
    pub const fn without(self, other: Abort) -> Abort {
        Abort(self.0 & !other.0)
    }
}

/// What either of them aborts.
impl BitOr for Abort {
    type Output = Abort;
    fn bitor(self, other: Abort) -> Abort {
        Abort(self.0 | other.0)
    }
}

/// What both of them abort.
impl BitAnd for Abort {
    type Output = Abort;
    fn bitand(self, other: Abort) -> Abort {
        Abort(self.0 & other.0)
    }
}

/// Saves identify a tree by this: do not change it.
impl fmt::Debug for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            ["Abort(0x0)", "Abort(SELF)", "Abort(LOWER_PRIORITY)", "Abort(SELF | LOWER_PRIORITY)"][usize::from(self.0)],
        )
    }
}

/// How many children decide a parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Every child.
    All,
    /// One child.
    Any,
    /// This many children; at least 1, at most as many as there are.
    AtLeast(u16),
}

/// Why a deferred leaf cannot be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LeafError {
    /// It needs a key that its node does not see, or not with that type.
    Key(SchemaError),
    /// It needs an event that its tree does not know.
    Event(EventError),
    /// Another reason, in words.
    Other(String),
    /// This many reasons, which the leaf's maker reports in another way. The tree is refused, and
    /// its error only counts them: [`TreeError::told`](super::TreeError::told).
    Told(usize),
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeafError::Key(it) => it.fmt(f),
            LeafError::Event(it) => it.fmt(f),
            LeafError::Other(it) => write!(f, "{it}"),
            LeafError::Told(it) => write!(f, "problems reported elsewhere: {it}"),
        }
    }
}

impl std::error::Error for LeafError {}

impl From<EventError> for LeafError {
    fn from(it: EventError) -> Self {
        LeafError::Event(it)
    }
}

impl From<SchemaError> for LeafError {
    fn from(it: SchemaError) -> Self {
        LeafError::Key(it)
    }
}

/// What a node is, with its parameters as they were written. A switch has one child per case,
/// followed by the default if there is one; a finally has its child, followed by the leaves of
/// `do`.
#[derive(Debug)]
pub(crate) enum Build<H: Host> {
    Sequence,
    Selector,
    Parallel {
        success: Option<Policy>,
        failure: Option<Policy>,
    },
    ReactiveSequence,
    ReactiveSelector,
    RandomSequence {
        weights: Option<Vec<f64>>,
    },
    RandomSelector {
        weights: Option<Vec<f64>>,
    },
    RandomChoice {
        weights: Option<Vec<f64>>,
    },
    UtilitySelector {
        scores: Vec<String>,
        reevaluate: bool,
        inertia: Option<f64>,
    },
    Switch {
        on: String,
        cases: Vec<Case>,
        default: bool,
        latch: bool,
    },
    Inverter,
    ForceSuccess,
    ForceFailure,
    UntilSuccess {
        count: Option<Count>,
    },
    UntilFailure {
        count: Option<Count>,
    },
    Repeat {
        count: Option<Count>,
        end_on_failure: bool,
    },
    /// `None` if its condition is refused.
    Guard {
        when: Option<Part<H>>,
        result: Option<Outcome>,
    },
    Timeout {
        seconds: Number,
        result: Option<Outcome>,
    },
    /// `None` after every end.
    Cooldown {
        seconds: Number,
        after: Option<Outcome>,
    },
    Limit {
        count: Count,
        exhausted: Option<Outcome>,
    },
    Delay {
        seconds: Number,
    },
    Probability {
        p: Number,
    },
    Token {
        token: String,
        count: Count,
        rest: Option<f64>,
        global: bool,
    },
    /// `None` on any end.
    Finally {
        on: Option<Ending>,
    },
    Host {
        leaf: HostLeaf<H>,
    },
    Wait {
        seconds: Number,
    },
    WaitTicks {
        ticks: Count,
    },
    WaitUntil {
        expr: String,
    },
    WaitFor {
        event: String,
        into: Option<String>,
    },
    Check {
        expr: String,
    },
    OnEvent {
        event: String,
        into: Option<String>,
    },
    Free {
        token: String,
    },
    Set {
        key: String,
        expr: String,
    },
    Roll {
        key: String,
        from: Bound,
        to: Bound,
    },
    Log {
        text: String,
    },
    Emit {
        event: String,
        payload: Option<String>,
        to_group: bool,
    },
    Succeed,
    Fail,
    Idle,
}

impl<H: Host> Build<H> {
    /// The kind of the node that is made from it.
    pub(crate) fn kind(&self) -> NodeKind {
        match self {
            Build::Sequence => NodeKind::Sequence,
            Build::Selector => NodeKind::Selector,
            Build::Parallel { .. } => NodeKind::Parallel,
            Build::ReactiveSequence => NodeKind::ReactiveSequence,
            Build::ReactiveSelector => NodeKind::ReactiveSelector,
            Build::RandomSequence { .. } => NodeKind::RandomSequence,
            Build::RandomSelector { .. } => NodeKind::RandomSelector,
            Build::RandomChoice { .. } => NodeKind::RandomChoice,
            Build::UtilitySelector { .. } => NodeKind::UtilitySelector,
            Build::Switch { .. } => NodeKind::Switch,
            Build::Inverter => NodeKind::Inverter,
            Build::ForceSuccess => NodeKind::ForceSuccess,
            Build::ForceFailure => NodeKind::ForceFailure,
            Build::UntilSuccess { .. } => NodeKind::UntilSuccess,
            Build::UntilFailure { .. } => NodeKind::UntilFailure,
            Build::Repeat { .. } => NodeKind::Repeat,
            Build::Guard { .. } => NodeKind::Guard,
            Build::Timeout { .. } => NodeKind::Timeout,
            Build::Cooldown { .. } => NodeKind::Cooldown,
            Build::Limit { .. } => NodeKind::Limit,
            Build::Delay { .. } => NodeKind::Delay,
            Build::Probability { .. } => NodeKind::Probability,
            Build::Token { .. } => NodeKind::Token,
            Build::Finally { .. } => NodeKind::Finally,
            // A deferred leaf counts as an action until it is made.
            Build::Host { leaf } if leaf.is_condition() => NodeKind::Condition,
            Build::Host { .. } => NodeKind::Action,
            Build::Wait { .. } => NodeKind::Wait,
            Build::WaitTicks { .. } => NodeKind::WaitTicks,
            Build::WaitUntil { .. } => NodeKind::WaitUntil,
            Build::WaitFor { .. } => NodeKind::WaitFor,
            Build::Check { .. } => NodeKind::Check,
            Build::OnEvent { .. } => NodeKind::OnEvent,
            Build::Free { .. } => NodeKind::Free,
            Build::Set { .. } => NodeKind::Set,
            Build::Roll { .. } => NodeKind::Roll,
            Build::Log { .. } => NodeKind::Log,
            Build::Emit { .. } => NodeKind::Emit,
            Build::Succeed => NodeKind::Succeed,
            Build::Fail => NodeKind::Fail,
            Build::Idle => NodeKind::Idle,
        }
    }
}

/// A service on a composite.
#[derive(Debug)]
pub(crate) struct Service<H: Host> {
    /// `None` if it is refused.
    pub(crate) run: Option<Part<H>>,
    pub(crate) interval: Number,
    pub(crate) jitter: Option<f64>,
}

/// One node with everything that was written about it.
#[derive(Debug)]
pub(crate) struct Spec<H: Host> {
    pub(crate) build: Build<H>,
    pub(crate) children: usize,
    pub(crate) kind: Option<Box<str>>,
    pub(crate) name: Option<Box<str>>,
    /// Rarely used parts.
    pub(crate) rest: Option<Box<Rest<H>>>,
    pub(crate) abort: Abort,
    pub(crate) origin: Option<u32>,
}

/// Rarely used parts of a node.
#[derive(Debug)]
pub(crate) struct Rest<H: Host> {
    pub(crate) id: Option<Box<str>>,
    pub(crate) note: Option<Box<str>>,
    pub(crate) services: Vec<Service<H>>,
    pub(crate) jitter: Option<f64>,
    pub(crate) keys: Vec<(String, KeyDefault)>,
    /// The keys that get their defaults back when it starts, by their names as it sees them.
    pub(crate) resets: Vec<String>,
    /// The parts of the tree that begin with it, inner ones first.
    pub(crate) borders: Vec<Border>,
    /// What was set on it but does not apply to it.
    pub(crate) wrong: Wrong,
}

impl<H: Host> Spec<H> {
    pub(super) fn rest(&mut self) -> &mut Rest<H> {
        self.rest.get_or_insert_with(|| {
            Box::new(Rest {
                id: None,
                note: None,
                services: Vec::new(),
                jitter: None,
                keys: Vec::new(),
                resets: Vec::new(),
                borders: Vec::new(),
                wrong: Vec::new(),
            })
        })
    }
}

/// A node and everything below it, not yet validated.
#[derive(Debug)]
pub struct Node<H: Host> {
    pub(crate) own: Spec<H>,
    /// Everything below it, children before their parents. Empty for a leaf, which so needs no
    /// list.
    pub(crate) below: Vec<Spec<H>>,
    /// How many nodes that is including itself, and how deep.
    pub(crate) size: usize,
    pub(crate) height: usize,
}

impl<H: Host> Node<H> {
    pub(crate) fn new(build: Build<H>, children: impl IntoIterator<Item = Node<H>>) -> Self {
        let children = children.into_iter();
        let (at_least, _) = children.size_hint();
        let own = Spec { build, children: 0, kind: None, name: None, rest: None, abort: Abort::NONE, origin: None };
        let mut node = Node { own, below: Vec::new(), size: 1, height: 1 };
        for child in children {
            node.add(child);
            if node.own.children == 1 {
                node.below.reserve(at_least);
            }
        }
        node.cut();
        node
    }

    /// Adds a child after the others.
    pub(super) fn add(&mut self, mut child: Node<H>) {
        self.size += child.size;
        self.height = self.height.max(child.height + 1);
        if self.own.children == 0 {
            self.below = child.below;
        } else {
            self.below.append(&mut child.below);
        }
        self.below.push(child.own);
        self.own.children += 1;
    }

    /// Drops everything below a node that will be refused whatever it holds: otherwise it would be
    /// copied once per level.
    pub(super) fn cut(&mut self) {
        if self.size > MAX_NODES || self.height > MAX_DEPTH {
            self.below = Vec::new();
        }
    }

    /// Names the node, for traces, drawings and look-ups. Names need not be unique.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.own.name = Some(name.into().into());
        self
    }

    /// Gives the node an id that stays the same when the tree is edited. Unique in its tree.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.own.rest().id = Some(id.into().into());
        self
    }

    /// A note for people.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.own.rest().note = Some(note.into().into());
        self
    }

    /// The abort type of a composite.
    #[must_use]
    pub fn aborts(mut self, abort: Abort) -> Self {
        self.own.abort = abort;
        self
    }

    /// Adds a service to a composite: an action of the host, whose update runs when the composite
    /// starts and every `interval` seconds while it is active; its result is ignored. If `interval`
    /// is an expression, its value after each run counts until the next. The service is a part of
    /// the composite, and has neither a name nor any other setting of a node.
    #[must_use]
    pub fn with_service(mut self, interval: impl Into<Number>, run: Node<H>) -> Self {
        let rest = self.own.rest();
        let run = Part::of(run, Some(&Field::Service(rest.services.len())), &mut rest.wrong);
        rest.services.push(Service { run, interval: interval.into(), jitter: None });
        self
    }

    /// Declares a key of this node: one value per agent, seen by this node and everything below it.
    #[must_use]
    pub fn with_key(mut self, name: impl Into<String>, default: impl Into<KeyDefault>) -> Self {
        self.own.rest().keys.push((name.into(), default.into()));
        self
    }

    /// Declares a key as [`with_key`](Node::with_key) does, which is reset to its default whenever
    /// the node starts, before the rest of the start.
    #[must_use]
    pub fn with_local(self, name: impl Into<String>, default: impl Into<KeyDefault>) -> Self {
        let name = name.into();
        self.with_key(name.clone(), default).resetting(name)
    }

    /// Resets a key that the node sees to its default whenever the node starts. Not part of the
    /// interface.
    #[doc(hidden)]
    #[must_use]
    pub fn resetting(mut self, name: impl Into<String>) -> Self {
        self.own.rest().resets.push(name.into());
        self
    }

    /// The name under which the node's kind was written, for drawings and messages: a registered
    /// leaf's name.
    #[must_use]
    pub fn of_kind(mut self, kind: impl Into<String>) -> Self {
        self.own.kind = Some(kind.into().into());
        self
    }

    /// Where the node was written, in any numbering of the caller's: returned in every
    /// [`Problem`](super::Problem).
    #[must_use]
    pub fn from_origin(mut self, origin: u32) -> Self {
        self.own.origin = Some(origin);
        self
    }
}
