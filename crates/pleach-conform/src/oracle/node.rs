//! The nodes of the oracle: what a node is, and what it remembers.

use std::cell::{RefCell, RefMut};
use std::ops::Deref;
use std::rc::{Rc, Weak};

use crate::expr::Expr;
use crate::happening::NodeIndex;
use crate::scenario::{self, Abort, CompositeKind, DecoratorKind, Keys, LeafKind, Outcome, Service, Shape, Test};

pub(super) struct AgentNode {
    plan: Rc<Plan>,
    parent: Weak<AgentNode>,
    pub(super) children: Vec<Rc<AgentNode>>,
    state: RefCell<State>,
}

/// A node as all agents of the tree share it.
pub(super) struct Plan {
    pub(super) index: NodeIndex,
    /// The name, or else the type.
    pub(super) name: String,
    pub(super) given_name: Option<String>,
    pub(super) id: Option<String>,
    /// The keys that its start resets.
    pub(super) locals: Vec<String>,
    pub(super) kind: Kind,
    pub(super) abort: Abort,
    pub(super) services: Vec<Service>,
    /// For each service the expression of its interval, if it has one.
    pub(super) intervals: Vec<Option<Expr>>,
    /// The scores of a utility selector, or the only expression of another node: for a switch its
    /// value.
    pub(super) exprs: Vec<Expr>,
    children: Vec<Rc<Plan>>,
}

pub(super) enum Kind {
    Composite(CompositeKind),
    Decorator(DecoratorKind),
    Leaf(LeafKind),
}

/// What a node remembers.
#[derive(Clone, Default)]
pub(super) struct State {
    /// Whether it is between its start and its end.
    pub(super) active: bool,
    /// How often it has ever been started.
    pub(super) starts: u32,

    // What a start resets:
    /// The agent's time at the start.
    pub(super) started: u64,
    /// The indices of the children in the order in which they are tried; for a switch only that of
    /// the selected child, if any; for a random choice only that of the drawn one.
    pub(super) order: Vec<usize>,
    /// The position, in that order, of the child that runs or comes next.
    pub(super) cursor: usize,
    /// Updates of a leaf, rounds of a repeater, attempts.
    pub(super) counter: u32,
    /// How many seconds it waits, or its child may run.
    pub(super) seconds: f64,
    /// How many updates, rounds or attempts there are.
    pub(super) count: u32,
    /// How many children of a parallel have succeeded.
    pub(super) succeeded: usize,
    /// How many have failed.
    pub(super) failed: usize,
    pub(super) verdict: Option<Outcome>,
    /// When each service ran last, and how many seconds later it runs again.
    pub(super) served: Vec<(u64, f64)>,
    /// Whether a reactive composite runs children again. It then does not hear of their ends.
    pub(super) rerunning: bool,
    /// Children that ended when the tree was replaced, and are started again without a visit: the
    /// child of a decorator, some children of a parallel.
    pub(super) again: Vec<usize>,

    /// Whether a token holds a place.
    pub(super) holds: bool,

    // What only a new enable resets:
    /// When the child of a cooldown last ended in a way that starts it, and for how many seconds.
    pub(super) child_ended: Option<(u64, f64)>,
    /// How often the child of a limit has been started.
    pub(super) child_starts: u32,
}

impl Plan {
    /// The plans of a tree; the keys give its expressions their types.
    pub(super) fn tree(spec: &scenario::Node, keys: &Keys) -> Rc<Plan> {
        build(spec, keys, &mut 0)
    }
}

impl Deref for AgentNode {
    type Target = Plan;
    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl AgentNode {
    /// An agent's nodes.
    pub(super) fn tree(plan: &Rc<Plan>) -> Rc<AgentNode> {
        fn make(plan: &Rc<Plan>, parent: Weak<AgentNode>) -> Rc<AgentNode> {
            Rc::new_cyclic(|this| AgentNode {
                plan: plan.clone(),
                parent,
                children: plan.children.iter().map(|it| make(it, this.clone())).collect(),
                state: RefCell::default(),
            })
        }
        make(plan, Weak::new())
    }

    pub(super) fn state(&self) -> RefMut<'_, State> {
        self.state.borrow_mut()
    }

    pub(super) fn is_active(&self) -> bool {
        self.state().active
    }

    /// Resets what only a new enable resets.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.child_ended = None;
        state.child_starts = 0;
    }

    /// This node and everything below it, in pre-order.
    pub(super) fn for_each(&self, f: &mut impl FnMut(&AgentNode)) {
        f(self);
        for child in &self.children {
            child.for_each(f);
        }
    }

    pub(super) fn parent(&self) -> Option<Rc<AgentNode>> {
        self.parent.upgrade()
    }

    /// All nodes above, the nearest first.
    pub(super) fn ancestors(&self) -> Vec<Rc<AgentNode>> {
        let mut ancestors = Vec::new();
        let mut next = self.parent();
        while let Some(n) = next {
            next = n.parent();
            ancestors.push(n);
        }
        ancestors
    }

    /// Whether `other` is this node or below it.
    pub(super) fn contains(&self, other: &AgentNode) -> bool {
        self.index == other.index || other.ancestors().iter().any(|a| a.index == self.index)
    }

    pub(super) fn is_composite(&self) -> bool {
        matches!(self.kind, Kind::Composite(_))
    }

    pub(super) fn is_parallel(&self) -> bool {
        matches!(self.kind, Kind::Composite(CompositeKind::Parallel { .. }))
    }

    /// Whether it calls the leaves after its child when it ends.
    pub(super) fn is_finally(&self) -> bool {
        matches!(self.kind, Kind::Decorator(DecoratorKind::Finally { .. }))
    }

    /// Whether it is one of these leaves.
    pub(super) fn is_in_do(&self) -> bool {
        self.parent().is_some_and(|it| it.is_finally() && it.children[0].index != self.index)
    }

    /// Whether it runs only one of its children.
    pub(super) fn runs_one(&self) -> bool {
        matches!(self.kind, Kind::Composite(CompositeKind::Switch { .. } | CompositeKind::RandomChoice { .. }))
    }

    pub(super) fn is_condition(&self) -> bool {
        match &self.kind {
            Kind::Leaf(
                LeafKind::Condition | LeafKind::Check { .. } | LeafKind::OnEvent { .. } | LeafKind::Free { .. },
            ) => true,
            Kind::Leaf(
                LeafKind::Action
                | LeafKind::Wait(_)
                | LeafKind::WaitTicks { .. }
                | LeafKind::WaitUntil { .. }
                | LeafKind::WaitFor { .. }
                | LeafKind::Set { .. }
                | LeafKind::Roll { .. }
                | LeafKind::Log { .. }
                | LeafKind::Emit { .. }
                | LeafKind::Succeed
                | LeafKind::Fail
                | LeafKind::Idle
                | LeafKind::Subtree(_)
                | LeafKind::Slot(_)
                | LeafKind::Hole(..),
            )
            | Kind::Composite(_)
            | Kind::Decorator(_) => false,
        }
    }

    /// comp(n): the nearest composite ancestor.
    pub(super) fn composite(&self) -> Option<Rc<AgentNode>> {
        self.ancestors().into_iter().find(|a| a.is_composite())
    }

    /// The child that runs, of anything but a parallel.
    pub(super) fn running_child(&self) -> Option<Rc<AgentNode>> {
        self.children.iter().find(|c| c.is_active()).cloned()
    }

    /// The child at a position of the order.
    pub(super) fn child_at(&self, position: usize) -> Rc<AgentNode> {
        self.children[self.state().order[position]].clone()
    }

    /// The position of the child that contains `other`.
    pub(super) fn position_of(&self, other: &AgentNode) -> usize {
        let order = self.state().order.clone();
        order.iter().position(|&c| self.children[c].contains(other)).expect("a child contains it")
    }
}

fn build(spec: &scenario::Node, keys: &Keys, next: &mut usize) -> Rc<Plan> {
    let index = NodeIndex(*next);
    *next += 1;
    let (kind, abort, services) = match &spec.shape {
        Shape::Composite { kind, abort, services, children: _ } => {
            (Kind::Composite(kind.clone()), *abort, services.clone())
        }
        Shape::Decorator { kind, children: _ } => (Kind::Decorator(kind.clone()), Abort::None, Vec::new()),
        Shape::Leaf(kind) => (Kind::Leaf(kind.clone()), Abort::None, Vec::new()),
    };
    let target = if let Kind::Leaf(LeafKind::Set { key, .. }) = &kind { keys.find(key) } else { None };
    let parse = |text: &str| match target {
        Some((_, target)) => Expr::parse_for(text, keys, target),
        None if matches!(kind, Kind::Composite(CompositeKind::Switch { .. })) => Expr::parse_on(text, keys),
        None => Expr::parse(text, keys),
    };
    let parsed = |text: &str| parse(text).unwrap_or_else(|e| panic!("{text}: {e}, which checking should have refused"));
    let exprs = texts(&kind).into_iter().map(parsed).collect();
    let intervals = services.iter().map(|it| it.interval.ticks.expr().map(parsed)).collect();
    let children = spec.children().iter().map(|c| build(c, keys, next)).collect();
    let (name, given_name, id) = (spec.label().to_owned(), spec.name.clone(), spec.id.clone());
    let locals = spec.locals.clone();
    Rc::new(Plan { index, name, given_name, id, locals, kind, abort, services, intervals, exprs, children })
}

fn texts(kind: &Kind) -> Vec<&str> {
    match kind {
        Kind::Composite(CompositeKind::UtilitySelector { scores, .. }) => scores.iter().map(String::as_str).collect(),
        Kind::Composite(CompositeKind::Switch { on, .. }) => vec![on],
        Kind::Composite(
            CompositeKind::Sequence
            | CompositeKind::Selector
            | CompositeKind::Parallel { .. }
            | CompositeKind::ReactiveSequence
            | CompositeKind::ReactiveSelector
            | CompositeKind::RandomSequence { .. }
            | CompositeKind::RandomSelector { .. }
            | CompositeKind::RandomChoice { .. },
        ) => Vec::new(),
        Kind::Decorator(DecoratorKind::Guard { test: Test::Expr(expr), .. }) => vec![expr],
        Kind::Decorator(
            DecoratorKind::Guard { test: Test::When(_), .. }
            | DecoratorKind::Token(_)
            | DecoratorKind::Inverter
            | DecoratorKind::ReturnSuccess
            | DecoratorKind::ReturnFailure
            | DecoratorKind::UntilSuccess { count: None }
            | DecoratorKind::UntilFailure { count: None }
            | DecoratorKind::Repeater { count: None, end_on_failure: _ }
            | DecoratorKind::Finally { .. },
        ) => Vec::new(),
        Kind::Decorator(
            DecoratorKind::Repeater { count: Some(count), end_on_failure: _ }
            | DecoratorKind::UntilSuccess { count: Some(count) }
            | DecoratorKind::UntilFailure { count: Some(count) }
            | DecoratorKind::Limit { count, exhausted: _ },
        ) => count.expr().into_iter().collect(),
        Kind::Decorator(DecoratorKind::Timeout { ticks, result: _ }) => ticks.expr().into_iter().collect(),
        Kind::Decorator(DecoratorKind::Cooldown { time: it, after: _ } | DecoratorKind::Delay(it))
        | Kind::Leaf(LeafKind::Wait(it)) => it.ticks.expr().into_iter().collect(),
        Kind::Decorator(DecoratorKind::Probability { p }) => p.expr().into_iter().collect(),
        Kind::Leaf(LeafKind::WaitTicks { ticks }) => ticks.expr().into_iter().collect(),
        Kind::Leaf(LeafKind::Check { expr } | LeafKind::WaitUntil { expr } | LeafKind::Set { key: _, expr }) => {
            vec![expr]
        }
        Kind::Leaf(LeafKind::Roll { key: _, from, to }) => vec![from, to],
        Kind::Leaf(LeafKind::Emit { event: _, payload, to_group: _ }) => payload.iter().map(String::as_str).collect(),
        Kind::Leaf(
            LeafKind::Action
            | LeafKind::Condition
            | LeafKind::OnEvent { .. }
            | LeafKind::Free { .. }
            | LeafKind::WaitFor { .. }
            | LeafKind::Log { .. }
            | LeafKind::Succeed
            | LeafKind::Fail
            | LeafKind::Idle
            | LeafKind::Subtree(_)
            | LeafKind::Slot(_)
            | LeafKind::Hole(..),
        ) => Vec::new(),
    }
}
